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
    /// Designs that are no list.
    #[error("cells: must be a list with one design at least")]
    NotCells,
    /// A design that is no map of fields.
    #[error("cells.{index}: must be a map of fields (is {})", shown_beginning(value))]
    NotACell {
        /// Number of the design, from 0.
        index: usize,
        /// Text of the value.
        value: String,
    },
    /// A design that stands twice.
    #[error("cells.{index}: sets the same fields as cells.{before}")]
    CellTwice {
        /// Number of the design, from 0.
        index: usize,
        /// Number of the same design before.
        before: usize,
    },
    /// A name of two designs.
    #[error("cells: two have the name {}", shown_beginning(name))]
    NameTwice {
        /// The name as it was written.
        name: String,
    },
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
    /// Two fields of which one is part of the other, or the same.
    #[error("`{}` and `{}` set the same field", shown(&fields[0]), shown(&fields[1]))]
    Overlap {
        /// Paths of the fields.
        fields: [String; 2],
    },
    /// More cells than a study can have.
    #[error("cells, over: the lists make {cells} designs, {most} is the most")]
    TooMany {
        /// Number of designs.
        cells: u128,
        /// Largest number of designs.
        most: usize,
    },
    /// A network is nowhere.
    #[error("topology: must stand in `over`, in `design` or in each of `cells`")]
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
            Self::NoFields => "write it like `over: { link.width: [8, 32] }`, or list designs in `cells`".into(),
            Self::NotAList { field, value } if value.is_empty() || value == "[]" => {
                format!("give {} one value at least, or leave it out", shown(field))
            }
            Self::NotAList { field, value } => {
                format!("write it like `over: {{ {}: [{}] }}`", shown(field), shown_beginning(value))
            }
            Self::NotCells => "write it like `cells: [{ scheme: auto }, { scheme: optimal, link.width: 16 }]`".into(),
            Self::NotACell { .. } => "write it like `{ scheme: optimal, link.width: 16 }`".into(),
            Self::Twice { .. } | Self::CellTwice { .. } => "leave one of them out".into(),
            Self::NameTwice { .. } => "give each a name of its own, or leave the names out".into(),
            Self::Overlap { .. } => "leave one of them out, or give whole values of the larger one".into(),
            Self::TooMany { .. } => "shorten the lists, or make several studies".into(),
            Self::NoTopology => "write it like `design: { topology: { torus: [6, 8] } }`".into(),
            Self::Design(_) => "`torusweave schema` prints every field and its values".into(),
            Self::Value(error) => error.help(),
            Self::NoCommands => "write it like `do: [check]`".into(),
            Self::Command { cure, .. } => cure.clone(),
        }
    }
}
