//! One collective at the streams of a node with memories.

use super::words::DrawnWords;
use super::{SignalValue, Wave, Waves};
use crate::emit::names;
use crate::net::NodeId;
use crate::netlist::listed::ListNetlist;
use crate::netlist::{BlockOrder, NodeLowering};
use crate::program::{FlitId, Program};

/// Clocks until `rst` has fallen.
const BEFORE: usize = 2;
/// Clocks in which nodes are told where words lie, beside one for each record.
const PLACING: usize = 10;
/// Clocks from `done` to the first word that comes out.
const LOOKED_UP: usize = 5;
/// Clocks after the last word.
const AFTER: usize = 2;

/// A collective of which `start` waits for the packets; whoever reads waits once.
pub fn streams(program: &Program, netlist: &ListNetlist, order: BlockOrder, node: NodeId) -> Waves {
    let Program { topology, demand, .. } = program;
    let ticks = netlist.programs[0].ticks;
    let prefix = names::node(topology, node);
    let own: Vec<FlitId> = flits(program, node, 0..demand.packets_of(node));
    let out: Vec<FlitId> = handed_out(program, order, node);
    let fills = BEFORE + PLACING + netlist.records.len();
    // a clock after its last word the node is ready, after one more all are, and after two the first tick is played
    let ready = fills + own.len() + 1;
    let after = |tick: u32| ready + 2 + tick as usize;
    let over = after(ticks);
    let first_out = over + LOOKED_UP;
    let clocks = first_out + DrawnWords::clocks(out.len()) + AFTER;
    let values = |flits: Vec<FlitId>| flits.into_iter().map(SignalValue::Flit).collect();
    let words = DrawnWords { taken: values(own), offered: BEFORE, fills, given: values(out), first_out, clocks };

    let is_last = |value: SignalValue| {
        let SignalValue::Flit(flit) = value else { return value };
        let origin = demand.origin(flit);
        SignalValue::Bit(u64::from(flit.0) + 1 == demand.flits_of_packet(origin.node, origin.packet).end)
    };
    let from = |value: SignalValue| if let SignalValue::Flit(flit) = value { SignalValue::Origin(flit) } else { value };
    let bits = |name: &str, is_high: &dyn Fn(usize) -> bool| Wave::bits(name, clocks, is_high);
    let port = |name: &str| format!("{prefix}_{name}");
    let ports = vec![
        bits("rst", &|clock| clock < BEFORE),
        words.offers(port("s_axis_tvalid")),
        bits(&port("s_axis_tready"), &|clock| clock >= fills),
        words.word_in(port("s_axis_tdata")),
        words.data(port("s_axis_tlast"), |clock| words.taken_in(clock).map(is_last)),
        bits("start", &|clock| (BEFORE..=ready).contains(&clock)),
        bits("busy", &|clock| (ready + 1..over).contains(&clock)),
        bits("done", &|clock| clock == over),
        words.gives(port("m_axis_tvalid")),
        words.takes(port("m_axis_tready")),
        words.word_out(port("m_axis_tdata")),
        words.data(port("m_axis_tlast"), |clock| words.given_in(clock).map(is_last)),
        words.data(port("m_axis_tuser"), |clock| words.given_in(clock).map(from)),
    ];
    let mut steps = vec![None; clocks];
    (1..=program.ticks).for_each(|tick| steps[after(tick)] = Some(tick));
    let landmarks =
        vec![BEFORE, fills, ready, after(1), over, first_out, words.begins(2), words.begins(words.given.len())];
    let about = format!("node {} at the ports of {}.v", topology.show(node), names::system(program));
    Waves { about, zero: BEFORE - 1, ports, ticks: steps, landmarks }
}

/// All that a node hands out, in this order.
fn handed_out(program: &Program, order: BlockOrder, node: NodeId) -> Vec<FlitId> {
    let Program { topology, demand, .. } = program;
    match order {
        BlockOrder::Origin => {
            topology.node_ids().flat_map(|origin| flits(program, origin, 0..demand.packets_of(origin))).collect()
        }
        BlockOrder::Arrival => {
            let order = NodeLowering::of_flits(program, &[]).order_of_arrival(node, true).into_iter();
            order.flat_map(|(origin, packet)| flits(program, origin, packet..packet + 1)).collect()
        }
    }
}

fn flits(program: &Program, node: NodeId, packets: std::ops::Range<u32>) -> Vec<FlitId> {
    packets.flat_map(|packet| program.demand.flits_of_packet(node, packet)).map(|flit| FlitId(flit as u32)).collect()
}
