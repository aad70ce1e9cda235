//! Why nothing could be proved.

use std::io;

use thiserror::Error;

use crate::tools::ToolError;

/// Why nothing could be proved.
#[derive(Debug, Error)]
pub enum ProveError {
    /// A tool is missing or fails.
    #[error(transparent)]
    Tool(#[from] ToolError),
    /// There is no folder to work in.
    #[error("cannot write a temporary folder: {0}")]
    Io(#[from] io::Error),
    /// Yosys wrote something else than it does.
    #[error("yosys wrote a netlist that cannot be read: {0}")]
    Netlist(#[from] serde_json::Error),
}

impl ProveError {
    /// Returns the cure that is shown after `help:`.
    pub fn help(&self) -> String {
        match self {
            Self::Tool(ToolError::Missing { package, .. }) => {
                format!("install it with `apt-get install {package}`; `torusweave check` needs nothing")
            }
            Self::Tool(error) => error.help(),
            Self::Io(_) => "set TMPDIR to a folder with space left".into(),
            Self::Netlist(_) => "yosys 0.23 and later are known to work".into(),
        }
    }
}
