//! Values of a design's ports, clock by clock: for pictures, and for comparison with the Verilog.

mod calls;
mod fabric;
mod node;
mod streams;
mod words;

use crate::design::Design;
use crate::design::listed::Programs;
use crate::net::NodeId;
use crate::netlist::listed::{ListNetlist, PlacedProgram};
use crate::program::{FlitId, Program};

pub use calls::call_streams;
pub use fabric::fabric;
pub use node::node;
pub use streams::streams;

/// Program of a design that plays several, for its first node as root where a call names one.
#[derive(Clone, Debug)]
pub struct CalledProgram<'p> {
    name: String,
    netlist: &'p ListNetlist,
    program: &'p Program,
    number: u32,
    roots: Vec<NodeId>,
    is_on_boards: bool,
}

impl<'p> CalledProgram<'p> {
    /// Program of a list, which one of its designs was built for.
    pub fn new(programs: &'p Programs, design: &'p Design) -> Self {
        Self {
            name: programs.name(),
            netlist: &programs.netlist,
            program: &design.program,
            number: design.listed.map_or(0, |listed| listed.number),
            roots: design.roots(),
            is_on_boards: programs.config.link.elastic,
        }
    }

    /// Place of the program in the stores.
    fn placed(&self) -> &PlacedProgram {
        &self.netlist.programs[self.number as usize]
    }
}

/// Value at a port from one rising edge to the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SignalValue {
    /// Unspecified: no reader uses the value.
    Anything,
    /// Value of one wire.
    Bit(bool),
    /// Unsigned number on a bus.
    Number(u32),
    /// Data word of a flit.
    Flit(FlitId),
    /// Origin of the packet that this flit belongs to.
    Origin(FlitId),
    /// Data word of the block that a node has for itself, counted from 0.
    OfItself(NodeId, u32),
}

/// Waveform of one port.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wave {
    /// Name of the port in the Verilog.
    pub name: String,
    /// Value in each clock.
    pub values: Vec<SignalValue>,
}

impl Wave {
    fn bits(name: impl Into<String>, clocks: usize, is_high: impl Fn(usize) -> bool) -> Self {
        Self { name: name.into(), values: (0..clocks).map(|clock| SignalValue::Bit(is_high(clock))).collect() }
    }

    fn of(name: impl Into<String>, clocks: usize, value: SignalValue) -> Self {
        Self { name: name.into(), values: vec![value; clocks] }
    }
}

/// Ports of a module, side by side. Clock 0 is the first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Waves {
    /// Module whose ports are shown.
    pub about: String,
    /// The clock that begins with edge 0.
    pub zero: usize,
    /// One after the other, the clock itself left out.
    pub ports: Vec<Wave>,
    /// By clock: the tick whose arrivals stand at the fabric's outputs.
    pub ticks: Vec<Option<u32>>,
    /// The clocks in which something begins or ends: between them it goes on as it was.
    pub landmarks: Vec<usize>,
}
