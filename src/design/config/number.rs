//! The whole numbers of a config, with errors that show what was written and what would do.

use std::borrow::Cow;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{self, DeserializeSeed, Deserializer, SeqAccess, Visitor};
use serde::{Deserialize, Serialize};

/// A side of 1 or 0 has no links of its own.
pub(super) const LEAST_SIDE: u32 = 2;
pub(super) const SIDE: Whole = Whole { what: "a side, a whole number", least: LEAST_SIDE, most: u32::MAX };

/// A number from 1 to `MOST`. The range stands here only: parser, schema and messages take it from the type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Count<const MOST: u32>(u32);

impl<const MOST: u32> Count<MOST> {
    const WHOLE: Whole = Whole { what: "a whole number", least: 1, most: MOST };

    /// A number known to be in range.
    pub const fn new(value: u32) -> Self {
        assert!(1 <= value && value <= MOST);
        Self(value)
    }

    /// Value of the number.
    pub const fn get(self) -> u32 {
        self.0
    }
}

impl<'de, const MOST: u32> Deserialize<'de> for Count<MOST> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::WHOLE.deserialize(deserializer).map(Self)
    }
}

impl<const MOST: u32> JsonSchema for Count<MOST> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        format!("Count{MOST}").into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        Self::WHOLE.schema()
    }
}

/// Flits of a message.
pub(super) const FLITS: Whole = Whole::any("a number of flits, a whole number");

/// A whole number in a range. Others are refused here, where the parser still knows line and column.
#[derive(Clone, Copy)]
pub(super) struct Whole {
    what: &'static str,
    least: u32,
    most: u32,
}

impl Whole {
    /// Any that a u32 has room for.
    pub(super) const fn any(what: &'static str) -> Self {
        Self { what, least: 0, most: u32::MAX }
    }

    pub(super) fn schema(self) -> Schema {
        json_schema!({ "type": "integer", "minimum": self.least, "maximum": self.most })
    }

    fn refuse<E: de::Error>(self, written: impl fmt::Display) -> E {
        E::custom(format_args!("`{written}` is not {self}"))
    }
}

impl fmt::Display for Whole {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} from {} to {}", self.what, self.least, self.most)
    }
}

impl<'de> DeserializeSeed<'de> for Whole {
    type Value = u32;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<u32, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl Visitor<'_> for Whole {
    type Value = u32;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }

    fn visit_u64<E: de::Error>(self, value: u64) -> Result<u32, E> {
        let number = u32::try_from(value).ok().filter(|value| (self.least..=self.most).contains(value));
        number.ok_or_else(|| self.refuse(value))
    }

    fn visit_i64<E: de::Error>(self, value: i64) -> Result<u32, E> {
        u64::try_from(value).map_err(|_| self.refuse(value)).and_then(|value| self.visit_u64(value))
    }

    fn visit_f64<E: de::Error>(self, value: f64) -> Result<u32, E> {
        if value.fract() == 0.0 {
            // the reader makes one number of `6.0` and `06`
            return Err(E::custom(format_args!(
                "`{value:?}` is not {self}, written without a point and leading zeros"
            )));
        }
        Err(self.refuse(format_args!("{value:?}")))
    }

    fn visit_str<E: de::Error>(self, value: &str) -> Result<u32, E> {
        // a text that looks like a number had quotes
        if value.parse::<f64>().is_ok() { Err(self.refuse(format_args!("{value:?}"))) } else { Err(self.refuse(value)) }
    }
}

/// Optional number, which may be null.
#[derive(Clone, Copy)]
pub(super) struct OrNull(pub(super) Whole);

impl<'de> DeserializeSeed<'de> for OrNull {
    type Value = Option<u32>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Option<u32>, D::Error> {
        deserializer.deserialize_option(self)
    }
}

impl<'de> Visitor<'de> for OrNull {
    type Value = Option<u32>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }

    fn visit_none<E: de::Error>(self) -> Result<Option<u32>, E> {
        Ok(None)
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Option<u32>, D::Error> {
        self.0.deserialize(deserializer).map(Some)
    }
}

/// A list, each item read like the others.
pub(super) fn items<'de, A, I>(mut list: A, item: I) -> Result<Vec<I::Value>, A::Error>
where
    A: SeqAccess<'de>,
    I: DeserializeSeed<'de> + Copy,
{
    let mut items = Vec::new();
    while let Some(one) = list.next_element_seed(item)? {
        items.push(one);
    }
    Ok(items)
}
