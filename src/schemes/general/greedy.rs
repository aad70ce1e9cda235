//! Orbit greedy: in every tick each representative takes as many packets that it lacks as it has links, by a matching.
//!
//! All nodes of an orbit do the same, moved by a translation. Integers and a fixed hash only, so that the schedule is the same
//! everywhere.

use super::frame::{Inlet, OrbitFrame};
use super::matching::{Matching, PacketCandidate};
use crate::net::splitmix::mixed;

/// Order in which candidates are preferred.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keys {
    /// Straight on first, then the youngest, then the rarest.
    StraightYoung,
    /// The rarest first, then the youngest.
    Rare,
    /// Straight on first, then the rarest, then the youngest.
    StraightRare,
}

/// Settings of one try.
#[derive(Clone, Copy, Debug)]
pub struct GreedySettings {
    /// Order of preference.
    pub keys: Keys,
    /// Ticks whose arrivals are looked at before all others.
    pub reach: u32,
    /// Seed of the hash that breaks ties.
    pub seed: u64,
    /// Most packets that a node reads from its memory in a tick; any number if none.
    pub reads: Option<u32>,
    /// Most neighbours to which a node sends on what it received; any number if none.
    pub branches: Option<u32>,
    /// Ticks after which what was sent can be sent on.
    pub latency: u32,
    /// Most ticks before the try is given up.
    pub limit: u32,
}

/// Sources of all outputs of all representatives, tick after tick.
#[derive(Clone, Debug)]
pub struct GreedySchedule {
    /// Number of ticks.
    pub ticks: u32,
    /// At `(tick * orbits + orbit) * ports + port`, ticks counted from 0: 0 idle, 1 own, else 2 + port + ports * (age - 1).
    pub words: Vec<u32>,
}

/// Candidates per link that are tried first.
const FEW: usize = 2;
/// Word of an output that is idle.
pub const IDLE: u32 = 0;
/// Word of an output that sends the node's own packet.
pub const OWN: u32 = 1;
/// Marks a slot without an arrival.
const VOID: u32 = u32::MAX;

struct Greedy<'f> {
    frame: &'f OrbitFrame,
    set: GreedySettings,
    /// words of a row of known packets
    row: usize,
    /// by representative, the packets that it has or that are on their way to it
    known: Vec<u64>,
    have: Vec<u32>,
    /// by representative and packet, tick and port of the first arrival and 1 more; 0 before
    arrived: Vec<u32>,
    /// by tick modulo their number, representative and port, what arrived: what came lately lies together
    ring: Vec<u32>,
    kept: usize,
    /// by packet where every node is its own representative, else by orbit
    copies: Vec<u32>,
    /// by representative and packet, how often it can still be sent on; empty where that is not limited
    left: Vec<u32>,
    /// by representative, what it reads from its memory in this tick
    read: Vec<u32>,
    tick: u32,
}

/// A packet that comes in: the representative, the packet, the port.
type PacketArrival = (usize, u32, usize);

/// The schedule of one try; none if it takes more ticks than its limit.
pub fn run(frame: &OrbitFrame, set: GreedySettings) -> Option<GreedySchedule> {
    let mut greedy = Greedy::new(frame, set);
    let mut words = Vec::new();
    let mut left = frame.orbits() as u64 * (frame.live as u64 - 1);
    let (mut order, mut arrivals): (Vec<(u64, usize)>, Vec<PacketArrival>) = (Vec::new(), Vec::new());
    let mut candidates: Vec<Vec<PacketCandidate>> = vec![Vec::new(); frame.ports];
    let mut matching = Matching::default();
    let mut silent = 0;
    while left > 0 {
        greedy.tick += 1;
        if greedy.tick > set.limit || silent > set.latency {
            return None;
        }
        let base = words.len();
        words.resize(base + frame.orbits() * frame.ports, IDLE);
        greedy.read.fill(VOID);
        order.clear();
        order.extend(
            (0..frame.orbits()).filter(|&at| greedy.have[at] < frame.live as u32).map(|at| (greedy.need(at), at)),
        );
        order.sort_unstable();
        for &(_, at) in &order {
            let inlets = &frame.inlets[at];
            let candidates = &mut candidates[..inlets.len()];
            // a few candidates mostly give every link a packet, and take a fraction of the time
            for most in [FEW.min(inlets.len()), inlets.len()] {
                for (inlet, candidates) in inlets.iter().zip(&mut *candidates) {
                    greedy.collect(at, inlet, most, candidates);
                }
                if matching.of(candidates).iter().all(Option::is_some) {
                    break;
                }
            }
            let taken = matching.taken();
            for (link, inlet) in inlets.iter().enumerate() {
                let Some(position) = taken[link] else { continue };
                let PacketCandidate { packet, word, .. } = candidates[link][position];
                // two links of one sender may have been given all that its memory can read
                if greedy.age(word) > set.latency && !greedy.can_read(inlet.sender, inlet.back(packet)) {
                    continue;
                }
                if word != OWN && !greedy.can_branch(inlet.sender, inlet.back(packet)) {
                    continue;
                }
                greedy.take(inlet, packet, word);
                words[base + inlet.sender * frame.ports + (inlet.port ^ 1)] = word;
                arrivals.push((at, packet, inlet.port));
            }
        }
        silent = if arrivals.is_empty() { silent + 1 } else { 0 };
        left -= arrivals.len() as u64;
        greedy.arrive(&arrivals);
        arrivals.clear();
    }
    Some(GreedySchedule { ticks: greedy.tick, words })
}

