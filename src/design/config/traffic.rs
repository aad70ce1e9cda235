//! `root:` and `tree:` of a config, and the traffic that it asks for: from whom, to whom, how much, along what.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{self, DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde::ser::Serializer;
use serde::{Deserialize, Serialize};

use super::number::{OrNull, Whole, items};
use super::numbers::Numbers;
use super::{Config, ConfigError};
use crate::net::Topology;
use crate::paths::rooted::Rooted;
use crate::task::{Collective, Traffic, Tree};

pub(super) const COORDINATE: Whole = Whole::any("a coordinate, a whole number");
const PARENT: Whole = Whole::any("a parent, null for the root or else a whole number");

/// A node by its coordinates, `[2, 3]`, or by its number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Root(Numbers);

/// `path`, `bfs`, or the parent of each node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TreeName(Tree);

impl Serialize for Root {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Root {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Numbers::read(deserializer, "a node like [2, 3]", COORDINATE).map(Self)
    }
}

impl JsonSchema for Root {
    fn schema_name() -> Cow<'static, str> {
        "Root".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        Numbers::schema("A node by its coordinates, or by its number.", COORDINATE)
    }
}

impl Serialize for TreeName {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match &self.0 {
            Tree::Path => serializer.serialize_str("path"),
            Tree::BreadthFirst => serializer.serialize_str("bfs"),
            Tree::Parents(parents) => {
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
    type Value = Tree;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("`path`, `bfs`, or { parents: [null, 0, 1] }")
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Tree, E> {
        let parent = |part: &str| match part.trim() {
            "root" | "-" => Ok(None),
            part => part.parse().map(Some),
        };
        match text {
            "path" => Ok(Tree::Path),
            "bfs" => Ok(Tree::BreadthFirst),
            list => list
                .split(',')
                .map(parent)
                .collect::<Result<_, _>>()
                .map(Tree::Parents)
                .map_err(|_| E::custom(format_args!("`{}` is not {}", text.escape_debug(), Expected(&self)))),
        }
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Tree, A::Error> {
        match map.next_key::<String>()? {
            Some(key) if key == "parents" => {}
            Some(key) => return Err(de::Error::unknown_field(&key, &["parents"])),
            None => return Err(de::Error::custom(format_args!("no tree: expected {}", Expected(&self)))),
        }
        let parents = map.next_value_seed(Parents)?;
        match map.next_key::<String>()? {
            None => Ok(Tree::Parents(parents)),
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

struct Expected<'a>(&'a TreeReader);

impl fmt::Display for Expected<'_> {
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
    /// Validates the traffic that the config asks for on the network.
    pub fn traffic(&self, topology: &Topology) -> Result<Traffic, ConfigError> {
        let collective = self.collective;
        let flits = self.link.flits.get();
        let traffic = Traffic {
            collective,
            root: self.root.as_ref().map_or(Ok(Vec::new()), |root| root.coordinates(topology))?,
            flits,
            lengths: Vec::new(),
            pairs: None,
            tree: self.tree.as_ref().map(|tree| tree.0.clone()),
        };
        let root = traffic.root(topology);
        match &traffic.tree {
            Some(Tree::Parents(parents)) => {
                Rooted::of_parents(topology, root, parents).map_err(ConfigError::Parents)?;
            }
            Some(Tree::Path) if !Rooted::has_path(topology, root) => {
                return Err(ConfigError::NoPath { root, network: topology.describe() });
            }
            Some(Tree::Path | Tree::BreadthFirst) | None => {}
        }
        match &self.lengths {
            None => Ok(traffic),
            Some(lengths) if collective == Collective::Exchange => {
                Ok(Traffic { pairs: lengths.pairs(topology)?.map(Arc::new), ..traffic })
            }
            Some(lengths) => Ok(Traffic { lengths: lengths.each(topology, root.index())?, ..traffic }),
        }
    }
}

impl Root {
    /// A node by its number, or by its coordinates.
    pub(super) const fn of(numbers: Numbers) -> Self {
        Self(numbers)
    }

    fn coordinates(&self, topology: &Topology) -> Result<Vec<u32>, ConfigError> {
        let coordinates = match &self.0 {
            Numbers::One(number) if *number < topology.nodes() => topology.coords(crate::net::NodeId(*number)),
            Numbers::One(number) if topology.axes() == 1 => vec![*number],
            Numbers::One(_) => Vec::new(),
            Numbers::List(coordinates) => coordinates.clone(),
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
