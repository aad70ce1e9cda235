//! A program as files: the RTL, a testbench, and the lists that tools read.
//!
//! [`netlist`](crate::netlist) decides what the hardware is, `templates/` how the files say it. Typed views hand the one to
//! the other. Rooms stand on floors here, too, from `shared` to `fpga`.

mod bench;
pub mod boards;
mod fabric;
pub mod formal;
pub mod fpga;
pub mod host;
mod listed;
mod lists;
pub mod node;
mod outputs;
pub mod selftest;
mod shared;
pub mod vcd;

use std::io;

use crate::netlist::FloatUnit;
use crate::program::Program;
use outputs::files_of;
use shared::design::EmitDesign;
use shared::files::write;
use shared::output::{EmittedPart, FileType, paths_of};

pub use bench::{PatchBench, board_verdict, is_played, verdict};
pub use boards::frame::{body_bits, check_bits};
pub use boards::wires::DIVISOR;
pub use listed::one::system_verdict;
pub use lists::{lengths_file, schedule_file};
pub use shared::call_words::{BenchWords, PlannedProgram};
pub use shared::design::{GENERATED_FROM, netlist, start_delay};
pub use shared::files::{DesignPart, Files, MemoryFiles};
pub use shared::names;
pub use shared::options::Options;
pub use shared::own::{OwnInput, length_inputs, own_inputs};

/// Text of the module that combines two floats, by itself.
pub fn unit(unit: FloatUnit, module: &str, origin: &str) -> String {
    let generated = format!("{GENERATED_FROM}{origin}; edit that, not this file.");
    let width = unit.number.width().unwrap_or(32);
    fabric::adder::text(unit, module, width, &generated).expect("a string takes all text") + "\n"
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
    paths_of(FileType::Element, &files_of(&EmitDesign::new(program, options), &[DesignPart::Nodes]))
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
