//! `torusweave report`: a design as one page.

use std::path::PathBuf;

use clap::Args;

use super::args::DesignArgs;
use super::error::CliError;
use super::{Outcome, output};
use crate::check;
use crate::files;
use crate::show::report;

/// Write a page that shows a whole design: numbers, pictures, rules, and packets on their way.
///
/// The page needs no network and can be moved anywhere; only its links to the generated files are relative.
#[derive(Debug, Args)]
pub struct ReportArgs {
    #[command(flatten)]
    design: DesignArgs,

    /// The page to write, like report.html; stdout if left out.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,

    /// Where the generated files lie, seen from the page; NAME if left out.
    #[arg(long, value_name = "DIR")]
    rtl: Option<String>,
}

pub fn run(args: &ReportArgs) -> Result<Outcome, CliError> {
    let design = args.design.design()?;
    let checked = check::by_either(&design.program);
    let folder = args.rtl.as_deref().unwrap_or(&design.program.title.name);
    let page = report::page(&design, &checked, folder);
    match &args.output {
        Some(path) => {
            files::write(path, page)?;
            output::progress(format_args!("wrote {}", path.display()));
        }
        None => output::text(page)?,
    }
    Ok(if checked.passed() { Outcome::Fine } else { Outcome::Failed })
}
