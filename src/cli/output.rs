//! Prints results to stdout or into a file, text as it is, JSON indented; progress to stderr.

use std::fmt::Display;
use std::io::{self, Write};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use serde::Serialize;

use super::error::CliError;
use crate::files::{self, Shown, shown_lines};
use crate::program::{Document, Items};

/// Prints text to stdout.
pub fn text(text: impl Display) -> io::Result<()> {
    let mut stdout = io::stdout().lock();
    write!(stdout, "{text}")?;
    stdout.flush()
}

/// Closes stdout at the end of the run.
pub fn close() -> io::Result<()> {
    files::close_stdout()
}

/// Writes a result to the file that is named, or to stdout if there is none or `-`.
pub fn to(path: Option<&Path>, text: &str) -> Result<(), CliError> {
    match path.filter(|path| !files::is_standard(path)) {
        Some(path) => {
            files::write(path, text)?;
            progress(format_args!("wrote {}", Shown(path)));
        }
        None => self::text(text)?,
    }
    Ok(())
}

/// Prints one result as a JSON document of this name, and several as a list of such documents.
pub fn json_of_each<T: Serialize>(name: &str, results: &[T]) -> io::Result<()> {
    json_items(results.iter().map(|result| Document::new(name, result)).collect())
}

/// Prints one document as it is, and several as a list.
pub fn json_items<T: Serialize>(items: Vec<T>) -> io::Result<()> {
    if let [one] = items.as_slice() { value(one) } else { json("list", &Items { items }) }
}

/// True with `--quiet`: progress is not shown.
static IS_QUIET: AtomicBool = AtomicBool::new(false);

/// Hides progress from now on.
pub fn be_quiet() {
    IS_QUIET.store(true, Ordering::Relaxed);
}

/// Returns true if progress is hidden.
pub fn is_quiet() -> bool {
    IS_QUIET.load(Ordering::Relaxed)
}

/// Prints on stderr what was done, unless that is hidden.
pub fn progress(line: impl Display) {
    if !is_quiet() {
        message(line);
    }
}

/// Prints on stderr what must be known even if progress is hidden. A closed stderr is no reason to fail.
pub fn message(line: impl Display) {
    let _ = writeln!(io::stderr(), "{line}");
}

/// The longest line of an error: what a user typed may have any length.
const LONGEST: usize = 400;

/// Prints an error on stderr.
pub fn error(text: impl Display) {
    message(presentable(&text.to_string()));
}

/// A message with nothing in it that steers the terminal, its lines of a bearable length.
pub fn presentable(text: &str) -> String {
    let lines: Vec<String> = shown_lines(text).lines().map(shortened).collect();
    lines.join("\n")
}

/// A line with its middle left out if it is too long.
fn shortened(line: &str) -> String {
    let letters = line.chars().count();
    if letters <= LONGEST {
        return line.to_owned();
    }
    let start: String = line.chars().take(LONGEST / 2).collect();
    let end: String = line.chars().skip(letters - LONGEST / 2).collect();
    format!("{start}[...]{end}")
}

/// Prints a JSON document of this name; docs/json.md lists them.
pub fn json(name: &str, fields: &impl Serialize) -> io::Result<()> {
    value(&Document::new(name, fields))
}

/// Prints a value as JSON.
pub fn value(value: &impl Serialize) -> io::Result<()> {
    let mut stdout = io::stdout().lock();
    serde_json::to_writer_pretty(&mut stdout, value)?;
    writeln!(stdout)?;
    stdout.flush()
}
