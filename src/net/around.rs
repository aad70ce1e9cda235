//! A network as seen from a root: how far away a node is.
//!
//! Closed forms where distances split by axis, else one breadth-first search.

use std::sync::Arc;

use super::{AxisDirection, Network, NodeId, Port, Product};

/// A network and a node of it from which all else is seen.
#[derive(Clone, Debug)]
pub struct Around<'a> {
    topology: &'a Network,
    root: NodeId,
    /// distances by node, where they do not split by axis
    found: Option<Arc<[u32]>>,
}

/// Distance of a dead node.
const NEVER: u32 = u32::MAX;

impl<'a> Around<'a> {
    /// The network as seen from `root`.
    pub fn new(topology: &'a Network, root: NodeId) -> Self {
        let found = if topology.as_product().is_some() { None } else { Some(search(topology, root)) };
        Self { topology, root, found }
    }

    /// Network that is looked at.
    pub fn topology(&self) -> &'a Network {
        self.topology
    }

    /// The node that all else is seen from.
    pub fn root(&self) -> NodeId {
        self.root
    }

    fn product(&self) -> Product<'a> {
        self.topology.as_product().expect("whoever asks for one axis has asked for a product of cycles and paths")
    }

    /// Difference of coordinates along an axis, modulo the side.
    pub fn along(&self, node: NodeId, axis: usize) -> u32 {
        let side = self.topology.side(axis);
        (self.topology.coord(node, axis) + side - self.topology.coord(self.root, axis)) % side
    }

    /// Signed distance along an axis of a product: the shorter way round, and upwards if both are as long.
    pub fn offset(&self, node: NodeId, axis: usize) -> i32 {
        let (there, side) = (self.along(node, axis) as i32, self.topology.side(axis) as i32);
        if self.product().wraps(axis) {
            if 2 * there <= side { there } else { there - side }
        } else {
            self.topology.coord(node, axis) as i32 - self.topology.coord(self.root, axis) as i32
        }
    }

    /// Signed distances along all axes.
    pub fn offsets(&self, node: NodeId) -> Vec<i32> {
        (0..self.topology.axes()).map(|axis| self.offset(node, axis)).collect()
    }

    /// The links of a shortest way.
    pub fn distance(&self, node: NodeId) -> u32 {
        match &self.found {
            Some(found) => found[node.index()],
            None => (0..self.topology.axes()).map(|axis| self.offset(node, axis).unsigned_abs()).sum(),
        }
    }

    /// The distance of the farthest node.
    pub fn depth(&self) -> u32 {
        if let Some(found) = &self.found {
            return found.iter().copied().filter(|&distance| distance != NEVER).max().unwrap_or(0);
        }
        let (topology, product) = (self.topology, self.product());
        let far = |axis: usize| {
            let (at, side) = (topology.coord(self.root, axis), topology.side(axis));
            if product.wraps(axis) { side / 2 } else { at.max(side - 1 - at) }
        };
        (0..topology.axes()).map(far).sum()
    }

    /// The links of shortest ways to all nodes together.
    pub fn hops(&self) -> u64 {
        if let Some(found) = &self.found {
            return found.iter().filter(|&&distance| distance != NEVER).map(|&distance| u64::from(distance)).sum();
        }
        let (topology, product) = (self.topology, self.product());
        let along = |axis: usize| {
            let (at, side) = (topology.coord(self.root, axis), topology.side(axis));
            let (at, side) = (u64::from(at), u64::from(side));
            let one_way = |links: u64| links * (links + 1) / 2;
            let hops = if product.wraps(axis) { side * side / 4 } else { one_way(at) + one_way(side - 1 - at) };
            u64::from(topology.nodes()) / side * hops
        };
        (0..topology.axes()).map(along).sum()
    }

    /// The node so far up every axis, modulo the sides.
    pub fn node(&self, along: &[i32]) -> NodeId {
        let coordinate = |(axis, &x): (usize, &i32)| {
            let at = self.topology.coord(self.root, axis) as i32;
            (at + x).rem_euclid(self.topology.side(axis) as i32).unsigned_abs()
        };
        self.topology.node(&along.iter().enumerate().map(coordinate).collect::<Vec<_>>())
    }
}

/// Distances of all nodes from a root by breadth-first search.
fn search(topology: &Network, root: NodeId) -> Arc<[u32]> {
    let mut distances = vec![NEVER; topology.nodes() as usize];
    distances[root.index()] = 0;
    let mut queue = std::collections::VecDeque::from([root]);
    while let Some(node) = queue.pop_front() {
        for there in topology.port_ids().filter_map(|port| topology.step(node, port)) {
            if distances[there.index()] == NEVER {
                distances[there.index()] = distances[node.index()] + 1;
                queue.push_back(there);
            }
        }
    }
    distances.into()
}

/// The port that looks along `axis` the way a number points.
pub fn towards(axis: usize, way: i32) -> Port {
    Port::new(axis, if way > 0 { AxisDirection::Plus } else { AxisDirection::Minus })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::net::ShapeName;

    #[test]
    fn a_node_is_found_again_by_its_offsets() {
        for (shape, dims) in
            [(ShapeName::Torus, &[4, 5][..]), (ShapeName::Torus, &[2, 3, 4]), (ShapeName::Mesh, &[4, 3])]
        {
            let topology = Network::new(shape, dims).unwrap();
            for root in topology.node_ids() {
                let around = Around::new(&topology, root);
                assert!(topology.node_ids().all(|node| around.node(&around.offsets(node)) == node));
                let distances = || topology.node_ids().map(|node| around.distance(node));
                assert_eq!(distances().max(), Some(around.depth()));
                assert_eq!(distances().map(u64::from).sum::<u64>(), around.hops());
            }
        }
    }

    #[test]
    fn the_short_way_is_up_where_both_are_as_long() {
        let torus = Network::new(ShapeName::Torus, &[4]).unwrap();
        let around = Around::new(&torus, NodeId(3));
        assert_eq!([0, 1, 2, 3].map(|node| around.offset(NodeId(node), 0)), [1, 2, -1, 0]);
    }
}
