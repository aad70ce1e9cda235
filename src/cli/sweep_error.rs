//! Errors of a file that describes a study, with advice.

use std::path::PathBuf;

use thiserror::Error;

use crate::design::config::{ConfigError, rendered};
use crate::files::{FilesError, Shown, shown, shown_beginning};

/// Error in the file of a sweep.
#[derive(Debug, Error)]
pub enum SweepError {
    /// The file, or one that it names, cannot be read.
    #[error(transparent)]
    Read(#[from] FilesError),
    /// The file is not the YAML of a sweep; the source names line and column.
    #[error("sweep `{}`, {}", Shown(path), rendered(path, source))]
    Yaml {
        /// Path of the file.
        path: PathBuf,
        /// The parser's reason, with a snippet.
        source: Box<serde_yaml::Error>,
    },
    /// The file has nothing in it but blanks and comments.
    #[error("sweep `{}` is empty", Shown(path))]
    Empty {
        /// Path of the file.
        path: PathBuf,
    },
    /// Fields to vary are missing.
    #[error("over: must name at least one field")]
    NoFields,
    /// A field without a list of values.
    #[error("over.{}: must be a list of values (is {})", shown(field), shown_beginning(value))]
    NotAList {
        /// Path of the field.
        field: String,
        /// Text of its value.
        value: String,
    },
    /// A value that stands twice in a list.
    #[error("over.{}: has {} twice", shown(field), shown_beginning(value))]
    Twice {
        /// Path of the field.
        field: String,
        /// Text of the value.
        value: String,
    },
    /// Two fields of which one is part of the other.
    #[error("over: `{}` and `{}` set the same field", shown(&fields[0]), shown(&fields[1]))]
    Overlap {
        /// Paths of the fields.
        fields: [String; 2],
    },
    /// More cells than a study can have.
    #[error("over: the lists make {cells} designs, {most} is the most")]
    TooMany {
        /// Number of designs.
        cells: u128,
        /// Largest number of designs.
        most: usize,
    },
    /// A network is nowhere.
    #[error("topology: must stand in `over` or in `design`")]
    NoTopology,
    /// The fields that all cells share are no config.
    #[error("design: {0}")]
    Design(serde_json::Error),
    /// A value that the field cannot have, or a file that a value names.
    #[error(transparent)]
    Value(#[from] ConfigError),
    /// Commands to run are missing.
    #[error("do: must name at least one command")]
    NoCommands,
    /// A command that is no command of a design, or whose flags are wrong.
    #[error("do: `{}`: {problem}", shown(command))]
    Command {
        /// The command as it was written.
        command: String,
        /// Problem of the command.
        problem: String,
        /// Cure for the help.
        cure: String,
    },
}

impl SweepError {
    /// Returns the cure that is shown after `help:`.
    pub fn help(&self) -> String {
        match self {
            Self::Read(error) => error.help().into(),
            Self::Yaml { .. } | Self::Empty { .. } => {
                "a sweep has `over: { topology: [{ torus: [4, 4] }], scheme: [auto, optimal] }`, `design: { collective: gossip }` and \
                 `do: [check]`"
                    .into()
            }
            Self::NoFields => "write it like `over: { link.width: [8, 32] }`".into(),
            Self::NotAList { field, value } if value.is_empty() || value == "[]" => {
                format!("give {} one value at least, or leave it out", shown(field))
            }
            Self::NotAList { field, value } => {
                format!("write it like `over: {{ {}: [{}] }}`", shown(field), shown_beginning(value))
            }
            Self::Twice { .. } => "leave one of them out".into(),
            Self::Overlap { .. } => "vary one of them, or give whole values of the larger one".into(),
            Self::TooMany { .. } => "shorten the lists, or make several studies".into(),
            Self::NoTopology => "write it like `design: { topology: { torus: [6, 8] } }`".into(),
            Self::Design(_) => "`torusweave schema` prints every field and its values".into(),
            Self::Value(error) => error.help(),
            Self::NoCommands => "write it like `do: [check]`".into(),
            Self::Command { cure, .. } => cure.clone(),
        }
    }
}
