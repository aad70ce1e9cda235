//! One run at the ports of the fabric, as one node sees it.

use super::{SignalValue, Wave, Waves};
use crate::emit::names;
use crate::net::{Channel, NodeId};
use crate::netlist::{Netlist, Own};
use crate::play::Machine;
use crate::program::{FlitId, Program};

/// Clocks before `run` rises.
const BEFORE: usize = 3;
/// Clocks that it stays high after the last tick: then, too, nothing moves.
const HELD: usize = 2;
/// Clocks after it has fallen.
const AFTER: usize = 4;

/// The run of a program whose routers are told what to do; whoever looks holds `run` high for some clocks too many.
pub fn fabric(program: &Program, netlist: &Netlist, node: NodeId) -> Waves {
    let topology = &program.topology;
    let prefix = names::node(topology, node);
    // first clock in which a tick's arrivals can be read, and the clock whose edge ends it
    let after = |tick: u32| BEFORE + (netlist.start_delay() + tick) as usize;
    let before = |tick: u32| after(tick) - 1;
    let falls = after(program.ticks) + HELD;
    let clocks = falls + AFTER;
    let runs = BEFORE..falls;

    let mut ticks = vec![None; clocks];
    // flit that every own input must present
    let mut flits = vec![0; clocks];
    let mut owns: Vec<OwnPort> = netlist.routers[program.class_of[node.index()].index()]
        .packets
        .iter()
        .map(|&own| OwnPort::new(program, node, own, clocks))
        .collect();
    let inputs: Vec<Channel> = program.inputs(node).collect();
    let mut arrivals: Vec<[Wave; 2]> = inputs
        .iter()
        .map(|&input| {
            let name = names::arrival(topology, node, input);
            [
                Wave::of(format!("{name}_valid"), clocks, SignalValue::Bit(false)),
                Wave::of(format!("{name}_data"), clocks, SignalValue::Anything),
            ]
        })
        .collect();
    let mut machine = Machine::new(program);
    while !machine.is_done() {
        machine.step();
        let tick = machine.tick();
        ticks[after(tick)] = Some(tick);
        flits[before(tick)] = (tick - 1) % netlist.flits;
        for ([valid, data], &input) in arrivals.iter_mut().zip(&inputs) {
            if let Some(flit) = machine.arrival(node, input) {
                valid.values[after(tick)] = SignalValue::Bit(true);
                data.values[after(tick)] = SignalValue::Flit(flit);
            }
        }
        let sent = || program.channels().filter_map(|output| machine.register(program.register(node, output)));
        for own in &mut owns {
            own.note(before(tick), sent());
        }
    }

    let mut landmarks = vec![BEFORE, after(1), after(program.ticks), falls];
    let mut ports = vec![
        Wave::bits("rst", clocks, |clock| clock + 1 < BEFORE),
        Wave::bits("run", clocks, |clock| runs.contains(&clock)),
    ];
    if netlist.flits > 1 {
        ports.push(Wave { name: "flit".into(), values: flits.iter().map(|&flit| SignalValue::Number(flit)).collect() });
    }
    for own in owns {
        let name = format!("{prefix}_{}", names::own(own.own));
        if netlist.streams {
            landmarks.extend(own.takes.first().into_iter().chain(own.takes.last()));
            let (data, take) = own.stream(&name, runs.start - 1..falls);
            ports.extend([data, take]);
        } else {
            let held = |(clock, &flit): (usize, &u32)| {
                if runs.contains(&clock) {
                    SignalValue::Flit(FlitId(own.first.0 + flit))
                } else {
                    SignalValue::Anything
                }
            };
            ports.push(Wave { name, values: flits.iter().enumerate().map(held).collect() });
        }
    }
    ports.extend(arrivals.into_iter().flatten());
    ports.push(Wave::bits("done", clocks, |clock| (after(program.ticks)..falls + 2).contains(&clock)));
    let about = format!("node {} at the ports of {}.v", topology.show(node), program.title.name);
    Waves { about, zero: BEFORE, ports, ticks, landmarks }
}

/// An input for packets of the node's own.
struct OwnPort {
    own: Own,
    first: FlitId,
    flits: u32,
    clocks: usize,
    /// the clocks whose edges take a flit
    takes: Vec<usize>,
}

impl OwnPort {
    fn new(program: &Program, node: NodeId, own: Own, clocks: usize) -> Self {
        let first = program.demand.flits_of_packet(node, own.packet).start as u32;
        let end = program.demand.flits_of_packet(node, own.through).end as u32;
        Self { own, first: FlitId(first), flits: end - first, clocks, takes: Vec::new() }
    }

    /// Notes that the edge after a clock sends these: the next of its own among them is taken.
    fn note(&mut self, clock: usize, mut sent: impl Iterator<Item = FlitId>) {
        let next = self.first.0 + self.takes.len() as u32;
        if next < self.first.0 + self.flits && sent.any(|flit| flit.0 == next) {
            self.takes.push(clock);
        }
    }

    /// One flit after the other, each until it is taken.
    fn stream(&self, name: &str, shown: std::ops::Range<usize>) -> (Wave, Wave) {
        let taken = |clock: usize| self.takes.partition_point(|&take| take < clock) as u32;
        let value = |clock: usize| match taken(clock) {
            taken if taken < self.flits && shown.contains(&clock) => SignalValue::Flit(FlitId(self.first.0 + taken)),
            _ => SignalValue::Anything,
        };
        let data = Wave { name: name.to_owned(), values: (0..self.clocks).map(value).collect() };
        let take = Wave::bits(format!("{name}_take"), self.clocks, |clock| self.takes.binary_search(&clock).is_ok());
        (data, take)
    }
}
