//! The fabric's inputs for packets of the nodes' own: which there are, and the flits that each presents.

use std::ops::Range;

use crate::emit::shared::names;
use crate::emit::shared::options::Options;
use crate::net::NodeId;
use crate::netlist::{Netlist, Own};
use crate::program::Program;

/// An input of the fabric.
pub struct OwnInput {
    /// Name of the input.
    pub name: String,
    /// The numbers of its flits: if own packets are streams it presents one after the other, else all inputs present the
    /// one that the fabric asks for.
    pub flits: Range<u64>,
}

/// The inputs, node after node.
pub fn own_inputs<'p>(
    program: &'p Program,
    netlist: &'p Netlist,
    options: &'p Options,
) -> impl Iterator<Item = OwnInput> + 'p {
    let mut begun = 0;
    let of_node = move |node: NodeId| match &options.protocol {
        // every node has an input for its message, however short it is
        Some(_) => (0..program.demand.packets_of(node)).map(|packet| Own { packet, through: packet }).collect(),
        None => netlist.routers[program.class_of[node.index()].index()].packets.clone(),
    };
    let input = move |(node, own): (NodeId, Own)| OwnInput {
        name: format!("{}_{}", names::node(&program.topology, node), names::own(own)),
        flits: if program.reduction.is_some() {
            // every output has a stream of its own; the streams are numbered in order
            let first = begun;
            begun += u64::from(program.own_ticks(&program.class(node).outputs[own.packet as usize]));
            first..begun
        } else {
            program.demand.flits_of_packet(node, own.packet).start
                ..program.demand.flits_of_packet(node, own.through).end
        },
    };
    let nodes = program.topology.node_ids();
    nodes.flat_map(move |node| of_node(node).into_iter().map(move |own| (node, own))).map(input)
}

/// The fabric's inputs for the lengths of messages, with the nodes, where routers find them out while they run.
pub fn length_inputs<'p>(program: &'p Program, options: &'p Options) -> impl Iterator<Item = (String, NodeId)> + 'p {
    let trees = options.protocol.iter().map(|protocol| &protocol.tree);
    let senders = trees.flat_map(|tree| tree.topology().node_ids().filter(|&node| node != tree.root()));
    senders.map(|node| (format!("{}_length", names::node(&program.topology, node)), node))
}
