//! What can be wrong with a config, and what to do about it.

use std::path::{Path, PathBuf};

use thiserror::Error;

use crate::files::FilesError;
use crate::net::TopologyError;

/// What is wrong with a config.
#[derive(Debug, Error)]
pub enum ConfigError {
    /// The file cannot be read.
    #[error(transparent)]
    Read(#[from] FilesError),
    /// The file is not the YAML of a config; the source names line and column.
    #[error("config `{}`, {}", path.display(), rendered(path, source))]
    Yaml {
        /// The file.
        path: PathBuf,
        /// The parser's reason, with a snippet.
        source: Box<serde_yaml::Error>,
    },
    /// The file has nothing in it but blanks and comments.
    #[error("config `{}` is empty", path.display())]
    Empty {
        /// The file.
        path: PathBuf,
    },
    /// The sides are not a torus.
    #[error("topology.torus: {0}")]
    Torus(#[from] TopologyError),
    /// The torus has more links than memory has room for.
    #[error("topology.torus: {links} directed links are more than the {most} that can be laid out")]
    TooManyLinks {
        /// Directed links.
        links: u64,
        /// The most that can be laid out.
        most: u64,
    },
    /// The text of `--torus` is not a list of sides.
    #[error("`{text}` is not a list of sides{}", blame(text, part))]
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
    /// The name is longer than a file's name can be.
    #[error("name: `{start}...` has {letters} letters, {most} is the most")]
    LongName {
        /// How it begins.
        start: String,
        /// How long it is.
        letters: usize,
        /// How long it may be.
        most: usize,
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
    /// A file and `--torus`.
    #[error("two designs named: the config `{}`, and --torus in its place", path.display())]
    Both {
        /// The file.
        path: PathBuf,
    },
}

impl ConfigError {
    /// What to do about it.
    pub fn help(&self) -> String {
        match self {
            Self::Read(_) => "name an existing YAML file, or use --torus 6x8 in its place".into(),
            Self::Yaml { .. } | Self::Set { .. } => "`torusweave schema` prints every field and its values".into(),
            Self::Empty { .. } => "the least it needs is `topology: { torus: [6, 8] }`".into(),
            Self::TooManyLinks { .. } => "choose smaller sides: the rules are the same at every size".into(),
            Self::Torus(TopologyError::TooLarge { .. }) => "choose smaller sides; node numbers have 32 bits".into(),
            Self::Torus(_) => "write the sides like `topology: { torus: [6, 8] }`, each at least 2".into(),
            Self::Sides { .. } => "write the sides like --torus 6x8, each a whole number of at least 2".into(),
            Self::Range { most, .. } => format!("choose a value from 1 to {most}"),
            Self::NotAnIdentifier { nearest, .. } => format!("`{nearest}` would do"),
            Self::LongName { most, .. } => format!("files are named after it: choose one of at most {most} letters"),
            Self::Keyword { name } => format!("`{name}_net` would do"),
            Self::SetForm { .. } => "for example --set link.width=16".into(),
            Self::Nothing => "name a config file, for example examples/torus-6x8.yaml, or say --torus 6x8".into(),
            Self::Both { .. } => "leave one of them out; --set topology.torus=[6,8] changes the sides of a file".into(),
        }
    }
}

/// The parser's reason in the words for users: line, column, what is wrong, and a snippet.
fn rendered(path: &Path, source: &serde_yaml::Error) -> String {
    let name = path.display().to_string();
    let text = source.render_with_options(serde_yaml::render_options! {
        formatter: &serde_yaml::UserMessageFormatter,
        source_name: Some(name.as_str()),
    });
    let text = text.strip_prefix("error: ").unwrap_or(&text).trim_end();
    PARSER_WORDS.iter().fold(text.to_owned(), |text, (theirs, ours)| text.replace(theirs, ours))
}

/// What the parser says of YAML's inner life, and what a user can do something with.
const PARSER_WORDS: [(&str, &str); 4] = [
    ("expected mapping start", "expected named fields, as in { field: value }"),
    ("expected string scalar", "expected a text"),
    ("invalid type: unit value", "nothing there"),
    ("only single YAML document expected but multiple found", "a second document: a config is one"),
];

/// Which part of a list of sides is none.
fn blame(text: &str, part: &str) -> String {
    match part {
        "" => ": a side is missing".to_owned(),
        _ if !text.starts_with(|c: char| c.is_ascii_digit() || c == '-') || part == text => String::new(),
        part => format!(": `{part}` is not a side"),
    }
}
