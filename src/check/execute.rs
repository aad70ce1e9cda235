//! Moves every token, tick by tick, into the inbox of the node it is sent to.
//!
//! The model pulls from its neighbours' registers; this executor pushes into inboxes, so that a mistake in the one is
//! not repeated in the other. What is in the inboxes is looked at node by node after every few ticks: the row of what one
//! node knows then stays in the processor's nearest memory, and the nodes are shared between the cores.

use std::ops::Range;

use super::inbox::{BATCH, Inbox};
use super::playing::{OutputMove, Playing};
use super::receive::{NOTHING, Received, Receiver};
use super::{CheckReport, Method, ProgressWatch, Tally, TrafficFigures, Violation};
use crate::net::{Channel, NodeId, Port, Ports};
use crate::program::{Duplex, Program};
use crate::threads;

/// The inbox of a port that looks out of the grid.
const OUTSIDE: u32 = u32::MAX;

/// Further results of an execution besides violations.
pub(super) struct ExecutionResults {
    /// arrivals counted in the inbox of each register
    pub carried: Vec<u32>,
    /// after each tick that was asked for, how much every node knew of what it is to know
    pub known: Vec<Vec<u64>>,
}

/// Executes the whole program and reports what every node learned; `watch` is told the ticks that are done. `asked` are
/// ticks in order.
pub(super) fn run(program: &Program, asked: &[u32], watch: ProgressWatch<'_>) -> (CheckReport, ExecutionResults) {
    let mut execution = Execution::new(program);
    let mut asked = asked.iter().copied().filter(|&tick| tick <= program.ticks).peekable();
    let mut known = Vec::new();
    let mut first = 1;
    while first <= program.ticks || asked.peek().is_some() {
        if asked.next_if(|&tick| tick < first).is_some() {
            known.push(execution.known_by_node());
            continue;
        }
        let last = program.ticks.min(first.saturating_add(BATCH - 1));
        let last = asked.peek().map_or(last, |&asked| last.min(asked));
        (first..=last).for_each(|tick| execution.tick(tick));
        execution.receive(first, last);
        watch(last.into());
        first = last + 1;
    }
    let carried = execution.carried.clone();
    (execution.report(), ExecutionResults { carried, known })
}

/// When a fault is found within its tick; they are told in this order.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum FaultStage {
    Sending,
    Link,
    Receiving,
}

struct Execution<'p> {
    program: &'p Program,
    /// one for every output of every class
    playing: Vec<Playing<'p>>,
    /// the inbox that every output sends to
    to: Vec<u32>,
    /// the inboxes of the last ticks, as far back as any output reads and as nobody has looked at; tick t's is at t modulo
    /// their number
    inboxes: Vec<Inbox>,
    receiver: Receiver<'p>,
    /// flits a node knows, a row per node
    known: Vec<u64>,
    received: Received,
    /// arrivals counted in each inbox
    carried: Vec<u32>,
    /// by node, what it learned of what it wants
    learned: Vec<u64>,
    traffic: TrafficFigures,
    /// the port that last sent over a link, at the index of the register of its lower port
    senders: Vec<LastSender>,
    faults: Vec<(u32, FaultStage, Violation)>,
}

/// Last sender on a half-duplex link, its tick, and the number of direction changes.
#[derive(Clone, Copy, Default)]
struct LastSender {
    /// 0 nobody yet, 1 the end whose port looks to larger coordinates, 2 the other
    end: u8,
    tick: u32,
    turns: u32,
}

impl<'p> Execution<'p> {
    fn new(program: &'p Program) -> Self {
        let (topology, registers) = (&program.topology, program.registers());
        let receiver = Receiver::new(program);
        let mut known = vec![0; topology.nodes() as usize * receiver.words];
        for (node, known) in topology.node_ids().zip(known.chunks_exact_mut(receiver.words.max(1))) {
            receiver.begin(node, known);
        }
        let tracks = program.classes.iter().flat_map(|class| &class.outputs);
        let inboxes = program.memory().max(program.ticks.min(BATCH)) as usize + program.latency as usize;
        Self {
            program,
            playing: tracks.map(|track| Playing::new(program, track)).collect(),
            to: inboxes_of_outputs(program),
            inboxes: (0..inboxes).map(|index| Inbox::new(index, registers)).collect(),
            receiver,
            known,
            received: Received::default(),
            carried: vec![0; registers],
            learned: vec![0; topology.nodes() as usize],
            traffic: TrafficFigures::default(),
            senders: vec![LastSender::default(); topology.registers()],
            faults: Vec::new(),
        }
    }

