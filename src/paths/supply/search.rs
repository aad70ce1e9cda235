//! Search for free links that bring an off-cycle node the cycles it misses.

use std::collections::HashMap;

use super::{Feed, Supply, SupplyError};
use crate::net::{NodeId, OUTSIDE, Port};
use crate::paths::cover::Cover;
use crate::program::{ClassId, ClassMap};

/// The supply of every node: few differ but in where their nodes are.
pub struct Supplies {
    /// Kind of every node, by node.
    pub kinds: ClassMap,
    /// By kind, in the order of cycles.
    pub of_kind: Vec<Vec<RelativeSupply>>,
}

/// A supply as seen from its node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct RelativeSupply {
    pub cycle: u8,
    pub lower: FeedOrigin,
    pub upper: FeedOrigin,
    pub distance: u32,
}

/// Origin of a feed: the port it enters by, and if that neighbour relays, the neighbour's own input port.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FeedOrigin {
    pub port: Port,
    pub relay: Option<Port>,
}

impl FeedOrigin {
    /// Ticks the stream is late.
    pub fn delay(self) -> u32 {
        u32::from(self.relay.is_some())
    }

    fn feed(self, cover: &Cover, node: NodeId) -> Feed {
        let link = |node, port| cover.topology().step(node, port).expect("a feed comes over a link");
        let neighbour = link(node, self.port);
        let supporter = self.relay.map_or(neighbour, |port| link(neighbour, port));
        Feed { port: self.port, supporter, relay: self.relay }
    }
}

impl Supplies {
    /// Finds the supplies of every node of a cover, see [`super::supplies`].
    pub fn of(cover: &Cover) -> Result<Self, SupplyError> {
        let topology = cover.topology();
        let mut kinds = SupplyKinds::default();
        let nobody = kinds.number(&[]);
        let mut of_node = ClassMap::with_capacity(topology.nodes() as usize);
        let mut stranded = Vec::new();
        let mut search = SupplySearch::new(cover);
        // the result depends on the surroundings alone
        let mut known: HashMap<Vec<u32>, Option<ClassId>> = HashMap::new();
        let (mut surroundings, mut last) = (Vec::new(), (Vec::new(), Some(nobody)));
        topology.sweep(0..topology.nodes(), |node, neighbours| {
            look_around(cover, node, neighbours, &mut surroundings);
            if surroundings.is_empty() {
                // on all cycles
                of_node.push(nobody);
                return;
            }
            if surroundings != last.0 {
                let found = known.get(&surroundings).copied();
                let kind = found.unwrap_or_else(|| search.run(node).then(|| kinds.number(&search.best)));
                if found.is_none() {
                    known.insert(surroundings.clone(), kind);
                }
                last = (surroundings.clone(), kind);
            }
            if last.1.is_none() {
                stranded.push(node);
            }
            of_node.push(last.1.unwrap_or(nobody));
        });
        for supply in relay(cover, &stranded)? {
            of_node.set(supply.node, kinds.number(&[supply]));
        }
        Ok(Self { kinds: of_node, of_kind: kinds.of_kind })
    }

    /// Returns the supplies of a node, one per cycle that it misses.
    pub fn at(&self, cover: &Cover, node: NodeId) -> impl Iterator<Item = Supply> {
        let relatives = &self.of_kind[self.kinds[node.index()].index()];
        relatives.iter().map(move |relative| relative.at(cover, node))
    }
}

impl RelativeSupply {
    /// The supply of a node.
    pub fn at(&self, cover: &Cover, node: NodeId) -> Supply {
        let &Self { cycle, lower, upper, distance } = self;
        Supply { node, cycle, lower: lower.feed(cover, node), upper: upper.feed(cover, node), distance }
    }
}

/// The different supplies, numbered.
#[derive(Default)]
struct SupplyKinds {
    of_kind: Vec<Vec<RelativeSupply>>,
    ids: HashMap<Vec<RelativeSupply>, ClassId>,
}

