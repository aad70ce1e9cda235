//! Nodes with memories: banks and tables of all programs, streams, rows, read ports, elements, and what stands between them.

mod bank_memory;
mod banks;
pub(in crate::emit) mod boards;
pub(in crate::emit) mod edited;
pub(in crate::emit) mod elements;
mod lanes;
pub(in crate::emit) mod memories;
pub(in crate::emit) mod network;
pub(in crate::emit) mod ports;
pub(in crate::emit) mod sizes;
pub(in crate::emit) mod stores;
pub(in crate::emit) mod top;
mod width;

use std::borrow::Cow;

use askama::Template;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::emit::boards::layer::LinkLayer;
use crate::emit::shared::call_words::{BenchWords, PlannedProgram};
use crate::emit::shared::design::GENERATED_FROM;
use crate::emit::shared::output::OutputFile;
use crate::net::NodeBlocks;
use crate::netlist::listed::ListNetlist;
use crate::netlist::{BoardStart, Checksum, HostStreams, NodePorts, PortForm};
use crate::program::{Operation, count, joined};

pub(in crate::emit) use boards::{BoardPorts, PortLinks};
pub use boards::{covered, frames};
pub use elements::edited_paths;
pub use network::{module as boards_module, path as boards_path};
pub use ports::StreamPort;
pub use sizes::WireSizes;

/// Bus of a design's host.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Bus {
    /// The ring itself: words of 33 bits.
    Ring,
    /// Registers behind AXI4-Lite.
    AxiLite,
    /// Registers behind a serial line.
    Uart,
    /// Streams of every node, and no host.
    Streams,
}

/// Resident program as the files name it.
#[derive(Clone, Debug, Serialize)]
pub struct ResidentFiles {
    /// Number by which it is chosen.
    pub number: u32,
    /// Collective of the program.
    pub collective: &'static str,
    /// Operation of a reduction.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub operation: Option<Operation>,
    /// Type of the values that a reduction combines.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub values: Option<&'static str>,
    /// Name of the scheme.
    pub scheme: String,
    /// File with its schedule.
    pub schedule: String,
    /// SHA-256 of the schedule.
    pub digest: String,
    /// `any`, or the number of the node; none if the collective has no root.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub root: Option<serde_json::Value>,
    /// Groups of nodes that each have the collective for themselves; none if all nodes have it together.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub groups: Option<ResidentGroups>,
    /// Words of a block; of the longest, where there are others.
    pub words: u32,
    /// Words of each pair's block, row by row, or one row with those of each node's where there is a root; none if all have one
    /// length.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lengths: Option<Vec<Vec<u32>>>,
    /// Blocks by offset, where each goes as far from every node.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub offsets: Option<Vec<OffsetBlock>>,
    /// Words of a node's vector, where the config counts them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub count: Option<u32>,
    /// Words that a node takes and gives then: a block per node, or one that all nodes share.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub padded: Option<u32>,
    /// Clocks of a run.
    pub ticks: u32,
}

/// Groups of nodes that each have a collective for themselves.
#[derive(Clone, Debug, Serialize)]
pub struct ResidentGroups {
    /// Axes or sides of the groups, as a config has them.
    pub form: String,
    /// Live nodes of each group, by number.
    pub nodes: Vec<Vec<u32>>,
    /// Root of each group; none if the collective has no root.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub roots: Vec<u32>,
}

/// Blocks that go as far from every node.
#[derive(Clone, Debug, Serialize)]
pub struct OffsetBlock {
    /// Hops along each axis, upwards if positive.
    pub hops: Vec<i32>,
    /// Words of a block.
    pub words: u32,
    /// Receiver by live node; none beyond a border, and where it is dead.
    pub to: Vec<Option<u32>>,
}

impl ResidentFiles {
    /// Returns true if the vectors of an all-reduce are one block, in place of one per node.
    pub(in crate::emit) fn is_whole(&self) -> bool {
        self.padded == Some(self.words)
    }
}

/// Boards of a design, with a part of its nodes each.
#[derive(Clone, Debug)]
pub struct ListBoards {
    /// Network of the boards, and the nodes of each.
    pub blocks: NodeBlocks,
    /// Checksum of the frames between them.
    pub checksum: Checksum,
    /// Ports to other boards.
    pub form: PortForm,
    /// Origin of their calls.
    pub start: BoardStart,
}

