//! Edge-disjoint directed cycles through a torus, with places: valid once built.

use thiserror::Error;

use crate::net::{NodeId, Port, Topology, Walker};

/// A closed walk as a construction describes it: where it starts, and the port taken out of each node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Walk {
    /// The node at place 0.
    pub start: NodeId,
    /// One output port a move; the last move leads back to `start`.
    pub moves: Vec<Port>,
}

/// Why walks are not a cover. A construction that yields one has a bug.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum CoverError {
    /// The walk does not end where it began.
    #[error("cycle {cycle} starts at node {start} and ends at node {end}", start = .start.0, end = .end.0)]
    Open {
        /// Index of the walk in the list.
        cycle: usize,
        /// First node of the walk.
        start: NodeId,
        /// Last node of the walk.
        end: NodeId,
    },
    /// The walk leaves the grid.
    #[error("cycle {cycle} leaves the grid by port {port} of node {node}", node = .node.0)]
    Outside {
        /// Index of the walk in the list.
        cycle: usize,
        /// The node it is at.
        node: NodeId,
        /// The port it wants to leave by.
        port: Port,
    },
    /// The walk visits a node twice.
    #[error("cycle {cycle} visits node {node} twice", node = .node.0)]
    Revisit {
        /// Index of the walk in the list.
        cycle: usize,
        /// Number of the node.
        node: NodeId,
    },
    /// Two moves use one link.
    #[error("cycles {first} and {second} share the link at port {port} of node {node}", node = .node.0)]
    SharedLink {
        /// The cycle that had the link.
        first: u8,
        /// The cycle that wants it too.
        second: usize,
        /// The link's one end.
        node: NodeId,
        /// The link's port there.
        port: Port,
    },
}

/// Position of a node on a cycle, and the two ports by which the cycle passes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Visit {
    /// Position on the cycle, counted in places.
    pub place: u32,
    /// The port the cycle comes in by.
    pub from: Port,
    /// The port the cycle goes out by.
    pub to: Port,
    /// A double node counts as two consecutive places and injects two packets (section 3.2).
    pub double: bool,
}

const OFF: u32 = u32::MAX;
const NO_CYCLE: u8 = u8::MAX;

/// Edge-disjoint directed cycles of one network.
#[derive(Clone, Debug)]
pub struct Cover {
    topology: Topology,
    starts: Vec<NodeId>,
    lengths: Vec<u32>,
    /// place of node on cycle, at `cycle * nodes + node`
    places: Vec<u32>,
    /// the cycle that owns the link at a port, at `topology.register(node, port)`, in either direction
    owners: Vec<u8>,
    /// true if the owner leaves by that port
    leaves: bitvec::vec::BitVec,
    doubles: bitvec::vec::BitVec,
}

impl Cover {
    /// Walks every cycle and checks that each is closed, visits no node twice and shares no link.
    /// `double` names the nodes that count as two places.
    pub fn new(topology: &Topology, walks: &[Walk], double: impl Fn(NodeId) -> bool) -> Result<Self, CoverError> {
        let nodes = topology.nodes() as usize;
        let links = nodes * topology.ports();
        let mut cover = Self {
            topology: topology.clone(),
            starts: walks.iter().map(|walk| walk.start).collect(),
            lengths: Vec::with_capacity(walks.len()),
            places: vec![OFF; walks.len() * nodes],
            owners: vec![NO_CYCLE; links],
            leaves: bitvec::vec::BitVec::repeat(false, links),
            doubles: topology.node_ids().map(double).collect(),
        };
        for (cycle, walk) in walks.iter().enumerate() {
            cover.lay(cycle, walk)?;
        }
        Ok(cover)
    }

    fn lay(&mut self, cycle: usize, walk: &Walk) -> Result<(), CoverError> {
        let nodes = self.topology.nodes() as usize;
        let Some(&first) = walk.moves.first() else {
            self.lengths.push(0);
            return Ok(());
        };
        let mut walker = Walker::new(&self.topology, walk.start, first);
        let mut place = 0;
        for &port in &walk.moves {
            let at = walker.node;
            let slot = &mut self.places[cycle * nodes + at.index()];
            if *slot != OFF {
                return Err(CoverError::Revisit { cycle, node: at });
            }
            *slot = place;
            place += 1 + u32::from(self.doubles[at.index()]);
            walker.to = port;
            let from = walker.go(&self.topology).ok_or(CoverError::Outside { cycle, node: at, port })?;
            let here = self.topology.register(at, port);
            let there = self.topology.register(walker.node, from);
            if self.owners[here] != NO_CYCLE {
                return Err(CoverError::SharedLink { first: self.owners[here], second: cycle, node: at, port });
            }
            self.owners[here] = cycle as u8;
            self.owners[there] = cycle as u8;
            self.leaves.set(here, true);
        }
        if walker.node != walk.start {
            return Err(CoverError::Open { cycle, start: walk.start, end: walker.node });
        }
        self.lengths.push(place);
        Ok(())
    }

    /// The network the cycles run through.
    pub fn topology(&self) -> &Topology {
        &self.topology
    }

