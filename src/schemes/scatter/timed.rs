//! `flow`: scatter and gather on any connected network by a largest flow, flit by flit.
//!
//! On small networks the flow goes through a copy of the network for each tick: no flit ever waits, and no schedule is faster. On
//! large ones it goes through the network itself, where a link carries as many flits as there are ticks after the first that can
//! reach it; then the flit with the farthest to go leaves first. A gather is the scatter played backwards.

use std::collections::{BinaryHeap, VecDeque};

use super::flow::{ArcId, FlowNetwork};
use crate::net::{Around, Network, NodeId, Port};
use crate::program::{Demand, Link, Message, Program, ProgramBuilder, Run, Sender, Source, Title, To};
use crate::study::bounds::{self, Goal};
use crate::task::{About, Claim, Collective, ConstructError, Scheme, Task, Unmet, Woven};

/// Scatter and gather by flow.
#[derive(Clone, Copy, Debug)]
pub struct TimedFlow;

/// Nodes times ticks of a network with a copy for each tick.
const MOST_COPIED: u64 = 1_000_000;
/// Flits of all messages: packets are numbered in 16 bits.
const MOST_FLITS: u64 = u16::MAX as u64;
/// Nodes of a network: lengths of more take long to add.
const MOST_NODES: u32 = 1 << 17;
/// Nodes times flits: more take long.
const MOST_WORK: u64 = 1 << 28;
/// Ticks beyond the bound in which a flow through the network itself is looked for.
const MORE: u32 = 64;

impl Scheme for TimedFlow {
    fn about(&self) -> About {
        About {
            name: "flow",
            summary: "Scatter and gather on any network: a largest flow over time, flit by flit",
            theorem: "maximum flow over time (Ford and Fulkerson)",
            condition: "any connected network, at most 65535 flits",
            packets: "a flit each",
            preference: 19,
        }
    }

    fn collectives(&self) -> &'static [Collective] {
        &[Collective::Scatter, Collective::Gather]
    }

    fn takes(&self, _network: &Network) -> bool {
        true
    }

    fn stands_in(&self) -> bool {
        true
    }

    fn applies(&self, task: &Task) -> Result<(), Unmet> {
        if task.choice.traffic.tree.is_some() {
            return Err(Unmet { needs: "no `tree`" });
        }
        if task.topology.nodes() > MOST_NODES {
            return Err(Unmet { needs: "at most 2^17 nodes" });
        }
        let flits: u64 = task.lengths().iter().map(|&flits| u64::from(flits)).sum();
        if flits > MOST_FLITS || flits * u64::from(task.topology.nodes()) > MOST_WORK {
            return Err(Unmet { needs: "at most 65535 flits, and 2^28 flits times nodes" });
        }
        Ok(())
    }

    fn packets(&self, task: &Task) -> u16 {
        let lengths = task.lengths();
        let flits: u32 = match task.collective() {
            Collective::Gather => lengths.into_iter().max().unwrap_or(0),
            _ => lengths.into_iter().sum(),
        };
        flits as u16
    }

    fn weave(&self, task: &Task, title: Title) -> Result<Woven, ConstructError> {
        let (network, root) = (task.topology, task.root());
        let (flits, ticks) = scatter(network, root, &task.lengths(), task.link.latency);
        let is_gather = task.collective() == Collective::Gather;
        Ok(Woven { program: program(network, root, flits, ticks, is_gather, title), cover: None })
    }

    fn claim(&self, _task: &Task) -> Option<Claim> {
        None
    }

    fn awaits_arrivals(&self, _task: &Task) -> bool {
        true
    }
}

/// Tick, node and port by which a flit leaves a node.
type TimedHop = (u32, NodeId, Port);
/// A flit on its way from the root.
type TimedHops = Vec<TimedHop>;
/// Link of one tick: the places that it joins.
type UsedLink = (ArcId, usize, usize, TimedHop);