/// Programs, lowered together, with everything that the files say besides.
#[derive(Clone, Debug)]
pub struct ListDesign<'e> {
    /// Prefix of every module.
    pub name: &'e str,
    /// Bits of a word.
    pub width: u32,
    /// Command or config that the files come from.
    pub origin: String,
    /// Hardware and stores.
    pub netlist: &'e ListNetlist,
    /// Programs in the stores.
    pub residents: Cow<'e, [ResidentFiles]>,
    /// Schedules of the programs.
    pub schedules: Vec<PlannedProgram<'e>>,
    /// First 32 bits of the SHA-256 of what the meaning of words depends on.
    pub hash: u32,
    /// Bus of the host.
    pub bus: Bus,
    /// Clocks per bit of a serial line.
    pub divisor: u32,
    /// Frequency of the clock, in hertz.
    pub clock: u32,
    /// Ports of the nodes, if they have streams.
    pub ports: NodePorts,
    /// Way of the streams, if its one program is all that it plays: each node counts its banks, and nothing is called.
    pub one: Option<HostStreams>,
    /// Boards that it is spread over, if there are several.
    pub boards: Option<ListBoards>,
    /// True if a self-test is written.
    pub has_self_test: bool,
    /// Number of the only program that the testbench calls; all if none is named.
    pub called: Option<u32>,
    /// Config, for the file that the driver reads.
    pub config: serde_json::Value,
    /// Words of the calls of its bench, once they are asked for.
    pub words: BenchWords,
}

impl ListDesign<'_> {
    /// Returns true if one program is all that it plays.
    pub fn is_one(&self) -> bool {
        self.one.is_some()
    }

    /// Returns true if the streams of nodes are on a ring.
    pub(in crate::emit) fn has_chain(&self) -> bool {
        self.one == Some(HostStreams::Chain)
    }

    /// Collective of a program, or those of programs that are played at once.
    pub(in crate::emit) fn program_name(&self, number: usize) -> String {
        let parts = self.netlist.parts(number as u32);
        let names = parts.iter().map(|part| self.residents[part.program as usize].collective.to_owned());
        let names = joined(&names.collect::<Vec<_>>(), "and");
        if parts.len() > 1 { format!("{names} at once") } else { names }
    }

    pub(in crate::emit) fn notes(&self) -> Vec<String> {
        vec![format!("{}{}", GENERATED_FROM, self.origin)]
    }

    pub(in crate::emit) fn module(&self, part: &str) -> String {
        format!("{}_{part}", self.name)
    }

    /// The part with all nodes, or with those of a board.
    pub(in crate::emit) fn nodes(&self) -> &'static str {
        if self.boards.is_some() { "board" } else { "system" }
    }

    /// Nodes of a device.
    pub(in crate::emit) fn nodes_of_device(&self) -> u32 {
        self.boards.as_ref().map_or_else(|| self.netlist.nodes(), |boards| boards.blocks.sites())
    }

    /// Description of the module with all nodes.
    pub(in crate::emit) fn headline(&self) -> String {
        let network = self.netlist.topology.describe();
        if self.is_one() {
            let ResidentFiles { collective, scheme, .. } = &self.residents[0];
            return format!("{collective} on a {network}, scheme {scheme}");
        }
        let whole = format!("design of {} on a {network}", count(self.residents.len() as u64, "program"));
        match &self.boards {
            Some(boards) => format!("board with {} of a {whole}", count(boards.blocks.sites().into(), "node")),
            None => whole,
        }
    }

    /// Module that a user's design holds.
    pub fn top(&self) -> String {
        self.module(match self.bus {
            Bus::Ring | Bus::Streams => self.nodes(),
            Bus::AxiLite => "axil",
            Bus::Uart => "uart",
        })
    }

    /// Module with all nodes, whose ports are their streams or the ring of one host: all boards together, if there are several.
    pub fn with_all_nodes(&self) -> String {
        if self.boards.is_some() { network::module(self.name) } else { self.whole() }
    }

    /// Module with all nodes, or with those of a board.
    pub fn whole(&self) -> String {
        self.module(self.nodes())
    }

    /// Returns true if one board takes the calls of all boards.
    pub(in crate::emit) fn has_common_calls(&self) -> bool {
        self.boards.as_ref().is_some_and(|boards| boards.start == BoardStart::Common)
    }

    /// Link layer of the boards, if there are several.
    pub(in crate::emit) fn link_layer(&self) -> Option<LinkLayer> {
        boards::layer(self)
    }

    /// Number of boards, each with a line of its own.
    pub fn lines(&self) -> u32 {
        self.boards.as_ref().map_or(1, |boards| boards.blocks.boards().live_nodes())
    }
}

/// A module's file.
pub(in crate::emit) fn module<'d, T: Template>(
    design: &ListDesign<'_>,
    part: &str,
    view: impl Fn() -> T + 'd,
) -> OutputFile<'d> {
    OutputFile::module(&design.module(part), view)
}

/// A number in binary, in so many digits.
pub(in crate::emit) fn binary(value: u32, bits: u32) -> String {
    (0..bits).rev().map(|bit| if value.checked_shr(bit).unwrap_or(0) & 1 == 1 { '1' } else { '0' }).collect()
}
