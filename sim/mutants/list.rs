//! The mutants, as `cargo mutants --list --json` gives them.

use std::path::Path;
use std::process::Command;

use serde::Deserialize;

/// A place in a file; lines and columns count from 1, columns in characters.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place {
    pub line: usize,
    pub column: usize,
}

#[derive(Clone, Copy, Debug, Deserialize)]
pub struct Span {
    pub start: Place,
    pub end: Place,
}

#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq, Hash)]
pub enum Genre {
    FnValue,
    BinaryOperator,
    UnaryOperator,
    MatchArm,
    MatchArmGuard,
}

#[derive(Clone, Debug, Deserialize)]
pub struct Function {
    pub function_name: String,
}

#[derive(Clone, Debug, Deserialize)]
pub struct Mutant {
    pub file: String,
    pub function: Option<Function>,
    pub genre: Genre,
    pub replacement: String,
    pub span: Span,
}

/// All mutants of the files that match one of these patterns.
pub fn mutants(project: &Path, files: &[String]) -> Result<Vec<Mutant>, String> {
    let mut command = Command::new("cargo");
    command.current_dir(project).args(["mutants", "--list", "--json", "--no-config"]);
    for file in files {
        command.args(["--file", file]);
    }
    let output = command.output().map_err(|error| format!("cargo: {error}"))?;
    if !output.status.success() {
        return Err(format!(
            "cargo mutants does not answer: cargo install cargo-mutants --version 25.3.1\n{}",
            String::from_utf8_lossy(&output.stderr)
        ));
    }
    serde_json::from_slice(&output.stdout).map_err(|error| format!("the list of cargo-mutants: {error}"))
}
