//! What a netlist takes as RTL: flip-flops, LUTs and block memories, counted register by register.
//!
//! What counts is what `synth_ice40` of yosys 0.23 makes of each module; every rule says why. Flip-flops and block memories
//! are exact. LUTs are not: abc maps for depth first and duplicates logic to get it, so they are rules of what it does to
//! multiplexers, counters and comparisons. `tests/all/hardware.rs` holds both against yosys itself.

mod column;
mod kept;
mod loads;
mod lut;
mod memory;
mod router;
mod table;

use std::ops::{Add, AddAssign, Mul};

use crate::netlist::{Netlist, Rom, Router, digits};

/// What a module takes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cells {
    /// Flip-flops.
    pub flip_flops: u64,
    /// LUTs of four inputs.
    pub luts: u64,
    /// Block memories of 4 kbit.
    pub blocks: u64,
}

impl Add for Cells {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            flip_flops: self.flip_flops + other.flip_flops,
            luts: self.luts + other.luts,
            blocks: self.blocks + other.blocks,
        }
    }
}

impl AddAssign for Cells {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl Mul<u64> for Cells {
    type Output = Self;

    fn mul(self, times: u64) -> Self {
        Self { flip_flops: times * self.flip_flops, luts: times * self.luts, blocks: times * self.blocks }
    }
}

/// What a program takes as RTL.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Hardware {
    /// Bits of delay lines in the node that has most, data and valid bits, in registers or in memory.
    pub delay_bits: u64,
    /// Words of the stores in the node that has most.
    pub store_words: u64,
    /// All routers, tables and the fabric.
    pub cells: Cells,
}

impl Hardware {
    /// Adds up the classes of a netlist, times the nodes of each.
    pub fn of(netlist: &Netlist, nodes: &[u32], width: u32) -> Self {
        // a flit and its valid bit
        let word = u64::from(width) + 1;
        let mut all = Self { cells: fabric(netlist), ..Self::default() };
        for (class, router) in netlist.driven() {
            let nodes = u64::from(nodes[class.index()]);
            all.delay_bits = all.delay_bits.max(delayed_words(router) * word);
            all.store_words = all.store_words.max(router.stores.iter().map(|store| u64::from(store.words)).sum());
            all.cells += router::cells(router, width) * nodes;
            if let Some(table) = &router.table {
                all.cells += table::cells(table) * if netlist.rom == Rom::Shared { 1 } else { nodes };
            }
        }
        all
    }
}

/// Words in all delay lines; what comes out of a ring waits in one more.
fn delayed_words(router: &Router) -> u64 {
    let lines = router.lines.iter().map(|line| u64::from(line.stages));
    let rings = router.rings.iter().map(|ring| u64::from(ring.words) + 1);
    lines.chain(rings).sum()
}

/// What the fabric has of its own: the count of ticks and `done`, the count of flits, `first`.
fn fabric(netlist: &Netlist) -> Cells {
    let count = |last: u32| if last > 0 { digits(last) } else { 0 };
    let (ticks, flits) = (count(netlist.ticks - 1), count(netlist.flits - 1));
    // whether all is cleared, whether it plays, and when `done` rises
    let luts = lut::stopping_counter(ticks) + 3;
    let mut cells = Cells { flip_flops: u64::from(ticks) + 1, luts, blocks: 0 };
    if flits > 0 {
        // each bit's next value, and what sets it back
        cells += Cells { flip_flops: flits.into(), luts: u64::from(flits) + 1, blocks: 0 };
    }
    if netlist.has_first() {
        // `started`, its next value and its opposite; whether the first packet is over
        cells += Cells { flip_flops: 1, luts: 2 + u64::from(flits > 2), blocks: 0 };
    }
    cells
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::net::{Port, Torus};
    use crate::program::{Builder, Demand, Run, Source, Title};

    /// Six nodes that send and forward by turns, more often than counters would tell.
    fn netlist(rom: Rom) -> Netlist {
        let torus = Torus::new(&[2, 3]).unwrap();
        let mut builder = Builder::new(&torus, 100, Demand::gossip(&torus, 1));
        let run = |source, ticks| Run { source, ticks };
        let late = |age| Source::input(Port::plus(0), age);
        let runs: Vec<Run> = (0..14).flat_map(|_| [run(Source::own(0), 2), run(late(40), 3)]).collect();
        let track = builder.track(&runs, late(4));
        for node in torus.node_ids() {
            builder.set(node, Port::minus(1), track);
        }
        Netlist::of(&builder.finish(Title::new("turns", "by hand")), rom)
    }

    #[test]
    fn a_table_counts_once_or_once_a_node() {
        let of = |rom, nodes| Hardware::of(&netlist(rom), &[nodes], 8).cells;
        let table = table::cells(netlist(Rom::Shared).routers[0].table.as_ref().unwrap());
        assert!(table.flip_flops > 0 && table.luts > 0);
        assert_eq!(of(Rom::Shared, 6) + table * 5, of(Rom::PerNode, 6));
        assert_eq!(of(Rom::Shared, 0), of(Rom::PerNode, 0) + table);
    }

    #[test]
    fn stores_are_counted_in_words_and_lines_in_bits_of_the_node_that_has_most() {
        let Hardware { delay_bits, store_words, .. } = Hardware::of(&netlist(Rom::Shared), &[6], 8);
        let router = &netlist(Rom::Shared).routers[0];
        assert_eq!((delay_bits, store_words), (0, u64::from(router.stores[0].words)));
    }
}
