//! The way of one packet, followed back from where it arrived through the rules of the nodes it passed.

use crate::net::{NodeId, Port};
use crate::program::{Program, Source};

/// One node on the way: it sends the packet out of a port.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hop {
    /// The node.
    pub node: NodeId,
    /// The port the packet goes out by.
    pub by: Port,
    /// The tick it is sent in.
    pub tick: u32,
    /// Ticks since it arrived at this node, none at its origin.
    pub age: Option<u32>,
}

/// The way of a packet from the node that contributed it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trace {
    /// The node it comes from.
    pub origin: NodeId,
    /// Which of that node's packets.
    pub packet: u16,
    /// Every node that sent it, the origin first.
    pub hops: Vec<Hop>,
}

/// What arrives at `port` of `node` in `tick`, and how it came there; none if nothing arrives. The program is one of whole
/// packets.
pub fn trace(program: &Program, node: NodeId, port: Port, tick: u32) -> Option<Trace> {
    let topology = &program.topology;
    let (mut node, mut port, mut tick) = (node, port, tick);
    let mut hops = Vec::new();
    loop {
        (node, port) = (topology.neighbour(node, port)?, port.opposite());
        let mut hop = Hop { node, by: port, tick, age: None };
        match program.class(node).outputs[port.index()].source_at(tick) {
            Source::Idle => return None,
            Source::Own { packet } => {
                hops.push(hop);
                hops.reverse();
                return Some(Trace { origin: node, packet, hops });
            }
            Source::In { port: input, age } => {
                hop.age = Some(age);
                hops.push(hop);
                port = input;
                // before tick 1 nothing has arrived
                tick = tick.checked_sub(age).filter(|&tick| tick > 0)?;
            }
        }
    }
}
