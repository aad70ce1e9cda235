//! Blocks of the streams of a node, in the order of MPI: in by destination, out by origin, nodes row by row.
//!
//! A node that sends a block to every other node, or gets one from each, has one for itself as well. It comes in with the
//! others and goes out with the others.

use std::collections::BTreeMap;

use crate::net::{NodeId, Topology};
use crate::program::{Demand, FlitId, Program, Sender, To};

use super::block::MessageBlock;

/// Stream into a node.
pub(super) struct StreamIn {
    pub blocks: Vec<MessageBlock>,
    /// by packet of the node, where its words begin; nothing in a reduction
    starts: Vec<u32>,
    /// first value for each node of the group in a reduction, with its place: side by side where the nodes are all
    values: Vec<(u64, u32)>,
    /// place and length of the block that the node sends to itself
    own: (u32, u32),
}

/// Word of the stream out of a node.
#[derive(Clone, Copy)]
pub(super) enum StreamOutput {
    /// Word of an own packet that all nodes of the group want, or its combination.
    Own(FlitId),
    /// Word of the block that the node sends to itself.
    OfItself(u32),
    /// Word from another node.
    Foreign(FlitId),
}

/// Word of a node's stream in or out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StreamWord {
    /// Flit of a packet; in a reduction a value for this flit, or their combination.
    Flit(FlitId),
    /// Word of the block that the node has for itself.
    OfItself(u32),
}

/// Packet that a node sends or gets, with the node at the other end.
struct Addressed {
    node: NodeId,
    /// receiver of the block; `None` for all nodes of the group
    to: Option<NodeId>,
    packet: u32,
    words: u32,
}

impl StreamOutput {
    /// The word without the place that it comes from.
    pub fn named(self) -> StreamWord {
        match self {
            Self::Own(flit) | Self::Foreign(flit) => StreamWord::Flit(flit),
            Self::OfItself(index) => StreamWord::OfItself(index),
        }
    }
}

impl StreamIn {
    /// Stream of a node. If only `roots` have blocks for themselves, no other node has one.
    pub fn of(program: &Program, node: NodeId, roots: &[NodeId]) -> Self {
        let (topology, demand) = (&program.topology, &program.demand);
        if program.reduction.is_some() {
            let mut taken = Self { blocks: Vec::new(), starts: Vec::new(), values: Vec::new(), own: (0, 0) };
            let mut begun = 0;
            for to in demand.group_of(topology, node) {
                let flits = demand.flits_of(to);
                taken.values.push((flits.start, begun));
                begun += (flits.end - flits.start) as u32;
                let block = |number| MessageBlock { node: to, number, words: demand.message(to, number).flits };
                taken.blocks.extend((0..demand.packets_of(to)).map(block));
            }
            return taken;
        }
        let mut sent = sent(topology, demand, node);
        let has_own = roots.is_empty() || roots.contains(&node);
        let own = if has_own { own_words(topology, demand, node, &sent, &got(topology, demand, node)) } else { 0 };
        sent.retain(|packet| packet.to != Some(node));
        sent.sort_by_key(|packet| packet.to);
        let starts = vec![0; demand.packets_of(node) as usize];
        let mut taken = Self { blocks: Vec::new(), starts, values: Vec::new(), own: (0, own) };
        let mut begun = 0;
        let mut is_in = false;
        let mut numbers = (None, 0);
        for Addressed { to, packet, words, .. } in sent {
            if !is_in && to > Some(node) {
                taken.own.0 = begun;
                begun += own;
                taken.blocks.extend((own > 0).then_some(MessageBlock { node, number: 0, words: own }));
                is_in = true;
            }
            taken.starts[packet as usize] = begun;
            begun += words;
            let to = to.unwrap_or(node);
            let number = if numbers.0 == Some(to) { numbers.1 } else { 0 };
            if words > 0 {
                taken.blocks.push(MessageBlock { node: to, number, words });
                numbers = (Some(to), number + 1);
            }
        }
        if !is_in {
            taken.own.0 = begun;
            taken.blocks.extend((own > 0).then_some(MessageBlock { node, number: 0, words: own }));
        }
        taken
    }

    /// Place of a flit of the node's own in the stream; of a value, in a reduction.
    pub fn place(&self, program: &Program, node: NodeId, flit: FlitId) -> u32 {
        if program.reduction.is_some() {
            let of = self.values.partition_point(|&(first, _)| first <= flit.0.into()) - 1;
            let (first, begun) = self.values[of];
            return begun + (u64::from(flit.0) - first) as u32;
        }
        let origin = program.demand.origin(flit);
        debug_assert_eq!(origin.node, node, "a node takes its own flits");
        self.starts[origin.packet as usize] + origin.flit
    }

    /// All words, in their order.
    pub fn words(&self, program: &Program, node: NodeId) -> Vec<StreamWord> {
        if program.reduction.is_some() {
            let flits = program.demand.group_of(&program.topology, node).flat_map(|to| program.demand.flits_of(to));
            return flits.map(|flit| StreamWord::Flit(FlitId(flit as u32))).collect();
        }
        let total: u32 = self.blocks.iter().map(|block| block.words).sum();
        let of_itself = |place: u32| StreamWord::OfItself(place.wrapping_sub(self.own.0));
        let mut words: Vec<StreamWord> = (0..total).map(of_itself).collect();
        let own = (0..program.demand.packets_of(node)).filter(|&packet| !stays(program, node, packet));
        for flit in own.flat_map(|packet| program.demand.flits_of_packet(node, packet)) {
            let flit = FlitId(flit as u32);
            words[self.place(program, node, flit) as usize] = StreamWord::Flit(flit);
        }
        words
    }