impl SupplyKinds {
    fn number(&mut self, supplies: &[Supply]) -> ClassId {
        let from = |Feed { port, relay, .. }| FeedOrigin { port, relay };
        let relative = |supply: &Supply| RelativeSupply {
            cycle: supply.cycle,
            lower: from(supply.lower),
            upper: from(supply.upper),
            distance: supply.distance,
        };
        let relatives: Vec<RelativeSupply> = supplies.iter().map(relative).collect();
        let next = ClassId(self.of_kind.len() as u32);
        *self.ids.entry(relatives).or_insert_with_key(|relatives| {
            self.of_kind.push(relatives.clone());
            next
        })
    }
}

/// All that the search asks of a node's surroundings: the cycles that it misses and, for every port and each of them, where
/// the neighbour there stands, counted from the first one that stands on it. Nothing for a node on all cycles.
fn look_around(cover: &Cover, node: NodeId, neighbours: &[NodeId], surroundings: &mut Vec<u32>) {
    const NOWHERE: u32 = u32::MAX;
    surroundings.clear();
    for cycle in (0..cover.cycles()).filter(|&cycle| cover.place(cycle, node).is_none()) {
        surroundings.push(cycle as u32);
        let length = cover.length(cycle);
        let mut first = None;
        for (&neighbour, port) in neighbours.iter().zip(cover.topology().port_ids()) {
            let is_free = neighbour != OUTSIDE && cover.owner(node, port).is_none();
            let standing = if is_free { cover.standing(cycle, neighbour) } else { None };
            surroundings.push(match (standing, first) {
                // a port that is free leads somewhere, even if not to the cycle
                (None, _) => NOWHERE - u32::from(is_free),
                (Some(place), Some(first)) => places_from(first, place, length),
                (Some(_), None) => 0,
            });
            first = first.or(standing);
        }
    }
}

/// Distance from one place to another along a cycle of the given length.
fn places_from(one: u32, other: u32, length: u32) -> u32 {
    (other + length - one) % length
}

/// Orders two feeds along the shorter arc between their supporters; of equal arcs the one from `one` to `other`.
fn pair(cover: &Cover, node: NodeId, cycle: usize, one: Feed, other: Feed) -> Supply {
    let length = cover.length(cycle);
    let place = |feed: Feed| cover.standing(cycle, feed.supporter).expect("a supporter lies on the cycle");
    let there = places_from(place(one), place(other), length);
    let back = places_from(place(other), place(one), length);
    let (lower, upper, distance) = if there <= back { (one, other, there) } else { (other, one, back) };
    Supply { node, cycle: cycle as u8, lower, upper, distance }
}

/// The supply of one node from its neighbours: two free links for every cycle it misses.
pub(super) struct SupplySearch<'a> {
    cover: &'a Cover,
    node: NodeId,
    missing: Vec<usize>,
    chosen: Vec<Supply>,
    pub(super) best: Vec<Supply>,
}

impl<'a> SupplySearch<'a> {
    pub(super) fn new(cover: &'a Cover) -> Self {
        Self { cover, node: NodeId(0), missing: Vec::new(), chosen: Vec::new(), best: Vec::new() }
    }

    /// Leaves the best supply of a node in `best`, in the order of cycles; false if there is none.
    pub(super) fn run(&mut self, node: NodeId) -> bool {
        let cover = self.cover;
        self.node = node;
        self.missing.clear();
        self.missing.extend((0..cover.cycles()).filter(|&cycle| cover.place(cycle, node).is_none()));
        self.best.clear();
        if self.missing.is_empty() {
            return true;
        }
        let free = cover.topology().port_ids().filter(|&port| cover.owner(node, port).is_none());
        self.assign(free.map(|port| 1 << port.index()).sum());
        !self.best.is_empty()
    }

