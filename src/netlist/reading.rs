//! Tables of a design's nodes: where each word that comes in goes, where each word that goes out lies.
//!
//! Words carry no header, so the program says whose they are. Seen from the node, as offsets modulo the sides, many nodes
//! find the same words in the same places: they share a table. Nodes with the same banks share a module.

use std::collections::BTreeMap;

use super::chunks;
use super::fold;
use super::kinds::{NodeKind, NodeKinds, StreamSize};
use super::local::{BlockOrder, HostStreams};
use super::node::{BankPlace, MessageBlock, Node, NodeLowering};
use super::own_inputs::OwnInputs;
use super::unsupported_nodes::NoReading;
use crate::net::{NodeId, Topology};
use crate::program::Program;

/// Words that lie one after the other, as a node sees them.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct HeldWords {
    /// Distance of the node that had them, axis by axis, modulo the sides; its coordinates with [`Naming::Coordinates`].
    pub offset: Vec<u32>,
    /// Number among the blocks of that node.
    pub packet: u32,
    /// Place of the first word.
    pub place: BankPlace,
    /// True if the last word ends a block.
    pub is_last: bool,
}

/// Words of a stream in that go to the same places one after the other.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Filled {
    /// Address of the first word in each send bank that gets them.
    pub banks: Vec<Option<u32>>,
    /// Address of the first word in the memory of the node's own words, if they go out again.
    pub own: Option<u32>,
    /// True if the last word ends a block.
    pub is_last: bool,
}

/// Memories of the words that come in at a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Banks {
    /// A memory for each word, in the order of the stream, out of which it goes again.
    Direct,
    /// A memory for each own input of the router, which holds the flit that the fabric asks for.
    Held,
    /// A memory for each own input of the router, which takes words one by one.
    Streamed,
}

/// Names of the nodes that blocks are of, in the tables of streams out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Naming {
    /// Entries are looked up by the offset of the node: all nodes have blocks of all nodes.
    LookedUp,
    /// Entries tell the offset of the node.
    Offsets,
    /// Entries tell the coordinates of the node: so more nodes share a table, or offsets do not wrap along each axis.
    Coordinates,
}

/// Tables of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadingTables {
    /// Flits of the program that a word of a table stands for.
    pub flits: u32,
    /// Steps of the program, in which something may come in by each input.
    pub steps: u32,
    /// Clocks after these in which results still form.
    pub rest: u32,
    /// Most blocks of one node in a stream out.
    pub packets: u32,
    /// Memories of the words that come in.
    pub banks: Banks,
    /// Naming of a block's node in tables.
    pub naming: Naming,
    /// Kinds of nodes.
    pub kinds: Vec<NodeKind>,
    /// Kind of each node.
    pub kind_of: Vec<u32>,
    /// Entries of the streams in, in their order.
    pub fills: Vec<Vec<Filled>>,
    /// Table of each node's stream in.
    pub fill_of: Vec<u32>,
    /// Entries of the streams out in the order in which they are looked up: that of the stream, or by offset and number.
    pub tables: Vec<Vec<HeldWords>>,
    /// Table of each node's stream out.
    pub table_of: Vec<u32>,
}

/// More than this makes files that no tool reads.
const MOST_ARRIVALS: u64 = 1 << 24;

/// Words of a collective are counted by 31 bits on the ring.
const MOST_RING: u64 = i32::MAX as u64;

impl ReadingTables {
    /// Checks that tables exist for a program with such streams.
    pub fn fits(program: &Program, host: HostStreams) -> Result<(), NoReading> {
        let words = || 2 * program.demand.flits() + program.demand.goals(&program.topology).iter().sum::<u64>();
        if host == HostStreams::Chain && words() > MOST_RING {
            return Err(NoReading::Ring { words: words(), most: MOST_RING });
        }
        let arrivals = (program.registers() as u64).saturating_mul(program.steps().into());
        if arrivals > MOST_ARRIVALS {
            return Err(NoReading::TooMany { arrivals, most: MOST_ARRIVALS });
        }
        let packets = program.demand.most_packets();
        let most = match program.collective() {
            "reduce" => program.topology.ports() as u32,
            "all-reduce" if program.combines_at_root() => 1,
            _ => packets,
        };
        if packets > most {
            return Err(NoReading::Units { packets });
        }
        if program.reduction.is_some() && !combines_once(program) {
            return Err(NoReading::Repeated { collective: program.collective() });
        }
        // packets of several flits arrive between two steps of long links
        let is_aligned = program.latency == 1 || program.flits == 1;
        let is_whole = program.unstretched().is_some() && is_aligned || super::is_streamed(program, OwnInputs::Packets);
        if is_whole { Ok(()) } else { Err(NoReading::NotWhole) }
    }

