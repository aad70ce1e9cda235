//! The nodes with their memories between registers, so that their streams fit the pins and nothing is optimised away.

use askama::Template;

use crate::emit::node::{ListDesign, StreamPort, WireSizes};
use crate::emit::shared::parts::BitSlice;
use crate::emit::shared::{names, words};

/// View of `templates/fpga/system.v`.
#[derive(Template)]
#[template(path = "fpga/system.v", escape = "none")]
pub struct SystemHarness {
    module: String,
    system: String,
    notes: Vec<String>,
    /// Bits of the inputs of a node, and of its outputs.
    inputs: u32,
    outputs: u32,
    /// Bits of a call, if programs are called.
    call: Option<CallBits>,
    /// Outputs of all nodes together.
    told: Vec<ToldSignal>,
    told_bits: u32,
    streams: Vec<TopStream>,
}

/// Bits that name a program and its root.
struct CallBits {
    program: u32,
    root: u32,
}

/// Output of the system, with its bits.
struct ToldSignal {
    name: &'static str,
    bits: u32,
}

/// Streams in and out at a node, or at the end of the ring.
struct TopStream {
    /// First part of its signals' names: `n3_4_`.
    name: String,
    /// Sum of what comes out before it.
    before: String,
    inputs: Vec<PlacedPort>,
    outputs: Vec<PlacedPort>,
}

/// Signal, and its bits among those of the inputs or outputs.
struct PlacedPort {
    name: &'static str,
    bits: BitSlice,
}

impl SystemHarness {
    /// Harness of all nodes of a design on one device.
    pub fn new(design: &ListDesign<'_>) -> Self {
        let topology = &design.netlist.topology;
        let sizes = WireSizes::of(design);
        let ports = sizes.stream_ports();
        let [inputs, outputs] = [true, false]
            .map(|is_input| ports.iter().filter(|port| port.is_input == is_input).map(StreamPort::width).sum());
        let names: Vec<String> = if design.has_chain() {
            vec![String::new()]
        } else {
            topology.live_ids().map(|node| format!("{}_", names::node(topology, node))).collect()
        };
        let stream = |(index, name): (usize, &String)| TopStream {
            before: if index == 0 { String::new() } else { format!("{}sum", names[index - 1]) },
            inputs: placed(&ports, true, index as u32 * inputs),
            outputs: placed(&ports, false, 0),
            name: name.clone(),
        };
        let told = told(design, &sizes);
        Self {
            module: super::module(design.name),
            system: design.whole(),
            notes: words::wrap_all(&design.notes()),
            inputs,
            outputs,
            call: (!design.is_one()).then_some(CallBits { program: sizes.program, root: sizes.node }),
            told_bits: told.iter().map(|signal| signal.bits).sum(),
            told,
            streams: names.iter().enumerate().map(stream).collect(),
        }
    }
}

/// Outputs of all nodes together.
fn told(design: &ListDesign<'_>, sizes: &WireSizes) -> Vec<ToldSignal> {
    let bit = |name| ToldSignal { name, bits: 1 };
    let of_nodes = |name| ToldSignal { name, bits: design.netlist.nodes() };
    if design.is_one() {
        return ["busy", "done", "misframed"].map(bit).into();
    }
    let mut told: Vec<ToldSignal> = ["ready", "busy", "done", "absent"].map(bit).into();
    told.extend(sizes.has_blocks().then(|| of_nodes("misframed")));
    told.push(of_nodes("astray"));
    told
}

/// Inputs or outputs among `ports`, side by side from bit `first` on.
fn placed(ports: &[StreamPort], inputs: bool, first: u32) -> Vec<PlacedPort> {
    let mut low = first;
    let place = |port: &StreamPort| {
        let bits = BitSlice::new(low, port.width());
        low += port.width();
        PlacedPort { name: port.name, bits }
    };
    ports.iter().filter(|port| port.is_input == inputs).map(place).collect()
}
