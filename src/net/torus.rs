//! A product of cycles: every port has a link, every node is like every other, distances split by axis.

use std::fmt;
use std::ops::Deref;

use super::{Network, NetworkError, NodeId, Port, Product, ShapeName};

/// A torus (or a cycle, its one-dimensional form), for constructions that need one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Torus(Network);

impl Torus {
    /// The torus with these sides.
    pub fn new(dims: &[u32]) -> Result<Self, NetworkError> {
        Network::new(ShapeName::Torus, dims).map(Self)
    }

    /// A topology as a torus, if it is one.
    pub fn of(topology: &Network) -> Option<Self> {
        topology.as_product().is_some_and(Product::is_closed).then(|| Self(topology.clone()))
    }

    /// The node at the other end of the link at `port`.
    pub fn neighbour(&self, node: NodeId, port: Port) -> NodeId {
        self.0.step(node, port).expect("every axis is a cycle")
    }
}

impl Deref for Torus {
    type Target = Network;

    fn deref(&self) -> &Network {
        &self.0
    }
}

impl fmt::Display for Torus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
