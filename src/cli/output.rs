//! Prints results to stdout, text as it is, JSON indented; progress to stderr.

use std::fmt::Display;
use std::io::{self, Write};

use serde::Serialize;

/// Prints text to stdout.
pub fn text(text: impl Display) -> io::Result<()> {
    let mut stdout = io::stdout().lock();
    write!(stdout, "{text}")?;
    stdout.flush()
}

/// Says on stderr what was done. That nobody can read it is no reason to fail.
pub fn progress(line: impl Display) {
    let _ = writeln!(io::stderr(), "{line}");
}

/// Prints a value as JSON.
pub fn json(value: &impl Serialize) -> io::Result<()> {
    let mut stdout = io::stdout().lock();
    serde_json::to_writer_pretty(&mut stdout, value)?;
    writeln!(stdout)?;
    stdout.flush()
}
