//! The fields of `topology:` as they are read.

use std::fmt;

use serde::Deserialize;
use serde::de::{self, DeserializeSeed, Deserializer, MapAccess, SeqAccess, Unexpected, Visitor};

use super::super::number::{SIDE, items};
use super::super::shape::example;
use super::{BaseNetwork, DeadParts, LinkName, NetworkFields, NodeBox, NodePlace};
use crate::net::ShapeName;

const KEYS: [&str; 9] = ["torus", "mesh", "cycle", "path", "hexagonal", "lattice", "open", "dead", "part"];

impl<'de> Deserialize<'de> for NetworkFields {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(TopologyFields)
    }
}

struct TopologyFields;

/// A field of a topology.
enum TopologyKey {
    Shape(ShapeName),
    Hexagonal,
    Lattice,
    Open,
    Dead,
    Part,
}

impl TopologyKey {
    fn name(&self) -> &'static str {
        match self {
            Self::Shape(shape) => shape.name(),
            Self::Hexagonal => "hexagonal",
            Self::Lattice => "lattice",
            Self::Open => "open",
            Self::Dead => "dead",
            Self::Part => "part",
        }
    }
}

impl<'de> Visitor<'de> for TopologyFields {
    type Value = NetworkFields;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a topology like { torus: [6, 8] }")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<NetworkFields, A::Error> {
        let twice = |key: &TopologyKey| de::Error::custom(format_args!("field `{}` stands twice", key.name()));
        let mut base: Option<BaseNetwork> = None;
        let (mut open, mut dead, mut part) = (None, None, None);
        while let Some(key) = map.next_key_seed(KeyName)? {
            match key {
                TopologyKey::Shape(_) | TopologyKey::Hexagonal | TopologyKey::Lattice if base.is_some() => {
                    let first = base.map(NetworkFields::of_base).expect("a shape was named");
                    let (first, second) = (first.base_name(), key.name());
                    return Err(de::Error::custom(format_args!(
                        "two shapes, `{first}` and `{second}`: a topology has one"
                    )));
                }
                TopologyKey::Open if open.is_some() => return Err(twice(&key)),
                TopologyKey::Dead if dead.is_some() => return Err(twice(&key)),
                TopologyKey::Part if part.is_some() => return Err(twice(&key)),
                TopologyKey::Shape(shape) => {
                    base = Some(BaseNetwork::Shape(shape, map.next_value_seed(SidesOf(shape))?));
                }
                TopologyKey::Hexagonal => {
                    let sides = map.next_value_seed(SidesOf(ShapeName::Torus))?;
                    let hexagonal = NetworkFields::hexagonal(&sides);
                    let two =
                        || de::Error::custom("a hexagonal torus has two sides, each at least 2: { hexagonal: [6, 8] }");
                    base = Some(hexagonal.ok_or_else(two)?.base);
                }
                TopologyKey::Lattice => base = Some(BaseNetwork::Lattice(map.next_value()?)),
                TopologyKey::Open => open = Some(map.next_value()?),
                TopologyKey::Dead => dead = Some(map.next_value()?),
                TopologyKey::Part => part = Some(map.next_value()?),
            }
        }
        let base = base.ok_or_else(|| de::Error::custom("no shape: name one, as in { torus: [6, 8] }"))?;
        Ok(NetworkFields { base, open: open.unwrap_or_default(), dead: dead.unwrap_or_default(), part })
    }
}

struct KeyName;

impl<'de> DeserializeSeed<'de> for KeyName {
    type Value = TopologyKey;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<TopologyKey, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl Visitor<'_> for KeyName {
    type Value = TopologyKey;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("torus, mesh, cycle, path, hexagonal or lattice, or open, dead or part beside it")
    }

    fn visit_str<E: de::Error>(self, name: &str) -> Result<TopologyKey, E> {
        let shapes = ShapeName::ALL.into_iter().map(TopologyKey::Shape);
        let others =
            [TopologyKey::Hexagonal, TopologyKey::Lattice, TopologyKey::Open, TopologyKey::Dead, TopologyKey::Part];
        let mut keys = shapes.chain(others);
        keys.find(|key| key.name() == name).ok_or_else(|| E::unknown_field(name, &KEYS))
    }
}

/// The sides of a shape: a list of them, or one number if it has one axis.
struct SidesOf(ShapeName);

impl SidesOf {
    fn one<E: de::Error>(&self, found: Unexpected, side: Result<u32, E>) -> Result<Vec<u32>, E> {
        if self.0.is_line() { Ok(vec![side?]) } else { Err(E::invalid_type(found, self)) }
    }
}

impl<'de> DeserializeSeed<'de> for SidesOf {
    type Value = Vec<u32>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Vec<u32>, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for SidesOf {
    type Value = Vec<u32>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = if self.0.is_line() { "a number of nodes" } else { "a list of sides" };
        write!(f, "{what} like {}", example(self.0))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<Vec<u32>, A::Error> {
        items(list, SIDE)
    }

    fn visit_u64<E: de::Error>(self, value: u64) -> Result<Vec<u32>, E> {
        self.one(Unexpected::Unsigned(value), SIDE.visit_u64(value))
    }

    fn visit_i64<E: de::Error>(self, value: i64) -> Result<Vec<u32>, E> {
        self.one(Unexpected::Signed(value), SIDE.visit_i64(value))
    }

    fn visit_f64<E: de::Error>(self, value: f64) -> Result<Vec<u32>, E> {
        self.one(Unexpected::Float(value), SIDE.visit_f64(value))
    }

    fn visit_str<E: de::Error>(self, value: &str) -> Result<Vec<u32>, E> {
        self.one(Unexpected::Str(value), SIDE.visit_str(value))
    }
}

/// Lists that may be left out or left empty, which is null in YAML.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default, expecting = "dead parts like { links: [\"0,0 x2+\"], nodes: [\"3,4\"] }")]
struct DeadFields {
    links: Option<Vec<LinkName>>,
    nodes: Option<Vec<NodePlace>>,
}

impl<'de> Deserialize<'de> for DeadParts {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let DeadFields { links, nodes } = DeadFields::deserialize(deserializer)?;
        Ok(Self { links: links.unwrap_or_default(), nodes: nodes.unwrap_or_default() })
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, expecting = "a part like { from: [0, 0], to: [3, 3] }")]
struct Corners {
    from: Vec<u32>,
    to: Vec<u32>,
}

impl<'de> Deserialize<'de> for NodeBox {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let Corners { from, to } = Corners::deserialize(deserializer)?;
        Ok(Self { from, to })
    }
}
