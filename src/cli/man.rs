//! `torusweave man`: the manual pages.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use clap::{Args, Command};
use clap_mangen::Man;

use super::error::CliError;
use super::{Outcome, output};

/// Print the manual page, or write the pages of all commands into a folder.
#[derive(Debug, Args)]
pub struct ManArgs {
    /// Where torusweave.1 and a page for each command go; stdout takes only the first.
    #[arg(value_name = "DIR")]
    folder: Option<PathBuf>,
}

pub fn run(args: &ManArgs) -> Result<Outcome, CliError> {
    let command = super::command();
    let Some(folder) = &args.folder else {
        let mut page = Vec::new();
        Man::new(command).render(&mut page)?;
        output::text(String::from_utf8_lossy(&page))?;
        return Ok(Outcome::Fine);
    };
    write(folder, command).map_err(|source| CliError::Write { path: folder.clone(), source })?;
    eprintln!("wrote the manual pages to {}", folder.display());
    Ok(Outcome::Fine)
}

/// `torusweave.1`, `torusweave-generate.1`, ...
fn write(folder: &Path, command: Command) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    clap_mangen::generate_to(command, folder)
}
