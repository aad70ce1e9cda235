//! A torus whose axes are read in another order, so that a construction's x1, x2, ... fit its sides.

use crate::net::{NodeId, Port, Torus};

/// The construction's axis k is the torus's axis `order[k]`.
#[derive(Clone, Debug)]
pub struct Axes<'a> {
    torus: &'a Torus,
    order: Vec<usize>,
}

impl<'a> Axes<'a> {
    /// Reads the axes of a torus in an order.
    pub fn new(torus: &'a Torus, order: Vec<usize>) -> Self {
        assert_eq!(order.len(), torus.axes(), "an order names every axis");
        Self { torus, order }
    }

    /// The torus itself.
    pub fn torus(&self) -> &'a Torus {
        self.torus
    }

    /// The number of axes.
    pub fn count(&self) -> usize {
        self.order.len()
    }

    /// The side along the construction's axis.
    pub fn side(&self, axis: usize) -> u32 {
        self.torus.side(self.order[axis])
    }

    /// The port towards larger coordinates of the construction's axis.
    pub fn plus(&self, axis: usize) -> Port {
        Port::plus(self.order[axis])
    }

    /// The port towards smaller coordinates of the construction's axis.
    pub fn minus(&self, axis: usize) -> Port {
        Port::minus(self.order[axis])
    }

    /// The node at `x1` along the construction's first axis and 0 along the others.
    pub fn on_first(&self, x1: u32) -> NodeId {
        let mut coords = vec![0; self.count()];
        coords[self.order[0]] = x1;
        self.torus.node(&coords)
    }
}

/// Every order of `count` axes, lexicographically; the identity is the first.
pub fn orders(count: usize) -> Vec<Vec<usize>> {
    let mut orders = vec![Vec::new()];
    for _ in 0..count {
        let extended = orders.iter().flat_map(|order| {
            (0..count).filter(|axis| !order.contains(axis)).map(|axis| {
                let mut longer: Vec<usize> = order.clone();
                longer.push(axis);
                longer
            })
        });
        orders = extended.collect();
    }
    orders
}
