//! The way from the control to each row of nodes.

use std::collections::BTreeSet;

use crate::emit::fabric::loaded::LOAD;
use crate::emit::fabric::timing::SequenceControl;
use crate::emit::fabric::top::FabricModule;
use crate::emit::shared::parts::{BitRange, RouterControl};
use crate::net::{NodeId, Topology};
use crate::program::{ClassId, Program};

/// Control signals of a row of nodes.
pub struct NodeRow<'m> {
    pub passed: Vec<Passed>,
    pub spread: Vec<SpreadWord<'m>>,
}

/// A word on its way.
pub struct Passed {
    pub name: String,
    pub from: String,
    pub bits: u32,
    pub range: BitRange,
}

/// A word for routers that take some of it more than once.
pub struct SpreadWord<'m> {
    pub name: String,
    pub range: BitRange,
    pub told: RouterControl<'m>,
}

impl FabricModule<'_> {
    /// Control signals of each row of nodes: a word of each of its sequences, or their start. The clear signal is
    /// shared by the whole row, because each such signal occupies slices of its own on the device; its leaves are its
    /// own from the control on, so that they can be placed near the row.
    pub fn rows(&self) -> impl Iterator<Item = NodeRow<'_>> {
        let (program, netlist) = (self.design.program, &self.design.netlist);
        let last = program.topology.dims().last().copied().unwrap_or(1);
        (0..).zip(netlist.rows(program)).map(move |(row, told)| {
            let name = row_name(&program.topology, NodeId(row * last));
            let bit = |name, from| Passed { name, from, bits: 1, range: BitRange::of(1) };
            // signals from the control pass several leaves, the last of which has the signal's name
            let comes = |told: &str, leaves: u32, Passed { name: last, from, bits, range }| {
                let mut from = from;
                let leaf = |number: u32| {
                    let name = match number {
                        _ if number == leaves => last.clone(),
                        1 => format!("{name}_way_{told}"),
                        _ => format!("{name}_way{number}_{told}"),
                    };
                    Passed { from: std::mem::replace(&mut from, name.clone()), name, bits, range }
                };
                (1..=leaves).map(leaf).collect::<Vec<_>>()
            };
            let words = |&control: &usize| {
                let SequenceControl { class, bits, range, clear, .. } = &self.controls[control];
                let from = format!("word_{class}");
                let clear = clear.map(|clear| {
                    let clear = bit(format!("{name}_clear_{class}"), format!("{from}{clear}"));
                    // one more than the word, which has another at the node
                    comes(&format!("clear_{class}"), netlist.leaves + 1, clear)
                });
                let word = Passed { name: format!("{name}_word_{class}"), from, bits: *bits, range: *range };
                comes(class, netlist.leaves, word).into_iter().chain(clear.into_iter().flatten())
            };
            let go = || comes("go", netlist.leaves, bit(format!("{name}_go"), "go".to_owned()));
            let passed = if self.per_node {
                // one register for the loader's bus, which nobody waits for
                let load = self.loads.as_ref().map(|loads| Passed {
                    name: format!("{name}_load"),
                    from: LOAD.to_owned(),
                    bits: loads.load_bits,
                    range: BitRange::vector(loads.load_bits),
                });
                (!told.is_empty()).then(|| go().into_iter().chain(load)).into_iter().flatten().collect()
            } else {
                told.iter().flat_map(words).collect()
            };
            let spread: BTreeSet<ClassId> =
                (row * last..(row + 1) * last).filter_map(|node| self.common(NodeId(node)).spread).collect();
            let spread = spread.into_iter().map(|class| SpreadWord {
                name: spread_name(&name, program, class),
                range: self.common[class.index()].word.range,
                told: RouterControl::of(
                    &netlist.routers[class.index()],
                    format!("{name}_word_{}", self.controls[netlist.sequence_of(class)].class),
                ),
            });
            NodeRow { spread: spread.collect(), passed }
        })
    }
}

/// The row that a node is in, by all its coordinates but the last: `row`, `row3`, `row3_4`.
pub fn row_name(topology: &Topology, node: NodeId) -> String {
    let mut name = "row".to_owned();
    for axis in 0..topology.axes() - 1 {
        let separator = if axis == 0 { "" } else { "_" };
        name += &format!("{separator}{}", topology.coord(node, axis));
    }
    name
}

pub fn spread_name(row: &str, program: &Program, class: ClassId) -> String {
    format!("{row}_told_{}", program.class_name(class))
}