/// The hops of all flits, and the ticks in which they are sent. A flit is sent on `latency` ticks after it was sent.
fn scatter(network: &Network, root: NodeId, lengths: &[u32], latency: u32) -> (Vec<TimedHops>, u32) {
    let around = Around::new(network, root);
    // in the last latency - 1 ticks flits only arrive
    let link = Link { latency, ..Link::default() };
    let bound = bounds::lower_bound(network, link, Goal::Scatter { root, lengths });
    let least = (bound.ticks as u32).saturating_sub(latency - 1);
    if u64::from(network.nodes()) * u64::from(least) <= MOST_COPIED {
        Copies::new(&around, lengths, latency).filled(least)
    } else {
        listed(&around, lengths, latency, least)
    }
}

/// The network once for each tick.
struct Copies<'a> {
    around: &'a Around<'a>,
    latency: u32,
    flow: FlowNetwork,
    source: usize,
    drain: usize,
    /// By node, where its flits end.
    sinks: Vec<usize>,
    /// By tick and node, where flits are that can be sent on after that tick.
    places: Vec<Vec<Option<usize>>>,
    /// Links in use: where they begin and end, with the hop.
    arcs: Vec<UsedLink>,
    /// Arrivals: where, and which sink.
    ends: Vec<(ArcId, usize)>,
    flits: u64,
}

impl<'a> Copies<'a> {
    fn new(around: &'a Around<'a>, lengths: &[u32], latency: u32) -> Self {
        let mut flow = FlowNetwork::default();
        let (source, drain) = (flow.place(), flow.place());
        let mut flits = 0;
        let mut sink = |(node, &length): (NodeId, &u32)| {
            let sink = flow.place();
            if node != around.root() && length > 0 {
                flow.arc(sink, drain, length.into());
                flits += u64::from(length);
            }
            sink
        };
        let sinks = around.topology().node_ids().zip(lengths).map(&mut sink).collect();
        let places = vec![vec![None; lengths.len()]; latency as usize];
        Self { around, latency, flow, source, drain, sinks, places, arcs: Vec::new(), ends: Vec::new(), flits }
    }

    /// Number of ticks in which flits are sent.
    fn ticks(&self) -> u32 {
        self.places.len() as u32 - self.latency
    }

    /// Adds a copy for one more tick.
    fn tick(&mut self) {
        let (network, root) = (self.around.topology(), self.around.root());
        let tick = self.ticks() + 1;
        let arrival = self.places.len() as u32;
        let mut now = vec![None; self.sinks.len()];
        let is_reached = |node: &NodeId| *node != root && self.around.distance(*node) * self.latency <= arrival;
        for node in network.live_ids().filter(is_reached) {
            let place = self.flow.place();
            now[node.index()] = Some(place);
            let end = self.flow.arc(place, self.sinks[node.index()], u64::from(u32::MAX));
            self.ends.push((end, place));
        }
        for node in network.live_ids() {
            let before = if node == root { Some(self.source) } else { self.places[tick as usize - 1][node.index()] };
            let Some(before) = before else { continue };
            for port in network.linked_ports(node) {
                let there = network.step(node, port).and_then(|there| now[there.index()]);
                if let Some(there) = there {
                    let arc = self.flow.arc(before, there, 1);
                    self.arcs.push((arc, before, there, (tick, node, port)));
                }
            }
        }
        self.places.push(now);
    }

