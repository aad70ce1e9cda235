//! A design with the pins of a board, which has a serial line for it, and wires to other boards if it is on several.

use askama::Template;

use crate::emit::node::{BoardPorts, ListDesign, PortLinks};
use crate::emit::shared::axis::NetworkAxis;
use crate::emit::shared::words;

/// View of `templates/fpga/host.v`.
#[derive(Template)]
#[template(path = "fpga/host.v", escape = "none")]
pub struct HostTop {
    module: String,
    system: String,
    notes: Vec<String>,
    axes: Vec<NetworkAxis>,
    links: Vec<PortLinks>,
}

/// Pin beside those that every design has.
pub struct Spare {
    pub name: String,
    pub is_input: bool,
    pub site: &'static str,
}

/// Names of the pins to other boards, those of the coordinates first, and whether they are inputs.
pub fn pins(design: &ListDesign<'_>) -> Vec<(String, bool)> {
    let BoardPorts { axes, links, .. } = BoardPorts::of(design);
    let coordinates =
        axes.iter().flat_map(|axis| (0..axis.bits).map(move |bit| (format!("{}_{bit}", axis.name), true)));
    let signals = links.iter().flat_map(|side| &side.signals);
    coordinates.chain(signals.map(|signal| (signal.name.clone(), signal.is_input()))).collect()
}

impl HostTop {
    pub fn new(design: &ListDesign<'_>) -> Self {
        let BoardPorts { axes, links, .. } = BoardPorts::of(design);
        Self {
            module: super::module(design.name),
            system: design.top(),
            notes: words::wrap_all(&design.notes()),
            axes,
            links,
        }
    }
}
