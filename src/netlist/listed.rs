//! Lowering of several programs on one network together: the union of their routers, one store of control words, and the
//! tables that say where each word of a node's streams lies.
//!
//! Every node has the same module. A program is *placed* before words come in: records are sent to all nodes, and each takes
//! those of its position. The position is a node's own, or how far it is from the root that the program is played for.

mod banks;
mod place;
mod shared;
mod tables;
mod together;

use std::collections::BTreeSet;

use thiserror::Error;

use super::bits::bits_for;
use super::local::{BlockOrder, NodePorts, Results};
use super::node::{Acts, NodeLowering};
use crate::net::{NodeId, Topology};
use crate::program::{Operation, Program, count};

pub use super::union::{ControlWord, NodeParts, Union};
pub use place::{Record, RecordWords};
pub use tables::{Given, GivenRow, RowWord, StreamShape, StreamTables, WordPlaces};
use together::ListActs;
pub use together::{Together, TogetherPart};

/// Program that is to be resident.
#[derive(Clone, Debug)]
pub struct Resident<'p> {
    /// The program, for the first node as its root if it is moved.
    pub program: &'p Program,
    /// True if it is played for any root: as if the root were the first node.
    pub is_moved: bool,
    /// Roots of a program in which only they have a block for themselves, one for each group: of a broadcast, scatter, gather or
    /// reduce.
    pub roots: Vec<NodeId>,
}

/// Reason for which programs cannot be lowered together.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum NotLowered {
    /// An output sends one word of the node's own twice.
    #[error("an output sends one word of its node twice")]
    Repeated {
        /// Number of the program.
        program: usize,
    },
    /// The words of a bank do not come in the order of their blocks.
    #[error("words of a block that come in another order are not supported")]
    Rows {
        /// Number of the program.
        program: usize,
    },
    /// Blocks have different lengths, and are read by numbers that do not tell which, or counted by an element.
    #[error(
        "blocks of different lengths are not supported with `local.elements`, or read ports in the order of arrival"
    )]
    Lengths {
        /// Number of the program.
        program: usize,
    },
    /// Two operations, one of which has units of its own.
    #[error("a second operation beside {first} is not supported ({second})")]
    Operations {
        /// Number of the program.
        program: usize,
        /// Operation of the programs before it.
        first: Operation,
        /// Operation of this program.
        second: Operation,
    },
    /// The schedules are too long to be lowered node by node.
    #[error("schedules of {registers} registers in all ticks are more than the {most} that are supported")]
    TooLong {
        /// Registers of all outputs and ticks, over all programs.
        registers: u64,
        /// The most there can be.
        most: u64,
    },
    /// The tables are too large.
    #[error("tables of {} are more than the {most} that are supported", count(*.entries, "entry"))]
    TooLarge {
        /// Entries of the tables.
        entries: u64,
        /// The most there can be.
        most: u64,
    },
}

impl NotLowered {
    /// Copies the reason for a program that was lowered alone.
    #[must_use]
    pub fn of_program(self, program: usize) -> Self {
        match self {
            Self::Repeated { .. } => Self::Repeated { program },
            Self::Lengths { .. } => Self::Lengths { program },
            Self::Rows { .. } => Self::Rows { program },
            Self::Operations { first, second, .. } => Self::Operations { program, first, second },
            Self::TooLarge { .. } | Self::TooLong { .. } => self,
        }
    }
}

/// More table entries than this are refused: nobody has block RAM for them.
pub const MOST_ENTRIES: u64 = 1 << 22;
/// More registers than this, over all ticks and programs, are refused: lowered node by node, each takes some 90 bytes.
const MOST_REGISTERS: u64 = 1 << 24;

