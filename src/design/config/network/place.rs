//! Axes, nodes and links by the names that a config gives them: `x2`, `3,4`, `0,0 x2+`.

use std::fmt;
use std::str::FromStr;

use serde::de::{self, Deserializer, Visitor};
use serde::ser::Serializer;
use serde::{Deserialize, Serialize};

use super::super::ConfigError;
use crate::net::{MAX_AXES, Port};

/// An axis, shown as `x2`; counted from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AxisName(pub usize);

/// Coordinates of a node, shown as `3,4`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodePlace(pub Vec<u32>);

/// A link by one end, shown as `0,0 x2+`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinkName {
    /// Node at this end.
    pub at: NodePlace,
    /// Port of that node.
    pub port: Port,
}

impl FromStr for AxisName {
    type Err = ConfigError;

    fn from_str(text: &str) -> Result<Self, ConfigError> {
        let number = text.trim().strip_prefix('x').filter(|number| !number.starts_with(['+', '0']));
        let number = number.and_then(|number| number.parse::<usize>().ok()).filter(|&number| number <= MAX_AXES);
        number.map(|number| Self(number - 1)).ok_or_else(|| ConfigError::AxisText { text: text.into() })
    }
}

impl FromStr for NodePlace {
    type Err = ConfigError;

    fn from_str(text: &str) -> Result<Self, ConfigError> {
        let is_number = |part: &&str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
        let coordinate = |part: &str| Some(part.trim()).filter(is_number).and_then(|part| part.parse().ok());
        let coordinates = text.split(',').map(coordinate).collect::<Option<_>>();
        coordinates.map(Self).ok_or_else(|| ConfigError::PlaceText { text: text.into() })
    }
}

impl FromStr for LinkName {
    type Err = ConfigError;

    fn from_str(text: &str) -> Result<Self, ConfigError> {
        let (at, port) = text.trim().rsplit_once([' ', ':']).unwrap_or_default();
        match (at.trim().parse(), Port::parse(port)) {
            (Ok(at), Some(port)) => Ok(Self { at, port }),
            _ => Err(ConfigError::LinkText { text: text.into() }),
        }
    }
}

impl fmt::Display for AxisName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "x{}", self.0 + 1)
    }
}

impl fmt::Display for NodePlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.iter().map(u32::to_string).collect::<Vec<_>>().join(","))
    }
}

impl fmt::Display for LinkName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.at, self.port)
    }
}

/// Reads a name, so that the parser's error points at it.
struct NameReader<T>(&'static str, std::marker::PhantomData<T>);

impl<T: FromStr> Visitor<'_> for NameReader<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }

    fn visit_u64<E: de::Error>(self, value: u64) -> Result<T, E> {
        self.visit_str(&value.to_string())
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<T, E> {
        text.parse().map_err(|_| E::custom(format_args!("`{}` is not {}", text.escape_debug(), self.0)))
    }
}

macro_rules! written_as_text {
    ($type:ty, $expected:literal) => {
        impl Serialize for $type {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }

        impl<'de> Deserialize<'de> for $type {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                deserializer.deserialize_any(NameReader($expected, std::marker::PhantomData))
            }
        }
    };
}

written_as_text!(AxisName, "an axis like x2");
written_as_text!(NodePlace, "a node like \"3,4\"");
written_as_text!(LinkName, "a link like \"0,0 x2+\"");

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_read_back_what_they_print_and_others_are_refused() {
        for text in ["x1", "x31"] {
            assert_eq!(text.parse::<AxisName>().unwrap().to_string(), text);
        }
        for text in ["3", "3,4", "0,0,10"] {
            assert_eq!(text.parse::<NodePlace>().unwrap().to_string(), text);
        }
        for text in ["0,0 x2+", "3 x1-"] {
            assert_eq!(text.parse::<LinkName>().unwrap().to_string(), text);
            assert_eq!(text.replace(' ', ":").parse::<LinkName>().unwrap().to_string(), text);
        }
        assert!(["", "x", "x0", "x32", "y1", "2", "x+1", "x01"].iter().all(|text| text.parse::<AxisName>().is_err()));
        assert!(["", ",", "3,", "a", "-1,0", "+1"].iter().all(|text| text.parse::<NodePlace>().is_err()));
        assert!(["", "0,0", "x2+", "0,0x2+", "0,0:x2", "0,0:y2+"].iter().all(|text| text.parse::<LinkName>().is_err()));
    }
}