    /// Tries every pair of ports left in `free` for the next cycle.
    fn assign(&mut self, free: u64) {
        if !self.best.is_empty() && cost(&self.chosen) > cost(&self.best) {
            return;
        }
        let Some(&cycle) = self.missing.get(self.chosen.len()) else {
            if self.best.is_empty() || (cost(&self.chosen), links(&self.chosen)) < (cost(&self.best), links(&self.best))
            {
                self.best.clone_from(&self.chosen);
            }
            return;
        };
        for first in ports(free) {
            let Some(one) = self.feed(cycle, first) else { continue };
            for second in ports(free & (u64::MAX << first.index() << 1)) {
                let Some(other) = self.feed(cycle, second) else { continue };
                self.chosen.push(pair(self.cover, self.node, cycle, one, other));
                self.assign(free & !(1 << first.index()) & !(1 << second.index()));
                self.chosen.pop();
            }
        }
    }

    fn feed(&self, cycle: usize, port: Port) -> Option<Feed> {
        let supporter = self.cover.topology().step(self.node, port)?;
        self.cover.place(cycle, supporter).map(|_| Feed { port, supporter, relay: None })
    }
}

/// The ports in a mask, in order.
fn ports(mut mask: u64) -> impl Iterator<Item = Port> {
    std::iter::from_fn(move || {
        let index = mask.trailing_zeros();
        mask &= mask.checked_sub(1)?;
        Some(Port::from_index(index as usize))
    })
}

/// The largest distance, then the sum: neither shrinks as more cycles are assigned.
fn cost(supplies: &[Supply]) -> (u32, u64) {
    let distances = supplies.iter().map(|supply| supply.distance);
    (distances.clone().max().unwrap_or(0), distances.map(u64::from).sum())
}

/// Breaks ties between equal costs by ports, whatever the cycles' numbers: those differ from node to node in
/// surroundings that are otherwise alike.
fn links(supplies: &[Supply]) -> Vec<(u32, Port, Port)> {
    let mut links: Vec<_> =
        supplies.iter().map(|supply| (supply.distance, supply.lower.port, supply.upper.port)).collect();
    links.sort_unstable();
    links
}

/// Neighbours that each have one link to the cycle both miss pass on to each other what they receive (section 3.3).
fn relay(cover: &Cover, stranded: &[NodeId]) -> Result<Vec<Supply>, SupplyError> {
    let mut found = Vec::new();
    let mut served = vec![false; stranded.len()];
    for index in 0..stranded.len() {
        if served[index] {
            continue;
        }
        let node = stranded[index];
        let cycle = (0..cover.cycles()).find(|&cycle| cover.place(cycle, node).is_none()).expect("it misses a cycle");
        let (partner, supplies) = cover
            .topology()
            .port_ids()
            .find_map(|port| {
                let partner = stranded.binary_search(&cover.topology().step(node, port)?).ok()?;
                if served[partner] {
                    return None;
                }
                exchange(cover, cycle, node, port).map(|supplies| (partner, supplies))
            })
            .ok_or(SupplyError::Unsupported { node, cycle })?;
        served[index] = true;
        served[partner] = true;
        found.extend(supplies);
    }
    Ok(found)
}

/// The supply of a node and its neighbour at `port` that relay to each other, if both miss just this cycle.
fn exchange(cover: &Cover, cycle: usize, node: NodeId, port: Port) -> Option<[Supply; 2]> {
    let topology = cover.topology();
    let partner = topology.step(node, port)?;
    let only = |node| (0..cover.cycles()).all(|other| (cover.place(other, node).is_none()) == (other == cycle));
    if cover.owner(node, port).is_some() || !only(node) || !only(partner) {
        return None;
    }
    let direct = |node: NodeId, except: Port| {
        topology.port_ids().filter(move |&port| port != except && cover.owner(node, port).is_none()).find_map(|port| {
            let supporter = topology.step(node, port)?;
            cover.place(cycle, supporter).map(|_| Feed { port, supporter, relay: None })
        })
    };
    let near = direct(node, port)?;
    let far = direct(partner, port.opposite())?;
    let relayed = |port: Port, feed: Feed| Feed { port, supporter: feed.supporter, relay: Some(feed.port) };
    // both pairs in one order, so that a stream has the same part for the node and for its partner
    Some([
        pair(cover, node, cycle, near, relayed(port, far)),
        pair(cover, partner, cycle, relayed(port.opposite(), near), far),
    ])
}
