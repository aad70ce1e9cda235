//! One collective at the streams of a node with memories.

use super::{Value, Wave, Waves};
use crate::emit::names;
use crate::net::NodeId;
use crate::netlist::{Netlist, Order, OwnInputs, Reading};
use crate::program::{FlitId, Program};

/// Clocks until `rst` has fallen.
const BEFORE: usize = 2;
/// Clocks from the fabric's `done` to the first word that comes out.
const LOOKED_UP: usize = 4;
/// The reader waits for so many clocks, with the second word before it.
const PAUSE: usize = 2;
/// Clocks after the last word.
const AFTER: usize = 2;

/// A collective of which `start` waits for the packets; whoever reads waits once.
pub fn streams(program: &Program, netlist: &Netlist, order: Order, node: NodeId) -> Waves {
    let Program { topology, demand, ticks, .. } = program;
    let prefix = names::node(topology, node);
    let own: Vec<FlitId> = flits(program, node, 0..demand.packets_of(node));
    let out: Vec<FlitId> = handed_out(program, order, node);
    let is_last = |flit: FlitId| {
        let origin = demand.origin(flit);
        u64::from(flit.0) + 1 == demand.flits_of_packet(origin.node, origin.packet).end
    };
    // a clock after its last packet the node is ready, and after one more the fabric's `run` rises; `busy` follows it
    let ready = BEFORE + own.len() + 1;
    let after = |tick: u32| ready + (netlist.start_delay() + tick) as usize;
    let over = after(*ticks);
    let first_out = over + LOOKED_UP;
    // a word is held until it is taken; the second is not taken at once
    let begins = |word: usize| first_out + word + if word > 1 { PAUSE } else { 0 };
    let clocks = begins(out.len()) + AFTER;

    let word_in = |clock: usize| clock.checked_sub(BEFORE).and_then(|word| own.get(word)).copied();
    let word_out = |clock: usize| {
        let word = match clock.checked_sub(first_out)? {
            since @ 0..=1 => since,
            since => since.saturating_sub(PAUSE).max(1),
        };
        out.get(word).copied()
    };
    let is_waiting = |clock: usize| (begins(1)..begins(1) + PAUSE).contains(&clock);
    let data = |name: String, word: &dyn Fn(usize) -> Option<FlitId>, value: fn(FlitId) -> Value| Wave {
        name,
        values: (0..clocks).map(|clock| word(clock).map_or(Value::Anything, value)).collect(),
    };
    let last = |name: String, word: &dyn Fn(usize) -> Option<FlitId>| Wave {
        name,
        values: (0..clocks)
            .map(|clock| word(clock).map_or(Value::Anything, |flit| Value::Bit(is_last(flit))))
            .collect(),
    };
    let bits = |name: String, is_high: &dyn Fn(usize) -> bool| Wave::bits(name, clocks, is_high);
    let port = |name: &str| format!("{prefix}_{name}");
    let ports = vec![
        bits("rst".into(), &|clock| clock < BEFORE),
        bits(port("s_axis_tvalid"), &|clock| word_in(clock).is_some()),
        bits(port("s_axis_tready"), &|clock| clock > 0),
        data(port("s_axis_tdata"), &word_in, Value::Flit),
        last(port("s_axis_tlast"), &word_in),
        bits("start".into(), &|clock| (BEFORE..=ready).contains(&clock)),
        bits("busy".into(), &|clock| (ready + 1..=over).contains(&clock)),
        bits("done".into(), &|clock| clock == over + 1),
        bits(port("m_axis_tvalid"), &|clock| word_out(clock).is_some()),
        bits(port("m_axis_tready"), &|clock| !is_waiting(clock)),
        data(port("m_axis_tdata"), &word_out, Value::Flit),
        last(port("m_axis_tlast"), &word_out),
        data(port("m_axis_tuser"), &word_out, Value::Origin),
    ];
    let mut steps = vec![None; clocks];
    (1..=*ticks).for_each(|tick| steps[after(tick)] = Some(tick));
    let landmarks = vec![BEFORE, ready, after(1), over, first_out, begins(2), begins(out.len())];
    let about = format!("node {} at the ports of {}.v", topology.show(node), names::system(program));
    Waves { about, zero: BEFORE - 1, ports, ticks: steps, landmarks }
}

/// All that a node hands out, in this order.
fn handed_out(program: &Program, order: Order, node: NodeId) -> Vec<FlitId> {
    let Program { topology, demand, .. } = program;
    match order {
        Order::Origin => {
            topology.node_ids().flat_map(|origin| flits(program, origin, 0..demand.packets_of(origin))).collect()
        }
        Order::Arrival => {
            let reading = Reading::of(program, order, OwnInputs::Packets);
            let table = &reading.tables[reading.table_of[node.index()] as usize];
            let held = table.iter().map(|held| (reading.origin(topology, node, held), held.packet));
            held.flat_map(|(origin, packet)| flits(program, origin, packet..packet + 1)).collect()
        }
    }
}

fn flits(program: &Program, node: NodeId, packets: std::ops::Range<u32>) -> Vec<FlitId> {
    packets.flat_map(|packet| program.demand.flits_of_packet(node, packet)).map(|flit| FlitId(flit as u32)).collect()
}
