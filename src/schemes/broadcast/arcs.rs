//! `arc-trees`: broadcast on any connected network by spanning trees that share no link.
//!
//! There are as many trees as the smallest maximum flow from the root to a node, and fewer for short messages. They grow side by side, the
//! shallowest link first; a link is kept if as many units as there are trees still flow from the partial trees to its end (Lovász).
//! Then nodes change the links by which they take their trees in, as long as the trees get shallower.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::family::{Family, Stripe, ticks};
use super::{why, woven};
use crate::net::splitmix::mixed;
use crate::net::{Network, NodeId, OUTSIDE, Port};
use crate::program::Title;
use crate::task::{About, Claim, Collective, ConstructError, Scheme, Task, Unmet, Woven};

/// Broadcast by arc-disjoint trees.
#[derive(Clone, Copy, Debug)]
pub struct ArcTrees;

/// Nodes of the largest network on which trees are grown.
const MOST_NODES: u32 = 1 << 10;
/// Orders in which trees are grown on a small network.
const SEEDS: usize = 6;
/// Nodes of the largest network on which several are tried.
const MOST_TRIED: u32 = 1 << 8;
/// Passes over all nodes in which links are changed.
const PASSES: u32 = 4;

impl Scheme for ArcTrees {
    fn about(&self) -> About {
        About {
            name: "arc-trees",
            summary: "Broadcast on any network: spanning trees that share no link, as many as flow to every node",
            theorem: "arc-disjoint spanning trees (Edmonds; Lovász)",
            condition: "any connected network of at most 1024 nodes",
            packets: "one of the root for each tree",
            preference: 18,
        }
    }

    fn collectives(&self) -> &'static [Collective] {
        &[Collective::Broadcast]
    }

    fn takes(&self, _network: &Network) -> bool {
        true
    }

    fn stands_in(&self) -> bool {
        true
    }

    fn applies(&self, task: &Task) -> Result<(), Unmet> {
        if task.topology.nodes() > MOST_NODES { Err(Unmet { needs: "at most 1024 nodes" }) } else { Ok(()) }
    }

    fn packets(&self, task: &Task) -> u16 {
        family(task).stripes(task.choice.traffic.flits, task.link.latency).len() as u16
    }

    fn weave(&self, task: &Task, title: Title) -> Result<Woven, ConstructError> {
        Ok(woven(&family(task), task, title))
    }

    fn claim(&self, _task: &Task) -> Option<Claim> {
        None
    }

    fn awaits_arrivals(&self, _task: &Task) -> bool {
        true
    }

    fn why(&self, task: &Task, node: NodeId) -> Vec<String> {
        why(&family(task), task, node)
    }
}

/// The trees that take the fewest ticks for the message.
fn family(task: &Task) -> Family {
    let (network, root, flits) = (task.topology, task.root(), task.choice.traffic.flits);
    let graph = ArcGraph::new(network, root);
    let most = graph.connectivity();
    let seeds = if network.nodes() > MOST_TRIED { 1 } else { SEEDS };
    let mut best: Option<(u32, Family)> = None;
    let numbers = std::iter::repeat_n(most, seeds).zip(0..).chain((1..most).rev().map(|trees| (trees, 0)));
    for (trees, seed) in numbers {
        let Some(mut grown) = TreePacking::grown(&graph, trees, seed) else { continue };
        grown.polish();
        let family = Family::new(network, root, trees, |node, tree| grown.inlet(node, tree));
        let stripes: Vec<Stripe> = family.stripes(flits, task.link.latency);
        if best.as_ref().is_none_or(|(least, _)| ticks(&stripes) < *least) {
            best = Some((ticks(&stripes), family));
        }
    }
    best.expect("one tree always grows").1
}

/// A link by the node and port that it leaves.
type PortArc = usize;

struct ArcGraph {
    root: usize,
    ports: usize,
    live: Vec<usize>,
    /// By arc, the node it leads to.
    to: Vec<Option<usize>>,
}

impl ArcGraph {
    fn new(network: &Network, root: NodeId) -> Self {
        let mut to = Vec::with_capacity(network.registers());
        let there = |&there: &NodeId| if there == OUTSIDE { None } else { Some(there.index()) };
        network.sweep(0..network.nodes(), |_, neighbours| to.extend(neighbours.iter().map(there)));
        let live = network.live_ids().map(NodeId::index).collect();
        Self { root: root.index(), ports: network.ports(), live, to }
    }

    fn nodes(&self) -> usize {
        self.to.len() / self.ports
    }

    fn from(&self, arc: PortArc) -> usize {
        arc / self.ports
    }

