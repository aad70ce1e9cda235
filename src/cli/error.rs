//! What can go wrong in a command, and what to do about it.

use std::io;

use thiserror::Error;

use super::folder::FolderError;
use crate::config::ConfigError;
use crate::design::DesignError;
use crate::icarus::IcarusError;
use crate::lockstep::LockstepError;

/// What went wrong.
#[derive(Debug, Error)]
pub enum CliError {
    /// There is no design.
    #[error(transparent)]
    Design(#[from] DesignError),
    /// The folder cannot be written.
    #[error(transparent)]
    Folder(#[from] FolderError),
    /// Lockstep cannot run.
    #[error(transparent)]
    Lockstep(#[from] LockstepError),
    /// Icarus cannot run.
    #[error(transparent)]
    Icarus(#[from] IcarusError),
    /// The result cannot be printed.
    #[error("cannot print the result: {0}")]
    Print(#[from] io::Error),
    /// A node that the torus does not have.
    #[error("`{text}` is not a node of a {torus} torus")]
    Node {
        /// The text.
        text: String,
        /// The torus.
        torus: String,
        /// A node it has.
        example: String,
    },
    /// A port that the nodes of the torus do not have.
    #[error("`{text}` is not a port of a {torus} torus")]
    Port {
        /// The text.
        text: String,
        /// The torus.
        torus: String,
        /// The ports they have.
        ports: Vec<String>,
    },
    /// A tick that the program does not have.
    #[error("there is no tick {tick}: the program runs from tick 1 to tick {last}")]
    Tick {
        /// The tick.
        tick: u32,
        /// The last one.
        last: u32,
    },
}

impl From<ConfigError> for CliError {
    fn from(error: ConfigError) -> Self {
        Self::Design(error.into())
    }
}

impl CliError {
    /// Whether the reader of our output has gone, as `head` does: no error to speak of.
    pub fn is_closed_pipe(&self) -> bool {
        matches!(self, Self::Print(error) if error.kind() == io::ErrorKind::BrokenPipe)
    }

    /// What to do about it.
    pub fn help(&self) -> String {
        match self {
            Self::Design(error) => error.help(),
            Self::Folder(error) => error.help().into(),
            Self::Lockstep(error) => error.help(),
            Self::Icarus(error) => error.help(),
            Self::Print(_) => "is the disk full?".into(),
            Self::Port { ports, .. } => format!("its ports are {}", ports.join(", ")),
            Self::Tick { last, .. } => format!("choose a tick from 1 to {last}"),
            Self::Node { example, .. } => format!("write its coordinates, counted from 0, like --node {example}"),
        }
    }
}
