//! Words of the streams of a system, one by one, read off the demand: for benches of nodes that are not all alike.

use std::collections::HashMap;

use super::super::super::rtl::UpCounter;
use crate::net::{NodeId, Topology};
use crate::netlist::{BlockOrder, NodeOptions, bits_for};
use crate::play::{Combiner, Machine, Payloads};
use crate::program::{FlitId, Program};

/// Words of all streams; those that come in are numbered stream after stream.
pub struct ListedWords {
    /// By node, words that come in.
    pub taken: Vec<u64>,
    /// End of block, for every input word.
    pub ends: Vec<bool>,
    /// By node, words that go out.
    pub given: Vec<Vec<ListedWord>>,
    user: UpCounter,
    /// bits of a block's number, the lowest of `tuser`
    number_bits: u32,
}

/// Word that goes out.
#[derive(Clone, Copy)]
pub struct ListedWord {
    /// Number of the word that came in.
    pub number: u64,
    /// True if the word ends its block.
    pub is_last: bool,
    origin: NodeId,
    block: u32,
}

/// Tick and input of an arrival.
type StreamArrival = (u32, usize);

/// Message of a node, or its block for itself, with the place of its first word in the stream in.
struct StreamMessage {
    packet: Option<u32>,
    to: Option<NodeId>,
    begins: u64,
    words: u64,
}

impl ListedWords {
    pub fn of(program: &Program, NodeOptions { order, words: lanes, .. }: NodeOptions) -> Self {
        // in the reduce part alone a node gets nothing but its own results
        let (topology, demand) = (&program.topology, &program.demand);
        let streams: Vec<Vec<StreamMessage>> = topology.live_ids().map(|node| taken(program, node)).collect();
        let length = |messages: &Vec<StreamMessage>| messages.iter().map(|message| message.words).sum();
        let taken: Vec<u64> = streams.iter().map(length).collect();
        let is_combined = program.reduction.is_some();
        let arrivals = if order == BlockOrder::Arrival { first_arrivals(program) } else { HashMap::new() };
        let mut most = 1;
        let given = topology.live_ids().map(|node| {
            let mut blocks = Vec::new();
            let mut first = 0;
            for (sender, (messages, taken)) in topology.live_ids().zip(streams.iter().zip(&taken)) {
                if is_combined {
                    // the n-th word of every stream is for the same result
                    if sender == node {
                        blocks.extend(results(program, node, messages, &arrivals));
                        most = most.max(demand.most_packets());
                    }
                    continue;
                }
                let wanted = |message: &&StreamMessage| match message.packet {
                    None => sender == node,
                    Some(packet) if sender == node => demand.receiver(topology, node, packet).is_none(),
                    Some(packet) => demand.wants(topology, node, sender, packet),
                };
                let mut wanted: Vec<&StreamMessage> =
                    messages.iter().filter(wanted).filter(|it| it.words > 0).collect();
                wanted.sort_by_key(|message| message.packet);
                most = most.max(wanted.len() as u32);
                for (block, message) in (0..).zip(wanted) {
                    let flit = |packet| FlitId(demand.flits_of_packet(sender, packet).start as u32);
                    let arrival = message.packet.and_then(|packet| arrivals.get(&(node, flit(packet))).copied());
                    let begins = first + message.begins;
                    let word = |place| ListedWord {
                        number: begins + place,
                        is_last: place + 1 == message.words,
                        origin: sender,
                        block,
                    };
                    blocks.push((arrival.filter(|_| sender != node), (0..message.words).map(word).collect::<Vec<_>>()));
                }
                first += taken;
            }
            if order == BlockOrder::Arrival {
                blocks.sort_by_key(|&(arrival, _)| arrival);
            }
            if lanes > 1 {
                side_by_side(&blocks, lanes as usize, |block| own_bank(program, node, block))
            } else {
                blocks.into_iter().flat_map(|(_, words)| words).collect()
            }
        });
        let given = given.collect();
        let full = streams.iter().flatten().filter(|message| message.words > 0);
        let ends = full.flat_map(|message| (1..=message.words).map(|word| word == message.words)).collect();
        let number_bits = bits_for(most.into());
        let code: u32 = topology.dims().iter().map(|&side| bits_for(side.into())).sum();
        Self { taken, ends, given, user: UpCounter::of_bits(code + number_bits), number_bits }
    }