    fn tick(&mut self, tick: u32) {
        let program = self.program;
        let outputs = program.outputs();
        let now = (tick as usize + program.latency as usize - 1) % self.inboxes.len();
        let mut inbox = std::mem::take(&mut self.inboxes[now]);
        let inboxes = &self.inboxes;
        inbox.fill(NOTHING);
        // many nodes of a gather or a scatter do nothing in most ticks: only outputs that do something are looked at
        let mut moves = Vec::new();
        let playing = self.playing.chunks_exact_mut(outputs);
        let by_class = playing.map(|playing| {
            let begin = moves.len();
            let next = |(output, playing): (usize, &mut Playing<'_>)| {
                let act = playing.next(program, inboxes, tick);
                let is_idle = matches!(act, OutputMove::Nothing) && playing.inject.is_none();
                (!is_idle).then_some((output, act, playing.inject))
            };
            moves.extend(playing.iter_mut().enumerate().filter_map(next));
            begin..moves.len()
        });
        let by_class: Vec<Range<usize>> = by_class.collect();
        let mut sending = TickSends { program, tick, faults: &mut self.faults };
        let mut held = self.traffic.held;
        let mut most = 0;
        for (class, (node, to)) in program.class_of.iter().zip((0..).zip(self.to.chunks_exact(outputs))) {
            let begin = node as usize * outputs;
            let mut sends = 0;
            for &(output, act, inject) in &moves[by_class[class.index()].clone()] {
                let to = to[output];
                if to == OUTSIDE {
                    continue;
                }
                let mut flit = match act {
                    OutputMove::Nothing => NOTHING,
                    OutputMove::Forward { then, input, age } => {
                        let flit = then[begin + input];
                        held = held.max(if flit == NOTHING { 0 } else { age });
                        flit
                    }
                    OutputMove::Join { then, ports } => sending.joined(NodeId(node), output, then, ports),
                    OutputMove::Own { packet, through, played } => {
                        program.demand.flit(NodeId(node), packet, through, played).map_or(NOTHING, |flit| flit.0)
                    }
                };
                if let Some(packet) = inject {
                    flit = sending.or_injected(NodeId(node), output, packet, flit);
                }
                if flit != NOTHING {
                    sends += 1;
                    inbox[to as usize] = flit;
                }
            }
            most = most.max(sends);
        }
        self.traffic.held = held;
        self.traffic.sends = self.traffic.sends.max(most);
        self.inboxes[now] = inbox;
        self.note_directions(tick, now);
    }

    /// Notes the direction in which every link was used in this tick; a half-duplex link has only one.
    fn note_directions(&mut self, tick: u32, now: usize) {
        let program = self.program;
        if program.duplex.is_full() {
            return;
        }
        let inbox = &self.inboxes[now];
        let brings = |node, port| {
            (0..program.lanes).any(|lane| inbox[program.register(node, Channel { port, lane })] != NOTHING)
        };
        let topology = &program.topology;
        for node in topology.node_ids() {
            for port in (0..topology.axes()).map(Port::plus) {
                let Some(neighbour) = topology.step(node, port) else { continue };
                let end = match (brings(neighbour, port.opposite()), brings(node, port)) {
                    (false, false) => continue,
                    (true, false) => 1,
                    (false, true) => 2,
                    (true, true) => {
                        let (node, neighbour) = (topology.coords(node), topology.coords(neighbour));
                        let port = port.to_string();
                        let both = Violation::BothWays { node, port, neighbour, tick };
                        self.faults.push((tick, FaultStage::Link, both));
                        continue;
                    }
                };
                let sender = &mut self.senders[topology.register(node, port)];
                let before = std::mem::replace(sender, LastSender { end, tick, turns: sender.turns });
                if before.end == 0 || before.end == end {
                    continue;
                }
                sender.turns += 1;
                let (here, there) = (topology.coords(node), topology.coords(neighbour));
                let (node, port, neighbour) =
                    if end == 1 { (here, port, there) } else { (there, port.opposite(), here) };
                let port = port.to_string();
                match program.duplex {
                    Duplex::Pads if before.tick + 1 == tick => {
                        let no_silence = Violation::NoSilence { node, port, neighbour, tick };
                        self.faults.push((tick, FaultStage::Link, no_silence));
                    }
                    Duplex::OneWay => {
                        let backwards = Violation::Backwards { node, port, neighbour, tick };
                        self.faults.push((tick, FaultStage::Link, backwards));
                    }
                    _ => {}
                }
            }
        }
    }

    /// Every node looks at what came in during some ticks.
    fn receive(&mut self, first: u32, last: u32) {
        let Self { program, inboxes, receiver, known, carried, learned, .. } = self;
        let outputs = program.outputs();
        let nodes = program.topology.nodes() as usize;
        // and the tick before, whose packets may continue
        let before = first - 1;
        let inboxes: Vec<&[u32]> = (before..=last).map(|tick| &*inboxes[tick as usize % inboxes.len()]).collect();
        let receive = |(share, ((known, carried), learned)): (usize, KnownRows<'_>)| {
            let mut received = Received::default();
            let rows = known.chunks_exact_mut(receiver.words.max(1)).zip(carried.chunks_exact_mut(outputs));
            for (node, ((known, carried), learned)) in (share * NODES_A_SHARE..nodes).zip(rows.zip(learned)) {
                let inputs = |tick: u32| &inboxes[(tick - before) as usize][node * outputs..][..outputs];
                let of_node = receiver.receive(NodeId(node as u32), first..=last, inputs, known, carried);
                *learned += of_node.wanted;
                received.add(of_node);
            }
            received
        };
        let (words, inputs) = (NODES_A_SHARE * receiver.words.max(1), NODES_A_SHARE * outputs);
        let rows = known.chunks_mut(words).zip(carried.chunks_mut(inputs)).zip(learned.chunks_mut(NODES_A_SHARE));
        let received: Vec<Received> = if nodes <= NODES_A_SHARE {
            rows.enumerate().map(receive).collect()
        } else {
            threads::map(rows.enumerate().collect(), receive)
        };
        for mut received in received {
            let torn = std::mem::take(&mut received.torn);
            self.faults.extend(torn.into_iter().map(|(tick, torn)| (tick, FaultStage::Receiving, torn)));
            self.received.add(received);
        }
    }

