//! Coordinates of the loops that reach a node's ports, and whether they are complete.

use std::collections::HashMap;

use super::loops::{Loop, Loops, Mirror};
use super::{MOST_HOPS, Obstacle, OutputSpans, upstream};
use crate::check::{LinkUse, Tally, Violation, token};
use crate::net::NodeId;
use crate::program::{Program, Source};

const NOWHERE: u32 = u32::MAX;

/// Coordinates `start`, `start + 1`, ... of a loop, modulo its length.
#[derive(Clone, Copy)]
pub(super) struct LoopWindow {
    pub(super) start: u32,
    pub(super) count: u32,
}

/// Everything a node receives, as windows; a vector for each loop.
type ReceivedWindows = Vec<Vec<LoopWindow>>;

/// Knows where every packet is, and collects what every node sees.
pub(super) struct Windows<'a> {
    program: &'a Program,
    spans: &'a OutputSpans,
    loops: &'a Loops,
    /// the first coordinate of each packet on each loop that is not the mirror of another
    places: Vec<Vec<u32>>,
    /// packets that a loop carries more than once, which none of our constructions does
    again: Vec<HashMap<u32, Vec<u32>>>,
}

impl<'a> Windows<'a> {
    pub(super) fn new(program: &'a Program, spans: &'a OutputSpans, loops: &'a Loops) -> Self {
        let place = |packets: &[u32]| {
            let mut places = vec![NOWHERE; program.demand.packets() as usize];
            let mut again: HashMap<u32, Vec<u32>> = HashMap::new();
            for (coordinate, &packet) in (0..).zip(packets) {
                match &mut places[packet as usize] {
                    place if *place == NOWHERE => *place = coordinate,
                    _ => again.entry(packet).or_default().push(coordinate),
                }
            }
            (places, again)
        };
        let of_loop = |each: &Loop| if each.mirror.is_some() { Default::default() } else { place(&each.packets) };
        let (places, again) = loops.all.iter().map(of_loop).unzip();
        Self { program, spans, loops, places, again }
    }

    /// The nodes that do not know everything after `tick`, and what the links carry until then.
    pub(super) fn missing(&self, tick: u32) -> Result<(Vec<Violation>, LinkUse), Obstacle> {
        if let Some(packet) = self.homeless() {
            let register = packet / self.program.demand.most_packets() as usize * self.program.topology.ports();
            return Err(Obstacle { register, why: "a packet of the node is on no loop" });
        }
        let mut seen = self.nothing();
        let mut found = Vec::new();
        let mut links = Tally::new();
        for node in self.program.topology.node_ids() {
            self.look(node, tick, &mut seen, &mut links)?;
            let (missing, first) = self.unseen(&seen);
            if let Some(first) = first {
                let program = self.program;
                let (node, first) = (program.topology.coords(node), token(program, u64::from(first)));
                found.push(Violation::Missing { node, missing, first });
            }
        }
        Ok((found, links.link_use()))
    }

    /// Returns true if every node knows everything after `tick`.
    pub(super) fn is_complete(&self, tick: u32) -> bool {
        let mut seen = self.nothing();
        self.program.topology.node_ids().all(|node| {
            let looked = self.look(node, tick, &mut seen, &mut Tally::new());
            looked.is_ok() && self.unseen(&seen).1.is_none()
        })
    }

    fn nothing(&self) -> ReceivedWindows {
        vec![Vec::new(); self.loops.all.len()]
    }

    /// A packet that no loop carries.
    fn homeless(&self) -> Option<usize> {
        let somewhere =
            |packet: usize| self.places.iter().any(|places| places.get(packet).is_some_and(|&p| p != NOWHERE));
        (0..self.program.demand.packets() as usize).find(|&packet| !somewhere(packet))
    }

    /// Collects what a node knows after `tick`: its own packets and what has arrived, link by link.
    fn look(&self, node: NodeId, tick: u32, seen: &mut ReceivedWindows, links: &mut Tally) -> Result<(), Obstacle> {
        for windows in &mut *seen {
            windows.clear();
        }
        let topology = &self.program.topology;
        for packet in 0..self.program.demand.most_packets() {
            self.see_packet(node.0 * self.program.demand.most_packets() + packet, seen);
        }
        for register in topology.port_ids().filter_map(|port| topology.arriving(node, port)) {
            links.add(self.see(register, 1, tick, 0, seen)?);
        }
        for windows in seen {
            windows.sort_unstable_by_key(|window| window.start);
        }
        Ok(())
    }

