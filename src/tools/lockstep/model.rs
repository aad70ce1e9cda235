//! The model that a fabric is compared with: of a program that moves packets, or of one that combines values.

use std::borrow::Cow;

use super::words::FlitWords;
use crate::play::{Combiner, Machine, Payloads};
use crate::program::Program;

/// Reference that the fabric is compared with.
pub(super) enum ReferenceModel<'p> {
    /// Model that moves packets.
    Moves(Machine<'p>),
    /// Model that combines values.
    Combines(Combiner<'p>),
}

impl<'p> ReferenceModel<'p> {
    /// Model before tick 1.
    pub fn of(program: &'p Program, payloads: Payloads) -> Self {
        Combiner::new(program, payloads).map_or_else(|| Self::Moves(Machine::new(program)), Self::Combines)
    }

    /// Plays one tick.
    pub fn step(&mut self) {
        match self {
            Self::Moves(machine) => machine.step(),
            Self::Combines(combiner) => combiner.step(),
        }
    }

    /// Register value as seen at the far end of its link, as Verilator stores it.
    pub fn register<'w>(&self, register: usize, words: &'w FlitWords) -> Option<Cow<'w, [u8]>> {
        match self {
            Self::Moves(machine) => machine.delivered(register).map(|flit| Cow::Borrowed(words.get(flit))),
            Self::Combines(combiner) => combiner.delivered(register).map(|value| Cow::Owned(words.stored(value))),
        }
    }

    /// Value that an output's register holds, as Verilator stores it.
    pub fn held<'w>(&self, register: usize, words: &'w FlitWords) -> Option<Cow<'w, [u8]>> {
        match self {
            Self::Moves(machine) => machine.register(register).map(|flit| Cow::Borrowed(words.get(flit))),
            Self::Combines(combiner) => combiner.held(register).map(|(_, value)| Cow::Owned(words.stored(value))),
        }
    }

    /// Register value as seen at the far end of its link, in hexadecimal.
    pub fn hex(&self, register: usize, payloads: Payloads) -> Option<String> {
        match self {
            Self::Moves(machine) => machine.delivered(register).map(|flit| payloads.hex(flit)),
            Self::Combines(combiner) => {
                combiner.delivered(register).map(|value| payloads.hex_of(value.iter().copied()))
            }
        }
    }
}

/// All that the nodes present.
pub(super) fn presented(program: &Program, payloads: Payloads) -> FlitWords {
    match Combiner::streams(program, payloads) {
        Some(streams) => FlitWords::of_values(payloads.width, streams.values()),
        None => FlitWords::of(payloads, program.demand.flits() as u32),
    }
}
