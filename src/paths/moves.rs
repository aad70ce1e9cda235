//! Gossip as a list of moves, which packet goes over which half-duplex link in which tick; and the program that makes them.

use crate::net::{Channel, NodeId, Port, Topology};
use crate::program::{Demand, Duplex, Program, ProgramBuilder, Run, Source, Title};

/// One packet over one link. Several moves over a link in one tick take as many lanes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PacketMove {
    /// When, counted from 1. What arrives in a tick can leave from the next one on.
    pub tick: u32,
    /// Node that sends the packet.
    pub from: NodeId,
    /// Out of which port.
    pub by: Port,
    /// Origin of the packet.
    pub token: NodeId,
}

/// The lane that a packet takes if it can, by its origin.
pub type LaneOf = fn(NodeId) -> u8;

/// The program on half-duplex links that makes these moves: gossip of one packet per node.
///
/// A node sends its own packet, or what came in where and when the packet first did. So that selectors change seldom, an
/// output that has nothing to send goes on reading its input for as long as nothing arrives there, or begins to early.
pub fn program(
    topology: &Topology,
    lanes: u8,
    mut moves: Vec<PacketMove>,
    lane_of: Option<LaneOf>,
    title: Title,
) -> Program {
    moves.sort_unstable();
    let ticks = moves.last().map_or(0, |last| last.tick);
    let mut weaver = Weaver::new(topology, lanes, lane_of);
    for tick in moves.chunk_by(|a, b| a.tick == b.tick) {
        weaver.play(tick);
    }
    let mut builder = ProgramBuilder::on_links(topology, Duplex::Half, lanes, ticks, Demand::gossip(topology, 1));
    for node in topology.node_ids() {
        for (port, lane) in topology.port_ids().flat_map(|port| (0..lanes).map(move |lane| (port, lane))) {
            let runs = weaver.runs(node, Channel { port, lane }, ticks);
            if !runs.is_empty() {
                let track = builder.track(&runs, Source::Idle);
                builder.set_lane(node, port, lane, track);
            }
        }
    }
    builder.finish(title)
}

/// First arrival of a packet at a node: the tick, and the index of the input.
#[derive(Clone, Copy, Debug, Default)]
struct FirstArrival {
    tick: u32,
    input: u16,
}

struct Weaver<'a> {
    topology: &'a Topology,
    lanes: u8,
    lane_of: Option<LaneOf>,
    /// At `node * nodes + token`; tick 0 if it has not come yet.
    arrivals: Vec<FirstArrival>,
    /// Sources of every output with their ticks, at `register * lanes + lane`.
    sent: Vec<Vec<(u32, Source)>>,
}

impl<'a> Weaver<'a> {
    fn new(topology: &'a Topology, lanes: u8, lane_of: Option<LaneOf>) -> Self {
        let nodes = topology.nodes() as usize;
        let sent = vec![Vec::new(); topology.registers() * usize::from(lanes)];
        Self { topology, lanes, lane_of, arrivals: vec![FirstArrival::default(); nodes * nodes], sent }
    }

    fn output(&self, node: NodeId, Channel { port, lane }: Channel) -> usize {
        self.topology.register(node, port) * usize::from(self.lanes) + usize::from(lane)
    }

    /// The moves of one tick, in the order of their outputs.
    fn play(&mut self, moves: &[PacketMove]) {
        let mut arriving = Vec::with_capacity(moves.len());
        for packets in moves.chunk_by(|a, b| (a.from, a.by) == (b.from, b.by)) {
            let PacketMove { tick, from, by, .. } = packets[0];
            let sources: Vec<Source> = packets.iter().map(|one| self.source(tick, from, one.token)).collect();
            let there = self.topology.step(from, by).expect("a move goes over a link");
            for (one, (source, lane)) in packets.iter().zip(self.on_lanes(packets, sources)) {
                let output = self.output(from, Channel { port: by, lane });
                self.sent[output].push((tick, source));
                let input = by.opposite().index() as u16 * u16::from(self.lanes) + u16::from(lane);
                arriving.push((there, one.token, FirstArrival { tick, input }));
            }
        }
        let nodes = self.topology.nodes() as usize;
        for (node, token, arrival) in arriving {
            let first = &mut self.arrivals[node.index() * nodes + token.index()];
            if first.tick == 0 && node != token {
                *first = arrival;
            }
        }
    }

