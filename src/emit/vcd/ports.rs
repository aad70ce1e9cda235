//! Values at the fabric's outputs in a simulator that keeps no waveform of its own.

use std::io::{self, Write};

use crate::emit::shared::names;
use crate::emit::vcd::{Dump, PERIOD, Signal, SignalScope};
use crate::program::Program;

/// The signals of the whole fabric.
const CLK: usize = 0;
const RST: usize = 1;
const RUN: usize = 2;
const TICK: usize = 3;
/// Number of signals per arrival: valid bit and data.
const OF_ARRIVAL: usize = 2;

/// Clock, `rst`, `run` and the tick, and for each node what arrives at it; in these modules around the fabric's ports.
pub fn scopes(program: &Program, width: u32, path: &[String]) -> Vec<SignalScope> {
    let topology = &program.topology;
    let signals = vec![Signal::bit("clk"), Signal::bit("rst"), Signal::bit("run"), Signal::tick()];
    let mut scopes = vec![SignalScope { heading: String::new(), path: path.to_vec(), signals }];
    for node in topology.node_ids() {
        let signals = program.inputs(node).flat_map(|input| {
            let name = names::arrival(topology, node, input);
            [Signal::bit(format!("{name}_valid")), Signal::hex(format!("{name}_data"), width)]
        });
        scopes.push(SignalScope {
            heading: format!("node {}", topology.show(node)),
            path: path.to_vec(),
            signals: signals.collect(),
        });
    }
    scopes
}

/// Writes a waveform clock by clock.
pub struct PortWaveform<W> {
    dump: Dump<W>,
    clock: u64,
    /// by register: the number of the arrival to which it leads
    arrival_of: Vec<Option<usize>>,
    /// by arrival: what was last written
    shown: Vec<Option<Vec<u64>>>,
}

impl<W: Write> PortWaveform<W> {
    /// Writes the header, and that nothing is valid yet.
    pub fn new(out: W, program: &Program, width: u32) -> io::Result<Self> {
        let mut dump = Dump::new(out, &scopes(program, width, std::slice::from_ref(&program.title.name)))?;
        let mut arrival_of = vec![None; program.registers()];
        let nodes = program.topology.node_ids();
        let registers =
            nodes.flat_map(|node| program.inputs(node).filter_map(move |input| program.arriving(node, input)));
        let registers: Vec<usize> = registers.collect();
        for (arrival, &register) in registers.iter().enumerate() {
            arrival_of[register] = Some(arrival);
        }
        dump.time(0)?;
        dump.bit(CLK, false)?;
        dump.number(TICK, 0)?;
        let mut ports = Self { dump, clock: 0, arrival_of, shown: vec![None; registers.len()] };
        (0..registers.len()).try_for_each(|arrival| ports.show(arrival, None))?;
        Ok(ports)
    }

    fn show(&mut self, arrival: usize, word: Option<&[u64]>) -> io::Result<()> {
        let valid = TICK + 1 + OF_ARRIVAL * arrival;
        self.dump.bit(valid, word.is_some())?;
        match word {
            None => self.dump.unknown(valid + 1),
            Some(word) => self.dump.word(valid + 1, word.iter().copied()),
        }
    }

    /// Writes a rising edge, the inputs that it has seen, and what has arrived from each of these registers since.
    pub fn clock(
        &mut self,
        [rst, run]: [bool; 2],
        tick: u32,
        arrived: impl Iterator<Item = (usize, Option<Vec<u64>>)>,
    ) -> io::Result<()> {
        self.clock += 1;
        let time = self.clock * PERIOD;
        self.dump.time(time - PERIOD / 2)?;
        self.dump.bit(CLK, false)?;
        self.dump.bit(RST, rst)?;
        self.dump.bit(RUN, run)?;
        self.dump.time(time)?;
        self.dump.bit(CLK, true)?;
        self.dump.number(TICK, tick)?;
        for (register, word) in arrived {
            let Some(arrival) = self.arrival_of[register].filter(|&arrival| self.shown[arrival] != word) else {
                continue;
            };
            self.show(arrival, word.as_deref())?;
            self.shown[arrival] = word;
        }
        Ok(())
    }

    /// Ends the waveform; returns where it was written to.
    pub fn finish(self) -> io::Result<W> {
        self.dump.finish((self.clock + 1) * PERIOD)
    }
}
