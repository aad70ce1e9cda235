//! The plan of a search: for every packet a tree over which it still has to go, and how much that loads the links.

use std::cmp::Reverse;

use crate::net::splitmix::Splitmix;
use crate::net::{Port, Topology};

/// A network by dense numbers: its undirected links.
pub(super) struct LinkNetwork {
    pub nodes: usize,
    /// Both ends of each link.
    pub links: Vec<[u16; 2]>,
    /// The neighbours of every node, and the link to each.
    pub around: Vec<Vec<(u16, u16)>>,
}

impl LinkNetwork {
    pub fn new(topology: &Topology) -> Self {
        let nodes = topology.nodes() as usize;
        let mut around = vec![Vec::new(); nodes];
        let mut links = Vec::new();
        for axis in (0..topology.axes()).rev() {
            for node in topology.node_ids() {
                let Some(there) = topology.step(node, Port::plus(axis)) else { continue };
                let ends = [node.0 as u16, there.0 as u16];
                around[node.index()].push((ends[1], links.len() as u16));
                around[there.index()].push((ends[0], links.len() as u16));
                links.push(ends);
            }
        }
        Self { nodes, links, around }
    }
}

/// The trees. What a packet's tree says of a node counts until the node has the packet.
#[derive(Clone)]
pub(super) struct TreePlan<'a> {
    pub network: &'a LinkNetwork,
    pub lanes: u32,
    pub random: Splitmix,
    /// Sender of a packet to each node in its tree, at `token * nodes + node`.
    pub parent: Vec<u16>,
    /// Over which link.
    pub via: Vec<u16>,
    pub has: Vec<bool>,
    /// Number of packets planned over each link.
    pub load: Vec<u32>,
    /// Number of packets that have yet to arrive somewhere.
    pub left: usize,
    /// The longest chain below a node in a packet's tree.
    pub height: Vec<u16>,
    /// The packets planned over a link, with the nodes they are for; some may be out of date.
    pub on: Vec<Vec<(u16, u16)>>,
}

impl<'a> TreePlan<'a> {
    /// Every packet goes by a shortest path over links that carry little so far.
    pub fn new(network: &'a LinkNetwork, lanes: u32, seed: u64) -> Self {
        let nodes = network.nodes;
        let mut plan = Self {
            network,
            lanes,
            random: Splitmix(seed),
            parent: vec![0; nodes * nodes],
            via: vec![0; nodes * nodes],
            has: vec![false; nodes * nodes],
            load: vec![0; network.links.len()],
            left: nodes * (nodes - 1),
            height: Vec::new(),
            on: Vec::new(),
        };
        let mut order: Vec<usize> = (0..nodes).collect();
        plan.random.shuffle(&mut order);
        for token in order {
            plan.grow(token);
        }
        plan.survey();
        plan
    }

    fn grow(&mut self, token: usize) {
        let row = token * self.network.nodes;
        self.has[row + token] = true;
        let mut is_reached = vec![false; self.network.nodes];
        is_reached[token] = true;
        let mut layer = vec![token as u16];
        while !layer.is_empty() {
            let mut ways = Vec::new();
            for &from in &layer {
                for &(to, link) in &self.network.around[from as usize] {
                    if !is_reached[to as usize] {
                        let weight = self.load[link as usize] * 4 + self.random.below(9);
                        ways.push((weight, self.random.next(), from, to, link));
                    }
                }
            }
            ways.sort_unstable();
            layer.clear();
            for (_, _, from, to, link) in ways {
                if !std::mem::replace(&mut is_reached[to as usize], true) {
                    self.parent[row + to as usize] = from;
                    self.via[row + to as usize] = link;
                    self.load[link as usize] += 1;
                    layer.push(to);
                }
            }
        }
    }

    pub fn at(&self, token: u16, node: u16) -> usize {
        token as usize * self.network.nodes + node as usize
    }

    /// Takes the state of another plan, except for its randomness and for what [`survey`](Self::survey) finds out anew.
    pub fn restore(&mut self, other: &Self) {
        self.parent.clone_from(&other.parent);
        self.via.clone_from(&other.via);
        self.has.clone_from(&other.has);
        self.load.clone_from(&other.load);
        self.left = other.left;
    }

