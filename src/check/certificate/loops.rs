//! Closed loops of registers, and where on them every packet is injected.

use super::{Obstacle, OutputSpans, upstream};
use crate::net::{NodeId, Port};
use crate::program::{Program, Source, Span};

/// Not on a loop: the register hangs off one, or is never driven.
const OFF: u32 = u32::MAX;
const UNSEEN: u32 = u32::MAX - 1;
const ON_PATH: u32 = u32::MAX - 2;
const NO_PACKET: u32 = u32::MAX;

/// A closed loop of registers.
pub(super) struct Loop {
    /// One of its registers.
    entry: usize,
    /// The sum of ages along it.
    pub length: u32,
    /// The packet injected at each coordinate, by its number node * packets + packet.
    pub packets: Vec<u32>,
    /// The loop that carries the same packets the other way round, where that one was found first.
    pub mirror: Option<Mirror>,
}

/// Coordinate c of a loop is coordinate `sum - c` of the other.
#[derive(Clone, Copy)]
pub(super) struct Mirror {
    pub other: usize,
    pub sum: u32,
}

/// All loops of a program.
pub(super) struct Loops {
    /// The loop of each register.
    of: Vec<u32>,
    /// phi of each register on a loop.
    phi: Vec<u32>,
    pub all: Vec<Loop>,
}

/// Register on a loop: sends own packets for some ticks, then forwards one input.
struct Repeater {
    own_ticks: u32,
    upstream: usize,
    age: u32,
    idle_ticks: u32,
}

/// The register as part of a stream, if it is one: Own, then one input, then perhaps nothing.
fn stream(program: &Program, spans: &OutputSpans, register: usize) -> Option<Repeater> {
    let spans = spans.of(program, register);
    let own = spans.iter().take_while(|span| matches!(span.source, Source::Own { .. })).count();
    let own_ticks = if own == 0 { 0 } else { spans[own - 1].last };
    match spans[own..] {
        [Span { source: Source::In { port, age, .. }, last, .. }, ref rest @ ..]
            if rest.iter().all(|span| span.source == Source::Idle) =>
        {
            let idle_ticks = program.ticks - last;
            Some(Repeater { own_ticks, upstream: upstream(program, register, port), age, idle_ticks })
        }
        _ => None,
    }
}

impl Loops {
    /// Finds every loop, numbers its coordinates, and pairs the two directions of each cycle.
    pub(super) fn find(program: &Program, spans: &OutputSpans) -> Result<Self, Obstacle> {
        let registers = program.topology.registers();
        let mut found = Self { of: vec![UNSEEN; registers], phi: vec![0; registers], all: Vec::new() };
        for register in 0..registers {
            if let Some(entry) = found.follow(program, spans, register) {
                found.number(program, spans, entry)?;
            }
            found.leave(program, spans, register);
        }
        for index in 0..found.all.len() {
            found.all[index].mirror = found.mirror(program, index)?;
        }
        Ok(found)
    }

    /// The loop of a register and its phi.
    pub(super) fn at(&self, register: usize) -> Option<(usize, u32)> {
        let index = self.of[register] as usize;
        self.all.get(index).map(|_| (index, self.phi[register]))
    }

    /// Follows inputs backwards over unseen registers; a register met again closes a loop.
    fn follow(&mut self, program: &Program, spans: &OutputSpans, start: usize) -> Option<usize> {
        let mut at = start;
        loop {
            match self.of[at] {
                UNSEEN => self.of[at] = ON_PATH,
                ON_PATH => return Some(at),
                _ => return None,
            }
            at = stream(program, spans, at)?.upstream;
        }
    }

    /// Marks what is still on the path from `start` as off every loop.
    fn leave(&mut self, program: &Program, spans: &OutputSpans, start: usize) {
        let mut at = start;
        while self.of[at] == ON_PATH {
            self.of[at] = OFF;
            match stream(program, spans, at) {
                Some(stream) => at = stream.upstream,
                None => return,
            }
        }
    }

    fn number(&mut self, program: &Program, spans: &OutputSpans, entry: usize) -> Result<(), Obstacle> {
        let index = self.all.len() as u32;
        // against the stream phi falls: count how far back each register lies, then turn that round
        let mut length: u32 = 0;
        let mut at = entry;
        while self.of[at] != index {
            let stream = stream(program, spans, at).expect("a loop is made of stream registers");
            self.of[at] = index;
            self.phi[at] = length;
            let long = Obstacle { register: at, why: "the loop is longer than 2^32 ticks" };
            length = length.checked_add(stream.age).ok_or(long)?;
            at = stream.upstream;
        }
        let mut packets = vec![NO_PACKET; length as usize];
        loop {
            self.phi[at] = (length - self.phi[at]) % length;
            let stream = stream(program, spans, at).expect("a loop is made of stream registers");
            if stream.own_ticks != stream.age {
                let why = "its own packets do not fill the ticks before the stream arrives";
                return Err(Obstacle { register: at, why });
            }
            if stream.idle_ticks > 1 {
                return Err(Obstacle { register: at, why: "the stream stops before the last tick but one" });
            }
            for (tick, packet) in own_packets(program, spans.of(program, at), at) {
                packets[(tick as usize + (length - self.phi[at]) as usize) % length as usize] = packet;
            }
            at = stream.upstream;
            if at == entry {
                break;
            }
        }
        self.all.push(Loop { entry, length, packets, mirror: None });
        Ok(())
    }

    /// Finds the earlier loop that runs the other way, and checks that its coordinates are this one's, mirrored.
    fn mirror(&self, program: &Program, index: usize) -> Result<Option<Mirror>, Obstacle> {
        let this = &self.all[index];
        let ports = program.topology.ports();
        let (node, port) = (NodeId((this.entry / ports) as u32), Port::from_index(this.entry % ports));
        let arriving = program.topology.arriving(node, port).expect("a loop runs along links");
        let Some((other, _)) = self.at(arriving).filter(|&(other, _)| other < index) else {
            return Ok(None);
        };
        let packets = &self.all[other].packets;
        let sum = packets.iter().position(|&packet| packet == this.packets[0]).unwrap_or(0);
        let length = packets.len();
        let mirrored =
            this.packets.iter().enumerate().all(|(c, packet)| packets[(sum + length - c) % length] == *packet);
        if this.packets.len() != length || !mirrored {
            let why = "the two directions of the cycle do not carry the same packets";
            return Err(Obstacle { register: this.entry, why });
        }
        Ok(Some(Mirror { other, sum: sum as u32 }))
    }
}

/// The packets an output sends of its node's own, with their ticks.
pub(super) fn own_packets<'a>(
    program: &'a Program,
    spans: &'a [Span],
    register: usize,
) -> impl Iterator<Item = (u32, u32)> + 'a {
    let first_packet = (register / program.topology.ports()) as u32 * program.demand.most_packets();
    spans.iter().flat_map(move |&Span { first, last, source }| {
        let packet = if let Source::Own { packet, .. } = source { Some(first_packet + packet) } else { None };
        packet.into_iter().flat_map(move |packet| (first..=last).map(move |tick| (tick, packet)))
    })
}
