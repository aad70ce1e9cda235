//! The JSON Schema of `topology:`.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde_json::{Value, json};

use super::super::number::SIDE;
use super::super::shape::{about, example};
use super::NetworkFields;
use crate::net::ShapeName;

impl JsonSchema for NetworkFields {
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
        let of_shape = |shape: ShapeName| {
            let sides = if shape.is_line() { json!({ "anyOf": [side, list(Some(1))] }) } else { list(None) };
            (format!("{}: `{{ {shape}: {} }}`.", about(shape), example(shape)), shape.name(), sides)
        };
        let row = json!({ "type": "array", "items": { "type": "integer" }, "minItems": 1 });
        let lattice = (
            "The grid divided by the lattice that these rows span: `{ lattice: [[4, 2], [0, 6]] }`.".to_owned(),
            "lattice",
            json!({ "type": "array", "items": row, "minItems": 1 }),
        );
        let hexagonal = (
            "A torus of two sides whose nodes have six neighbours: `{ hexagonal: [6, 8] }`.".to_owned(),
            "hexagonal",
            json!({ "type": "array", "items": side, "minItems": 2, "maxItems": 2 }),
        );
        let base = |(description, name, value): (String, &str, Value)| {
            json!({
                "description": description,
                "type": "object",
                "properties": { name: value, "open": open(), "dead": dead(), "part": part() },
                "additionalProperties": false,
                "required": [name],
            })
        };
        let bases: Vec<Value> =
            ShapeName::ALL.map(of_shape).into_iter().chain([hexagonal, lattice]).map(base).collect();
        json_schema!({ "description": "One shape and its sides, or a lattice, and what is open or dead.", "oneOf": bases })
    }
}

fn open() -> Value {
    json!({
        "description": "Axes without the links that wrap along them: `[x2]`.",
        "type": "array",
        "items": { "type": "string", "pattern": "^x[1-9][0-9]?$" },
    })
}

fn dead() -> Value {
    let names = |description: &str, pattern: &str| {
        let name = json!({ "type": "string", "pattern": pattern });
        json!({ "description": description, "type": ["array", "null"], "items": name })
    };
    json!({
        "description": "What does not work: `{ links: [\"0,0 x2+\"], nodes: [\"3,4\"] }`.",
        "type": "object",
        "properties": {
            "links": names("Links, each by the coordinates of one end and its port there.", "^[0-9]+( *, *[0-9]+)*[ :]([TBLRtblr]|x[1-9][0-9]?[+-])$"),
            "nodes": names("Nodes, by their coordinates.", "^[0-9]+( *, *[0-9]+)*$"),
        },
        "additionalProperties": false,
    })
}

fn part() -> Value {
    let corner = |description: &str| {
        let coordinate = json!({ "type": "integer", "minimum": 0, "maximum": u32::MAX });
        json!({ "description": description, "type": "array", "items": coordinate })
    };
    json!({
        "description": "Box of nodes that takes part, with numbers of its own: `{ from: [0, 0], to: [3, 3] }`.",
        "type": "object",
        "properties": { "from": corner("Smallest coordinates."), "to": corner("Largest coordinates.") },
        "additionalProperties": false,
        "required": ["from", "to"],
    })
}