    /// The links that leave a node, with the nodes they lead to.
    fn leaving(&self, node: usize) -> impl Iterator<Item = (PortArc, usize)> + '_ {
        let arcs = node * self.ports..(node + 1) * self.ports;
        arcs.filter_map(|arc| Some((arc, self.to[arc]?)))
    }

    /// The links that lead to a node, with the nodes they leave.
    fn entering(&self, node: usize) -> impl Iterator<Item = (PortArc, usize)> + '_ {
        let opposite = |(arc, there): (PortArc, usize)| (there * self.ports + ((arc % self.ports) ^ 1), there);
        self.leaving(node).map(opposite)
    }

    /// The smallest maximum flow from the root to another node.
    fn connectivity(&self) -> usize {
        let others = self.live.iter().filter(|&&node| node != self.root);
        others.map(|&node| self.flow(node, self.ports, &[], &vec![None; self.to.len()])).min().unwrap_or(1).max(1)
    }

    /// Units that flow to a node by links of no tree, at most one from each tree, or from the root where there are no trees.
    fn flow(&self, to: usize, most: usize, inside: &[Vec<bool>], tree: &[Option<usize>]) -> usize {
        let mut used = vec![false; self.to.len()];
        // by tree, the node at which its unit leaves it
        let mut leaves: Vec<Option<usize>> = vec![None; inside.len()];
        let starts = inside.len().max(1);
        let limit = if inside.is_empty() { most } else { starts };
        let mut units = 0;
        while units < limit && self.augment(to, inside, tree, &mut used, &mut leaves) {
            units += 1;
        }
        units
    }

    /// One more unit to a node, found backwards from there.
    fn augment(
        &self,
        to: usize,
        inside: &[Vec<bool>],
        tree: &[Option<usize>],
        used: &mut [bool],
        leaves: &mut [Option<usize>],
    ) -> bool {
        /// Next move of a unit from a node, or from a tree.
        #[derive(Clone, Copy)]
        enum Next {
            Along(PortArc),
            Undo(PortArc),
            Tree(usize),
        }
        let mut next: Vec<Option<Next>> = vec![None; self.nodes()];
        let mut entered: Vec<Option<usize>> = vec![None; inside.len()];
        let mut is_seen = vec![false; self.nodes()];
        is_seen[to] = true;
        let mut queue = std::collections::VecDeque::from([to]);
        let mut start = None;
        'search: while let Some(node) = queue.pop_front() {
            if inside.is_empty() {
                if node == self.root {
                    start = Some((node, None));
                    break;
                }
            } else {
                for at in 0..inside.len() {
                    if !inside[at][node] || entered[at].is_some() {
                        continue;
                    }
                    entered[at] = Some(node);
                    match leaves[at] {
                        None => {
                            start = Some((node, Some(at)));
                            break 'search;
                        }
                        // the tree's unit may leave here instead, if its way from where it left is not needed
                        Some(before) if !is_seen[before] => {
                            is_seen[before] = true;
                            next[before] = Some(Next::Tree(at));
                            queue.push_back(before);
                        }
                        Some(_) => {}
                    }
                }
            }
            for (arc, from) in self.entering(node) {
                if !is_seen[from] && tree[arc].is_none() && !used[arc] {
                    is_seen[from] = true;
                    next[from] = Some(Next::Along(arc));
                    queue.push_back(from);
                }
            }
            for (arc, there) in self.leaving(node) {
                if !is_seen[there] && used[arc] {
                    is_seen[there] = true;
                    next[there] = Some(Next::Undo(arc));
                    queue.push_back(there);
                }
            }
        }
        let Some((mut at, mut of_tree)) = start else { return false };
        loop {
            if let Some(tree) = of_tree.take() {
                leaves[tree] = Some(at);
            }
            if at == to {
                return true;
            }
            match next[at].expect("a node that is seen goes on") {
                Next::Along(arc) => {
                    used[arc] = true;
                    at = self.to[arc].expect("an arc leads somewhere");
                }
                Next::Undo(arc) => {
                    used[arc] = false;
                    at = self.from(arc);
                }
                Next::Tree(tree) => {
                    at = entered[tree].expect("it was entered");
                    of_tree = Some(tree);
                }
            }
        }
    }
}

struct TreePacking<'g> {
    graph: &'g ArcGraph,
    /// Tree of each arc.
    tree: Vec<Option<usize>>,
    /// By tree and node.
    inlet: Vec<Vec<Option<PortArc>>>,
    level: Vec<Vec<u32>>,
}