    fn source(&self, tick: u32, node: NodeId, token: NodeId) -> Source {
        if node == token {
            return Source::own(0);
        }
        let arrival = self.arrivals[node.index() * self.topology.nodes() as usize + token.index()];
        assert!(arrival.tick > 0 && arrival.tick < tick, "a node sends what it has");
        let Channel { port, lane } = Channel::from_index(arrival.input.into(), self.lanes);
        Source::In { port, lane, age: tick - arrival.tick }
    }

    /// The lane of every packet: the one of its origin, or where its source goes on, or where it came in, or any.
    fn on_lanes(&self, packets: &[PacketMove], sources: Vec<Source>) -> Vec<(Source, u8)> {
        let PacketMove { tick, from, by, .. } = packets[0];
        assert!(packets.len() <= usize::from(self.lanes), "a link has {} lanes", self.lanes);
        if self.lanes == 1 {
            return sources.into_iter().map(|source| (source, 0)).collect();
        }
        if let Some(lane_of) = self.lane_of {
            let lanes: Vec<u8> = packets.iter().map(|one| lane_of(one.token)).collect();
            if (1..lanes.len()).all(|index| !lanes[..index].contains(&lanes[index])) {
                return sources.into_iter().zip(lanes).collect();
            }
        }
        let before = |lane| {
            let last = self.sent[self.output(from, Channel { port: by, lane })].last();
            last.filter(|(last, _)| last + 1 == tick).map(|(_, source)| *source)
        };
        let mut free: Vec<u8> = (0..self.lanes).collect();
        let mut placed: Vec<Option<u8>> = vec![None; sources.len()];
        for (source, placed) in sources.iter().zip(&mut placed) {
            if let Some(index) = free.iter().position(|&lane| before(lane) == Some(*source)) {
                *placed = Some(free.remove(index));
            }
        }
        let lanes = sources.into_iter().zip(placed).map(|(source, placed)| {
            let lane = placed.unwrap_or_else(|| {
                let came_by = |lane: &u8| matches!(source, Source::In { lane: came_by, .. } if came_by == *lane);
                free.remove(free.iter().position(came_by).unwrap_or(0))
            });
            (source, lane)
        });
        lanes.collect()
    }

    /// Returns the runs of an output, idle ticks filled up with reads of nothing; empty if it never sends.
    fn runs(&self, node: NodeId, channel: Channel, ticks: u32) -> Vec<Run> {
        runs(&self.sent[self.output(node, channel)], ticks, |Channel { port, lane }, tick| {
            let there = self.topology.step(node, port).expect("a packet came in there");
            let sent = &self.sent[self.output(there, Channel { port: port.opposite(), lane })];
            sent.binary_search_by_key(&tick, |(tick, _)| *tick).is_ok()
        })
    }
}

/// The runs of an output that sends these packets, its idle ticks filled up with reads of nothing; empty if it never sends.
/// `arrives` says whether something arrives at an input in a tick.
pub fn runs(sent: &[(u32, Source)], ticks: u32, arrives: impl Fn(Channel, u32) -> bool) -> Vec<Run> {
    let brings_nothing = |source, tick: u32| match source {
        Source::In { port, lane, age } => tick <= age || !arrives(Channel { port, lane }, tick - age),
        _ => false,
    };
    let mut runs: Vec<Run> = Vec::new();
    let mut push = |source: Source, ticks: u32| match runs.last_mut() {
        Some(last) if last.source == source => last.ticks += ticks,
        _ if ticks > 0 => runs.push(Run { source, ticks }),
        _ => {}
    };
    let end = (ticks + 1, Source::Idle);
    let mut before = (0, Source::Idle);
    for &after in sent.iter().chain((!sent.is_empty()).then_some(&end)) {
        // the source before reads on, then the one after begins early
        let mut from = before.0 + 1;
        while from < after.0 && brings_nothing(before.1, from) {
            from += 1;
        }
        let mut to = after.0;
        while to > from && brings_nothing(after.1, to - 1) {
            to -= 1;
        }
        push(before.1, from - before.0 - 1);
        push(Source::Idle, to - from);
        push(after.1, after.0 - to + u32::from(after.0 <= ticks));
        before = after;
    }
    runs
}