    /// Number of bits of `tuser`.
    pub fn user(&self) -> UpCounter {
        self.user
    }

    /// Number of all words that go out.
    pub fn all(&self) -> u64 {
        self.given.iter().map(|words| words.len() as u64).sum()
    }

    /// Addresses of the words that a node gives: the node of the block and the place among its words, or in the order of arrival
    /// the number of the block, or that of the word if blocks have different lengths or some are of one node.
    pub fn addresses(&self, topology: &Topology, given: &[ListedWord], order: BlockOrder, place_bits: u32) -> Vec<u64> {
        let mut blocks: Vec<u64> = given.iter().filter(|word| word.is_last).map(|_| 0).collect();
        let (mut block, mut places) = (0, HashMap::new());
        for word in given {
            blocks[block] += 1;
            block += usize::from(word.is_last);
        }
        let is_even = self.number_bits == 0 && blocks.iter().all(|&words| words == blocks[0]) && blocks.len() > 1;
        let address = |(number, word): (u64, &ListedWord)| match order {
            BlockOrder::Origin => {
                let place = places.entry(word.origin).or_insert(0);
                *place += 1;
                self.user_of(topology, word) >> self.number_bits << place_bits | (*place - 1)
            }
            BlockOrder::Arrival if is_even => ((number / blocks[0]) << place_bits) | (number % blocks[0]),
            BlockOrder::Arrival => number,
        };
        (0..).zip(given).map(address).collect()
    }

    /// `tuser` of a word.
    pub fn user_of(&self, topology: &Topology, word: &ListedWord) -> u64 {
        let axes = 0..topology.axes();
        let place = axes.fold(0, |user, axis| {
            user << bits_for(topology.side(axis).into()) | u64::from(topology.coord(word.origin, axis))
        });
        place << self.number_bits | u64::from(word.block)
    }
}

/// Words of blocks, in the order of their arrival, in rows of so many lanes: the inputs of a lane are every so many, and banks of
/// a node's own words come after the last input. Each lane hands out its words in their order.
fn side_by_side(
    blocks: &[(Option<StreamArrival>, Vec<ListedWord>)],
    lanes: usize,
    own: impl Fn(u32) -> usize,
) -> Vec<ListedWord> {
    let mut waiting = vec![Vec::new(); lanes];
    for (arrival, words) in blocks.iter().filter(|(_, words)| !words.is_empty()) {
        let from = arrival.map_or_else(|| own(words[0].block), |(_, input)| input);
        waiting[from % lanes].extend(words.iter().copied());
    }
    let rows = waiting.iter().map(Vec::len).max().unwrap_or(0);
    (0..rows).flat_map(|row| waiting.iter().filter_map(move |lane| lane.get(row).copied())).collect()
}

/// Number of the bank, behind those of the inputs, that has a block of a node's own: of the unit that combines it, or the one bank
/// of words that go out as they came in.
fn own_bank(program: &Program, node: NodeId, block: u32) -> usize {
    let units = program.result_places(program.class_of[node.index()]);
    program.outputs() + units.get(block as usize).map_or(0, |place| place.unit as usize)
}

