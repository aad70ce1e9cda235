//! Number of ticks that a cover needs: arithmetic on places, no packet is moved.

use std::cell::OnceCell;
use std::collections::BTreeMap;

use super::search::{RelativeSupply, Supplies};
use super::streams::{self, SupplyPhase, SupplyPlan};
use super::{SupplyError, Switching};
use crate::net::NodeId;
use crate::paths::cover::Cover;
use crate::paths::weave::Packets;

/// The fewest ticks after which every node has every packet.
pub fn ticks(cover: &Cover, supplies: &Supplies, packets: Packets, switching: Switching) -> Result<u32, SupplyError> {
    if switching == Switching::Periodic {
        refuse_lost_packets(cover, supplies)?;
    }
    let residents = vec![OnceCell::new(); cover.cycles()];
    let mut reach = ArrivalTicks { cover, supplies, switching, known: BTreeMap::new(), residents };
    let mut ticks = reach.for_every_place();
    if packets == Packets::Shared {
        while let Some(fewer) = ticks.checked_sub(1).filter(|&fewer| reach.suffices(fewer)) {
            ticks = fewer;
        }
    }
    Ok(ticks)
}

fn refuse_lost_packets(cover: &Cover, supplies: &Supplies) -> Result<(), SupplyError> {
    let lost = |supply: &&RelativeSupply| !streams::periodic_works(supply.distance, cover.length(supply.cycle.into()));
    let lost: Vec<Option<&RelativeSupply>> =
        supplies.of_kind.iter().map(|relatives| relatives.iter().find(lost)).collect();
    if lost.iter().all(Option::is_none) {
        return Ok(());
    }
    let first = cover.topology().node_ids().find_map(|node| {
        let &RelativeSupply { cycle, distance, .. } = lost[supplies.kinds[node.index()].index()]?;
        let length = cover.length(cycle.into());
        let twice_h = streams::twice_h(distance, length);
        Some(SupplyError::NotPeriodic { node, distance, length, twice_h })
    });
    first.map_or(Ok(()), Err)
}

/// Consecutive places of a cycle, the first relative to some origin.
#[derive(Clone, Copy, Debug)]
struct CycleArc {
    first: i64,
    count: i64,
}

/// Arrival ticks by places on the cycles.
struct ArrivalTicks<'a> {
    cover: &'a Cover,
    supplies: &'a Supplies,
    switching: Switching,
    /// ticks to every place, by length, distance and the two delays: few differ
    known: BTreeMap<(u32, u32, u32, u32), u32>,
    /// the nodes at the places of each cycle, once somebody asks
    residents: Vec<OnceCell<Vec<NodeId>>>,
}

