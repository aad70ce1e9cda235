//! What can be wrong with a config, and what to do about it.

use std::path::PathBuf;

use thiserror::Error;

use crate::torus::TorusError;

/// What is wrong with a config.
#[derive(Debug, Error)]
pub enum ConfigError {
    /// The file cannot be read.
    #[error("cannot read config `{}`: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The system's reason.
        source: std::io::Error,
    },
    /// The file is not the YAML of a config; the source names line and column.
    #[error("config `{}` does not read:\n{source}", path.display())]
    Yaml {
        /// The file.
        path: PathBuf,
        /// The parser's reason, with a snippet.
        source: Box<serde_yaml::Error>,
    },
    /// The sides are not a torus.
    #[error("topology.torus: {0}")]
    Torus(#[from] TorusError),
    /// The text of `--torus` is not a list of sides.
    #[error("`{text}` is not a list of sides: `{part}` is not a whole number of at least 2")]
    Sides {
        /// The text.
        text: String,
        /// The part that is not a side.
        part: String,
    },
    /// A number outside its range.
    #[error("{field}: {value} is not between 1 and {most}")]
    Range {
        /// The field.
        field: &'static str,
        /// Its value.
        value: u32,
        /// The largest allowed value.
        most: u32,
    },
    /// The name is not a Verilog identifier.
    #[error("name: `{name}` is not a Verilog identifier")]
    NotAnIdentifier {
        /// The name.
        name: String,
        /// The nearest name that is one.
        nearest: String,
    },
    /// The name is a Verilog keyword.
    #[error("name: `{name}` is a Verilog keyword")]
    Keyword {
        /// The name.
        name: String,
    },
    /// `--set` without `=`.
    #[error("`--set {text}` is not of the form path=value")]
    SetForm {
        /// The text.
        text: String,
    },
    /// `--set` of a field that does not exist, or to a value that it cannot have.
    #[error("`--set {text}`: {source}")]
    Set {
        /// The text.
        text: String,
        /// The reason.
        source: serde_json::Error,
    },
    /// Neither a file nor `--torus`.
    #[error("no design named: neither a config file nor --torus is given")]
    Nothing,
}

impl ConfigError {
    /// What to do about it.
    pub fn help(&self) -> String {
        match self {
            Self::Read { .. } => "name an existing YAML file, or use --torus 6x8 in its place".into(),
            Self::Yaml { .. } | Self::Set { .. } => "`torusweave schema` prints every field and its values".into(),
            Self::Torus(TorusError::TooLarge { .. }) => "choose smaller sides; node numbers have 32 bits".into(),
            Self::Torus(_) => "write the sides like `topology: { torus: [6, 8] }`, each at least 2".into(),
            Self::Sides { .. } => "write the sides like --torus 6x8".into(),
            Self::Range { most, .. } => format!("choose a value from 1 to {most}"),
            Self::NotAnIdentifier { nearest, .. } => format!("`{nearest}` would do"),
            Self::Keyword { name } => format!("`{name}_net` would do"),
            Self::SetForm { .. } => "for example --set link.width=16".into(),
            Self::Nothing => "name a config file, for example examples/torus-6x8.yaml, or say --torus 6x8".into(),
        }
    }
}