impl<'f> Greedy<'f> {
    fn new(frame: &'f OrbitFrame, set: GreedySettings) -> Self {
        let (orbits, row) = (frame.orbits(), frame.nodes.div_ceil(64));
        let mut known = vec![0; orbits * row];
        for (known, &own) in known.chunks_exact_mut(row).zip(&frame.first) {
            let dead = (0..frame.nodes).filter(|&node| !frame.is_live(node));
            dead.chain([own as usize]).for_each(|packet| known[packet / 64] |= 1 << (packet % 64));
        }
        // a power of two, as its remainders are asked for all the time
        let kept = (set.reach + set.latency).next_power_of_two() as usize;
        Self {
            frame,
            set,
            row,
            known,
            have: vec![1; orbits],
            arrived: vec![0; orbits * frame.nodes],
            ring: vec![VOID; orbits * kept * frame.ports],
            kept,
            copies: vec![1; if frame.is_plain() { frame.nodes } else { orbits }],
            left: set.branches.map_or(Vec::new(), |branches| vec![branches; orbits * frame.nodes]),
            read: vec![VOID; orbits * set.reads.unwrap_or(0) as usize],
            tick: 0,
        }
    }

    #[inline]
    fn knows(&self, at: usize, packet: u32) -> bool {
        self.known[at * self.row + packet as usize / 64] >> (packet % 64) & 1 == 1
    }

    /// Place in the order of a tick: the most missing packets per link first.
    fn need(&self, at: usize) -> u64 {
        let missing =
            (self.frame.live as u64 - u64::from(self.have[at])) * 5040 / self.frame.inlets[at].len().max(1) as u64;
        let chance = mixed(self.set.seed.wrapping_mul(977).wrapping_add(u64::from(self.tick) * 131_071 + at as u64));
        ((1 << 46) - missing) << 16 | chance & 0xffff
    }

    /// Collects the best packets that an in-link can bring, as many as the node has links.
    fn collect(&self, at: usize, inlet: &Inlet, most: usize, best: &mut Vec<PacketCandidate>) {
        best.clear();
        let sender = self.frame.first[inlet.sender];
        self.offer(at, inlet, most, best, (sender, 0, None));
        let GreedySettings { latency, reach, .. } = self.set;
        let ages = latency..self.tick.min(reach + latency);
        if self.set.keys == Keys::StraightYoung {
            // in the order of the keys, so that the first are the best
            for age in ages.clone() {
                if best.len() >= most {
                    break;
                }
                self.offer_arrival(at, inlet, most, best, age, inlet.port);
            }
            for age in ages {
                if best.len() >= most {
                    break;
                }
                for port in (0..self.frame.ports).filter(|&port| port != inlet.port) {
                    self.offer_arrival(at, inlet, most, best, age, port);
                }
            }
        } else {
            for age in ages {
                (0..self.frame.ports).for_each(|port| self.offer_arrival(at, inlet, most, best, age, port));
            }
        }
        if best.is_empty() {
            self.offer_any(at, inlet, most, best);
        }
        best.sort_unstable_by_key(|candidate| (candidate.key, candidate.packet));
    }

    /// Index of a tick's arrivals in the ring.
    fn slot(&self, at: usize, tick: u32) -> usize {
        ((tick as usize & (self.kept - 1)) * self.frame.orbits() + at) * self.frame.ports
    }

    #[inline]
    fn offer_arrival(
        &self,
        at: usize,
        inlet: &Inlet,
        most: usize,
        best: &mut Vec<PacketCandidate>,
        age: u32,
        port: usize,
    ) {
        let packet = self.ring[self.slot(inlet.sender, self.tick - age) + port];
        if packet != VOID && !self.knows(at, inlet.forth(packet)) {
            self.offer(at, inlet, most, best, (packet, age, Some(port)));
        }
    }

    /// Offers any packet that the sender has and the receiver lacks, from a hashed start.
    fn offer_any(&self, at: usize, inlet: &Inlet, most: usize, best: &mut Vec<PacketCandidate>) {
        if let Some(reads) = self.set.reads {
            let read = &self.read[inlet.sender * reads as usize..][..reads as usize];
            if !read.contains(&VOID) {
                // every read of this tick is taken: only packets that are read for other links can be sent
                return read.iter().for_each(|&packet| self.offer_stored(at, inlet, most, best, packet));
            }
        }
        let here = &self.known[at * self.row..][..self.row];
        let there = &self.known[inlet.sender * self.row..][..self.row];
        let chance = mixed(self.set.seed.wrapping_add(at as u64 * 13 + u64::from(self.tick)));
        let start = (chance % self.row as u64) as usize;
        for index in (start..self.row).chain(0..start) {
            let mut lacking = !here[index];
            if inlet.is_plain() {
                lacking &= there[index];
            }
            while lacking != 0 {
                let packet = index * 64 + lacking.trailing_zeros() as usize;
                lacking &= lacking - 1;
                if packet >= self.frame.nodes {
                    break;
                }
                self.offer_stored(at, inlet, most, best, inlet.back(packet as u32));
                if best.len() >= most {
                    return;
                }
            }
        }
    }

