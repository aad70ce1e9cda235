//! A tree that spans a network and leads to one node: who passes what on to whom.

use std::collections::VecDeque;

use thiserror::Error;

use crate::net::{Around, NodeId, Port, Topology, towards};

/// Why parents are no tree.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum RootedError {
    /// Not one parent a node.
    #[error("{given} parents for {nodes} nodes")]
    Count {
        /// The parents given.
        given: usize,
        /// The nodes there are.
        nodes: u32,
    },
    /// Only the root has no parent.
    #[error("node {node} has no parent", node = .node.0)]
    Orphan {
        /// Number of the node.
        node: NodeId,
    },
    /// The root has one.
    #[error("node {node} is the root and has a parent", node = .node.0)]
    RootHasParent {
        /// Number of the node.
        node: NodeId,
    },
    /// A parent is not next to its child.
    #[error("node {node} is no neighbour of its parent {parent}", node = .node.0)]
    NoNeighbour {
        /// Number of the node.
        node: NodeId,
        /// The parent as given: it need not exist.
        parent: u32,
    },
    /// From a node the parents lead round in a ring.
    #[error("the parents of node {node} form a ring", node = .node.0)]
    Ring {
        /// A node of the ring.
        node: NodeId,
    },
}

/// A spanning tree towards a root.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rooted {
    topology: Topology,
    root: NodeId,
    /// the port that looks to the parent
    up: Vec<Option<Port>>,
    depths: Vec<u32>,
}

impl Rooted {
    /// The network as one path away from the root: a ring all the way round, or a line from one end. None on others.
    pub fn path(topology: &Topology, root: NodeId) -> Option<Self> {
        let up = way_back(topology, root)?;
        let up = topology.node_ids().map(|node| (node != root).then_some(up)).collect();
        Some(Self::grown(topology, root, up).expect("a path is a tree"))
    }

    /// Returns true if there is such a path; no tree is laid out.
    pub fn has_path(topology: &Topology, root: NodeId) -> bool {
        way_back(topology, root).is_some()
    }

    /// A breadth-first tree: a node's parent is one step back along the last axis on which it is not level with the root.
    pub fn breadth_first(topology: &Topology, root: NodeId) -> Self {
        let around = Around::new(topology, root);
        let up = |node| {
            let offset = |axis| (axis, around.offset(node, axis));
            let (axis, way) = (0..topology.axes()).rev().map(offset).find(|&(_, x)| x != 0)?;
            Some(towards(axis, -way))
        };
        Self::grown(topology, root, topology.node_ids().map(up).collect()).expect("distances shrink towards the root")
    }

    /// The tree of these parents, one per node; the root has none, or itself.
    pub fn of_parents(topology: &Topology, root: NodeId, parents: &[Option<u32>]) -> Result<Self, RootedError> {
        if parents.len() != topology.nodes() as usize {
            return Err(RootedError::Count { given: parents.len(), nodes: topology.nodes() });
        }
        let port = |(node, &parent): (NodeId, &Option<u32>)| match parent {
            _ if node == root && parent.is_none_or(|parent| parent == root.0) => Ok(None),
            _ if node == root => Err(RootedError::RootHasParent { node }),
            None => Err(RootedError::Orphan { node }),
            Some(parent) => {
                let mut ports = topology.linked_ports(node);
                let port = ports.find(|&port| topology.step(node, port) == Some(NodeId(parent)));
                port.map(Some).ok_or(RootedError::NoNeighbour { node, parent })
            }
        };
        let up = topology.node_ids().zip(parents).map(port).collect::<Result<_, _>>()?;
        Self::grown(topology, root, up)
    }

    fn grown(topology: &Topology, root: NodeId, up: Vec<Option<Port>>) -> Result<Self, RootedError> {
        let mut tree = Self { topology: topology.clone(), root, up, depths: vec![u32::MAX; topology.nodes() as usize] };
        tree.depths[root.index()] = 0;
        let mut reached = VecDeque::from([root]);
        while let Some(node) = reached.pop_front() {
            for child in tree.children(node) {
                tree.depths[child.index()] = tree.depths[node.index()] + 1;
                reached.push_back(child);
            }
        }
        match topology.node_ids().find(|node| tree.depths[node.index()] == u32::MAX) {
            Some(node) => Err(RootedError::Ring { node: tree.on_ring(node) }),
            None => Ok(tree),
        }
    }

    /// A node of the ring that a node's parents lead into.
    fn on_ring(&self, mut node: NodeId) -> NodeId {
        for _ in 0..self.topology.nodes() {
            node = self.parent(node).unwrap_or(node);
        }
        node
    }

    /// Network that the tree spans.
    pub fn topology(&self) -> &Topology {
        &self.topology
    }

    /// Root that the tree leads to.
    pub fn root(&self) -> NodeId {
        self.root
    }

    /// The port towards the root; none at the root.
    pub fn up(&self, node: NodeId) -> Option<Port> {
        self.up[node.index()]
    }

    /// The next node towards the root.
    pub fn parent(&self, node: NodeId) -> Option<NodeId> {
        self.topology.step(node, self.up(node)?)
    }

