//! Flits per pair of nodes, in an exchange whose messages have lengths of their own.

use super::{Demand, Message, Sender, To};
use crate::net::{NodeId, Topology};

/// Number of flits from each node to each other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pairs {
    nodes: usize,
    /// Row by row: a row has what one node sends.
    flits: Vec<u32>,
}

impl Pairs {
    /// Largest number of nodes: there are as many numbers as pairs.
    pub const MOST_NODES: u32 = 1 << 10;

    /// Takes a row per node. Nodes send nothing to themselves, and dead nodes neither send nor receive.
    ///
    /// # Panics
    ///
    /// Panics unless there are as many rows as nodes, each with as many entries.
    pub fn new(topology: &Topology, rows: &[Vec<u32>]) -> Self {
        let nodes = topology.nodes() as usize;
        assert!(rows.len() == nodes && rows.iter().all(|row| row.len() == nodes), "a length per pair of nodes");
        let mut pairs = Self { nodes, flits: rows.concat() };
        for (from, to) in topology.node_ids().flat_map(|from| topology.node_ids().map(move |to| (from, to))) {
            if from == to || !topology.is_live(from) || !topology.is_live(to) {
                pairs.flits[from.index() * nodes + to.index()] = 0;
            }
        }
        pairs
    }

    /// Gives every pair of nodes as many flits.
    pub fn alike(topology: &Topology, flits: u32) -> Self {
        let nodes = topology.nodes() as usize;
        Self::new(topology, &vec![vec![flits; nodes]; nodes])
    }

    /// Counts the flits of a demand; `None` unless each of its messages has one sender and one receiver, and nodes are not too
    /// many.
    pub fn of(topology: &Topology, demand: &Demand) -> Option<Self> {
        if topology.nodes() > Self::MOST_NODES {
            return None;
        }
        let nodes = topology.nodes() as usize;
        let mut pairs = Self { nodes, flits: vec![0; nodes * nodes] };
        for message in demand.messages() {
            let (Sender::Node(from), To::Node(to)) = (message.from, &message.to) else { return None };
            if from != *to {
                let flits = &mut pairs.flits[from.index() * nodes + to.index()];
                *flits = flits.saturating_add(message.flits);
            }
        }
        Some(pairs)
    }

    /// Number of flits from one node to another.
    pub fn flits(&self, from: NodeId, to: NodeId) -> u32 {
        self.flits[from.index() * self.nodes + to.index()]
    }

    /// Number of flits from a node to each node.
    pub fn sent(&self, from: NodeId) -> &[u32] {
        &self.flits[from.index() * self.nodes..][..self.nodes]
    }

    /// Number of flits to a node from each node.
    pub fn received(&self, to: NodeId) -> Vec<u32> {
        self.flits.iter().skip(to.index()).step_by(self.nodes).copied().collect()
    }

    /// Copies the lengths, each divided and rounded up.
    #[must_use]
    pub fn divided(&self, divisor: u32) -> Self {
        Self { nodes: self.nodes, flits: self.flits.iter().map(|flits| flits.div_ceil(divisor)).collect() }
    }

    /// Number of flits of all pairs together.
    pub fn total(&self) -> u64 {
        self.flits.iter().map(|&flits| u64::from(flits)).sum()
    }

    /// Length of every message, if all have the same.
    pub fn common(&self, topology: &Topology) -> Option<u32> {
        let (first, second) = {
            let mut live = topology.live_ids();
            (live.next()?, live.next()?)
        };
        let common = self.flits(first, second);
        let live = || topology.live_ids();
        let are_alike = |from| live().all(|to| from == to || self.flits(from, to) == common);
        live().all(are_alike).then_some(common)
    }

    /// Returns true if nodes that a translation takes to each other send and receive as much.
    pub fn are_translated(&self, topology: &Topology) -> bool {
        let orbits = topology.orbits();
        topology.live_ids().all(|node| {
            let (by, orbit) = (orbits.by(node), orbits.of(node).expect("it is live"));
            let first = orbits.first()[orbit];
            let is_alike = |to: NodeId| self.flits(first, to) == self.flits(node, topology.translated(to, by));
            first == node || topology.live_ids().all(is_alike)
        })
    }

    /// Lists a message of one flit for each flit, sender after sender, receiver after receiver.
    pub fn messages(&self) -> Vec<Message> {
        let node = |index: usize| NodeId(index as u32);
        let entries = self.flits.iter().enumerate();
        let listed = entries.flat_map(|(index, &flits)| {
            let (from, to) = (node(index / self.nodes), node(index % self.nodes));
            std::iter::repeat_n(Message { from: Sender::Node(from), to: To::Node(to), flits: 1 }, flits as usize)
        });
        listed.collect()
    }

    /// Rows of numbers, with commas between them.
    pub fn csv(&self) -> String {
        let row = |row: &[u32]| row.iter().map(u32::to_string).collect::<Vec<_>>().join(",") + "\n";
        self.flits.chunks(self.nodes).map(row).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::net::{ShapeName, Torus};

    #[test]
    fn pairs_read_back_from_the_messages_that_they_list() {
        let torus = Torus::new(&[2, 3]).unwrap();
        let rows: Vec<Vec<u32>> = (0..6).map(|from| (0..6).map(|to| (from * 5 + to * 3) % 4).collect()).collect();
        let pairs = Pairs::new(&torus, &rows);
        let demand = Demand::new(&torus, pairs.messages());
        assert_eq!((Pairs::of(&torus, &demand), demand.flits()), (Some(pairs.clone()), pairs.total()));
        assert_eq!(pairs.sent(NodeId(1)), &[1, 0, 3, 2, 1, 0]);
        assert_eq!(pairs.received(NodeId(2)), [2, 3, 0, 1, 2, 3]);
        assert_eq!((pairs.common(&torus), demand.collective()), (None, "exchange"));
        assert_eq!(pairs.csv().lines().nth(1), Some("1,0,3,2,1,0"));
    }

    #[test]
    fn dead_nodes_neither_send_nor_receive() {
        let path = Topology::new(ShapeName::Cycle, &[4]).unwrap().without(&[NodeId(2)], &[]).unwrap();
        let pairs = Pairs::alike(&path, 3);
        assert_eq!((pairs.csv().as_str(), pairs.common(&path)), ("0,3,0,3\n3,0,0,3\n0,0,0,0\n3,3,0,0\n", Some(3)));
    }

    #[test]
    fn gossip_has_no_pairs() {
        let torus = Torus::new(&[2, 3]).unwrap();
        assert_eq!(Pairs::of(&torus, &Demand::gossip(&torus, 1)), None);
    }
}
