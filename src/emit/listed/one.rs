//! Modules beside the fabric that the config asks for: memories and streams of the nodes, and all of it as one system.

use std::borrow::Cow;

use crate::emit::listed::component::Component;
use crate::emit::lists;
use crate::emit::node::{Bus, ListDesign, ResidentFiles};
use crate::emit::shared::call_words::PlannedProgram;
use crate::emit::shared::design::EmitDesign;
use crate::emit::shared::options::Options;
use crate::emit::shared::output::{EmittedPart, FileType, OutputFile};
use crate::netlist::NodeOptions;
use crate::netlist::listed::ListNetlist;
use crate::program::Program;

/// The nodes with their streams, and the system; the ring, if the host is on one.
pub struct NodeFiles;

/// The top, and the element that it has at each node, for a user to begin with.
pub struct Elements;

/// The bench of the system.
pub struct SystemBenchFiles;

/// The interface of the system, as lists of programs have it.
pub struct SystemInterface;

impl EmittedPart for NodeFiles {
    fn files<'d>(&self, design: &'d EmitDesign<'d>, _: &[OutputFile<'d>]) -> Vec<OutputFile<'d>> {
        let files = files_of(design, ListDesign::files);
        files.into_iter().map(|file| file.among(FileType::Node)).collect()
    }
}

impl EmittedPart for Elements {
    fn files<'d>(&self, design: &'d EmitDesign<'d>, _: &[OutputFile<'d>]) -> Vec<OutputFile<'d>> {
        files_of(design, ListDesign::elements)
    }
}

impl EmittedPart for SystemBenchFiles {
    fn files<'d>(&self, design: &'d EmitDesign<'d>, _: &[OutputFile<'d>]) -> Vec<OutputFile<'d>> {
        files_of(design, ListDesign::benches)
    }
}

impl EmittedPart for SystemInterface {
    fn files<'d>(&self, design: &'d EmitDesign<'d>, before: &[OutputFile<'d>]) -> Vec<OutputFile<'d>> {
        let Some((local, netlist)) = &design.nodes else { return Vec::new() };
        let sources = lists::of_system(design, before);
        let view = move || Component::new(&listed(design, *local, netlist), sources.clone());
        vec![OutputFile::of("component.xml".to_owned(), FileType::List, view)]
    }
}

/// Files of the nodes, each of which is made anew when it is written.
fn files_of<'d>(
    design: &'d EmitDesign<'d>,
    of: impl for<'a> Fn(&'a ListDesign<'d>) -> Vec<OutputFile<'a>> + Copy + 'd,
) -> Vec<OutputFile<'d>> {
    let Some((local, netlist)) = &design.nodes else { return Vec::new() };
    let told: Vec<(String, FileType)> =
        of(&listed(design, *local, netlist)).into_iter().map(|file| (file.path, file.kind)).collect();
    let file = |(number, (path, kind)): (usize, (String, FileType))| {
        OutputFile::streamed(path, kind, move |out| of(&listed(design, *local, netlist))[number].write(out))
    };
    told.into_iter().enumerate().map(file).collect()
}

/// Text that the bench of nodes prints when every word of so many runs is right; there must be nodes.
pub fn system_verdict(program: &Program, options: &Options, runs: u32) -> String {
    let design = EmitDesign::new(program, options);
    let verdict = design_of(&design).expect("a design of nodes").verdict(Some(runs));
    verdict.expect("nodes with streams have a bench").1
}

/// Design of the nodes, if there are any.
pub fn design_of<'d>(design: &'d EmitDesign) -> Option<ListDesign<'d>> {
    design.nodes.as_ref().map(|(local, netlist)| listed(design, *local, netlist))
}

/// Design of the nodes, with their program as the only one.
fn listed<'d>(design: &'d EmitDesign, local: NodeOptions, netlist: &'d ListNetlist) -> ListDesign<'d> {
    let program = design.program;
    let resident = ResidentFiles {
        number: 0,
        collective: program.collective(),
        operation: None,
        values: None,
        scheme: program.title.scheme.clone(),
        schedule: String::new(),
        digest: String::new(),
        root: program.demand.roots().first().map(|&root| program.topology.rank(root).into()),
        groups: None,
        words: 0,
        lengths: None,
        offsets: None,
        count: None,
        padded: None,
        ticks: netlist.programs[0].ticks,
    };
    ListDesign {
        name: design.name(),
        width: design.options.width,
        origin: design.options.origin.clone(),
        netlist,
        residents: Cow::Owned(vec![resident]),
        schedules: vec![PlannedProgram { program, roots: Vec::new() }],
        hash: 0,
        bus: Bus::Streams,
        divisor: 1,
        clock: 0,
        ports: local.ports(),
        one: Some(local.host),
        boards: None,
        has_self_test: false,
        called: None,
        config: serde_json::Value::Null,
        words: design.words.clone(),
    }
}
