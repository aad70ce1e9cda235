//! The flits that each node wants, to be looked up without searching for where a flit comes from.

use std::ops::Range;

use super::{Demand, FlitId, Sender};
use crate::net::{NodeId, Topology};

impl Demand {
    /// Node that wants a packet of a sender; none if all of its group do.
    pub fn receiver(&self, topology: &Topology, sender: NodeId, packet: u32) -> Option<NodeId> {
        self.message(sender, packet).to.one(topology, sender)
    }
}

/// Lookup of the flits that each node wants from others.
#[derive(Clone, Debug)]
pub struct Wanted<'d> {
    topology: &'d Topology,
    demand: &'d Demand,
    who: Who,
}

#[derive(Clone, Debug)]
enum Who {
    /// All nodes want everything.
    All,
    /// Computed on request: every node has the same messages, so the origin of a flit takes one division.
    Asked,
    /// Stored lists: flits that all nodes of the sender's group want, and those that each node wants besides.
    Listed { by_all: Flits, by_node: Vec<Flits> },
}

/// Flits by number.
#[derive(Clone, Debug, Default)]
struct Flits(Vec<Range<u64>>);

impl Flits {
    /// Adds those of a packet, which come after all that are there.
    fn push(&mut self, more: Range<u64>) {
        match self.0.last_mut() {
            Some(last) if last.end == more.start => last.end = more.end,
            _ => self.0.push(more),
        }
    }

    fn contains(&self, flit: u64) -> bool {
        let begun = self.0.partition_point(|range| range.start <= flit);
        begun > 0 && flit < self.0[begun - 1].end
    }
}

impl<'d> Wanted<'d> {
    /// Prepares the lookup for a demand on a network.
    pub fn new(topology: &'d Topology, demand: &'d Demand) -> Self {
        let who = if demand.is_for_all() {
            Who::All
        } else if demand.messages().iter().all(|message| message.from == Sender::Every) {
            Who::Asked
        } else {
            Who::listed(topology, demand)
        };
        Self { topology, demand, who }
    }

    /// Returns true if a node wants a flit, which it does not have at first.
    #[inline]
    pub fn by(&self, node: NodeId, flit: FlitId) -> bool {
        match &self.who {
            Who::All => true,
            Who::Asked => self.demand.wants_flit(self.topology, node, flit),
            Who::Listed { by_all, by_node } => {
                let is_near = || self.demand.are_together(self.demand.origin(flit).node, node);
                by_node[node.index()].contains(flit.0.into()) || by_all.contains(flit.0.into()) && is_near()
            }
        }
    }
}

impl Who {
    fn listed(topology: &Topology, demand: &Demand) -> Self {
        let mut by_all = Flits::default();
        let mut by_node = vec![Flits::default(); topology.nodes() as usize];
        for sender in topology.node_ids() {
            for packet in 0..demand.packets_of(sender) {
                let one = demand.message(sender, packet).to.one(topology, sender);
                let by = one.map_or(&mut by_all, |node| &mut by_node[node.index()]);
                by.push(demand.flits_of_packet(sender, packet));
            }
        }
        Self::Listed { by_all, by_node }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Message, To};
    use super::*;
    use crate::net::Torus;

    #[test]
    fn listed_flits_are_those_that_nodes_want() {
        let torus = Torus::new(&[2, 3]).unwrap();
        let message = |from, to, flits| Message { from, to, flits };
        let (one, other) = (Sender::Node(NodeId(1)), Sender::Node(NodeId(4)));
        let offset = |x, y| To::Offset(vec![x, y]);
        let demands = [
            vec![message(Sender::Every, To::All, 2)],
            vec![message(Sender::Every, offset(1, 2), 1), message(Sender::Every, offset(0, 1), 2)],
            vec![message(one, To::Node(NodeId(0)), 3), message(one, To::Node(NodeId(5)), 0)],
            vec![message(one, To::Node(NodeId(3)), 1), message(other, To::Node(NodeId(3)), 2)],
            vec![message(one, To::All, 2), message(other, To::Node(NodeId(1)), 1), message(other, To::All, 1)],
            vec![message(Sender::Every, offset(1, 1), 2), message(one, To::All, 1), message(other, offset(0, 2), 3)],
        ];
        for messages in demands {
            let demand = Demand::new(&torus, messages);
            let wanted = Wanted::new(&torus, &demand);
            for (node, flit) in torus.node_ids().flat_map(|node| (0..demand.flits()).map(move |flit| (node, flit))) {
                let origin = demand.origin(FlitId(flit as u32));
                let wants = demand.wants(&torus, node, origin.node, origin.packet);
                let is_right = node == origin.node || wanted.by(node, FlitId(flit as u32)) == wants;
                assert!(is_right, "{node:?} {flit} of {:?}", demand.messages());
            }
        }
    }
}
