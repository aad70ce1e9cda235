//! Size of a netlist as RTL: flip-flops, LUTs and block memories, counted register by register.
//!
//! Cells are those that `synth_ice40` of yosys 0.23 makes of each module; every rule says why. Flip-flops and block memories
//! are exact. LUTs are not: abc maps for depth first and duplicates logic to get it, so they are rules of what it does to
//! multiplexers, counters and comparisons. `tests/all/hardware.rs` holds both against yosys itself.

mod column;
mod combine;
mod kept;
mod lut;
mod memory;
mod router;
mod sequence;

use std::ops::{Add, AddAssign, Mul};

use crate::netlist::{DelayLine, DelayMemory, LoadedValue, Netlist, Rom, Router, digits};
use crate::program::Program;

/// Cells of a module.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ModuleCells {
    /// Number of flip-flops.
    pub flip_flops: u64,
    /// LUTs of four inputs.
    pub luts: u64,
    /// Block memories of 4 kbit.
    pub blocks: u64,
}

impl Add for ModuleCells {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            flip_flops: self.flip_flops + other.flip_flops,
            luts: self.luts + other.luts,
            blocks: self.blocks + other.blocks,
        }
    }
}

impl AddAssign for ModuleCells {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl Mul<u64> for ModuleCells {
    type Output = Self;

    fn mul(self, times: u64) -> Self {
        Self { flip_flops: times * self.flip_flops, luts: times * self.luts, blocks: times * self.blocks }
    }
}

/// Hardware cost of a program as RTL.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Hardware {
    /// Bits of delay lines in the node that has most, data and, where they are read, valid bits, in registers or in memory.
    pub delay_bits: u64,
    /// Words of the stores in the node that has most.
    pub store_words: u64,
    /// All routers, tables and the fabric.
    pub cells: ModuleCells,
}

impl Hardware {
    /// Adds up the classes of a program's netlist, times the nodes of each.
    pub fn of(program: &Program, netlist: &Netlist) -> Self {
        let (nodes, width) = (program.class_sizes(), netlist.width);
        let mut all = Self { cells: fabric(program, netlist), ..Self::default() };
        // with its valid bit
        let link = registers((program.latency - 1) * (width + 1));
        for (class, router) in netlist.driven() {
            let nodes = u64::from(nodes[class.index()]);
            all.delay_bits = all.delay_bits.max(delayed_bits(router, width));
            all.store_words = all.store_words.max(router.stores.iter().map(|store| u64::from(store.words)).sum());
            all.cells += (router::cells(router, netlist.ticks, width) + link * router.outputs.len() as u64) * nodes;
            all.cells += registers(netlist.settings(class).len() as u32) * nodes;
            all.cells += match netlist.rom {
                Rom::Shared => registers(router.word_bits()),
                Rom::PerNode => registers(1) + sequence::cells(&netlist.sequences[netlist.sequence_of(class)]),
            } * nodes;
        }
        // the leaves of the word, and those of the clear signal
        let passed = |&sequence: &usize| match netlist.rom {
            Rom::Shared => {
                let clear = netlist.begins(sequence).map_or(0, |_| netlist.leaves + 1);
                netlist.leaves * netlist.sequences[sequence].bits + clear
            }
            Rom::PerNode => netlist.leaves,
        };
        for row in netlist.rows(program) {
            let told = row.iter().map(passed);
            let bits = if netlist.rom == Rom::Shared { told.sum() } else { told.max().unwrap_or(0) };
            all.cells += registers(bits);
        }
        if netlist.rom == Rom::Shared {
            netlist.sequences.iter().for_each(|it| all.cells += sequence::cells(it));
        }
        all
    }
}

/// Bits in all delay lines; what comes out of a ring waits in a word more.
fn delayed_bits(router: &Router, width: u32) -> u64 {
    let line = |line: &DelayLine| line.stages * width + router.valid_stages(*line);
    let ring = |&DelayMemory { input, age, words, .. }: &DelayMemory| {
        (words + 1) * (width + u32::from(router.checks(LoadedValue::Ring { input, age })))
    };
    router.lines.iter().map(line).chain(router.rings.iter().map(ring)).map(u64::from).sum()
}

/// Registers that take on what is before them: on the way to the routers, and in the chain of configurations.
fn registers(bits: u32) -> ModuleCells {
    ModuleCells { flip_flops: bits.into(), luts: 0, blocks: 0 }
}

