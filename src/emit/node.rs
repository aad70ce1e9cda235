//! Modules beside the fabric that the config asks for: memories and streams of the nodes, and all of it as one system.

mod bench;
mod elements;
mod parts;

use std::borrow::Cow;

use super::design::EmitDesign;
use super::listed::{Bus, ListDesign, ResidentFiles};
use super::output::{EmittedPart, FileType, OutputFile};
use crate::netlist::NodeOptions;
use crate::netlist::listed::ListNetlist;
pub use bench::system_verdict;
pub use elements::Elements;
pub use parts::{address_bits, user};

/// The nodes with their streams, and the system; the ring, if the host is on one.
pub struct NodeFiles;

impl EmittedPart for NodeFiles {
    fn files<'d>(&self, design: &'d EmitDesign<'d>, _: &[OutputFile<'d>]) -> Vec<OutputFile<'d>> {
        let Some((local, netlist)) = &design.nodes else { return Vec::new() };
        let paths = listed(design, *local, netlist).rtl();
        let file = |path: String| {
            OutputFile::streamed(path.clone(), FileType::Node, move |out| {
                let listed = listed(design, *local, netlist);
                let file = listed.files().into_iter().find(|file| file.path == path);
                file.expect("it was among the paths").write(out)
            })
        };
        paths.into_iter().map(file).collect()
    }
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
        root: ListNetlist::root_of(program).map(|root| program.topology.rank(root).into()),
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
        hash: 0,
        bus: Bus::Streams,
        divisor: 1,
        clock: 0,
        ports: local.ports(),
        one: Some(local.host),
        boards: None,
        called: None,
        config: serde_json::Value::Null,
    }
}

/// The bench of the system.
pub struct SystemBenchFiles;

impl EmittedPart for SystemBenchFiles {
    fn files<'d>(&self, design: &'d EmitDesign<'d>, _: &[OutputFile<'d>]) -> Vec<OutputFile<'d>> {
        let Some((local, _)) = &design.nodes else { return Vec::new() };
        bench::files(design, *local)
    }
}
