//! `lengths:` of a config: the flits of every message, of each node's, or of each pair's; in place, in a file, or by offsets.

use std::borrow::Cow;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{self, DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde::ser::Serializer;
use serde::{Deserialize, Serialize};

use super::lengths_error::LengthsError;
use super::number::{FLITS, items};
use super::offsets::{self, Offsets, OffsetsReader};
use crate::files::{self, shown_beginning};
use crate::net::{NodeId, Topology};
use crate::program::Pairs;
use crate::task::MOST_FLITS;

/// A file has at most as many numbers as an exchange has pairs, of ten digits each.
const MOST_BYTES: u64 = 1 << 24;

/// The flits of every message, of each node's, or of each pair of nodes; the file that has them; or those for the node at each offset.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MessageLengths(WrittenLengths);

#[derive(Clone, Debug, PartialEq, Eq)]
enum WrittenLengths {
    /// All messages are alike.
    One(u32),
    /// A single row has a number per node, several have one per pair of nodes.
    Rows(Arc<Vec<Vec<u32>>>),
    /// Rows in a file.
    File(PathBuf),
    /// Flits from every node to the one that is so many hops away along each axis.
    Offsets(Arc<Offsets>),
}

/// A number, rows as they stand after a flag, `0,1/2,0`, or offsets, `0,1:8/0,-1:8`.
impl Serialize for MessageLengths {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let row = |row: &Vec<u32>| row.iter().map(u32::to_string).collect::<Vec<_>>().join(",");
        match &self.0 {
            WrittenLengths::One(flits) => serializer.serialize_u32(*flits),
            WrittenLengths::Rows(rows) => serializer.serialize_str(&rows.iter().map(row).collect::<Vec<_>>().join("/")),
            WrittenLengths::File(path) => serializer.serialize_str(&path.to_string_lossy()),
            WrittenLengths::Offsets(offsets) => {
                let shown = |(offset, flits): &(Vec<i32>, u32)| format!("{}:{flits}", offsets::joined(offset));
                serializer.serialize_str(&offsets.iter().map(shown).collect::<Vec<_>>().join("/"))
            }
        }
    }
}

impl<'de> Deserialize<'de> for MessageLengths {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(LengthsReader).map(Self)
    }
}

impl JsonSchema for MessageLengths {
    fn schema_name() -> Cow<'static, str> {
        "Lengths".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        // an offset with its flits
        const ENTRY: &str = " *-?[0-9]+ *(, *-?[0-9]+ *)*: *[0-9]+ *";
        json_schema!({
            "description": "The flits of every message, of each node's, of each pair of nodes, for the node at each offset, or a file.",
            "anyOf": [
                FLITS.schema(),
                { "type": "array", "items": FLITS.schema() },
                { "type": "array", "items": { "type": "array", "items": FLITS.schema() } },
                {
                    "type": "object",
                    "properties": { "offsets": { "type": "object", "additionalProperties": FLITS.schema() } },
                    "required": ["offsets"],
                    "additionalProperties": false
                },
                { "type": "string", "pattern": format!("^{ENTRY}(/{ENTRY})*$") },
                { "type": "string", "pattern": "^ *[0-9]+ *([,/] *[0-9]+ *)*$|^[^,:]*[^-0-9,: ][^,:]*$|^[^,]*[^-0-9,:/ ][^,]*$" }
            ]
        })
    }
}

struct LengthsReader;

impl LengthsReader {
    fn number<E: de::Error>(&self, written: impl fmt::Display) -> Result<u32, E> {
        let text = written.to_string();
        text.trim().parse().map_err(|_| E::custom(format_args!("`{}` is not {self}", shown_beginning(text.trim()))))
    }
}

impl fmt::Display for LengthsReader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(
            "a number of flits, a list like [2, 0, 3], rows like [[0, 2], [1, 0]], offsets like { offsets: { \"0,1\": 8 } }, or \
             the name of a file",
        )
    }
}