/// Cells of the fabric itself: tick counter, start and end of a run, flit counter.
fn fabric(program: &Program, netlist: &Netlist) -> ModuleCells {
    let (ticks, way) = (digits(netlist.ticks), u64::from(netlist.way()));
    // hold, last, over and playing bits; the delay to `done`
    let mut cells = ModuleCells {
        flip_flops: u64::from(ticks) + 4 + way,
        luts: u64::from(ticks) + lut::gate(ticks) + 4,
        blocks: 0,
    };
    // counters of flits, own inputs and link registers need the playing signal
    if netlist.flits > 1 || netlist.streams || program.latency > 1 {
        cells.flip_flops += way;
    }
    if netlist.flits > 1 {
        let flits = u64::from(digits(netlist.flits - 1));
        // next value of each bit, and its clear
        cells += ModuleCells { flip_flops: flits, luts: flits + 1, blocks: 0 };
    }
    cells
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::net::{Port, Torus};
    use crate::netlist::{Crossbar, OwnInputs};
    use crate::program::{Demand, ProgramBuilder, Run, Source, Title};

    /// Six nodes that send and forward by turns.
    fn turns() -> Program {
        let torus = Torus::new(&[2, 3]).unwrap();
        let mut builder = ProgramBuilder::new(&torus, 100, Demand::gossip(&torus, 1));
        let run = |source, ticks| Run { source, ticks };
        let late = |age| Source::input(Port::plus(0), age);
        let runs: Vec<Run> = (0..14).flat_map(|_| [run(Source::own(0), 2), run(late(40), 3)]).collect();
        let track = builder.track(&runs, late(4));
        for node in torus.node_ids() {
            builder.set(node, Port::minus(1), track);
        }
        builder.finish(Title::new("turns", "by hand"))
    }

    #[test]
    fn a_sequence_counts_once_or_once_a_node() {
        let program = turns();
        let of = |rom| Hardware::of(&program, &Netlist::of(&program, rom, 8)).cells;
        let netlist = Netlist::of(&program, Rom::Shared, 8);
        let sequence = sequence::cells(&netlist.sequences[0]);
        assert!(sequence.flip_flops > 0 && sequence.luts > 0);
        // two leaves for each of two rows and one for each of six nodes, of the word or of a bit
        let words = registers(netlist.sequences[0].bits) * 10;
        assert_eq!(of(Rom::Shared) + sequence * 5 + registers(1) * 10, of(Rom::PerNode) + words);
    }

    #[test]
    fn stores_are_counted_in_words_and_lines_in_bits_of_the_node_that_has_most() {
        let program = turns();
        let netlist = Netlist::of(&program, Rom::Shared, 8);
        let Hardware { delay_bits, store_words, .. } = Hardware::of(&program, &netlist);
        assert_eq!((delay_bits, store_words), (0, u64::from(netlist.routers[0].stores[0].words)));
    }

    /// A ring of what was sent 40 ticks ago, with valid bits, for the neighbours did not send in all of those.
    #[test]
    fn rings_are_counted_with_the_valid_bits_that_are_read() {
        let torus = Torus::new(&[2, 3]).unwrap();
        let mut builder = ProgramBuilder::new(&torus, 100, Demand::gossip(&torus, 1));
        let run = |source, ticks| Run { source, ticks };
        let runs = [run(Source::own(0), 1), run(Source::Idle, 40)];
        let track = builder.track(&runs, Source::input(Port::plus(0), 40));
        for node in torus.node_ids() {
            builder.set(node, Port::minus(0), track);
        }
        let program = builder.finish(Title::new("ring", "by hand"));
        let netlist = Netlist::of(&program, Rom::Shared, 8);
        let words = netlist.routers[0].rings[0].words;
        assert_eq!(Hardware::of(&program, &netlist).delay_bits, u64::from(words + 1) * 9);
    }

    /// Configured outputs have packet registers of their own; outputs of a fixed crossbar that send the same packet
    /// share one.
    #[test]
    fn outputs_whose_packets_are_configured_have_registers_of_their_own() {
        let torus = Torus::new(&[3, 3]).unwrap();
        let mut builder = ProgramBuilder::new(&torus, 5, Demand::gossip(&torus, 2));
        for port in torus.port_ids() {
            let track = builder.track(&[], Source::own(port.index() as u32 % 2));
            torus.node_ids().for_each(|node| builder.set(node, port, track));
        }
        let program = builder.finish(Title::new("own", "by hand"));
        let a_bit = |crossbar| {
            let of = |width| {
                Hardware::of(&program, &Netlist::with(&program, crossbar, OwnInputs::Packets, Rom::Shared, width)).cells
            };
            of(9).flip_flops - of(8).flip_flops
        };
        assert_eq!([Crossbar::Fixed, Crossbar::Configurable].map(a_bit), [9 * 2, 9 * 4]);
    }
}
