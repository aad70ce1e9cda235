//! The scheme a config names: one of the list, or `auto`. Its values, for YAML, flags, help and schema, are the list's.

use std::borrow::Cow;
use std::fmt;
use std::sync::LazyLock;

use clap::ValueEnum;
use clap::builder::PossibleValue;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{DeserializeSeed, EnumAccess, Error, VariantAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::SCHEMES;
use crate::task::Scheme;
use crate::task::Task;
use crate::task::Unmet;

/// Scheme as named in a config.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SchemeName {
    /// The scheme that takes the fewest ticks.
    #[default]
    Auto,
    /// The time-independent scheme that takes the fewest ticks.
    Independent,
    /// One scheme of the list.
    One(&'static dyn Scheme),
}

impl SchemeName {
    /// Every value, as a config lists them.
    fn all() -> impl Iterator<Item = Self> {
        [Self::Auto, Self::Independent].into_iter().chain(SCHEMES.iter().copied().map(Self::One))
    }

    /// Name in a config.
    pub fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Independent => "independent",
            Self::One(scheme) => scheme.about().name,
        }
    }

    /// Summary in one sentence, without its full stop.
    fn summary(self) -> &'static str {
        match self {
            Self::Auto => "The scheme that takes the fewest ticks; of equal ones the smallest hardware",
            Self::Independent => "The time-independent scheme that takes the fewest ticks: its routers need no table",
            Self::One(scheme) => scheme.about().summary,
        }
    }

    /// Checks that the scheme applies.
    pub fn fits(self, task: &Task) -> Result<(), Unmet> {
        match (self, self.choosing()) {
            (Self::One(scheme), _) => scheme.fits(task),
            (_, choosing) => choosing.expect("no scheme is named").fits(task),
        }
    }

    /// Returns true for a scheme that waits for the arrivals of long links.
    pub fn awaits_arrivals(self, task: &Task) -> bool {
        matches!(self, Self::One(scheme) if scheme.awaits_arrivals(task))
    }

    /// Number of steps of the program, where the scheme applies and formulas give it without building anything.
    pub fn steps(self, task: &Task) -> Option<u32> {
        let scheme = match self {
            Self::One(scheme) => scheme,
            _ => self.choosing()?.foreseen(task)?,
        };
        scheme.fits(task).ok().and_then(|()| scheme.foreseen_steps(task))
    }
}

impl From<&'static dyn Scheme> for SchemeName {
    fn from(scheme: &'static dyn Scheme) -> Self {
        Self::One(scheme)
    }
}

impl<S: Scheme> From<&'static S> for SchemeName {
    fn from(scheme: &'static S) -> Self {
        Self::One(scheme)
    }
}

impl fmt::Display for SchemeName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl ValueEnum for SchemeName {
    fn value_variants<'a>() -> &'a [Self] {
        static ALL: LazyLock<Vec<SchemeName>> = LazyLock::new(|| SchemeName::all().collect());
        &ALL
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        Some(PossibleValue::new(self.name()).help(self.summary()))
    }
}

impl JsonSchema for SchemeName {
    fn schema_name() -> Cow<'static, str> {
        "Scheme".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let value = |pick: Self| json_schema!({ "description": format!("{}.", pick.summary()), "type": "string", "const": pick.name() });
        let values: Vec<Schema> = Self::all().map(value).collect();
        json_schema!({ "description": "A way to achieve a collective.", "oneOf": values })
    }
}

impl Serialize for SchemeName {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

impl<'de> Deserialize<'de> for SchemeName {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        // an enum, so that the parser's error points at the name and not at the field
        deserializer.deserialize_enum("Scheme", names(), VariantReader)
    }
}

fn names() -> &'static [&'static str] {
    static NAMES: LazyLock<Vec<&str>> = LazyLock::new(|| SchemeName::all().map(SchemeName::name).collect());
    &NAMES
}

/// Reads a variant, and the variant's name.
struct VariantReader;

impl<'de> Visitor<'de> for VariantReader {
    type Value = SchemeName;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the name of a scheme")
    }

    fn visit_enum<A: EnumAccess<'de>>(self, data: A) -> Result<SchemeName, A::Error> {
        let (pick, rest) = data.variant_seed(VariantReader)?;
        rest.unit_variant()?;
        Ok(pick)
    }

    fn visit_str<E: Error>(self, name: &str) -> Result<SchemeName, E> {
        SchemeName::all().find(|pick| pick.name() == name).ok_or_else(|| E::unknown_variant(name, names()))
    }
}

impl<'de> DeserializeSeed<'de> for VariantReader {
    type Value = SchemeName;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<SchemeName, D::Error> {
        deserializer.deserialize_identifier(self)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::task::About;

    #[test]
    fn every_scheme_has_a_name_of_its_own_and_reads_back() {
        for pick in SchemeName::all() {
            let text = serde_json::to_string(&pick).unwrap();
            assert_eq!(serde_json::from_str::<SchemeName>(&text).unwrap(), pick);
            assert_eq!(<SchemeName as ValueEnum>::from_str(pick.name(), false).unwrap(), pick);
        }
        let names: BTreeSet<_> = SchemeName::all().map(SchemeName::name).collect();
        assert_eq!(names.len(), 2 + SCHEMES.len());
    }

    #[test]
    fn other_names_are_refused_with_the_list() {
        let error = serde_json::from_str::<SchemeName>("\"stair\"").unwrap_err().to_string();
        assert!(
            error.starts_with("unknown variant `stair`, expected one of `auto`, `independent`, `staircase`"),
            "{error}"
        );
    }

    /// The help shows a summary as a value's meaning, the schema ends it with a full stop.
    #[test]
    fn summaries_are_one_sentence_without_its_full_stop() {
        for scheme in SCHEMES {
            let About { name, summary, .. } = scheme.about();
            assert!(!summary.is_empty() && !summary.ends_with('.') && !summary.contains('\n'), "{name}");
        }
    }
}
