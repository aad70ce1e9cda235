//! The way of one packet, followed back from where it arrived through the rules of the nodes it passed.

use crate::net::{Channel, NodeId};
use crate::program::{Program, Source, Span};

/// One node on the way: it sends the packet out of a port.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hop {
    /// Number of the node.
    pub node: NodeId,
    /// The output the packet goes out by.
    pub by: Channel,
    /// The tick it is sent in.
    pub tick: u32,
    /// Ticks since it arrived at this node, none at its origin.
    pub age: Option<u32>,
}

/// The way of a packet from the node that contributed it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PacketTrace {
    /// The node it comes from.
    pub origin: NodeId,
    /// Index among the packets of its node.
    pub packet: u32,
    /// Every node that sent it, the origin first.
    pub hops: Vec<Hop>,
}

/// Arrival at an input of `node` in `tick` with its hops; `None` if nothing arrives. The program must have one-flit
/// packets.
pub fn trace(program: &Program, node: NodeId, input: Channel, tick: u32) -> Option<PacketTrace> {
    let (mut node, mut input, mut tick) = (node, input, tick);
    let mut hops = Vec::new();
    loop {
        let output = input.opposite();
        node = program.topology.step(node, input.port)?;
        let mut hop = Hop { node, by: output, tick, age: None };
        let track = &program.class(node).outputs[program.output_index(output)];
        let Span { first, source, .. } = track.spans(tick).last()?;
        let origin = |packet| PacketTrace { origin: node, packet, hops: Vec::new() };
        let mut trace = match (source, track.inject.filter(|_| program.window(node).open(tick).is_some())) {
            (_, Some(packet)) => origin(packet),
            (Source::Idle | Source::Sum { .. }, None) => return None,
            (Source::Own { packet, through }, None) => {
                origin(program.demand.origin(program.demand.flit(node, packet, through, tick - first)?).packet)
            }
            (Source::In { port, lane, age }, None) => {
                hop.age = Some(age);
                hops.push(hop);
                input = Channel { port, lane };
                // before tick 1 nothing has arrived
                tick = tick.checked_sub(age).filter(|&tick| tick > 0)?;
                continue;
            }
            (Source::Any { ports }, None) => {
                hop.age = Some(1);
                let before = tick.checked_sub(1).filter(|&tick| tick > 0)?;
                ports.iter().find_map(|port| self::trace(program, node, Channel::first(port), before))?
            }
        };
        hops.push(hop);
        trace.hops.extend(hops.into_iter().rev());
        return Some(trace);
    }
}
