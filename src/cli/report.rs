//! `torusweave report`: a design as one page.

use std::path::PathBuf;

use clap::Args;

use super::args::ScheduleArgs;
use super::error::CliError;
use super::progress::Progress;
use super::{CommandEnd, check, output};
use crate::draw::{self, report};

/// Write a page that shows a whole design: numbers, pictures, rules, and packets on their way.
///
/// The page needs no network and can be moved anywhere; only its links to the generated files are relative.
#[derive(Debug, Args)]
pub struct ReportArgs {
    #[command(flatten)]
    design: ScheduleArgs,

    /// The page to write, like report.html; stdout if left out or -.
    #[arg(short, long, alias = "output", value_name = "FILE")]
    out: Option<PathBuf>,

    /// Folder of the generated files, relative to the page [default: NAME]
    #[arg(long, value_name = "DIR")]
    rtl: Option<String>,
}

pub fn run(args: &ReportArgs) -> Result<CommandEnd, CliError> {
    let folder = args.rtl.as_deref().map(link).transpose()?;
    let design = args.design.design()?;
    let (checked, known) = check::checked_seen(&design.program, &draw::times(&design.program));
    let progress = Progress::of(format!("drawing {}", design.program.title.name));
    let folder = folder.unwrap_or(&design.program.title.name);
    let page = report::page(&design, &checked, &known, folder);
    drop(progress);
    output::to(args.out.as_deref(), &page)?;
    Ok(if checked.passed() { CommandEnd::Fine } else { CommandEnd::Failed })
}

/// Kinds of links that lead to files. A browser runs what stands behind others, `javascript:` for one.
const TO_FILES: [&str; 3] = ["http", "https", "file"];

/// Refuses what a browser does not take for a folder. It skips blanks and control characters where a kind is looked for.
fn link(folder: &str) -> Result<&str, CliError> {
    let plain: String = folder.chars().filter(|c| !c.is_whitespace() && !c.is_control()).collect();
    let kind = plain.split_once(':').map(|(kind, _)| kind).filter(|kind| !kind.contains('/'));
    match kind {
        Some(kind) if !TO_FILES.contains(&kind.to_ascii_lowercase().as_str()) => {
            Err(CliError::Link { link: folder.to_owned() })
        }
        _ => Ok(folder),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_that_run_something_are_refused() {
        for folder in ["..", "../generated/x", "https://example.org/x", "FILE:///x", "a/b:c", ""] {
            assert!(link(folder).is_ok(), "{folder}");
        }
        for folder in
            ["javascript:alert(1)", " JavaScript:x", "java\nscript:x", "\u{1}javascript:x", "data:text/html,x"]
        {
            assert!(link(folder).is_err(), "{folder}");
        }
    }
}
