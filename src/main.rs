//! The `torusweave` command.

use std::process::ExitCode;

fn main() -> ExitCode {
    torusweave::cli::main()
}
