//! All files of one program, in order.

use super::bench::{self, elastic, pads};
use super::listed::one;
use super::shared::design::EmitDesign;
use super::shared::files::DesignPart;
use super::shared::output::{EmittedPart, OutputFile};
use super::{boards, fabric, lists, selftest};

/// Every output; one may list what those before it make.
const OUTPUTS: [&dyn EmittedPart; 21] = [
    &fabric::Controls,
    &fabric::Routers,
    &fabric::Fabric,
    &fabric::Pads,
    &selftest::SelfTest,
    &bench::Testbench,
    &pads::SharedBoards,
    &one::NodeFiles,
    &one::Elements,
    &one::SystemBenchFiles,
    &boards::ElasticBoard,
    &elastic::BoardBenchFiles,
    &lists::FileList,
    &lists::AnywhereList,
    &lists::SystemList,
    &lists::TopList,
    &lists::BoardList,
    &lists::Packages,
    &one::SystemInterface,
    &lists::LengthsList,
    &lists::ScheduleCopy,
];

/// Files of some parts of a design.
pub fn files_of<'d>(design: &'d EmitDesign<'d>, parts: &[DesignPart]) -> Vec<OutputFile<'d>> {
    let mut files = Vec::new();
    for output in OUTPUTS {
        let made = output.files(design, &files).into_iter().filter(|file| parts.contains(&DesignPart::of(file.kind)));
        let made: Vec<OutputFile<'_>> = made.collect();
        files.extend(made);
    }
    files
}