impl<'de> Visitor<'de> for LengthsReader {
    type Value = WrittenLengths;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }

    fn visit_u64<E: de::Error>(self, value: u64) -> Result<WrittenLengths, E> {
        self.number(value).map(WrittenLengths::One)
    }

    fn visit_i64<E: de::Error>(self, value: i64) -> Result<WrittenLengths, E> {
        self.number(value).map(WrittenLengths::One)
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<WrittenLengths, E> {
        let is_number = |c: char| c.is_ascii_digit() || matches!(c, '-' | ' ');
        if text.contains(':') && text.chars().all(|c| is_number(c) || matches!(c, ',' | ':' | '/')) {
            let entry = |entry: &str| {
                let (offset, flits) = entry.split_once(':').unwrap_or((entry, ""));
                Ok((offsets::hops(offset)?, self.number(flits)?))
            };
            let offsets = text.split('/').map(entry).collect::<Result<_, E>>()?;
            Ok(WrittenLengths::Offsets(Arc::new(offsets)))
        } else if text.contains(',') {
            let row = |row: &str| row.split(',').map(|part| self.number(part)).collect::<Result<Vec<u32>, E>>();
            text.split('/').map(row).collect::<Result<_, _>>().map(|rows| WrittenLengths::Rows(Arc::new(rows)))
        } else if text.chars().all(is_number) {
            self.number(text).map(WrittenLengths::One)
        } else {
            Ok(WrittenLengths::File(text.into()))
        }
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<WrittenLengths, A::Error> {
        match map.next_key::<String>()? {
            Some(key) if key == "offsets" => {
                let offsets = map.next_value_seed(OffsetsReader)?;
                match map.next_key::<String>()? {
                    None => Ok(WrittenLengths::Offsets(Arc::new(offsets))),
                    Some(key) => Err(de::Error::unknown_field(&key, &["offsets"])),
                }
            }
            Some(key) => Err(de::Error::unknown_field(&key, &["offsets"])),
            None => Err(de::Error::custom(format_args!("no lengths: expected {self}"))),
        }
    }

    fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<WrittenLengths, A::Error> {
        let entries = items(list, LengthItem)?;
        let rows = match entries.first() {
            Some(LengthRow::Several(_)) => entries.into_iter().map(LengthRow::several).collect::<Option<Vec<_>>>(),
            _ => entries.into_iter().map(LengthRow::one).collect::<Option<Vec<_>>>().map(|row| vec![row]),
        };
        let mixed = || de::Error::custom(format_args!("numbers and rows in one list are not {self}"));
        rows.map(|rows| WrittenLengths::Rows(Arc::new(rows))).ok_or_else(mixed)
    }
}

/// Reads an item of a list: a number, or a row of them.
#[derive(Clone, Copy)]
struct LengthItem;

enum LengthRow {
    One(u32),
    Several(Vec<u32>),
}

impl LengthRow {
    fn one(self) -> Option<u32> {
        if let Self::One(flits) = self { Some(flits) } else { None }
    }

    fn several(self) -> Option<Vec<u32>> {
        if let Self::Several(row) = self { Some(row) } else { None }
    }
}

impl<'de> DeserializeSeed<'de> for LengthItem {
    type Value = LengthRow;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<LengthRow, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for LengthItem {
    type Value = LengthRow;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{FLITS}, or a row of them")
    }

    fn visit_u64<E: de::Error>(self, value: u64) -> Result<LengthRow, E> {
        FLITS.visit_u64(value).map(LengthRow::One)
    }

    fn visit_i64<E: de::Error>(self, value: i64) -> Result<LengthRow, E> {
        FLITS.visit_i64(value).map(LengthRow::One)
    }

    fn visit_f64<E: de::Error>(self, value: f64) -> Result<LengthRow, E> {
        FLITS.visit_f64(value).map(LengthRow::One)
    }

    fn visit_str<E: de::Error>(self, value: &str) -> Result<LengthRow, E> {
        FLITS.visit_str(value).map(LengthRow::One)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<LengthRow, A::Error> {
        items(list, FLITS).map(LengthRow::Several)
    }
}

/// Rows of numbers, with commas or blanks between them; `#` begins a comment.
fn read(path: &Path) -> Result<Vec<Vec<u32>>, LengthsError> {
    let text = files::read_text(path, MOST_BYTES).map_err(|source| LengthsError::File { source })?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    let mut rows = Vec::new();
    for (line, row) in (1..).zip(text.lines()) {
        let row = row.split('#').next().unwrap_or_default().trim();
        if row.is_empty() {
            continue;
        }
        let number = |entry: &str| {
            let entry = entry.trim();
            let wrong = || LengthsError::Entry { path: path.to_owned(), line, entry: shown_beginning(entry) };
            entry.parse::<u32>().map_err(|_| wrong())
        };
        let row: Result<Vec<u32>, LengthsError> = if row.contains(',') {
            row.split(',').map(number).collect()
        } else {
            row.split_whitespace().map(number).collect()
        };
        rows.push(row?);
    }
    Ok(rows)
}

impl MessageLengths {
    /// Reads the file of the numbers, if they are in one, whose name is relative to a folder.
    pub(super) fn resolve(&mut self, folder: &Path) -> Result<(), LengthsError> {
        if let WrittenLengths::File(name) = &self.0 {
            self.0 = WrittenLengths::Rows(Arc::new(read(&folder.join(name))?));
        }
        Ok(())
    }

    /// Numbers of a file, which is not read before it is needed.
    pub fn of_file(name: &str) -> Self {
        Self(WrittenLengths::File(name.into()))
    }

    /// Returns true if each pair of nodes has a number.
    pub fn is_of_pairs(&self) -> bool {
        matches!(&self.0, WrittenLengths::Rows(rows) if rows.len() > 1)
    }

    /// The flits of each node's message, where a root scatters or gathers.
    pub(super) fn each(&self, topology: &Topology, root: usize) -> Result<Vec<u32>, LengthsError> {
        let (nodes, network) = (topology.nodes(), || topology.describe());
        let lengths = match self.rows()? {
            Ok(flits) => vec![flits; nodes as usize],
            Err([row]) if row.len() == nodes as usize => row.clone(),
            Err([row]) => return Err(LengthsError::Count { given: row.len(), nodes, network: network() }),
            Err(rows) => return Err(LengthsError::Rows { given: rows.len(), rows: 1, nodes, network: network() }),
        };
        let is_live = |node: usize| topology.is_live(NodeId(node as u32));
        let sent = lengths.iter().enumerate().filter(|&(node, _)| node != root && is_live(node));
        refuse_many(sent.map(|(_, &flits)| u64::from(flits)).sum())?;
        Ok(lengths)
    }

    /// The flits for the node at each offset, if they are said so.
    pub(super) fn offsets(&self) -> Option<&Offsets> {
        if let WrittenLengths::Offsets(offsets) = &self.0 { Some(offsets) } else { None }
    }

    /// The flits of each pair's message, where all exchange; none if each pair has one.
    pub(super) fn pairs(&self, topology: &Topology) -> Result<Option<Pairs>, LengthsError> {
        let (nodes, network) = (topology.nodes(), || topology.describe());
        let pairs = match self.rows()? {
            Ok(1) => return Ok(None),
            rows => {
                refuse_many_nodes(topology)?;
                match rows {
                    Ok(flits) => {
                        let live = u64::from(topology.live_nodes());
                        refuse_many(live * (live - 1) * u64::from(flits))?;
                        Pairs::alike(topology, flits)
                    }
                    Err(rows) if rows.len() != nodes as usize => {
                        return Err(LengthsError::Rows { given: rows.len(), rows: nodes, nodes, network: network() });
                    }
                    Err(rows) => match rows.iter().position(|row| row.len() != rows.len()) {
                        None => Pairs::new(topology, rows),
                        Some(row) => {
                            let given = rows[row].len();
                            return Err(LengthsError::Row { row: row as u32, given, nodes, network: network() });
                        }
                    },
                }
            }
        };
        refuse_many(pairs.total())?;
        Ok(Some(pairs).filter(|pairs| pairs.common(topology) != Some(1)))
    }

    /// A number for all, or else rows.
    fn rows(&self) -> Result<Result<u32, &[Vec<u32>]>, LengthsError> {
        match &self.0 {
            WrittenLengths::One(flits) => Ok(Ok(*flits)),
            WrittenLengths::Rows(rows) => Ok(Err(rows.as_slice())),
            WrittenLengths::File(path) => Err(LengthsError::Unread { path: path.clone() }),
            WrittenLengths::Offsets(_) => Err(LengthsError::Offsets),
        }
    }
}

/// The flits of each pair's message by offset.
pub(super) fn pairs_by_offset(topology: &Topology, offsets: &Offsets) -> Result<Pairs, LengthsError> {
    refuse_many_nodes(topology)?;
    offsets::check(topology, offsets)?;
    let pairs = offsets::pairs(topology, offsets);
    refuse_many(pairs.total())?;
    Ok(pairs)
}

fn refuse_many_nodes(topology: &Topology) -> Result<(), LengthsError> {
    let (nodes, most) = (topology.nodes(), Pairs::MOST_NODES);
    if nodes > most { Err(LengthsError::Nodes { nodes, most, network: topology.describe() }) } else { Ok(()) }
}

fn refuse_many(flits: u64) -> Result<(), LengthsError> {
    match flits {
        0 => Err(LengthsError::None),
        flits if flits > MOST_FLITS => Err(LengthsError::TooMany { flits, most: MOST_FLITS }),
        _ => Ok(()),
    }
}
