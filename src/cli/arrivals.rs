//! `torusweave arrivals`: who sent what arrives at each port in each tick.

use clap::{Args, ValueEnum};

use super::args::ScheduleArgs;
use super::error::CliError;
use super::progress::Progress;
use super::size_limits::executable;
use super::{CommandEnd, output};
use crate::explain::arrivals::ArrivalTables;

/// Tell who sent what arrives: for each port and tick the origin of the flit, relative to the node.
///
/// Packets carry no header: a node knows by port and tick whose packet it has. Nodes that see the same share a table; the
/// origin of an arrival is the node's own place and the offset, modulo the side where an axis wraps. While values are combined,
/// the node whose result a partial is for stands in the place of the origin.
#[derive(Debug, Args)]
pub struct ArrivalsArgs {
    #[command(flatten)]
    design: ScheduleArgs,

    /// Format of the tables
    #[arg(long, value_enum, default_value_t)]
    format: ArrivalsFormat,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum ArrivalsFormat {
    /// Text for people
    #[default]
    Text,
    /// JSON for programs
    Json,
    /// One line an arrival.
    Csv,
    /// Hexadecimal words for `$readmemh`
    Hex,
}

pub fn run(args: &ArrivalsArgs) -> Result<CommandEnd, CliError> {
    let design = args.design.design()?;
    executable(&design.program)?;
    let progress = Progress::of(format!("playing {}", design.program.title.name));
    let arrivals = ArrivalTables::of(&design.program)?;
    drop(progress);
    match args.format {
        ArrivalsFormat::Text => output::text(arrivals)?,
        ArrivalsFormat::Json => output::json("arrivals", &arrivals)?,
        ArrivalsFormat::Csv => output::text(arrivals.csv())?,
        ArrivalsFormat::Hex => output::text(arrivals.hex())?,
    }
    Ok(CommandEnd::Fine)
}
