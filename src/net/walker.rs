//! One who goes from node to node and knows where he is without a division.

use super::{MAX_AXES, NodeId, Port, Topology, Way};

/// At a node, about to leave it by `to`.
#[derive(Clone, Debug)]
pub struct Walker {
    /// Where he is.
    pub node: NodeId,
    /// By which port he goes on.
    pub to: Port,
    coords: [u32; MAX_AXES],
}

impl Walker {
    /// At a node, about to leave it by a port.
    pub fn new(topology: &Topology, node: NodeId, to: Port) -> Self {
        let mut coords = [0; MAX_AXES];
        for (axis, x) in coords[..topology.axes()].iter_mut().enumerate() {
            *x = topology.coord(node, axis);
        }
        Self { node, to, coords }
    }

    /// Leaves the node; the port by which the next one is reached. None, and he stays, if there is no link.
    pub fn go(&mut self, topology: &Topology) -> Option<Port> {
        let axis = self.to.axis();
        let (side, stride) = (topology.side(axis), topology.stride(axis));
        let x = &mut self.coords[axis];
        let (is_end, beyond, next) = match self.to.way() {
            Way::Plus => (*x + 1 == side, 0, x.wrapping_add(1)),
            Way::Minus => (*x == 0, side - 1, x.wrapping_sub(1)),
        };
        if is_end && !topology.wraps(axis) {
            return None;
        }
        let next = if is_end { beyond } else { next };
        // modulo 2^32, in which the sum is right again
        self.node.0 = self.node.0.wrapping_add(next.wrapping_sub(*x).wrapping_mul(stride));
        *x = next;
        Some(self.to.opposite())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::net::Shape;

    #[test]
    fn he_comes_to_the_neighbour_and_back() {
        for (shape, dims) in [(Shape::Torus, &[2, 3, 4][..]), (Shape::Mesh, &[3, 2, 5]), (Shape::Path, &[7])] {
            let topology = Topology::new(shape, dims).unwrap();
            for (node, port) in topology.node_ids().flat_map(|node| topology.port_ids().map(move |port| (node, port))) {
                let mut walker = Walker::new(&topology, node, port);
                let arrived = walker.go(&topology);
                assert_eq!(arrived, topology.neighbour(node, port).map(|_| port.opposite()));
                let Some(back) = arrived else { continue };
                assert_eq!(Some(walker.node), topology.neighbour(node, port));
                walker.to = back;
                assert_eq!((walker.go(&topology), walker.node), (Some(port), node));
            }
        }
    }
}
