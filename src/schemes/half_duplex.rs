//! Half-duplex links: gossip on paths, cycles, meshes and tori, after Lau and Zhang and beyond them.

mod fresh;
mod grid;
mod line;
mod search;
mod torus;
mod tree;

#[cfg(test)]
mod tests;
