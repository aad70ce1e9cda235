//! A waveform of the model's registers, in the Value Change Dump format that every viewer reads.

use std::io::{self, Write};

use crate::emit::names;
use crate::netlist::digits;
use crate::play::Machine;
use crate::play::Payloads;
use crate::program::{FlitId, Program};

/// Nanoseconds a tick; registers change as the clock rises.
const PERIOD: u64 = 10;

/// Writes a waveform tick by tick.
pub struct Waveform<'p, W> {
    out: W,
    program: &'p Program,
    payloads: Payloads,
    /// the flit last written for each register
    shown: Vec<Option<u32>>,
}

/// What is told of what a register holds; each begins with a letter of its own in the file.
const TOLD: [(char, &str); 3] = [('d', "data"), ('o', "origin"), ('p', "packet")];

impl<'p, W: Write> Waveform<'p, W> {
    /// Writes the header: the clock and the tick, and a scope a node with every output that ever sends: whether it is valid, its
    /// data, the number of the node that had it at first, and which of that node's packets it belongs to.
    pub fn new(mut out: W, program: &'p Program, payloads: Payloads) -> io::Result<Self> {
        let (topology, demand) = (&program.topology, &program.demand);
        let widths = [payloads.width, digits(topology.nodes() - 1), digits(demand.most_packets().saturating_sub(1))];
        writeln!(out, "$timescale 1ns $end\n$scope module {} $end", program.title.name)?;
        writeln!(out, "$var wire 1 clk clk $end\n$var integer 32 tick tick $end")?;
        for node in topology.node_ids() {
            writeln!(out, "$scope module {} $end", names::instance(topology, node))?;
            let outputs = program.class(node).outputs.iter().zip(program.channels());
            for (_, channel) in outputs.filter(|(track, _)| !track.is_idle()) {
                let (register, name) = (program.register(node, channel), names::channel(topology.axes(), channel));
                writeln!(out, "$var wire 1 v{register} {name}_out_valid $end")?;
                for ((letter, told), width) in TOLD.into_iter().zip(widths) {
                    writeln!(out, "$var wire {width} {letter}{register} {name}_out_{told} $end")?;
                }
            }
            writeln!(out, "$upscope $end")?;
        }
        writeln!(out, "$upscope $end\n$enddefinitions $end\n#0\n0clk\nb0 tick")?;
        let shown = vec![None; program.registers()];
        let mut waveform = Self { out, program, payloads, shown };
        for register in 0..waveform.shown.len() {
            if waveform.is_driven(register) {
                waveform.invalid(register)?;
            }
        }
        Ok(waveform)
    }

    fn invalid(&mut self, register: usize) -> io::Result<()> {
        writeln!(self.out, "0v{register}")?;
        TOLD.into_iter().try_for_each(|(letter, _)| writeln!(self.out, "bx {letter}{register}"))
    }

    fn valid(&mut self, register: usize, flit: FlitId) -> io::Result<()> {
        let words: Vec<u64> = self.payloads.words(flit).collect();
        let data = words.iter().rev().map(|word| format!("{word:064b}")).collect::<Vec<_>>().concat();
        // a viewer fills up with zeros
        let data = data.trim_start_matches('0');
        let origin = self.program.demand.origin(flit);
        let told = [
            if data.is_empty() { "0" } else { data }.to_owned(),
            format!("{:b}", origin.node.0),
            format!("{:b}", origin.packet),
        ];
        writeln!(self.out, "1v{register}")?;
        let mut told = TOLD.into_iter().zip(told);
        told.try_for_each(|((letter, _), bits)| writeln!(self.out, "b{bits} {letter}{register}"))
    }

    fn is_driven(&self, register: usize) -> bool {
        let outputs = self.program.outputs();
        let class = self.program.class_of[register / outputs];
        !self.program.classes[class.index()].outputs[register % outputs].is_idle()
    }

    /// Writes what changed in the machine's last tick.
    pub fn tick(&mut self, machine: &Machine<'_>) -> io::Result<()> {
        let time = u64::from(machine.tick()) * PERIOD;
        writeln!(self.out, "#{time}\n1clk\nb{:b} tick", machine.tick())?;
        for register in 0..self.shown.len() {
            let flit = machine.register(register);
            let before = std::mem::replace(&mut self.shown[register], flit.map(|flit| flit.0));
            match flit {
                _ if before == flit.map(|flit| flit.0) => {}
                None => self.invalid(register)?,
                Some(flit) => self.valid(register, flit)?,
            }
        }
        writeln!(self.out, "#{}\n0clk", time + PERIOD / 2)
    }

    /// Ends the waveform after the last tick; returns where it was written to.
    pub fn finish(mut self) -> io::Result<W> {
        writeln!(self.out, "#{}", (u64::from(self.program.ticks) + 1) * PERIOD)?;
        self.out.flush()?;
        Ok(self.out)
    }
}