    /// Tables of a program.
    pub fn of(program: &Program, order: BlockOrder, own: OwnInputs) -> Self {
        let lowering = NodeLowering::of(program, own);
        let topology = &program.topology;
        let kinds = NodeKinds::of(program, &lowering, order);
        let mut reading = Self {
            flits: lowering.flits_per_word(),
            steps: lowering.steps(),
            rest: kinds
                .all
                .iter()
                .filter_map(|kind| kind.fold.as_ref())
                .map(|fold| fold.rest(lowering.steps()))
                .max()
                .unwrap_or(0),
            packets: kinds.most_blocks,
            banks: match (super::is_streamed(program, own), kinds.is_direct) {
                (true, _) => Banks::Streamed,
                (false, true) => Banks::Direct,
                (false, false) => Banks::Held,
            },
            naming: match topology.as_product() {
                // offsets are coordinates modulo the sides on these networks only
                None => Naming::Coordinates,
                Some(_) if order == BlockOrder::Origin && kinds.is_all_of_all(topology) => Naming::LookedUp,
                Some(_) => Naming::Offsets,
            },
            kinds: kinds.all,
            kind_of: kinds.of_node,
            fills: Vec::new(),
            fill_of: Vec::new(),
            tables: Vec::new(),
            table_of: Vec::new(),
        };
        reading.fill(topology, &lowering, order);
        if reading.tables.len() > 1 && reading.naming == Naming::Offsets {
            let mut absolute = Self { naming: Naming::Coordinates, ..reading.clone() };
            absolute.fill(topology, &lowering, order);
            if absolute.tables.len() < reading.tables.len() {
                return absolute;
            }
        }
        reading
    }

    /// Makes the tables of all nodes.
    fn fill(&mut self, topology: &Topology, lowering: &NodeLowering, order: BlockOrder) {
        let (mut fills, mut tables) = (Tables::default(), Tables::default());
        let kind_of = std::mem::take(&mut self.kind_of);
        let naming = self.naming;
        for kind in &mut self.kinds {
            (kind.fills, kind.tables) = (Vec::new(), Vec::new());
        }
        for (id, &number) in topology.node_ids().zip(&kind_of) {
            let node = lowering.node(id, order);
            let kind = &mut self.kinds[number as usize];
            fills.add(filled(&node, kind), number, &mut kind.fills);
            let mut held = held(&node, kind, |block| match naming {
                Naming::Coordinates => topology.coords(block.node),
                Naming::LookedUp | Naming::Offsets => topology.offset(id, block.node),
            });
            if naming == Naming::LookedUp {
                held.sort();
            }
            tables.add(held, number, &mut kind.tables);
        }
        (self.fills, self.fill_of) = (fills.all, fills.of);
        (self.tables, self.table_of) = (tables.all, tables.of);
        self.kind_of = kind_of;
    }

    /// Returns true if each word that comes in has a memory of its own.
    pub fn is_direct(&self) -> bool {
        self.banks == Banks::Direct
    }

    /// Returns true if streams can hand out several words per clock: every block is a word of the tables, and none is combined.
    pub fn has_rows(&self) -> bool {
        let is_of_words = |kind: &NodeKind| kind.given.words <= 1 && (kind.given.is_of_blocks || !kind.gives());
        self.kinds.iter().all(|kind| is_of_words(kind) && kind.fold.is_none())
    }

    /// Words of a block that comes in, the same at all nodes; none if they differ.
    pub fn words_of_a_block(&self) -> Option<u32> {
        let taking = || self.kinds.iter().map(|kind| kind.taken).filter(|taken| taken.entries > 0);
        let words = |taken: StreamSize| taken.words.max(1);
        let first = taking().map(words).next()?;
        taking().all(|taken| taken.is_of_blocks && words(taken) == first).then_some(first * self.flits)
    }

    /// Returns true if routers take own words one by one.
    pub fn is_streamed(&self) -> bool {
        self.banks == Banks::Streamed
    }

    /// Returns true if entries are looked up by the offset of a node.
    pub fn by_offset(&self) -> bool {
        self.naming == Naming::LookedUp
    }

    /// Returns true if tables name nodes by coordinates.
    pub fn is_absolute(&self) -> bool {
        self.naming == Naming::Coordinates
    }

    /// Node that the block of an entry is of, in a table of this node.
    pub fn origin(&self, topology: &Topology, node: NodeId, held: &HeldWords) -> NodeId {
        if self.is_absolute() { topology.node(&held.offset) } else { topology.away(node, &held.offset) }
    }

