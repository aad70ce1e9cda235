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
use crate::emit::listed::Bus;
use crate::netlist::Host;

/// Streams of the nodes of one program, or the bus of a design of several.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HostChoice {
    /// Streams of one program.
    Streams(Host),
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
        Self::Streams(Host::default())
    }
}

impl HostChoice {
    /// Streams of one program; those of every node if a design has a bus.
    pub fn streams(self) -> Host {
        match self {
            Self::Streams(host) => host,
            Self::Bus(_) => Host::default(),
        }
    }
}

impl Config {
    /// Returns true for a list of programs whose nodes have streams in place of a host.
    pub fn has_streams_of_nodes(&self) -> bool {
        matches!(self.host, HostChoice::Bus(HostBus { bus: Bus::Streams, .. }))
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
        deserializer.deserialize_any(Reader)
    }
}

struct Reader;

impl<'de> Visitor<'de> for Reader {
    type Value = HostChoice;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("`ports`, `chain`, or the bus of a design like { bus: uart }")
    }

    fn visit_str<E: de::Error>(self, name: &str) -> Result<HostChoice, E> {
        Host::deserialize(de::value::StrDeserializer::new(name)).map(HostChoice::Streams)
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
        let streams = Host::json_schema(generator).to_value();
        let mut choices = streams["oneOf"].as_array().cloned().unwrap_or_default();
        choices.push(json!(HostBus::json_schema(generator)));
        json_schema!({ "description": "Streams of the nodes, or the bus of a design.", "oneOf": choices })
    }
}
