//! Spanning tree of a network from a root: shortest ways, found breadth first.

use super::{Network, NodeId, Port};

/// Tree of shortest ways from a root to every node.
pub struct SpanningTree {
    /// port of each node that leads to its parent; none at the root
    parent: Vec<Option<Port>>,
    /// nodes in the order in which they were found, the root first
    order: Vec<NodeId>,
}

impl SpanningTree {
    /// Finds the tree; where several ways are as short, the parent that was found first and its first port count.
    pub fn new(network: &Network, root: NodeId) -> Self {
        let mut parent = vec![None; network.nodes() as usize];
        let mut order = vec![root];
        let mut next = 0;
        while let Some(&node) = order.get(next) {
            next += 1;
            for port in network.port_ids() {
                let Some(there) = network.step(node, port) else { continue };
                if there != root && parent[there.index()].is_none() {
                    parent[there.index()] = Some(port.opposite());
                    order.push(there);
                }
            }
        }
        Self { parent, order }
    }

    /// Port of a node that leads to its parent; none at the root.
    pub fn parent(&self, node: NodeId) -> Option<Port> {
        self.parent[node.index()]
    }

    /// Nodes that the root reaches, each behind its parent.
    pub fn order(&self) -> &[NodeId] {
        &self.order
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::net::{Around, ShapeName};

    #[test]
    fn every_node_is_as_far_in_the_tree_as_in_the_network() {
        for (shape, sides) in [
            (ShapeName::Torus, &[4, 5][..]),
            (ShapeName::Torus, &[2, 3, 4]),
            (ShapeName::Mesh, &[3, 4]),
            (ShapeName::Path, &[6]),
        ] {
            let network = Network::new(shape, sides).unwrap();
            let root = NodeId(0);
            let (tree, around) = (SpanningTree::new(&network, root), Around::new(&network, root));
            let mut far = vec![None; network.nodes() as usize];
            for &node in tree.order() {
                let parent = tree.parent(node).map(|port| network.step(node, port).unwrap());
                far[node.index()] = Some(parent.map_or(0, |parent| 1 + far[parent.index()].expect("found before")));
                assert_eq!(far[node.index()], Some(around.distance(node)), "{}", network.describe());
            }
            assert!(far.iter().all(Option::is_some) && tree.parent(root).is_none());
        }
    }
}
