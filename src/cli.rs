//! The command line: one file a subcommand.

mod args;
mod check;
mod compare;
mod completions;
mod diff;
mod draw;
mod error;
mod explain;
mod folder;
mod fpga;
mod generate;
mod man;
mod output;
mod program;
mod prove;
mod report;
mod schema;
mod schemes;
mod simulate;
mod survey;

use std::process::ExitCode;

use clap::{CommandFactory, Parser, Subcommand};

use error::CliError;

/// From a few lines of YAML to checked Verilog for static torus routers.
///
/// Every node of a torus learns every other node's packets along fixed cycles: a crossbar setting a node that hardly ever
/// changes. torusweave computes the settings, proves them right and writes the Verilog.
///
/// Exit codes: 0 fine, 1 a check failed, 2 bad input.
#[derive(Debug, Parser)]
#[command(name = "torusweave", version, max_term_width = 100, disable_help_subcommand = true)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Generate(generate::GenerateArgs),
    Program(program::ProgramArgs),
    Check(check::CheckArgs),
    Simulate(simulate::SimulateArgs),
    Prove(prove::ProveArgs),
    Fpga(fpga::FpgaArgs),
    Draw(draw::DrawArgs),
    Diff(diff::DiffArgs),
    Compare(compare::CompareArgs),
    Explain(explain::ExplainArgs),
    Report(report::ReportArgs),
    Schemes(schemes::SchemesArgs),
    Schema(schema::SchemaArgs),
    Completions(completions::CompletionsArgs),
    Man(man::ManArgs),
}

/// How a command that had no error ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Outcome {
    Fine,
    Failed,
}

/// Runs the command line of this process.
pub fn main() -> ExitCode {
    match run(Cli::parse()) {
        Ok(Outcome::Fine) => ExitCode::SUCCESS,
        Ok(Outcome::Failed) => ExitCode::from(1),
        Err(error) if error.is_closed_pipe() => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}\nhelp: {}", error.help());
            ExitCode::from(2)
        }
    }
}

fn run(cli: Cli) -> Result<Outcome, CliError> {
    match cli.command {
        Command::Generate(args) => generate::run(&args),
        Command::Program(args) => program::run(&args),
        Command::Check(args) => check::run(&args),
        Command::Simulate(args) => simulate::run(&args),
        Command::Prove(args) => prove::run(&args),
        Command::Fpga(args) => fpga::run(&args),
        Command::Draw(args) => draw::run(&args),
        Command::Diff(args) => diff::run(&args),
        Command::Compare(args) => compare::run(&args),
        Command::Explain(args) => explain::run(&args),
        Command::Report(args) => report::run(&args),
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
