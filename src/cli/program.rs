//! `torusweave program`: what every node sends, as text or JSON.

use clap::Args;

use super::args::{DesignArgs, Format, FormatArgs};
use super::error::CliError;
use super::{Outcome, output};
use crate::design::Design;
use crate::net::{NodeId, Topology};
use crate::show::text::{self, Text};

/// Print what every node sends at every tick.
#[derive(Debug, Args)]
pub struct ProgramArgs {
    #[command(flatten)]
    design: DesignArgs,

    /// Only the node at these coordinates, counted from 0.
    #[arg(long, value_name = "X1,X2,...", allow_hyphen_values = true)]
    node: Option<String>,

    #[command(flatten)]
    format: FormatArgs,
}

pub fn run(args: &ProgramArgs) -> Result<Outcome, CliError> {
    let Design { program, .. } = args.design.design()?;
    let node = args.node.as_deref().map(|text| parse_node(&program.topology, text)).transpose()?;
    match (args.format.format, node) {
        (Format::Text, None) => output::text(Text(&program))?,
        (Format::Text, Some(node)) => output::text(text::of_node(&program, node))?,
        (Format::Json, None) => output::text(program.json())?,
        (Format::Json, Some(node)) => output::text(program.node_json(node))?,
    }
    Ok(Outcome::Fine)
}

/// Reads `3,4`.
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