    /// The hops of all flits in as few ticks as possible.
    fn filled(mut self, least: u32) -> (Vec<TimedHops>, u32) {
        while self.ticks() < least {
            self.tick();
        }
        let mut total = self.flow.fill(self.source, self.drain);
        while total < self.flits {
            self.tick();
            total += self.flow.fill(self.source, self.drain);
        }
        let ticks = self.ticks();
        // flow through a place leaves by one of its links or ends there
        let places = self.flow.places();
        let mut leaving: Vec<Vec<(usize, TimedHop)>> = vec![Vec::new(); places];
        let mut ending = vec![0; places];
        for &(arc, from, to, hop) in self.arcs.iter().filter(|(arc, ..)| self.flow.along(*arc) > 0) {
            debug_assert_eq!(self.flow.along(arc), 1);
            leaving[from].push((to, hop));
        }
        for &(arc, place) in &self.ends {
            ending[place] += self.flow.along(arc);
        }
        let way = |_| {
            let (mut at, mut hops) = (self.source, Vec::new());
            loop {
                if ending[at] > 0 {
                    ending[at] -= 1;
                    return hops;
                }
                let (to, hop) = leaving[at].pop().expect("what flows in flows out");
                hops.push(hop);
                at = to;
            }
        };
        ((0..self.flits).map(way).collect(), ticks)
    }
}

/// The hops of all flits along ways of a flow through the network itself, farthest first.
fn listed(around: &Around, lengths: &[u32], latency: u32, least: u32) -> (Vec<TimedHops>, u32) {
    let mut best: Option<(Vec<TimedHops>, u32)> = None;
    for ticks in least..least + MORE {
        let Some(ways) = ways(around, lengths, latency, ticks) else { continue };
        let found = farthest_first(around, &ways, latency);
        if best.as_ref().is_none_or(|(_, best)| found.1 < *best) {
            best = Some(found);
        }
        if best.as_ref().is_some_and(|(_, best)| *best <= ticks) {
            break;
        }
    }
    best.expect("with enough ticks every flit has a way")
}

/// Ways for all flits, away from the root with each hop, if links can carry them in so many ticks.
fn ways(around: &Around, lengths: &[u32], latency: u32, ticks: u32) -> Option<Vec<Vec<(NodeId, Port)>>> {
    let (network, root) = (around.topology(), around.root());
    let mut flow = FlowNetwork::default();
    let places: Vec<usize> = network.node_ids().map(|_| flow.place()).collect();
    let drain = flow.place();
    let mut arcs = Vec::new();
    for node in network.live_ids() {
        let Some(room) = ticks.checked_sub(around.distance(node) * latency) else { continue };
        for port in network.linked_ports(node) {
            let Some(there) = network.step(node, port) else { continue };
            if around.distance(there) > around.distance(node) {
                let arc = flow.arc(places[node.index()], places[there.index()], room.into());
                arcs.push((arc, node, port));
            }
        }
    }
    for (&place, &length) in places.iter().zip(lengths).filter(|&(_, &length)| length > 0) {
        flow.arc(place, drain, length.into());
    }
    let flits: u64 = lengths.iter().map(|&flits| u64::from(flits)).sum();
    if flow.fill(places[root.index()], drain) < flits {
        return None;
    }
    let mut leaving: Vec<Vec<(u64, Port)>> = vec![Vec::new(); places.len()];
    for (arc, node, port) in arcs {
        leaving[node.index()].push((flow.along(arc), port));
    }
    let way = |_| {
        let (mut at, mut way) = (root, Vec::new());
        loop {
            let outlets = &mut leaving[at.index()];
            outlets.retain(|&(left, _)| left > 0);
            // depth of the flow that passes here; the rest ends here
            let Some((left, port)) = outlets.last_mut() else { return way };
            *left -= 1;
            way.push((at, *port));
            at = network.step(at, *port).expect("a flow keeps to links");
        }
    };
    Some((0..flits).map(way).collect())
}

