//! Gather as a program: what comes from below goes on to the root, and each node has a window for its own message.

use crate::net::{NodeId, Port, Ports, Topology};
use crate::paths::rooted::Rooted;
use crate::program::{Demand, Message, Program, ProgramBuilder, Sender, Source, Title, To, Window};

/// A node's message on its way to the root.
#[derive(Clone, Debug)]
pub struct Upwards {
    /// Node that sends the message.
    pub node: NodeId,
    /// The ports that it leaves by, node after node.
    pub way: Vec<Port>,
    /// The tick in which its first flit leaves.
    pub first: u32,
}

/// The port to the child that a message passes on its way down, node after node from the root.
pub fn way(tree: &Rooted, node: NodeId) -> Vec<(NodeId, Port)> {
    let mut way = Vec::new();
    let mut at = node;
    while let (Some(up), Some(parent)) = (tree.up(at), tree.parent(at)) {
        way.push((parent, up.opposite()));
        at = parent;
    }
    way.reverse();
    way
}

/// A node's message on its way up a tree.
pub fn upwards(tree: &Rooted, node: NodeId, first: u32) -> Upwards {
    let way = way(tree, node).into_iter().rev().map(|(_, port)| port.opposite()).collect();
    Upwards { node, way, first }
}

/// Every node's message for the root.
pub fn demand(topology: &Topology, root: NodeId, lengths: &[u32]) -> Demand {
    let nodes = topology.node_ids().filter(|&node| node != root);
    let message = |node: NodeId| Message { from: Sender::Node(node), to: To::Node(root), flits: lengths[node.index()] };
    Demand::new(topology, nodes.map(message).collect())
}

/// The program in which every message leaves in its node's window and is sent on by all that it comes to.
pub fn program(
    topology: &Topology,
    root: NodeId,
    lengths: &[u32],
    ticks: u32,
    messages: &[Upwards],
    title: Title,
) -> Program {
    let mut below = vec![Vec::new(); topology.registers()];
    let mut injects = vec![false; topology.registers()];
    let mut windows = vec![Window { first: 1, ticks: 0 }; topology.nodes() as usize];
    for Upwards { node, way, first } in messages {
        windows[node.index()] = Window { first: *first, ticks: lengths[node.index()] };
        injects[topology.register(*node, way[0])] = true;
        let mut at = *node;
        for pair in way.windows(2) {
            at = topology.step(at, pair[0]).expect("a way keeps to links");
            below[topology.register(at, pair[1])].push(pair[0].opposite());
        }
    }
    let mut builder = ProgramBuilder::new(topology, ticks, demand(topology, root, lengths));
    for node in topology.node_ids() {
        for port in topology.port_ids() {
            let register = topology.register(node, port);
            let inputs = &mut below[register];
            inputs.sort_unstable();
            inputs.dedup();
            let source = match inputs[..] {
                [] => Source::Idle,
                [input] => Source::input(input, 1),
                _ => Source::Any { ports: Ports::of(inputs.iter().copied()) },
            };
            let track = if injects[register] {
                builder.injecting_track(0, &[], source)
            } else if source == Source::Idle {
                continue;
            } else {
                builder.track(&[], source)
            };
            builder.set(node, port, track);
        }
    }
    builder.set_windows(windows);
    builder.finish(title)
}