    /// The ports that look to children, with the children, in the order of their numbers.
    pub fn downs(&self, node: NodeId) -> Vec<(NodeId, Port)> {
        let child = |port: Port| {
            let there = self.topology.step(node, port)?;
            (self.up[there.index()] == Some(port.opposite())).then_some((there, port))
        };
        let mut downs: Vec<_> = self.topology.port_ids().filter_map(child).collect();
        downs.sort_unstable();
        downs
    }

    /// The children, in the order of their numbers.
    pub fn children(&self, node: NodeId) -> Vec<NodeId> {
        self.downs(node).into_iter().map(|(child, _)| child).collect()
    }

    /// Distance to the root in links.
    pub fn depth(&self, node: NodeId) -> u32 {
        self.depths[node.index()]
    }

    /// The depth of the deepest node.
    pub fn height(&self) -> u32 {
        self.depths.iter().copied().max().unwrap_or(0)
    }

    /// Returns true if no node has two children.
    pub fn is_path(&self) -> bool {
        self.height() + 1 == self.topology.nodes()
    }

    /// All nodes, parents before their children.
    pub fn outwards(&self) -> Vec<NodeId> {
        let mut nodes: Vec<NodeId> = self.topology.node_ids().collect();
        nodes.sort_by_key(|&node| self.depth(node));
        nodes
    }

    /// The nodes as the papers name them, P0, P1, ...: along a path from the root; else the root, then the others by number.
    pub fn named(&self) -> Vec<NodeId> {
        if self.is_path() {
            return self.outwards();
        }
        let others = self.topology.node_ids().filter(|&node| node != self.root);
        std::iter::once(self.root).chain(others).collect()
    }
}

/// The port that looks to the root along a path through all nodes, if the network is one.
fn way_back(topology: &Topology, root: NodeId) -> Option<Port> {
    let last = NodeId(topology.nodes() - 1);
    match () {
        () if topology.axes() > 1 => None,
        () if topology.has_every_link() || root == NodeId(0) => Some(Port::minus(0)),
        () if root == last => Some(Port::plus(0)),
        () => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::net::ShapeName;

    fn network(shape: ShapeName, dims: &[u32]) -> Topology {
        Topology::new(shape, dims).unwrap()
    }

    #[test]
    fn a_ring_is_a_path_from_any_root_and_a_line_from_its_ends() {
        let (ring, line) = (network(ShapeName::Cycle, &[5]), network(ShapeName::Path, &[5]));
        for root in ring.node_ids() {
            let path = Rooted::path(&ring, root).unwrap();
            assert!(path.is_path() && path.named()[4] == NodeId((root.0 + 4) % 5));
        }
        assert!(Rooted::path(&line, NodeId(2)).is_none());
        assert_eq!(Rooted::path(&line, NodeId(4)).unwrap().named()[1], NodeId(3));
        assert!(Rooted::path(&network(ShapeName::Torus, &[3, 3]), NodeId(0)).is_none());
    }

    #[test]
    fn a_breadth_first_tree_is_as_deep_as_the_network() {
        for (shape, dims) in
            [(ShapeName::Torus, &[4, 5][..]), (ShapeName::Mesh, &[3, 4]), (ShapeName::Torus, &[2, 3, 2])]
        {
            let topology = network(shape, dims);
            for root in topology.node_ids() {
                let tree = Rooted::breadth_first(&topology, root);
                assert_eq!(tree.height(), Around::new(&topology, root).depth());
                let children: usize = topology.node_ids().map(|node| tree.children(node).len()).sum();
                assert_eq!(children, topology.nodes() as usize - 1);
            }
        }
    }

    #[test]
    fn parents_that_are_no_tree_are_refused() {
        let mesh = network(ShapeName::Mesh, &[2, 3]);
        let root = NodeId(0);
        let tree = |parents: [i32; 6]| {
            let parents = parents.map(|parent| u32::try_from(parent).ok());
            Rooted::of_parents(&mesh, root, &parents)
        };
        assert_eq!(tree([-1, 0, 1, 0, 1, 4]).unwrap().children(NodeId(1)), [NodeId(2), NodeId(4)]);
        assert_eq!(tree([0, 0, 1, 4, 5, 2]).unwrap().height(), 5);
        assert_eq!(tree([-1, 0, 1, 1, 1, 4]), Err(RootedError::NoNeighbour { node: NodeId(3), parent: 1 }));
        assert_eq!(tree([-1, 0, 9, 0, 1, 4]), Err(RootedError::NoNeighbour { node: NodeId(2), parent: 9 }));
        assert_eq!(tree([1, 0, 1, 0, 1, 4]), Err(RootedError::RootHasParent { node: root }));
        assert_eq!(tree([-1, 0, 1, 0, 1, -1]), Err(RootedError::Orphan { node: NodeId(5) }));
        assert!(matches!(tree([-1, 2, 5, 0, 1, 4]), Err(RootedError::Ring { .. })));
        assert_eq!(Rooted::of_parents(&mesh, root, &[None]), Err(RootedError::Count { given: 1, nodes: 6 }));
    }
}
