//! Waveforms in the Value Change Dump format that every viewer reads, and how a viewer lays them out.

mod calls;
mod model;
mod ports;
mod view;

use std::io::{self, Write};

pub use calls::{CallWaveform, scopes as call_scopes, scopes_of_bench as call_bench_scopes};
pub use model::{Waveform, scopes as model_scopes};
pub use ports::{PortWaveform, scopes as port_scopes};
pub use view::{view, view_of_testbench};

/// Nanoseconds a clock; registers change as it rises.
const PERIOD: u64 = 10;

/// Format in which a viewer shows a signal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SignalFormat {
    /// Line, high or low.
    Level,
    /// Hexadecimal number of a vector.
    Hex,
    /// Decimal number of a vector.
    Number,
    /// Decimal number of a Verilog integer: viewers give it no range.
    Integer,
}

/// A signal of a waveform.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signal {
    /// Name in its module.
    pub name: String,
    /// Width in bits.
    pub width: u32,
    /// Format in which it is shown.
    pub shown: SignalFormat,
}

impl Signal {
    fn bit(name: impl Into<String>) -> Self {
        Self { name: name.into(), width: 1, shown: SignalFormat::Level }
    }

    fn hex(name: impl Into<String>, width: u32) -> Self {
        Self { name: name.into(), width, shown: SignalFormat::Hex }
    }

    fn number(name: impl Into<String>, width: u32) -> Self {
        Self { name: name.into(), width, shown: SignalFormat::Number }
    }

    /// The tick that is played.
    fn tick() -> Self {
        Self { name: "tick".into(), width: u32::BITS, shown: SignalFormat::Integer }
    }
}

/// Signals that belong together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SignalScope {
    /// Heading such as `node 0,0`; empty for signals of the whole design.
    pub heading: String,
    /// The modules around them, the outermost first.
    pub path: Vec<String>,
    /// One after the other.
    pub signals: Vec<Signal>,
}

/// A file of changes. Signals are counted from 0 in the order in which the scopes list them.
struct Dump<W> {
    out: W,
}

impl<W: Write> Dump<W> {
    /// Writes what there is.
    fn new(mut out: W, scopes: &[SignalScope]) -> io::Result<Self> {
        writeln!(out, "$timescale 1ns $end")?;
        let mut open: Vec<&str> = Vec::new();
        let mut index = 0;
        for SignalScope { path, signals, .. } in scopes {
            let same = open.iter().zip(path).take_while(|(open, module)| *open == module).count();
            (same..open.len()).try_for_each(|_| writeln!(out, "$upscope $end"))?;
            open.truncate(same);
            for module in &path[same..] {
                writeln!(out, "$scope module {module} $end")?;
                open.push(module);
            }
            for Signal { name, width, shown } in signals {
                let kind = if *shown == SignalFormat::Integer { "integer" } else { "wire" };
                writeln!(out, "$var {kind} {width} s{index} {name} $end")?;
                index += 1;
            }
        }
        open.iter().try_for_each(|_| writeln!(out, "$upscope $end"))?;
        writeln!(out, "$enddefinitions $end")?;
        Ok(Self { out })
    }

    /// Writes the time of the changes that follow.
    fn time(&mut self, nanoseconds: u64) -> io::Result<()> {
        writeln!(self.out, "#{nanoseconds}")
    }

    fn bit(&mut self, signal: usize, is_high: bool) -> io::Result<()> {
        writeln!(self.out, "{}s{signal}", u8::from(is_high))
    }

    fn number(&mut self, signal: usize, number: u32) -> io::Result<()> {
        writeln!(self.out, "b{number:b} s{signal}")
    }

    /// A value from its 64-bit words, the least significant first.
    fn word(&mut self, signal: usize, words: impl Iterator<Item = u64>) -> io::Result<()> {
        let words: Vec<String> = words.map(|word| format!("{word:064b}")).collect();
        let bits: String = words.into_iter().rev().collect();
        // a viewer fills up with zeros
        let bits = bits.trim_start_matches('0');
        writeln!(self.out, "b{} s{signal}", if bits.is_empty() { "0" } else { bits })
    }

    fn unknown(&mut self, signal: usize) -> io::Result<()> {
        writeln!(self.out, "bx s{signal}")
    }

    fn finish(mut self, nanoseconds: u64) -> io::Result<W> {
        self.time(nanoseconds)?;
        self.out.flush()?;
        Ok(self.out)
    }
}
