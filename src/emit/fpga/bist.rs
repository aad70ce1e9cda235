//! The self-test with the pins of a board.

use askama::Template;

use crate::emit::fpga::FpgaDevice;
use crate::emit::node::{BoardPorts, ListDesign, PortLinks};
use crate::emit::selftest::{self, streams};
use crate::emit::shared::axis::NetworkAxis;
use crate::emit::shared::design::EmitDesign;
use crate::emit::shared::words;

/// Enough for seconds of a board's oscillator.
const RUNS: u32 = 10_000;

/// View of `templates/fpga/bist.v`.
#[derive(Template)]
#[template(path = "fpga/bist.v", escape = "none")]
pub struct BistTop {
    module: String,
    bist: String,
    notes: Vec<String>,
    /// Bits of a word, where they are a parameter.
    width: Option<u32>,
    /// Faults are injected at a port of a node.
    has_ports: bool,
    runs: u32,
    clock: u32,
    /// Coordinates and cables of one of several boards.
    axes: Vec<NetworkAxis>,
    links: Vec<PortLinks>,
}

impl BistTop {
    /// Self-test of a fabric.
    pub fn new(design: &EmitDesign, device: FpgaDevice) -> Self {
        Self {
            module: super::module(design.name()),
            bist: selftest::module(design.program),
            notes: words::wrap_all(&[design.generated()]),
            width: Some(design.options.width),
            has_ports: true,
            runs: RUNS,
            clock: device.clock(),
            axes: Vec::new(),
            links: Vec::new(),
        }
    }

    /// Self-test of nodes with streams.
    pub fn of_streams(design: &ListDesign<'_>, device: FpgaDevice) -> Self {
        let BoardPorts { axes, links, .. } = BoardPorts::of(design);
        Self {
            axes,
            links,
            module: super::module(design.name),
            bist: streams::module(design),
            notes: words::wrap_all(&design.notes()),
            width: None,
            has_ports: false,
            runs: RUNS,
            clock: device.clock(),
        }
    }
}
