//! Programs whose cycles pass some nodes by: their neighbours on the cycle supply them. One walk along each cycle gives
//! every node its places; what a neighbour sends is a few windows of places, the same for all of its class.
//!
//! Seen from a slot (see [`Slots`]) a cycle has coordinates of its own, so an output of a class, whatever it reads when,
//! sends windows of its node's coordinates.
//!
//! Only what is complete is certified here. All else is left to [`Loops`](super::loops::Loops) and
//! [`Windows`], which ask every register and say what is missing.

use std::collections::HashSet;

use super::places::{Places, SlotPlace};
use super::slots::{PortSlot, Slots};
use super::windows::{LoopWindow, for_each_gap};
use super::{MOST_HOPS, OutputSpans};
use crate::check::{CheckReport, LinkUse, Method};
use crate::net::{NodeId, Port};
use crate::program::{Program, Source, Span};

/// Number of windows up to which looking at them is cheaper than finding out whether they are known.
const FEW_WINDOWS: usize = 32;
/// Limit on coordinates, still unseen a tick before the end, that are looked up on other cycles.
const MOST_LOOKED_UP: usize = 50;

/// Certifies a program of whole packets whose cycles are supplied to those that they pass by.
pub(super) fn certify(program: &Program, spans: &OutputSpans) -> Option<CheckReport> {
    let slots = Slots::of(program, spans)?;
    let places = Places::walk(program, &slots)?;
    let supplied = Supplied { program, spans, slots: &slots, places: &places };
    let ticks = program.ticks;
    let now = supplied.outputs(ticks);
    let mut seen = vec![Vec::new(); places.lengths.len()];
    let (mut is_complete, mut known) = (true, HashSet::new());
    program.topology.sweep(0..program.topology.nodes(), |node, neighbours| {
        is_complete = is_complete && supplied.sees_all(node, neighbours, &now, &mut seen, &mut known);
    });
    if !is_complete {
        return None;
    }
    // no tick is wasted: before the last one somebody lacks something
    let before = ticks.checked_sub(1)?;
    let outputs = supplied.outputs(before);
    let unseen = program.topology.node_ids().flat_map(|node| supplied.unseen(node, before, &outputs));
    unseen.take(MOST_LOOKED_UP).any(|is_lacking| is_lacking).then(|| CheckReport {
        method: Method::Structure,
        complete_at: Some(ticks),
        steps: Some(ticks),
        duplicates: None,
        traffic: None,
        link_use: Some(supplied.link_use()),
        violations: Vec::new(),
    })
}

/// Part of an output's traffic: coordinates of its own node, or the input at a port that no cycle joins.
#[derive(Clone, Copy)]
enum TrafficPiece {
    Window { slot: usize, low: i64, high: i64 },
    Through { port: Port, first: u32, last: u32 },
}

/// All that an output of a class sends; there may be thousands of pieces, and it is asked at every node whether any is relayed.
struct OutputTraffic {
    pieces: Vec<TrafficPiece>,
    is_relay: bool,
}

/// A node, its class, and which of all outputs of all classes it sends by.
struct OutputSender {
    node: NodeId,
    class: usize,
    output: usize,
}

struct Supplied<'a> {
    program: &'a Program,
    spans: &'a OutputSpans,
    slots: &'a Slots,
    places: &'a Places,
}