impl<'g> TreePacking<'g> {
    /// Grows this number of trees; `None` if one of them does not grow.
    fn grown(graph: &'g ArcGraph, trees: usize, seed: u64) -> Option<Self> {
        let nodes = graph.nodes();
        let mut inside = vec![vec![false; nodes]; trees];
        let mut grown = Self {
            graph,
            tree: vec![None; graph.to.len()],
            inlet: vec![vec![None; nodes]; trees],
            level: vec![vec![0; nodes]; trees],
        };
        let mut queue = BinaryHeap::new();
        let offer = |queue: &mut BinaryHeap<_>, tree: usize, node: usize, level: u32| {
            for (arc, there) in graph.leaving(node) {
                let chance = mixed(seed.wrapping_add((there * 131 + tree * 7 + arc % graph.ports) as u64)) & 0xff_ffff;
                queue.push(Reverse((level + 1, chance, tree, arc)));
            }
        };
        for (tree, inside) in inside.iter_mut().enumerate() {
            inside[graph.root] = true;
            offer(&mut queue, tree, graph.root, 0);
        }
        let mut left = trees * (graph.live.len() - 1);
        while let Some(Reverse((level, _, tree, arc))) = queue.pop() {
            let there = graph.to[arc].expect("an arc leads somewhere");
            if inside[tree][there] || grown.tree[arc].is_some() {
                continue;
            }
            grown.tree[arc] = Some(tree);
            inside[tree][there] = true;
            if graph.flow(there, trees, &inside, &grown.tree) < trees {
                grown.tree[arc] = None;
                inside[tree][there] = false;
                continue;
            }
            grown.inlet[tree][there] = Some(arc);
            grown.level[tree][there] = level;
            offer(&mut queue, tree, there, level);
            left -= 1;
        }
        (left == 0).then_some(grown)
    }

    /// The port by which a node takes a tree in.
    fn inlet(&self, node: NodeId, tree: usize) -> Port {
        let arc = self.inlet[tree][node.index()];
        arc.map_or(Port::from_index(0), |arc| Port::from_index(arc % self.graph.ports).opposite())
    }

    /// Returns true if a node is another one or above it in a tree.
    fn is_above(&self, tree: usize, above: usize, mut node: usize) -> bool {
        while node != above {
            match self.inlet[tree][node] {
                Some(arc) => node = self.graph.from(arc),
                None => return false,
            }
        }
        true
    }

    fn relevel(&mut self, tree: usize) {
        let mut below: Vec<Vec<usize>> = vec![Vec::new(); self.graph.nodes()];
        for &node in &self.graph.live {
            if let Some(arc) = self.inlet[tree][node] {
                below[self.graph.from(arc)].push(node);
            }
        }
        let mut queue = vec![self.graph.root];
        while let Some(node) = queue.pop() {
            for &there in &below[node] {
                self.level[tree][there] = self.level[tree][node] + 1;
                queue.push(there);
            }
        }
    }

    /// Depth of all trees, and the number of nodes at that depth.
    fn score(&self) -> u64 {
        let score = |levels: &Vec<u32>| {
            let deepest = self.graph.live.iter().map(|&node| levels[node]).max().unwrap_or(0);
            let there = self.graph.live.iter().filter(|&&node| levels[node] == deepest).count() as u64;
            u64::from(deepest) * u64::from(deepest) * 100_000 + there * 10
        };
        self.level.iter().map(score).sum()
    }

    /// Lets nodes take trees in by other links, as long as that makes trees shallower.
    fn polish(&mut self) {
        let mut score = self.score();
        for _ in 0..PASSES {
            let before = score;
            for &node in self.graph.live.iter().filter(|&&node| node != self.graph.root) {
                let entering: Vec<PortArc> = self.graph.entering(node).map(|(arc, _)| arc).collect();
                for tree in 0..self.inlet.len() {
                    for &arc in &entering {
                        score = self.exchanged(node, tree, arc, score);
                    }
                }
            }
            if score == before {
                break;
            }
        }
    }

    /// The score after a node takes a tree in by another link, which the tree of that link gives for the old one; as before if
    /// that is no better.
    fn exchanged(&mut self, node: usize, tree: usize, arc: PortArc, score: u64) -> u64 {
        let (old, other) = (self.inlet[tree][node].expect("a tree spans all"), self.tree[arc]);
        let (from, old_from) = (self.graph.from(arc), self.graph.from(old));
        if other == Some(tree) || self.is_above(tree, node, from) {
            return score;
        }
        let change =
            |tree: usize, from: usize| i64::from(self.level[tree][from]) + 1 - i64::from(self.level[tree][node]);
        let change = change(tree, from) + other.map_or(0, |other| change(other, old_from));
        let is_no_way = other.is_some_and(|other| self.is_above(other, node, old_from));
        if is_no_way || change > 0 || other.is_none() && change == 0 {
            return score;
        }
        let set = |trees: &mut Self, own: PortArc, others: PortArc| {
            trees.inlet[tree][node] = Some(own);
            trees.tree[own] = Some(tree);
            trees.tree[others] = other;
            trees.relevel(tree);
            if let Some(other) = other {
                trees.inlet[other][node] = Some(others);
                trees.relevel(other);
            }
        };
        set(self, arc, old);
        let changed = self.score();
        if changed < score {
            return changed;
        }
        set(self, old, arc);
        score
    }
}
