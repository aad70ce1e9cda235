//! Descriptions of designs with several programs for other tools, the constraints of their clock, and their interface in IP-XACT.

use askama::Template;

use crate::emit::bench::nodes;
use crate::emit::host::describe::{self, HostRegister};
use crate::emit::lists::{self, Beside, Constrained, Sources, VERSION};
use crate::emit::node::boards::BoardPorts;
use crate::emit::node::{Bus, ListDesign, network};
use crate::emit::shared::files::DesignPart;
use crate::emit::shared::output::{FileType, OutputFile, paths_of};

#[derive(Template)]
#[template(path = "listed/constraints.xdc", escape = "none")]
struct Constraints {
    generated: String,
    top: String,
    clock: u32,
    clock_port: &'static str,
    /// period of the clock in nanoseconds
    period: String,
    is_uart: bool,
}

#[derive(Template)]
#[template(path = "listed/component.xml", escape = "html")]
struct Component {
    sources: Sources,
    ports: Vec<AxilPort>,
    registers: Vec<HostRegister>,
}

/// Port of `templates/listed/axil.v`.
struct AxilPort {
    name: String,
    direction: &'static str,
    bits: u32,
    /// name in the interface, if it is one of its signals
    logical: Option<String>,
}

/// Signals of AXI4-Lite as a slave has them: name, direction, bits.
const SIGNALS: [(&str, &str, u32); 19] = [
    ("awaddr", "in", 12),
    ("awprot", "in", 3),
    ("awvalid", "in", 1),
    ("awready", "out", 1),
    ("wdata", "in", 32),
    ("wstrb", "in", 4),
    ("wvalid", "in", 1),
    ("wready", "out", 1),
    ("bresp", "out", 2),
    ("bvalid", "out", 1),
    ("bready", "in", 1),
    ("araddr", "in", 12),
    ("arprot", "in", 3),
    ("arvalid", "in", 1),
    ("arready", "out", 1),
    ("rdata", "out", 32),
    ("rresp", "out", 2),
    ("rvalid", "out", 1),
    ("rready", "in", 1),
];

fn ports(design: &ListDesign<'_>) -> Vec<AxilPort> {
    let port = |(name, direction, bits): (String, &'static str, u32)| AxilPort { name, direction, bits, logical: None };
    let alone = ["aclk", "aresetn"].map(|name| (name.to_owned(), "in", 1));
    let alone = alone.into_iter().chain(BoardPorts::of(design).signals()).map(port);
    let signal = |&(name, direction, bits): &(&str, &'static str, u32)| AxilPort {
        name: format!("s_axi_{name}"),
        direction,
        bits,
        logical: Some(name.to_uppercase()),
    };
    alone.chain(SIGNALS.iter().map(signal)).collect()
}

pub(in crate::emit) fn files<'d>(design: &'d ListDesign<'d>, parts: &[DesignPart]) -> Vec<OutputFile<'d>> {
    let is_axi = design.bus == Bus::AxiLite;
    let benches = nodes::files(design).into_iter().filter(|_| parts.contains(&DesignPart::Testbench));
    let benches: Vec<OutputFile> = benches.collect();
    let boards = network::file(design).filter(|_| parts.contains(&DesignPart::Testbench));
    let sources = Sources {
        name: design.name.to_owned(),
        description: design.headline(),
        generated: design.notes().concat(),
        whole: design.top(),
        rtl: if parts.contains(&DesignPart::Rtl) { paths_of(FileType::Rtl, &design.synthesised()) } else { Vec::new() },
        bench: (!benches.is_empty()).then(|| design.module("tb")),
        testbenches: paths_of(FileType::Testbench, &benches).into_iter().chain(boards.map(|file| file.path)).collect(),
        host: Some(Constrained { is_axi }),
        data: paths_of(FileType::Data, &benches),
        beside: Beside::default(),
    };
    let constraints = move || Constraints {
        generated: design.notes().concat(),
        top: design.top(),
        clock: design.clock,
        clock_port: if is_axi { "aclk" } else { "clk" },
        period: format!("{:.3}", 1e9 / f64::from(design.clock)),
        is_uart: design.bus == Bus::Uart,
    };
    let mut files: Vec<OutputFile> = lists::packages(sources.clone()).into();
    files.push(OutputFile::of(format!("{}.xdc", design.name), FileType::List, constraints));
    if is_axi {
        let component = move || Component {
            sources: sources.clone(),
            ports: ports(design),
            registers: describe::registers(design),
        };
        files.push(OutputFile::of("component.xml".to_owned(), FileType::List, component));
    }
    files
}
