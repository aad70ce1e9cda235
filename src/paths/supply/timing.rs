//! How many ticks a cover needs: arithmetic on places, no packet is moved.

use std::collections::BTreeMap;

use super::streams::{self, Phase, Plan};
use super::{Supply, SupplyError, Switching};
use crate::net::NodeId;
use crate::paths::cover::Cover;
use crate::paths::weave::Packets;

/// The fewest ticks after which every node has every packet.
pub fn ticks(cover: &Cover, supplies: &[Supply], packets: Packets, switching: Switching) -> Result<u32, SupplyError> {
    if switching == Switching::Periodic {
        refuse_lost_packets(cover, supplies)?;
    }
    let mut reach = Reach { cover, supplies, switching, known: BTreeMap::new() };
    let mut ticks = reach.for_every_place();
    if packets == Packets::Shared {
        let residents: Vec<_> = (0..cover.cycles()).map(|cycle| cover.residents(cycle)).collect();
        while ticks > 0 && reach.suffices(ticks - 1, &residents) {
            ticks -= 1;
        }
    }
    Ok(ticks)
}

fn refuse_lost_packets(cover: &Cover, supplies: &[Supply]) -> Result<(), SupplyError> {
    for &Supply { node, cycle, distance, .. } in supplies {
        let length = cover.length(usize::from(cycle));
        if !streams::periodic_works(distance, length) {
            let twice_h = streams::twice_h(distance, length);
            return Err(SupplyError::NotPeriodic { node, distance, length, twice_h });
        }
    }
    Ok(())
}

/// Consecutive places of a cycle, the first relative to some origin.
#[derive(Clone, Copy, Debug)]
struct Arc {
    first: i64,
    count: i64,
}

/// What arrives where, by places.
struct Reach<'a> {
    cover: &'a Cover,
    supplies: &'a [Supply],
    switching: Switching,
    /// ticks to every place, by length, distance and the two delays: few differ
    known: BTreeMap<(u32, u32, u32, u32), u32>,
}

impl Reach<'_> {
    /// The ticks until each node has seen every place of every cycle.
    fn for_every_place(&mut self) -> u32 {
        let on_cycle = (0..self.cover.cycles()).flat_map(|cycle| {
            let cover = self.cover;
            cover
                .topology()
                .node_ids()
                .filter_map(move |node| cover.place(cycle, node).map(|_| on_cycle_ticks(cover, cycle, node)))
        });
        let on_cycle = on_cycle.max().unwrap_or(0);
        let supplies = self.supplies;
        supplies.iter().map(|supply| self.supply_ticks(supply)).fold(on_cycle, u32::max)
    }

    fn supply_ticks(&mut self, supply: &Supply) -> u32 {
        let length = self.cover.length(usize::from(supply.cycle));
        let key = (length, supply.distance, supply.lower.delay(), supply.upper.delay());
        let switching = self.switching;
        *self.known.entry(key).or_insert_with(|| {
            let plan = streams::plan(supply.distance, length, switching);
            let seen = |ticks| gaps(&supplied(supply, &plan, ticks), length).is_empty();
            // each tick brings at most two places, and no rule needs more than twice around
            let (mut low, mut high) = (length / 2, 2 * length + 2);
            while low < high {
                let middle = low.midpoint(high);
                if seen(middle) {
                    high = middle;
                } else {
                    low = middle + 1;
                }
            }
            low
        })
    }

    /// Whether `ticks` suffice although some node has not seen every place: a packet may ride another cycle too.
    fn suffices(&mut self, ticks: u32, residents: &[Vec<NodeId>]) -> bool {
        let (cover, supplies) = (self.cover, self.supplies);
        let supplied = supplies.iter().all(|supply| {
            let enough = self.supply_ticks(supply) <= ticks;
            enough || self.has_what_it_missed(usize::from(supply.cycle), supply.node, ticks, residents)
        });
        supplied
            && (0..cover.cycles()).filter(|&cycle| cover.length(cycle) / 2 > ticks).all(|cycle| {
                cover.topology().node_ids().filter(|&node| cover.place(cycle, node).is_some()).all(|node| {
                    let enough = on_cycle_ticks(cover, cycle, node) <= ticks;
                    enough || self.has_what_it_missed(cycle, node, ticks, residents)
                })
            })
    }

    /// Whether the packets at the places a node has not seen have all come by other cycles.
    fn has_what_it_missed(&self, cycle: usize, node: NodeId, ticks: u32, residents: &[Vec<NodeId>]) -> bool {
        let length = self.cover.length(cycle);
        let (origin, arcs) = self.seen(cycle, node, ticks);
        gaps(&arcs, length).iter().flat_map(|gap| gap.first..gap.first + gap.count).all(|place| {
            let packet = residents[cycle][(origin + place).rem_euclid(i64::from(length)) as usize];
            packet == node || self.has_by_another_cycle(cycle, node, packet, ticks)
        })
    }

    fn has_by_another_cycle(&self, cycle: usize, node: NodeId, packet: NodeId, ticks: u32) -> bool {
        (0..self.cover.cycles()).filter(|&other| other != cycle).any(|other| {
            self.cover.place(other, packet).is_some_and(|place| {
                let (origin, arcs) = self.seen(other, node, ticks);
                let length = i64::from(self.cover.length(other));
                arcs.iter().any(|arc| (i64::from(place) - origin - arc.first).rem_euclid(length) < arc.count)
            })
        })
    }

    /// The places of a cycle a node has seen, and the place they are relative to.
    fn seen(&self, cycle: usize, node: NodeId, ticks: u32) -> (i64, Vec<Arc>) {
        if let Some(supply) = self.supply(cycle, node) {
            let plan = streams::plan(supply.distance, self.cover.length(cycle), self.switching);
            let place = self.cover.standing(cycle, supply.lower.supporter).expect("a supporter lies on the cycle");
            (i64::from(place), supplied(&supply, &plan, ticks))
        } else {
            let place = self.cover.place(cycle, node).expect("who is not supplied lies on the cycle");
            let (extra, ticks) = (i64::from(self.cover.is_double(node)), i64::from(ticks));
            (i64::from(place), vec![Arc { first: -ticks, count: 2 * ticks + 1 + extra }])
        }
    }

    fn supply(&self, cycle: usize, node: NodeId) -> Option<Supply> {
        if self.cover.place(cycle, node).is_some() {
            return None;
        }
        let index =
            self.supplies.binary_search_by_key(&(node, cycle as u8), |supply| (supply.node, supply.cycle)).ok()?;
        Some(self.supplies[index])
    }
}

