//! Flatter trees: two trees' entries at a node change places, again and again, as long as no level gets worse.

use std::sync::{Mutex, PoisonError};

use super::family::Family;
use super::trees;
use crate::net::splitmix::Splitmix;
use crate::net::{Around, NodeId, Port, Topology};

/// Trees of more nodes are left as the closed form has them.
const MOST_NODES: u32 = 1 << 14;
/// Number of swaps in the first search for a goal, before it restarts.
const TRIES: u32 = 3000;
/// Number of restarts before a goal is given up, from the last goal met and from either closed form. A goal that can be
/// met is met early or, from there, almost never.
const ROUNDS: usize = 18;
/// Number of swaps that one try looks at.
const SWAPS: usize = 12;

/// Trees from `root` like those of the closed form, as flat as a bounded search with a fixed seed makes them.
pub fn polished(topology: &Topology, root: NodeId) -> Family {
    // trees do not depend on root and message: they are found once, around the origin, and moved
    static LAST: Mutex<Option<(Topology, PolishSearch)>> = Mutex::new(None);
    if topology.nodes() > MOST_NODES {
        return trees::closed(topology, root);
    }
    let mut last = LAST.lock().unwrap_or_else(PoisonError::into_inner);
    if last.as_ref().is_none_or(|(found, _)| found != topology) {
        *last = Some((topology.clone(), searched(topology)));
    }
    let (_, best) = last.as_ref().expect("it has just been found");
    let around = Around::new(topology, root);
    let offset = |node| (0..topology.axes()).map(|axis| around.along(node, axis)).collect::<Vec<_>>();
    Family::new(topology, root, topology.ports(), |node, tree| best.inlet(topology.node(&offset(node)), tree))
}

/// The flattest trees from the origin that are found.
fn searched(topology: &Topology) -> PolishSearch {
    let origin = NodeId(0);
    let (closed, owned) =
        (PolishSearch::new(&trees::closed(topology, origin)), PolishSearch::new(&trees::owned(topology, origin)));
    let mut best = closed.clone();
    let least = Around::new(topology, origin).depth() + 1;
    let mut random = Splitmix(1);
    for goal in (least..best.depth()).rev() {
        let mut rounds = (0..ROUNDS).map(|round| [&best, &closed, &owned][round % 3].clone());
        match rounds.find_map(|mut search| search.reach(goal, &mut random).then_some(search)) {
            Some(search) => best = search,
            None => break,
        }
    }
    best
}

#[derive(Clone)]
struct PolishSearch {
    ports: usize,
    root: usize,
    /// `beyond[v * ports + p]`: the neighbour of v at port p
    beyond: Vec<u32>,
    /// `inlets[v * ports + j]`: the port at which tree j enters v
    inlets: Vec<u8>,
    /// `levels[v * ports + j]`
    levels: Vec<u32>,
}

impl PolishSearch {
    fn new(family: &Family) -> Self {
        let (topology, trees) = (family.topology(), family.trees());
        let beyond =
            |node| topology.port_ids().map(move |port| topology.step(node, port).expect("a torus has no border").0);
        let inlets = |node| (0..trees).map(move |tree| family.inlet(node, tree).map_or(0, |port| port.index() as u8));
        let by_tree: Vec<Vec<u32>> = (0..trees).map(|tree| family.levels(tree)).collect();
        let levels = topology.node_ids().flat_map(|node| by_tree.iter().map(move |levels| levels[node.index()]));
        Self {
            ports: topology.ports(),
            root: family.root().index(),
            beyond: topology.node_ids().flat_map(beyond).collect(),
            inlets: topology.node_ids().flat_map(inlets).collect(),
            levels: levels.collect(),
        }
    }

    fn inlet(&self, node: NodeId, tree: usize) -> Port {
        Port::from_index(self.inlets[node.index() * self.ports + tree].into())
    }

    fn depth(&self) -> u32 {
        self.levels.iter().copied().max().unwrap_or(0)
    }

    fn parent(&self, node: usize, tree: usize) -> usize {
        self.beyond[node * self.ports + usize::from(self.inlets[node * self.ports + tree])] as usize
    }

