//! Places of chunks: which buffer of which rank has a chunk at first, and where it is wanted.

use std::collections::{BTreeMap, HashMap};

use crate::design::support::{Unsupported, building};
use crate::net::NodeId;
use crate::program::{FlitId, Program};

/// A chunk of a buffer: i, o or s, and the offset.
pub(super) type Chunk = (char, u32);

/// Chunks that a rank copies from its input to its output: first source, first target, count.
pub(super) type Copied = (u32, u32, u32);

/// Collective as libraries for GPUs see it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum CollectiveKind {
    Gather,
    InPlace,
    Broadcast,
    /// Scatter, gather and exchange: each chunk has one sender and one receiver.
    Pairs,
}

/// Sender and receiver of a chunk as ranks, and its index among the chunks of the pair.
#[derive(Clone, Copy)]
struct RankPair {
    from: u32,
    to: u32,
    index: u32,
}

/// Numbers of ranks and places of chunks of one program.
pub(super) struct RankPlaces<'p> {
    program: &'p Program,
    kind: CollectiveKind,
    collective: &'static str,
    /// rank of each node; dead nodes have none
    ranks: Vec<Option<u32>>,
    pub nodes: Vec<NodeId>,
    /// chunks that each rank contributes, or that each pair exchanges
    pub each: u32,
    /// chunks of a whole vector, or of all ranks
    pub all: u32,
    pairs: Vec<RankPair>,
    root: u32,
    /// scratch chunks in use, by rank
    scratch: Vec<BTreeMap<u32, u32>>,
}

impl<'p> RankPlaces<'p> {
    pub fn new(program: &'p Program) -> Result<Self, Unsupported> {
        let topology = &program.topology;
        let nodes: Vec<NodeId> = topology.live_ids().collect();
        let mut ranks = vec![None; topology.nodes() as usize];
        for (rank, node) in (0..).zip(&nodes) {
            ranks[node.index()] = Some(rank);
        }
        let collective = program.collective();
        let kind = match collective {
            "reduce-scatter" | "all-reduce" => CollectiveKind::InPlace,
            "gossip" => CollectiveKind::Gather,
            "broadcast" => CollectiveKind::Broadcast,
            _ => CollectiveKind::Pairs,
        };
        let scratch = nodes.iter().map(|_| BTreeMap::new()).collect();
        let each = program.demand.most_packets();
        let mut places =
            Self { program, kind, collective, ranks, nodes, each, all: 0, pairs: Vec::new(), root: 0, scratch };
        match kind {
            CollectiveKind::Pairs => places.pair()?,
            CollectiveKind::Broadcast => {
                places.each = program.demand.flits() as u32;
                places.root = places.rank(program.demand.origin(FlitId(0)).node);
            }
            _ => {}
        }
        places.all = match kind {
            // one root may have all blocks
            CollectiveKind::InPlace => program.demand.packets() as u32,
            _ => places.each * places.nodes.len() as u32,
        };
        Ok(places)
    }

    /// Finds sender and receiver of every flit; all pairs must exchange as many.
    fn pair(&mut self) -> Result<(), Unsupported> {
        let Self { program, .. } = *self;
        let (topology, demand) = (&program.topology, &program.demand);
        let mut counts: HashMap<(u32, u32), u32> = HashMap::new();
        for &sender in &self.nodes {
            let from = self.rank(sender);
            for packet in 0..demand.packets_of(sender) {
                let flits = demand.flits_of_packet(sender, packet);
                let wanted = self.nodes.iter().find(|&&node| demand.wants(topology, node, sender, packet));
                let to = wanted.map_or(from, |&node| self.rank(node));
                for _ in flits {
                    let count = counts.entry((from, to)).or_default();
                    self.pairs.push(RankPair { from, to, index: *count });
                    *count += 1;
                }
            }
        }
        self.each = counts.values().copied().max().unwrap_or(0);
        let ranks = self.nodes.len();
        let pairs = if self.collective == "exchange" { ranks * (ranks - 1) } else { ranks - 1 };
        if counts.len() != pairs || counts.values().any(|&count| count != self.each) {
            let what = "messages of different lengths are exchanged".to_owned();
            return Err(building::EXPORT_LENGTHS.refusal(what));
        }
        self.root = match (self.collective, self.pairs.first()) {
            ("scatter", Some(pair)) => pair.from,
            ("gather", Some(pair)) => pair.to,
            _ => 0,
        };
        Ok(())
    }

    pub fn rank(&self, node: NodeId) -> u32 {
        self.ranks[node.index()].expect("only live nodes send and receive")
    }

    /// Chunks of a loop, as the reader divides what the caller counts.
    pub fn loop_chunks(&self) -> u32 {
        match self.collective {
            "broadcast" | "scatter" | "gather" => self.each,
            _ => self.all,
        }
    }

    pub fn is_in_place(&self) -> bool {
        self.kind == CollectiveKind::InPlace
    }

    /// Place where a rank keeps a chunk that it receives, or sends on.
    pub fn kept(&mut self, rank: u32, chunk: u32) -> Chunk {
        match self.kind {
            CollectiveKind::InPlace => ('i', chunk),
            CollectiveKind::Gather | CollectiveKind::Broadcast => ('o', chunk),
            CollectiveKind::Pairs => {
                let RankPair { from, to, index } = self.pairs[chunk as usize];
                if to == rank {
                    let block = if self.collective == "scatter" { 0 } else { from };
                    return ('o', block * self.each + index);
                }
                let scratch = &mut self.scratch[rank as usize];
                let next = scratch.len() as u32;
                ('s', *scratch.entry(chunk).or_insert(next))
            }
        }
    }

    /// Place in the input if a rank has a chunk from the start.
    pub fn own(&self, rank: u32, chunk: u32) -> Option<Chunk> {
        let at = match self.kind {
            CollectiveKind::InPlace => None,
            CollectiveKind::Gather => (chunk / self.each == rank).then_some(chunk % self.each),
            CollectiveKind::Broadcast => (rank == self.root).then_some(chunk),
            CollectiveKind::Pairs => {
                let RankPair { from, to, index } = self.pairs[chunk as usize];
                let block = if self.collective == "gather" { 0 } else { to };
                (from == rank).then_some(block * self.each + index)
            }
        };
        at.map(|at| ('i', at))
    }

    /// Chunks that a rank copies from its own input to its own output.
    pub fn copied(&self, rank: u32) -> Option<Copied> {
        let block = rank * self.each;
        match (self.kind, self.collective) {
            (CollectiveKind::InPlace, _) => None,
            (CollectiveKind::Gather, _) => Some((0, block, self.each)),
            (CollectiveKind::Pairs, "exchange") => Some((block, block, self.each)),
            _ if rank != self.root => None,
            (_, "scatter") => Some((block, 0, self.each)),
            (_, "gather") => Some((0, block, self.each)),
            _ => Some((0, 0, self.each)),
        }
    }

    /// Sizes of input, output and scratch of a rank.
    pub fn sizes(&self, rank: u32) -> [u32; 3] {
        let of_root = if rank == self.root { self.all } else { 0 };
        let [input, output] = match self.collective {
            "reduce-scatter" | "all-reduce" => [self.all, 0],
            "gossip" => [self.each, self.all],
            "scatter" => [of_root, self.each],
            "gather" => [self.each, of_root],
            "broadcast" => [self.each; 2],
            _ => [self.all; 2],
        };
        [input, output, self.scratch[rank as usize].len() as u32]
    }
}