    /// Adds what a register holds during some ticks; returns in how many of them it holds anything.
    fn see(
        &self,
        register: usize,
        first: u32,
        last: u32,
        hops: u32,
        seen: &mut ReceivedWindows,
    ) -> Result<u32, Obstacle> {
        if hops > MOST_HOPS {
            return Err(Obstacle { register, why: "it is too many hops away from any loop" });
        }
        let mut held = 0;
        for span in self.spans.of(self.program, register) {
            let (first, last) = (first.max(span.first), last.min(span.last));
            if first > last || span.source == Source::Idle {
                continue;
            }
            let ticks = last - first + 1;
            held += match (self.loops.at(register), span.source) {
                (Some((index, phi)), _) => {
                    self.see_window(index, first, phi, ticks, seen);
                    ticks
                }
                (None, Source::In { port, age, .. }) if last > age => {
                    let first = first.saturating_sub(age).max(1);
                    self.see(upstream(self.program, register, port), first, last - age, hops + 1, seen)?
                }
                (None, Source::Own { packet, .. }) => {
                    let node = (register / self.program.topology.ports()) as u32;
                    self.see_packet(node * self.program.demand.most_packets() + packet, seen);
                    ticks
                }
                // a read of flits from before the first tick
                (None, _) => 0,
            };
        }
        Ok(held)
    }

    /// Adds the coordinates that a register of a loop shows from `tick` on.
    fn see_window(&self, index: usize, tick: u32, phi: u32, count: u32, seen: &mut ReceivedWindows) {
        let each = &self.loops.all[index];
        let (length, count) = (u64::from(each.length), count.min(each.length));
        let start = (u64::from(tick) + length - u64::from(phi)) % length;
        match each.mirror {
            None => seen[index].push(LoopWindow { start: start as u32, count }),
            Some(Mirror { other, sum }) => {
                let last = start + u64::from(count) - 1;
                let start = (u64::from(sum) + 2 * length - last) % length;
                seen[other].push(LoopWindow { start: start as u32, count });
            }
        }
    }

    /// Adds a single packet, on every loop that carries it.
    fn see_packet(&self, packet: u32, seen: &mut ReceivedWindows) {
        for (places, windows) in self.places.iter().zip(seen) {
            if let Some(&start) = places.get(packet as usize).filter(|&&place| place != NOWHERE) {
                windows.push(LoopWindow { start, count: 1 });
            }
        }
    }

    /// Number of packets not seen, and the first of them. A packet may be seen on any of its loops.
    fn unseen(&self, seen: &ReceivedWindows) -> (u64, Option<u32>) {
        let mut missing: Vec<u32> = Vec::new();
        for (index, windows) in seen.iter().enumerate().filter(|&(index, _)| self.loops.all[index].mirror.is_none()) {
            let each = &self.loops.all[index];
            for_each_gap(windows, each.length, |coordinate| {
                let packet = each.packets[coordinate as usize];
                if !self.is_seen_elsewhere(packet, seen) {
                    missing.push(packet);
                }
            });
        }
        missing.sort_unstable();
        missing.dedup();
        (missing.len() as u64, missing.first().copied())
    }

    /// Returns true if a packet is seen at another coordinate than one at which it is not.
    fn is_seen_elsewhere(&self, packet: u32, seen: &ReceivedWindows) -> bool {
        self.places.iter().zip(&self.again).enumerate().any(|(index, (places, again))| {
            let first = places.get(packet as usize).filter(|&&place| place != NOWHERE);
            let length = self.loops.all[index].length;
            let is_seen =
                |place: u32| seen[index].iter().any(|window| (place + length - window.start) % length < window.count);
            first.into_iter().chain(again.get(&packet).into_iter().flatten()).any(|&place| is_seen(place))
        })
    }
}

/// Calls back for every coordinate that no window covers. The windows are sorted by their start.
pub(super) fn for_each_gap(windows: &[LoopWindow], length: u32, mut gap: impl FnMut(u32)) {
    // windows that run over the end cover the beginning too
    let wrapped =
        windows.iter().map(|window| (u64::from(window.start) + u64::from(window.count)).saturating_sub(length.into()));
    let mut covered = wrapped.max().unwrap_or(0) as u32;
    for window in windows {
        (covered..window.start).for_each(&mut gap);
        covered = covered.max(window.start.saturating_add(window.count)).min(length);
    }
    (covered..length).for_each(&mut gap);
}
