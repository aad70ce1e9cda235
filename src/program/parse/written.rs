//! The fields of a program as its JSON has them. What later versions add is passed over.

use std::collections::BTreeMap;
use std::fmt;
use std::marker::PhantomData;
use std::num::{NonZeroU8, NonZeroU16, NonZeroU32};

use serde::de::{Error, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};

use crate::net::{Port, WrittenNetwork};
use crate::program::{Duplex, Number, Operation};

/// The one field that says what all others are.
#[derive(Deserialize)]
pub struct FormatField {
    pub format: String,
}

#[derive(Deserialize)]
pub struct WrittenProgram {
    pub name: String,
    pub topology: WrittenNetwork,
    pub scheme: String,
    pub collective: Option<String>,
    pub ticks: NonZeroU32,
    pub flits: NonZeroU32,
    pub lanes: NonZeroU8,
    pub packets: NonZeroU16,
    #[serde(default = "one_tick")]
    pub latency: NonZeroU32,
    pub reduce_latency: Option<NonZeroU32>,
    pub operation: Option<Operation>,
    #[serde(default)]
    pub number: Number,
    #[serde(default)]
    pub flush: bool,
    pub reduce_ticks: Option<NonZeroU32>,
    #[serde(default)]
    pub everywhere: bool,
    #[serde(default)]
    pub duplex: Duplex,
    pub messages: Option<Vec<WrittenMessage>>,
    pub groups: Option<Vec<Vec<u32>>>,
    pub classes: Vec<WrittenClass>,
    pub class_of: Vec<Option<u32>>,
    #[serde(default)]
    pub windows: Vec<(u32, u32)>,
    pub order: Option<WrittenOrder>,
    pub results: Option<Vec<Vec<Vec<WrittenOperand>>>>,
}

const fn one_tick() -> NonZeroU32 {
    NonZeroU32::MIN
}

#[derive(Deserialize)]
pub struct WrittenMessage {
    pub from: Option<u32>,
    pub to: Option<WrittenReceiver>,
    pub flits: u32,
}

#[derive(Deserialize)]
#[serde(untagged)]
pub enum WrittenReceiver {
    Node(u32),
    Offset { offset: Vec<u32> },
}

#[derive(Deserialize)]
pub struct WrittenClass {
    pub outputs: Vec<WrittenOutput>,
}

#[derive(Deserialize)]
pub struct WrittenOutput {
    pub port: PortName,
    #[serde(default)]
    pub lane: u8,
    pub inject: Option<u32>,
    pub runs: Vec<Ran>,
    pub repeat_from: Option<usize>,
}

/// A run: one of the sources, and for how many ticks.
#[derive(Deserialize)]
pub struct Ran {
    pub idle: Option<bool>,
    pub own: Option<u32>,
    pub through: Option<u32>,
    #[serde(rename = "in")]
    pub input: Option<PortName>,
    #[serde(default)]
    pub lane: u8,
    pub age: Option<NonZeroU32>,
    pub any: Option<Vec<PortName>>,
    pub sum: Option<Vec<WrittenOperand>>,
    pub ticks: NonZeroU32,
}

#[derive(Deserialize)]
pub struct WrittenOperand {
    #[serde(rename = "in")]
    pub input: PortName,
    pub age: NonZeroU32,
}

/// Entries by the port that they leave at; none where nothing is sent.
pub struct Lists<T>(pub BTreeMap<PortName, Vec<Option<T>>>);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Lists<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(ListsVisitor(PhantomData))
    }
}

/// Refuses a port with two lists, of which a map would keep the last.
struct ListsVisitor<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for ListsVisitor<T> {
    type Value = Lists<T>;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("a map")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Lists<T>, A::Error> {
        let mut lists = BTreeMap::new();
        while let Some((PortName(port), list)) = entries.next_entry()? {
            if lists.insert(PortName(port), list).is_some() {
                return Err(A::Error::custom(format!("port {port} has two lists")));
            }
        }
        Ok(Lists(lists))
    }
}

#[derive(Deserialize)]
pub struct WrittenOrder {
    #[serde(default)]
    pub starts: bool,
    pub offsets: Option<Lists<(Vec<u32>, u32)>>,
    pub nodes: Option<Vec<Lists<(u32, u32)>>>,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(try_from = "String")]
pub struct PortName(pub Port);

impl TryFrom<String> for PortName {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        Port::named(&text).map(Self).ok_or_else(|| format!("`{text}` is no port"))
    }
}