/// Netlist of a list of programs: the hardware of every node, and the contents of its stores.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListNetlist {
    /// Network of nodes and links.
    pub topology: Topology,
    /// Ticks that a link takes.
    pub latency: u32,
    /// Router of every node.
    pub union: Union,
    /// Control words that all nodes are told alike.
    pub words: Vec<ControlWord>,
    /// Records that place programs.
    pub records: Vec<Record>,
    /// Places of the words of streams in: one table for all programs.
    pub taken: Vec<WordPlaces>,
    /// Places of the words of streams out.
    pub given: Vec<Given>,
    /// Rows of streams out, where nodes hand out several words per clock.
    pub rows: Vec<GivenRow>,
    /// Placed programs by number, behind them those that are played at once.
    pub programs: Vec<PlacedProgram>,
    /// Programs that are played at once.
    pub together: Vec<Together>,
    /// Tables say where blocks end: those of some program have different lengths.
    pub tells_blocks: bool,
    /// Words at a read port are numbered: blocks in the order of arrival have different lengths, or several are of one node.
    pub reads_in_a_row: bool,
    /// Most messages of one node that a stream tells one by one.
    pub messages: u32,
}

/// Program in the stores of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlacedProgram {
    /// Ticks, with the one in which the last arrivals are kept.
    pub ticks: u32,
    /// True if positions are counted from the root.
    pub is_moved: bool,
    /// First of the control words, if all nodes are told alike.
    pub shared: Option<u32>,
    /// First record, and the one after the last.
    pub records: (u32, u32),
    /// The one after the last that is about streams; control words of nodes' own come behind them.
    pub headers: u32,
    /// Words that a node takes and gives, by position, of live nodes.
    pub words: Vec<(u32, u32)>,
    /// Words that each node has for each other, of live nodes, where blocks have different lengths.
    pub lengths: Option<Vec<Vec<u32>>>,
}

/// A program lowered node by node.
struct Lowered<'a> {
    nodes: &'a [Acts],
    streams: Vec<StreamTables>,
    /// Words that each node has for each other, where blocks have different lengths.
    lengths: Option<Vec<Vec<u32>>>,
    is_moved: bool,
    ticks: u32,
    /// Number of the operation that combines its values.
    operation: u32,
}

impl ListNetlist {
    /// Lowers programs, one at least, of one network, for streams whose packets are calls.
    pub fn of(residents: &[Resident]) -> Result<Self, NotLowered> {
        Self::with_ports(residents, &[], NodePorts::PLAIN, false)
    }

    /// Lowers the program of one collective, for nodes with these ports that play nothing else.
    pub fn of_one(program: &Program, ports: NodePorts) -> Result<Self, NotLowered> {
        Self::with_ports(&[Resident { program, is_moved: false, roots: Vec::new() }], &[], ports, false)
    }