impl ArrivalTicks<'_> {
    /// The ticks until each node has seen every place of every cycle.
    fn for_every_place(&mut self) -> u32 {
        let on_cycle = (0..self.cover.cycles()).map(|cycle| ticks_around(self.cover, cycle)).max().unwrap_or(0);
        let supplies = self.supplies;
        supplies.of_kind.iter().flatten().map(|supply| self.supply_ticks(supply)).fold(on_cycle, u32::max)
    }

    fn supply_ticks(&mut self, supply: &RelativeSupply) -> u32 {
        let length = self.cover.length(usize::from(supply.cycle));
        let key = (length, supply.distance, supply.lower.delay(), supply.upper.delay());
        let switching = self.switching;
        *self.known.entry(key).or_insert_with(|| {
            let plan = streams::plan(supply.distance, length, switching);
            let seen = |ticks| gaps(&supplied(supply, &plan, ticks), length).is_empty();
            // no rule needs more than twice around
            let (mut low, mut high) = (0, 2 * length);
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

    /// Returns true if `ticks` suffice although some node has not seen every place: a packet may ride another cycle
    /// too.
    fn suffices(&mut self, ticks: u32) -> bool {
        let (cover, supplies) = (self.cover, self.supplies);
        let too_late = |relatives: &Vec<RelativeSupply>| -> Vec<usize> {
            let late = relatives.iter().filter(|supply| self.supply_ticks(supply) > ticks);
            late.map(|supply| usize::from(supply.cycle)).collect()
        };
        let late: Vec<Vec<usize>> = supplies.of_kind.iter().map(too_late).collect();
        let supplied = late.iter().all(Vec::is_empty)
            || cover.topology().node_ids().all(|node| {
                let mut late = late[supplies.kinds[node.index()].index()].iter();
                late.all(|&cycle| self.has_what_it_missed(cycle, node, ticks))
            });
        supplied
            && (0..cover.cycles()).filter(|&cycle| ticks_around(cover, cycle) > ticks).all(|cycle| {
                let mut nodes = cover.topology().node_ids().filter(|&node| cover.place(cycle, node).is_some());
                nodes.all(|node| self.has_what_it_missed(cycle, node, ticks))
            })
    }

    /// Returns true if the packets at the places a node has not seen have all come by other cycles.
    fn has_what_it_missed(&self, cycle: usize, node: NodeId, ticks: u32) -> bool {
        let length = self.cover.length(cycle);
        let residents = self.residents[cycle].get_or_init(|| self.cover.residents(cycle));
        let (origin, arcs) = self.seen(cycle, node, ticks);
        gaps(&arcs, length).iter().flat_map(|gap| gap.first..gap.first + gap.count).all(|place| {
            let packet = residents[(origin + place).rem_euclid(i64::from(length)) as usize];
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
    fn seen(&self, cycle: usize, node: NodeId, ticks: u32) -> (i64, Vec<CycleArc>) {
        if let Some(supply) = self.supply(cycle, node) {
            let plan = streams::plan(supply.distance, self.cover.length(cycle), self.switching);
            let supporter = supply.at(self.cover, node).lower.supporter;
            let place = self.cover.standing(cycle, supporter).expect("a supporter lies on the cycle");
            (i64::from(place), supplied(supply, &plan, ticks))
        } else {
            let place = self.cover.place(cycle, node).expect("who is not supplied lies on the cycle");
            let (extra, ticks) = (i64::from(self.cover.is_double(node)), i64::from(ticks));
            (i64::from(place), vec![CycleArc { first: -ticks, count: 2 * ticks + 1 + extra }])
        }
    }

    fn supply(&self, cycle: usize, node: NodeId) -> Option<&RelativeSupply> {
        let relatives = &self.supplies.of_kind[self.supplies.kinds[node.index()].index()];
        relatives.iter().find(|supply| usize::from(supply.cycle) == cycle)
    }
}

/// A node on a cycle sees two more places a tick beside its own; a double node needs no more than the others, of which each cycle has
/// some.
fn ticks_around(cover: &Cover, cycle: usize) -> u32 {
    cover.length(cycle) / 2
}

/// The places both feeds bring in so many ticks, relative to where the lower supporter stands.
fn supplied(supply: &RelativeSupply, plan: &SupplyPlan, ticks: u32) -> Vec<CycleArc> {
    let mut arcs = Vec::new();
    let origins = [(&plan.lower, supply.lower, 0), (&plan.upper, supply.upper, i64::from(supply.distance))];
    for (phases, feed, origin) in origins {
        passed_on(phases, ticks.saturating_sub(feed.delay()), origin, &mut arcs);
    }
    arcs
}

/// The places a supporter that stands at `origin` passes on in so many ticks.
fn passed_on(phases: &[SupplyPhase], ticks: u32, origin: i64, arcs: &mut Vec<CycleArc>) {
    arcs.extend(streams::unrolled(phases, ticks).map(|(taus, stream)| {
        let (one, other) = (stream.offset(taus.start), stream.offset(taus.end - 1));
        CycleArc { first: origin + one.min(other), count: i64::from(taus.end - taus.start) }
    }));
}

/// The places of a cycle that no arc covers.
fn gaps(arcs: &[CycleArc], length: u32) -> Vec<CycleArc> {
    let length = i64::from(length);
    if arcs.iter().any(|arc| arc.count >= length) {
        return Vec::new();
    }
    let mut sorted: Vec<CycleArc> =
        arcs.iter().map(|arc| CycleArc { first: arc.first.rem_euclid(length), ..*arc }).collect();
    sorted.sort_unstable_by_key(|arc| arc.first);
    // intervals that wrap around cover the beginning
    let mut next = sorted.iter().map(|arc| arc.first + arc.count - length).max().unwrap_or(0).max(0);
    let mut gaps = Vec::new();
    for arc in sorted.iter().chain([&CycleArc { first: length, count: 0 }]) {
        if arc.first > next {
            gaps.push(CycleArc { first: next, count: arc.first - next });
        }
        next = next.max(arc.first + arc.count);
    }
    gaps
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::net::Port;
    use crate::paths::supply::search::FeedOrigin;

    /// The ticks until a node with supporters this far apart has seen every place.
    fn ticks(length: u32, distance: u32, switching: Switching) -> Option<u32> {
        let from = FeedOrigin { port: Port::plus(0), relay: None };
        let supply = RelativeSupply { cycle: 0, lower: from, upper: from, distance };
        let plan = streams::plan(distance, length, switching);
        (0..=2 * length).find(|&ticks| gaps(&supplied(&supply, &plan, ticks), length).is_empty())
    }

    fn arcs() -> impl Iterator<Item = (u32, u32)> {
        (4..=48).flat_map(|length| (2..=length / 2).map(move |distance| (length, distance)))
    }

    #[test]
    fn gaps_are_the_places_that_no_arc_covers() {
        const LENGTH: u32 = 7;
        let arcs = || (-8..8).flat_map(|first| (0..8).map(move |count| CycleArc { first, count }));
        for (one, other) in arcs().flat_map(|one| arcs().map(move |other| (one, other))) {
            let is_in = |arc: CycleArc, place: i64| (place - arc.first).rem_euclid(LENGTH.into()) < arc.count;
            let uncovered = (0..LENGTH.into()).filter(|&place| !is_in(one, place) && !is_in(other, place));
            let found = gaps(&[one, other], LENGTH).into_iter().flat_map(|gap| gap.first..gap.first + gap.count);
            assert!(found.eq(uncovered), "{one:?} {other:?}");
        }
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
