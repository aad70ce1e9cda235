//! `collective:` of a config: a collective that schemes plan, or the short form of one.

use std::borrow::Cow;
use std::fmt;
use std::sync::LazyLock;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{DeserializeSeed, Deserializer, EnumAccess, Error, VariantAccess, Visitor};
use serde::ser::Serializer;
use serde::{Deserialize, Serialize};

use super::{Config, Count};
use crate::task::Collective;

/// Collective as a config names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CollectiveName {
    /// Collective that schemes plan.
    One(Collective),
    /// Short form of an exchange whose messages go to the nodes nearby.
    Halo,
}

const HALO: &str = "halo";

impl CollectiveName {
    /// Collective that schemes plan for it.
    pub const fn planned(self) -> Collective {
        match self {
            Self::One(collective) => collective,
            Self::Halo => Collective::Exchange,
        }
    }

    /// Name in a config.
    pub const fn name(self) -> &'static str {
        match self {
            Self::One(collective) => collective.name(),
            Self::Halo => HALO,
        }
    }

    fn all() -> impl Iterator<Item = Self> {
        Collective::ALL.into_iter().map(Self::One).chain([Self::Halo])
    }

    fn aliases(self) -> &'static [&'static str] {
        if let Self::One(collective) = self { collective.aliases() } else { &[] }
    }
}

impl Config {
    /// Collective that schemes plan.
    pub fn collective(&self) -> Collective {
        self.collective.planned()
    }

    /// Words of each node's vector in an all-reduce, if the config counts them.
    pub fn vector_words(&self) -> Option<u32> {
        self.count.filter(|_| self.collective() == Collective::AllReduce).map(Count::get)
    }
}

impl Default for CollectiveName {
    fn default() -> Self {
        Self::One(Collective::default())
    }
}

impl From<Collective> for CollectiveName {
    fn from(collective: Collective) -> Self {
        Self::One(collective)
    }
}

impl fmt::Display for CollectiveName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl JsonSchema for CollectiveName {
    fn schema_name() -> Cow<'static, str> {
        "Collective".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let mut schema = Collective::json_schema(generator);
        if let Some(choices) = schema.get_mut("oneOf").and_then(|choices| choices.as_array_mut()) {
            let about =
                "Every node sends a message to each node within `reach`: the short form of an exchange with offsets.";
            let halo = json_schema!({ "description": about, "type": "string", "const": HALO });
            choices.push(halo.to_value());
        }
        schema
    }
}

impl Serialize for CollectiveName {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

impl<'de> Deserialize<'de> for CollectiveName {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        // an enum, so that the parser's error points at the name and not at the field
        deserializer.deserialize_enum("Collective", names(), CollectiveReader)
    }
}

/// All names that a config accepts.
fn names() -> &'static [&'static str] {
    static NAMES: LazyLock<Vec<&str>> = LazyLock::new(|| {
        CollectiveName::all().flat_map(|one| [one.name()].into_iter().chain(one.aliases().iter().copied())).collect()
    });
    &NAMES
}

/// Reads a name.
struct CollectiveReader;

impl<'de> Visitor<'de> for CollectiveReader {
    type Value = CollectiveName;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the name of a collective")
    }

    fn visit_enum<A: EnumAccess<'de>>(self, data: A) -> Result<CollectiveName, A::Error> {
        let (name, rest) = data.variant_seed(Self)?;
        rest.unit_variant()?;
        Ok(name)
    }

    fn visit_str<E: Error>(self, name: &str) -> Result<CollectiveName, E> {
        let found = CollectiveName::all().find(|one| one.name() == name || one.aliases().contains(&name));
        found.ok_or_else(|| E::unknown_variant(name, names()))
    }
}

impl<'de> DeserializeSeed<'de> for CollectiveReader {
    type Value = CollectiveName;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<CollectiveName, D::Error> {
        deserializer.deserialize_identifier(self)
    }
}
