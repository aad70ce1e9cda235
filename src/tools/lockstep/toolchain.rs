//! Verilator and a C++ compiler, which together make the simulator.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::tools::{ToolError, run, tool_in};

/// Verilator and a C++ compiler.
#[derive(Clone, Debug)]
pub struct Toolchain {
    /// The folder with Verilator's headers and run-time library.
    pub(super) root: PathBuf,
    /// Output of `verilator --version`.
    pub(super) version: String,
    /// Version text of the compiler.
    pub(super) compiler: String,
}

const VERILATOR: &str = "verilator_bin";
pub(super) const COMPILER: &str = "g++";
/// Options for every unit. Verilator needs nothing of later standards here, and their headers are a fifth larger: they
/// have Bessel functions that every unit would instantiate.
pub(super) const ALWAYS: [&str; 4] = ["-fPIC", "-std=c++14", "-fvisibility=hidden", "-w"];

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
        let root = std::env::var_os("VERILATOR_ROOT").filter(|root| !root.is_empty());
        let root = PathBuf::from(root.unwrap_or("/usr/share/verilator".into()));
        if !root.join("include/verilated.h").is_file() {
            return Err(ToolError::NoHeaders { root });
        }
        // the tools run elsewhere
        let root = std::path::absolute(&root).unwrap_or(root);
        let compiler = run(COMPILER, COMPILER, Command::new(COMPILER).arg("--version"))?;
        Ok(Self { root, version, compiler: String::from_utf8_lossy(&compiler.stdout).into_owned() })
    }

    /// Verilator's version in its own words.
    pub fn version(&self) -> &str {
        &self.version
    }

    /// Verilator, to work in this folder.
    pub(super) fn verilator(&self, folder: &Path) -> Command {
        let mut command = tool_in(folder, VERILATOR);
        command.env("VERILATOR_ROOT", &self.root);
        command
    }
}