    /// Place where the node's block for itself begins.
    pub fn of_itself(&self) -> u32 {
        self.own.0
    }
}

/// Returns true if a packet is from a node to itself.
fn stays(program: &Program, node: NodeId, packet: u32) -> bool {
    program.demand.receiver(&program.topology, node, packet) == Some(node)
}

/// Blocks that go out of a node, by origin, with their words.
pub(super) fn given(program: &Program, node: NodeId, taken: &StreamIn) -> Vec<(MessageBlock, Vec<StreamOutput>)> {
    let (topology, demand) = (&program.topology, &program.demand);
    let all_of = |origin: NodeId, packet, word: fn(FlitId) -> StreamOutput| -> Vec<StreamOutput> {
        demand.flits_of_packet(origin, packet).map(|flit| word(FlitId(flit as u32))).collect()
    };
    let everywhere = program.combines_everywhere();
    let mut given: Vec<(NodeId, Vec<StreamOutput>)> = Vec::new();
    for origin in
        topology.node_ids().filter(|&origin| origin == node || everywhere && demand.are_together(origin, node))
    {
        let packets = (0..demand.packets_of(origin)).filter(|&packet| demand.message(origin, packet).to == To::All);
        given.extend(packets.map(|packet| (node, all_of(origin, packet, StreamOutput::Own))));
    }
    given.push((node, (0..taken.own.1).map(StreamOutput::OfItself).collect()));
    if !everywhere && !program.keeps_results() {
        let foreign = got(topology, demand, node).into_iter().filter(|packet| packet.node != node);
        // results of one root are those of each node
        let of = |origin: NodeId| if program.combines_at_root() { node } else { origin };
        given
            .extend(foreign.map(|packet| (of(packet.node), all_of(packet.node, packet.packet, StreamOutput::Foreign))));
    }
    given.retain(|(_, words)| !words.is_empty());
    given.sort_by_key(|&(node, _)| node);
    let mut numbers = (None, 0);
    let block = |(node, words): (NodeId, Vec<StreamOutput>)| {
        let number = if numbers.0 == Some(node) { numbers.1 } else { 0 };
        numbers = (Some(node), number + 1);
        (MessageBlock { node, number, words: words.len() as u32 }, words)
    };
    given.into_iter().map(block).collect()
}

/// Packets of a node's own.
fn sent(topology: &Topology, demand: &Demand, node: NodeId) -> Vec<Addressed> {
    let packet = |packet| {
        let to = demand.receiver(topology, node, packet);
        Addressed { node, to, packet, words: demand.message(node, packet).flits }
    };
    (0..demand.packets_of(node)).map(packet).collect()
}

/// Packets that a node wants, of others and of its own.
fn got(topology: &Topology, demand: &Demand, node: NodeId) -> Vec<Addressed> {
    let are_live = topology.live_nodes() == topology.nodes();
    let every = are_live && demand.messages().iter().all(|message| message.from == Sender::Every);
    let is_wanted =
        |packet: &Addressed| packet.to.map_or_else(|| demand.are_together(packet.node, node), |to| to == node);
    if !every {
        let all = topology.node_ids().flat_map(|sender| sent(topology, demand, sender));
        return all.filter(is_wanted).collect();
    }
    // every node has the same messages: nobody need be asked who has none for this node
    let mut got = Vec::new();
    for (packet, message) in (0..).zip(demand.messages()) {
        let add = |sender| {
            let to = demand.receiver(topology, sender, packet);
            Addressed { node: sender, to, packet, words: message.flits }
        };
        match &message.to {
            To::Offset(offset) => {
                let back = topology.offset(topology.node(offset), NodeId(0));
                got.push(add(topology.away(node, &back)));
            }
            _ => got.extend(topology.node_ids().map(add).filter(is_wanted)),
        }
    }
    got
}

/// Words of a node's block for itself: those of its blocks for every other node of its group, or of theirs for it, if all are alike. An exchange
/// whose messages have lengths of their own has no such blocks, whatever one node sends.
fn own_words(topology: &Topology, demand: &Demand, node: NodeId, sent: &[Addressed], got: &[Addressed]) -> u32 {
    let alike = |packets: &mut dyn Iterator<Item = (NodeId, u32)>| {
        let mut words = BTreeMap::new();
        for (node, more) in packets {
            *words.entry(node).or_insert(0) += more;
        }
        let first = words.values().next().copied().unwrap_or(0);
        let is_full = words.len() as u32 + 1 == demand.group_size(topology, node);
        if is_full && words.values().all(|&words| words == first) { first } else { 0 }
    };
    let away = |packet: &Addressed| packet.to.filter(|&to| to != packet.node);
    let mut sends = sent.iter().filter_map(|packet| Some((away(packet)?, packet.words)));
    let mut gets = got.iter().filter(|packet| away(packet).is_some()).map(|packet| (packet.node, packet.words));
    let words = alike(&mut sends).max(alike(&mut gets));
    let has_lengths = || demand.collective() == "exchange" && !demand.is_even_exchange(topology);
    if words > 0 && has_lengths() { 0 } else { words }
}
