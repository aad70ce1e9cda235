//! `torusweave program`: what every node sends, as text, JSON, lines of sends or the papers' tables.

use clap::{Args, ValueEnum};

use super::args::ScheduleArgs;
use super::error::CliError;
use super::{CommandEnd, output};
use crate::design::Design;
use crate::design::support::building;
use crate::explain::program_text::{self, Text};
use crate::explain::rows::rows;
use crate::net::{NodeId, Topology};
use crate::schedule::ScheduleCsv;

/// Print what every node sends at every tick.
#[derive(Debug, Args)]
pub struct ProgramArgs {
    #[command(flatten)]
    design: ScheduleArgs,

    /// Only the node at these coordinates, counted from 0.
    #[arg(long, value_name = "X1,X2,...", allow_hyphen_values = true)]
    node: Option<String>,

    /// Format of the result
    #[arg(long, value_enum, default_value_t)]
    format: ProgramFormat,
}

/// Format of a program.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum ProgramFormat {
    /// Text for people
    #[default]
    Text,
    /// JSON for programs
    Json,
    /// The papers' tables of a broadcast, scatter or gather: a line per tick, a cell for each of P0, P1, ..., tabs between them.
    Rows,
    /// A line per send for programs and people, as `scheme: { file: FILE }` reads it: tick, node, port, message.
    Csv,
}

pub fn run(args: &ProgramArgs) -> Result<CommandEnd, CliError> {
    let design = match args.format {
        ProgramFormat::Csv => args.design.design_in_blocks()?,
        ProgramFormat::Text | ProgramFormat::Json | ProgramFormat::Rows => args.design.design()?,
    };
    let Design { program, .. } = &design;
    let node = args.node.as_deref().map(|text| parse_node(&program.topology, text)).transpose()?;
    match (args.format, node) {
        (ProgramFormat::Text, None) => output::text(Text(program))?,
        (ProgramFormat::Text, Some(node)) => output::text(program_text::of_node(program, node))?,
        (ProgramFormat::Json, None) => output::text(program.json())?,
        (ProgramFormat::Json, Some(node)) => output::text(program.node_json(node))?,
        (ProgramFormat::Csv, _) if program.combines_everywhere() => {
            let problem = format!("scheme {} combines all values at every node", program.title.scheme);
            return Err(building::CSV.refusal(problem).into());
        }
        (ProgramFormat::Csv, node) => output::text(ScheduleCsv::of(program, design.config.collective(), node))?,
        (ProgramFormat::Rows, Some(_)) => return Err(CliError::RowsOfNode),
        (ProgramFormat::Rows, None) => {
            let collective = design.config.collective();
            let problem = || format!("a table of rows is for a broadcast, scatter or gather, not for {collective}");
            output::text(rows(&design).ok_or_else(|| building::ROWS.refusal(problem()))?)?;
        }
    }
    Ok(CommandEnd::Fine)
}

/// Parses the coordinates of a node that is alive.
pub fn parse_live_node(topology: &Topology, text: &str) -> Result<NodeId, CliError> {
    let node = parse_node(topology, text)?;
    if topology.is_live(node) {
        return Ok(node);
    }
    Err(CliError::DeadNode { text: text.into(), example: topology.show(topology.first_live()) })
}

/// Parses coordinates such as `3,4`.
pub fn parse_node(topology: &Topology, text: &str) -> Result<NodeId, CliError> {
    let coords: Option<Vec<u32>> = text.split(',').map(|part| part.trim().parse().ok()).collect();
    let fits =
        |coords: &Vec<u32>| coords.len() == topology.axes() && coords.iter().zip(topology.dims()).all(|(x, n)| x < n);
    coords.filter(fits).map(|coords| topology.node(&coords)).ok_or_else(|| CliError::Node {
        text: text.into(),
        network: topology.describe(),
        example: topology.show(NodeId(topology.nodes() - 1)),
    })
}
