//! Trees from one root that share no link.

use crate::net::{NodeId, Port, Topology};

/// A level that no node has: there is no way from the root.
pub const UNREACHED: u32 = u32::MAX;

/// Trees that span a network from one root. A link belongs to one of them at most.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Family {
    topology: Topology,
    root: NodeId,
    trees: usize,
    /// By which port node v takes in tree j: `inlets[v * trees + j]`; the root's mean nothing.
    inlets: Vec<Port>,
}

impl Family {
    /// Creates trees from the port by which each node receives each tree.
    pub fn new(topology: &Topology, root: NodeId, trees: usize, inlet: impl Fn(NodeId, usize) -> Port) -> Self {
        let inlets = |node: NodeId| {
            let inlet = &inlet;
            (0..trees).map(move |tree| if node == root { Port::from_index(0) } else { inlet(node, tree) })
        };
        let inlets = topology.node_ids().flat_map(inlets).collect();
        Self { topology: topology.clone(), root, trees, inlets }
    }

    /// Network that the trees span.
    pub fn topology(&self) -> &Topology {
        &self.topology
    }

    /// Root of all trees.
    pub fn root(&self) -> NodeId {
        self.root
    }

    /// Number of trees in the family.
    pub fn trees(&self) -> usize {
        self.trees
    }

    /// The port through which a node takes in a tree; none at the root.
    pub fn inlet(&self, node: NodeId, tree: usize) -> Option<Port> {
        (node != self.root).then(|| self.inlets[node.index() * self.trees + tree])
    }

    /// The node from which a node takes in a tree.
    pub fn parent(&self, node: NodeId, tree: usize) -> Option<NodeId> {
        self.topology.step(node, self.inlet(node, tree)?)
    }

    /// The tree that a link carries, by the node and port that it leaves; none if it is idle.
    pub fn tree_on(&self, node: NodeId, port: Port) -> Option<usize> {
        let there = self.topology.step(node, port)?;
        (0..self.trees).find(|&tree| self.inlet(there, tree) == Some(port.opposite()))
    }

    /// Distance of each node from the root in a tree.
    pub fn levels(&self, tree: usize) -> Vec<u32> {
        let mut levels = vec![UNREACHED; self.topology.nodes() as usize];
        levels[self.root.index()] = 0;
        let mut reached = vec![self.root];
        let mut next = 0;
        while let Some(&node) = reached.get(next) {
            next += 1;
            for port in self.topology.linked_ports(node) {
                let there = self.topology.step(node, port).expect("the port is linked");
                if self.inlet(there, tree) == Some(port.opposite()) && levels[there.index()] == UNREACHED {
                    levels[there.index()] = levels[node.index()] + 1;
                    reached.push(there);
                }
            }
        }
        levels
    }

    /// The level of the farthest node of a tree.
    pub fn depth(&self, tree: usize) -> u32 {
        let levels = self.levels(tree);
        self.topology.live_ids().map(|node| levels[node.index()]).max().unwrap_or(0)
    }

    /// The trees, the flattest first.
    pub fn by_depth(&self) -> Vec<(u32, usize)> {
        let mut depths: Vec<_> = (0..self.trees).map(|tree| (self.depth(tree), tree)).collect();
        depths.sort_unstable();
        depths
    }

    /// Distributes the flits of a message over the trees: flit i goes to packet i modulo the number of trees. The
    /// flattest tree gets the first packet, which is at least as long as the others. Trees without flits are left out.
    /// A flit takes `latency` ticks from one level to the next.
    pub fn stripes(&self, flits: u32, latency: u32) -> Vec<Stripe> {
        let trees = self.trees as u32;
        let stripe = |(packet, (depth, tree)): (u32, (u32, usize))| {
            let flits = flits.saturating_sub(packet).div_ceil(trees);
            Stripe { tree, flits, last: (depth - 1) * latency + flits }
        };
        (0..).zip(self.by_depth()).map(stripe).filter(|stripe| stripe.flits > 0).collect()
    }
}

/// A tree's part of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stripe {
    /// Index of the tree.
    pub tree: usize,
    /// Number of flits.
    pub flits: u32,
    /// Tick in which the last flit is sent for the last time.
    pub last: u32,
}

/// Ticks in which the message is sent: on links of one tick every node has it then.
pub fn ticks(stripes: &[Stripe]) -> u32 {
    stripes.iter().map(|stripe| stripe.last).max().unwrap_or(0)
}