impl Supplied<'_> {
    /// Traffic of every output of every class until a tick.
    fn outputs(&self, last: u32) -> Vec<OutputTraffic> {
        let ports = self.program.topology.ports();
        let output = |index| {
            let pieces = self.pieces(index / ports, index % ports, 1, last);
            let is_relay = pieces.iter().any(|piece| matches!(piece, TrafficPiece::Through { .. }));
            OutputTraffic { pieces, is_relay }
        };
        (0..self.spans.0.len()).map(output).collect()
    }

    /// Traffic of an output of a class during some ticks.
    fn pieces(&self, class: usize, port: usize, first: u32, last: u32) -> Vec<TrafficPiece> {
        let slots = self.slots.of_class(class);
        let mut pieces = Vec::new();
        for span in &self.spans.0[class * self.program.topology.ports() + port] {
            let (first, last) = (first.max(span.first), last.min(span.last));
            if first > last {
                continue;
            }
            match span.source {
                Source::Own { packet, .. } => {
                    for (slot, PortSlot { own, .. }) in slots.iter().enumerate() {
                        for (low, _) in (0..).zip(own).filter(|&(_, &other)| other == packet) {
                            pieces.push(TrafficPiece::Window { slot, low, high: low });
                        }
                    }
                }
                Source::In { port, age, .. } => {
                    let (first, last) = (first.saturating_sub(age).max(1), last.checked_sub(age));
                    pieces.extend(last.map(|last| self.arriving(class, port, first, last)));
                }
                _ => {}
            }
        }
        pieces
    }

    /// Traffic that arrives at a port of a class during some ticks.
    fn arriving(&self, class: usize, port: Port, first: u32, last: u32) -> TrafficPiece {
        let Some(slot) = self.slots.at(class, port) else { return TrafficPiece::Through { port, first, last } };
        let PortSlot { a, age, .. } = self.slots.of_class(class)[slot];
        let (first, last, beyond) = (i64::from(first), i64::from(last), i64::from(age) - 1);
        let (low, high) = if a == port { (-last, -first) } else { (beyond + first, beyond + last) };
        TrafficPiece::Window { slot, low, high }
    }

    /// Adds the windows of an output's pieces.
    fn see(&self, node: NodeId, pieces: &[TrafficPiece], hops: u32, seen: &mut [Vec<LoopWindow>]) -> Option<()> {
        for piece in pieces {
            match *piece {
                TrafficPiece::Window { slot, low, high } => {
                    let class = self.program.class_of[node.index()].index();
                    let place = self.places.at(node, slot);
                    let age = self.slots.of_class(class)[slot].age;
                    let window = self.window(place, age, low, high);
                    seen[place.cycle].push(window);
                }
                TrafficPiece::Through { .. } if hops == MOST_HOPS => return None,
                TrafficPiece::Through { port, first, last } => {
                    let from = self.program.topology.step(node, port)?;
                    let class = self.program.class_of[from.index()].index();
                    let pieces = self.pieces(class, port.opposite().index(), first, last);
                    self.see(from, &pieces, hops + 1, seen)?;
                }
            }
        }
        Some(())
    }

    /// A window of a node's own coordinates as one of the cycle's.
    fn window(&self, place: SlotPlace, age: u32, low: i64, high: i64) -> LoopWindow {
        let length = i64::from(self.places.lengths[place.cycle]);
        let start = place.first + if place.is_forward { low } else { i64::from(age) - 1 - high };
        LoopWindow { start: wrapped(start, length), count: (high - low + 1).min(length).unsigned_abs() as u32 }
    }

    /// Collects all that a node has seen after a tick: of cycles that pass it its own packets and as many more either way as
    /// there were ticks, of the others what has come in.
    fn look(&self, node: NodeId, tick: u32, outputs: &[OutputTraffic]) -> Option<Vec<Vec<LoopWindow>>> {
        let mut seen = vec![Vec::new(); self.places.lengths.len()];
        let (program, topology) = (self.program, &self.program.topology);
        let class = program.class_of[node.index()].index();
        for (slot, PortSlot { age, .. }) in self.slots.of_class(class).iter().enumerate() {
            let (place, tick) = (self.places.at(node, slot), i64::from(tick));
            seen[place.cycle].push(self.window(place, *age, -tick, i64::from(*age) - 1 + tick));
        }
        let neighbours: Option<Vec<_>> = topology.port_ids().map(|port| topology.step(node, port)).collect();
        for OutputSender { node, output, .. } in self.senders(class, &neighbours?) {
            self.see(node, &outputs[output].pieces, 0, &mut seen)?;
        }
        for windows in &mut seen {
            windows.sort_unstable_by_key(|window| window.start);
        }
        Some(seen)
    }

    /// Returns true if a node has seen every coordinate of every cycle: of those that pass it, by a count, of the
    /// others by what comes in at the ports that no cycle joins.
    fn sees_all(
        &self,
        node: NodeId,
        neighbours: &[NodeId],
        outputs: &[OutputTraffic],
        seen: &mut [Vec<LoopWindow>],
        known: &mut HashSet<Vec<u64>>,
    ) -> bool {
        let program = self.program;
        let class = program.class_of[node.index()].index();
        let mut passed = 0u128;
        for (slot, PortSlot { age, .. }) in self.slots.of_class(class).iter().enumerate() {
            let cycle = self.places.at(node, slot).cycle;
            if u64::from(*age) + 2 * u64::from(program.ticks) < u64::from(self.places.lengths[cycle]) {
                return false;
            }
            passed |= 1 << cycle;
        }
        if passed.count_ones() as usize == seen.len() {
            return true;
        }
        let windows: usize = self.senders(class, neighbours).map(|sender| outputs[sender.output].pieces.len()).sum();
        let view = if windows > FEW_WINDOWS { self.view(class, passed, neighbours, outputs) } else { None };
        if view.as_ref().is_some_and(|view| known.contains(view)) {
            return true;
        }
        seen.iter_mut().for_each(Vec::clear);
        for OutputSender { node, output, .. } in self.senders(class, neighbours) {
            if self.see(node, &outputs[output].pieces, 0, seen).is_none() {
                return false;
            }
        }
        let mut is_complete = true;
        for (cycle, windows) in seen.iter_mut().enumerate().filter(|&(cycle, _)| passed >> cycle & 1 == 0) {
            windows.sort_unstable_by_key(|window| window.start);
            for_each_gap(windows, self.places.lengths[cycle], |_| is_complete = false);
        }
        known.extend(view.filter(|_| is_complete));
        is_complete
    }

    /// The neighbours of a node of a class at ports that no cycle joins.
    fn senders(&self, class: usize, neighbours: &[NodeId]) -> impl Iterator<Item = OutputSender> {
        let ports = self.program.topology.port_ids().zip(neighbours);
        ports.filter(move |&(port, _)| self.slots.at(class, port).is_none()).map(|(port, &node)| {
            let class = self.program.class_of[node.index()].index();
            OutputSender { node, class, output: class * self.program.topology.ports() + port.opposite().index() }
        })
    }

    /// Key of all facts that decide whether a node sees everything: its cycles, its neighbours' sends at unjoined
    /// ports, and their relative places. Cycles look the same from everywhere, so one node per key is enough. `None`
    /// where sends come from further away.
    fn view(&self, class: usize, passed: u128, neighbours: &[NodeId], outputs: &[OutputTraffic]) -> Option<Vec<u64>> {
        let mut bases: Vec<Option<i64>> = vec![None; self.places.lengths.len()];
        let mut view = vec![passed as u64, (passed >> 64) as u64];
        for OutputSender { node, class, output } in self.senders(class, neighbours) {
            if outputs[output].is_relay {
                return None;
            }
            view.push(output as u64);
            for slot in 0..self.slots.of_class(class).len() {
                let SlotPlace { cycle, first, is_forward } = self.places.at(node, slot);
                let from_base = first - *bases[cycle].get_or_insert(first);
                let apart = wrapped(from_base, i64::from(self.places.lengths[cycle]));
                view.extend([cycle as u64, u64::from(apart), u64::from(is_forward)]);
            }
        }
        Some(view)
    }

    /// For each coordinate that a node has not seen after a tick, whether it lacks the packet.
    fn unseen(&self, node: NodeId, tick: u32, outputs: &[OutputTraffic]) -> impl Iterator<Item = bool> {
        let seen = self.look(node, tick, outputs).unwrap_or_default();
        let mut gaps = Vec::new();
        for (cycle, windows) in seen.iter().enumerate() {
            for_each_gap(windows, self.places.lengths[cycle], |gap| gaps.push((cycle, gap)));
        }
        gaps.into_iter().map(move |(cycle, gap)| !self.is_seen_elsewhere(cycle, gap, &seen))
    }

    /// Returns true if the packet at a coordinate is at another one that has been seen.
    fn is_seen_elsewhere(&self, cycle: usize, gap: u32, seen: &[Vec<LoopWindow>]) -> bool {
        let Some((node, slot, place)) = self.places.resident(self.program, self.slots, cycle, gap) else { return true };
        let slots = self.slots.of_class(self.program.class_of[node.index()].index());
        let length = i64::from(self.places.lengths[cycle]);
        let own = |slot: usize, place: SlotPlace, at: i64| {
            let at = if place.is_forward { at } else { i64::from(slots[slot].age) - 1 - at };
            slots[slot].own[at.unsigned_abs() as usize]
        };
        let packet = own(slot, place, (i64::from(gap) - place.first).rem_euclid(length));
        slots.iter().enumerate().any(|(slot, PortSlot { age, .. })| {
            let place = self.places.at(node, slot);
            let length = self.places.lengths[place.cycle];
            (0..i64::from(*age)).filter(|&at| own(slot, place, at) == packet).any(|at| {
                let coordinate = wrapped(place.first + at, i64::from(length));
                seen[place.cycle].iter().any(|window| (coordinate + length - window.start) % length < window.count)
            })
        })
    }

    /// Link use: streams all the time, supply links as their classes say.
    fn link_use(&self) -> LinkUse {
        let (program, topology) = (self.program, &self.program.topology);
        let outputs = self.outputs(program.ticks);
        let mut tally = Tallied { sum: 0, min: u32::MAX, max: 0 };
        let mut relayed = vec![Vec::new(); program.classes.len()];
        for (class, size) in program.class_sizes().into_iter().enumerate().filter(|&(_, size)| size > 0) {
            for port in 0..topology.ports() {
                let spans = &self.spans.0[class * topology.ports() + port];
                let own = spans.iter().filter(|span| matches!(span.source, Source::Own { .. }));
                let own: u32 = own.map(|span| span.last - span.first + 1).sum();
                let arrived = |span: &Span| {
                    span.source.age().map_or(0, |age| (span.last + 1).saturating_sub(span.first.max(age + 1)))
                };
                if outputs[class * topology.ports() + port].is_relay {
                    relayed[class].push(port);
                } else {
                    tally.add(own + spans.iter().map(arrived).sum::<u32>(), size);
                }
            }
        }
        if relayed.iter().any(|ports| !ports.is_empty()) {
            for (node, class) in topology.node_ids().zip(&program.class_of) {
                for &port in &relayed[class.index()] {
                    let register = topology.register(node, Port::from_index(port));
                    tally.add(self.held(register, 1, program.ticks, 0), 1);
                }
            }
        }
        LinkUse { sum: tally.sum, min: tally.min, mean: tally.sum as f64 / topology.links() as f64, max: tally.max }
    }

    /// In how many of some ticks a register holds anything.
    fn held(&self, register: usize, first: u32, last: u32, hops: u32) -> u32 {
        let spans = self.spans.of(self.program, register);
        let held = spans.iter().map(|span| {
            let (first, last) = (first.max(span.first), last.min(span.last));
            match span.source {
                _ if first > last || hops > MOST_HOPS => 0,
                Source::Own { .. } => last + 1 - first,
                Source::In { port, age, .. } => {
                    let class = self.program.class_of[register / self.program.topology.ports()].index();
                    let (first, last) = (first.saturating_sub(age).max(1), last.saturating_sub(age));
                    // a stream of a cycle is there in every tick
                    if self.slots.at(class, port).is_some() {
                        last + 1 - first
                    } else {
                        self.held(super::upstream(self.program, register, port), first, last, hops + 1)
                    }
                }
                _ => 0,
            }
        });
        held.sum()
    }
}

struct Tallied {
    sum: u64,
    min: u32,
    max: u32,
}

impl Tallied {
    fn add(&mut self, flits: u32, links: u32) {
        self.sum += u64::from(flits) * u64::from(links);
        self.min = self.min.min(flits);
        self.max = self.max.max(flits);
    }
}

/// A coordinate modulo a length. Most are not far off, and a division takes longer than all else here.
fn wrapped(coordinate: i64, length: i64) -> u32 {
    let near = match coordinate {
        _ if coordinate < 0 => coordinate + length,
        _ if coordinate >= length => coordinate - length,
        _ => coordinate,
    };
    let wrapped = if (0..length).contains(&near) { near } else { coordinate.rem_euclid(length) };
    wrapped.unsigned_abs() as u32
}

#[cfg(test)]
mod tests;
