//! A program as files: the RTL, a testbench, and the lists that tools read.
//!
//! [`netlist`](crate::netlist) decides what the hardware is, `templates/` how the files say it. Typed views hand the one to
//! the other.

mod axis;
mod bench;
pub mod bist;
mod blocks;
mod boards;
mod call_words;
mod design;
pub mod elastic;
pub mod formal;
pub mod fpga;
mod frame;
mod lines;
pub mod listed;
mod lists;
pub mod names;
mod node;
mod numbers;
mod output;
mod own;
mod rtl;
mod sums;
pub mod vcd;
mod wires;
mod words;

use std::collections::BTreeMap;
use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::sync::Arc;

use crate::netlist::{
    BoardStart, Checksum, Crossbar, FloatUnit, LEAVES, Loadable, Netlist, NodeOptions, OwnInputs, PortForm, Rom,
};
use crate::program::Program;
use crate::protocol::Protocol;
use design::EmitDesign;
pub use design::GENERATED_FROM;
pub use frame::{body_bits, check_bits};
use lines::LineBreaker;
pub use lists::{lengths_file, schedule_file};
use output::{EmittedPart, FileType, OutputFile};
pub use own::{OwnInput, length_inputs, own_inputs};
pub use wires::DIVISOR;

pub use bench::{PatchBench, board_verdict, is_played, verdict};
pub use call_words::{BenchWords, PlannedProgram};
pub use node::system_verdict;

/// Every output; one may list what those before it make.
const OUTPUTS: [&dyn EmittedPart; 20] = [
    &rtl::Controls,
    &rtl::Routers,
    &rtl::Fabric,
    &rtl::Pads,
    &bist::SelfTest,
    &bench::Testbench,
    &boards::SharedBoards,
    &node::NodeFiles,
    &node::Elements,
    &node::SystemBenchFiles,
    &elastic::ElasticBoard,
    &elastic::BoardBenchFiles,
    &lists::FileList,
    &lists::AnywhereList,
    &lists::SystemList,
    &lists::TopList,
    &lists::BoardList,
    &lists::Packages,
    &lists::LengthsList,
    &lists::ScheduleCopy,
];

/// Settings of the files besides the program.
#[derive(Clone, Debug)]
pub struct Options {
    /// Bits per flit.
    pub width: u32,
    /// Source of the files, named in their header: `examples/torus-6x8.yaml` or a command.
    pub origin: String,
    /// Place of the sequences of control words.
    pub rom: Rom,
    /// Registers between that and a row of nodes.
    pub leaves: u32,
    /// Owner of the choice of an output's input.
    pub crossbar: Crossbar,
    /// Inputs of routers for packets of their nodes' own.
    pub own: OwnInputs,
    /// Protocol of the routers, if they determine lengths at run time; the program then describes the given lengths.
    pub protocol: Option<Protocol>,
    /// Memories and streams beside the routers, if there are to be any.
    pub local: Option<NodeOptions>,
    /// True if a self-test is written.
    pub bist: bool,
    /// True if every node, or block of nodes, is a board of its own, with elastic links.
    pub elastic: bool,
    /// Boards along each axis, if boards have blocks of nodes.
    pub boards: Option<Vec<u32>>,
    /// Checksum of the frames between boards, if their links are checked.
    pub checksum: Option<Checksum>,
    /// Ports of boards, with their clock.
    pub form: PortForm,
    /// Origin of each board's start.
    pub start: BoardStart,
    /// True if control words are in memories that are loaded while nothing plays.
    pub loaded: bool,
    /// Rows of the file of lengths that the command in `origin` names, if it names one.
    pub lengths: Option<Arc<str>>,
    /// Text of the schedule's file that the command in `origin` names, if it names one.
    pub schedule: Option<Arc<str>>,
}

impl Options {
    /// The fabric by itself.
    pub fn plain(width: u32, origin: impl Into<String>) -> Self {
        Self {
            width,
            origin: origin.into(),
            rom: Rom::default(),
            leaves: LEAVES,
            crossbar: Crossbar::default(),
            own: OwnInputs::default(),
            protocol: None,
            local: None,
            bist: false,
            elastic: false,
            boards: None,
            checksum: None,
            form: PortForm::default(),
            start: BoardStart::default(),
            loaded: false,
            lengths: None,
            schedule: None,
        }
    }
}

/// Lowers a program with these options to registers.
pub fn netlist(program: &Program, options: &Options) -> Netlist {
    let netlist = if options.loaded {
        Loadable::of(program).expect("a program of single packets").netlist(program, options.width)
    } else {
        Netlist::with(program, options.crossbar, options.own, options.rom, options.width)
    };
    netlist.told_by(options.leaves)
}

/// Text of the module that combines two floats, by itself.
pub fn unit(unit: FloatUnit, module: &str, origin: &str) -> String {
    let generated = format!("{GENERATED_FROM}{origin}; edit that, not this file.");
    let width = unit.number.width().unwrap_or(32);
    rtl::adder::text(unit, module, width, &generated).expect("a string takes all text") + "\n"
}

