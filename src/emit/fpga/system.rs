//! The nodes with their memories between registers, so that their streams fit the pins and nothing is optimised away.

use askama::Template;

use crate::emit::node::ports::SystemPort;
use crate::emit::node::{ListDesign, StreamPort, WireSizes};
use crate::emit::shared::parts::{BitRange, BitSlice};
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
    /// Inputs that choose a call, with their bits among those of a call; none if nothing is called.
    call: Vec<PlacedPort>,
    call_bits: u32,
    /// Outputs of all nodes together.
    told: Vec<(&'static str, BitRange)>,
    told_bits: u32,
    streams: Vec<TopStream>,
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
        let around = design.system_ports(&sizes).concat();
        // it starts all the time
        let (inputs_around, told): (Vec<SystemPort>, Vec<SystemPort>) =
            around.into_iter().partition(|port| port.is_input);
        let call: Vec<SystemPort> = inputs_around.into_iter().filter(|port| port.name != "start").collect();
        Self {
            module: super::module(design.name),
            system: design.whole(),
            notes: words::wrap_all(&design.notes()),
            inputs,
            outputs,
            call_bits: call.iter().map(|port| port.bits).sum(),
            call: side_by_side(call.into_iter().map(|port| (port.name, port.bits)), 0),
            told_bits: told.iter().map(|port| port.bits).sum(),
            told: told.into_iter().map(|port| (port.name, BitRange::of(port.bits))).collect(),
            streams: names.iter().enumerate().map(stream).collect(),
        }
    }
}

/// Inputs or outputs among `ports`, side by side from bit `first` on.
fn placed(ports: &[StreamPort], inputs: bool, first: u32) -> Vec<PlacedPort> {
    let chosen = ports.iter().filter(|port| port.is_input == inputs);
    side_by_side(chosen.map(|port| (port.name, port.width())), first)
}

fn side_by_side(ports: impl Iterator<Item = (&'static str, u32)>, first: u32) -> Vec<PlacedPort> {
    let mut low = first;
    let place = |(name, bits)| {
        low += bits;
        PlacedPort { name, bits: BitSlice::new(low - bits, bits) }
    };
    ports.map(place).collect()
}
