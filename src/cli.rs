//! The command line: one file a subcommand.

mod args;
mod arrivals;
mod cables;
mod check;
mod compare;
mod completions;
mod diff;
mod diff_operand;
mod draw;
mod error;
mod explain;
mod export;
mod folder;
mod fpga;
mod generate;
mod init;
mod listed;
mod man;
mod output;
mod pace;
mod patch;
mod program;
mod progress;
mod prove;
mod reduce;
mod report;
mod schema;
mod schemes;
mod simulate;
mod size_limits;
mod stale;
mod survey;
mod sweep;
mod sweep_error;
mod time;
mod yaml;

use std::io::{self, Write};
use std::process::ExitCode;

use clap::{CommandFactory, Parser, Subcommand};

use crate::files::interrupt;
use error::CliError;

/// From a few lines of YAML to checked Verilog for static torus routers.
///
/// Every node of a torus learns every other node's packets along fixed cycles: a crossbar setting a node that hardly ever
/// changes. torusweave computes the settings, proves them right and writes the Verilog.
///
/// Exit codes: 0 fine, 1 a check failed, 2 bad input, 130 interrupted.
#[derive(Debug, Parser)]
#[command(name = "torusweave", version, max_term_width = 100)]
struct Cli {
    /// Show no progress on stderr; errors are still shown.
    #[arg(short, long, global = true)]
    quiet: bool,

    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Init(init::InitArgs),
    Generate(generate::GenerateArgs),
    Program(program::ProgramArgs),
    Check(check::CheckArgs),
    Simulate(simulate::SimulateArgs),
    Reduce(reduce::ReduceArgs),
    Prove(prove::ProveArgs),
    Fpga(fpga::FpgaArgs),
    Patch(patch::PatchArgs),
    Draw(draw::DrawArgs),
    Diff(diff::DiffArgs),
    Compare(compare::CompareArgs),
    Explain(explain::ExplainArgs),
    Pace(pace::PaceArgs),
    Cables(cables::CablesArgs),
    Arrivals(arrivals::ArrivalsArgs),
    Export(export::ExportArgs),
    Report(report::ReportArgs),
    Sweep(sweep::SweepArgs),
    Schemes(schemes::SchemesArgs),
    Schema(schema::SchemaArgs),
    Completions(completions::CompletionsArgs),
    Man(man::ManArgs),
}

/// End of a command that had no error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum CommandEnd {
    Fine,
    Failed,
}

/// Bad input, or a result that cannot be printed.
const REFUSED: u8 = 2;

/// Runs the command line of this process.
pub fn main() -> ExitCode {
    interrupt::listen();
    let ended = Cli::try_parse_from(args::completed(std::env::args_os())).map_err(CliError::from).and_then(run);
    // an interrupted run prints nothing more
    drop(interrupt::wait());
    let code = match ended {
        Ok(CommandEnd::Fine) => ExitCode::SUCCESS,
        Ok(CommandEnd::Failed) => ExitCode::from(1),
        Err(CliError::Usage(usage)) => say(&usage),
        Err(error) if error.is_closed_pipe() => ExitCode::SUCCESS,
        Err(error) => refuse(&error),
    };
    // some file systems say only then that a result is lost
    match output::close().map_err(CliError::Print) {
        Err(error) if !error.is_closed_pipe() => refuse(&error),
        _ => code,
    }
}

fn refuse(error: &CliError) -> ExitCode {
    output::error(format_args!("error: {error}\nhelp: {}", error.help()));
    ExitCode::from(REFUSED)
}

/// Prints the parser's message: help, the version, or an error in the flags.
fn say(usage: &clap::Error) -> ExitCode {
    if usage.use_stderr() {
        // in colour, unless the echoed input had to be escaped or shortened
        let text = usage.render().to_string();
        if text.trim_end() == output::presentable(&text).trim_end() {
            let _ = usage.print();
        } else {
            output::error(text);
        }
        return ExitCode::from(REFUSED);
    }
    match usage.print().and_then(|()| io::stdout().flush()).map_err(CliError::Print) {
        Err(error) if !error.is_closed_pipe() => refuse(&error),
        _ => ExitCode::SUCCESS,
    }
}

fn run(cli: Cli) -> Result<CommandEnd, CliError> {
    if cli.quiet {
        output::be_quiet();
    }
    match cli.command {
        Command::Init(args) => init::run(&args),
        Command::Generate(args) => generate::run(&args),
        Command::Program(args) => program::run(&args),
        Command::Check(args) => check::run(&args),
        Command::Simulate(args) => simulate::run(&args),
        Command::Reduce(args) => reduce::run(&args),
        Command::Prove(args) => prove::run(&args),
        Command::Fpga(args) => fpga::run(&args),
        Command::Patch(args) => patch::run(&args),
        Command::Draw(args) => draw::run(&args),
        Command::Diff(args) => diff::run(&args),
        Command::Compare(args) => compare::run(&args),
        Command::Explain(args) => explain::run(&args),
        Command::Pace(args) => pace::run(&args),
        Command::Cables(args) => cables::run(&args),
        Command::Arrivals(args) => arrivals::run(&args),
        Command::Export(args) => export::run(&args),
        Command::Report(args) => report::run(&args),
        Command::Sweep(args) => sweep::run(&args),
        Command::Schemes(args) => schemes::run(&args),
        Command::Schema(args) => schema::run(&args),
        Command::Completions(args) => completions::run(&args),
        Command::Man(args) => man::run(&args),
    }
}

/// The command line's definition, for completions, manual pages and tests.
pub fn command() -> clap::Command {
    Cli::command()
}
