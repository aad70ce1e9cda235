//! Sides of a torus, from YAML and from `6x8`, with errors that show what stands there.

use std::fmt;

use serde::de::{self, Deserialize, Deserializer, Visitor};

use super::ConfigError;

/// Reads `6x8`.
pub fn parse_sides(text: &str) -> Result<Vec<u32>, ConfigError> {
    let side = |part: &str| {
        let number = part.parse().ok().filter(|&side: &u32| side >= 2);
        number.ok_or_else(|| ConfigError::Sides { text: text.into(), part: part.into() })
    };
    text.split('x').map(side).collect()
}

/// Reads the sides of a config.
pub(super) fn sides<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<u32>, D::Error> {
    let sides: Vec<Side> = Vec::deserialize(deserializer)?;
    Ok(sides.into_iter().map(|Side(side)| side).collect())
}

/// One side. Numbers that are no side are refused here, where the parser still knows line and column.
struct Side(u32);

impl<'de> Deserialize<'de> for Side {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(SideVisitor)
    }
}

struct SideVisitor;

fn refuse<E: de::Error>(value: impl fmt::Display) -> E {
    E::custom(format_args!("`{value}` is not a side of a torus: a side is a whole number from 2 to 4294967295"))
}

impl Visitor<'_> for SideVisitor {
    type Value = Side;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a side: a whole number of at least 2")
    }

    fn visit_u64<E: de::Error>(self, value: u64) -> Result<Side, E> {
        u32::try_from(value).ok().filter(|&side| side >= 2).map(Side).ok_or_else(|| refuse(value))
    }

    fn visit_i64<E: de::Error>(self, value: i64) -> Result<Side, E> {
        u64::try_from(value).map_err(|_| refuse(value)).and_then(|value| self.visit_u64(value))
    }

    fn visit_f64<E: de::Error>(self, value: f64) -> Result<Side, E> {
        Err(refuse(value))
    }

    fn visit_str<E: de::Error>(self, value: &str) -> Result<Side, E> {
        Err(refuse(value))
    }
}
