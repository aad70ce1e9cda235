//! Inputs and outputs of a reduction in two playings with different values: inverting all values does not invert their
//! combination.

use std::io::{self, Write};

use crate::emit::bench::FabricBench;
use crate::emit::bench::sample::Sample;
use crate::emit::bench::sums::Sums;
use crate::emit::shared::names;
use crate::net::{Channel, NodeId};
use crate::play::{Combiner, Payloads};
use crate::program::Program;

impl FabricBench<'_> {
    /// Check of the unit that adds floats.
    pub(in crate::emit) fn sums(&self) -> Option<Sums> {
        Sums::of(self.design.netlist.unit, names::unit(self.design.program))
    }
}

/// The values of the two playings.
fn playings(width: u32) -> [Payloads; 2] {
    [0, 1].map(|seed| Payloads { width, seed })
}

/// Number of values in all the nodes' streams in one run.
pub fn words(program: &Program) -> u64 {
    let classes = program.classes.iter();
    let of_class = classes.map(|class| class.outputs.iter().map(|track| u64::from(program.own_ticks(track))).sum());
    let of_class: Vec<u64> = of_class.collect();
    program.class_of.iter().map(|class| of_class[class.index()]).sum()
}

/// Number of arrivals that are compared in one run.
pub fn arrivals(program: &Program, sample: Sample) -> Option<usize> {
    let mut combiner = Combiner::new(program, Payloads { width: 1, seed: 0 })?;
    let mut seen = 0;
    while !combiner.is_done() {
        combiner.step();
        if sample.includes(combiner.tick()) {
            seen += (0..program.registers()).filter(|&register| combiner.delivered(register).is_some()).count();
        }
    }
    Some(seen)
}

/// The values of every node's streams, one per line, of one playing after the other; whether there are any.
pub fn write_own(program: &Program, width: u32, out: &mut dyn Write) -> io::Result<bool> {
    for payloads in playings(width) {
        let Some(streams) = Combiner::streams(program, payloads) else { return Ok(false) };
        for value in streams.values() {
            writeln!(out, "{}", payloads.hex_of(value.iter().copied()))?;
        }
    }
    Ok(true)
}

/// Writes the expected arrivals at some inputs in each compared tick, one per line: 1 and the value, or `nothing`.
/// Returns whether there are any.
pub fn write_expected(
    program: &Program,
    width: u32,
    sample: Sample,
    inputs: &[(NodeId, Channel)],
    nothing: &[u8],
    out: &mut dyn Write,
) -> io::Result<bool> {
    for payloads in playings(width) {
        let Some(mut combiner) = Combiner::new(program, payloads) else { return Ok(false) };
        while !combiner.is_done() {
            combiner.step();
            if !sample.includes(combiner.tick()) {
                continue;
            }
            for &(node, input) in inputs {
                match program.arriving(node, input).and_then(|register| combiner.delivered(register)) {
                    Some(words) => writeln!(out, "1{}", payloads.hex_of(words.iter().copied()))?,
                    None => out.write_all(nothing)?,
                }
            }
        }
    }
    Ok(true)
}
