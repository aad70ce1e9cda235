//! Interface of a design in IP-XACT: its ports, the buses among them, its registers and files.

use askama::Template;

use crate::emit::host::describe::{self, HostRegister};
use crate::emit::lists::{Sources, VERSION};
use crate::emit::node::boards::BoardPorts;
use crate::emit::node::ports::SystemPort;
use crate::emit::node::{Bus, ListDesign, ResidentFiles, WireSizes};
use crate::emit::shared::names;

/// View of `templates/listed/component.xml`.
#[derive(Template)]
#[template(path = "listed/component.xml", escape = "html")]
pub struct Component {
    sources: Sources,
    ports: Vec<ComponentPort>,
    buses: Vec<PortBus>,
    registers: Vec<HostRegister>,
    axes: Vec<ComponentAxis>,
    /// Bits of the number of a message behind the coordinates of its node, in `tuser`.
    message: u32,
    programs: Vec<ResidentFiles>,
}

/// Axis of the network.
struct ComponentAxis {
    side: u32,
    /// Bits of a coordinate, in `tuser`.
    bits: u32,
}

/// Port of the module that a user's design holds.
struct ComponentPort {
    name: String,
    direction: &'static str,
    bits: u32,
}

/// Ports that belong together.
struct PortBus {
    name: String,
    /// `interface` of several signals, or `signal`.
    form: &'static str,
    kind: &'static str,
    is_master: bool,
    /// Signals: the name in the standard, and that of the port.
    ports: Vec<(String, String)>,
    parameters: Vec<(&'static str, String)>,
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

impl Component {
    /// Returns true for a design behind AXI4-Lite, and for one with streams on one device.
    pub fn is_due(design: &ListDesign<'_>) -> bool {
        match design.bus {
            Bus::AxiLite => true,
            Bus::Streams => design.boards.is_none(),
            Bus::Ring | Bus::Uart => false,
        }
    }

    /// Description of a design that has one.
    pub fn new(design: &ListDesign<'_>, sources: Sources) -> Self {
        let (ports, buses) = if design.bus == Bus::AxiLite { behind_registers(design) } else { with_streams(design) };
        let netlist = design.netlist;
        let axes = netlist.topology.dims().iter().zip(netlist.code_bits());
        Self {
            sources,
            ports,
            buses,
            registers: describe::registers(design),
            axes: axes.map(|(&side, bits)| ComponentAxis { side, bits }).collect(),
            message: WireSizes::of(design).message,
            programs: design.residents.to_vec(),
        }
    }
}

impl PortBus {
    fn new(name: &str, kind: &'static str, ports: Vec<(String, String)>) -> Self {
        Self { name: name.to_owned(), form: "interface", kind, is_master: false, ports, parameters: Vec::new() }
    }

    /// Clock of buses, with their reset.
    fn clock(name: &str, buses: &[Self], reset: &str) -> Self {
        let names: Vec<&str> = buses.iter().map(|bus| bus.name.as_str()).collect();
        Self {
            form: "signal",
            parameters: vec![("ASSOCIATED_BUSIF", names.join(":")), ("ASSOCIATED_RESET", reset.to_owned())],
            ..Self::new(name, "clock", vec![("CLK".into(), name.into())])
        }
    }

    fn reset(name: &str, polarity: &str) -> Self {
        Self {
            form: "signal",
            parameters: vec![("POLARITY", polarity.to_owned())],
            ..Self::new(name, "reset", vec![("RST".into(), name.into())])
        }
    }
}

fn port(name: impl Into<String>, is_input: bool, bits: u32) -> ComponentPort {
    ComponentPort { name: name.into(), direction: if is_input { "in" } else { "out" }, bits }
}

fn behind_registers(design: &ListDesign<'_>) -> (Vec<ComponentPort>, Vec<PortBus>) {
    let mut ports: Vec<ComponentPort> = ["aclk", "aresetn"].map(|name| port(name, true, 1)).into();
    ports.extend(BoardPorts::of(design).signals().into_iter().map(|(name, direction, bits)| ComponentPort {
        name,
        direction,
        bits,
    }));
    let named = |name: &str| format!("s_axi_{name}");
    ports.extend(SIGNALS.map(|(name, direction, bits)| ComponentPort { name: named(name), direction, bits }));
    let signals = SIGNALS.iter().map(|(name, ..)| (name.to_uppercase(), named(name))).collect();
    let mut buses = vec![PortBus::new("s_axi", "aximm", signals)];
    buses.push(PortBus::clock("aclk", &buses, "aresetn"));
    buses.push(PortBus::reset("aresetn", "ACTIVE_LOW"));
    (ports, buses)
}

fn with_streams(design: &ListDesign<'_>) -> (Vec<ComponentPort>, Vec<PortBus>) {
    let sizes = WireSizes::of(design);
    let around = |SystemPort { name, is_input, bits }: SystemPort| port(name, is_input, bits);
    let [before, behind] = design.system_ports(&sizes);
    let mut ports: Vec<ComponentPort> = ["clk", "rst"].map(|name| port(name, true, 1)).into();
    ports.extend(before.into_iter().map(around));
    let topology = &design.netlist.topology;
    let mut prefixes: Vec<String> = topology.live_ids().map(|node| names::node(topology, node) + "_").collect();
    if design.has_chain() {
        // one stream in and one out for all nodes
        prefixes = vec![String::new()];
    }
    let signals = sizes.stream_ports();
    let mut buses = Vec::new();
    for prefix in prefixes {
        ports.extend(
            signals.iter().map(|signal| port(format!("{prefix}{}", signal.name), signal.is_input, signal.width())),
        );
        for (stream, is_master) in [("s_axis", false), ("m_axis", true)] {
            let of_bus = |name: &str| {
                let signal = name.strip_prefix(stream)?.strip_prefix('_')?;
                Some((signal.to_uppercase(), format!("{prefix}{name}")))
            };
            let signals: Vec<(String, String)> = signals.iter().filter_map(|signal| of_bus(signal.name)).collect();
            if !signals.is_empty() {
                buses.push(PortBus { is_master, ..PortBus::new(&format!("{prefix}{stream}"), "axis", signals) });
            }
        }
    }
    ports.extend(behind.into_iter().map(around));
    buses.push(PortBus::clock("clk", &buses, "rst"));
    buses.push(PortBus::reset("rst", "ACTIVE_HIGH"));
    (ports, buses)
}
