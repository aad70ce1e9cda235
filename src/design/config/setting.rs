//! One field of a config and its new value, from `--set path=value` or from the field's own flag.

use std::str::FromStr;

use serde_json::{Map, Value};

use super::fields::{FIELDS, PlainField};
use super::{Config, ConfigError};

/// Fields of a topology that stand beside its shape.
const BESIDE_SHAPE: [&str; 3] = ["open", "dead", "part"];

/// A field by its path, and its new value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setting {
    path: String,
    value: Value,
    /// Text as typed, for messages.
    typed: String,
}

/// Reads the `path=value` of `--set`.
impl FromStr for Setting {
    type Err = ConfigError;

    fn from_str(text: &str) -> Result<Self, ConfigError> {
        Self::parse("--set", text)
    }
}

impl Setting {
    /// Reads `path=value`, typed after `flag`.
    pub fn parse(flag: &'static str, text: &str) -> Result<Self, ConfigError> {
        let typed = format!("{flag} {text}");
        let parts = text.split_once('=').map(|(path, value)| (path.trim(), value.trim()));
        match parts.filter(|(path, _)| path.split('.').all(|key| !key.trim().is_empty())) {
            Some((path, value)) => Ok(Self { path: path.into(), value: read_value(path, value), typed }),
            None => Err(ConfigError::SetForm { flag, typed }),
        }
    }

    /// A field with one value of a list, `over.link.width` for messages.
    pub fn of_list(list: &str, path: &str, value: &Value) -> Self {
        let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        Self { path: path.into(), value: value.clone(), typed: format!("{list}.{path}: {text}") }
    }

    /// A field set by its own flag.
    pub fn by_flag(field: &PlainField, value: &str) -> Self {
        let typed = format!("--{} {value}", field.flag().unwrap_or(&field.path));
        Self { path: field.path.clone(), value: read_value(&field.path, value), typed }
    }

    /// The config with every field set, each at most once.
    pub fn apply_all(settings: &[Self], mut config: Config) -> Result<Config, ConfigError> {
        for (index, setting) in settings.iter().enumerate() {
            if let Some(before) = settings[..index].iter().find(|before| before.overlaps(setting)) {
                let path =
                    [before, setting].map(|setting| &setting.path).into_iter().max().cloned().unwrap_or_default();
                let typed = [before, setting].map(|setting| setting.typed.clone());
                return Err(ConfigError::SetTwice { path, typed });
            }
            config = setting.apply(&config)?;
        }
        Ok(config)
    }

    /// Returns true if both set the same field, or one sets a group that has the other's field.
    pub fn overlaps(&self, other: &Self) -> bool {
        self.path.split('.').zip(other.path.split('.')).all(|(one, other)| one == other)
    }

    /// The config with the field set.
    pub fn apply(&self, config: &Config) -> Result<Config, ConfigError> {
        let failed = |source| ConfigError::Set { typed: self.typed.clone(), source };
        let mut whole = serde_json::to_value(config).map_err(failed)?;
        self.set_in(&mut whole);
        self.read(whole)
    }

    /// Sets the field in a config that is not read yet.
    pub fn set_in(&self, whole: &mut Value) {
        let mut field = whole;
        for (depth, key) in self.path.split('.').enumerate() {
            let is_choice = depth == 1 && self.path.starts_with("topology.") && !BESIDE_SHAPE.contains(&key);
            if is_choice || !field.is_object() {
                // a topology has one shape: the new one takes the place of the old one and of what is taken from that. Where
                // the parent holds a plain value let the deserializer say that it cannot hold fields
                *field = Value::Object(Map::new());
            }
            field = &mut field[key];
        }
        *field = self.value.clone();
    }

    /// Reads a config in which the field is set; an error names the field.
    pub fn read(&self, whole: Value) -> Result<Config, ConfigError> {
        serde_json::from_value(whole).map_err(|source| ConfigError::Set { typed: self.typed.clone(), source })
    }
}

/// Value that is typed: lists, maps, numbers, `true` and `false` are written as in JSON; everything else is text, also `null`.
fn read_value(path: &str, text: &str) -> Value {
    let is_text = FIELDS.iter().any(|field| field.path == path && field.is_text);
    match serde_json::from_str(text) {
        Ok(value @ (Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_))) if !is_text => value,
        _ => Value::String(text.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::net::ShapeName;

    fn set(text: &str) -> Result<Config, ConfigError> {
        text.parse::<Setting>()?.apply(&Config::of(ShapeName::Torus, vec![6, 8]))
    }

    #[test]
    fn fields_are_set_by_path() {
        assert_eq!(set("link.width=16").unwrap().width(), 16);
        assert_eq!(set("name=x").unwrap().name.as_deref(), Some("x"));
        for text in ["true", "7", "[1]"] {
            assert_eq!(set(&format!("name={text}")).unwrap().name.as_deref(), Some(text));
        }
        assert_eq!(set("topology.torus=[4,4]").unwrap(), Config::of(ShapeName::Torus, vec![4, 4]));
    }

    #[test]
    fn a_shape_takes_the_place_of_another() {
        for path in ["topology.path=7", "topology.path=[7]", "topology={\"path\":7}"] {
            assert_eq!(set(path).unwrap(), Config::of(ShapeName::Path, vec![7]), "{path}");
        }
    }

    #[test]
    fn unknown_fields_and_wrong_values_are_refused() {
        for bad in [
            "link.widht=16",
            "link.width=wide",
            "name.first=x",
            "topology.torus=[4,-4]",
            "topology.ring=4",
            "width",
            "=1",
            "link..width=1",
        ] {
            assert!(set(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_field_is_set_once() {
        let width = FIELDS.iter().find(|field| field.path == "link.width").unwrap();
        let apply = |texts: &[&str]| {
            let mut settings: Vec<Setting> = texts.iter().map(|text| text.parse().unwrap()).collect();
            settings.insert(0, Setting::by_flag(width, "16"));
            Setting::apply_all(&settings, Config::of(ShapeName::Torus, vec![6, 8]))
        };
        assert!(apply(&["link.flits=2", "name=x"]).is_ok());
        for twice in [&["link.width=8"][..], &["link={\"width\":8}"], &["name=x", "name=y"]] {
            assert!(matches!(apply(twice), Err(ConfigError::SetTwice { .. })), "{twice:?}");
        }
    }
}