    /// Lowers programs, one at least, of one network, and those of them that are played at once, for live nodes with these ports, or for
    /// all: boards that are alike have dead nodes too, of which nothing is asked.
    pub fn with_ports(
        residents: &[Resident],
        at_once: &[Vec<usize>],
        ports: NodePorts,
        has_dead: bool,
    ) -> Result<Self, NotLowered> {
        let first = residents[0].program;
        let operations = operations(residents)?;
        let each = each_number(residents, at_once)?;
        let nodes: Vec<NodeLowering> =
            residents.iter().map(|resident| NodeLowering::of_flits(resident.program, &resident.roots)).collect();
        let (outputs, topology) = (first.outputs(), &first.topology);
        let ids: Vec<NodeId> = topology.node_ids().filter(|&node| has_dead || topology.is_live(node)).collect();
        let ListActs { units, mut acts, delays } = ListActs::of(&nodes, &each, &ids, outputs);
        let all: Vec<&Acts> = acts.iter().flatten().collect();
        let sends = shared::sends(&all, outputs + units);
        let keeps = shared::keeps(&all, outputs + units, ports.words > 1);
        acts.iter_mut().flatten().for_each(|acts| shared::keep_together(acts, &keeps));
        let lengths: Vec<Option<Vec<Vec<u32>>>> =
            residents.iter().zip(&acts).map(|(resident, acts)| tables::block_lengths(resident, &ids, acts)).collect();
        let messages = if ports.by_message { tables::most_messages(&acts) } else { 1 };
        let differ = messages > 1 || lengths.iter().any(Option::is_some);
        let is_uneven = |parts: &[usize]| {
            parts.len() > 1 || parts.iter().any(|&part| lengths[part].is_some() || has_groups(&residents[part]))
        };
        let tells = ports.order.is_some() && (differ || each.iter().any(|parts| is_uneven(parts)));
        let reads_in_a_row = ports.by_message && differ && ports.order == Some(BlockOrder::Arrival);
        let mut lowered = Vec::new();
        for (number, (parts, of_nodes)) in each.iter().zip(&acts).enumerate() {
            // programs at once are wrong where one of them is
            let program = parts[0];
            let is_by_number = ports.results == Results::Memory && ports.order == Some(BlockOrder::Arrival);
            let is_even = || NodeLowering::words_of_a_block(residents[program].program).is_some();
            let taken: BTreeSet<u32> = of_nodes.iter().map(Acts::taken).filter(|&words| words > 0).collect();
            let lengths = lengths.get(number).cloned().flatten();
            let is_counted = if ports.by_message { is_even() } else { lengths.is_none() && taken.len() <= 1 };
            if ports.elements && !is_counted || is_by_number && !ports.by_message && lengths.is_some() {
                return Err(NotLowered::Lengths { program });
            }
            let order = |node: NodeId, part: usize| match ports.order {
                Some(BlockOrder::Arrival) => nodes[part].order_of_arrival(node, ports.by_message),
                _ => Vec::new(),
            };
            let streams = ids.iter().zip(of_nodes).enumerate().map(|(at, (&node, own))| {
                let listed = tables::ListedNode {
                    topology,
                    node,
                    acts: own,
                    banks: outputs + units,
                    sends: &sends,
                    program,
                    // blocks of a group are not those of all nodes
                    is_uneven: is_uneven(parts),
                    reads_in_a_row,
                    tells,
                };
                let parts = parts.iter().map(|&part| {
                    let Acts { takes, gives, .. } = &acts[part][at];
                    tables::StreamPart { takes: takes.len(), gives: gives.len(), order: order(node, part) }
                });
                StreamTables::of(listed, &parts.collect::<Vec<_>>(), ports)
            });
            let streams = streams.collect::<Result<Vec<_>, _>>()?;
            let ticks = of_nodes.iter().map(|acts| acts.ticks.len()).max().unwrap_or(1) as u32;
            let operation = parts.iter().find_map(|&part| Some(residents[part].program.reduction.as_ref()?.operation));
            let operation = operations.iter().position(|&known| Some(known) == operation).unwrap_or(0) as u32;
            let is_moved = residents[program].is_moved;
            lowered.push(Lowered { nodes: of_nodes, streams, lengths, is_moved, ticks, operation });
        }
        let entries = lowered.iter().flat_map(|program| &program.streams);
        let entries = entries.map(|streams| (streams.taken.len() + streams.given.len()) as u64).sum();
        if entries > MOST_ENTRIES {
            return Err(NotLowered::TooLarge { entries, most: MOST_ENTRIES });
        }
        let parts = NodeParts {
            lanes: first.lanes,
            outputs,
            units,
            sends,
            keeps,
            operations,
            number: residents.iter().find_map(|it| Some(it.program.reduction.as_ref()?.number)).unwrap_or_default(),
            unit: residents.iter().find_map(|resident| super::add::unit(resident.program)),
        };
        let joined = each.iter().zip(&delays).zip(&lowered).enumerate().skip(residents.len());
        let together =
            joined.map(|(number, ((parts, delays), lowered))| Together::of(number, parts, delays, lowered.ticks));
        let mut netlist = Self {
            topology: topology.clone(),
            latency: first.latency,
            together: together.collect(),
            union: Union::of(parts, lowered.iter().flat_map(|program| program.nodes)),
            words: Vec::new(),
            records: Vec::new(),
            taken: Vec::new(),
            given: Vec::new(),
            rows: Vec::new(),
            programs: Vec::new(),
            tells_blocks: tells,
            reads_in_a_row,
            messages,
        };
        netlist.place_all(&ids, &lowered);
        Ok(netlist)
    }

