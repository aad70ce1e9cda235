//! The ports of a board, each for the links that cross one side of its block, for `templates/elastic/board.v`.

use askama::Template;

use super::super::blocks::{BoardKinds, sides};
use super::super::design::Design;
use super::super::names;
use super::super::node::Axis;
use super::super::rtl::Count;
use super::link;
use super::site::Lane;
use crate::net::{Channel, Port, Topology};

/// A lane of a board's port, with the links that cross this side of the block.
pub struct Side {
    pub name: String,
    pub label: String,
    pub lanes: Vec<Lane>,
    pub high: HighBit,
    pub bits: TokenBits,
    /// border at which the cable is missing: the coordinate, its bits, and its value there
    pub end: Option<End>,
    /// number of the port, place of the neighbour, and number of the port at the other end, if links are checked
    pub number: usize,
    pub there: Vec<link::Step>,
    pub opposite: usize,
}

/// Highest bit of a token: `WIDTH` for one link, `3*(WIDTH+1)-1` for three.
#[derive(Template)]
#[template(path = "elastic/high.v", escape = "none")]
pub struct HighBit {
    links: usize,
}

/// Bits of a token: `WIDTH + 1` for one link, `3*(WIDTH+1)` for three.
#[derive(Template)]
#[template(path = "elastic/bits.v", escape = "none")]
pub struct TokenBits {
    links: usize,
}

pub struct End {
    pub name: String,
    pub bits: u32,
    pub at: u32,
}

impl Side {
    pub fn new(design: &Design, kinds: &BoardKinds, axes: &[Axis], channel: Channel) -> Self {
        let names_of = design.program.topology.axes();
        let lanes: Vec<Lane> = kinds
            .blocks
            .leaving(channel.port)
            .into_iter()
            .map(|site| Lane::new(design, kinds, site, channel))
            .collect();
        let is_end = kinds.blocks.boards().open().contains(&channel.port.axis());
        let is_checked = design.options.checksum.is_some();
        let number = |of: Channel| sides(design).position(|other| other == of).expect("a side");
        Self {
            name: names::channel(names_of, channel),
            label: channel.label(names_of),
            high: HighBit { links: lanes.len() },
            bits: TokenBits { links: lanes.len() },
            lanes,
            end: is_end.then(|| End::of(kinds.blocks.boards(), channel.port)),
            number: number(channel),
            there: if is_checked { link::neighbour(axes, channel.port) } else { Vec::new() },
            opposite: number(channel.opposite()),
        }
    }

    /// Returns true if several links cross the side.
    pub fn is_wide(&self) -> bool {
        self.lanes.len() > 1
    }
}

impl End {
    /// The last board that a port of a grid looks out of.
    pub fn of(boards: &Topology, port: Port) -> Self {
        let Count { bits, last, .. } = Count::up_to(boards.side(port.axis()) - 1);
        let at = if port == Port::plus(port.axis()) { last } else { 0 };
        Self { name: names::coordinate(port.axis()), bits, at }
    }
}