    /// Kind of a node.
    pub fn kind(&self, node: NodeId) -> &NodeKind {
        &self.kinds[self.kind_of[node.index()] as usize]
    }
}

/// Tables, each once.
struct Tables<T> {
    /// by kind and table
    numbers: BTreeMap<(u32, Vec<T>), u32>,
    all: Vec<Vec<T>>,
    of: Vec<u32>,
}

impl<T> Default for Tables<T> {
    fn default() -> Self {
        Self { numbers: BTreeMap::new(), all: Vec::new(), of: Vec::new() }
    }
}

impl<T: Clone + Ord> Tables<T> {
    /// Adds the table of the next node, of this kind, which has these tables.
    fn add(&mut self, table: Vec<T>, kind: u32, of_kind: &mut Vec<u32>) {
        let next = self.all.len() as u32;
        let number = *self.numbers.entry((kind, table.clone())).or_insert(next);
        if number == next {
            self.all.push(table);
            of_kind.push(number);
        }
        self.of.push(number);
    }
}

/// Returns true if every output of a reduction is handed each value once, then nothing or the words of one result.
fn combines_once(program: &Program) -> bool {
    let lowering = NodeLowering::of(program, OwnInputs::Packets);
    let once = |node| {
        let banks = lowering.node(node, BlockOrder::Origin).banks;
        banks.iter().all(|bank| fold::values(bank, program.flits).is_some())
    };
    program.topology.node_ids().all(once)
}

/// Entries of a node's stream in.
fn filled(node: &Node, kind: &NodeKind) -> Vec<Filled> {
    let words = chunks::entries_in(node);
    let entry = |(word, is_last): (&chunks::In, bool)| Filled { banks: word.banks.clone(), own: word.own, is_last };
    chunks::cut(&words, &node.takes, kind.taken.words).map(entry).collect()
}

/// Entries of a node's stream out, whose nodes are named like this.
fn held(node: &Node, kind: &NodeKind, name: impl Fn(&MessageBlock) -> Vec<u32>) -> Vec<HeldWords> {
    let words = chunks::entries_out(node);
    let entry = |(word, is_last): (&chunks::StreamOutWord, bool)| {
        let block = node.gives[word.block as usize];
        HeldWords { offset: name(&block), packet: block.number, place: word.place, is_last }
    };
    chunks::cut(&words, &node.gives, kind.given.words).map(entry).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::net::{Channel, Port, ShapeName, Topology};
    use crate::program::{Demand, Message, Run, Sender, Source, Title, To, Track};

    /// Two nodes, each of which sends this to the other.
    fn pair(packets: u16, runs: &[(Source, u32)]) -> Program {
        let path = Topology::new(ShapeName::Path, &[2]).unwrap();
        let ticks = runs.iter().map(|(_, ticks)| ticks).sum();
        let run = |&(source, ticks): &(Source, u32)| Run { source, ticks };
        let track = Track { runs: runs.iter().map(run).collect(), repeat_from: None, inject: None };
        let demand = Demand::gossip(&path, packets);
        Program::uniform(&path, ticks, demand, vec![track.clone(), track], Title::new("pair", "by hand"))
    }

    #[test]
    fn packets_that_follow_one_another_come_in_in_their_steps() {
        let program = pair(2, &[(Source::Idle, 2), (Source::own(0), 1), (Source::own(1), 1)]);
        assert_eq!(ReadingTables::fits(&program, HostStreams::Ports), Ok(()));
        let reading = ReadingTables::of(&program, BlockOrder::Arrival, OwnInputs::Packets);
        let table = &reading.tables[reading.table_of[0] as usize];
        let received: Vec<_> = table.iter().filter(|held| !matches!(held.place, BankPlace::Taken(_))).collect();
        let input = program.output_index(Channel::first(Port::plus(0))) as u32;
        for (held, (packet, step)) in received.iter().zip([(0, 2), (1, 3)]) {
            assert_eq!((held.packet, held.place), (packet, BankPlace::Received { step, input }));
        }
        assert_eq!(received.len(), 2);
    }

    #[test]
    fn packets_sent_in_pieces_have_no_tables() {
        let whole = pair(1, &[(Source::own(0), 1)]);
        let message = Message { from: Sender::Every, to: To::All, flits: 2 };
        let torn = Program { flits: 2, demand: Demand::new(&whole.topology, vec![message]), ..whole };
        assert_eq!(ReadingTables::fits(&torn, HostStreams::Ports), Err(NoReading::NotWhole));
    }
}
