//! List scheduling: a tree that is as deep as the torus is wide, for links over which a packet is on its way for long.
//!
//! In every step each port takes the most urgent node that it can reach now, all ports different ones. What leads away from the
//! origin comes first, then what is near, so that the farthest are reached early enough to be the last.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use super::Store;
use crate::net::splitmix::Splitmix;
use crate::net::{Around, Network, NodeId, Port};
use crate::paths::tree::{ORIGIN, Tree, TreeArc};
use crate::program::Link;
use crate::study::bounds;
use crate::task::Unmet;

/// The seeds that are tried, the fastest of which is taken.
const SEEDS: std::ops::Range<u64> = 0..6;

/// A node that a port can reach from one that has the packet: whether the step leads nowhere farther, how far away it is,
/// chance, and the node.
type Candidate = Reverse<(bool, u32, u64, NodeId)>;

/// The longest program over long links: the diameter times their latency may be anything.
const MOST_STEPS: u64 = 1 << 22;

/// Checks that a tree for long links is known.
pub fn fits(dims: &[u32], latency: u32, store: Store) -> Result<(), Unmet> {
    if store != Store::Any {
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
pub fn fits_network(network: &Network, link: Link, store: Store) -> Result<(), Unmet> {
    let needs = match () {
        () if !link.duplex.is_full() => "full-duplex links, if the network is no torus",
        () if store != Store::Any => "store any, if the network is no torus",
        () if u64::from(network.nodes()) > super::LISTED_NODES => "at most 65536 nodes, if the network is no torus",
        () if u64::from(network.diameter()) * u64::from(link.latency) + u64::from(network.nodes()) > MOST_STEPS => {
            "less than 2^22 steps, if a link is longer than a packet"
        }
        () => return Ok(()),
    };
    Err(Unmet { needs })
}

/// A tree in which nothing is sent on before `latency` steps are over.
pub fn tree(network: &Network, latency: u32) -> Tree {
    let bound = bounds::latency::lower_bound(network, 1, latency);
    let arcs = arcs(network, latency, (bound.steps as u32).saturating_sub(latency - 1));
    Tree::new(network, arcs).expect("a list is a tree")
}

/// A tree in which a packet can be sent on from `latency` steps after it was sent, its last arc as early as the seeds find;
/// no arc can be the last one before step `least`.
pub fn arcs(network: &Network, latency: u32, least: u32) -> Vec<TreeArc> {
    let steps = |arcs: &Vec<TreeArc>| arcs.last().map_or(0, |arc| arc.time);
    let mut best: Option<Vec<TreeArc>> = None;
    for seed in SEEDS {
        let arcs = List::new(network, latency, seed).run();
        if best.as_ref().is_none_or(|best| steps(&arcs) < steps(best)) {
            best = Some(arcs);
        }
        if best.as_ref().is_some_and(|best| steps(best) <= least) {
            break;
        }
    }
    best.expect("there are seeds")
}

struct List<'a> {
    network: &'a Network,
    latency: u32,
    away: Vec<u32>,
    chance: Vec<u64>,
    is_reached: Vec<bool>,
    /// candidates by port
    candidates: Vec<BinaryHeap<Candidate>>,
    /// nodes on their way: the step from which they can send, in order
    coming: VecDeque<(u32, NodeId)>,
}

impl<'a> List<'a> {
    fn new(network: &'a Network, latency: u32, seed: u64) -> Self {
        let around = Around::new(network, ORIGIN);
        let mut random = Splitmix(seed);
        let mut is_reached = vec![false; network.nodes() as usize];
        is_reached[ORIGIN.index()] = true;
        Self {
            network,
            latency,
            away: network.node_ids().map(|node| around.distance(node)).collect(),
            chance: network.node_ids().map(|_| random.next()).collect(),
            is_reached,
            candidates: vec![BinaryHeap::new(); network.ports()],
            coming: VecDeque::from([(1, ORIGIN)]),
        }
    }

    fn run(mut self) -> Vec<TreeArc> {
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
            if let Some(&(from, _)) = self.coming.front()
                && nearest.iter().all(Vec::is_empty)
            {
                time = from - 1;
                continue;
            }
            for (port, node) in matching(&nearest) {
                self.is_reached[node.index()] = true;
                self.coming.push_back((time + self.latency, node));
                arcs.push(TreeArc { time, by: Port::from_index(port), node });
            }
        }
        arcs
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
        let heap = &mut self.candidates[port];
        let mut taken = Vec::with_capacity(most);
        while let Some(candidate) = heap.pop() {
            let Reverse((.., node)) = candidate;
            if !self.is_reached[node.index()] {
                taken.push(candidate);
                if taken.len() == most {
                    break;
                }
            }
        }
        heap.extend(&taken);
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
    use crate::net::Torus;
    use crate::schemes::optimal;

    /// The steps beyond the bound that lists need, on every torus of two axes up to 10 and of three up to 6.
    fn beyond_the_bound(latency: u32) -> Vec<u32> {
        let planes = (3..=10).flat_map(|n1| (n1..=10).map(move |n2| vec![n1, n2]));
        let boxes = (3..=6).flat_map(|n1| (n1..=6).flat_map(move |n2| (n2..=6).map(move |n3| vec![n1, n2, n3])));
        let more = |dims: Vec<u32>| {
            let torus = Torus::new(&dims).unwrap();
            let bound = bounds::latency::lower_bound(&torus, 1, latency).steps as u32;
            let arcs = arcs(&torus, latency, bound + 1 - latency);
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
            let tree = optimal::tree(&Torus::new(dims).unwrap(), Store::Any).unwrap();
            assert!(tree.steps() == optimal::bound(dims) && tree.depth() <= most, "{dims:?}: {}", tree.depth());
        }
    }
}
