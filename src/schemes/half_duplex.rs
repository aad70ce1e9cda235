//! Half-duplex links: gossip on paths, cycles, meshes and tori, after Lau and Zhang and beyond them.

mod grid;
mod search;

#[cfg(test)]
mod tests;
