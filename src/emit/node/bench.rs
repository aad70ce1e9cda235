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
use super::parts::{longest_address, user, words_of};
use crate::net::{Channel, NodeId};
use crate::netlist::{BlockOrder, HostStreams, NodeOptions, Results, digits};
use crate::play::Machine;
use crate::program::{Number, Operation, Program};
use listed::ListedWords;

/// Number of collectives that the bench plays if it is not told. It is odd: nodes have two banks, and an even number hides
/// that they change places.
const RUNS: u32 = 21;

pub fn files<'d>(design: &'d EmitDesign<'d>, local: NodeOptions) -> Vec<OutputFile<'d>> {
    let program = design.program;
    let module = format!("tb/{}.v", names::system_testbench(program));
    let mut files = vec![OutputFile::of(module, FileType::SystemBench, move || SystemBench::new(design, local))];
    if is_listed(design, local) {
        files.push(OutputFile::streamed(words_path(program), FileType::Data, move |out| {
            write_words(design, local, out)
        }));
        files.push(OutputFile::streamed(ends_path(program), FileType::Data, move |out| {
            let ends = ListedWords::of(program, local).ends;
            ends.iter().try_for_each(|&is_last| writeln!(out, "{}", u8::from(is_last)))
        }));
    } else if local.order == BlockOrder::Arrival {
        files.push(OutputFile::streamed(order_path(program), FileType::Data, move |out| write_order(program, out)));
    }
    files
}

/// Returns true if the bench has a list of all words: where nodes differ in them, or hand out several per clock.
fn is_listed(design: &EmitDesign, local: NodeOptions) -> bool {
    local.words > 1
        || local.results == Results::Memory
        || design.memories.as_ref().is_some_and(|(_, reading)| !reading.is_direct())
}

/// Text that the bench prints when every word is right.
pub fn system_verdict(program: &Program, runs: u32) -> String {
    let words =
        u64::from(runs) * ListedWords::of(program, NodeOptions::streams(BlockOrder::Origin, HostStreams::Ports)).all();
    format!("PASS {runs} collectives, {words} words")
}

fn order_path(program: &Program) -> String {
    format!("tb/{}_order.hex", names::system(program))
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
    for (node, given) in topology.live_ids().zip(&words.given) {
        for (place, word) in (0..).zip(given) {
            let user = words.user_of(topology, word);
            let address = if local.results == Results::Memory { address(design, node, user, place) } else { 0 };
            let about = u128::from(address) << words.user().bits | u128::from(user);
            let word = about << 33 | u128::from(word.is_last) << 32 | u128::from(word.number);
            writeln!(out, "{word:x}")?;
        }
    }
    Ok(())
}

/// Address of a word at the read port of a node: the fields of its entry, and the word in it.
fn address(design: &EmitDesign, node: NodeId, user: u64, place: u64) -> u64 {
    let (_, reading) = design.memories.as_ref().expect("nodes have memories");
    let count = words_of(reading, reading.kind(node).given.words);
    let words = count.map_or(1, |count| u64::from(count.last) + 1);
    let entry = if reading.by_offset() { user } else { place / words };
    (entry << count.map_or(0, |count| count.bits)) | (place % words)
}

#[derive(Template)]
#[template(path = "tb/system.v", escape = "none")]
struct SystemBench<'d> {
    design: &'d EmitDesign<'d>,
    module: String,
    system: String,
    notes: Vec<String>,
    order_path: Option<String>,
    /// the words of the streams, where nodes differ in them
    listed: Option<WordList>,
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
    packets: u32,
    flits: u32,
    user: UpCounter,
    fields: Vec<UserField>,
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

/// A part of `tuser`, from the number of a packet, counted over all nodes.
struct UserField {
    step: u64,
    side: u32,
    high: u32,
    low: u32,
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
        let is_listed = is_listed(design, local);
        let words = is_listed.then(|| ListedWords::of(program, local));
        let packets = program.demand.most_packets();
        let all = u64::from(topology.nodes() * packets) * u64::from(program.flits);
        // words of the longest stream out
        let given = match &words {
            Some(words) => words.given.iter().map(|given| given.len() as u64).max().unwrap_or(0),
            None if local.host == HostStreams::Chain => u64::from(topology.nodes()) * all,
            None => all,
        };
        let axis = |axis| (u64::from(topology.stride(axis) * packets), topology.side(axis));
        let number = (packets > 1).then_some((1, packets));
        let parts: Vec<(u64, u32)> = (0..topology.axes()).map(axis).chain(number).collect();
        let mut low = 0;
        // the last part has the lowest bits
        let fields = parts.into_iter().rev().map(|(step, side)| {
            let field = UserField { step, side, high: low + digits(side - 1) - 1, low };
            low = field.high + 1;
            field
        });
        let fields = fields.collect();
        let number = program.reduction.as_ref().map_or(Number::Word, |reduction| reduction.number);
        Self {
            design,
            module: names::system_testbench(program),
            system: names::system(program),
            notes: notes(design),
            user: words.as_ref().map_or_else(|| user(topology, packets), ListedWords::user),
            operation: program.reduction.as_ref().map(|reduction| reduction.operation),
            is_signed: number.is_signed() && number.float().is_none(),
            numbers: ExactNumbers::of(number, topology.live_nodes()),
            sums: Sums::of(design.netlist.unit, names::unit(program)),
            taken: words.as_ref().map_or(0, |words| words.taken.iter().sum()),
            listed: words.map(|words| WordList::of(program, &words, local.host)),
            order_path: (!is_listed && local.order == BlockOrder::Arrival).then(|| order_path(program)),
            width: design.options.width,
            runs: RUNS,
            span: 2 * (u64::from(program.ticks) + given),
            held: design.start_delay() + 1,
            chain: local.host == HostStreams::Chain,
            lanes: local.words,
            by_lane: if local.words > 1 { "LANES*" } else { "" },
            address: longest_address(design),
            nodes: topology.live_nodes(),
            packets,
            flits: program.flits,
            fields,
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

/// The packets that each node hands out, counted over all nodes, one per line: its own, then the others as they come in.
fn write_order(program: &Program, out: &mut dyn Write) -> io::Result<()> {
    let packet = |flit: u64| flit / u64::from(program.flits);
    let own = |node: NodeId| program.demand.flits_of(node).step_by(program.flits as usize).map(packet);
    let mut orders: Vec<Vec<u64>> = program.topology.node_ids().map(|node| own(node).collect()).collect();
    let mut machine = Machine::new(program);
    let mut known: Vec<Vec<bool>> = vec![vec![false; program.demand.packets() as usize]; orders.len()];
    for (known, own) in known.iter_mut().zip(&orders) {
        for &packet in own {
            known[packet as usize] = true;
        }
    }
    while !machine.is_done() {
        machine.step();
        let inputs: Vec<Channel> = program.channels().collect();
        for node in program.topology.node_ids() {
            for flit in inputs.iter().filter_map(|&input| machine.arrival(node, input)) {
                let packet = packet(flit.0.into());
                if !std::mem::replace(&mut known[node.index()][packet as usize], true) {
                    orders[node.index()].push(packet);
                }
            }
        }
    }
    orders.iter().flatten().try_for_each(|packet| writeln!(out, "{packet:x}"))
}
