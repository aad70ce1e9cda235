//! Z3, asked by files in SMT-LIB.

use std::io;
use std::path::Path;
use std::process::Command;

use crate::tools::{ToolError, run};

const COMMAND: &str = "z3";
/// Seconds that a question may take; the slowest obligation takes one.
const SECONDS: u32 = 60;

/// Solver Z3 and its version.
#[derive(Clone, Debug)]
pub struct Z3 {
    command: &'static str,
    version: String,
}

impl Z3 {
    /// Finds Z3 on the path and asks for its version.
    pub fn find() -> Result<Self, ToolError> {
        let output = run(COMMAND, "z3", Command::new(COMMAND).arg("--version"))?;
        let said = String::from_utf8_lossy(&output.stdout);
        // `Z3 version 4.8.12 - 64 bit`
        let version = said.split_whitespace().find(|word| word.starts_with(|c: char| c.is_ascii_digit()));
        Ok(Self { command: COMMAND, version: version.unwrap_or("of an unknown version").to_owned() })
    }

    /// Version, for example `4.8.12`.
    pub fn version(&self) -> &str {
        &self.version
    }

    /// Answers to the questions of a file: `sat`, `unsat`, or a reason.
    pub(super) fn ask(&self, file: &Path) -> io::Result<Vec<String>> {
        let output = Command::new(self.command).arg(format!("-T:{SECONDS}")).arg(file).output()?;
        Ok(String::from_utf8_lossy(&output.stdout).lines().map(str::to_owned).collect())
    }
}
