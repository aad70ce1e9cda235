//! `root:` and `tree:` of a config, and the traffic that it asks for: from whom, to whom, how much, along what.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{self, DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde::ser::Serializer;
use serde::{Deserialize, Serialize};

use super::number::{OrNull, Whole, items};
use super::numbers::NumberList;
use super::{Config, ConfigError, Count};
use crate::net::{NodeId, Topology};
use crate::paths::rooted::Rooted;
use crate::program::{Arithmetic, Duplex, Link, Program, Sender};
use crate::schemes::SchemeName;
use crate::task::{Choice, Collective, CollectiveTraffic, CombinePlace, SchemeLinks, Task, TreeKind};

pub(super) const COORDINATE: Whole = Whole::any("a coordinate, a whole number");
const PARENT: Whole = Whole::any("a parent, null for the root or else a whole number");

/// A node by its coordinates, `[2, 3]`, or by its number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Root(NumberList);

/// `path`, `bfs`, or the parent of each node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TreeName(TreeKind);

/// Messages of an all-reduce that move a vector of `count` words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WordMessages {
    /// Nodes that combine them.
    pub combined: CombinePlace,
    /// Node that combines all words and broadcasts them, if one does.
    pub root: Option<NodeId>,
    /// Flits of the root's message, or of each packet.
    pub flits: u32,
}

impl WordMessages {
    /// Messages of a program.
    pub fn of(program: &Program) -> Self {
        match program.demand.messages().first().map(|message| message.from) {
            Some(Sender::Node(_)) if program.combines_everywhere() => Self::everywhere(program.demand.flits() as u32),
            Some(Sender::Node(root)) => Self::at(root, program.demand.flits() as u32),
            Some(Sender::Every) | None => Self::blocks(program.flits),
        }
    }

    /// A block of words at each node, in packets of so many flits.
    pub const fn blocks(flits: u32) -> Self {
        Self { combined: CombinePlace::Blocks, root: None, flits }
    }

    /// All words at one node.
    pub const fn at(root: NodeId, words: u32) -> Self {
        Self { combined: CombinePlace::Root, root: Some(root), flits: words }
    }

    /// All words at every node.
    pub const fn everywhere(words: u32) -> Self {
        Self { combined: CombinePlace::Everywhere, root: None, flits: words }
    }
}

impl Serialize for Root {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Root {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        NumberList::read(deserializer, "a node like [2, 3]", COORDINATE).map(Self)
    }
}

impl JsonSchema for Root {
    fn schema_name() -> Cow<'static, str> {
        "Root".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        NumberList::schema("A node by its coordinates, or by its number.", COORDINATE)
    }
}

impl Serialize for TreeName {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match &self.0 {
            TreeKind::Path => serializer.serialize_str("path"),
            TreeKind::BreadthFirst => serializer.serialize_str("bfs"),
            TreeKind::Parents(parents) => {
                let parent = |parent: &Option<u32>| parent.map_or("root".to_owned(), |parent| parent.to_string());
                serializer.serialize_str(&parents.iter().map(parent).collect::<Vec<_>>().join(","))
            }
        }
    }
}

impl<'de> Deserialize<'de> for TreeName {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(TreeReader).map(Self)
    }
}

struct TreeReader;

impl<'de> Visitor<'de> for TreeReader {
    type Value = TreeKind;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("`path`, `bfs`, or { parents: [null, 0, 1] }")
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<TreeKind, E> {
        let parent = |part: &str| match part.trim() {
            "root" | "-" => Ok(None),
            part => part.parse().map(Some),
        };
        match text {
            "path" => Ok(TreeKind::Path),
            "bfs" => Ok(TreeKind::BreadthFirst),
            list => list
                .split(',')
                .map(parent)
                .collect::<Result<_, _>>()
                .map(TreeKind::Parents)
                .map_err(|_| E::custom(format_args!("`{}` is not {}", text.escape_debug(), ExpectedTraffic(&self)))),
        }
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<TreeKind, A::Error> {
        match map.next_key::<String>()? {
            Some(key) if key == "parents" => {}
            Some(key) => return Err(de::Error::unknown_field(&key, &["parents"])),
            None => return Err(de::Error::custom(format_args!("no tree: expected {}", ExpectedTraffic(&self)))),
        }
        let parents = map.next_value_seed(Parents)?;
        match map.next_key::<String>()? {
            None => Ok(TreeKind::Parents(parents)),
            Some(key) => Err(de::Error::unknown_field(&key, &["parents"])),
        }
    }
}

/// The parents of all nodes.
struct Parents;

impl<'de> DeserializeSeed<'de> for Parents {
    type Value = Vec<Option<u32>>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Parents {
    type Value = Vec<Option<u32>>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the parent of each node, as in [null, 0, 1]")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<Self::Value, A::Error> {
        items(list, OrNull(PARENT))
    }
}

struct ExpectedTraffic<'a>(&'a TreeReader);

impl fmt::Display for ExpectedTraffic<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.expecting(f)
    }
}

impl JsonSchema for TreeName {
    fn schema_name() -> Cow<'static, str> {
        "Tree".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "A tree that leads to the root.",
            "anyOf": [
                { "type": "string", "pattern": "^(path|bfs| *(root|-|[0-9]+) *(, *(root|-|[0-9]+) *)*)$" },
                {
                    "type": "object",
                    "properties": {
                        "parents": {
                            "description": "The number of each node's parent; null for the root.",
                            "type": "array",
                            "items": { "anyOf": [PARENT.schema(), { "type": "null" }] }
                        }
                    },
                    "required": ["parents"],
                    "additionalProperties": false
                }
            ]
        })
    }
}

