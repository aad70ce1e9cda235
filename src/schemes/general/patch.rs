//! A gossip for a damaged network that is the whole network's with a few words more.
//!
//! Packets that the whole network's schedule sends over dead links are missing, and so is all that is forwarded of them. Idle
//! links carry these: in every tick each node takes as many packets that it lacks as it has idle links from nodes that know them.

use super::matching::{Matching, PacketCandidate};
use crate::net::splitmix::mixed;
use crate::net::{Network, NodeId, Port};
use crate::netlist::PatchWord;
use crate::program::{Class, ClassId, Demand, Program, Run, Source, Title, Track};

/// Orders of nodes that are tried for a number of ticks.
const SEEDS: u64 = 6;

/// A schedule of a damaged network, and what makes it of the whole network's.
#[derive(Clone, Debug)]
pub struct Patch {
    /// Schedule of the damaged network.
    pub program: Program,
    /// Words that are added, tick after tick.
    pub words: Vec<PatchWord>,
}

/// Patches a gossip of packets of one flit for a network with dead parts, in as few ticks as are found from `least` to `most`; none
/// if there is no such patch.
pub fn patch(whole: &Program, damaged: &Network, least: u32, most: u32) -> Option<Patch> {
    let masked = Masked::of(whole, damaged)?;
    let ticks = least.max(whole.ticks)..=most;
    let mut tries = ticks.flat_map(|ticks| (0..SEEDS).map(move |seed| (ticks, seed)));
    tries.find_map(|(ticks, seed)| {
        let words = masked.filled(ticks, seed)?;
        Some(Patch { program: masked.program(whole, ticks, &words), words })
    })
}

/// The whole network's schedule without what dead parts take away.
struct Masked<'n> {
    network: &'n Network,
    ports: usize,
    packets: u32,
    latency: u32,
    /// Ticks of the whole network's schedule.
    ticks: u32,
    /// By tick from 1 and register, true if the whole network's schedule sends something.
    is_busy: Vec<bool>,
    /// By tick from 1 and register, what is still sent.
    sources: Vec<Source>,
    /// By node and packet, the first arrival.
    first: Vec<Option<PortArrival>>,
}

/// Tick and port of an arrival.
type PortArrival = (u32, Port);

impl<'n> Masked<'n> {
    /// Moves packets on the damaged network by the whole one's schedule; none if it is not one of single packets.
    fn of(whole: &Program, network: &'n Network) -> Option<Self> {
        let (registers, ticks, packets) = (network.registers(), whole.ticks, whole.demand.most_packets());
        let all = network.nodes() as usize * packets as usize;
        let size = (ticks as usize + 1) * registers;
        let mut masked = Self {
            network,
            ports: network.ports(),
            packets,
            latency: whole.latency,
            ticks,
            is_busy: vec![false; size],
            sources: vec![Source::Idle; size],
            first: vec![None; network.nodes() as usize * all],
        };
        let sources = |class: &Class| class.outputs.iter().map(|track| track.sources(ticks).collect()).collect();
        let tracks: Vec<Vec<Vec<Source>>> = whole.classes.iter().map(sources).collect();
        // by tick and input, the packet that arrives
        let mut arrived: Vec<Option<usize>> = vec![None; size];
        for tick in 1..=ticks {
            for node in network.live_ids() {
                for port in network.port_ids() {
                    let output = &tracks[whole.class_of[node.index()].index()][port.index()];
                    let source = output[tick as usize - 1];
                    let packet = match source {
                        Source::Idle => continue,
                        Source::Own { packet, through } if packet == through => Some(masked.own(node, packet)),
                        Source::In { port, lane: 0, age } => {
                            let packet = tick.checked_sub(age).and_then(|then| arrived[masked.slot(then, node, port)]);
                            if packet.is_none() {
                                masked.keep_silent(tick, node, port, age);
                            }
                            packet
                        }
                        _ => return None,
                    };
                    let slot = masked.slot(tick, node, port);
                    masked.is_busy[slot] = true;
                    let (Some(packet), Some(there)) = (packet, network.step(node, port)) else { continue };
                    masked.sources[slot] = source;
                    let then = tick + masked.latency - 1;
                    if then > ticks {
                        return None;
                    }
                    arrived[masked.slot(then, there, port.opposite())] = Some(packet);
                    masked.first[there.index() * all + packet].get_or_insert((then, port.opposite()));
                }
            }
        }
        Some(masked)
    }

    fn slot(&self, tick: u32, node: NodeId, port: Port) -> usize {
        tick as usize * self.network.registers() + self.network.register(node, port)
    }

    /// Takes the slot of an arrival that a node waits for in vain: another packet there would be sent on.
    fn keep_silent(&mut self, tick: u32, node: NodeId, port: Port, age: u32) {
        let sent = tick.checked_sub(age + self.latency - 1).filter(|&sent| sent > 0);
        if let (Some(sent), Some(there)) = (sent, self.network.step(node, port)) {
            let slot = self.slot(sent, there, port.opposite());
            self.is_busy[slot] = true;
        }
    }

    fn own(&self, node: NodeId, packet: u32) -> usize {
        node.index() * self.packets as usize + packet as usize
    }

