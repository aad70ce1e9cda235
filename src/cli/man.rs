//! `torusweave man`: the manual pages.

use std::fs;
use std::path::{Path, PathBuf};

use clap::{Args, Command};
use clap_mangen::Man;

use super::error::CliError;
use super::{CommandEnd, output};
use crate::files::{self, FilesError, Shown};

/// Print the manual page, or write the pages of all commands into a folder.
#[derive(Debug, Args)]
pub struct ManArgs {
    /// Folder for torusweave.1 and a page per command; without it, stdout gets only the first
    #[arg(value_name = "DIR")]
    folder: Option<PathBuf>,
}

const MAIN_PAGE: &str = "torusweave.1";
/// Sections of the manual that no flag documents.
const ENVIRONMENT_AND_FILES: &str = include_str!("../../templates/man/environment.roff");

pub fn run(args: &ManArgs) -> Result<CommandEnd, CliError> {
    // a page has the same contents without it
    let mut command = super::command().disable_help_subcommand(true);
    let Some(folder) = &args.folder else {
        let mut page = Vec::new();
        Man::new(command).render(&mut page)?;
        page.extend_from_slice(ENVIRONMENT_AND_FILES.as_bytes());
        output::text(String::from_utf8_lossy(&page))?;
        return Ok(CommandEnd::Fine);
    };
    files::refuse_standard(folder)?;
    fs::create_dir_all(folder).map_err(|source| FilesError::Write { path: folder.clone(), source })?;
    command.build();
    write(folder, command)?;
    output::progress(format_args!("wrote the manual pages to {}", Shown(folder)));
    Ok(CommandEnd::Fine)
}

/// `torusweave-generate.1`, ..., `torusweave.1`.
fn write(folder: &Path, command: Command) -> Result<(), CliError> {
    for command in command.get_subcommands().cloned() {
        write(folder, command)?;
    }
    let (page, mut text) = (Man::new(command), Vec::new());
    page.render(&mut text)?;
    if page.get_filename() == MAIN_PAGE {
        text.extend_from_slice(ENVIRONMENT_AND_FILES.as_bytes());
    }
    Ok(files::write(&folder.join(page.get_filename()), text)?)
}
