//! A design with the pins of a board, which has a serial line for it, and wires to other boards if it is on several.

use askama::Template;

use super::super::elastic::link::KINDS;
use super::super::elastic::serial::ThrottleModule;
use super::super::listed::{Joint, ListDesign};
use super::super::output::OutputFile;
use super::super::wires::{self, WireEnd, WireIn, WireOut};
use super::super::words;

/// View of `templates/fpga/host.v`.
#[derive(Template)]
#[template(path = "fpga/host.v", escape = "none")]
struct HostTop {
    module: String,
    system: String,
    notes: Vec<String>,
    axes: Vec<HostCoordinate>,
    sides: Vec<HostPort>,
    throttle: String,
    wire_out: String,
    wire_in: String,
    interval: u32,
    patience: u32,
    /// Kinds of frames of a link that is not up.
    ready: u32,
    restart: u32,
}

struct HostCoordinate {
    name: String,
    bits: u32,
}

/// Port to another board, with the bits of a frame.
struct HostPort {
    name: String,
    label: String,
    bits: u32,
}

/// Pin beside those that every design has.
pub struct Spare {
    pub name: String,
    pub is_input: bool,
    pub site: &'static str,
}

/// The design as a user's design holds it, without registers and bus.
pub fn measured(design: &ListDesign<'_>) -> String {
    design.whole()
}

/// Names of the pins to other boards, those of the coordinates first, and whether they are inputs.
pub fn pins(joint: &Joint) -> Vec<(String, bool)> {
    let coordinates =
        joint.axes.iter().flat_map(|(name, bits)| (0..*bits).map(move |bit| (format!("{name}_{bit}"), true)));
    let wires =
        joint.ports.iter().flat_map(|port| [(format!("{}_rx", port.name), true), (format!("{}_tx", port.name), false)]);
    coordinates.chain(wires).collect()
}

/// The RTL, that of the pins last, and the description for the driver.
pub fn files<'d>(design: &'d ListDesign<'d>) -> Vec<OutputFile<'d>> {
    let mut files = design.files();
    let module = super::module(design.name);
    let joint = move || design.joint();
    let bits = move || joint().map_or(0, |joint| joint.ports.iter().map(|port| port.bits).max().unwrap_or(0));
    if joint().is_some() {
        let wire = move |part| WireEnd { module: design.module(part), notes: design.notes(), bits: bits() };
        files.push(OutputFile::module(&design.module("wire_out"), move || WireOut::new(wire("wire_out"))));
        files.push(OutputFile::module(&design.module("wire_in"), move || WireIn::new(wire("wire_in"))));
        files.push(OutputFile::module(&design.module("throttle"), move || {
            ThrottleModule::new(design.module("throttle"), design.notes().concat(), bits())
        }));
    }
    let board = move || {
        let (axes, ports) = joint().map_or_else(Default::default, |joint| (joint.axes, joint.ports));
        HostTop {
            module: super::module(design.name),
            system: design.top(),
            notes: words::wrap_all(&design.notes()),
            axes: axes.into_iter().map(|(name, bits)| HostCoordinate { name, bits }).collect(),
            sides: ports
                .into_iter()
                .map(|port| HostPort { name: port.name, label: port.label, bits: port.bits })
                .collect(),
            throttle: design.module("throttle"),
            wire_out: design.module("wire_out"),
            wire_in: design.module("wire_in"),
            interval: wires::interval(bits()),
            patience: wires::patience(bits()),
            ready: KINDS.ready,
            restart: KINDS.restart,
        }
    };
    files.push(OutputFile::module(&module, board));
    files.push(design.description());
    files
}
