//! `torusweave reduce`: combines values as the design does, in the same order, to the same bits.

use std::io::{self, BufRead};
use std::path::PathBuf;

use clap::Args;
use serde::Serialize;

use super::args::{FormatArgs, ResultFormat, ScheduleArgs};
use super::error::CliError;
use super::progress::Progress;
use super::size_limits::playable;
use super::{CommandEnd, output};
use crate::design::Design;
use crate::design::support::building;
use crate::files::{self, FilesError};
use crate::net::NodeId;
use crate::play::{Combiner, Values};
use crate::program::{FlitId, Number, Operation, Program, count};

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
    design: ScheduleArgs,

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

pub fn run(args: &ReduceArgs) -> Result<CommandEnd, CliError> {
    let design = args.design.design()?;
    let program = &design.program;
    let Some(reduction) = program.reduction.as_deref() else {
        let problem = format!("requires a reduce, reduce-scatter or all-reduce (is {})", design.config.collective);
        return Err(building::REDUCE.refusal(problem).into());
    };
    playable(&design)?;
    let width = design.config.width();
    let values = args.read(&design, width)?;
    let results = played(program, width, values);
    let groups = program.demand.each_group(&program.topology);
    let flits: Vec<u32> = groups.iter().flat_map(|nodes| values_of(&design, nodes[0])).collect();
    let each = flits.iter().map(|&flit| {
        let (origin, bits) = (program.demand.origin(FlitId(flit)), results[flit as usize]);
        Result_ {
            node: program.topology.coords(origin.node),
            packet: origin.packet,
            flit: origin.flit,
            bits: Number::hexadecimal(bits, width),
            number: reduction.number.written(bits),
        }
    });
    match args.format.format {
        ResultFormat::Text => {
            let lines: Vec<String> = each.map(|Result_ { bits, number, .. }| format!("{bits} {number}\n")).collect();
            output::text(lines.concat())?;
        }
        ResultFormat::Json => output::json(
            "reduce",
            &Reduced {
                name: &program.title.name,
                collective: program.collective(),
                scheme: &program.title.scheme,
                operation: reduction.operation,
                number: reduction.number,
                values: flits.len() as u64,
                results: each.collect(),
            },
        )?,
    }
    Ok(CommandEnd::Fine)
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
        let rows: Vec<Vec<u32>> = program.topology.node_ids().map(|node| values_of(design, node)).collect();
        let all: u64 = rows.iter().map(|row| row.len() as u64).sum();
        let (mut values, mut found) = (Vec::new(), 0);
        let mut words = ValueText::new(files::open_input(&self.values)?);
        while let Some(word) = words.next().map_err(|source| FilesError::Read { path: self.values.clone(), source })? {
            let value = number.read(&word, width).ok_or_else(|| {
                let (line, word) = (words.line, files::shown(&word));
                let what = format!("line {line}: `{word}` is no {number} of {}", count(width.into(), "bit"));
                wrong(what, "write a number like 1.5 or -2, or 0x and its bits")
            })?;
            found += 1;
            // more are counted and not kept
            if found <= all {
                values.push(value);
            }
        }
        if found != all {
            let first = program.topology.first_live();
            let nodes = program.topology.nodes();
            let (each, near) = (rows[first.index()].len(), program.demand.group_size(&program.topology, first));
            let what = format!("{} where {nodes} nodes have {each} each", count(found, "value"));
            let (packets, flits) = (program.packets(), program.flits);
            let of_packets = || {
                format!(
                    ": for each of {near} nodes {} of {}",
                    count(packets.into(), "packet"),
                    count(flits.into(), "flit")
                )
            };
            let cure = format!(
                "give {all} values, {each} of each node{}",
                if design.config.vector_words().is_some() { String::new() } else { of_packets() }
            );
            return Err(wrong(what, &cure));
        }
        // zeros for what a vector does not fill, and for other groups
        let flits = program.demand.flits() as usize;
        let mut placed = vec![0; rows.len() * flits];
        let places = rows.iter().enumerate().flat_map(|(node, row)| row.iter().map(move |&flit| (node, flit)));
        for ((node, flit), value) in places.zip(values) {
            placed[node * flits + flit as usize] = value;
        }
        Ok(placed)
    }
}

/// Flits for which a node has values: those of its group, or as many as a vector has words.
fn values_of(design: &Design, node: NodeId) -> Vec<u32> {
    let Program { topology, demand, .. } = &design.program;
    let flits = demand.group_of(topology, node).flat_map(|to| demand.flits_of(to)).map(|flit| flit as u32);
    let most = design.config.vector_words().map_or(usize::MAX, |words| words as usize);
    flits.take(most).collect()
}

/// Values of a text that is read piece by piece, without comments.
struct ValueText {
    text: Box<dyn BufRead>,
    /// Line of the last word, from 1.
    line: usize,
    /// The last byte ended the line.
    is_over: bool,
    bytes: u64,
}

/// Bytes of a word: a number with all its digits.
const MOST_OF_WORD: usize = 4096;

impl ValueText {
    fn new(text: Box<dyn BufRead>) -> Self {
        Self { text, line: 1, is_over: false, bytes: 0 }
    }

    fn next(&mut self) -> io::Result<Option<String>> {
        let wrong = |what: String| io::Error::new(io::ErrorKind::InvalidData, what);
        let (mut word, mut is_comment) = (Vec::new(), false);
        while let Some(byte) = self.byte()? {
            if self.bytes > MOST_BYTES {
                return Err(wrong(format!("it has more than {MOST_BYTES} bytes")));
            }
            if std::mem::replace(&mut self.is_over, byte == b'\n') {
                self.line += 1;
                is_comment = false;
            }
            is_comment |= byte == b'#';
            let is_between = is_comment || b" \t,;\r\n".contains(&byte);
            if is_between && !word.is_empty() {
                // a comment behind it is begun again
                if byte != b'#' {
                    self.text.consume(1);
                    self.bytes += 1;
                }
                break;
            }
            self.text.consume(1);
            self.bytes += 1;
            if !is_between {
                word.push(byte);
            }
            if word.len() > MOST_OF_WORD {
                return Err(wrong(format!("line {} has a word of more than {MOST_OF_WORD} bytes", self.line)));
            }
        }
        let word = String::from_utf8(word).map_err(|error| wrong(error.utf8_error().to_string()))?;
        Ok((!word.is_empty()).then_some(word))
    }

    /// The next byte, which is not taken yet.
    fn byte(&mut self) -> io::Result<Option<u8>> {
        loop {
            match self.text.fill_buf() {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                bytes => return Ok(bytes?.first().copied()),
            }
        }
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
    let flits =
        part.topology.node_ids().flat_map(|node: NodeId| part.demand.flits_of(node).map(move |flit| (node, flit)));
    flits.map(|(node, flit)| combiner.result(node, flit as u32).first().copied().unwrap_or(0)).collect()
}
