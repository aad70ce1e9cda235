//! `--set path=value`: overrides one field of a config.

use std::str::FromStr;

use serde_json::Value;

use super::{Config, ConfigError};

/// A field by its path, and its new value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setting {
    path: String,
    value: String,
}

impl FromStr for Setting {
    type Err = ConfigError;

    fn from_str(text: &str) -> Result<Self, ConfigError> {
        let (path, value) = text.split_once('=').ok_or_else(|| ConfigError::SetForm { text: text.into() })?;
        if path.split('.').any(|key| key.trim().is_empty()) {
            return Err(ConfigError::SetForm { text: text.into() });
        }
        Ok(Self { path: path.trim().into(), value: value.trim().into() })
    }
}

impl Setting {
    /// The config with the field set.
    pub fn apply(&self, config: &Config) -> Result<Config, ConfigError> {
        let failed = |source| ConfigError::Set { text: format!("{}={}", self.path, self.value), source };
        let mut whole = serde_json::to_value(config).map_err(failed)?;
        let mut field = &mut whole;
        for key in self.path.split('.') {
            if !field.is_object() {
                // the parent holds a plain value: let the deserializer say that it cannot hold fields
                *field = Value::Object(serde_json::Map::new());
            }
            field = &mut field[key];
        }
        // lists, maps and numbers are written as in JSON; everything else is text, also `true` and `null`
        *field = match serde_json::from_str(&self.value) {
            Ok(value @ (Value::Number(_) | Value::Array(_) | Value::Object(_))) => value,
            _ => Value::String(self.value.clone()),
        };
        serde_json::from_value(whole).map_err(failed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(text: &str) -> Result<Config, ConfigError> {
        text.parse::<Setting>()?.apply(&Config::of_torus(vec![6, 8]))
    }

    #[test]
    fn fields_are_set_by_path() {
        assert_eq!(set("link.width=16").unwrap().link.width, 16);
        assert_eq!(set("name=x").unwrap().name.as_deref(), Some("x"));
        assert_eq!(set("name=true").unwrap().name.as_deref(), Some("true"));
        assert_eq!(set("topology.torus=[4,4]").unwrap().topology.torus, [4, 4]);
    }

    #[test]
    fn unknown_fields_and_wrong_values_are_refused() {
        for bad in [
            "link.widht=16",
            "link.width=wide",
            "name.first=x",
            "topology.torus=[4,-4]",
            "width",
            "=1",
            "link..width=1",
        ] {
            assert!(set(bad).is_err(), "{bad}");
        }
    }
}
