//! `torusweave explain`: why a node does what it does, and how packets came to it.

use clap::Args;

use super::args::{FormatArgs, ResultFormat, ScheduleArgs};
use super::error::CliError;
use super::program::parse_live_node;
use super::{CommandEnd, output};
use crate::design::support::building;
use crate::explain::Explainer;
use crate::net::{Port, Topology};
use crate::program::port_name;

/// Explain a node: its rule, its place on every cycle, who supplies it, what arrives when, and why.
#[derive(Debug, Args)]
pub struct ExplainArgs {
    #[command(flatten)]
    design: ScheduleArgs,

    /// The node at these coordinates, counted from 0.
    #[arg(long, value_name = "X1,X2,...")]
    node: String,

    /// Only this port: x1-, x1+, x2-, ... or T, B, L, R.
    #[arg(long)]
    port: Option<String>,

    /// Also where the packets that arrive in this tick come from, node by node.
    #[arg(long)]
    tick: Option<u32>,

    #[command(flatten)]
    format: FormatArgs,
}

/// Following more than this takes longer than anybody waits.
const MOST_HOPS: u64 = 1 << 31;

pub fn run(args: &ExplainArgs) -> Result<CommandEnd, CliError> {
    let design = args.design.design()?;
    let program = &design.program;
    let topology = &program.topology;
    let node = parse_live_node(topology, &args.node)?;
    let port = args.port.as_deref().map(|text| parse_port(topology, text)).transpose()?;
    let explainer = Explainer::new(&design);
    let hops = explainer.hops(node, port);
    if hops > MOST_HOPS {
        let problem = format!("packets that arrive at node {} take some {hops} hops", topology.show(node));
        return Err(building::EXPLAIN.refusal(problem).into());
    }
    let mut explanation = explainer.node(node, port);
    if let Some(tick) = args.tick {
        if !(1..=program.ticks).contains(&tick) {
            return Err(CliError::Tick { tick, last: program.ticks });
        }
        let inputs = program.channels().filter(|input| port.is_none_or(|port| port == input.port));
        explanation.at = inputs.map(|input| explainer.at(node, input, tick)).collect();
    }
    match args.format.format {
        ResultFormat::Json => output::json("explain", &explanation)?,
        ResultFormat::Text => output::text(&explanation)?,
    }
    Ok(CommandEnd::Fine)
}

/// Reads `x1+`, or `B` in two dimensions.
fn parse_port(topology: &Topology, text: &str) -> Result<Port, CliError> {
    let is_letter = text.len() == 1;
    let fits = |port: &Port| port.axis() < topology.axes() && (topology.axes() == 2 || !is_letter);
    Port::parse(text).filter(fits).ok_or_else(|| CliError::Port {
        text: text.into(),
        network: topology.describe(),
        ports: topology.port_ids().map(|port| port_name(topology.axes(), port)).collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::net::Torus;

    #[test]
    fn letters_are_ports_in_two_dimensions_only() {
        let [plane, space] = [&[4, 4][..], &[3, 3, 4]].map(|dims| Torus::new(dims).unwrap());
        assert_eq!(parse_port(&plane, "R").unwrap(), Port::plus(1));
        assert_eq!(parse_port(&space, "x3-").unwrap(), Port::minus(2));
        for (topology, bad) in [(&plane, "x3-"), (&plane, "Q"), (&space, "R")] {
            assert!(parse_port(topology, bad).unwrap_err().help().starts_with("its ports are "), "{bad}");
        }
    }
}
