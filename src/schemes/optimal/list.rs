//! List scheduling: a tree that is as deep as the torus is wide, for links over which a packet is on its way for long.
//!
//! In every step each port takes the most urgent node that it can reach now, all ports different ones. What leads away from the
//! origin comes first, then what is near, so that the farthest are reached early enough to be the last.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use super::StoreMode;
use crate::net::splitmix::Splitmix;
use crate::net::{Around, Network, NodeId, Port, Torus};
use crate::paths::tree::{ORIGIN, Tree, TreeArc};
use crate::program::{Link, Program, Title};
use crate::study::bounds::{self, Goal};
use crate::task::{Task, Unmet};

/// The seeds that are tried, the fastest of which is taken.
const SEEDS: std::ops::Range<u64> = 0..6;
/// The seeds for few branches, where many lists end at nodes that are all surrounded.
const MANY_SEEDS: std::ops::Range<u64> = 0..200;
/// Seeds for shortest ways only.
const SHORTEST_SEEDS: usize = 24;
/// Largest network on which many seeds are tried.
const SMALL: u32 = 1 << 10;

/// A node that a port can reach from one that has the packet: whether the step leads nowhere farther, how far away it is,
/// chance, and the node.
type StepCandidate = Reverse<(bool, u32, u64, NodeId)>;

/// The longest program over long links: the diameter times their latency may be anything.
const MOST_STEPS: u64 = 1 << 22;

/// Checks that a tree for long links is known.
pub fn fits(dims: &[u32], latency: u32, store: StoreMode) -> Result<(), Unmet> {
    if store != StoreMode::Any {
        return Err(Unmet { needs: "store any, if a link is longer than a packet" });
    }
    let diameter: u64 = dims.iter().map(|&side| u64::from(side / 2)).sum();
    let intake = super::nodes(dims) / (2 * dims.len() as u64);
    if diameter * u64::from(latency) + intake > MOST_STEPS {
        return Err(Unmet { needs: "less than 2^22 steps, if a link is longer than a packet" });
    }
    Ok(())
}

/// Returns true for networks that are no product but whose nodes are all alike: lists are their only trees.
pub fn is_needed(network: &Network) -> bool {
    network.is_homogeneous() && network.as_product().is_none()
}

/// Checks that a tree is found on a network whose nodes are all alike.
pub fn fits_network(network: &Network, link: Link, store: StoreMode) -> Result<(), Unmet> {
    let needs = match () {
        () if !link.duplex.is_full() => "full-duplex links, if the network is no torus",
        () if store != StoreMode::Any => "store any, if the network is no torus",
        () if u64::from(network.nodes()) > super::LISTED_NODES => "at most 65536 nodes, if the network is no torus",
        () if u64::from(network.diameter()) * u64::from(link.latency) + u64::from(network.nodes()) > MOST_STEPS => {
            "less than 2^22 steps, if a link is longer than a packet"
        }
        () => return Ok(()),
    };
    Err(Unmet { needs })
}

/// A tree in which nothing is sent on before `latency` steps are over, and by no node more than `branches` times; none if no
/// seed finds one.
pub fn tree(network: &Network, latency: u32, branches: Option<u32>) -> Result<Tree, Unmet> {
    let bound = bounds::lower_bound(network, Link { latency, ..Link::default() }, Goal::Gossip { flits: 1 });
    let arcs = arcs(network, latency, (bound.ticks as u32).saturating_sub(latency - 1), branches);
    let needs = "more branches of a node";
    Ok(Tree::new(network, arcs.ok_or(Unmet { needs })?).expect("a list is a tree"))
}

/// A tree in which a packet can be sent on from `latency` steps after it was sent, its last arc as early as the seeds find;
/// no arc can be the last one before step `least`. None if no seed finds one of so few branches.
pub fn arcs(network: &Network, latency: u32, least: u32, branches: Option<u32>) -> Option<Vec<TreeArc>> {
    let steps = |arcs: &Vec<TreeArc>| arcs.last().map_or(0, |arc| arc.time);
    let mut best: Option<Vec<TreeArc>> = None;
    let is_tight = branches.is_some_and(|branches| branches + 1 < network.ports() as u32);
    let seeds = if is_tight && network.nodes() <= SMALL { MANY_SEEDS } else { SEEDS };
    for seed in seeds {
        let Some(arcs) = ListSearch::new(network, latency, seed, branches).run() else { continue };
        if best.as_ref().is_none_or(|best| steps(&arcs) < steps(best)) {
            best = Some(arcs);
        }
        if best.as_ref().is_some_and(|best| steps(best) <= least) {
            break;
        }
    }
    best
}