    /// Owner of a packet.
    fn owner(&self, packet: usize) -> NodeId {
        NodeId((packet / self.packets as usize) as u32)
    }

    fn is_idle(&self, tick: u32, node: NodeId, port: Port) -> bool {
        tick > self.ticks || !self.is_busy[self.slot(tick, node, port)]
    }

    /// Words in idle slots that bring all that is missing; none if these do not suffice.
    fn filled(&self, ticks: u32, seed: u64) -> Option<Vec<PatchWord>> {
        let network = self.network;
        let all = network.nodes() as usize * self.packets as usize;
        let mut first = self.first.clone();
        let lacks = |node: NodeId| {
            let others = (0..all).filter(move |&packet| self.owner(packet) != node);
            let live = others.filter(|&packet| network.is_live(self.owner(packet)));
            live.filter(|&packet| self.first[node.index() * all + packet].is_none()).collect()
        };
        let mut missing: Vec<(NodeId, Vec<usize>)> = network.live_ids().map(|node| (node, lacks(node))).collect();
        missing.retain(|(_, packets)| !packets.is_empty());
        let mut is_sender = vec![false; network.nodes() as usize];
        let (mut words, mut matching) = (Vec::new(), Matching::default());
        for tick in 1..=ticks.saturating_sub(self.latency - 1) {
            missing.sort_by_cached_key(|(node, packets)| {
                let need = packets.len() * 5040 / network.linked_ports(*node).count().max(1);
                (std::cmp::Reverse(need), mixed(u64::from(node.0) + seed * 97 + u64::from(tick)))
            });
            for (node, packets) in &mut missing {
                let node = *node;
                let idle = |port: &Port| {
                    network.step(node, *port).is_some_and(|there| self.is_idle(tick, there, port.opposite()))
                };
                let ports: Vec<Port> = network.linked_ports(node).filter(idle).collect();
                let candidates: Vec<Vec<PacketCandidate>> = ports
                    .iter()
                    .map(|&port| {
                        let there = network.step(node, port).expect("the port is linked");
                        let knows = |packet: usize| {
                            let arrival = first[there.index() * all + packet];
                            self.owner(packet) == there || arrival.is_some_and(|(then, _)| then < tick)
                        };
                        let candidate = |packet: usize| {
                            let chance = mixed(packet as u64 * 31 + u64::from(tick) * 7 + u64::from(node.0) + seed);
                            let key = u64::from(!is_sender[there.index()]) << 40 | chance & 0xff_ffff;
                            PacketCandidate { key, packet: packet as u32, word: 0 }
                        };
                        let known = packets.iter().copied().filter(|&packet| knows(packet));
                        let mut candidates: Vec<PacketCandidate> = known.map(candidate).collect();
                        candidates.sort_unstable_by_key(|candidate| candidate.key);
                        candidates.truncate(self.ports);
                        candidates
                    })
                    .collect();
                for (link, position) in matching.of(&candidates).iter().enumerate() {
                    let Some(position) = *position else { continue };
                    let packet = candidates[link][position].packet as usize;
                    let port = ports[link];
                    let there = network.step(node, port).expect("the port is linked");
                    let source = if self.owner(packet) == there {
                        Source::own((packet - self.own(there, 0)) as u32)
                    } else {
                        let (then, by) = first[there.index() * all + packet].expect("the sender knows it");
                        Source::input(by, tick - then)
                    };
                    words.push(PatchWord { tick, node: there, port: port.opposite(), source });
                    is_sender[there.index()] = true;
                    packets.retain(|&other| other != packet);
                    first[node.index() * all + packet] = Some((tick + self.latency - 1, port));
                }
            }
            missing.retain(|(_, packets)| !packets.is_empty());
        }
        missing.is_empty().then_some(words)
    }

    /// The schedule with these words, a class for each live node.
    fn program(&self, whole: &Program, ticks: u32, words: &[PatchWord]) -> Program {
        let network = self.network;
        let mut sources = vec![Source::Idle; (ticks as usize + 1) * network.registers()];
        sources[..self.sources.len()].copy_from_slice(&self.sources);
        for word in words {
            sources[self.slot(word.tick, word.node, word.port)] = word.source;
        }
        let track = |node: NodeId, port: Port| {
            let mut runs: Vec<Run> = Vec::new();
            for tick in 1..=ticks {
                let source = sources[self.slot(tick, node, port)];
                match runs.last_mut() {
                    Some(last) if last.source == source => last.ticks += 1,
                    _ => runs.push(Run { source, ticks: 1 }),
                }
            }
            Track { runs, repeat_from: None, inject: None }
        };
        let class = |node| Class { outputs: network.port_ids().map(|port| track(node, port)).collect() };
        let classes: Vec<Class> = network.node_ids().map(class).collect();
        let title = Title::new(&whole.title.name, &format!("{} patched", whole.title.scheme));
        let demand = Demand::gossip(network, self.packets as u16);
        let program = Program::uniform(network, ticks, demand, classes[0].outputs.clone(), title);
        let class_of = network.node_ids().map(|node| ClassId(node.0)).collect();
        Program { classes, class_of, latency: self.latency, ..program }.with_dead_class()
    }
}
