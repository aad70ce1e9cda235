//! One who goes from node to node and knows where he is without a division.

use super::network::AxisEnd;
use super::{AxisDirection, MAX_AXES, Network, NodeId, Port};

/// At a node, about to leave it by `to`.
#[derive(Clone, Debug)]
pub struct Walker {
    /// Node at which the cursor stands.
    pub node: NodeId,
    /// By which port he goes on.
    pub to: Port,
    coords: [u32; MAX_AXES],
}

impl Walker {
    /// At a node, about to leave it by a port.
    pub fn new(topology: &Network, node: NodeId, to: Port) -> Self {
        let mut coords = [0; MAX_AXES];
        for (axis, x) in coords[..topology.axes()].iter_mut().enumerate() {
            *x = topology.coord(node, axis);
        }
        Self { node, to, coords }
    }

    /// Leaves the node; the port by which the next one is reached. None, and he stays, if there is no link.
    pub fn go(&mut self, topology: &Network) -> Option<Port> {
        let axis = self.to.axis();
        let (side, stride) = (topology.side(axis), topology.stride(axis));
        let x = &mut self.coords[axis];
        let (is_end, beyond, next) = match self.to.way() {
            AxisDirection::Plus => (*x + 1 == side, 0, x.wrapping_add(1)),
            AxisDirection::Minus => (*x == 0, side - 1, x.wrapping_sub(1)),
        };
        if is_end {
            match topology.end(axis) {
                AxisEnd::Wraps => {}
                AxisEnd::Open | AxisEnd::Loop => return None,
                AxisEnd::Twisted => return self.go_twisted(topology),
            }
        }
        if topology.is_dead(self.node, self.to) {
            return None;
        }
        let next = if is_end { beyond } else { next };
        // modulo 2^32, in which the sum is right again
        self.node.0 = self.node.0.wrapping_add(next.wrapping_sub(*x).wrapping_mul(stride));
        *x = next;
        Some(self.to.opposite())
    }

    /// Goes over the end of an axis that the lattice joins to another place.
    fn go_twisted(&mut self, topology: &Network) -> Option<Port> {
        if topology.is_dead(self.node, self.to) {
            return None;
        }
        let mut point = [0; MAX_AXES];
        let point = &mut point[..topology.axes()];
        point.iter_mut().zip(&self.coords).for_each(|(x, &at)| *x = at.into());
        point[self.to.axis()] += if self.to.way() == AxisDirection::Plus { 1 } else { -1 };
        topology.lattice().reduce_near(point);
        self.node = NodeId(0);
        for (axis, (x, &at)) in self.coords.iter_mut().zip(&*point).enumerate() {
            *x = at.unsigned_abs() as u32;
            self.node.0 += *x * topology.stride(axis);
        }
        Some(self.to.opposite())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::net::ShapeName;

    #[test]
    fn cursor_moves_to_the_neighbour_and_back() {
        for (shape, dims) in
            [(ShapeName::Torus, &[2, 3, 4][..]), (ShapeName::Mesh, &[3, 2, 5]), (ShapeName::Path, &[7])]
        {
            let topology = Network::new(shape, dims).unwrap();
            for (node, port) in topology.node_ids().flat_map(|node| topology.port_ids().map(move |port| (node, port))) {
                let mut walker = Walker::new(&topology, node, port);
                let arrived = walker.go(&topology);
                assert_eq!(arrived, topology.step(node, port).map(|_| port.opposite()));
                let Some(back) = arrived else { continue };
                assert_eq!(Some(walker.node), topology.step(node, port));
                walker.to = back;
                assert_eq!((walker.go(&topology), walker.node), (Some(port), node));
            }
        }
    }
}