/// A tree of as few steps as there are, and of no more branches than the task asks for, if a list finds one.
pub fn slender(torus: &Torus, task: &Task) -> Option<Tree> {
    let branches = task.choice.branches?;
    if task.choice.store != StoreMode::Any || u64::from(torus.nodes()) > super::LISTED_NODES {
        return None;
    }
    let steps = super::bound(torus.dims());
    let arcs = arcs(torus, 1, steps, Some(branches))?;
    Tree::new(torus, arcs).ok().filter(|tree| tree.steps() <= steps)
}

/// A gossip in the fewest steps whose packets take shortest ways: few of them pass a link, and fewer are lost when it dies than
/// in other schedules. None if no seed finds one, or not all nodes are alike.
pub fn along_shortest_ways(network: &Network, title: &Title) -> Option<Program> {
    if !network.is_homogeneous() || u64::from(network.nodes()) > super::LISTED_NODES {
        return None;
    }
    let steps = bounds::of_gossip(network, 1) as u32;
    let around = Around::new(network, ORIGIN);
    let farther = |tree: &Tree, arc: &TreeArc| around.distance(tree.parent(*arc)) < around.distance(arc.node);
    MANY_SEEDS.take(SHORTEST_SEEDS).find_map(|seed| {
        let tree = Tree::new(network, ListSearch::new(network, 1, seed, None).run()?).ok()?;
        let is_it = tree.steps() <= steps && tree.arcs().iter().all(|arc| farther(&tree, arc));
        is_it.then(|| super::translated(&tree, title.clone()))
    })
}

struct ListSearch<'a> {
    network: &'a Network,
    latency: u32,
    away: Vec<u32>,
    chance: Vec<u64>,
    is_reached: Vec<bool>,
    /// number of times that a node can still send
    left: Vec<u32>,
    /// candidates by port
    candidates: Vec<BinaryHeap<StepCandidate>>,
    /// nodes on their way: the step from which they can send, in order
    coming: VecDeque<(u32, NodeId)>,
}

impl<'a> ListSearch<'a> {
    fn new(network: &'a Network, latency: u32, seed: u64, branches: Option<u32>) -> Self {
        let around = Around::new(network, ORIGIN);
        let mut random = Splitmix(seed);
        let mut is_reached = vec![false; network.nodes() as usize];
        is_reached[ORIGIN.index()] = true;
        let mut left = vec![branches.unwrap_or(u32::MAX); network.nodes() as usize];
        left[ORIGIN.index()] = u32::MAX;
        Self {
            network,
            latency,
            away: network.node_ids().map(|node| around.distance(node)).collect(),
            chance: network.node_ids().map(|_| random.next()).collect(),
            is_reached,
            left,
            candidates: vec![BinaryHeap::new(); network.ports()],
            coming: VecDeque::from([(1, ORIGIN)]),
        }
    }

    /// The arcs in the order of their steps; none if all that could send have sent before every node is reached.
    fn run(mut self) -> Option<Vec<TreeArc>> {
        let mut arcs: Vec<TreeArc> = Vec::with_capacity(self.is_reached.len());
        let mut time = 0;
        while arcs.len() + 1 < self.is_reached.len() {
            time += 1;
            while let Some(&(from, node)) = self.coming.front()
                && from <= time
            {
                self.coming.pop_front();
                self.offer(node);
            }
            let nearest: Vec<Vec<NodeId>> = (0..self.candidates.len()).map(|port| self.nearest(port)).collect();
            if nearest.iter().all(Vec::is_empty) {
                time = self.coming.front()?.0 - 1;
                continue;
            }
            for (port, node) in matching(&nearest) {
                let from = self.sender(port, node);
                if self.left[from.index()] == 0 {
                    continue;
                }
                self.left[from.index()] -= 1;
                self.is_reached[node.index()] = true;
                self.coming.push_back((time + self.latency, node));
                arcs.push(TreeArc { time, by: Port::from_index(port), node });
            }
        }
        Some(arcs)
    }

    /// The node from which a port reaches another.
    fn sender(&self, port: usize, node: NodeId) -> NodeId {
        self.network.step(node, Port::from_index(port).opposite()).expect("a link is one both ways")
    }

