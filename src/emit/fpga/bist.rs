//! The self-test with the pins of a board.

use askama::Template;

use super::super::bist;
use super::super::design::EmitDesign;
use super::super::words;
use super::FpgaDevice;

/// Enough for seconds of a board's oscillator.
const RUNS: u32 = 10_000;

/// View of `templates/fpga/bist.v`.
#[derive(Template)]
#[template(path = "fpga/bist.v", escape = "none")]
pub struct BistTop {
    module: String,
    bist: String,
    notes: Vec<String>,
    width: u32,
    runs: u32,
    clock: u32,
}

impl BistTop {
    pub fn new(design: &EmitDesign, device: FpgaDevice) -> Self {
        Self {
            module: super::module(design.name()),
            bist: bist::module(design.program),
            notes: words::wrap_all(&[design.generated()]),
            width: design.options.width,
            runs: RUNS,
            clock: device.clock(),
        }
    }
}
