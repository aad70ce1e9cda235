//! Packets that arrive at a port over time, by arithmetic on the places of a cycle: no packet is followed.

use std::ops::Range;

use super::Explainer;
use crate::net::{NodeId, Port};
use crate::paths::cover::Cover;
use crate::paths::supply::{self, Half, Supply, Switching};
use crate::paths::weave::{self, Packets};
use crate::program::count;

/// One stream of a cycle for some ticks: a packet per tick, from place after place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SuppliedStream {
    /// The cycle whose packets they are.
    pub cycle: usize,
    /// The first tick in which one arrives.
    pub first: u32,
    /// Last tick of the stream.
    pub last: u32,
    /// The place the first packet comes from.
    pub place: u32,
    /// Direction of travel along the cycle.
    pub way: Along,
}

/// A direction along a cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Along {
    /// "+": packets travel to later places, so they come from earlier and earlier ones.
    Forward,
    /// "-": the other way.
    Backward,
}

impl SuppliedStream {
    /// The place whose packet arrives in a tick.
    pub fn place_at(&self, tick: u32, length: u32) -> Option<u32> {
        let steps = (self.first..=self.last).contains(&tick).then(|| i64::from(tick - self.first))?;
        let place = match self.way {
            Along::Forward => i64::from(self.place) - steps,
            Along::Backward => i64::from(self.place) + steps,
        };
        Some(place.rem_euclid(i64::from(length)) as u32)
    }
}

/// Role of a supporter: the paper's A or B.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PaperRole {
    /// The supporter at which the shorter arc begins.
    A,
    /// The supporter at which it ends.
    B,
}

