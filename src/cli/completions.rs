//! `torusweave completions`: what a shell needs to complete the command line.

use clap::Args;
use clap_complete::Shell;

use super::error::CliError;
use super::{CommandEnd, output};

/// Print the completions of the command line for a shell.
///
/// bash: `source <(torusweave completions bash)` in ~/.bashrc; zsh: write them to a file named `_torusweave` in a folder of
/// $fpath; fish: write them to ~/.config/fish/completions/torusweave.fish.
#[derive(Debug, Args)]
pub struct CompletionsArgs {
    /// Shell to write for
    #[arg(value_enum)]
    shell: Shell,
}

pub fn run(args: &CompletionsArgs) -> Result<CommandEnd, CliError> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut super::command(), "torusweave", &mut script);
    output::text(String::from_utf8_lossy(&script))?;
    Ok(CommandEnd::Fine)
}
