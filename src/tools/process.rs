//! Other programs as processes: runs them to their end, in a folder of their own.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::atomic::{AtomicU32, Ordering};

use thiserror::Error;

/// Why the tools cannot be used.
#[derive(Debug, Error)]
pub enum ToolError {
    /// Not installed, or not in the PATH.
    #[error("`{tool}` is not installed: {source}")]
    Missing {
        /// The tool.
        tool: &'static str,
        /// The package that has it.
        package: &'static str,
        /// The system's reason.
        source: io::Error,
    },
    /// Older than what the emitted simulator needs.
    #[error("`{found}` is too old: Verilator 5.0 is needed")]
    TooOld {
        /// What `--version` says.
        found: String,
    },
    /// Verilator's headers are not where they should be.
    #[error("Verilator's headers are not in `{}`", root.display())]
    NoHeaders {
        /// Where they should be.
        root: PathBuf,
    },
    /// The tool ran and failed.
    #[error("`{tool}` failed ({status}):\n{output}")]
    Failed {
        /// The tool.
        tool: &'static str,
        /// Its exit status.
        status: std::process::ExitStatus,
        /// The end of what it printed.
        output: String,
    },
}

impl ToolError {
    /// What to do about it.
    pub fn help(&self) -> String {
        match self {
            Self::Missing { package, .. } => {
                format!("install it with `apt-get install {package}`, or use --engine model, which needs nothing")
            }
            Self::TooOld { .. } => "install Verilator 5, or use --engine model, which needs nothing".into(),
            Self::NoHeaders { .. } => "set VERILATOR_ROOT to the folder that holds include/verilated.h".into(),
            Self::Failed { .. } => "is the disk full? otherwise please report this design".into(),
        }
    }
}

/// Runs a tool to its end; a failure carries the end of what it printed.
pub fn run(tool: &'static str, package: &'static str, command: &mut Command) -> Result<Output, ToolError> {
    let output = command.output().map_err(|source| ToolError::Missing { tool, package, source })?;
    finished(tool, output)
}

/// Turns an exit status other than 0 into an error.
pub fn finished(tool: &'static str, output: Output) -> Result<Output, ToolError> {
    if output.status.success() {
        return Ok(output);
    }
    let text = [output.stdout, output.stderr].concat();
    let text = String::from_utf8_lossy(&text);
    let lines: Vec<&str> = text.lines().collect();
    let end = lines[lines.len().saturating_sub(20)..].join("\n");
    Err(ToolError::Failed { tool, status: output.status, output: end })
}

/// A folder of its own, removed in the end.
pub struct ScratchFolder(PathBuf);

impl ScratchFolder {
    /// Makes it among the system's temporary folders.
    pub fn new() -> io::Result<Self> {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let unique = format!("torusweave-{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        let path = std::env::temp_dir().join(unique);
        fs::create_dir(&path)?;
        Ok(Self(path))
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for ScratchFolder {
    fn drop(&mut self) {
        // nothing depends on it: what is left of it is in the system's folder for such things
        let _ = fs::remove_dir_all(&self.0);
    }
}
