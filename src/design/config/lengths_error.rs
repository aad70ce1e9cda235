//! Errors of `lengths:`, with advice.

use std::path::PathBuf;

use thiserror::Error;

use crate::files::{FilesError, Shown};

/// Error in the lengths of messages.
#[derive(Debug, Error)]
pub enum LengthsError {
    /// Not one length a node.
    #[error("{given} for the {nodes} nodes of a {network}")]
    Count {
        /// Number of lengths given.
        given: usize,
        /// Number of nodes.
        nodes: u32,
        /// Description of the network.
        network: String,
    },
    /// Rows where there is one, or another number of them.
    #[error("{given} {} for the {nodes} nodes of a {network}", if *given == 1 { "row" } else { "rows" })]
    Rows {
        /// Number of rows given.
        given: usize,
        /// Number of rows there must be.
        rows: u32,
        /// Number of nodes.
        nodes: u32,
        /// Description of the network.
        network: String,
    },
    /// A row without a number for each node.
    #[error("the row of node {row} has {given} numbers, for the {nodes} nodes of a {network}")]
    Row {
        /// Number of the node whose row it is.
        row: u32,
        /// Number of lengths given.
        given: usize,
        /// Number of nodes.
        nodes: u32,
        /// Description of the network.
        network: String,
    },
    /// The file of the lengths cannot be read.
    #[error("{source}")]
    File {
        /// Reason for the refusal.
        source: FilesError,
    },
    /// The file of the lengths has not been read.
    #[error("`{}` is not read yet", Shown(path))]
    Unread {
        /// Path of the file.
        path: PathBuf,
    },
    /// An entry of the file is no length.
    #[error("`{entry}` in line {line} of `{}` is not a number of flits", Shown(path))]
    Entry {
        /// Path of the file.
        path: PathBuf,
        /// Number of the line, counted from 1.
        line: u32,
        /// Text of the entry.
        entry: String,
    },
    /// More pairs of nodes than there is room for.
    #[error("{nodes} nodes of a {network} are more than the {most} whose messages may differ")]
    Nodes {
        /// Number of nodes.
        nodes: u32,
        /// The most there can be.
        most: u32,
        /// Description of the network.
        network: String,
    },
    /// Offsets where one node has all messages.
    #[error("offsets are those of an exchange")]
    Offsets,
    /// An offset with other axes than the network.
    #[error("the offset `{typed}` is not one of {axes} axes, as those of a {network} are")]
    Offset {
        /// Offset as it was given.
        typed: String,
        /// Number of axes.
        axes: usize,
        /// Description of the network.
        network: String,
    },
    /// An offset that leads from a node to itself.
    #[error("the offset `{typed}` leads from a node of a {network} to itself")]
    Itself {
        /// Offset as it was given.
        typed: String,
        /// Description of the network.
        network: String,
    },
    /// An offset that leads to the node of another one.
    #[error("the offset `{typed}` leads to the same node of a {network} as `{before}`")]
    Twice {
        /// Offset as it was given.
        typed: String,
        /// The other offset.
        before: String,
        /// Description of the network.
        network: String,
    },
    /// An offset that leads beyond a border from every node.
    #[error("the offset `{typed}` leads beyond a border from every node of a {network}")]
    Nowhere {
        /// Offset as it was given.
        typed: String,
        /// Description of the network.
        network: String,
    },
    /// No message has a flit.
    #[error("no message has a flit")]
    None,
    /// More flits than can be counted.
    #[error("{flits} flits are more than the {most} that can be numbered")]
    TooMany {
        /// Number of flits.
        flits: u64,
        /// The most there can be.
        most: u64,
    },
}

impl LengthsError {
    /// Returns the cure that is shown after `help:`.
    pub fn help(&self) -> String {
        match self {
            Self::Count { nodes, .. } => {
                format!("give one number for all nodes, or {nodes}, row by row; the root's own does not count")
            }
            Self::Rows { rows: 1, .. } => "only an exchange has rows: give one number per node, row by row".into(),
            Self::Rows { nodes, .. } | Self::Row { nodes, .. } => format!(
                "an exchange has {nodes} rows of {nodes} numbers: row i has the flits from node i to each node, 0 to itself"
            ),
            Self::File { source } => format!("{}, with a row of numbers per line", source.help()),
            Self::Unread { .. } => "read it with `Config::resolved`".into(),
            Self::Entry { .. } => "write whole numbers from 0 to 4294967295, with commas or blanks between them".into(),
            Self::Nodes { .. } => "choose a smaller network, or leave `lengths` out".into(),
            Self::Offsets => "give one number per node, row by row, or take `collective: exchange`".into(),
            Self::Offset { axes, .. } => {
                format!("give hops along each axis, as in \"{}\"", vec!["1"; *axes].join(","))
            }
            Self::Itself { .. } => "leave it out: nodes send nothing to themselves".into(),
            Self::Twice { .. } => "leave one of the two out, and give the other one the flits of both".into(),
            Self::Nowhere { .. } => "leave it out, or choose fewer hops".into(),
            Self::None => "give at least one message to another node a length above 0".into(),
            Self::TooMany { .. } => "choose shorter messages".into(),
        }
    }
}