/// In every tick each link carries the flit that has farthest to go.
fn farthest_first(around: &Around, ways: &[Vec<(NodeId, Port)>], latency: u32) -> (Vec<TimedHops>, u32) {
    let network = around.topology();
    let mut queues: Vec<BinaryHeap<(usize, std::cmp::Reverse<usize>)>> = vec![BinaryHeap::new(); network.registers()];
    let mut busy: Vec<usize> = Vec::new();
    let put = |queues: &mut Vec<BinaryHeap<_>>, busy: &mut Vec<usize>, flit: usize, hop: usize| {
        let (node, port) = ways[flit][hop];
        let link = network.register(node, port);
        if queues[link].is_empty() {
            busy.push(link);
        }
        queues[link].push((ways[flit].len() - hop, std::cmp::Reverse(flit)));
    };
    let mut hops: Vec<TimedHops> = vec![Vec::new(); ways.len()];
    let mut left = 0;
    for flit in (0..ways.len()).filter(|&flit| !ways[flit].is_empty()) {
        put(&mut queues, &mut busy, flit, 0);
        left += 1;
    }
    let mut tick = 0;
    // flits on long links, with the tick in which they can be sent on
    let mut travelling: VecDeque<(u32, usize)> = VecDeque::new();
    while left > 0 {
        tick += 1;
        while let Some(&(_, flit)) = travelling.front().filter(|&&(ready, _)| ready <= tick) {
            travelling.pop_front();
            put(&mut queues, &mut busy, flit, hops[flit].len());
        }
        let links = std::mem::take(&mut busy);
        let mut moved = Vec::with_capacity(links.len());
        for link in links {
            moved.extend(queues[link].pop().map(|(_, std::cmp::Reverse(flit))| flit));
            if !queues[link].is_empty() {
                busy.push(link);
            }
        }
        for flit in moved {
            let (node, port) = ways[flit][hops[flit].len()];
            hops[flit].push((tick, node, port));
            match hops[flit].len() {
                done if done == ways[flit].len() => left -= 1,
                _ => travelling.push_back((tick + latency, flit)),
            }
        }
    }
    (hops, tick)
}

/// The program of a scatter, or of the gather that it is backwards.
fn program(
    network: &Network,
    root: NodeId,
    mut flits: Vec<TimedHops>,
    ticks: u32,
    is_gather: bool,
    title: Title,
) -> Program {
    let end = |hops: &TimedHops| {
        let &(_, node, port) = hops.last().expect("nobody sends to itself");
        network.step(node, port).expect("a hop keeps to links")
    };
    // a node's flits one after the other, in the order in which they leave
    flits.sort_by_key(|hops| (end(hops), if is_gather { u32::MAX - hops[hops.len() - 1].0 } else { hops[0].0 }));
    let mut sources = vec![vec![]; network.registers()];
    let mut packets = vec![0; network.nodes() as usize];
    let mut messages = Vec::with_capacity(flits.len());
    for hops in &flits {
        let far = end(hops);
        let (from, to) = if is_gather { (far, root) } else { (root, far) };
        messages.push(Message { from: Sender::Node(from), to: To::Node(to), flits: 1 });
        let packet = packets[from.index()];
        packets[from.index()] += 1;
        let backwards = |&(tick, node, port): &TimedHop| {
            let there = network.step(node, port).expect("a hop keeps to links");
            (ticks + 1 - tick, there, port.opposite())
        };
        let hops: TimedHops = if is_gather { hops.iter().rev().map(backwards).collect() } else { hops.clone() };
        let mut before: Option<(u32, Port)> = None;
        for (tick, node, port) in hops {
            let source = match before {
                None => Source::own(packet),
                Some((sent, by)) => Source::input(by.opposite(), tick - sent),
            };
            sources[network.register(node, port)].push((tick, source));
            before = Some((tick, port));
        }
    }
    let mut builder = ProgramBuilder::new(network, ticks, Demand::new(network, messages));
    for (register, mut sent) in sources.into_iter().enumerate().filter(|(_, sent)| !sent.is_empty()) {
        sent.sort_unstable_by_key(|&(tick, _)| tick);
        let mut runs = Vec::with_capacity(sent.len());
        let mut played = 0;
        for (tick, source) in sent {
            runs.push(Run { source: Source::Idle, ticks: tick - 1 - played });
            runs.push(Run { source, ticks: 1 });
            played = tick;
        }
        let track = builder.track(&runs, Source::Idle);
        let node = NodeId((register / network.ports()) as u32);
        builder.set(node, Port::from_index(register % network.ports()), track);
    }
    builder.finish(title)
}