    /// Number of wanted flits that every node knows: its own flits and those it has learned.
    fn known_by_node(&self) -> Vec<u64> {
        let nodes = self.program.topology.node_ids().zip(&self.learned);
        nodes.map(|(node, learned)| self.program.demand.own_flits(node) + learned).collect()
    }

    fn report(mut self) -> CheckReport {
        let mut faults = std::mem::take(&mut self.faults);
        faults.sort_by_key(|&(tick, stage, _)| (tick, stage));
        let mut violations: Vec<Violation> = faults.into_iter().map(|(_, _, violation)| violation).collect();
        let Self { program, receiver, received, .. } = &self;
        let topology = &program.topology;
        let is_complete = program.ticks > 0 && received.wanted == receiver.unknown();
        let complete_at = is_complete.then(|| received.last_wanted.max(1));
        if complete_at.is_none() {
            let rows = topology.node_ids().zip(self.known.chunks_exact(receiver.words.max(1)));
            violations.extend(rows.filter_map(|(node, known)| receiver.missing(node, known)));
        }
        let ports = topology.node_ids().flat_map(|node| topology.linked_ports(node).map(move |port| (node, port)));
        let brought = |(node, port)| -> u32 {
            (0..program.lanes).map(|lane| self.carried[program.register(node, Channel { port, lane })]).sum()
        };
        CheckReport {
            method: Method::Execution,
            complete_at,
            steps: complete_at.map(|tick| tick.div_ceil(program.flits)),
            duplicates: Some(received.arrivals - received.news),
            link_use: Some(Tally::of(ports.map(brought)).link_use()),
            traffic: Some(TrafficFigures {
                overheard: received.news - received.wanted,
                receives: received.most,
                turns: self.senders.iter().map(|sender| sender.turns).max().unwrap_or(0),
                ..self.traffic
            }),
            violations,
        }
    }
}

/// Sends of one tick that can go wrong.
struct TickSends<'e> {
    program: &'e Program,
    tick: u32,
    faults: &'e mut Vec<(u32, FaultStage, Violation)>,
}

impl TickSends<'_> {
    /// Returns the flit that arrived at one of these inputs; two at once are a violation.
    fn joined(&mut self, node: NodeId, output: usize, then: &[u32], ports: Ports) -> u32 {
        let mut found = NOTHING;
        for input in ports.iter().map(Channel::first) {
            let flit = then[self.program.register(node, input)];
            if flit != NOTHING && found != NOTHING {
                let (node, port) = self.at(node, output);
                self.faults.push((self.tick, FaultStage::Sending, Violation::Clash { node, port, tick: self.tick }));
            }
            found = if flit == NOTHING { found } else { flit };
        }
        found
    }

    /// Returns the flit that an output sends instead of `found`: an own packet while the node's window is open.
    fn or_injected(&mut self, node: NodeId, output: usize, packet: u32, found: u32) -> u32 {
        let Some(since) = self.program.window(node).open(self.tick) else { return found };
        if found != NOTHING {
            let (node, port) = self.at(node, output);
            self.faults.push((self.tick, FaultStage::Sending, Violation::RunOver { node, port, tick: self.tick }));
        }
        self.program.demand.flit(node, packet, packet, since).map_or(NOTHING, |flit| flit.0)
    }

    /// Place of a fault as errors name it: coordinates and port.
    fn at(&self, node: NodeId, output: usize) -> (Vec<u32>, String) {
        (self.program.topology.coords(node), self.program.output(output).to_string())
    }
}

/// Known flits, inbox counts and learned counts for a range of nodes.
type KnownRows<'r> = ((&'r mut [u64], &'r mut [u32]), &'r mut [u64]);

/// Nodes that one thread looks at before it takes the next; so few are not worth another thread.
const NODES_A_SHARE: usize = 256;

/// The inbox at the other end of every output's link.
fn inboxes_of_outputs(program: &Program) -> Vec<u32> {
    let mut to = Vec::with_capacity(program.registers());
    for node in program.topology.node_ids() {
        to.extend(program.channels().map(|output| {
            let neighbour = program.topology.step(node, output.port);
            neighbour.map_or(OUTSIDE, |neighbour| program.register(neighbour, output.opposite()) as u32)
        }));
    }
    to
}
