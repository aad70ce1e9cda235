//! Contents of the model's registers, and the origin of each.

use std::io::{self, Write};

use super::{Dump, PERIOD, Scope, Signal};
use crate::emit::names;
use crate::netlist::digits;
use crate::play::{Machine, Payloads};
use crate::program::{FlitId, Program};

/// The signals of the whole design.
const CLK: usize = 0;
const TICK: usize = 1;
/// Number of signals per register: valid bit, data, number of the origin node, and index of the packet at that node.
const OF_REGISTER: usize = 4;

/// The clock and the tick, and for each node every output that ever sends.
pub fn scopes(program: &Program, width: u32) -> Vec<Scope> {
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
        Scope {
            heading: format!("node {}", topology.show(node)),
            path: [whole.clone(), vec![names::instance(topology, node)]].concat(),
            signals: signals.collect(),
        }
    };
    let first =
        Scope { heading: String::new(), path: whole.clone(), signals: vec![Signal::bit("clk"), Signal::tick()] };
    std::iter::once(first).chain(topology.node_ids().map(node)).collect()
}

/// Writes a waveform tick by tick.
pub struct Waveform<'p, W> {
    dump: Dump<W>,
    program: &'p Program,
    payloads: Payloads,
    /// the registers that are ever driven, in the order of their signals, with the flit last written for each
    shown: Vec<(usize, Option<FlitId>)>,
}

impl<'p, W: Write> Waveform<'p, W> {
    /// Writes the header, and that nothing is valid yet.
    pub fn new(out: W, program: &'p Program, payloads: Payloads) -> io::Result<Self> {
        let dump = Dump::new(out, &scopes(program, payloads.width))?;
        let is_driven = |&register: &usize| {
            let (node, output) = program.owner(register);
            !program.class(node).outputs[program.output_index(output)].is_idle()
        };
        let shown = (0..program.registers()).filter(is_driven).map(|register| (register, None)).collect();
        let mut waveform = Self { dump, program, payloads, shown };
        waveform.dump.time(0)?;
        waveform.dump.bit(CLK, false)?;
        waveform.dump.number(TICK, 0)?;
        (0..waveform.shown.len()).try_for_each(|index| waveform.show(index, None))?;
        Ok(waveform)
    }

    fn show(&mut self, index: usize, flit: Option<FlitId>) -> io::Result<()> {
        let [valid, data, origin, packet] = [0, 1, 2, 3].map(|part| TICK + 1 + OF_REGISTER * index + part);
        self.dump.bit(valid, flit.is_some())?;
        match flit {
            None => [data, origin, packet].into_iter().try_for_each(|signal| self.dump.unknown(signal)),
            Some(flit) => {
                let from = self.program.demand.origin(flit);
                self.dump.word(data, self.payloads.words(flit))?;
                self.dump.number(origin, from.node.0)?;
                self.dump.number(packet, from.packet)
            }
        }
    }

    /// Writes what changed in the machine's last tick.
    pub fn tick(&mut self, machine: &Machine<'_>) -> io::Result<()> {
        let time = u64::from(machine.tick()) * PERIOD;
        self.dump.time(time)?;
        self.dump.bit(CLK, true)?;
        self.dump.number(TICK, machine.tick())?;
        for index in 0..self.shown.len() {
            let (register, before) = self.shown[index];
            let flit = machine.register(register);
            if flit != before {
                self.shown[index].1 = flit;
                self.show(index, flit)?;
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
