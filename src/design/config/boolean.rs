//! `true` and `false` of a config. With quotes they are texts, as a number is: a schema says so, and so does the parser.

use std::fmt;

use serde::de::{Deserializer, Error, Visitor};

/// Reads one; for `#[serde(deserialize_with)]`.
pub(super) fn boolean<'de, D: Deserializer<'de>>(deserializer: D) -> Result<bool, D::Error> {
    deserializer.deserialize_any(Boolean)
}

struct Boolean;

impl Visitor<'_> for Boolean {
    type Value = bool;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("true or false")
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<bool, E> {
        Ok(value)
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<bool, E> {
        Err(E::custom(format_args!("`{value}` is not true or false")))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<bool, E> {
        Err(E::custom(format_args!("`{text:?}` is not true or false")))
    }
}
