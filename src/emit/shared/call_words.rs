//! Words of the streams of nodes in a call, one by one, read off the demand: what a bench feeds in, and what it wants back.

mod addresses;
mod programs;
mod rows;

use std::cell::OnceCell;
use std::collections::HashMap;
use std::rc::Rc;

pub use crate::emit::shared::call_words::addresses::{addresses, user_of};
use crate::emit::shared::call_words::programs::ProgramWords;
use crate::emit::shared::call_words::rows::{BankWord, side_by_side};
use crate::net::{Channel, NodeId};
use crate::netlist::BlockOrder;
use crate::play::{Combiner, Machine, Payloads};
use crate::program::{FlitId, Program};

/// Schedule of a program.
#[derive(Clone, Debug)]
pub struct PlannedProgram<'e> {
    /// Program that every node plays.
    pub program: &'e Program,
    /// Nodes that it is planned for, if the collective has a root: one for each group.
    pub roots: Vec<NodeId>,
}

/// Words of the calls of a bench, found once for all files that have them.
pub type BenchWords = Rc<OnceCell<Vec<CallWords>>>;

/// Words of all streams in a call; those that come in are numbered stream after stream.
#[derive(Clone, Debug)]
pub struct CallWords {
    /// By node, words that come in.
    pub taken: Vec<u64>,
    /// End of block, for every input word.
    pub ends: Vec<bool>,
    /// By program of the call, and node, the words of those that come in.
    pub programs: Vec<Vec<u64>>,
    /// By node, words that go out.
    pub given: Vec<Vec<WordOut>>,
}

/// Word that goes out.
#[derive(Clone, Copy, Debug)]
pub struct WordOut {
    /// Number of the word that came in; in a reduction among those of one stream.
    pub number: u64,
    /// True if the word ends its block.
    pub is_last: bool,
    /// Node whose word it is.
    pub origin: NodeId,
    /// Number of the block among those of its node.
    pub block: u32,
    /// Number of its program among those of the call.
    pub program: usize,
    /// Place in its row, where several words go out side by side.
    pub lane: u32,
}

/// Order and lanes of the words that go out.
#[derive(Clone, Copy)]
pub struct WayOut {
    /// Order of the blocks; where there is none, all words are one.
    pub order: Option<BlockOrder>,
    /// Words per clock.
    pub lanes: u32,
    /// Units that combine, of all programs.
    pub units: usize,
    /// True if each message is a block; else those of one node are.
    pub by_message: bool,
}

/// Program as a call plays it: as it was planned, or moved to another root.
pub struct MovedSchedule<'p> {
    schedule: &'p PlannedProgram<'p>,
    /// By node, the node of the schedule that does what this one does.
    planned: Vec<NodeId>,
    /// By node of the schedule, the node that does it here.
    called: Vec<NodeId>,
}

/// Tick and input of an arrival.
type StreamArrival = (u32, usize);

/// Inputs of the first arrivals, by node and flit.
type FirstArrivals = HashMap<(NodeId, FlitId), StreamArrival>;

/// Message of a node, or its block for itself, with the place of its first word in the stream in.
struct StreamMessage {
    packet: Option<u32>,
    to: Option<NodeId>,
    begins: u64,
    words: u64,
}

/// Message that goes out.
struct MessageOut {
    arrival: Option<StreamArrival>,
    words: Vec<BankWord>,
}

impl<'p> MovedSchedule<'p> {
    pub fn of(schedule: &'p PlannedProgram<'p>, root: NodeId) -> Self {
        let topology = &schedule.program.topology;
        let moved = |from: NodeId, to: NodeId| {
            let by = (from != to).then(|| topology.offset(from, to));
            topology.node_ids().map(|node| by.as_ref().map_or(node, |by| topology.away(node, by))).collect()
        };
        // only one group is moved
        let planned = match schedule.roots[..] {
            [planned] => planned,
            _ => root,
        };
        Self { schedule, planned: moved(root, planned), called: moved(planned, root) }
    }

