//! A network whose distances split by axis: closed forms hold for it.

use super::network::AxisEnd;
use super::{Network, NodeId};

/// A product of cycles and paths, nothing dead.
#[derive(Clone, Copy, Debug)]
pub struct Product<'a>(&'a Network);

impl Network {
    /// The network as a product of cycles and paths, if it is one.
    pub fn as_product(&self) -> Option<Product<'_>> {
        let is_line = |axis: usize| matches!(self.end(axis), AxisEnd::Open | AxisEnd::Wraps) && self.side(axis) > 1;
        (self.dead().is_none() && self.lattice().is_diagonal() && (0..self.axes()).all(is_line))
            .then_some(Product(self))
    }

    /// Returns true if the network is a product of cycles: every link is there, all nodes are alike, distances split by
    /// axis.
    pub fn is_product_of_cycles(&self) -> bool {
        self.as_product().is_some_and(Product::is_closed)
    }

    /// Returns true if the network is a product of cycles or a product of paths: a torus, mesh, cycle or path.
    pub fn is_grid(&self) -> bool {
        self.as_product().is_some_and(|product| product.is_closed() || product.is_open())
    }

    /// Returns true if a link leads over the end of some axis of the box of coordinates.
    pub fn crosses_border(&self) -> bool {
        (0..self.axes()).any(|axis| matches!(self.end(axis), AxisEnd::Wraps | AxisEnd::Twisted))
    }
}

impl<'a> Product<'a> {
    /// Network that is the product.
    pub fn network(self) -> &'a Network {
        self.0
    }

    /// Returns true if an axis (0-based) is a cycle, not a path.
    pub fn wraps(self, axis: usize) -> bool {
        self.0.end(axis) == AxisEnd::Wraps
    }

    /// Returns true if every axis is a cycle.
    pub fn is_closed(self) -> bool {
        (0..self.0.axes()).all(|axis| self.wraps(axis))
    }

    /// Returns true if every axis is a path.
    pub fn is_open(self) -> bool {
        !(0..self.0.axes()).any(|axis| self.wraps(axis))
    }

    /// Distance of two nodes along an axis (0-based).
    pub fn apart(self, axis: usize, one: NodeId, other: NodeId) -> u32 {
        let apart = self.0.coord(one, axis).abs_diff(self.0.coord(other, axis));
        if self.wraps(axis) { apart.min(self.0.side(axis) - apart) } else { apart }
    }
}
