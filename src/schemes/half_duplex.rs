//! Half-duplex links: gossip on paths, cycles, meshes and tori, after Lau and Zhang and beyond them.

mod formula;
mod fresh;
mod fujita_yamashita;
mod grid;
mod lau_zhang;
mod line;
mod optimal;
mod search;
mod torus;
mod tree;

#[cfg(test)]
mod tests;

pub use fujita_yamashita::FujitaYamashita;
pub use lau_zhang::LauZhang;
pub use line::{program as on_line, steps as steps_on_line};
pub use optimal::{
    applies as optimal_applies, is_solved as optimal_is_solved, program as optimal, steps as optimal_steps,
};

/// More nodes than this have more moves than are worth a list: some 16 million.
pub const MOST_NODES: u32 = 4096;
