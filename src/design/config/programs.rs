//! `programs:` of a config: the collectives that are resident in one design.

use std::borrow::Cow;
use std::mem;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::Deserializer;
use serde::ser::Serializer;
use serde::{Deserialize, Serialize};

use super::lengths::MessageLengths;
use super::number::Count;
use super::numbers::NumberList;
use super::traffic::{COORDINATE, Root};
use super::{CollectiveName, Config, GroupChoice, HostBus, HostChoice, MOST_COUNT, MOST_REACH, boolean};
use crate::emit::node::Bus;
use crate::program::Operation;
use crate::schemes::SchemeName;

/// Program of a design.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a program like { collective: gossip }")]
pub struct ProgramChoice {
    /// Collective of the program.
    pub collective: CollectiveName,
    /// Operation of a reduction.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub operation: Option<Operation>,
    /// Node that broadcasts, scatters, gathers or reduces, or `any`: chosen for each call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub root: Option<RootChoice>,
    /// Flits of a packet; in a broadcast or reduce those of the message, in a scatter or gather those of each node's. `link.flits` if
    /// left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub flits: Option<Count<65_536>>,
    /// Words of each node's vector in an all-reduce, in place of `flits`, or for each neighbour in a halo.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub count: Option<Count<MOST_COUNT>>,
    /// Hops along each axis to the farthest neighbours of a halo; 1 if left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reach: Option<Count<MOST_REACH>>,
    /// Adds the diagonal neighbours to a halo.
    #[serde(default, skip_serializing_if = "std::ops::Not::not", deserialize_with = "boolean::boolean")]
    pub corners: bool,
    /// Flits of each node's message in a scatter or gather, or of each pair's in an exchange.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lengths: Option<MessageLengths>,
    /// Groups of nodes that each have the collective for themselves, `{ axes: [x2] }` or `{ boxes: [2, 4] }`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub groups: Option<GroupChoice>,
    /// Scheme; where all nodes look alike `optimal` for gossip and reductions if left out.
    #[serde(default, skip_serializing_if = "is_auto")]
    pub scheme: SchemeName,
}

impl Config {
    /// The one collective of a config with a bus, or with nodes on boards, as a list of one program; other configs as they are.
    #[must_use]
    pub fn as_list(mut self) -> Self {
        let has_boards = self.programs.is_empty() && self.link.elastic && self.host == HostChoice::default();
        if let Some(nodes) = self.local().filter(|_| has_boards) {
            self.local.order = Some(nodes.order);
            self.host = HostChoice::Bus(HostBus::of(Bus::Streams));
        }
        if self.programs.is_empty() && matches!(self.host, HostChoice::Bus(_)) {
            self.programs.push(ProgramChoice {
                collective: mem::take(&mut self.collective),
                operation: self.operation.take(),
                root: self.root.take().map(RootChoice::One),
                flits: None,
                count: self.count.take(),
                reach: self.reach.take(),
                corners: mem::take(&mut self.corners),
                lengths: self.lengths.take(),
                groups: self.groups.take(),
                scheme: mem::take(&mut self.scheme),
            });
        }
        self
    }
}

fn is_auto(pick: &SchemeName) -> bool {
    *pick == SchemeName::default()
}

/// Root of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RootChoice {
    /// Any node, chosen for each call.
    Any,
    /// One node only.
    One(Root),
}

const ANY: &str = "any";

impl Serialize for RootChoice {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Any => serializer.serialize_str(ANY),
            Self::One(root) => root.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for RootChoice {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let root = NumberList::read_or(ANY, deserializer, "`any`, or a node like [2, 3]", COORDINATE)?;
        Ok(root.map_or(Self::Any, |numbers| Self::One(Root::of(numbers))))
    }
}

impl JsonSchema for RootChoice {
    fn schema_name() -> Cow<'static, str> {
        "RootChoice".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let root = Root::json_schema(generator);
        json_schema!({
            "description": "Any node, chosen for each call, or one node by its coordinates or its number.",
            "anyOf": [{ "const": ANY }, root]
        })
    }
}
