//! Host of a design: registers, bytes, a serial line, AXI4-Lite.

use askama::Template;

use crate::emit::host::describe::{self, Code, HostRegister};
use crate::emit::node::boards::{self, BoardPorts, PortLinks};
use crate::emit::node::sizes::WireSizes;
use crate::emit::node::{Bus, ListDesign, module};
use crate::emit::shared::axis::NetworkAxis;
use crate::emit::shared::output::OutputFile;

#[derive(Template)]
#[template(path = "listed/registers.v", escape = "none")]
struct Registers {
    module: String,
    notes: Vec<String>,
    sizes: WireSizes,
    width: u32,
    nodes: u32,
    last_node: u32,
    /// Nodes of all boards.
    roots: u32,
    is_board: bool,
    /// Bits of a board's coordinates.
    place: u32,
    programs: usize,
    hash: String,
    map: Vec<HostRegister>,
    codes: Vec<Code>,
}

#[derive(Template)]
#[template(path = "listed/core.v", escape = "none")]
struct HostCore {
    module: String,
    notes: Vec<String>,
    sizes: WireSizes,
    last_node: u32,
    registers: String,
    system: String,
    axes: Vec<NetworkAxis>,
    links: Vec<PortLinks>,
    patience: u32,
}

#[derive(Template)]
#[template(path = "listed/bridge.v", escape = "none")]
struct Bridge {
    module: String,
    notes: Vec<String>,
}

#[derive(Template)]
#[template(path = "listed/host.v", escape = "none")]
struct HostModule {
    module: String,
    notes: Vec<String>,
    bridge: String,
    core: String,
    axes: Vec<NetworkAxis>,
    links: Vec<PortLinks>,
    patience: u32,
}

#[derive(Template)]
#[template(path = "listed/serial.v", escape = "none")]
struct Serial {
    module: String,
    notes: Vec<String>,
    divisor: u32,
}

#[derive(Template)]
#[template(path = "listed/uart.v", escape = "none")]
struct Uart {
    module: String,
    notes: Vec<String>,
    divisor: u32,
    serial: String,
    host: String,
    axes: Vec<NetworkAxis>,
    links: Vec<PortLinks>,
    patience: u32,
}

#[derive(Template)]
#[template(path = "listed/axil.v", escape = "none")]
struct Axil {
    module: String,
    notes: Vec<String>,
    core: String,
    axes: Vec<NetworkAxis>,
    links: Vec<PortLinks>,
    patience: u32,
}

pub(in crate::emit) fn files<'d>(design: &'d ListDesign<'d>, sizes: WireSizes) -> Vec<OutputFile<'d>> {
    let nodes = design.nodes_of_device();
    let ports = move || BoardPorts::of(design);
    let registers = move || Registers {
        module: design.module("registers"),
        notes: design.notes(),
        sizes,
        width: design.width,
        nodes,
        last_node: nodes - 1,
        roots: design.netlist.nodes(),
        is_board: design.boards.is_some(),
        place: boards::layer(design).map_or(0, |layer| layer.place),
        programs: design.netlist.programs.len(),
        hash: format!("{:08x}", design.hash),
        map: describe::registers(design),
        codes: describe::codes(design),
    };
    let core = move || {
        let BoardPorts { axes, links, patience, .. } = ports();
        HostCore {
            module: design.module("core"),
            notes: design.notes(),
            sizes,
            last_node: nodes - 1,
            registers: design.module("registers"),
            system: design.module(design.nodes()),
            axes,
            links,
            patience,
        }
    };
    let host = move || {
        let BoardPorts { axes, links, patience, .. } = ports();
        HostModule {
            module: design.module("host"),
            notes: design.notes(),
            bridge: design.module("bridge"),
            core: design.module("core"),
            axes,
            links,
            patience,
        }
    };
    let mut files = vec![
        module(design, "registers", registers),
        module(design, "core", core),
        module(design, "bridge", move || Bridge { module: design.module("bridge"), notes: design.notes() }),
        module(design, "host", host),
    ];
    match design.bus {
        Bus::Ring | Bus::Streams => {}
        Bus::AxiLite => files.push(module(design, "axil", move || {
            let BoardPorts { axes, links, patience, .. } = ports();
            Axil {
                module: design.module("axil"),
                notes: design.notes(),
                core: design.module("core"),
                axes,
                links,
                patience,
            }
        })),
        Bus::Uart => files.extend([
            module(design, "serial", move || Serial {
                module: design.module("serial"),
                notes: design.notes(),
                divisor: design.divisor,
            }),
            module(design, "uart", move || {
                let BoardPorts { axes, links, patience, .. } = ports();
                Uart {
                    module: design.module("uart"),
                    notes: design.notes(),
                    divisor: design.divisor,
                    serial: design.module("serial"),
                    host: design.module("host"),
                    axes,
                    links,
                    patience,
                }
            }),
        ]),
    }
    files
}
