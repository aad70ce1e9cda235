//! Form of every JSON that is printed: its format with a version, then its fields. docs/json.md lists them.

use serde::Serialize;

/// A JSON document. Its format is `torusweave-NAME/1`; the number grows when a field is renamed or removed.
#[derive(Clone, Debug, Serialize)]
pub struct Document<T> {
    format: String,
    #[serde(flatten)]
    fields: T,
}

impl<T: Serialize> Document<T> {
    /// A document of this name.
    pub fn new(name: &str, fields: T) -> Self {
        Self { format: format!("torusweave-{name}/1"), fields }
    }
}

/// Fields of a list of documents.
#[derive(Clone, Debug, Serialize)]
pub struct Items<T> {
    /// Documents of one name.
    pub items: Vec<T>,
}
