//! `torusweave reduce`: combines values as the design does, in the same order, to the same bits.

use std::path::PathBuf;

use clap::Args;
use serde::Serialize;

use super::args::{DesignArgs, Format, FormatArgs};
use super::error::CliError;
use super::progress::Progress;
use super::size_limits::playable;
use super::{Outcome, output};
use crate::design::Design;
use crate::design::support::building;
use crate::files;
use crate::net::NodeId;
use crate::play::{Combiner, Values};
use crate::program::{Number, Operation, Program, count};

/// Combine values as the design does: in the same order, to the same bits.
///
/// The file has the values of node after node, row by row, separated by blanks, commas or line ends; what follows a # in a line is a
/// comment. Every node has as many as the others: for each node, row by row, for each of its packets, for each flit one. A value
/// is a number, which for floats may be nan, inf or -0 and is rounded to the nearest, or 0x and its bits.
///
/// Prints what becomes of each: its bits and its number, a line each, in the order in which every node has them.
#[derive(Debug, Args)]
pub struct ReduceArgs {
    #[command(flatten)]
    design: DesignArgs,

    /// The values; - is standard input.
    #[arg(long, value_name = "FILE")]
    values: PathBuf,

    #[command(flatten)]
    format: FormatArgs,
}

/// The results, and how they came about.
#[derive(Serialize)]
struct Reduced<'a> {
    name: &'a str,
    collective: &'static str,
    scheme: &'a str,
    operation: Operation,
    number: Number,
    /// Values per node.
    values: u64,
    results: Vec<Result_>,
}

/// Result of one value.
#[derive(Serialize)]
struct Result_ {
    /// Coordinates of the node whose packet it is in.
    node: Vec<u32>,
    packet: u32,
    flit: u32,
    bits: String,
    number: String,
}

/// Bytes of a file of values: more than a machine has room for is refused.
const MOST_BYTES: u64 = 1 << 30;

pub fn run(args: &ReduceArgs) -> Result<Outcome, CliError> {
    let design = args.design.design()?;
    let program = &design.program;
    let Some(reduction) = program.reduction.as_deref() else {
        let problem = format!("requires a reduce-scatter or all-reduce (is {})", design.config.collective);
        return Err(building::REDUCE.refusal(problem).into());
    };
    playable(&design)?;
    let width = design.config.width();
    let values = args.read(&design, width)?;
    let results = played(program, width, values);
    let each = (0..).zip(&results).map(|(flit, &bits)| {
        let origin = program.demand.origin(crate::program::FlitId(flit));
        Result_ {
            node: program.topology.coords(origin.node),
            packet: origin.packet,
            flit: origin.flit,
            bits: Number::hexadecimal(bits, width),
            number: reduction.number.written(bits),
        }
    });
    match args.format.format {
        Format::Text => {
            let lines: Vec<String> = each.map(|Result_ { bits, number, .. }| format!("{bits} {number}\n")).collect();
            output::text(lines.concat())?;
        }
        Format::Json => output::json(
            "reduce",
            &Reduced {
                name: &program.title.name,
                collective: program.collective(),
                scheme: &program.title.scheme,
                operation: reduction.operation,
                number: reduction.number,
                values: program.demand.flits(),
                results: each.collect(),
            },
        )?,
    }
    Ok(Outcome::Fine)
}

impl ReduceArgs {
    /// The values of all nodes.
    fn read(&self, design: &Design, width: u32) -> Result<Vec<u64>, CliError> {
        if width > u64::BITS {
            return Err(building::REDUCE_WIDTH.refusal(format!("not supported with a link.width of {width}")).into());
        }
        let program = &design.program;
        let number = design.config.number;
        let wrong =
            |what: String, cure: &str| CliError::Values { path: self.values.clone(), what, cure: cure.to_owned() };
        let text = files::read_input(&self.values, MOST_BYTES)?;
        let mut values = Vec::new();
        for (line, text) in (1..).zip(text.lines()) {
            let text = text.split('#').next().unwrap_or_default();
            for word in text.split([' ', '\t', ',', ';', '\r']).filter(|word| !word.is_empty()) {
                let value = number.read(word, width).ok_or_else(|| {
                    let what = format!(
                        "line {line}: `{}` is no {number} of {}",
                        files::shown(word),
                        count(width.into(), "bit")
                    );
                    wrong(what, "write a number like 1.5 or -2, or 0x and its bits")
                })?;
                values.push(value);
            }
        }
        let (nodes, each) = (u64::from(program.topology.nodes()), program.demand.flits());
        if values.len() as u64 != nodes * each {
            let what = format!("{} where {nodes} nodes have {each} each", count(values.len() as u64, "value"));
            let (packets, flits) = (program.packets(), program.flits);
            let cure = format!(
                "give {} values, {each} of each node: for each of {nodes} nodes {} of {}",
                nodes * each,
                count(packets.into(), "packet"),
                count(flits.into(), "flit")
            );
            return Err(wrong(what, &cure));
        }
        Ok(values)
    }
}

/// Results of every node's own values, node by node.
fn played(program: &Program, width: u32, values: Vec<u64>) -> Vec<u64> {
    let part = program.reduce_part().unwrap_or_else(|| program.clone());
    let progress = Progress::of_steps(format!("combining {}", part.title.name), part.ticks.into());
    let values = Values::given(&part, width, values);
    let Some(mut combiner) = Combiner::with(&part, values) else { return Vec::new() };
    while !combiner.is_done() {
        combiner.step();
        progress.at(combiner.tick().into());
    }
    drop(progress);
    let flits = part.topology.node_ids().flat_map(|node: NodeId| part.demand.flits_of(node));
    flits.map(|flit| combiner.result(flit as u32).first().copied().unwrap_or(0)).collect()
}
