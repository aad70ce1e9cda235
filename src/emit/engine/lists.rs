//! Lists of an engine's files for `FuseSoC`, Bender and Vivado, and its description in IP-XACT.

use askama::Template;

use super::boards::Ports;
use super::describe::{self, Register};
use super::{Bus, EngineDesign, bench, network};
use crate::emit::output::{File, Kind};

/// Facts in the descriptions; each template uses those that its tool needs.
#[derive(Clone)]
struct Sources<'d> {
    name: &'d str,
    version: &'static str,
    description: String,
    generated: String,
    top: String,
    rtl: Vec<String>,
    /// bench, or all boards in one module
    simulated: Vec<String>,
    has_bench: bool,
    is_axi: bool,
    is_uart: bool,
    clock: u32,
    clock_port: &'static str,
    /// period of the clock in nanoseconds
    period: String,
}

#[derive(Template)]
#[template(path = "engine/fusesoc.core", escape = "none")]
struct Core<'d> {
    sources: Sources<'d>,
}

#[derive(Template)]
#[template(path = "engine/bender.yml", escape = "none")]
struct Bender<'d> {
    sources: Sources<'d>,
}

#[derive(Template)]
#[template(path = "engine/vivado.tcl", escape = "none")]
struct Vivado<'d> {
    sources: Sources<'d>,
}

#[derive(Template)]
#[template(path = "engine/constraints.xdc", escape = "none")]
struct Constraints<'d> {
    sources: Sources<'d>,
}

#[derive(Template)]
#[template(path = "engine/component.xml", escape = "html")]
struct Component<'d> {
    sources: Sources<'d>,
    ports: Vec<Port>,
    registers: Vec<Register>,
}

/// Port of `templates/engine/axil.v`.
struct Port {
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

fn ports(design: &EngineDesign<'_>) -> Vec<Port> {
    let port = |(name, direction, bits): (String, &'static str, u32)| Port { name, direction, bits, logical: None };
    let alone = ["aclk", "aresetn"].map(|name| (name.to_owned(), "in", 1));
    let alone = alone.into_iter().chain(Ports::of(design).signals()).map(port);
    let signal = |&(name, direction, bits): &(&str, &'static str, u32)| Port {
        name: format!("s_axi_{name}"),
        direction,
        bits,
        logical: Some(name.to_uppercase()),
    };
    alone.chain(SIGNALS.iter().map(signal)).collect()
}

pub(super) fn files<'d>(design: &'d EngineDesign<'d>) -> Vec<File<'d>> {
    let is_axi = design.bus == Bus::AxiLite;
    let sources = move || Sources {
        name: design.name,
        version: env!("CARGO_PKG_VERSION"),
        description: design.headline(),
        generated: design.notes().concat(),
        top: design.top(),
        rtl: design.rtl(),
        simulated: bench::file(design).into_iter().chain(network::file(design)).map(|file| file.path).collect(),
        has_bench: design.boards.is_none(),
        is_axi,
        is_uart: design.bus == Bus::Uart,
        clock: design.clock,
        clock_port: if is_axi { "aclk" } else { "clk" },
        period: format!("{:.3}", 1e9 / f64::from(design.clock)),
    };
    let name = design.name;
    let mut files = vec![
        File::of(format!("{name}.core"), Kind::List, move || Core { sources: sources() }),
        File::of("Bender.yml".to_owned(), Kind::List, move || Bender { sources: sources() }),
        File::of(format!("{name}.vivado.tcl"), Kind::List, move || Vivado { sources: sources() }),
        File::of(format!("{name}.xdc"), Kind::List, move || Constraints { sources: sources() }),
    ];
    if is_axi {
        let component =
            move || Component { sources: sources(), ports: ports(design), registers: describe::registers(design) };
        files.push(File::of("component.xml".to_owned(), Kind::List, component));
    }
    files
}
