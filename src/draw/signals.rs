//! Values of a design's ports, clock by clock: for pictures, and for comparison with the Verilog.

mod fabric;
mod streams;

use crate::program::FlitId;

pub use fabric::fabric;
pub use streams::streams;

/// Value at a port from one rising edge to the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Value {
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
}

/// Waveform of one port.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wave {
    /// Name of the port in the Verilog.
    pub name: String,
    /// Value in each clock.
    pub values: Vec<Value>,
}

impl Wave {
    fn bits(name: impl Into<String>, clocks: usize, is_high: impl Fn(usize) -> bool) -> Self {
        Self { name: name.into(), values: (0..clocks).map(|clock| Value::Bit(is_high(clock))).collect() }
    }

    fn of(name: impl Into<String>, clocks: usize, value: Value) -> Self {
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