    fn program(&self) -> &'p Program {
        self.schedule.program
    }

    fn planned(&self, node: NodeId) -> NodeId {
        self.planned[node.index()]
    }

    fn called(&self, node: NodeId) -> NodeId {
        self.called[node.index()]
    }

    /// Messages that come in at a node, by destination: those for everybody first.
    fn taken(&self, node: NodeId) -> Vec<StreamMessage> {
        let (topology, demand) = (&self.program().topology, &self.program().demand);
        if self.program().reduction.is_some() {
            // a value for every packet of every node of the group
            let packets = demand.group_of(topology, node).flat_map(|to| {
                let planned = self.planned(to);
                (0..demand.packets_of(planned)).map(move |packet| (to, planned, packet))
            });
            let mut begins = 0;
            let value = |(to, planned, packet)| {
                let flits = demand.flits_of_packet(planned, packet);
                let words = flits.end - flits.start;
                begins += words;
                StreamMessage { packet: None, to: Some(to), begins: begins - words, words }
            };
            return packets.map(value).collect();
        }
        let planned = self.planned(node);
        let message = |packet| StreamMessage {
            packet: Some(packet),
            to: demand.receiver(topology, planned, packet).map(|to| self.called(to)),
            begins: 0,
            words: demand.message(planned, packet).flits.into(),
        };
        let mut messages: Vec<StreamMessage> =
            (0..demand.packets_of(planned)).map(message).filter(|it| it.to != Some(node)).collect();
        let sent = messages.iter().filter_map(|message| Some((message.to?, message.words))).collect();
        messages.push(StreamMessage { packet: None, to: Some(node), begins: 0, words: self.for_itself(planned, sent) });
        messages.sort_by_key(|message| message.to);
        let mut begun = 0;
        for message in &mut messages {
            message.begins = begun;
            begun += message.words;
        }
        messages
    }

    /// Words of the block that a node of the schedule has for itself: as many as it has for every other node or gets from each. Where
    /// there is a root, only the root has one.
    fn for_itself(&self, node: NodeId, sent: Vec<(NodeId, u64)>) -> u64 {
        let (topology, demand) = (&self.program().topology, &self.program().demand);
        let is_uneven = demand.collective() == "exchange" && !demand.is_even_exchange(topology);
        let roots = &self.schedule.roots;
        if is_uneven || !roots.is_empty() && !roots.contains(&node) {
            return 0;
        }
        let got = topology.live_ids().filter(|&sender| sender != node).flat_map(|sender| {
            let for_node = move |&packet: &u32| demand.receiver(topology, sender, packet) == Some(node);
            let words = move |packet| (sender, demand.message(sender, packet).flits.into());
            (0..demand.packets_of(sender)).filter(for_node).map(words)
        });
        let common = |words: Vec<(NodeId, u64)>| {
            let mut sums: HashMap<NodeId, u64> = HashMap::new();
            for (other, words) in words {
                *sums.entry(other).or_default() += words;
            }
            let first = sums.values().next().copied()?;
            let is_full = sums.len() as u32 + 1 == demand.group_size(topology, node);
            (is_full && sums.values().all(|&words| words == first)).then_some(first)
        };
        [sent, got.collect()].into_iter().find_map(common).unwrap_or(0)
    }

    /// Messages that go out of a node, of one sender, whose words are numbered from `first` on.
    fn given(
        &self,
        node: NodeId,
        sender: NodeId,
        messages: &[StreamMessage],
        first: u64,
        places: &EndPlaces,
    ) -> Vec<MessageOut> {
        let (topology, demand) = (&self.program().topology, &self.program().demand);
        let (planned, from) = (self.planned(node), self.planned(sender));
        let is_wanted = |message: &&StreamMessage| match message.packet {
            None => sender == node,
            Some(packet) if sender == node => demand.receiver(topology, planned, packet).is_none(),
            Some(packet) => demand.wants(topology, planned, from, packet),
        };
        let mut wanted: Vec<&StreamMessage> = messages.iter().filter(is_wanted).filter(|it| it.words > 0).collect();
        wanted.sort_by_key(|message| message.packet);
        let out = |(block, message): (u32, &StreamMessage)| {
            let flits = message.packet.filter(|_| sender != node).map(|packet| demand.flits_of_packet(from, packet));
            let arrival = |place: u64| {
                let flit = FlitId((flits.as_ref()?.start + place) as u32);
                places.arrivals.get(&(planned, flit)).copied()
            };
            let word = |place| {
                let (number, is_last) = (first + message.begins + place, place + 1 == message.words);
                let (tick, bank) = arrival(place).unwrap_or((0, places.passed));
                BankWord { word: WordOut { number, is_last, origin: sender, block, program: 0, lane: 0 }, bank, tick }
            };
            MessageOut { arrival: arrival(0), words: (0..message.words).map(word).collect() }
        };
        (0..).zip(wanted).map(out).collect()
    }

    /// Results that go out of a node, each with its first arrival; their words are numbered as in one stream in.
    fn results(&self, node: NodeId, messages: &[StreamMessage], places: &EndPlaces) -> Vec<MessageOut> {
        let program = self.program();
        let (topology, demand) = (&program.topology, &program.demand);
        let planned = self.planned(node);
        let units = program.result_places(program.class_of[planned.index()]);
        let reduced = program.reduction.as_ref().map_or(0, |reduction| reduction.ticks);
        let packets = demand.group_of(topology, node).flat_map(|origin| {
            let packets = demand.packets_of(self.planned(origin));
            (0..packets).map(move |block| (origin, block))
        });
        let out = |((origin, block), message): ((NodeId, u32), &StreamMessage)| {
            let is_own = origin == node || program.combines_everywhere();
            if program.keeps_results() && !is_own {
                return None;
            }
            let first = demand.flits_of_packet(self.planned(origin), block).start;
            let arrival = |place: u64| {
                let flit = FlitId((first + place) as u32);
                places.arrivals.get(&(planned, flit)).copied().filter(|_| !is_own)
            };
            let formed = units.get(block as usize);
            let unit = program.outputs() + formed.map_or(0, |place| place.unit as usize);
            // results that are complete lie before later ones of their unit
            let complete = reduced + 1 - formed.map_or(0, |place| place.earlier);
            // results of one root are those of each node
            let origin = if program.combines_at_root() { node } else { origin };
            let word = |place| {
                let (number, is_last) = (message.begins + place, place + 1 == message.words);
                let (tick, bank) = arrival(place).unwrap_or((complete + place as u32, unit));
                BankWord { word: WordOut { number, is_last, origin, block, program: 0, lane: 0 }, bank, tick }
            };
            Some(MessageOut { arrival: arrival(0), words: (0..message.words).map(word).collect() })
        };
        packets.zip(messages).filter_map(out).collect()
    }
}