    /// Offers a packet of the sender's frame, if it has arrived there.
    fn offer_stored(&self, at: usize, inlet: &Inlet, most: usize, best: &mut Vec<PacketCandidate>, packet: u32) {
        let arrived = self.arrived[inlet.sender * self.frame.nodes + packet as usize];
        let Some(arrived) = arrived.checked_sub(1) else { return };
        let (tick, port) = (arrived / self.frame.ports as u32, arrived as usize % self.frame.ports);
        if self.tick - tick >= self.set.latency {
            self.offer(at, inlet, most, best, (packet, self.tick - tick, Some(port)));
        }
    }

    /// Keeps a packet of the sender's frame if it is among the best so far: it is so old and came in by a port, or is its own.
    fn offer(
        &self,
        at: usize,
        inlet: &Inlet,
        most: usize,
        best: &mut Vec<PacketCandidate>,
        (there, age, port): (u32, u32, Option<usize>),
    ) {
        let packet = inlet.forth(there);
        if self.knows(at, packet) || age > self.set.latency && !self.can_read(inlet.sender, there) {
            return;
        }
        if port.is_some() && !self.can_branch(inlet.sender, there) {
            return;
        }
        let copies =
            u64::from(self.copies[if self.frame.is_plain() { packet as usize } else { self.frame.orbit(packet) }]);
        let chance =
            mixed(self.set.seed ^ (u64::from(packet) * 7919 + u64::from(self.tick) * 104_729 + at as u64 * 31))
                & 0xffff;
        let young = u64::from(age.min(255));
        let turns = u64::from(port.is_some_and(|port| port != inlet.port));
        let key = match self.set.keys {
            Keys::StraightYoung => turns << 52 | young << 44 | copies << 16 | chance,
            Keys::Rare => copies << 24 | young << 16 | chance,
            Keys::StraightRare => turns << 60 | copies << 24 | young << 16 | chance,
        };
        let word = port.map_or(OWN, |port| 2 + port as u32 + self.frame.ports as u32 * (age - 1));
        let candidate = PacketCandidate { key, packet, word };
        if best.len() < most {
            best.push(candidate);
        } else if let Some(worst) = best.iter_mut().max_by_key(|worst| worst.key).filter(|worst| key < worst.key) {
            *worst = candidate;
        }
    }

    /// Age of what a word sends; 0 for the node's own.
    fn age(&self, word: u32) -> u32 {
        word.checked_sub(2).map_or(0, |word| word / self.frame.ports as u32 + 1)
    }

    /// Returns true if a node has a read port left for a packet of its memory in this tick.
    fn can_read(&self, sender: usize, packet: u32) -> bool {
        self.set.reads.is_none_or(|reads| {
            let read = &self.read[sender * reads as usize..][..reads as usize];
            read.iter().any(|&other| other == packet || other == VOID)
        })
    }

    /// Returns true if a node may send a packet that it received to one more neighbour.
    fn can_branch(&self, sender: usize, packet: u32) -> bool {
        self.left.is_empty() || self.left[sender * self.frame.nodes + packet as usize] > 0
    }

    /// Notes that a link brings a packet in this tick.
    fn take(&mut self, inlet: &Inlet, packet: u32, word: u32) {
        let copies = if self.frame.is_plain() { packet as usize } else { self.frame.orbit(packet) };
        self.copies[copies] += 1;
        if word != OWN && !self.left.is_empty() {
            self.left[inlet.sender * self.frame.nodes + inlet.back(packet) as usize] -= 1;
        }
        if let Some(reads) = self.set.reads.filter(|_| self.age(word) > self.set.latency) {
            let packet = inlet.back(packet);
            let read = &mut self.read[inlet.sender * reads as usize..][..reads as usize];
            if !read.contains(&packet)
                && let Some(free) = read.iter_mut().find(|other| **other == VOID)
            {
                *free = packet;
            }
        }
    }

    /// Lets what was taken in this tick arrive.
    fn arrive(&mut self, arrivals: &[PacketArrival]) {
        let (ports, nodes) = (self.frame.ports, self.frame.nodes);
        let slots = self.slot(0, self.tick);
        self.ring[slots..slots + self.frame.orbits() * ports].fill(VOID);
        for &(at, packet, port) in arrivals {
            self.known[at * self.row + packet as usize / 64] |= 1 << (packet % 64);
            let slot = self.slot(at, self.tick);
            self.ring[slot + port] = packet;
            self.arrived[at * nodes + packet as usize] = self.tick * ports as u32 + port as u32 + 1;
            self.have[at] += 1;
        }
    }
}
