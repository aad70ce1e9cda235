//! Design of a list of programs as files: the RTL of `templates/listed/`, its list, and the files that describe it to software.

mod banks;
mod bench;
pub mod bist;
mod boards;
mod describe;
mod edited;
mod elements;
mod host;
mod lanes;
mod lists;
mod network;
mod node;
mod ports;
mod sizes;
mod stores;
mod top;
mod width;

use std::borrow::Cow;
use std::io;

use askama::Template;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::call_words::{BenchWords, PlannedProgram};
use super::elastic::layer::LinkLayer;
use super::output::{FileType, OutputFile};
use super::{DesignPart, Files, write};
use crate::net::NodeBlocks;
use crate::netlist::listed::ListNetlist;
use crate::netlist::{Checksum, HostStreams, NodePorts, PortForm};
use crate::program::{Operation, count};

pub(super) use boards::{BoardPorts, PortLinks};
pub use boards::{covered, frames};
pub use describe::{HostRegister, REGISTERS, meaning};
pub use elements::edited;
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
    pub(super) fn is_whole(&self) -> bool {
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
    pub(super) fn has_chain(&self) -> bool {
        self.one == Some(HostStreams::Chain)
    }

    pub(super) fn notes(&self) -> Vec<String> {
        vec![format!("{}{}", super::GENERATED_FROM, self.origin)]
    }

    pub(super) fn module(&self, part: &str) -> String {
        format!("{}_{part}", self.name)
    }

    /// The part with all nodes, or with those of a board.
    fn nodes(&self) -> &'static str {
        if self.boards.is_some() { "board" } else { "system" }
    }

    /// Nodes of a device.
    fn nodes_of_device(&self) -> u32 {
        self.boards.as_ref().map_or_else(|| self.netlist.nodes(), |boards| boards.blocks.sites())
    }

    /// Description of the module with all nodes.
    fn headline(&self) -> String {
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

    /// Files, each module after those that it uses. The host's bytes are there for every bus: they are what is simulated.
    pub(super) fn files(&self) -> Vec<OutputFile<'_>> {
        let sizes = WireSizes::of(self);
        let mut files = stores::files(self, &sizes);
        files.extend(node::files(self, &sizes));
        files.extend(boards::files(self));
        files.extend(top::files(self, &sizes));
        files
    }

    /// Files to synthesise: the RTL, and the self-test if the config asks for it.
    fn synthesised(&self) -> Vec<OutputFile<'_>> {
        let mut files = self.files();
        if self.has_self_test {
            files.extend(bist::files(self));
        }
        files
    }

    /// Description that the driver reads.
    pub(super) fn description(&self) -> OutputFile<'_> {
        describe::json(self)
    }

    /// Paths of the RTL.
    pub fn rtl(&self) -> Vec<String> {
        self.files().into_iter().map(|file| file.path).collect()
    }

    /// Module whose bytes are those of the lines, and its files: all boards together, if there are several.
    pub fn simulated(&self) -> (String, Vec<String>) {
        let joined = network::file(self).map(|file| file.path);
        let top = if joined.is_some() { network::module(self.name) } else { self.module("host") };
        (top, self.rtl().into_iter().chain(joined).collect())
    }

    /// Module with all nodes, whose ports are their streams or the ring of one host: all boards together, if there are several.
    pub fn with_all_nodes(&self) -> String {
        if self.boards.is_some() { network::module(self.name) } else { self.whole() }
    }

    /// Writes the RTL, and the module with all boards beside it.
    pub fn write_with_all_nodes(&self, files: &mut dyn Files) -> io::Result<()> {
        self.write_rtl(files)?;
        network::file(self).iter().try_for_each(|file| write(file, files))
    }

    /// Writes the RTL alone.
    pub fn write_rtl(&self, files: &mut dyn Files) -> io::Result<()> {
        self.files().iter().try_for_each(|file| write(file, files))
    }

    /// Module with all nodes, or with those of a board.
    pub fn whole(&self) -> String {
        self.module(self.nodes())
    }

    /// Link layer of the boards, if there are several.
    pub(super) fn link_layer(&self) -> Option<LinkLayer> {
        boards::layer(self)
    }

    /// Number of boards, each with a line of its own.
    pub fn lines(&self) -> u32 {
        self.boards.as_ref().map_or(1, |boards| boards.blocks.boards().live_nodes())
    }

    /// Name of the testbench, and what it prints if every word of so many runs is right, or of as many as it plays if it is not told;
    /// none of several boards with hosts.
    pub fn verdict(&self, runs: Option<u32>) -> Option<(String, String)> {
        bench::verdict(self, runs)
    }

    /// Testbench, and the files that it reads.
    pub(super) fn benches(&self) -> Vec<OutputFile<'_>> {
        bench::files(self)
    }

    /// Files for the user to edit, if the config asks for them.
    pub(super) fn elements(&self) -> Vec<OutputFile<'_>> {
        elements::files(self)
    }

    /// Every file of some parts, the RTL first.
    fn all(&self, parts: &[DesignPart]) -> Vec<OutputFile<'_>> {
        let rtl = self.synthesised();
        let has_rtl = parts.contains(&DesignPart::Rtl);
        let listed: String = rtl.iter().filter(|_| has_rtl).map(|file| file.path.clone() + "\n").collect();
        let list = listing(self.name, listed.clone());
        let elements = elements::files(self);
        let edited: String = elements.iter().map(|file| file.path.clone() + "\n").collect();
        let top = (!elements.is_empty()).then(|| listing(&self.module("top"), listed + &edited));
        let files = rtl.into_iter().chain([list]).chain(elements).chain(top);
        let files = files.chain(bench::files(self)).chain(network::file(self)).chain(network::with_elements(self));
        let files = files.chain(describe::files(self)).chain(lists::files(self, parts));
        files.filter(|file| parts.contains(&DesignPart::of(file.kind))).collect()
    }

    /// Paths of all files of some parts.
    pub fn paths(&self, parts: &[DesignPart]) -> Vec<String> {
        self.all(parts).into_iter().map(|file| file.path).collect()
    }

    /// Writes all files of some parts.
    pub fn write(&self, parts: &[DesignPart], files: &mut dyn Files) -> io::Result<()> {
        self.all(parts).iter().try_for_each(|file| write(file, files))
    }
}

/// A list of paths, one per line.
fn listing<'d>(name: &str, paths: String) -> OutputFile<'d> {
    OutputFile::streamed(format!("{name}.f"), FileType::List, move |out| out.write_all(paths.as_bytes()))
}

/// A module's file.
fn module<'d, T: Template>(design: &ListDesign<'_>, part: &str, view: impl Fn() -> T + 'd) -> OutputFile<'d> {
    OutputFile::module(&design.module(part), view)
}

/// A number in binary, in so many digits.
pub(super) fn binary(value: u32, bits: u32) -> String {
    (0..bits).rev().map(|bit| if value.checked_shr(bit).unwrap_or(0) & 1 == 1 { '1' } else { '0' }).collect()
}
