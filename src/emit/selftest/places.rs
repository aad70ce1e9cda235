//! Places of nodes in a self-test: those of the network, or those of a board, whose coordinates say which nodes it has.

use crate::emit::node::{BoardPorts, ListDesign, PortLinks};
use crate::emit::selftest::{AxisCount, axes};
use crate::emit::shared::axis::NetworkAxis;
use crate::emit::shared::names;
use crate::net::{NodeBlocks, NodeId};
use crate::netlist::digits;

/// Places of the nodes that one self-test looks at, in the order in which their records are read.
pub(in crate::emit) struct TestedPlaces<'d> {
    design: &'d ListDesign<'d>,
    pub names: Vec<String>,
    pub labels: Vec<String>,
    /// Nodes at these places, by board.
    pub nodes: Vec<Vec<NodeId>>,
}

impl<'d> TestedPlaces<'d> {
    pub fn of(design: &'d ListDesign<'d>) -> Self {
        let topology = &design.netlist.topology;
        let Some(blocks) = blocks_of(design) else {
            let nodes = || topology.node_ids();
            return Self {
                design,
                names: nodes().map(|node| names::node(topology, node)).collect(),
                labels: nodes().map(|node| topology.show(node)).collect(),
                nodes: vec![nodes().collect()],
            };
        };
        let place = |site: u32| blocks.place(site).iter().map(u32::to_string).collect::<Vec<_>>().join(",");
        let of_board = |board| (0..blocks.sites()).map(|site| blocks.node(board, site)).collect();
        Self {
            design,
            names: (0..blocks.sites()).map(|site| names::of_site(blocks, site)).collect(),
            labels: (0..blocks.sites()).map(|site| format!("{} of the board", place(site))).collect(),
            nodes: blocks.boards().node_ids().map(of_board).collect(),
        }
    }

    /// Returns true if there is a port for the streams of the node at a place.
    pub fn has_streams(&self, place: usize) -> bool {
        blocks_of(self.design).is_some() || self.design.netlist.topology.is_live(self.nodes[0][place])
    }

    /// Number of the node at a place among the live nodes, by board.
    pub fn ranks(&self, place: usize) -> Vec<Option<u32>> {
        let topology = &self.design.netlist.topology;
        let rank = |nodes: &Vec<NodeId>| {
            let node = nodes[place];
            topology.is_live(node).then(|| topology.rank(node) as u32)
        };
        self.nodes.iter().map(rank).collect()
    }

    pub fn boards(&self) -> BoardIndex {
        BoardIndex { bits: blocks_of(self.design).map_or(0, |_| digits(self.nodes.len() as u32 - 1)), all: self.all() }
    }

    /// Beginning of the width of a vector with a part for each board.
    fn all(&self) -> String {
        blocks_of(self.design).map_or_else(String::new, |_| format!("{}*", self.nodes.len()))
    }

    /// Clocks of a tick at most, before a link is known to be down.
    pub fn longest_tick(&self) -> u64 {
        blocks_of(self.design).map_or(1, |_| 1 << BoardPorts::of(self.design).patience)
    }

    /// Coordinates of places, as the records of their nodes are read.
    pub fn axes(&self) -> Vec<AxisCount> {
        match blocks_of(self.design) {
            Some(blocks) => axes(blocks.sides(), |axis| format!("place_{}", names::coordinate(axis))),
            None => axes(self.design.netlist.topology.dims(), names::coordinate),
        }
    }

    /// Board of these places.
    pub fn board(&self) -> Option<TestedBoard> {
        let blocks = blocks_of(self.design)?;
        let BoardPorts { axes, links, .. } = BoardPorts::of(self.design);
        let grid = blocks.boards();
        let along = (0..grid.axes()).filter(|&axis| grid.side(axis) > 1);
        let bits = self.boards().bits;
        let number = along.fold(String::new(), |before, axis| {
            let place = widened(bits, digits(grid.side(axis) - 1), &names::coordinate(axis));
            if before.is_empty() { place } else { format!("({before}) * {bits}'d{} + {place}", grid.side(axis)) }
        });
        Some(TestedBoard {
            axes,
            links,
            number: if number.is_empty() { "1'd0".to_owned() } else { number },
            is_common: self.design.has_common_calls(),
        })
    }

    /// Coordinates of the node whose record was kept, each with its range and the expression for it.
    pub fn coordinates(&self) -> Vec<KeptCoordinate> {
        let topology = &self.design.netlist.topology;
        let coordinate = |axis: usize| {
            let name = names::coordinate(axis);
            let Some(blocks) = blocks_of(self.design) else {
                return KeptCoordinate { from: format!("kept_{name}"), name, bits: 0 };
            };
            let (bits, side) = (digits(topology.side(axis) - 1), blocks.sides()[axis]);
            let place = widened(bits, digits(side - 1), &format!("kept_place_{name}"));
            let boards = blocks.boards().side(axis);
            let from = if boards > 1 {
                format!("{} * {bits}'d{side} + {place}", widened(bits, digits(boards - 1), &name))
            } else {
                place
            };
            KeptCoordinate { name, bits, from }
        };
        (0..topology.axes()).map(coordinate).collect()
    }
}

/// Numbers of so many bits, one for each board.
pub(in crate::emit) fn each(bits: u32, numbers: impl IntoIterator<Item = u64>) -> String {
    let each: Vec<String> = numbers.into_iter().map(|number| format!("{bits}'d{number}")).collect();
    if let [one] = &each[..] {
        return one.clone();
    }
    format!("{{{}}}", each.into_iter().rev().collect::<Vec<_>>().join(", "))
}

fn blocks_of<'d>(design: &'d ListDesign<'_>) -> Option<&'d NodeBlocks> {
    design.boards.as_ref().map(|boards| &boards.blocks)
}

/// Signal of some bits, with zeros above them up to so many.
fn widened(bits: u32, of_signal: u32, signal: &str) -> String {
    match bits.saturating_sub(of_signal) {
        0 => signal.to_owned(),
        zeros => format!("{{{zeros}'d0, {signal}}}"),
    }
}

/// Coordinate of a node in the network.
pub(in crate::emit) struct KeptCoordinate {
    pub name: String,
    /// Bits of a wire for it; none where the counter of places says it.
    pub bits: u32,
    pub from: String,
}

/// Board that tests itself: its ports, and its number by its coordinates.
pub(in crate::emit) struct TestedBoard {
    pub axes: Vec<NetworkAxis>,
    pub links: Vec<PortLinks>,
    pub number: String,
    /// One board takes the calls of all.
    pub is_common: bool,
}

/// Part of a board in vectors that have one for each.
pub(in crate::emit) struct BoardIndex {
    /// Bits of a board's number; none on one device.
    pub bits: u32,
    pub all: String,
}

impl BoardIndex {
    /// Part of so many bits of a vector.
    pub fn of(&self, vector: &str, bits: impl std::fmt::Display) -> String {
        if self.bits == 0 { vector.to_owned() } else { format!("{vector}[board*{bits}+:{bits}]") }
    }

    /// Place of an entry in a table.
    pub fn place(&self, entry: &str) -> String {
        if self.bits == 0 { entry.to_owned() } else { format!("{{board, {entry}}}") }
    }
}