/// A node on a cycle sees two more places a tick beside its own.
fn on_cycle_ticks(cover: &Cover, cycle: usize, node: NodeId) -> u32 {
    (cover.length(cycle) - 1).saturating_sub(u32::from(cover.is_double(node))).div_ceil(2)
}

/// The places both feeds bring in so many ticks, relative to where the lower supporter stands.
fn supplied(supply: &Supply, plan: &Plan, ticks: u32) -> Vec<Arc> {
    let mut arcs = Vec::new();
    let origins = [(&plan.lower, supply.lower, 0), (&plan.upper, supply.upper, i64::from(supply.distance))];
    for (phases, feed, origin) in origins {
        passed_on(phases, ticks.saturating_sub(feed.delay()), origin, &mut arcs);
    }
    arcs
}

/// The places a supporter that stands at `origin` passes on in so many ticks.
fn passed_on(phases: &[Phase], ticks: u32, origin: i64, arcs: &mut Vec<Arc>) {
    arcs.extend(streams::unrolled(phases, ticks).map(|(taus, stream)| {
        let (one, other) = (stream.offset(taus.start), stream.offset(taus.end - 1));
        Arc { first: origin + one.min(other), count: i64::from(taus.end - taus.start) }
    }));
}

/// The places of a cycle that no arc covers.
fn gaps(arcs: &[Arc], length: u32) -> Vec<Arc> {
    let length = i64::from(length);
    if arcs.iter().any(|arc| arc.count >= length) {
        return Vec::new();
    }
    let mut sorted: Vec<Arc> = arcs.iter().map(|arc| Arc { first: arc.first.rem_euclid(length), ..*arc }).collect();
    sorted.sort_unstable_by_key(|arc| arc.first);
    // what wraps around covers the beginning
    let mut next = sorted.iter().map(|arc| arc.first + arc.count - length).max().unwrap_or(0).max(0);
    let mut gaps = Vec::new();
    for arc in sorted.iter().chain([&Arc { first: length, count: 0 }]) {
        if arc.first > next {
            gaps.push(Arc { first: next, count: arc.first - next });
        }
        next = next.max(arc.first + arc.count);
    }
    gaps
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::net::Port;
    use crate::paths::supply::Feed;

    /// The ticks until a node with supporters this far apart has seen every place.
    fn ticks(length: u32, distance: u32, switching: Switching) -> Option<u32> {
        let feed = Feed { port: Port::plus(0), supporter: NodeId(0), relay: None };
        let supply = Supply { node: NodeId(0), cycle: 0, lower: feed, upper: feed, distance };
        let plan = streams::plan(distance, length, switching);
        (0..=2 * length).find(|&ticks| gaps(&supplied(&supply, &plan, ticks), length).is_empty())
    }

    fn arcs() -> impl Iterator<Item = (u32, u32)> {
        (4..=48).flat_map(|length| (2..=length / 2).map(move |distance| (length, distance)))
    }

    #[test]
    fn without_switching_the_arc_is_seen_twice() {
        for (length, distance) in arcs() {
            assert_eq!(ticks(length, distance, Switching::None), Some((length + distance + 1).div_ceil(2)));
        }
    }

    #[test]
    fn one_switch_with_memory_takes_half_the_length_whatever_the_distance() {
        for (length, distance) in arcs() {
            assert_eq!(ticks(length, distance, Switching::Memory), Some(length.div_ceil(2)), "{length} {distance}");
        }
    }

    #[test]
    fn periodic_switching_takes_half_the_length_where_it_works() {
        for (length, distance) in arcs().filter(|&(length, distance)| streams::periodic_works(distance, length)) {
            let exact = streams::twice_h(distance, length) == 2 * distance;
            let expected = if exact { length / 2 } else { length / 2 + 1 };
            assert_eq!(ticks(length, distance, Switching::Periodic), Some(expected), "{length} {distance}");
        }
    }

    #[test]
    fn neighbours_on_the_cycle_need_no_switch() {
        for (length, switching) in (4..=20).flat_map(|length| Switching::ALL.map(|switching| (length, switching))) {
            assert_eq!(ticks(length, 1, switching), Some(length.div_ceil(2)));
            assert_eq!(ticks(length, 0, switching), Some(length / 2 + 1));
        }
    }
}