/// Clocks from the first in which a design's `run` is high to the one that begins the first tick; protocols begin at once.
pub fn start_delay(netlist: &Netlist, options: &Options) -> u32 {
    if options.protocol.is_some() { 0 } else { netlist.start_delay() }
}

/// Destination of the files. Each is written from beginning to end before the next one is requested.
pub trait Files {
    /// Begins a file; `path` is relative to the design's folder.
    fn file(&mut self, path: &str) -> io::Result<Box<dyn Write + '_>>;
}

/// Files kept in memory, by path.
#[derive(Debug, Default)]
pub struct MemoryFiles(pub BTreeMap<String, Vec<u8>>);

impl Files for MemoryFiles {
    fn file(&mut self, path: &str) -> io::Result<Box<dyn Write + '_>> {
        Ok(Box::new(self.0.entry(path.to_owned()).or_default()))
    }
}

/// A part of what is made of a design.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum DesignPart {
    /// Modules to synthesise.
    Rtl,
    /// Memories and streams beside that, and all of it as one system; boards of their own.
    Nodes,
    /// The testbenches, and what they read.
    Testbench,
    /// Lists of the other parts' files, for tools.
    Lists,
}

impl DesignPart {
    /// All parts, in the order of the help.
    pub const ALL: [Self; 4] = [Self::Rtl, Self::Nodes, Self::Testbench, Self::Lists];

    fn of(kind: FileType) -> Self {
        match kind {
            FileType::Rtl => Self::Rtl,
            FileType::Node | FileType::Element | FileType::Board => Self::Nodes,
            FileType::Testbench | FileType::SystemBench | FileType::BoardBench | FileType::Data | FileType::Boards => {
                Self::Testbench
            }
            FileType::List => Self::Lists,
        }
    }
}

/// The paths of all files that [`write_all`] writes, in that order.
pub fn paths(program: &Program, options: &Options) -> Vec<String> {
    paths_of_parts(program, options, &DesignPart::ALL)
}

/// The paths of all files that [`write_parts`] writes, in that order.
pub fn paths_of_parts(program: &Program, options: &Options, parts: &[DesignPart]) -> Vec<String> {
    files_of(&EmitDesign::new(program, options), parts).into_iter().map(|file| file.path).collect()
}

/// The paths of the files that are for the user to edit.
pub fn elements(program: &Program, options: &Options) -> Vec<String> {
    if !options.local.is_some_and(|local| local.elements) {
        return Vec::new();
    }
    output::paths_of(FileType::Element, &files_of(&EmitDesign::new(program, options), &[DesignPart::Nodes]))
}

/// Writes the design.
pub fn write_all(program: &Program, options: &Options, files: &mut dyn Files) -> io::Result<()> {
    write_parts(program, options, &DesignPart::ALL, files)
}

/// Writes the routers and the fabric only, each module after those it uses.
pub fn write_rtl(program: &Program, options: &Options, files: &mut dyn Files) -> io::Result<()> {
    let options = Options { bist: false, ..options.clone() };
    write_parts(program, &options, &[DesignPart::Rtl], files)
}

/// Writes some parts of the design; its lists name what is written.
pub fn write_parts(
    program: &Program,
    options: &Options,
    parts: &[DesignPart],
    files: &mut dyn Files,
) -> io::Result<()> {
    let design = EmitDesign::new(program, options);
    files_of(&design, parts).iter().try_for_each(|file| write(file, files))
}

/// Writes a fabric whose control words are loaded, with the list of its files, a patch and the testbench of that.
pub fn write_patch(patch: PatchBench, options: &Options, files: &mut dyn Files) -> io::Result<()> {
    let design = EmitDesign::new(patch.whole, options);
    let rtl = files_of(&design, &[DesignPart::Rtl]);
    let list = lists::FileList.files(&design, &rtl);
    rtl.iter().chain(&list).chain(&patch.files(&design)).try_for_each(|file| write(file, files))
}

fn files_of<'d>(design: &'d EmitDesign<'d>, parts: &[DesignPart]) -> Vec<OutputFile<'d>> {
    let mut files = Vec::new();
    for output in OUTPUTS {
        let made = output.files(design, &files).into_iter().filter(|file| parts.contains(&DesignPart::of(file.kind)));
        let made: Vec<OutputFile<'_>> = made.collect();
        files.extend(made);
    }
    files
}

fn write(file: &OutputFile<'_>, files: &mut dyn Files) -> io::Result<()> {
    let is_verilog = Path::new(&file.path).extension().is_some_and(|end| end == "v");
    let to = files.file(&file.path)?;
    let to: Box<dyn Write + '_> = if is_verilog { Box::new(LineBreaker::new(to)) } else { to };
    let mut out = BufWriter::with_capacity(1 << 16, to);
    file.write(&mut out)?;
    out.flush()
}
