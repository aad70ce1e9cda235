//! Contents of the model's registers, and the node that each is from, or that a partial is for.

use std::io::{self, Write};

use crate::emit::shared::names;
use crate::emit::vcd::{Dump, PERIOD, Signal, SignalScope};
use crate::netlist::digits;
use crate::play::Payloads;
use crate::program::{FlitId, Program};

/// The signals of the whole design.
const CLK: usize = 0;
const TICK: usize = 1;
/// Number of signals per register: valid bit, data, number of the origin node, and index of the packet at that node.
const OF_REGISTER: usize = 4;

/// The clock and the tick, and for each node every output that ever sends.
pub fn scopes(program: &Program, width: u32) -> Vec<SignalScope> {
    let (topology, demand) = (&program.topology, &program.demand);
    let whole = vec![program.title.name.clone()];
    let origin = digits(topology.nodes() - 1);
    let packet = digits(demand.most_packets().saturating_sub(1));
    let node = |node| {
        let outputs = program.class(node).outputs.iter().zip(program.channels());
        let signals = outputs.filter(|(track, _)| !track.is_idle()).flat_map(|(_, channel)| {
            let name = names::channel(topology.axes(), channel);
            [
                Signal::bit(format!("{name}_out_valid")),
                Signal::hex(format!("{name}_out_data"), width),
                Signal::number(format!("{name}_out_origin"), origin),
                Signal::number(format!("{name}_out_packet"), packet),
            ]
        });
        SignalScope {
            heading: format!("node {}", topology.show(node)),
            path: [whole.clone(), vec![names::instance(topology, node)]].concat(),
            signals: signals.collect(),
        }
    };
    let first =
        SignalScope { heading: String::new(), path: whole.clone(), signals: vec![Signal::bit("clk"), Signal::tick()] };
    std::iter::once(first).chain(topology.node_ids().map(node)).collect()
}

/// Writes a waveform tick by tick.
pub struct Waveform<'p, W> {
    dump: Dump<W>,
    program: &'p Program,
    payloads: Payloads,
    /// the registers that are ever driven, in the order of their signals
    shown: Vec<TracedRegister>,
}

/// A register, and what was last written of it.
struct TracedRegister {
    index: usize,
    flit: Option<FlitId>,
    /// words of the value, unless the flit says them
    value: Vec<u64>,
}

impl<'p, W: Write> Waveform<'p, W> {
    /// Writes the header, and that nothing is valid yet.
    pub fn new(out: W, program: &'p Program, payloads: Payloads) -> io::Result<Self> {
        let dump = Dump::new(out, &scopes(program, payloads.width))?;
        let is_driven = |&register: &usize| {
            let (node, output) = program.owner(register);
            !program.class(node).outputs[program.output_index(output)].is_idle()
        };
        let register = |index| TracedRegister { index, flit: None, value: Vec::new() };
        let shown = (0..program.registers()).filter(is_driven).map(register).collect();
        let mut waveform = Self { dump, program, payloads, shown };
        waveform.dump.time(0)?;
        waveform.dump.bit(CLK, false)?;
        waveform.dump.number(TICK, 0)?;
        (0..waveform.shown.len()).try_for_each(|index| waveform.show(index))?;
        Ok(waveform)
    }

    fn show(&mut self, index: usize) -> io::Result<()> {
        let TracedRegister { flit, value, .. } = &self.shown[index];
        let flit = *flit;
        let [valid, data, origin, packet] = [0, 1, 2, 3].map(|part| TICK + 1 + OF_REGISTER * index + part);
        self.dump.bit(valid, flit.is_some())?;
        match flit {
            None => [data, origin, packet].into_iter().try_for_each(|signal| self.dump.unknown(signal)),
            Some(flit) => {
                let from = self.program.demand.origin(flit);
                if value.is_empty() {
                    self.dump.word(data, self.payloads.words(flit))?;
                } else {
                    self.dump.word(data, value.iter().copied())?;
                }
                self.dump.number(origin, from.node.0)?;
                self.dump.number(packet, from.packet)
            }
        }
    }

    /// Writes what changed in a tick. `held` tells the flit in a register, and its value where the flit does not say it.
    pub fn tick<'v>(&mut self, tick: u32, held: impl Fn(usize) -> (Option<FlitId>, &'v [u64])) -> io::Result<()> {
        let time = u64::from(tick) * PERIOD;
        self.dump.time(time)?;
        self.dump.bit(CLK, true)?;
        self.dump.number(TICK, tick)?;
        for index in 0..self.shown.len() {
            let register = &mut self.shown[index];
            let (flit, value) = held(register.index);
            if flit != register.flit || value != register.value {
                register.flit = flit;
                register.value.clear();
                register.value.extend_from_slice(value);
                self.show(index)?;
            }
        }
        self.dump.time(time + PERIOD / 2)?;
        self.dump.bit(CLK, false)
    }

    /// Ends the waveform after the last tick; returns where it was written to.
    pub fn finish(self) -> io::Result<W> {
        self.dump.finish((u64::from(self.program.ticks) + 1) * PERIOD)
    }
}