impl Config {
    /// Properties of the links for schemes. Several lanes imply half-duplex links, and so do some schemes, so that
    /// users need not say it twice.
    pub fn capacity(&self) -> Link {
        // a whole packet passes in a step, for schemes that count in steps
        self.link_by_steps(if self.collective().is_of_packets() { self.link.flits.get() } else { 1 })
    }

    /// Properties of the links if a step takes so many ticks.
    fn link_by_steps(&self, step: u32) -> Link {
        let lanes = self.link.lanes.get() as u8;
        let is_half =
            lanes > 1 || matches!(self.scheme, SchemeName::One(scheme) if scheme.links() == SchemeLinks::Half);
        let duplex = self.link.duplex.unwrap_or(if is_half { Duplex::Half } else { Duplex::Full });
        let latency = self.link.latency.get().div_ceil(step);
        Link { duplex, lanes, latency }
    }

    /// Traffic and settings for the scheme.
    pub fn choice(&self, traffic: CollectiveTraffic) -> Choice {
        let packets = self.packets.map(|packets| packets.get() as u16);
        Choice {
            traffic: Arc::new(traffic),
            switching: self.switching,
            store: self.store,
            reads: self.reads.map(Count::get),
            packets,
            branches: None,
            is_ordered: self.is_ordered(),
        }
    }

    /// Returns true if the order makes a difference in which values are combined.
    fn is_ordered(&self) -> bool {
        let arithmetic = |operation| Arithmetic { operation, number: self.number, flush: self.flush };
        self.operation.is_some_and(|operation| arithmetic(operation).is_ordered())
    }

    /// Question to a scheme. An all-reduce of `count` words moves them in these messages.
    pub fn task<'t>(&self, topology: &'t Topology, words: Option<WordMessages>) -> Result<Task<'t>, ConfigError> {
        let mut traffic = self.traffic(topology)?;
        let mut link = self.capacity();
        if let Some(WordMessages { combined, root, flits }) = words {
            traffic.flits = flits;
            traffic.combined = combined;
            traffic.root = root.map_or_else(Vec::new, |root| topology.coords(root));
            link = self.link_by_steps(if traffic.is_of_packets() { flits } else { 1 });
        }
        Ok(Task { topology, link, choice: self.choice(traffic) })
    }

    /// One flit per pair is what an exchange has without lengths.
    pub fn leave_even_lengths_out(&mut self, task: &Task) {
        if self.collective() == Collective::Exchange && task.choice.traffic.pairs.is_none() {
            self.lengths = None;
        }
    }

    /// Validates the traffic that the config asks for on the network.
    pub fn traffic(&self, topology: &Topology) -> Result<CollectiveTraffic, ConfigError> {
        let collective = self.collective();
        let flits = self.link.flits.get();
        let traffic = CollectiveTraffic {
            collective,
            root: self.root.as_ref().map_or(Ok(Vec::new()), |root| root.coordinates(topology))?,
            flits,
            lengths: Vec::new(),
            pairs: None,
            tree: self.tree.as_ref().map(|tree| tree.0.clone()),
            combined: CombinePlace::Blocks,
        };
        let root = traffic.root(topology);
        match &traffic.tree {
            Some(TreeKind::Parents(parents)) => {
                Rooted::of_parents(topology, root, parents).map_err(ConfigError::Parents)?;
            }
            Some(TreeKind::Path) if !Rooted::has_path(topology, root) => {
                return Err(ConfigError::NoPath { root, network: topology.describe() });
            }
            Some(TreeKind::Path | TreeKind::BreadthFirst) | None => {}
        }
        if let Some(pairs) = self.pairs_by_offset(topology)? {
            return Ok(CollectiveTraffic { pairs: Some(Arc::new(pairs)), ..traffic });
        }
        match &self.lengths {
            None => Ok(traffic),
            Some(lengths) if collective == Collective::Exchange => {
                Ok(CollectiveTraffic { pairs: lengths.pairs(topology)?.map(Arc::new), ..traffic })
            }
            Some(lengths) => Ok(CollectiveTraffic { lengths: lengths.each(topology, root.index())?, ..traffic }),
        }
    }
}

impl Root {
    /// A node by its number, or by its coordinates.
    pub(super) const fn of(numbers: NumberList) -> Self {
        Self(numbers)
    }

    fn coordinates(&self, topology: &Topology) -> Result<Vec<u32>, ConfigError> {
        let coordinates = match &self.0 {
            NumberList::One(number) if *number < topology.nodes() => topology.coords(crate::net::NodeId(*number)),
            NumberList::One(number) if topology.axes() == 1 => vec![*number],
            // the last node has the next lower number
            NumberList::One(_) => topology.dims().to_vec(),
            NumberList::List(coordinates) => coordinates.clone(),
        };
        let inside =
            coordinates.len() == topology.axes() && coordinates.iter().zip(topology.dims()).all(|(x, n)| x < n);
        if inside && !topology.is_live(topology.node(&coordinates)) {
            return Err(ConfigError::DeadRoot { typed: topology.show(topology.node(&coordinates)) });
        }
        if inside {
            return Ok(coordinates);
        }
        // missing coordinates become 0, too large ones the last
        let sides = topology.dims().iter().enumerate();
        let nearest = sides.map(|(axis, side)| coordinates.get(axis).map_or(0, |&x| x.min(side - 1))).collect();
        Err(ConfigError::Root { typed: self.0.to_string(), network: topology.describe(), nearest })
    }
}
