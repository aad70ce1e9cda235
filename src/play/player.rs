//! Plays any program and says which flit is on each link.

use super::{Combiner, Machine, Payloads};
use crate::program::{FlitId, Program};

/// A program being played: packets that move, or values that are combined.
pub enum Player<'p> {
    /// Registers hold packets.
    Moves(Machine<'p>),
    /// Registers hold partials of a packet's value.
    Combines(Combiner<'p>),
}

impl<'p> Player<'p> {
    /// A player before tick 1.
    pub fn new(program: &'p Program) -> Self {
        let width = program.reduction.as_ref().and_then(|reduction| reduction.number.width()).unwrap_or(1);
        match Combiner::new(program, Payloads { width, seed: 0 }) {
            Some(combiner) => Self::Combines(combiner),
            None => Self::Moves(Machine::new(program)),
        }
    }

    /// The number of ticks played.
    pub fn tick(&self) -> u32 {
        match self {
            Self::Moves(machine) => machine.tick(),
            Self::Combines(combiner) => combiner.tick(),
        }
    }

    /// Plays one tick.
    pub fn step(&mut self) {
        match self {
            Self::Moves(machine) => machine.step(),
            Self::Combines(combiner) => combiner.step(),
        }
    }

    /// Flit in a register; of a partial, where it arrives in this tick.
    pub fn flit(&self, register: usize) -> Option<FlitId> {
        match self {
            Self::Moves(machine) => machine.register(register),
            Self::Combines(combiner) => combiner.flit(register),
        }
    }

    /// Flit that an output's register holds; of a partial, once adders are done.
    pub fn held(&self, register: usize) -> Option<FlitId> {
        match self {
            Self::Moves(machine) => machine.register(register),
            Self::Combines(combiner) => combiner.held(register).map(|(flit, _)| flit),
        }
    }

    /// Flit that a register begins to send in the last tick.
    pub fn sending(&self, register: usize) -> Option<FlitId> {
        match self {
            Self::Moves(machine) => machine.register(register),
            Self::Combines(combiner) => combiner.sending(register),
        }
    }
}
