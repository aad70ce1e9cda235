//! Verilator and a C++ compiler, which together make the simulator.

use std::path::PathBuf;
use std::process::Command;

use crate::tools::{ToolError, run};

/// Verilator and a C++ compiler.
#[derive(Clone, Debug)]
pub struct Toolchain {
    /// The folder with Verilator's headers and run-time library.
    pub(super) root: PathBuf,
    /// What `verilator --version` says, to key the cache by.
    pub(super) version: String,
}

const VERILATOR: &str = "verilator_bin";
pub(super) const COMPILER: &str = "g++";

impl Toolchain {
    /// Finds the tools and checks their version.
    pub fn find() -> Result<Self, ToolError> {
        let output = run("verilator", "verilator", Command::new(VERILATOR).arg("--version"))?;
        let version = String::from_utf8_lossy(&output.stdout).trim().to_owned();
        let number = version.split(' ').nth(1).unwrap_or_default();
        let major = number.split('.').next().and_then(|major| major.parse::<u32>().ok());
        if major.is_none_or(|major| major < 5) {
            return Err(ToolError::TooOld { found: version });
        }
        let root = PathBuf::from(std::env::var_os("VERILATOR_ROOT").unwrap_or("/usr/share/verilator".into()));
        if !root.join("include/verilated.h").is_file() {
            return Err(ToolError::NoHeaders { root });
        }
        run(COMPILER, COMPILER, Command::new(COMPILER).arg("--version"))?;
        Ok(Self { root, version })
    }

    /// Verilator's version in its own words.
    pub fn version(&self) -> &str {
        &self.version
    }

    /// A Verilator command.
    pub(super) fn verilator(&self) -> Command {
        let mut command = Command::new(VERILATOR);
        command.env("VERILATOR_ROOT", &self.root);
        command
    }
}
