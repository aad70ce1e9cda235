//! Modules beside the fabric that the config asks for: memories and streams of the nodes, and all of it as one system.

mod bench;
mod elements;
mod fill;
mod folded;
mod lanes;
mod memory;
mod notes;
mod order;
mod parts;
mod sums;
mod system;

use super::design::EmitDesign;
use super::names;
use super::output::{EmittedPart, FileType, OutputFile};
use crate::netlist::HostStreams;
pub use bench::system_verdict;
pub use elements::Elements;
pub use parts::{NetworkAxis, address_bits, longest_address, user};

/// The tables that say where packets lie, the memories, and the system; the ring, if the host is on one.
pub struct NodeFiles;

impl EmittedPart for NodeFiles {
    fn files<'d>(&self, design: &'d EmitDesign<'d>, _: &[OutputFile<'d>]) -> Vec<OutputFile<'d>> {
        let Some((local, reading)) = &design.memories else { return Vec::new() };
        let program = design.program;
        let mut files = Vec::new();
        let kinds = reading.kinds.iter();
        for kind in kinds.clone().filter(|kind| kind.takes() && !reading.is_direct()) {
            for &number in &kind.fills {
                let module = names::fill(program, number as usize);
                let table = &reading.fills[number as usize];
                files.push(beside(&module.clone(), move || {
                    fill::FillModule::new(design, reading, kind, &module, table)
                }));
            }
        }
        for kind in kinds.clone().filter(|kind| kind.gives()) {
            for &number in &kind.tables {
                let module = names::order(program, number as usize);
                let table = &reading.tables[number as usize];
                files.push(match lanes::Lanes::of(design, reading, kind, local.words) {
                    Some(lanes) => beside(&module.clone(), move || {
                        lanes::RowTable::new(design, reading, kind, &module, table, &lanes)
                    }),
                    None => {
                        beside(&module.clone(), move || order::OrderModule::new(design, reading, kind, &module, table))
                    }
                });
            }
        }
        for (index, kind) in kinds.enumerate().filter(|(_, kind)| kind.has_streams()) {
            let module = names::memory_of_kind(program, index, reading.kinds.len());
            files.push(beside(&module.clone(), move || {
                memory::MemoryModule::new(design, local.words, reading, kind, module.clone())
            }));
        }
        if local.host == HostStreams::Chain {
            files.push(beside(&names::chain(program), move || system::ChainModule::new(design, reading)));
        }
        files.push(beside(&names::system(program), move || system::SystemModule::new(design, *local, reading)));
        files
    }
}

/// The bench of the system.
pub struct SystemBenchFiles;

impl EmittedPart for SystemBenchFiles {
    fn files<'d>(&self, design: &'d EmitDesign<'d>, _: &[OutputFile<'d>]) -> Vec<OutputFile<'d>> {
        let Some((local, _)) = &design.memories else { return Vec::new() };
        bench::files(design, *local)
    }
}

fn beside<'d, T: askama::Template>(module: &str, view: impl Fn() -> T + 'd) -> OutputFile<'d> {
    OutputFile::of(format!("{module}.v"), FileType::Node, view)
}
