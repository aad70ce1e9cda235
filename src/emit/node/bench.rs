//! The bench of the system: what it feeds in, and in which order it wants it back. The order is the model's.

mod listed;

use std::io::{self, Write};

use askama::Template;

use super::super::design::EmitDesign;
use super::super::elements::Pins;
use super::super::numbers::ExactNumbers;
use super::super::output::{FileType, OutputFile};
use super::super::rtl::UpCounter;
use super::super::sums::Sums;
use super::super::{names, words};
use super::parts::{address_bits, sizes};
use crate::netlist::{BlockOrder, HostStreams, NodeOptions, Results};
use crate::program::{Number, Operation, Program};
use listed::ListedWords;

/// Number of collectives that the bench plays if it is not told. It is odd: nodes have two banks, and an even number hides
/// that they change places.
const RUNS: u32 = 21;

pub fn files<'d>(design: &'d EmitDesign<'d>, local: NodeOptions) -> Vec<OutputFile<'d>> {
    let program = design.program;
    let module = format!("tb/{}.v", names::system_testbench(program));
    let mut files = vec![OutputFile::of(module, FileType::SystemBench, move || SystemBench::new(design, local))];
    files.push(OutputFile::streamed(words_path(program), FileType::Data, move |out| write_words(design, local, out)));
    files.push(OutputFile::streamed(ends_path(program), FileType::Data, move |out| {
        let ends = ListedWords::of(program, local).ends;
        ends.iter().try_for_each(|&is_last| writeln!(out, "{}", u8::from(is_last)))
    }));
    files
}

/// Text that the bench prints when every word is right.
pub fn system_verdict(program: &Program, runs: u32) -> String {
    let words =
        u64::from(runs) * ListedWords::of(program, NodeOptions::streams(BlockOrder::Origin, HostStreams::Ports)).all();
    format!("PASS {runs} collectives, {words} words")
}

fn words_path(program: &Program) -> String {
    format!("tb/{}_words.hex", names::system(program))
}

fn ends_path(program: &Program) -> String {
    format!("tb/{}_ends.hex", names::system(program))
}

/// Every word that goes out, node after node, one per line: its address at a read port, whose it is, whether it ends a block, and
/// the number of the word that came in.
fn write_words(design: &EmitDesign, local: NodeOptions, out: &mut dyn Write) -> io::Result<()> {
    let topology = &design.program.topology;
    let words = ListedWords::of(design.program, local);
    let place_bits = sizes(design).map_or(0, |sizes| sizes.word_place);
    for given in &words.given {
        let addresses = words.addresses(topology, given, local.order, place_bits);
        for (word, address) in given.iter().zip(addresses) {
            let address = if local.results == Results::Memory { address } else { 0 };
            let about = u128::from(address) << words.user().bits | u128::from(words.user_of(topology, word));
            let word = about << 33 | u128::from(word.is_last) << 32 | u128::from(word.number);
            writeln!(out, "{word:x}")?;
        }
    }
    Ok(())
}

#[derive(Template)]
#[template(path = "tb/system.v", escape = "none")]
struct SystemBench<'d> {
    design: &'d EmitDesign<'d>,
    module: String,
    system: String,
    notes: Vec<String>,
    /// the words of the streams
    listed: WordList,
    width: u32,
    runs: u32,
    /// Most clocks up to a reset in the middle of a run: those of two collectives without a pause.
    span: u64,
    /// Clocks of a reset.
    held: u32,
    chain: bool,
    /// Words per clock of a stream out, and the factor that stands for them.
    lanes: u32,
    by_lane: &'static str,
    /// Bits of the longest address of a read port, if nodes have one.
    address: Option<u32>,
    nodes: u32,
    user: UpCounter,
    /// Clocks without any word before the bench fails.
    patience: u64,
    /// words that go in for a collective, at all nodes
    taken: u64,
    /// operation of a reduction
    operation: Option<Operation>,
    /// true if words are compared with their sign
    is_signed: bool,
    /// whole numbers in the place of floats
    numbers: Option<ExactNumbers>,
    /// check of the unit that adds them
    sums: Option<Sums>,
}

