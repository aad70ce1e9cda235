//! A topology whose axes all wrap: no port looks out of the grid, every node is like every other.

use std::fmt;
use std::ops::Deref;

use super::{NodeId, Port, Shape, Topology, TopologyError};

/// A torus (or a cycle, its one-dimensional form), for constructions that need one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Torus(Topology);

impl Torus {
    /// The torus with these sides.
    pub fn new(dims: &[u32]) -> Result<Self, TopologyError> {
        Topology::new(Shape::Torus, dims).map(Self)
    }

    /// A topology as a torus, if it is one.
    pub fn of(topology: &Topology) -> Option<Self> {
        topology.is_torus().then(|| Self(topology.clone()))
    }

    /// The node at the other end of the link at `port`.
    pub fn neighbour(&self, node: NodeId, port: Port) -> NodeId {
        self.0.around(node, port)
    }
}

impl Deref for Torus {
    type Target = Topology;

    fn deref(&self) -> &Topology {
        &self.0
    }
}

impl fmt::Display for Torus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
