//! Expected clock of a fabric on a device, by a model: how far its wires reach, and how far the routers spread.
//!
//! The wires' period grows with the side of the network. Routers add to it by the LUTs of a node, up to where a second LUT follows the
//! first. Constants are fitted to docs/tables/fpga-cost.md; `clock::` of the tests holds the rows of that page against the model.

use serde::Serialize;

use super::hardware::{Hardware, ModuleCells};
use crate::net::Network;
use crate::netlist::Netlist;
use crate::program::Program;

/// Devices that have a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
pub enum ModelDevice {
    /// Lattice iCE40 HX8K
    #[cfg_attr(feature = "cli", value(name = "hx8k"))]
    #[serde(rename = "hx8k")]
    Hx8k,
    /// Lattice ECP5 25F
    #[cfg_attr(feature = "cli", value(name = "ecp5-25k"))]
    #[serde(rename = "ecp5-25k")]
    Ecp5x25k,
    /// Lattice ECP5 85F
    #[cfg_attr(feature = "cli", value(name = "ecp5-85k"))]
    #[serde(rename = "ecp5-85k")]
    Ecp5x85k,
}

/// Constants of a device; periods are in nanoseconds.
struct ClockModel {
    /// LUTs that it has
    luts: u64,
    /// period of the shortest wires, a register and a gate among them
    wires: f64,
    /// addition to that for each node of a side
    node: f64,
    /// LUTs of a node that cost no time
    free: f64,
    /// addition for each LUT more
    lut: f64,
    /// most that all of them add
    most: f64,
}

/// Expected clocks of a fabric, in MHz.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ExpectedClock {
    /// Clock of the fabric.
    pub fabric: f64,
    /// Clock of its wires alone.
    pub wires: f64,
}

impl ModelDevice {
    const fn model(self) -> ClockModel {
        match self {
            Self::Hx8k => ClockModel { luts: 7680, wires: 2.16, node: 0.11, free: 15.0, lut: 0.03, most: 1.6 },
            Self::Ecp5x25k => ClockModel { luts: 24_288, ..Self::Ecp5x85k.model() },
            Self::Ecp5x85k => ClockModel { luts: 83_640, wires: 2.13, node: 0.092, free: 0.0, lut: 0.016, most: 1.6 },
        }
    }

    /// All of them, the smallest first.
    pub const ALL: [Self; 3] = [Self::Hx8k, Self::Ecp5x25k, Self::Ecp5x85k];

    /// Name on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Hx8k => "hx8k",
            Self::Ecp5x25k => "ecp5-25k",
            Self::Ecp5x85k => "ecp5-85k",
        }
    }

    /// Clocks of a program's fabric; none if the device has too few cells.
    pub fn expected(self, program: &Program, netlist: &Netlist) -> Option<ExpectedClock> {
        self.clock(&program.topology, Hardware::of(program, netlist).cells)
    }

    /// Clocks of a fabric of so many cells; none if the device has too few.
    pub fn clock(self, network: &Network, cells: ModuleCells) -> Option<ExpectedClock> {
        let ClockModel { luts, wires, node, free, lut, most } = self.model();
        let nodes = f64::from(network.live_nodes());
        let wires = wires + node * nodes.sqrt();
        let routers = (lut * (cells.luts as f64 / nodes - free)).clamp(0.0, most);
        (cells.luts <= luts).then_some(ExpectedClock { fabric: 1e3 / (wires + routers), wires: 1e3 / wires })
    }
}

impl ExpectedClock {
    /// Nanoseconds that a number of ticks takes.
    pub fn time(self, ticks: u64) -> f64 {
        ticks as f64 * 1e3 / self.fabric
    }

    /// Nanoseconds that no schedule and no router falls below: the bound's ticks at the clock of the wires.
    pub fn floor(self, bound: u64) -> f64 {
        bound as f64 * 1e3 / self.wires
    }
}