    /// Offers the neighbours that a node can now reach.
    fn offer(&mut self, node: NodeId) {
        for port in self.network.port_ids() {
            let Some(next) = self.network.step(node, port) else { continue };
            if !self.is_reached[next.index()] {
                let (here, there) = (self.away[node.index()], self.away[next.index()]);
                self.candidates[port.index()].push(Reverse((there <= here, there, self.chance[next.index()], next)));
            }
        }
    }

    /// The most urgent candidates of a port, as many as the other ports can take away and two more.
    fn nearest(&mut self, port: usize) -> Vec<NodeId> {
        let most = self.candidates.len() + 2;
        let mut taken = Vec::with_capacity(most);
        while let Some(candidate) = self.candidates[port].pop() {
            let Reverse((.., node)) = candidate;
            if !self.is_reached[node.index()] && self.left[self.sender(port, node).index()] > 0 {
                taken.push(candidate);
                if taken.len() == most {
                    break;
                }
            }
        }
        self.candidates[port].extend(&taken);
        taken.into_iter().map(|Reverse((.., node))| node).collect()
    }
}

/// Different nodes for as many ports as can have one, those first that have the least choice.
fn matching(nearest: &[Vec<NodeId>]) -> Vec<(usize, NodeId)> {
    let mut ports: Vec<usize> = (0..nearest.len()).collect();
    ports.sort_by_key(|&port| nearest[port].len());
    let mut matched: Vec<(usize, NodeId)> = Vec::new();
    for port in ports {
        augment(nearest, port, &mut matched, &mut Vec::new());
    }
    matched
}

/// Finds a node for a port, where the ports that have one may take others.
fn augment(nearest: &[Vec<NodeId>], port: usize, matched: &mut Vec<(usize, NodeId)>, seen: &mut Vec<NodeId>) -> bool {
    for &node in &nearest[port] {
        if seen.contains(&node) {
            continue;
        }
        seen.push(node);
        let Some(at) = matched.iter().position(|&(_, taken)| taken == node) else {
            matched.push((port, node));
            return true;
        };
        if augment(nearest, matched[at].0, matched, seen) {
            matched[at].0 = port;
            return true;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schemes::optimal;

    /// The steps beyond the bound that lists need, on every torus of two axes up to 10 and of three up to 6.
    fn beyond_the_bound(latency: u32) -> Vec<u32> {
        let planes = (3..=10).flat_map(|n1| (n1..=10).map(move |n2| vec![n1, n2]));
        let boxes = (3..=6).flat_map(|n1| (n1..=6).flat_map(move |n2| (n2..=6).map(move |n3| vec![n1, n2, n3])));
        let more = |dims: Vec<u32>| {
            let torus = Torus::new(&dims).unwrap();
            let bound = bounds::lower_bound(&torus, Link { latency, ..Link::default() }, Goal::Gossip { flits: 1 })
                .ticks as u32;
            let arcs = arcs(&torus, latency, bound + 1 - latency, None).unwrap();
            let tree = Tree::new(&torus, arcs).unwrap();
            let is_late = |&arc: &TreeArc| tree.age(arc).is_none_or(|age| age >= latency);
            assert!(tree.arcs().iter().all(is_late), "{dims:?}: sent on before it came");
            tree.steps() + latency - 1 - bound
        };
        planes.chain(boxes).map(more).collect()
    }

    #[test]
    fn lists_are_exact_on_short_links_and_mostly_on_long_ones() {
        let [short, two, four] = [1, 2, 4].map(beyond_the_bound);
        assert_eq!((short.len(), short.iter().sum::<u32>()), (56, 0));
        let exact = [&short, &two, &four].into_iter().flatten().filter(|&&more| more == 0).count();
        let worst = two.iter().chain(&four).max();
        assert!(exact >= 126 && worst <= Some(&4), "{exact} of 168 are exact, the worst takes {worst:?} more");
    }

    #[test]
    fn boxes_read_what_came_in_lately() {
        for (dims, most) in [(&[9, 9, 9][..], 40), (&[16, 16, 16], 130)] {
            let tree = optimal::tree(&Torus::new(dims).unwrap(), StoreMode::Any).unwrap();
            assert!(tree.steps() == optimal::bound(dims) && tree.depth() <= most, "{dims:?}: {}", tree.depth());
        }
    }
}
