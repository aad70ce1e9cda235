//! `topology:` of a config: one shape or lattice, and what is open, dead or outside a part.

mod lay_out;
mod place;
mod read;
mod schema;

use std::fmt;

use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};

use super::ConfigError;
use super::number::LEAST_SIDE;
use super::shape::{about, flag_example};
use crate::net::{NodeId, Port, ShapeName, Sides, Topology};

pub use place::{AxisName, LinkName, NodePlace};

/// A network as a config names it: `{ torus: [6, 8] }`, `{ cycle: 8 }`, `{ torus: [6, 8], open: [x2] }`,
/// `{ lattice: [[4, 2], [0, 6]] }`, and what is dead in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NetworkFields {
    /// Shape or lattice; whether it can be is seen when it is [laid out](NetworkFields::lay_out).
    pub base: BaseNetwork,
    /// Axes without the links that wrap.
    pub open: Vec<AxisName>,
    /// Nodes and links that do not work.
    pub dead: DeadParts,
    /// Box of nodes to keep.
    pub part: Option<NodeBox>,
}

/// Network before anything is taken away.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BaseNetwork {
    /// A common one and its sides n1, n2, ...
    Shape(ShapeName, Vec<u32>),
    /// The grid divided by the lattice that these rows span.
    Lattice(Vec<Vec<i64>>),
}

/// Parts of a network that do not work, by coordinates.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct DeadParts {
    /// Links, each by one end.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub links: Vec<LinkName>,
    /// Nodes that do not work.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub nodes: Vec<NodePlace>,
}

/// Corners of a box of nodes, both inside.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct NodeBox {
    /// Smallest coordinates of the box.
    pub from: Vec<u32>,
    /// Largest coordinates of the box.
    pub to: Vec<u32>,
}

impl DeadParts {
    fn is_empty(&self) -> bool {
        self.links.is_empty() && self.nodes.is_empty()
    }
}

impl NetworkFields {
    /// Network of a common shape.
    pub fn of(shape: ShapeName, sides: Vec<u32>) -> Self {
        Self::of_base(BaseNetwork::Shape(shape, sides))
    }

    fn of_base(base: BaseNetwork) -> Self {
        Self { base, open: Vec::new(), dead: DeadParts::default(), part: None }
    }

    /// Reads the `6x8` of `--torus 6x8`.
    pub fn parse(shape: ShapeName, text: &str) -> Result<Self, ConfigError> {
        let side = |part: &str| {
            let number = part.parse().ok().filter(|&side: &u32| side >= LEAST_SIDE);
            number.ok_or_else(|| ConfigError::Sides { shape, text: text.into(), part: part.into() })
        };
        Ok(Self::of(shape, text.split('x').map(side).collect::<Result<_, _>>()?))
    }

    /// Reads the `4,2/0,6` of `--lattice 4,2/0,6`.
    pub fn parse_lattice(text: &str) -> Result<Self, ConfigError> {
        let entry = |part: &str| {
            let refused = || ConfigError::LatticeText { text: text.into(), part: part.trim().into() };
            part.trim().parse::<i64>().map_err(|_| refused())
        };
        let row = |row: &str| row.split(',').map(entry).collect::<Result<Vec<i64>, _>>();
        Ok(Self::of_base(BaseNetwork::Lattice(text.split('/').map(row).collect::<Result<_, _>>()?)))
    }

    /// Reads the `6x8` of `--hexagonal 6x8`.
    pub fn parse_hexagonal(text: &str) -> Result<Self, ConfigError> {
        let sides: Option<Vec<u32>> = text.split('x').map(|side| side.parse().ok()).collect();
        sides.and_then(|sides| Self::hexagonal(&sides)).ok_or_else(|| ConfigError::HexagonalText { text: text.into() })
    }

    /// Hexagonal torus of two sides, as a lattice: the third way to a neighbour is a step along both, or one back along x1.
    fn hexagonal(sides: &[u32]) -> Option<Self> {
        let &[n2, n3] = sides else { return None };
        let rows = vec![vec![1, 1, 1], vec![0, n2.into(), 0], vec![0, 0, n3.into()]];
        (n2.min(n3) >= LEAST_SIDE).then(|| Self::of_base(BaseNetwork::Lattice(rows)))
    }

