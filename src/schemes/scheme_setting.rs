//! The scheme a config names: one of the list, `auto`, or a file. Its values, for YAML, flags, help and schema, are the list's.

use std::borrow::Cow;
use std::fmt;
use std::path::Path;
use std::sync::LazyLock;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{DeserializeSeed, EnumAccess, Error, VariantAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::SCHEMES;
use super::file_scheme::{FileScheme, ScheduleFile};
use crate::schedule::FILE;
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
    /// Schedule of a file.
    File(ScheduleFile),
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
            Self::File(_) => FileScheme.about().name,
        }
    }

    /// File of the schedule, if it is in one.
    pub fn file(self) -> Option<ScheduleFile> {
        if let Self::File(file) = self { Some(file) } else { None }
    }

    /// Summary in one sentence, without its full stop.
    fn summary(self) -> &'static str {
        match self {
            Self::Auto => "The scheme that takes the fewest ticks; of equal ones the smallest hardware",
            Self::Independent => "The time-independent scheme that takes the fewest ticks: its routers need no table",
            Self::One(scheme) => scheme.about().summary,
            Self::File(_) => FileScheme.about().summary,
        }
    }

    /// Checks that the scheme applies.
    pub fn fits(self, task: &Task) -> Result<(), Unmet> {
        match (self, self.choosing()) {
            (Self::One(scheme), _) => scheme.fits(task),
            // faults are found when it is read
            (Self::File(_), _) => Ok(()),
            (_, choosing) => choosing.expect("no scheme is named").fits(task),
        }
    }

    /// Returns true for a scheme that waits for the arrivals of long links.
    pub fn awaits_arrivals(self, task: &Task) -> bool {
        match self {
            Self::One(scheme) => scheme.awaits_arrivals(task),
            Self::File(_) => true,
            Self::Auto | Self::Independent => false,
        }
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

impl JsonSchema for SchemeName {
    fn schema_name() -> Cow<'static, str> {
        "Scheme".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let value = |pick: Self| json_schema!({ "description": format!("{}.", pick.summary()), "type": "string", "const": pick.name() });
        let values = Self::all().map(value);
        let file = [
            json_schema!({
                "description": "The schedule of a file beside the config: lines of sends, program.json, XML of MSCCL or RCCL, or a plan of MSCCL++.",
                "type": "object",
                "properties": { FILE: { "description": "Name of the file.", "type": "string" } },
                "required": [FILE],
                "additionalProperties": false
            }),
            json_schema!({
                "description": "The schedule of a file by its name alone, if that has a dot or a slash.",
                "type": "string",
                "pattern": ScheduleFile::PATTERN
            }),
        ];
        let values: Vec<Schema> = values.chain(file).collect();
        json_schema!({ "description": "A way to achieve a collective.", "oneOf": values })
    }
}

impl Serialize for SchemeName {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::File(file) => serializer.collect_str(file),
            _ => serializer.serialize_str(self.name()),
        }
    }
}

impl<'de> Deserialize<'de> for SchemeName {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        // an enum, so that the parser's error points at the name and not at the field
        deserializer.deserialize_enum("Scheme", names(), VariantReader)
    }
}

/// Names of all schemes, and the key of a file.
fn names() -> &'static [&'static str] {
    static NAMES: LazyLock<Vec<&str>> =
        LazyLock::new(|| SchemeName::all().map(SchemeName::name).chain([FILE]).collect());
    &NAMES
}

/// Reads a variant, and the variant's name.
struct VariantReader;

/// Variant of a config: a name, or the key of a file whose name follows.
enum SchemeVariant {
    Named(SchemeName),
    InFile,
}

impl<'de> Visitor<'de> for VariantReader {
    type Value = SchemeName;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the name of a scheme, or { file: FILE }")
    }

    fn visit_enum<A: EnumAccess<'de>>(self, data: A) -> Result<SchemeName, A::Error> {
        match data.variant_seed(VariantName)? {
            (SchemeVariant::Named(pick), rest) => {
                rest.unit_variant()?;
                Ok(pick)
            }
            (SchemeVariant::InFile, rest) => {
                let name = rest.newtype_variant::<String>()?;
                Ok(SchemeName::File(ScheduleFile::of(Path::new(&name))))
            }
        }
    }
}

/// Reads the name of a variant.
struct VariantName;

impl Visitor<'_> for VariantName {
    type Value = SchemeVariant;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the name of a scheme")
    }

    fn visit_str<E: Error>(self, name: &str) -> Result<SchemeVariant, E> {
        match SchemeName::all().find(|pick| pick.name() == name) {
            Some(pick) => Ok(SchemeVariant::Named(pick)),
            None if name == FILE => Ok(SchemeVariant::InFile),
            None if ScheduleFile::is_named(name) => {
                Ok(SchemeVariant::Named(SchemeName::File(ScheduleFile::of(Path::new(name)))))
            }
            None => Err(E::unknown_variant(name, names())),
        }
    }
}

impl<'de> DeserializeSeed<'de> for VariantName {
    type Value = SchemeVariant;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<SchemeVariant, D::Error> {
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
        }
        let names: BTreeSet<_> = SchemeName::all().map(SchemeName::name).collect();
        assert_eq!(names.len(), 2 + SCHEMES.len());
        assert!(names.iter().all(|name| !ScheduleFile::is_named(name) && *name != FILE));
    }

    #[test]
    fn files_are_named_by_a_key_or_by_a_dot_and_read_back() {
        for (text, path) in [
            (r#"{"file":"mine.csv"}"#, "mine.csv"),
            (r#""mine.csv""#, "mine.csv"),
            (r#"{"file":"mine"}"#, "./mine"),
            (r#""a/mine""#, "a/mine"),
        ] {
            let pick: SchemeName = serde_json::from_str(text).unwrap();
            assert_eq!(pick.file().unwrap().path(), Path::new(path));
            assert_eq!(serde_json::from_str::<SchemeName>(&serde_json::to_string(&pick).unwrap()).unwrap(), pick);
        }
        for bad in [r#""file""#, r#"{"file":1}"#, r#"{"files":"x.csv"}"#, r#"{"file":"x.csv","as":1}"#] {
            assert!(serde_json::from_str::<SchemeName>(bad).is_err(), "{bad}");
        }
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
