//! Arrivals of a reduction: which register each input sees, and which arrivals complete a node's own values.

use crate::net::Channel;
use crate::play::shift::VOID;
use crate::program::{Operand, Operands, Program, Reduction};

/// An arrival that a node's own flit is combined with.
#[derive(Clone, Copy)]
pub(super) struct Due {
    pub tick: u32,
    pub operand: Operand,
    /// place among the operands
    pub place: usize,
    pub packet: u32,
    pub flit: u32,
}

/// Place in a plane of what arrives, by port and node; void without a link.
pub(super) fn arriving(program: &Program) -> Vec<u32> {
    let Program { topology, .. } = program;
    let (ports, nodes) = (topology.ports(), topology.nodes() as usize);
    let all = topology.port_ids().flat_map(|port| topology.node_ids().map(move |node| (node, port)));
    let place = |register: usize| (register % ports * nodes + register / ports) as u32;
    all.map(|(node, port)| program.arriving(node, Channel::first(port)).map_or(VOID, place)).collect()
}

/// Lists the arrivals that complete the own values of a class, with their ticks.
pub(super) fn due(program: &Program, reduction: &Reduction, results: &[Operands]) -> Vec<Due> {
    let mut due = Vec::new();
    for (packet, operands) in (0..).zip(results) {
        for (place, operand) in operands.iter().enumerate() {
            let ticks = (0..program.flits).map(|flit| (flit, (reduction.ticks + 1 + flit).checked_sub(operand.age)));
            due.extend(ticks.filter_map(|(flit, tick)| Some(Due { tick: tick?, operand, place, packet, flit })));
        }
    }
    due.sort_by_key(|due| due.tick);
    due
}
