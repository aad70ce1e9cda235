//! All nodes in order, each with its neighbours, without a division per port.

use super::network::AxisEnd;
use super::{AxisDirection, Network, NodeId, Port};

/// No node: the port has no link.
pub const OUTSIDE: NodeId = NodeId(u32::MAX);

impl Network {
    /// Calls `visit` for every node of some in order, with the neighbour at each of its ports, or [`OUTSIDE`].
    pub fn sweep(&self, nodes: std::ops::Range<u32>, mut visit: impl FnMut(NodeId, &[NodeId])) {
        let mut coords = self.coords(NodeId(nodes.start));
        let mut neighbours = vec![OUTSIDE; self.ports()];
        for node in nodes {
            for (axis, (pair, &x)) in neighbours.chunks_exact_mut(2).zip(&coords).enumerate() {
                let (side, stride) = (self.side(axis), self.stride(axis));
                let around = (side - 1) * stride;
                let end = |is_end: bool, way: AxisDirection, beyond: u32, next: u32| match (is_end, self.end(axis)) {
                    (false, _) => NodeId(next),
                    (true, AxisEnd::Wraps) => NodeId(beyond),
                    (true, AxisEnd::Open | AxisEnd::Loop) => OUTSIDE,
                    (true, AxisEnd::Twisted) => self.over_end(NodeId(node), Port::new(axis, way)).unwrap_or(OUTSIDE),
                };
                let (back, on) = (AxisDirection::Minus, AxisDirection::Plus);
                pair[back as usize] = end(x == 0, back, node.wrapping_add(around), node.wrapping_sub(stride));
                pair[on as usize] = end(x + 1 == side, on, node.wrapping_sub(around), node.wrapping_add(stride));
            }
            if self.dead().is_some() {
                for (port, there) in neighbours.iter_mut().enumerate() {
                    if self.is_dead(NodeId(node), Port::from_index(port)) {
                        *there = OUTSIDE;
                    }
                }
            }
            visit(NodeId(node), &neighbours);
            for (x, &side) in coords.iter_mut().zip(self.dims()).rev() {
                *x += 1;
                if *x < side {
                    break;
                }
                *x = 0;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::net::{Port, ShapeName};

    #[test]
    fn a_sweep_meets_every_node_with_its_neighbours() {
        for (shape, dims) in
            [(ShapeName::Torus, &[2, 3, 4][..]), (ShapeName::Mesh, &[3, 2, 5]), (ShapeName::Path, &[7])]
        {
            let topology = Network::new(shape, dims).unwrap();
            for first in [0, 5] {
                let mut met = Vec::new();
                topology.sweep(first..topology.nodes(), |node, neighbours| {
                    let expected = topology.port_ids().map(|port| topology.step(node, port).unwrap_or(OUTSIDE));
                    assert!(neighbours.iter().copied().eq(expected), "{shape} {topology}, node {}", node.0);
                    met.push(node.0);
                });
                assert!(met.into_iter().eq(first..topology.nodes()));
            }
        }
        assert_eq!(Port::minus(0).index(), AxisDirection::Minus as usize, "pairs are in port order");
    }
}