/// Words of streams that are listed one by one.
struct WordList {
    path: String,
    ends: String,
    given: u64,
    streams: Vec<StreamLengths>,
}

/// Words of a stream in and of the stream out of the same node, and those before them; on a ring the first stands for all.
struct StreamLengths {
    index: usize,
    is_stream: bool,
    before_in: u64,
    taken: u64,
    before_out: u64,
    given: u64,
}

impl WordList {
    fn of(program: &Program, words: &ListedWords, host: HostStreams) -> Self {
        let (mut before_in, mut before_out) = (0, 0);
        let streams = (1..).zip(words.taken.iter().zip(&words.given)).map(|(index, (&taken, given))| {
            let given = given.len() as u64;
            let lengths =
                StreamLengths { index, is_stream: host == HostStreams::Ports, before_in, taken, before_out, given };
            (before_in, before_out) = (before_in + taken, before_out + given);
            lengths
        });
        let mut streams: Vec<StreamLengths> = streams.collect();
        if host == HostStreams::Chain {
            streams[0] = StreamLengths { is_stream: true, taken: before_in, given: before_out, ..streams[0] };
        }
        Self { streams, given: words.all(), path: words_path(program), ends: ends_path(program) }
    }
}

impl<'d> SystemBench<'d> {
    fn new(design: &'d EmitDesign<'d>, local: NodeOptions) -> Self {
        let program = design.program;
        let topology = &program.topology;
        let words = ListedWords::of(program, local);
        // words of the longest stream out
        let given = words.given.iter().map(|given| given.len() as u64);
        let given = if local.host == HostStreams::Chain { given.sum() } else { given.max().unwrap_or(0) };
        let (_, netlist) = design.nodes.as_ref().expect("the bench is one of nodes");
        // after a reset nodes are told where words lie, record by record
        let records = netlist.records.len() as u64;
        let number = program.reduction.as_ref().map_or(Number::Word, |reduction| reduction.number);
        Self {
            design,
            module: names::system_testbench(program),
            system: names::system(program),
            notes: notes(design),
            user: words.user(),
            operation: program.reduction.as_ref().map(|reduction| reduction.operation),
            is_signed: number.is_signed() && number.float().is_none(),
            numbers: ExactNumbers::of(number, topology.live_nodes()),
            sums: Sums::of(design.netlist.unit, names::unit(program)),
            taken: words.taken.iter().sum(),
            listed: WordList::of(program, &words, local.host),
            width: design.options.width,
            runs: RUNS,
            span: 2 * (u64::from(program.ticks) + given) + records,
            patience: u64::from(program.ticks) + u64::from(topology.live_nodes()) + records + 2000,
            held: 1,
            chain: local.host == HostStreams::Chain,
            lanes: local.words,
            by_lane: if local.words > 1 { "LANES*" } else { "" },
            address: address_bits(design),
            nodes: topology.live_nodes(),
        }
    }

    /// Name of the value that a node has of a sum.
    fn term(&self) -> &'static str {
        if self.numbers.is_some() { "whole" } else { "wide" }
    }

    /// The streams of every node, where each has its own.
    fn pins(&self) -> impl Iterator<Item = Pins> {
        Pins::all(self.design).filter(|_| !self.chain)
    }
}

fn notes(design: &EmitDesign) -> Vec<String> {
    let system = names::system(design.program);
    let mut notes = words::wrap_all(&[
        "Streams pause by chance, at both ends; every word's data, packet and place is compared, run after run, at first with \
         resets in the middle."
            .to_owned(),
        "`+runs=N` plays so many collectives, `+seed=N` lets others pause. With `+full=1` none pauses, and the bench prints the \
         clocks per collective."
            .to_owned(),
        "Prints `PASS <n> collectives, <n> words`, or the first difference after FAIL and exits with a status other than 0."
            .to_owned(),
        "Run it in the design's folder:".to_owned(),
    ]);
    notes.extend([
        format!("$ iverilog -g2005 -o sim -f {system}.f tb/{system}_tb.v && vvp sim +runs=100"),
        format!("$ verilator --binary --timing -f {system}.f tb/{system}_tb.v --top-module {system}_tb"),
    ]);
    notes.extend(words::wrap(&design.generated()));
    notes
}