impl Explainer<'_> {
    /// Supply that a port of a node provides, with the role of the supporter.
    pub fn supply_at(&self, node: NodeId, port: Port) -> Option<(Supply, PaperRole)> {
        let role = |supply: &Supply| match port {
            _ if supply.lower.port == port => Some((*supply, PaperRole::A)),
            _ if supply.upper.port == port => Some((*supply, PaperRole::B)),
            _ => None,
        };
        self.supplies_of(node).iter().find_map(role)
    }

    /// The streams that arrive at a port, in the order of their ticks; none where the program follows no cycles.
    pub fn streams(&self, node: NodeId, port: Port) -> Vec<SuppliedStream> {
        let Some(cover) = self.cover else { return Vec::new() };
        let last = self.last_arrival(node, port);
        if let Some(cycle) = cover.owner(node, port) {
            let visit = cover.visit(cycle, node).expect("the owner of a link passes both its ends");
            let length = cover.length(cycle);
            let (place, way) = if port == visit.from {
                (visit.place + length - 1, Along::Forward)
            } else {
                (visit.place + 1 + u32::from(visit.double), Along::Backward)
            };
            return vec![SuppliedStream { cycle, first: 1, last, place: place % length, way }];
        }
        self.supply_at(node, port).map_or(Vec::new(), |(supply, role)| self.supplied(cover, &supply, role, last))
    }

    fn supplied(&self, cover: &Cover, supply: &Supply, role: PaperRole, last: u32) -> Vec<SuppliedStream> {
        let cycle = usize::from(supply.cycle);
        let length = cover.length(cycle);
        let plan = supply::plan(supply.distance, length, self.switching);
        let (phases, feed) = match role {
            PaperRole::A => (plan.lower, supply.lower),
            PaperRole::B => (plan.upper, supply.upper),
        };
        // tau = 0 is the supporter's own packet, a relay costs a tick
        let zero = 1 + u32::from(feed.relay.is_some());
        let place = i64::from(cover.standing(cycle, feed.supporter).expect("a supporter lies on the cycle"));
        let stream = |(taus, stream): (Range<u32>, supply::SupplyStream)| SuppliedStream {
            cycle,
            first: zero + taus.start,
            last: zero + taus.end - 1,
            place: (place + stream.offset(taus.start)).rem_euclid(i64::from(length)) as u32,
            way: match stream {
                supply::SupplyStream::Forward => Along::Forward,
                supply::SupplyStream::Backward { .. } => Along::Backward,
            },
        };
        supply::unrolled(&phases, (last + 1).saturating_sub(zero)).map(stream).collect()
    }

    /// The last tick in which something arrives: a Hamiltonian cycle of even length is silent in the last one.
    fn last_arrival(&self, node: NodeId, port: Port) -> u32 {
        let Some(sender) = self.program.topology.step(node, port) else { return 0 };
        let track = &self.program.class(sender).outputs[port.opposite().index()];
        if track.repeat_from.is_some() {
            return self.program.ticks;
        }
        let silent = track.runs.iter().rev().take_while(|run| run.source == crate::program::Source::Idle);
        self.program.ticks - silent.map(|run| run.ticks).sum::<u32>()
    }

    /// The node at a place of a cycle, and which of its packets it contributes there to what travels this way.
    pub fn packet_of(&self, cycle: usize, place: u32, way: Along) -> (NodeId, u32) {
        let cover = self.cover.expect("places are on cycles");
        let node = self.residents[cycle][place as usize];
        let visit = cover.visit(cycle, node).expect("a resident lies on its cycle");
        let packets = [Packets::Shared, Packets::PerWay]
            .into_iter()
            .find(|packets| packets.per_node(cover) == self.program.packets());
        let packets = packets.unwrap_or(Packets::PerCycle);
        let own = weave::own_packets(cover, packets, node, visit);
        let is_last = if packets == Packets::PerWay { way == Along::Forward } else { place != visit.place };
        (node, own[usize::from(is_last)].into())
    }

    /// The packet of a stream that arrives in a tick.
    pub fn packet_at(&self, stream: &SuppliedStream, tick: u32) -> Option<(NodeId, u32)> {
        let length = self.cover?.length(stream.cycle);
        Some(self.packet_of(stream.cycle, stream.place_at(tick, length)?, stream.way))
    }

    /// Why two supporters send what they send.
    pub fn reason(&self, supply: &Supply) -> String {
        let cover = self.cover.expect("supply is along cycles");
        let (d, length) = (supply.distance, cover.length(usize::from(supply.cycle)));
        let unit = self.times.unit();
        match self.switching {
            _ if d <= 1 => format!(
                "A and B stand {} on the cycle, so each sends the stream that does not come by the other: nothing comes \
                 twice, and nothing has to switch",
                if d == 0 { "at one place" } else { "side by side" }
            ),
            Switching::None => format!(
                "no switching: A sends the stream that runs backward, B the one that runs forward, all the time. Both begin \
                 with the arc between them, so its {} packets come twice, and every place has come in ceil((L + D + 1)/2) = {}",
                d + 1,
                self.enough((length + d + 1).div_ceil(2)),
            ),
            Switching::Memory => format!(
                "A sends the stream that runs forward all the time. In D = {d} {unit}s B has sent the arc from itself back to \
                 the place after A; next on its stream is A's own packet, which A sent first. So B switches after {d} {unit}s \
                 to the stream that runs backward, out of a delay line {} late so that what passed B meanwhile comes \
                 too: no place comes twice before all have come, which takes ceil(L/2) = {}",
                count(u64::from(d) - 1, unit),
                self.enough(length.div_ceil(2)),
            ),
            Switching::Periodic => {
                let twice_h = supply::twice_h(d, length);
                let half = Half(twice_h);
                format!(
                    "no delay line: A and B change streams every h = gcd(2D, L)/2 = {half} {unit}s, D/h = {}, so that what \
                     the one leaves out the other sends, and every place comes in some run of one of them",
                    2 * d / twice_h
                )
            }
        }
    }

    /// The ticks a cycle needs, and why the program may do with fewer.
    fn enough(&self, ticks: u32) -> String {
        let fewer =
            format!("; {} are enough, as what is missing by then has come by another cycle", self.program.ticks);
        format!("{ticks} {}s{}", self.times.unit(), if self.program.ticks < ticks { &fewer } else { "" })
    }
}