    /// The heights, and what is planned on every link.
    pub fn survey(&mut self) {
        let nodes = self.network.nodes;
        self.height.clear();
        self.height.resize(nodes * nodes, 0);
        self.on.clear();
        self.on.resize(self.network.links.len(), Vec::new());
        let mut depth = vec![u16::MAX; nodes];
        let mut order: Vec<u16> = Vec::with_capacity(nodes);
        let mut chain = Vec::new();
        for token in 0..nodes {
            let row = token * nodes;
            let has = &self.has[row..row + nodes];
            for (depth, &has) in depth.iter_mut().zip(has) {
                *depth = if has { 0 } else { u16::MAX };
            }
            order.clear();
            for node in (0..nodes).filter(|&node| !has[node]) {
                self.on[self.via[row + node] as usize].push((token as u16, node as u16));
                order.push(node as u16);
                let mut at = node;
                while depth[at] == u16::MAX {
                    chain.push(at);
                    at = self.parent[row + at] as usize;
                }
                let mut deep = depth[at];
                while let Some(at) = chain.pop() {
                    deep += 1;
                    depth[at] = deep;
                }
            }
            order.sort_unstable_by_key(|&node| Reverse(depth[node as usize]));
            for &node in &order {
                let parent = row + self.parent[row + node as usize] as usize;
                self.height[parent] = self.height[parent].max(self.height[row + node as usize] + 1);
            }
        }
    }

    /// Has a packet come to a node over another link.
    pub fn hang(&mut self, token: u16, node: u16, parent: u16, link: u16) {
        let at = self.at(token, node);
        self.load[self.via[at] as usize] -= 1;
        self.load[link as usize] += 1;
        self.parent[at] = parent;
        self.via[at] = link;
    }

    /// A packet arrives as it is planned.
    pub fn arrive(&mut self, token: u16, node: u16) {
        let at = self.at(token, node);
        debug_assert!(!self.has[at], "no packet arrives twice");
        self.load[self.via[at] as usize] -= 1;
        self.has[at] = true;
        self.left -= 1;
    }

    /// Moves arcs from links that are planned for more than `most` packets to others, until there are none; gives up after
    /// so many tries. Heights above a change are those of the last survey.
    pub fn balance(&mut self, most: u32, tries: u32) -> bool {
        let loads = self.load.iter().enumerate();
        let mut over: Vec<usize> = loads.filter(|(_, load)| **load > most).map(|(link, _)| link).collect();
        for attempt in 1..=tries {
            if over.is_empty() {
                return true;
            }
            let index = self.random.below(over.len() as u32) as usize;
            let link = over[index];
            if self.load[link] <= most {
                over.swap_remove(index);
                continue;
            }
            if self.on[link].is_empty() {
                return false;
            }
            let place = self.random.below(self.on[link].len() as u32) as usize;
            let (token, node) = self.on[link][place];
            let at = self.at(token, node);
            if self.via[at] as usize != link || self.has[at] {
                self.on[link].swap_remove(place);
                continue;
            }
            let Some((weight, parent, other)) = self.other_way(token, node, most) else { continue };
            if weight > 75 && attempt % 4 != 0 {
                continue;
            }
            self.hang(token, node, parent, other);
            self.on[link].swap_remove(place);
            self.on[other as usize].push((token, node));
            if self.load[other as usize] > most {
                over.push(other as usize);
            }
        }
        over.iter().all(|&link| self.load[link] <= most)
    }

    /// The best other way for a packet to a node: its weight, the neighbour to come from, the link.
    fn other_way(&mut self, token: u16, node: u16, most: u32) -> Option<(u32, u16, u16)> {
        let row = token as usize * self.network.nodes;
        let network = self.network;
        let (via, height) = (self.via[row + node as usize], u32::from(self.height[row + node as usize]));
        let mut best: Option<(u32, u16, u16)> = None;
        for &(parent, link) in &network.around[node as usize] {
            if link == via || self.load[link as usize] > most {
                continue;
            }
            let Some(way) = self.way(row, parent, node) else { continue };
            if way + height > most.div_ceil(self.lanes) {
                continue;
            }
            let full = if self.load[link as usize] < most { 0 } else { 60 };
            let weight = full + 2 * (way + height) + self.random.below(30);
            if best.is_none_or(|(least, ..)| weight < least) {
                best = Some((weight, parent, link));
            }
        }
        best
    }

    /// The length of the way from a holder over `parent` to `node`; none if that comes by `node` itself.
    fn way(&self, row: usize, parent: u16, node: u16) -> Option<u32> {
        let (mut at, mut way) = (parent, 1);
        while !self.has[row + at as usize] {
            if at == node {
                return None;
            }
            at = self.parent[row + at as usize];
            way += 1;
        }
        Some(way)
    }
}