    /// The nodes below a node in a tree, itself first.
    fn below(&self, node: usize, tree: usize) -> Vec<usize> {
        let mut found = vec![node];
        let mut next = 0;
        while let Some(&node) = found.get(next) {
            next += 1;
            for port in 0..self.ports {
                let there = self.beyond[node * self.ports + port] as usize;
                if there != self.root && usize::from(self.inlets[there * self.ports + tree]) == port ^ 1 {
                    found.push(there);
                }
            }
        }
        found
    }

    /// Returns true if a node lies between another node and the root.
    fn is_above(&self, node: usize, mut below: usize, tree: usize) -> bool {
        let level = |node: usize| self.levels[node * self.ports + tree];
        while level(below) > level(node) {
            below = self.parent(below, tree);
        }
        below == node
    }

    /// The nodes in trees that are too low.
    fn deep(&self, goal: u32) -> Vec<usize> {
        (0..self.levels.len()).filter(|&at| self.levels[at] > goal).collect()
    }

    /// Tries to bring every level down to `goal`.
    fn reach(&mut self, goal: u32, random: &mut Splitmix) -> bool {
        let mut deep = self.deep(goal);
        for _ in 0..TRIES {
            if deep.is_empty() {
                return true;
            }
            let at = deep[random.below(deep.len() as u32) as usize];
            let (mut node, tree) = (at / self.ports, at % self.ports);
            let mut swaps = Vec::new();
            while node != self.root {
                swaps.extend((0..self.ports).filter(|&other| other != tree).map(|other| (node, other)));
                node = self.parent(node, tree);
            }
            random.shuffle(&mut swaps);
            if swaps.iter().take(SWAPS).any(|&(node, other)| self.swap(node, tree, other, goal)) {
                deep = self.deep(goal);
            }
        }
        self.depth() <= goal
    }

    /// Swaps two trees' entries at a node, unless that cuts a tree or makes the levels above the goal worse in sum.
    fn swap(&mut self, node: usize, one: usize, other: usize, goal: u32) -> bool {
        let parents = [self.parent(node, other), self.parent(node, one)];
        // a link of the root belongs to the tree that it names
        if parents.contains(&self.root) {
            return false;
        }
        if self.is_above(node, parents[0], one) || self.is_above(node, parents[1], other) {
            return false;
        }
        let mut worse = 0;
        let mut moved = Vec::with_capacity(2);
        for (tree, parent) in [one, other].into_iter().zip(parents) {
            let up = i64::from(self.levels[parent * self.ports + tree]) + 1
                - i64::from(self.levels[node * self.ports + tree]);
            let below = self.below(node, tree);
            let over = |level: i64| (level - i64::from(goal)).max(0);
            let change = |&node: &usize| {
                let level = i64::from(self.levels[node * self.ports + tree]);
                over(level + up) - over(level)
            };
            worse += below.iter().map(change).sum::<i64>();
            moved.push((tree, up, below));
        }
        if worse > 0 {
            return false;
        }
        self.inlets.swap(node * self.ports + one, node * self.ports + other);
        for (tree, up, below) in moved {
            for node in below {
                let level = &mut self.levels[node * self.ports + tree];
                *level = (i64::from(*level) + up).unsigned_abs() as u32;
            }
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schemes::broadcast::family::ticks;
    use crate::schemes::broadcast::trees::tests::{assert_disjoint_and_spanning, torus};

    #[test]
    fn polished_trees_share_no_link_wherever_the_root_is() {
        for dims in [&[4, 4][..], &[5, 7], &[2, 3, 4], &[3, 3], &[6]] {
            let torus = torus(dims);
            for root in torus.node_ids() {
                assert_disjoint_and_spanning(&polished(&torus, root));
            }
        }
    }

    #[test]
    fn a_long_message_takes_little_more_than_its_share_of_a_port() {
        let cases: [(&[u32], u32, u32); 9] = [
            (&[12, 10], 40, 21),
            (&[14, 14], 64, 30),
            (&[8, 6], 7, 9),
            (&[9, 11], 50, 24),
            (&[64, 64], 100, 91),
            (&[33, 35], 400, 137),
            (&[5, 6, 7], 100, 27),
            (&[4, 4, 4], 100, 24),
            (&[16, 16], 64, 32),
        ];
        for (dims, flits, expected) in cases {
            let torus = torus(dims);
            let family = polished(&torus, NodeId(torus.nodes() - 3));
            assert!(ticks(&family.stripes(flits, 1)) <= expected, "{torus}: {:?}", family.by_depth());
        }
    }
}
