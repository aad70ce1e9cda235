//! Number of messages per node, and their order.

use super::assign::MessageSlot;
use crate::net::{Around, Topology};
use crate::program::{Demand, Message, Sender, To};
use crate::task::Collective;
use crate::task::Task;

/// The packets of the node that has most.
pub fn packets(task: &Task) -> u16 {
    match task.collective() {
        Collective::Gather => 1,
        _ => (task.topology.nodes() - 1).min(u16::MAX.into()) as u16,
    }
}

/// The root's messages in the order of its ports and of their slots, the empty ones last.
pub fn demand(topology: &Topology, around: &Around, lengths: &[u32], ports: &[Vec<MessageSlot>]) -> Demand {
    let root = around.root();
    let sent = ports.iter().flatten().map(|slot| slot.node);
    let empty = topology.node_ids().filter(|&node| node != root && lengths[node.index()] == 0);
    let message = |node| Message { from: Sender::Node(root), to: To::Node(node), flits: lengths[node.index()] };
    Demand::new(topology, sent.chain(empty).map(message).collect())
}
