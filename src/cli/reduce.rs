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
    let each = (0..values_of(&design) as u32).zip(&results).map(|(flit, &bits)| {
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
                values: values_of(&design),
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
        let (nodes, each) = (u64::from(program.topology.nodes()), values_of(design));
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
            if found <= nodes * each {
                values.push(value);
            }
        }
        if found != nodes * each {
            let what = format!("{} where {nodes} nodes have {each} each", count(found, "value"));
            let (packets, flits) = (program.packets(), program.flits);
            let of_packets = || {
                format!(
                    ": for each of {nodes} nodes {} of {}",
                    count(packets.into(), "packet"),
                    count(flits.into(), "flit")
                )
            };
            let cure = format!(
                "give {} values, {each} of each node{}",
                nodes * each,
                if design.config.vector_words().is_some() { String::new() } else { of_packets() }
            );
            return Err(wrong(what, &cure));
        }
        Ok(padded(&values, each as usize, program.demand.flits() as usize))
    }
}

/// Values that each node has.
fn values_of(design: &Design) -> u64 {
    design.config.vector_words().map_or_else(|| design.program.demand.flits(), u64::from)
}

/// Values of each node with zeros after them, up to what a program combines.
fn padded(values: &[u64], each: usize, all: usize) -> Vec<u64> {
    let padded = |row: &[u64]| row.iter().copied().chain(std::iter::repeat_n(0, all - each)).collect::<Vec<_>>();
    values.chunks_exact(each).flat_map(padded).collect()
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
