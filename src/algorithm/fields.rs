//! Fields of a JSON file by their paths, with the types that a reader requires.

use serde_json::Value;

use super::error::FileFault;
use super::rules::Buffer;

/// A value and its path in the file.
pub(super) struct FileField<'v> {
    value: &'v Value,
    path: String,
}

impl<'v> FileField<'v> {
    pub fn top(value: &'v Value) -> Self {
        Self { value, path: String::new() }
    }

    /// Fault of this field.
    pub fn fault(&self, what: &str) -> FileFault {
        let place = if self.path.is_empty() { "the plan".to_owned() } else { format!("`{}`", self.path) };
        FileFault::Rule { place: place.into(), what: what.to_owned() }
    }

    /// Field of an object, if it is there.
    pub fn find(&self, name: &str) -> Option<Self> {
        let path = if self.path.is_empty() { name.to_owned() } else { format!("{}.{name}", self.path) };
        Some(Self { value: self.value.get(name)?, path })
    }

    pub fn get(&self, name: &str) -> Result<Self, FileFault> {
        self.find(name).ok_or_else(|| self.fault(&format!("requires the field `{name}`")))
    }

    pub fn text(&self) -> Result<&'v str, FileFault> {
        self.value.as_str().ok_or_else(|| self.fault(&format!("must be a text (is {})", self.shown())))
    }

    pub fn truth(&self) -> Result<bool, FileFault> {
        self.value.as_bool().ok_or_else(|| self.fault(&format!("must be true or false (is {})", self.shown())))
    }

    /// One of some words.
    pub fn word(&self, words: &[&str]) -> Result<&'v str, FileFault> {
        let text = self.text()?;
        if words.contains(&text) {
            return Ok(text);
        }
        Err(self.fault(&format!("must be {}; others are not judged (is `{text}`)", words.join(" or "))))
    }

    pub fn number(&self, least: u64, most: u64) -> Result<u64, FileFault> {
        let number = self.value.as_u64().filter(|number| (least..=most).contains(number));
        let range = if least == most { format!("must be {least}") } else { format!("must be from {least} to {most}") };
        number.ok_or_else(|| self.fault(&format!("{range} (is {})", self.shown())))
    }

    pub fn list(&self) -> Result<Vec<Self>, FileFault> {
        let list = self.value.as_array().ok_or_else(|| self.fault(&format!("must be a list (is {})", self.shown())))?;
        let path = &self.path;
        Ok(list.iter().enumerate().map(|(at, value)| Self { value, path: format!("{path}[{at}]") }).collect())
    }

    /// A list of indices into so many things.
    pub fn numbers(&self, count: usize, of: &str) -> Result<Vec<usize>, FileFault> {
        let number = |field: &Self| {
            let number = field.value.as_u64().filter(|&number| number < count as u64);
            number.map(|number| number as usize).ok_or_else(|| {
                field.fault(&format!("must be one of {of}, of which there are {count} (is {})", field.shown()))
            })
        };
        self.list()?.iter().map(number).collect()
    }

    pub fn buffer(&self) -> Result<Buffer, FileFault> {
        match self.text()? {
            "i" => Ok(Buffer::Input),
            "o" => Ok(Buffer::Output),
            "s" => Ok(Buffer::Scratch),
            other => Err(self.fault(&format!("must be i, o or s (is `{other}`)"))),
        }
    }

    fn shown(&self) -> String {
        let text = self.value.to_string();
        if text.len() > 40 { format!("{}...", text.chars().take(40).collect::<String>()) } else { text }
    }
}
