//! The numbers of a config, from YAML and from `6x8`, with errors that show what stands there.

use std::fmt;

use serde::de::{self, DeserializeSeed, Deserializer, SeqAccess, Visitor};

use super::ConfigError;

/// Reads `6x8`.
pub fn parse_sides(text: &str) -> Result<Vec<u32>, ConfigError> {
    let side = |part: &str| {
        let number = part.parse().ok().filter(|&side: &u32| side >= SIDE.least);
        number.ok_or_else(|| ConfigError::Sides { text: text.into(), part: part.into() })
    };
    text.split('x').map(side).collect()
}

/// Reads the sides of a config.
pub(super) fn sides<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<u32>, D::Error> {
    deserializer.deserialize_any(Sides)
}

/// Reads a number of bits or flits; how many there may be is checked with the flags that set them too.
pub(super) fn count<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u32, D::Error> {
    COUNT.deserialize(deserializer)
}

/// A whole number. Others are refused here, where the parser still knows line and column.
#[derive(Clone, Copy)]
struct Whole {
    what: &'static str,
    least: u32,
}

const SIDE: Whole = Whole { what: "a side of a torus, a whole number from 2 to 4294967295", least: 2 };
const COUNT: Whole = Whole { what: "a whole number of at least 1", least: 0 };

impl Whole {
    fn refuse<E: de::Error>(self, value: impl fmt::Display) -> E {
        E::custom(format_args!("`{value}` is not {}", self.what))
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
        f.write_str(self.what)
    }

    fn visit_u64<E: de::Error>(self, value: u64) -> Result<u32, E> {
        u32::try_from(value).ok().filter(|&value| value >= self.least).ok_or_else(|| self.refuse(value))
    }

    fn visit_i64<E: de::Error>(self, value: i64) -> Result<u32, E> {
        u64::try_from(value).map_err(|_| self.refuse(value)).and_then(|value| self.visit_u64(value))
    }

    fn visit_f64<E: de::Error>(self, value: f64) -> Result<u32, E> {
        Err(self.refuse(value))
    }

    fn visit_str<E: de::Error>(self, value: &str) -> Result<u32, E> {
        Err(self.refuse(value))
    }
}

/// A list of sides.
struct Sides;

impl<'de> Visitor<'de> for Sides {
    type Value = Vec<u32>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of sides like [6, 8]")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Vec<u32>, A::Error> {
        let mut sides = Vec::new();
        while let Some(side) = list.next_element_seed(SIDE)? {
            sides.push(side);
        }
        Ok(sides)
    }
}
