//! `host:` of a config: streams of the nodes, or the bus of a design.

use std::borrow::Cow;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{self, Deserializer, MapAccess, Visitor};
use serde::ser::Serializer;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::Config;
use super::number::Count;
use crate::emit::node::Bus;
use crate::netlist::{BlockOrder, HostStreams, NodePorts};

/// Streams of the nodes of one program, or the bus of a design of several.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HostChoice {
    /// Streams of one program.
    Streams(HostStreams),
    /// Bus of a design.
    Bus(HostBus),
}

/// Bus of a design.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a bus like { bus: uart, baud: 115200 }")]
pub struct HostBus {
    /// Kind of the bus.
    pub bus: Bus,
    /// Bits per second of a serial line.
    #[serde(default = "baud")]
    pub baud: Count<100_000_000>,
    /// Frequency of the clock, in hertz.
    #[serde(default = "clock")]
    pub clock: Count<1_000_000_000>,
}

/// Fewest clocks per bit of a serial line, whose middle is sampled.
const SHORTEST_BIT: u32 = 4;

const fn baud() -> Count<100_000_000> {
    Count::new(115_200)
}

const fn clock() -> Count<1_000_000_000> {
    Count::new(12_000_000)
}

impl HostBus {
    /// A bus with the usual line and clock.
    pub const fn of(bus: Bus) -> Self {
        Self { bus, baud: baud(), clock: clock() }
    }

    /// Clocks per bit of a serial line.
    pub fn divisor(self) -> u32 {
        (self.clock.get() / self.baud.get()).max(SHORTEST_BIT)
    }
}

impl Default for HostChoice {
    fn default() -> Self {
        Self::Streams(HostStreams::default())
    }
}

impl HostChoice {
    /// Streams of one program; those of every node if a design has a bus.
    pub fn streams(self) -> HostStreams {
        match self {
            Self::Streams(host) => host,
            Self::Bus(_) => HostStreams::default(),
        }
    }
}

impl Config {
    /// Returns true for a list of programs whose nodes have streams in place of a host.
    pub fn has_streams_of_nodes(&self) -> bool {
        matches!(self.host, HostChoice::Bus(HostBus { bus: Bus::Streams, .. }))
    }

    /// Ports of the nodes of a list, if they have streams in place of a host.
    pub fn node_ports(&self) -> NodePorts {
        if !self.has_streams_of_nodes() {
            return NodePorts::PLAIN;
        }
        let words = self.local.words.get();
        let by_default = (words > 1).then_some(BlockOrder::Arrival);
        NodePorts {
            order: self.local.order.or(by_default),
            words,
            results: self.local.results,
            elements: self.local.elements,
            by_message: false,
        }
    }
}

impl Serialize for HostChoice {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Streams(host) => host.serialize(serializer),
            Self::Bus(bus) => bus.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for HostChoice {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(HostReader)
    }
}

struct HostReader;

impl<'de> Visitor<'de> for HostReader {
    type Value = HostChoice;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("`ports`, `chain`, or the bus of a design like { bus: uart }")
    }

    fn visit_str<E: de::Error>(self, name: &str) -> Result<HostChoice, E> {
        HostStreams::deserialize(de::value::StrDeserializer::new(name)).map(HostChoice::Streams)
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<HostChoice, A::Error> {
        HostBus::deserialize(de::value::MapAccessDeserializer::new(map)).map(HostChoice::Bus)
    }
}

impl JsonSchema for HostChoice {
    fn schema_name() -> Cow<'static, str> {
        "HostChoice".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let streams = HostStreams::json_schema(generator).to_value();
        let mut choices = streams["oneOf"].as_array().cloned().unwrap_or_default();
        choices.push(json!(HostBus::json_schema(generator)));
        json_schema!({ "description": "Streams of the nodes, or the bus of a design.", "oneOf": choices })
    }
}
