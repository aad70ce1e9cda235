//! Extremes over all nodes: the fewest links, the longest shortest way.

use super::{Network, NodeId, OUTSIDE};

impl Network {
    /// The number of links of the node that has the fewest.
    pub fn fewest_links(&self) -> u32 {
        if let Some(product) = self.as_product() {
            return (0..self.axes()).map(|axis| if product.wraps(axis) { 2 } else { 1 }).sum();
        }
        let first = self.orbits().first().to_vec();
        first.into_iter().map(|node| self.linked_ports(node).count() as u32).min().unwrap_or(0)
    }

    /// The distance of the two nodes that are farthest apart.
    pub fn diameter(&self) -> u32 {
        if let Some(product) = self.as_product() {
            let across = |axis| if product.wraps(axis) { self.side(axis) / 2 } else { self.side(axis) - 1 };
            return (0..self.axes()).map(across).sum();
        }
        let mut neighbours = Vec::with_capacity(self.registers());
        self.sweep(0..self.nodes(), |_, there| neighbours.extend_from_slice(there));
        let mut search = Search { ports: self.ports(), neighbours, seen_from: vec![OUTSIDE; self.nodes() as usize] };
        self.orbits().first().iter().map(|&node| search.depth(node)).max().unwrap_or(0)
    }
}

/// Buffers of searches from one node after the other, without coordinates.
struct Search {
    ports: usize,
    neighbours: Vec<NodeId>,
    /// By node, the last node from which it was found.
    seen_from: Vec<NodeId>,
}

impl Search {
    /// Distance of the node that is farthest away.
    fn depth(&mut self, from: NodeId) -> u32 {
        let (mut layer, mut next) = (vec![from], Vec::new());
        self.seen_from[from.index()] = from;
        for depth in 0.. {
            for node in layer.drain(..) {
                for &there in &self.neighbours[node.index() * self.ports..][..self.ports] {
                    if there != OUTSIDE && self.seen_from[there.index()] != from {
                        self.seen_from[there.index()] = from;
                        next.push(there);
                    }
                }
            }
            if next.is_empty() {
                return depth;
            }
            std::mem::swap(&mut layer, &mut next);
        }
        unreachable!("a search ends when nothing is new")
    }
}

#[cfg(test)]
mod tests {
    use crate::net::{Around, NodeId, Port, Shape, Topology};

    #[test]
    fn diameters_are_the_largest_distances() {
        let lattice = Topology::of_lattice(&[vec![4, 2], vec![0, 6]]).unwrap();
        let torus = Topology::new(Shape::Torus, &[4, 5]).unwrap();
        let link = (NodeId(3), Port::plus(1));
        let networks = [
            lattice.clone(),
            lattice.without(&[NodeId(7)], &[link]).unwrap(),
            torus.clone().without(&[NodeId(0), NodeId(8)], &[link]).unwrap(),
            torus.with_open(&[0]).unwrap().without(&[NodeId(6)], &[]).unwrap(),
        ];
        for network in networks {
            let far = network.live_ids().map(|node| Around::new(&network, node).depth()).max();
            assert_eq!(Some(network.diameter()), far, "{}", network.describe());
        }
    }
}
