//! Places of nodes in a self-test: those of the network, or those of a board, whose coordinates say which nodes it has.

use std::fmt::Display;

use askama::Template;

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
        let bits = self.boards().bits;
        let term = |axis: usize| {
            let later = (axis + 1..grid.axes()).map(|axis| grid.side(axis)).product();
            SumTerm::new(bits, digits(grid.side(axis) - 1), names::coordinate(axis), later)
        };
        let along = (0..grid.axes()).filter(|&axis| grid.side(axis) > 1);
        Some(TestedBoard { axes, links, number: along.map(term).collect(), is_common: self.design.has_common_calls() })
    }

    /// Coordinates of the node whose record was kept.
    pub fn coordinates(&self) -> Vec<KeptCoordinate> {
        let topology = &self.design.netlist.topology;
        let coordinate = |axis: usize| {
            let name = names::coordinate(axis);
            let Some(blocks) = blocks_of(self.design) else {
                return KeptCoordinate { name, bits: 0, terms: Vec::new() };
            };
            let (bits, side) = (digits(topology.side(axis) - 1), blocks.sides()[axis]);
            let boards = blocks.boards().side(axis);
            let board = (boards > 1).then(|| SumTerm::new(bits, digits(boards - 1), name.clone(), side));
            let place = SumTerm::new(bits, digits(side - 1), format!("kept_place_{name}"), 1);
            KeptCoordinate { bits, terms: board.into_iter().chain([place]).collect(), name }
        };
        (0..topology.axes()).map(coordinate).collect()
    }
}

/// Numbers of so many bits, one for each board: `{7'd12, 7'd10}`.
#[derive(Template)]
#[template(path = "bist/parts/each.v", escape = "none")]
pub(in crate::emit) struct EachBoard {
    bits: u32,
    numbers: Vec<u64>,
}

impl EachBoard {
    pub fn new(bits: u32, numbers: impl IntoIterator<Item = u64>) -> Self {
        Self { bits, numbers: numbers.into_iter().collect() }
    }
}

/// Signal with zeros above it, some times over: `{1'd0, x1} * 3'd2`.
#[derive(Template)]
#[template(path = "bist/parts/term.v", escape = "none")]
pub(in crate::emit) struct SumTerm {
    bits: u32,
    pad: u32,
    signal: String,
    factor: u32,
}

impl SumTerm {
    /// Term of so many bits, of a signal that has some of them.
    fn new(bits: u32, of_signal: u32, signal: String, factor: u32) -> Self {
        Self { bits, pad: bits.saturating_sub(of_signal), signal, factor }
    }
}

fn blocks_of<'d>(design: &'d ListDesign<'_>) -> Option<&'d NodeBlocks> {
    design.boards.as_ref().map(|boards| &boards.blocks)
}

/// Coordinate of a node in the network.
pub(in crate::emit) struct KeptCoordinate {
    pub name: String,
    /// Bits of a wire for it; none where the counter of places says it.
    pub bits: u32,
    /// Sum of these.
    pub terms: Vec<SumTerm>,
}

/// Board that tests itself: its ports, and its number by its coordinates.
pub(in crate::emit) struct TestedBoard {
    pub axes: Vec<NetworkAxis>,
    pub links: Vec<PortLinks>,
    /// Sum of these; no term of a board that is alone.
    pub number: Vec<SumTerm>,
    /// One board takes the calls of all.
    pub is_common: bool,
}

/// Part of a board in vectors that have one for each.
pub(in crate::emit) struct BoardIndex {
    /// Bits of a board's number; none on one device.
    pub bits: u32,
    /// Beginning of the width of such a vector.
    pub all: String,
}

/// Part of a board in a vector: `takes[board*7+:7]`.
#[derive(Template)]
#[template(path = "bist/parts/part.v", escape = "none")]
pub(in crate::emit) struct BoardPart {
    of_board: bool,
    vector: &'static str,
    bits: String,
}

/// Place of an entry in a table of all boards: `{board, next_in}`.
#[derive(Template)]
#[template(path = "bist/parts/entry.v", escape = "none")]
pub(in crate::emit) struct BoardEntry {
    of_board: bool,
    entry: &'static str,
}

impl BoardIndex {
    /// Part of so many bits of a vector.
    pub fn of(&self, vector: &'static str, bits: impl Display) -> BoardPart {
        BoardPart { of_board: self.bits > 0, vector, bits: bits.to_string() }
    }

    /// Place of an entry in a table.
    pub fn place(&self, entry: &'static str) -> BoardEntry {
        BoardEntry { of_board: self.bits > 0, entry }
    }
}