/// Blocks of results that go out of a node, each with its first arrival; their words are numbered as in one stream in.
fn results(
    program: &Program,
    node: NodeId,
    messages: &[StreamMessage],
    arrivals: &HashMap<(NodeId, FlitId), StreamArrival>,
) -> Vec<(Option<StreamArrival>, Vec<ListedWord>)> {
    let (topology, demand) = (&program.topology, &program.demand);
    let packets = |origin| (0..demand.packets_of(origin)).map(move |block| (origin, block));
    let blocks = topology.live_ids().flat_map(packets);
    let block = |((origin, block), message): ((NodeId, u32), &StreamMessage)| {
        let word =
            |place| ListedWord { number: message.begins + place, is_last: place + 1 == message.words, origin, block };
        let first = FlitId(demand.flits_of_packet(origin, block).start as u32);
        let arrival =
            arrivals.get(&(node, first)).copied().filter(|_| origin != node && !program.combines_everywhere());
        // results of one root are those of each node
        let of = if program.combines_at_root() { node } else { origin };
        (of, (arrival, (0..message.words).map(|place| ListedWord { origin: of, ..word(place) }).collect()))
    };
    let all = blocks.zip(messages).map(block);
    let keeps_results = program.keeps_results();
    all.filter(|&(origin, _)| !keeps_results || origin == node).map(|(_, block)| block).collect()
}

/// Messages that come in at a node, by destination: those for everybody first.
fn taken(program: &Program, node: NodeId) -> Vec<StreamMessage> {
    let (topology, demand) = (&program.topology, &program.demand);
    if program.reduction.is_some() {
        // a value for every packet of every node
        let packets = topology.live_ids().flat_map(|to| (0..demand.packets_of(to)).map(move |packet| (to, packet)));
        let value = |(to, packet)| {
            let flits = demand.flits_of_packet(to, packet);
            StreamMessage { packet: None, to: Some(to), begins: flits.start, words: flits.end - flits.start }
        };
        return packets.map(value).collect();
    }
    let message = |packet| StreamMessage {
        packet: Some(packet),
        to: demand.receiver(topology, node, packet),
        begins: 0,
        words: demand.message(node, packet).flits.into(),
    };
    let mut messages: Vec<StreamMessage> =
        (0..demand.packets_of(node)).map(message).filter(|it| it.to != Some(node)).collect();
    // as much for every other node or from every other node: as much for itself
    let sent = messages.iter().filter_map(|message| Some((message.to?, message.words))).collect();
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
        let is_full = sums.len() as u32 + 1 == topology.live_nodes();
        (is_full && sums.values().all(|&words| words == first)).then_some(first)
    };
    let has_lengths = |_: &u64| demand.collective() == "exchange" && !demand.is_even_exchange(topology);
    let itself = [sent, got.collect()].into_iter().find_map(common).filter(|words| !has_lengths(words)).unwrap_or(0);
    messages.push(StreamMessage { packet: None, to: Some(node), begins: 0, words: itself });
    messages.sort_by_key(|message| message.to);
    let mut begun = 0;
    for message in &mut messages {
        message.begins = begun;
        begun += message.words;
    }
    messages
}

/// Tick and input by which each flit comes in first at each node, as the model plays it.
fn first_arrivals(program: &Program) -> HashMap<(NodeId, FlitId), StreamArrival> {
    let mut arrivals = HashMap::new();
    if let Some(mut combiner) = Combiner::new(program, Payloads { width: 1, seed: 0 }) {
        let reduced = program.reduction.as_ref().map_or(0, |reduction| reduction.ticks);
        while !combiner.is_done() {
            combiner.step();
            for node in program.topology.live_ids().filter(|_| combiner.tick() > reduced) {
                for (index, input) in program.channels().enumerate() {
                    let arrived = program.arriving(node, input).and_then(|register| combiner.flit(register));
                    if let Some(flit) = arrived {
                        arrivals.entry((node, flit)).or_insert((combiner.tick(), index));
                    }
                }
            }
        }
        return arrivals;
    }
    let mut machine = Machine::new(program);
    while !machine.is_done() {
        machine.step();
        for node in program.topology.live_ids() {
            for (index, input) in program.channels().enumerate() {
                if let Some(flit) = machine.arrival(node, input) {
                    arrivals.entry((node, flit)).or_insert((machine.tick(), index));
                }
            }
        }
    }
    arrivals
}
