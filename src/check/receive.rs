//! Knowledge that a node gains from its arrivals, found by any method.

use std::collections::BTreeSet;
use std::ops::RangeInclusive;

use bitvec::vec::BitVec;

use super::{PacketLabel, Violation};
use crate::net::NodeId;
use crate::program::{FlitId, Program, Wanted};

/// In an inbox, where no flit is.
pub(super) const NOTHING: u32 = u32::MAX;
const WORD: usize = u64::BITS as usize;

/// Data for receiving that all nodes share.
pub(super) struct Receiver<'p> {
    program: &'p Program,
    /// words of a node's row of known flits
    pub(super) words: usize,
    wanted: Wanted<'p>,
    /// marks the first flit of each packet, and the end; empty where every flit is a packet
    begins: BitVec,
    /// by node, how many flits it has to learn
    unknown: Vec<u64>,
}

/// Counts of flits that some nodes received in some ticks.
#[derive(Clone, Debug, Default)]
pub(super) struct Received {
    /// flits, those known already among them
    pub(super) arrivals: u64,
    /// flits that were not known
    pub(super) news: u64,
    /// flits that were not known and are wanted
    pub(super) wanted: u64,
    /// the last tick in which such a flit came
    pub(super) last_wanted: u32,
    /// the most flits that a node received in a tick
    pub(super) most: u32,
    /// packets that came in pieces, each with its tick
    pub(super) torn: Vec<(u32, Violation)>,
}

impl Received {
    pub(super) fn add(&mut self, other: Self) {
        self.arrivals += other.arrivals;
        self.news += other.news;
        self.wanted += other.wanted;
        self.last_wanted = self.last_wanted.max(other.last_wanted);
        self.most = self.most.max(other.most);
        self.torn.extend(other.torn);
    }
}

impl<'p> Receiver<'p> {
    pub(super) fn new(program: &'p Program) -> Self {
        let demand = &program.demand;
        let mut begins = BitVec::new();
        if demand.flits() > demand.packets() {
            begins.resize(demand.flits() as usize + 1, false);
            for node in program.topology.node_ids() {
                for packet in 0..demand.packets_of(node) {
                    begins.set(demand.flits_of_packet(node, packet).start as usize, true);
                }
            }
            begins.set(demand.flits() as usize, true);
        }
        let words = (demand.flits() as usize).div_ceil(WORD);
        let goals = program.topology.node_ids().zip(demand.goals(&program.topology));
        let unknown = goals.map(|(node, goal)| goal - demand.own_flits(node)).collect();
        let wanted = Wanted::new(&program.topology, demand);
        Self { program, words, wanted, begins, unknown }
    }

    /// In a node's row, which is empty, the flits that it has at first.
    pub(super) fn begin(&self, node: NodeId, known: &mut [u64]) {
        let own = self.program.demand.flits_of(node);
        for flit in own.start as usize..own.end as usize {
            known[flit / WORD] |= 1 << (flit % WORD);
        }
    }

    /// Number of flits all nodes together have to learn.
    pub(super) fn unknown(&self) -> u64 {
        self.unknown.iter().sum()
    }

    /// Returns true if a node has received all that it has to learn.
    pub(super) fn is_content(&self, node: NodeId, received: &Received) -> bool {
        received.wanted == self.unknown[node.index()]
    }

    /// A node receives: `inputs` tells what every input brings in a tick, `carried` counts for each.
    pub(super) fn receive<'a>(
        &self,
        node: NodeId,
        ticks: RangeInclusive<u32>,
        inputs: impl Fn(u32) -> &'a [u32],
        known: &mut [u64],
        carried: &mut [u32],
    ) -> Received {
        let mut received = Received::default();
        for tick in ticks.clone() {
            let mut now = 0;
            for (&flit, carried) in inputs(tick).iter().zip(&mut *carried) {
                if flit == NOTHING {
                    continue;
                }
                now += 1;
                *carried += 1;
                let (word, bit) = (&mut known[flit as usize / WORD], 1 << (flit as usize % WORD));
                let with = *word | bit;
                if *word != with {
                    *word = with;
                    received.news += 1;
                    if self.wanted.by(node, FlitId(flit)) {
                        received.wanted += 1;
                        received.last_wanted = tick;
                    }
                }
            }
            received.arrivals += u64::from(now);
            received.most = received.most.max(now);
        }
        if !self.begins.is_empty() {
            self.find_torn(node, ticks, inputs, &mut received.torn);
        }
        received
    }

    /// Packets whose flits do not come one after the other.
    fn find_torn<'a>(
        &self,
        node: NodeId,
        ticks: RangeInclusive<u32>,
        inputs: impl Fn(u32) -> &'a [u32],
        torn: &mut Vec<(u32, Violation)>,
    ) {
        for tick in ticks {
            for (input, &flit) in inputs(tick).iter().enumerate() {
                let previous = if tick == 1 { NOTHING } else { inputs(tick - 1)[input] };
                if !self.in_order(previous, flit) {
                    let (node, port) = (self.program.topology.coords(node), self.program.output(input).to_string());
                    torn.push((tick, Violation::Torn { node, port, tick }));
                }
            }
        }
    }

    /// Returns true if `flit` may follow `previous` on a link: packets start with their first flit, go on by one, and
    /// are finished. The last flit's successor is the next packet's first, so a packet in order is one that counts up.
    fn in_order(&self, previous: u32, flit: u32) -> bool {
        let finished = previous == NOTHING || self.begins[previous as usize + 1];
        if finished { flit == NOTHING || self.begins[flit as usize] } else { flit == previous + 1 }
    }

    /// Returns the packets that a node lacks at the end.
    pub(super) fn missing(&self, receiver: NodeId, known: &[u64]) -> Option<Violation> {
        let Program { topology, demand, .. } = self.program;
        let unknown =
            (0..demand.flits()).filter(|&flit| known[flit as usize / WORD] >> (flit as usize % WORD) & 1 == 0);
        let lacking = unknown.map(|flit| demand.origin(FlitId(flit as u32)));
        let wanted = lacking.filter(|lacking| demand.wants(topology, receiver, lacking.node, lacking.packet));
        let packets: BTreeSet<(NodeId, u32)> = wanted.map(|origin| (origin.node, origin.packet)).collect();
        let &(node, packet) = packets.first()?;
        Some(Violation::Missing {
            node: topology.coords(receiver),
            missing: packets.len() as u64,
            first: PacketLabel { node: topology.coords(node), packet },
        })
    }
}