    /// Shape of the network before anything is taken away, if it has a common one.
    pub fn shape(&self) -> Option<ShapeName> {
        match &self.base {
            BaseNetwork::Shape(shape, _) => Some(*shape),
            BaseNetwork::Lattice(_) => None,
        }
    }

    /// Name of the shape, or `lattice`.
    pub fn base_name(&self) -> &'static str {
        self.shape().map_or("lattice", ShapeName::name)
    }

    /// Default name of a design: `torus_6x8`, `torus_6x8_open_x2`, `lattice_4x6_damaged`.
    pub fn name(&self) -> String {
        let mut name = match &self.base {
            BaseNetwork::Shape(shape, sides) => format!("{shape}_{}", Sides(sides)),
            BaseNetwork::Lattice(rows) => match Topology::of_lattice(rows) {
                Ok(network) => format!("lattice_{}", Sides(network.dims())),
                Err(_) => "lattice".into(),
            },
        };
        self.open.iter().for_each(|axis| name += &format!("_open_{axis}"));
        if let Some(NodeBox { from, to }) = &self.part {
            let sides: Vec<u32> = from.iter().zip(to).map(|(from, to)| (to + 1).saturating_sub(*from)).collect();
            name += &format!("_part_{}", Sides(&sides));
        }
        if !self.dead.is_empty() {
            name += "_damaged";
        }
        name
    }

    /// Help of a shape's flag.
    pub fn flag_help(shape: ShapeName) -> String {
        format!("{}: --{shape} {}", about(shape), flag_example(shape))
    }
}

/// Flags that ask for a network.
pub fn network_flags(topology: &Topology) -> String {
    let mut flags = match topology.shape() {
        Some(shape) => format!("--{shape} {topology}"),
        None if topology.is_of_sides() => format!("--torus {topology}"),
        None => {
            let row = |row: &Vec<u32>| row.iter().map(u32::to_string).collect::<Vec<_>>().join(",");
            format!("--lattice {}", topology.lattice().rows().iter().map(row).collect::<Vec<_>>().join("/"))
        }
    };
    if topology.shape().is_none() {
        topology.open().iter().for_each(|axis| flags += &format!(" --open x{}", axis + 1));
    }
    if let Some(dead) = topology.dead() {
        let nodes = dead.nodes().iter().map(|&node| format!(" --dead-node {}", topology.show(node)));
        let link = |&(node, port): &(NodeId, Port)| format!(" --dead-link {}:{port}", topology.show(node));
        flags.extend(nodes.chain(dead.named_links().iter().map(link)));
    }
    flags
}

/// The flags that ask for this network.
impl fmt::Display for NetworkFields {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.base {
            BaseNetwork::Shape(shape, sides) => write!(f, "--{shape} {}", Sides(sides))?,
            BaseNetwork::Lattice(rows) => {
                let row = |row: &Vec<i64>| row.iter().map(i64::to_string).collect::<Vec<_>>().join(",");
                write!(f, "--lattice {}", rows.iter().map(row).collect::<Vec<_>>().join("/"))?;
            }
        }
        self.open.iter().try_for_each(|axis| write!(f, " --open {axis}"))?;
        self.dead.nodes.iter().try_for_each(|node| write!(f, " --dead-node {node}"))?;
        self.dead.links.iter().try_for_each(|link| write!(f, " --dead-link {}:{}", link.at, link.port))?;
        match &self.part {
            Some(part) => write!(f, " --set topology.part={}", serde_json::to_string(part).expect("plain data")),
            None => Ok(()),
        }
    }
}

impl Serialize for NetworkFields {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        match &self.base {
            BaseNetwork::Shape(shape, sides) => match sides.as_slice() {
                [side] if shape.is_line() => map.serialize_entry(shape.name(), side)?,
                sides => map.serialize_entry(shape.name(), sides)?,
            },
            BaseNetwork::Lattice(rows) => map.serialize_entry("lattice", rows)?,
        }
        if !self.open.is_empty() {
            map.serialize_entry("open", &self.open)?;
        }
        if !self.dead.is_empty() {
            map.serialize_entry("dead", &self.dead)?;
        }
        if let Some(part) = &self.part {
            map.serialize_entry("part", part)?;
        }
        map.end()
    }
}
