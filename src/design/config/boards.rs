//! `link.boards` of a config: the boards along each axis, `[2, 2]` or `2x2`.

use std::borrow::Cow;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};
use serde::{Deserializer, Serializer};

use super::number::Whole;
use super::numbers::NumberList;
use super::{Config, ConfigError, Count, LinkFields};
use crate::net::{NoBlocks, NodeBlocks, Sides, Topology};
use crate::netlist::{BoardPort, BoardStart, PortClock, PortForm};

const BOARDS: Whole = Whole::any("a number of boards");

/// Boards along each axis.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BoardCounts(Vec<u32>);

impl BoardCounts {
    /// Number of boards along each axis.
    pub fn along(&self) -> &[u32] {
        &self.0
    }
}

impl fmt::Display for BoardCounts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Sides(&self.0).fmt(f)
    }
}

/// A number as a number, several as `2x3`: so they stand after the flag.
impl Serialize for BoardCounts {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0.as_slice() {
            [boards] => serializer.serialize_u32(*boards),
            _ => serializer.collect_str(self),
        }
    }
}

impl<'de> Deserialize<'de> for BoardCounts {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        NumberList::read_by('x', deserializer, "a number of boards per axis like [2, 2]", BOARDS).map(|boards| {
            match boards {
                NumberList::One(boards) => Self(vec![boards]),
                NumberList::List(boards) => Self(boards),
            }
        })
    }
}

impl JsonSchema for BoardCounts {
    fn schema_name() -> Cow<'static, str> {
        "Boards".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        NumberList::schema_by('x', "The boards along each axis.", BOARDS)
    }
}

impl Default for LinkFields {
    fn default() -> Self {
        Self {
            width: None,
            flits: Count::new(1),
            duplex: None,
            lanes: Count::new(1),
            latency: Count::new(1),
            elastic: false,
            boards: None,
            checksum: None,
            clocks: PortClock::default(),
            start: BoardStart::default(),
            ports: BoardPort::default(),
            bytes: None,
        }
    }
}

impl LinkFields {
    /// Bytes of a beat at the ports of boards.
    pub fn bytes(&self) -> u32 {
        self.bytes.map_or(BoardPort::BYTES, Count::get)
    }

    /// Beats of a frame of so many bits at ports of whole bytes.
    pub fn beats(&self, bits: u32) -> u32 {
        bits.div_ceil(8 * self.bytes())
    }

    /// Returns the same links without boards.
    #[must_use]
    pub fn on_one_device(self) -> Self {
        let Self { width, flits, duplex, lanes, latency, .. } = self;
        Self { width, flits, duplex, lanes, latency, ..Self::default() }
    }

    /// Returns the same links with a pin each way at every port of a board.
    #[must_use]
    pub fn with_pins(self) -> Self {
        if !self.elastic {
            return self;
        }
        Self { ports: BoardPort::Serial, bytes: None, clocks: PortClock::Board, ..self }
    }

    /// Ports of boards, with their clock.
    pub fn form(&self) -> PortForm {
        PortForm { port: self.ports, bytes: self.bytes(), clocks: self.clocks }
    }
}

impl Config {
    /// Cuts the network into the blocks of nodes that boards have. Networks that cannot be cut are refused by the table of what
    /// is not supported.
    pub fn blocks(&self, topology: &Topology) -> Result<Option<NodeBlocks>, ConfigError> {
        let Some(boards) = &self.link.boards else { return Ok(Some(NodeBlocks::of_nodes(topology))) };
        let reason = match NodeBlocks::new(topology, Some(boards.along())) {
            Ok(blocks) => return Ok(Some(blocks)),
            Err(NoBlocks::Twist) => return Ok(None),
            Err(NoBlocks::Axes) => "needs one number per axis".to_owned(),
            Err(NoBlocks::Zero { axis }) => format!("needs at least one board along x{}", axis + 1),
            Err(NoBlocks::Remainder { axis }) => {
                format!("does not divide the side of {} along x{}", topology.side(axis), axis + 1)
            }
            Err(NoBlocks::One) => "has all nodes on one board".to_owned(),
        };
        let nearest = nearest(topology, boards.along());
        Err(ConfigError::Boards { typed: boards.to_string(), reason, network: topology.describe(), nearest })
    }

    /// Largest number of links that cross a side of a board's block.
    pub fn links_per_cable(&self) -> u32 {
        let blocks = self.topology.lay_out().ok().and_then(|topology| self.blocks(&topology).ok().flatten());
        blocks.map_or(1, |blocks| blocks.widest())
    }
}

/// Numbers of boards that fit: along each axis the largest that divides the side and is not larger than what was asked for.
fn nearest(topology: &Topology, boards: &[u32]) -> Vec<u32> {
    let fits = |(axis, &side): (usize, &u32)| {
        let asked = boards.get(axis).copied().unwrap_or(2).clamp(1, side);
        (1..=asked).rev().find(|boards| side.is_multiple_of(*boards)).unwrap_or(1)
    };
    let nearest: Vec<u32> = topology.dims().iter().enumerate().map(fits).collect();
    if nearest.iter().all(|&boards| boards == 1) { topology.dims().to_vec() } else { nearest }
}