/// Places of the words that a node has in the end.
struct EndPlaces {
    arrivals: FirstArrivals,
    /// Bank of words that go out as they came in.
    passed: usize,
}

impl CallWords {
    /// Words of a call of programs, one after the other in every stream, as they go out in this way.
    pub fn of(programs: &[MovedSchedule<'_>], way: WayOut) -> Self {
        let mut each: Vec<ProgramWords> = programs.iter().map(|program| ProgramWords::of(program, way)).collect();
        let nodes = each[0].taken.len();
        let taken: Vec<u64> = (0..nodes).map(|node| each.iter().map(|words| words.taken[node]).sum()).collect();
        let mut begins: Vec<u64> =
            taken.iter().scan(0, |next, taken| Some(std::mem::replace(next, *next + taken))).collect();
        for (number, words) in (0..).zip(&mut each) {
            words.numbered(&begins);
            words.given.iter_mut().flatten().flatten().for_each(|word| word.word.program = number);
            begins.iter_mut().zip(&words.taken).for_each(|(begin, taken)| *begin += taken);
        }
        let given = (0..nodes).map(|node| {
            let blocks: Vec<Vec<BankWord>> = each.iter().flat_map(|words| words.given[node].iter().cloned()).collect();
            if way.lanes > 1 {
                return side_by_side(&blocks, way.lanes as usize);
            }
            let mut words: Vec<WordOut> = blocks.into_iter().flatten().map(|word| word.word).collect();
            if way.order.is_none() {
                words.iter_mut().rev().zip(0..).for_each(|(word, after)| word.is_last = after == 0);
            }
            words
        });
        let given = given.collect();
        let ends = (0..nodes).flat_map(|node| each.iter().flat_map(move |words| words.ends[node].iter().copied()));
        let ends = ends.collect();
        Self { ends, taken, given, programs: each.into_iter().map(|words| words.taken).collect() }
    }

    /// Number of all words that go out.
    pub fn all(&self) -> u64 {
        self.given.iter().map(|words| words.len() as u64).sum()
    }
}

/// Tick and input by which each flit comes in first at each node, as the model plays it; results come in the gather part.
fn first_arrivals(program: &Program) -> FirstArrivals {
    let mut arrivals = HashMap::new();
    let mut arrive = |tick: u32, flit_at: &dyn Fn(NodeId, Channel) -> Option<FlitId>| {
        for node in program.topology.live_ids() {
            for (index, input) in program.channels().enumerate() {
                if let Some(flit) = flit_at(node, input) {
                    arrivals.entry((node, flit)).or_insert((tick, index));
                }
            }
        }
    };
    if let Some(mut combiner) = Combiner::new(program, Payloads { width: 1, seed: 0 }) {
        let reduced = program.reduction.as_ref().map_or(0, |reduction| reduction.ticks);
        while !combiner.is_done() {
            combiner.step();
            if combiner.tick() > reduced {
                let arrived = |node, input| combiner.flit(program.arriving(node, input)?);
                arrive(combiner.tick(), &arrived);
            }
        }
        return arrivals;
    }
    let mut machine = Machine::new(program);
    while !machine.is_done() {
        machine.step();
        arrive(machine.tick(), &|node, input| machine.arrival(node, input));
    }
    arrivals
}
