//! The fabric's inputs for packets of the nodes' own: which there are, and the flits that each presents.

use std::ops::Range;

use super::names;
use crate::netlist::Netlist;
use crate::program::Program;

/// An input of the fabric.
pub struct OwnInput {
    /// What it is called.
    pub name: String,
    /// The numbers of its flits: if own packets are streams it presents one after the other, else all inputs present the
    /// one that the fabric asks for.
    pub flits: Range<u64>,
}

/// The inputs, node after node.
pub fn own_inputs<'p>(program: &'p Program, netlist: &'p Netlist) -> impl Iterator<Item = OwnInput> + 'p {
    program.topology.node_ids().flat_map(move |node| {
        let router = &netlist.routers[program.class_of[node.index()].index()];
        router.packets.iter().map(move |&own| {
            let first = program.demand.flits_of_packet(node, own.packet).start;
            let end = program.demand.flits_of_packet(node, own.through).end;
            OwnInput {
                name: format!("{}_{}", names::node(&program.topology, node), names::own(own)),
                flits: first..end,
            }
        })
    })
}
