//! A waveform of the model's registers, in the Value Change Dump format that every viewer reads.

use std::io::{self, Write};

use crate::emit::names;
use crate::play::Machine;
use crate::play::Payloads;
use crate::program::Program;

/// Nanoseconds a tick.
const PERIOD: u64 = 10;

/// Writes a waveform tick by tick.
pub struct Waveform<'p, W> {
    out: W,
    program: &'p Program,
    payloads: Payloads,
    /// the flit last written for each register
    shown: Vec<Option<u32>>,
}

impl<'p, W: Write> Waveform<'p, W> {
    /// Writes the header: a scope a node, and in it valid and data of every output that ever sends.
    pub fn new(mut out: W, program: &'p Program, payloads: Payloads) -> io::Result<Self> {
        let topology = &program.topology;
        writeln!(out, "$timescale 1ns $end\n$scope module {} $end", program.title.name)?;
        for node in topology.node_ids() {
            writeln!(out, "$scope module {} $end", names::instance(topology, node))?;
            let outputs = program.class(node).outputs.iter().zip(program.channels());
            for (_, channel) in outputs.filter(|(track, _)| !track.is_idle()) {
                let (register, name) = (program.register(node, channel), names::channel(topology.axes(), channel));
                writeln!(out, "$var wire 1 v{register} {name}_out_valid $end")?;
                writeln!(out, "$var wire {} d{register} {name}_out_data $end", payloads.width)?;
            }
            writeln!(out, "$upscope $end")?;
        }
        writeln!(out, "$upscope $end\n$enddefinitions $end\n#0")?;
        let shown = vec![None; program.registers()];
        let mut waveform = Self { out, program, payloads, shown };
        for register in 0..waveform.shown.len() {
            if waveform.is_driven(register) {
                writeln!(waveform.out, "0v{register}\nbx d{register}")?;
            }
        }
        Ok(waveform)
    }

    fn is_driven(&self, register: usize) -> bool {
        let outputs = self.program.outputs();
        let class = self.program.class_of[register / outputs];
        !self.program.classes[class.index()].outputs[register % outputs].is_idle()
    }

    /// Writes what changed in the machine's last tick.
    pub fn tick(&mut self, machine: &Machine<'_>) -> io::Result<()> {
        writeln!(self.out, "#{}", u64::from(machine.tick()) * PERIOD)?;
        for register in 0..self.shown.len() {
            let flit = machine.register(register);
            let before = std::mem::replace(&mut self.shown[register], flit.map(|flit| flit.0));
            if before == flit.map(|flit| flit.0) {
                continue;
            }
            match flit {
                None => writeln!(self.out, "0v{register}\nbx d{register}")?,
                Some(flit) => {
                    let words: Vec<u64> = self.payloads.words(flit).collect();
                    let bits: Vec<String> = words.iter().rev().map(|word| format!("{word:064b}")).collect();
                    // a viewer fills up with zeros
                    let bits = bits.concat().trim_start_matches('0').to_owned();
                    let bits = if bits.is_empty() { "0" } else { &bits };
                    writeln!(self.out, "1v{register}\nb{bits} d{register}")?;
                }
            }
        }
        Ok(())
    }

    /// Ends the waveform after the last tick; returns where it was written to.
    pub fn finish(mut self) -> io::Result<W> {
        writeln!(self.out, "#{}", (u64::from(self.program.ticks) + 1) * PERIOD)?;
        self.out.flush()?;
        Ok(self.out)
    }
}
