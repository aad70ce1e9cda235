//! Engine as a whole and what stands before it: registers, bytes, a serial line, AXI4-Lite.

use askama::Template;

use super::describe::{CODES, Code, REGISTERS, Register};
use super::router::name;
use super::sizes::Sizes;
use super::{Bus, EngineDesign, module};
use crate::emit::names;
use crate::emit::output::File;
use crate::net::{Channel, NodeId};

#[derive(Template)]
#[template(path = "engine/engine.v", escape = "none")]
struct Top {
    module: String,
    headline: String,
    programs: Vec<About>,
    notes: Vec<String>,
    sizes: Sizes,
    width: u32,
    last_node: u32,
    place: String,
    sequencer: String,
    node_module: String,
    ring: String,
    /// Registers of a link beside that of the output.
    stages: u32,
    nodes: Vec<Node>,
    last_name: String,
}

struct About {
    about: String,
}

struct Node {
    place: String,
    name: String,
    instance: String,
    ring: String,
    code: u32,
    links: Vec<Link>,
    before_data: String,
    before_valid: String,
    before_ready: String,
}

struct Link {
    name: String,
    /// Output of the neighbour, if there is one.
    from: Option<String>,
    is_used: bool,
}

#[derive(Template)]
#[template(path = "engine/registers.v", escape = "none")]
struct Registers {
    module: String,
    notes: Vec<String>,
    sizes: Sizes,
    width: u32,
    nodes: u32,
    last_node: u32,
    programs: usize,
    hash: String,
    map: &'static [Register],
    codes: &'static [Code],
}

#[derive(Template)]
#[template(path = "engine/core.v", escape = "none")]
struct Core {
    module: String,
    notes: Vec<String>,
    sizes: Sizes,
    last_node: u32,
    registers: String,
    engine: String,
}

#[derive(Template)]
#[template(path = "engine/bridge.v", escape = "none")]
struct Bridge {
    module: String,
    notes: Vec<String>,
}

#[derive(Template)]
#[template(path = "engine/host.v", escape = "none")]
struct Host {
    module: String,
    notes: Vec<String>,
    bridge: String,
    core: String,
}

#[derive(Template)]
#[template(path = "engine/serial.v", escape = "none")]
struct Serial {
    module: String,
    notes: Vec<String>,
    divisor: u32,
}

#[derive(Template)]
#[template(path = "engine/uart.v", escape = "none")]
struct Uart {
    module: String,
    notes: Vec<String>,
    divisor: u32,
    serial: String,
    host: String,
}

#[derive(Template)]
#[template(path = "engine/axil.v", escape = "none")]
struct Axil {
    module: String,
    notes: Vec<String>,
    core: String,
}

pub(super) fn files<'d>(design: &'d EngineDesign<'d>, sizes: &Sizes) -> Vec<File<'d>> {
    let sizes = *sizes;
    let nodes = design.engine.topology.nodes();
    let registers = move || Registers {
        module: design.module("registers"),
        notes: design.notes(),
        sizes,
        width: design.width,
        nodes,
        last_node: nodes - 1,
        programs: design.residents.len(),
        hash: format!("{:08x}", design.hash),
        map: &REGISTERS,
        codes: &CODES,
    };
    let core = move || Core {
        module: design.module("core"),
        notes: design.notes(),
        sizes,
        last_node: nodes - 1,
        registers: design.module("registers"),
        engine: design.module("engine"),
    };
    let host = move || Host {
        module: design.module("host"),
        notes: design.notes(),
        bridge: design.module("bridge"),
        core: design.module("core"),
    };
    let mut files = vec![
        module(design, "engine", move || Top::new(design, sizes)),
        module(design, "registers", registers),
        module(design, "core", core),
        module(design, "bridge", move || Bridge { module: design.module("bridge"), notes: design.notes() }),
        module(design, "host", host),
    ];
    match design.bus {
        Bus::Ring => {}
        Bus::AxiLite => files.push(module(design, "axil", move || Axil {
            module: design.module("axil"),
            notes: design.notes(),
            core: design.module("core"),
        })),
        Bus::Uart => files.extend([
            module(design, "serial", move || Serial {
                module: design.module("serial"),
                notes: design.notes(),
                divisor: design.divisor,
            }),
            module(design, "uart", move || Uart {
                module: design.module("uart"),
                notes: design.notes(),
                divisor: design.divisor,
                serial: design.module("serial"),
                host: design.module("host"),
            }),
        ]),
    }
    files
}

impl Top {
    fn new(design: &EngineDesign<'_>, sizes: Sizes) -> Self {
        let topology = &design.engine.topology;
        let nodes: Vec<Node> = topology.node_ids().map(|node| Node::new(design, node)).collect();
        let about = |resident: &super::Resident| {
            let operation = resident.operation.map_or(String::new(), |operation| format!(" of the {operation}"));
            About {
                about: format!("{}{operation}, {}, {} ticks", resident.collective, resident.scheme, resident.ticks),
            }
        };
        Self {
            module: design.module("engine"),
            headline: design.headline(),
            programs: design.residents.iter().map(about).collect(),
            notes: design.notes(),
            sizes,
            width: design.width,
            last_node: topology.nodes() - 1,
            place: design.module("place"),
            sequencer: design.module("sequencer"),
            node_module: design.module("node"),
            ring: design.module("ring"),
            stages: design.engine.latency - 1,
            last_name: nodes.last().map(|node| node.name.clone()).unwrap_or_default(),
            nodes,
        }
    }
}

impl Node {
    fn new(design: &EngineDesign<'_>, node: NodeId) -> Self {
        let engine = design.engine;
        let topology = &engine.topology;
        let signals = |node| names::node(topology, node);
        let before = |part: &str| match node.0.checked_sub(1) {
            Some(before) => format!("{}_{part}", signals(NodeId(before))),
            None if part == "ready" => "first_ready".to_owned(),
            None if part == "valid" => "s_valid & opens".to_owned(),
            None => "s_data".to_owned(),
        };
        let link = |number: usize| {
            let Channel { port, lane } = Channel::from_index(number, engine.lanes);
            let from = topology.step(node, port).map(|neighbour| {
                let opposite = Channel { port: port.opposite(), lane };
                format!("{}_{}", signals(neighbour), names::channel(topology.axes(), opposite))
            });
            Link { name: name(engine, number), is_used: from.is_some(), from }
        };
        Self {
            place: format!("Node {}.", topology.show(node)),
            name: signals(node),
            instance: names::instance(topology, node),
            ring: names::chain_instance(topology, node),
            code: engine.code(node),
            links: (0..engine.outputs).map(link).collect(),
            before_data: before("data"),
            before_valid: before("valid"),
            before_ready: before("ready"),
        }
    }
}