    /// Inputs and units: everything that arrives at a node.
    pub fn inputs(&self) -> usize {
        self.union.parts.inputs()
    }

    /// Programs that a number calls: the one that it is of, or several at once.
    pub fn parts(&self, number: u32) -> Vec<TogetherPart> {
        let together = self.together.iter().find(|together| together.number == number);
        together.map_or_else(|| vec![TogetherPart { program: number, after: 0 }], |together| together.programs.clone())
    }

    /// Number of nodes: of those that are alive.
    pub fn nodes(&self) -> u32 {
        self.topology.live_nodes()
    }

    /// Codes of all nodes, in order.
    pub fn node_codes(&self) -> Vec<u32> {
        self.topology.live_ids().map(|node| self.code(node)).collect()
    }

    /// Bits of each coordinate in the code of a node.
    pub fn code_bits(&self) -> Vec<u32> {
        code_bits(&self.topology)
    }

    /// Code of a node: its coordinates side by side, the last in the lowest bits.
    pub fn code(&self, node: NodeId) -> u32 {
        code(&self.topology, node)
    }

    /// Number of codes.
    pub fn codes(&self) -> u32 {
        1 << self.code_bits().iter().sum::<u32>()
    }

    /// Returns true if blocks are numbered from the node that they are for or from: where all nodes look alike.
    pub fn is_relative(&self) -> bool {
        self.topology.is_homogeneous()
    }
}

/// Programs of each number: each alone, then those that are played at once. Fails if they are too long.
fn each_number(residents: &[Resident], at_once: &[Vec<usize>]) -> Result<Vec<Vec<usize>>, NotLowered> {
    let alone = (0..residents.len()).map(|program| vec![program]);
    let each: Vec<Vec<usize>> = alone.chain(at_once.iter().cloned()).collect();
    let of_all_ticks = |&program: &usize| {
        let program = residents[program].program;
        (program.registers() as u64).saturating_mul(program.ticks.into())
    };
    let registers = each.iter().flatten().map(of_all_ticks).fold(0, u64::saturating_add);
    if registers > MOST_REGISTERS {
        return Err(NotLowered::TooLong { registers, most: MOST_REGISTERS });
    }
    Ok(each)
}

fn has_groups(resident: &Resident) -> bool {
    resident.program.demand.groups().is_some()
}

fn code_bits(topology: &Topology) -> Vec<u32> {
    topology.dims().iter().map(|&side| bits_for(u64::from(side))).collect()
}

fn code(topology: &Topology, node: NodeId) -> u32 {
    let coordinates = topology.coords(node).into_iter().zip(code_bits(topology));
    coordinates.fold(0, |code, (x, bits)| code << bits | x)
}

/// The operations of all reductions, in the order in which they come. Units that take time, and those of one's own, have one.
fn operations(residents: &[Resident]) -> Result<Vec<Operation>, NotLowered> {
    let mut all: Vec<Operation> = Vec::new();
    for (program, resident) in residents.iter().enumerate() {
        let Some(reduction) = &resident.program.reduction else { continue };
        let second = reduction.operation;
        if all.contains(&second) {
            continue;
        }
        let is_alone = |operation: Operation| operation == Operation::Custom || reduction.number.float().is_some();
        match all.first() {
            Some(&first) if is_alone(first) || is_alone(second) => {
                return Err(NotLowered::Operations { program, first, second });
            }
            _ => all.push(second),
        }
    }
    Ok(all)
}
