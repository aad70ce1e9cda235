//! Protocols that find out lengths while they run: a state machine a node, one register an output, tick by tick.
//!
//! What a register holds after tick t has arrived at the neighbour in tick t, and the neighbour acts on it in tick t + 1.

pub mod certification;
pub mod shoulder_tap;
mod wire;

pub use wire::{Event, Word, rows};

#[cfg(test)]
mod tests;
