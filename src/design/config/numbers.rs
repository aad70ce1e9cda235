//! One number of a config or a list of them, with errors that show which item is none.

use std::fmt;

use schemars::{Schema, json_schema};
use serde::Serialize;
use serde::de::{self, Deserializer, SeqAccess, Visitor};
use serde::ser::Serializer;

use super::number::{Whole, items};

/// One number, or a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum NumberList {
    One(u32),
    List(Vec<u32>),
}

impl NumberList {
    /// Reads numbers as they come: 3, [3, 4], or `3,4` after a flag.
    pub(super) fn read<'de, D: Deserializer<'de>>(
        deserializer: D,
        expected: &'static str,
        item: Whole,
    ) -> Result<Self, D::Error> {
        Self::read_by(',', deserializer, expected, item)
    }

    /// Reads numbers that stand after a flag with another separator: `3x4`.
    pub(super) fn read_by<'de, D: Deserializer<'de>>(
        separator: char,
        deserializer: D,
        expected: &'static str,
        item: Whole,
    ) -> Result<Self, D::Error> {
        deserializer.deserialize_any(NumbersReader { separator, expected, item })
    }

    /// Reads numbers, or a word: none.
    pub(super) fn read_or<'de, D: Deserializer<'de>>(
        word: &'static str,
        deserializer: D,
        expected: &'static str,
        item: Whole,
    ) -> Result<Option<Self>, D::Error> {
        deserializer.deserialize_any(OrWord { word, reader: NumbersReader { separator: ',', expected, item } })
    }

    pub(super) fn schema(about: &str, item: Whole) -> Schema {
        Self::schema_by(',', about, item)
    }

    pub(super) fn schema_by(separator: char, about: &str, item: Whole) -> Schema {
        json_schema!({
            "description": about,
            "anyOf": [
                item.schema(),
                { "type": "array", "items": item.schema() },
                { "type": "string", "pattern": format!("^ *[0-9]+ *({separator} *[0-9]+ *)*$") }
            ]
        })
    }
}

impl fmt::Display for NumberList {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::One(number) => write!(f, "{number}"),
            Self::List(numbers) => f.write_str(&numbers.iter().map(u32::to_string).collect::<Vec<_>>().join(",")),
        }
    }
}

/// A number as a number, a list as `2,3`: so they stand after a flag.
impl Serialize for NumberList {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::One(number) => serializer.serialize_u32(*number),
            Self::List(_) => serializer.collect_str(self),
        }
    }
}

struct NumbersReader {
    separator: char,
    expected: &'static str,
    item: Whole,
}

impl NumbersReader {
    fn number<E: de::Error>(&self, written: impl fmt::Display) -> Result<u32, E> {
        let text = written.to_string();
        text.trim().parse().map_err(|_| E::custom(format_args!("`{}` is not {}", text.escape_debug(), self.expected)))
    }
}

impl<'de> Visitor<'de> for NumbersReader {
    type Value = NumberList;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.expected)
    }

    fn visit_u64<E: de::Error>(self, value: u64) -> Result<NumberList, E> {
        self.number(value).map(NumberList::One)
    }

    fn visit_i64<E: de::Error>(self, value: i64) -> Result<NumberList, E> {
        self.number(value).map(NumberList::One)
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<NumberList, E> {
        if text.contains(self.separator) {
            text.split(self.separator).map(|part| self.number(part)).collect::<Result<_, _>>().map(NumberList::List)
        } else {
            self.number(text).map(NumberList::One)
        }
    }

    fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<NumberList, A::Error> {
        items(list, self.item).map(NumberList::List)
    }
}

/// Reads numbers, or one word.
struct OrWord {
    word: &'static str,
    reader: NumbersReader,
}

impl<'de> Visitor<'de> for OrWord {
    type Value = Option<NumberList>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.reader.expected)
    }

    fn visit_u64<E: de::Error>(self, value: u64) -> Result<Self::Value, E> {
        self.reader.visit_u64(value).map(Some)
    }

    fn visit_i64<E: de::Error>(self, value: i64) -> Result<Self::Value, E> {
        self.reader.visit_i64(value).map(Some)
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Self::Value, E> {
        if text == self.word { Ok(None) } else { self.reader.visit_str(text).map(Some) }
    }

    fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<Self::Value, A::Error> {
        self.reader.visit_seq(list).map(Some)
    }
}
