//! `together:` of a config: programs of its list that are played at once.

use serde_json::{Value, json};

use super::together_error::TogetherError;
use super::{Config, ConfigError, LIST};

/// Schema of an entry: an empty one is null in YAML.
pub(super) fn entry() -> Value {
    json!({ "type": LIST, "items": { "type": "integer", "format": "uint32", "minimum": 0 } })
}

impl Config {
    /// Numbers of the programs that are played at once, each list in the order of their words.
    pub fn together(&self) -> Result<Vec<Vec<usize>>, ConfigError> {
        let numbers = |(entry, typed): (usize, &Vec<u32>)| {
            let fault = |reason: String| Err(TogetherError { entry, reason }.into());
            let mut programs = Vec::new();
            for &number in typed {
                if number as usize >= self.programs.len() {
                    return fault(format!("program {number} is not in the list of {}", self.programs.len()));
                }
                if programs.contains(&(number as usize)) {
                    return fault(format!("program {number} is there twice"));
                }
                programs.push(number as usize);
            }
            if programs.len() < 2 { fault(format!("names {} of the programs", programs.len())) } else { Ok(programs) }
        };
        self.together.iter().enumerate().map(numbers).collect()
    }
}
