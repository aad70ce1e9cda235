//! The self-test with the pins of a board.

use askama::Template;

use super::super::bist;
use super::super::design::Design;
use super::super::words;
use super::Device;

/// Enough for seconds of a board's oscillator.
const RUNS: u32 = 10_000;

/// View of `templates/fpga/bist.v`.
#[derive(Template)]
#[template(path = "fpga/bist.v", escape = "none")]
pub struct Board {
    module: String,
    bist: String,
    notes: Vec<String>,
    width: u32,
    runs: u32,
    clock: u32,
}

impl Board {
    pub fn new(design: &Design, device: Device) -> Self {
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
