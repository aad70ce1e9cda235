//! `topology:` of a config: one shape and its sides.

use std::borrow::Cow;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{self, DeserializeSeed, Deserializer, MapAccess, SeqAccess, Unexpected, Visitor};
use serde::ser::{SerializeMap, Serializer};
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::ConfigError;
use super::number::{LEAST_SIDE, SIDE, items};
use super::shape::{about, example, flag_example};
use crate::net::{NodeId, Port, Shape, Sides, Topology};

/// A network as a config names it: `{ torus: [6, 8] }`, `{ mesh: [4, 5] }`, `{ cycle: 8 }` or `{ path: 7 }`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Network {
    /// Which axes wrap.
    pub shape: Shape,
    /// The sides n1, n2, ...; whether the shape can have them is seen when it is [laid out](Network::lay_out).
    pub sides: Vec<u32>,
}

const SHAPES: [&str; 4] = ["torus", "mesh", "cycle", "path"];

impl Network {
    /// Reads the `6x8` of `--torus 6x8`.
    pub fn parse(shape: Shape, text: &str) -> Result<Self, ConfigError> {
        let side = |part: &str| {
            let number = part.parse().ok().filter(|&side: &u32| side >= LEAST_SIDE);
            number.ok_or_else(|| ConfigError::Sides { shape, text: text.into(), part: part.into() })
        };
        Ok(Self { shape, sides: text.split('x').map(side).collect::<Result<_, _>>()? })
    }

    /// The help of a shape's flag.
    pub fn flag_help(shape: Shape) -> String {
        format!("{}: --{shape} {}", about(shape), flag_example(shape))
    }

    /// The topology, if the shape can have these sides.
    pub fn lay_out(&self) -> Result<Topology, ConfigError> {
        let Self { shape, sides } = self;
        Topology::new(*shape, sides).map_err(|source| ConfigError::Topology { shape: *shape, source })
    }
}

/// Flags that ask for a network.
pub fn network_flags(topology: &Topology) -> String {
    let mut flags = match topology.shape() {
        Some(shape) => format!("--{shape} {topology}"),
        None if topology.lattice().is_diagonal() => format!("--torus {topology}"),
        None => format!("--lattice {topology}"),
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

/// The flag that asks for this network.
impl fmt::Display for Network {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "--{} {}", self.shape, Sides(&self.sides))
    }
}

impl Serialize for Network {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(1))?;
        match self.sides.as_slice() {
            [side] if self.shape.is_line() => map.serialize_entry(self.shape.name(), side)?,
            sides => map.serialize_entry(self.shape.name(), sides)?,
        }
        map.end()
    }
}

impl<'de> Deserialize<'de> for Network {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(OneShape)
    }
}

struct OneShape;

impl<'de> Visitor<'de> for OneShape {
    type Value = Network;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a topology like { torus: [6, 8] }")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Network, A::Error> {
        let Some(shape) = map.next_key_seed(ShapeName)? else {
            return Err(de::Error::custom("no shape: name one, as in { torus: [6, 8] }"));
        };
        let sides = map.next_value_seed(SidesOf(shape))?;
        match map.next_key_seed(ShapeName)? {
            None => Ok(Network { shape, sides }),
            Some(other) => {
                Err(de::Error::custom(format_args!("two shapes, `{shape}` and `{other}`: a topology has one")))
            }
        }
    }
}

struct ShapeName;

impl<'de> DeserializeSeed<'de> for ShapeName {
    type Value = Shape;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Shape, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl Visitor<'_> for ShapeName {
    type Value = Shape;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("torus, mesh, cycle or path")
    }

    fn visit_str<E: de::Error>(self, name: &str) -> Result<Shape, E> {
        let shape = Shape::ALL.into_iter().find(|shape| shape.name() == name);
        shape.ok_or_else(|| E::unknown_field(name, &SHAPES))
    }
}

/// The sides of a shape: a list of them, or one number if it has one axis.
struct SidesOf(Shape);

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

impl JsonSchema for Network {
    fn schema_name() -> Cow<'static, str> {
        "Topology".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let side = SIDE.schema();
        let list = |most: Option<u32>| {
            let mut list = json!({ "type": "array", "items": side, "minItems": 1 });
            if let Some(most) = most {
                list["maxItems"] = most.into();
            }
            list
        };
        let shapes = Shape::ALL.map(|shape| {
            let sides = if shape.is_line() { json!({ "anyOf": [side, list(Some(1))] }) } else { list(None) };
            json!({
                "description": format!("{}: `{{ {shape}: {} }}`.", about(shape), example(shape)),
                "type": "object",
                "properties": { shape.name(): sides },
                "additionalProperties": false,
                "required": [shape.name()],
            })
        });
        json_schema!({ "description": "One shape and its sides.", "oneOf": shapes })
    }
}
