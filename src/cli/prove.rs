//! `torusweave prove`: proofs by solvers.

mod every_size;

use std::path::PathBuf;

use clap::Args;

use super::Outcome;
use super::error::CliError;

/// Prove that the cycles of a scheme are right at every size.
///
/// Writes one SMT-LIB file an obligation: that what it supposes can hold, and that what it claims cannot fail. Z3 is asked
/// about each, and every answer is printed, with what is proved on paper only. Without Z3 the files are written, to DIR or
/// to `every-size`, and the exit code is 1.
#[derive(Debug, Args)]
pub struct ProveArgs {
    /// Whose cycles.
    #[arg(long, value_name = "SCHEME", value_enum, required = true)]
    every_size: Option<every_size::Whose>,

    /// Put faults in, one at a time: each must be refuted, or proved to change nothing.
    #[arg(long, requires = "every_size")]
    mutants: bool,

    /// Keep the files there.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

pub fn run(args: &ProveArgs) -> Result<Outcome, CliError> {
    let whose = args.every_size.expect("clap asks for it");
    every_size::run(whose, args.mutants, args.out.as_deref())
}