    /// Number of cycles in the cover.
    pub fn cycles(&self) -> usize {
        self.starts.len()
    }

    /// The length of a cycle in places (a double node counts twice).
    pub fn length(&self, cycle: usize) -> u32 {
        self.lengths[cycle]
    }

    /// The node at place 0 of a cycle.
    pub fn start(&self, cycle: usize) -> NodeId {
        self.starts[cycle]
    }

    /// Returns true if every cycle passes every node, so that nobody has to be supplied.
    pub fn passes_every_node(&self) -> bool {
        self.places.iter().all(|&place| place != OFF)
    }

    /// The place of a node on a cycle, if it lies on it.
    pub fn place(&self, cycle: usize, node: NodeId) -> Option<u32> {
        let place = self.places[cycle * self.topology.nodes() as usize + node.index()];
        (place != OFF).then_some(place)
    }

    /// Returns true if a node counts as two places on its cycle.
    pub fn is_double(&self, node: NodeId) -> bool {
        self.doubles[node.index()]
    }

    /// The place at which a node stands as a supporter: of a double node the later one.
    pub fn standing(&self, cycle: usize, node: NodeId) -> Option<u32> {
        self.place(cycle, node).map(|place| place + u32::from(self.is_double(node)))
    }

    /// The node at each place of a cycle; a double node is at two.
    pub fn residents(&self, cycle: usize) -> Vec<NodeId> {
        let mut residents = vec![self.starts[cycle]; self.lengths[cycle] as usize];
        for node in self.topology.node_ids() {
            if let Some(place) = self.place(cycle, node) {
                residents[place as usize..][..=usize::from(self.is_double(node))].fill(node);
            }
        }
        residents
    }

    /// The cycle that owns the link at a port, in either direction.
    pub fn owner(&self, node: NodeId, port: Port) -> Option<usize> {
        let owner = self.owners[self.topology.register(node, port)];
        (owner != NO_CYCLE).then_some(owner as usize)
    }

    /// Returns true if the owner of the link at `port` leaves the node by it (rather than comes in).
    pub fn leaves(&self, node: NodeId, port: Port) -> bool {
        self.leaves[self.topology.register(node, port)]
    }

    /// Returns the visit of a cycle at a node, or `None` if the node does not lie on it.
    pub fn visit(&self, cycle: usize, node: NodeId) -> Option<Visit> {
        let place = self.place(cycle, node)?;
        let mine = |leaves: bool| {
            self.topology
                .port_ids()
                .find(|&port| self.owner(node, port) == Some(cycle) && self.leaves(node, port) == leaves)
        };
        Some(Visit { place, from: mine(false)?, to: mine(true)?, double: self.is_double(node) })
    }

    /// The nodes of a cycle in order, with the port taken out of each.
    pub fn nodes(&self, cycle: usize) -> impl Iterator<Item = (NodeId, Port)> + '_ {
        let mut next = Some(self.starts[cycle]);
        std::iter::from_fn(move || {
            let node = next?;
            let to = self.visit(cycle, node)?.to;
            let there = self.topology.step(node, to)?;
            next = (there != self.starts[cycle]).then_some(there);
            Some((node, to))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::net::Torus;

    fn ring() -> (Torus, Walk) {
        let topology = Torus::new(&[3, 4]).unwrap();
        let walk = Walk { start: topology.node(&[1, 2]), moves: vec![Port::plus(1); 4] };
        (topology, walk)
    }

    #[test]
    fn a_row_is_a_cycle_with_places() {
        let (topology, walk) = ring();
        let cover = Cover::new(&topology, &[walk], |node| node == topology.node(&[1, 3])).unwrap();
        assert_eq!(cover.length(0), 5);
        let places: Vec<_> = cover.nodes(0).map(|(node, _)| cover.place(0, node).unwrap()).collect();
        assert_eq!(places, [0, 1, 3, 4]);
        assert_eq!(
            cover.residents(0),
            [2, 3, 3, 0, 1].map(|x2| topology.node(&[1, x2])),
            "a double node has two places"
        );
        assert_eq!(cover.standing(0, topology.node(&[1, 3])), Some(2));
        assert_eq!(cover.place(0, topology.node(&[0, 0])), None);
        assert!(!cover.passes_every_node());
        let visit = cover.visit(0, topology.node(&[1, 0])).unwrap();
        assert_eq!((visit.from, visit.to, visit.double), (Port::minus(1), Port::plus(1), false));
    }

    #[test]
    fn bad_walks_are_refused() {
        let (topology, walk) = ring();
        let open = Walk { moves: vec![Port::plus(1); 3], ..walk.clone() };
        assert!(matches!(Cover::new(&topology, &[open], |_| false), Err(CoverError::Open { .. })));
        let twice = Walk { moves: vec![Port::plus(1); 8], ..walk.clone() };
        assert!(matches!(Cover::new(&topology, &[twice], |_| false), Err(CoverError::Revisit { .. })));
        let both = [walk.clone(), walk];
        assert!(matches!(Cover::new(&topology, &both, |_| false), Err(CoverError::SharedLink { .. })));
    }
}
