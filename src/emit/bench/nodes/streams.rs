//! Testbench of nodes with streams, for `templates/listed/tb/streams.v`: what it feeds in, and in which order it wants it back. The
//! order is the model's.

use std::io::{self, Write};

use askama::Template;

use crate::emit::bench::nodes::{BenchCall, sequence};
use crate::emit::bench::sums::Sums;
use crate::emit::node::edited::{SystemPin, by_lane};
use crate::emit::node::elements::pins;
use crate::emit::node::{ListDesign, WireSizes, network};
use crate::emit::shared::call_words::{self, CallWords, MovedSchedule, WayOut};
use crate::emit::shared::numbers::ExactNumbers;
use crate::emit::shared::output::{FileType, OutputFile};
use crate::emit::shared::parts::UpCounter;
use crate::emit::shared::{names, words};
use crate::net::NodeId;
use crate::netlist::listed::TogetherPart;
use crate::netlist::{NodePorts, Results, bits_for};
use crate::program::{Operation, Program};

/// Number of collectives that the bench plays if it is not told, where there is one program. It is odd: nodes have two banks, and an
/// even number hides that they change places.
const RUNS: u32 = 21;

type DataWriter = fn(&ListDesign<'_>, &mut dyn Write) -> io::Result<()>;

pub fn files<'d>(design: &'d ListDesign<'d>) -> Vec<OutputFile<'d>> {
    let path = format!("tb/{}.v", module(design));
    let kind = if design.is_one() { FileType::SystemBench } else { FileType::Testbench };
    let mut files = vec![OutputFile::of(path, kind, move || StreamBench::new(design))];
    let mut data: Vec<(&str, DataWriter)> =
        vec![("streams", write_streams), ("words", write_words), ("ends", write_ends)];
    if group_bits(design) > 0 {
        data.push(("groups", write_groups));
    }
    files.extend(data.into_iter().map(|(name, write)| {
        OutputFile::streamed(data_path(design, name), FileType::Data, move |out| write(design, out))
    }));
    files
}

/// Text that the bench prints when every word is right.
pub fn verdict(design: &ListDesign<'_>, runs: u32) -> String {
    let all: Vec<u64> = all_words(design).iter().map(CallWords::all).collect();
    let words: u64 = (0..runs).map(|run| all[kind_of(run as usize, all.len())]).sum();
    format!("PASS {runs} {}, {words} words", unit(design))
}

/// Collectives that the bench plays if it is not told.
pub fn runs(design: &ListDesign<'_>) -> u32 {
    if design.is_one() { RUNS } else { 2 * kinds(design).len() as u32 }
}

/// Name of the testbench.
pub fn module(design: &ListDesign<'_>) -> String {
    if design.is_one() { names::testbench_of(&design.whole()) } else { design.module("tb") }
}

fn unit(design: &ListDesign<'_>) -> &'static str {
    if design.is_one() { "collectives" } else { "calls" }
}

/// Call among so many that the bench plays as the run of a number: every other one twice, so that some follow themselves and some do not.
fn kind_of(run: usize, kinds: usize) -> usize {
    let at = run / 3 * 2 + usize::from(run % 3 == 2);
    (at + if kinds.is_multiple_of(2) { at / kinds } else { 0 }) % kinds
}

fn data_path(design: &ListDesign<'_>, name: &str) -> String {
    format!("tb/{}_{name}.hex", design.module("system"))
}

/// Calls of the sequence, each once.
pub fn kinds(design: &ListDesign<'_>) -> Vec<BenchCall> {
    if design.is_one() { vec![BenchCall { program: 0, root: 0 }] } else { sequence(design) }
}

/// Words of each call of the sequence; found once.
pub fn all_words<'d>(design: &'d ListDesign<'_>) -> &'d [CallWords] {
    let units = design.netlist.union.parts.units;
    let NodePorts { order, words: lanes, by_message, .. } = design.ports;
    let way = WayOut { order, lanes, units, by_message };
    let of = |call: BenchCall| {
        let root = design.netlist.topology.live_ids().nth(call.root as usize).expect("a root is a live node");
        let called = design.netlist.parts(call.program).into_iter().map(|part| {
            let planned = &design.schedules[part.program as usize];
            // programs that are played at once have roots of their own
            let own = if part.program == call.program { None } else { planned.roots.first().copied() };
            MovedSchedule::of(planned, own.unwrap_or(root))
        });
        CallWords::of(&called.collect::<Vec<_>>(), way)
    };
    design.words.get_or_init(|| kinds(design).into_iter().map(of).collect())
}

/// Lengths of the streams in each call, one per line: words in, words in of the streams before, words out, words out of those before.
fn write_streams(design: &ListDesign<'_>, out: &mut dyn Write) -> io::Result<()> {
    let (mut before_in, mut before_out) = (0, 0);
    for words in all_words(design) {
        let given = words.given.iter().map(|given| given.len() as u64);
        let mut streams: Vec<(u64, u64)> = words.taken.iter().copied().zip(given).collect();
        if design.has_chain() {
            streams = vec![streams.into_iter().fold((0, 0), |all, (taken, given)| (all.0 + taken, all.1 + given))];
        }
        for (taken, given) in streams {
            writeln!(out, "{taken:08x}{before_in:08x}{given:08x}{before_out:08x}")?;
            (before_in, before_out) = (before_in + taken, before_out + given);
        }
    }
    Ok(())
}

/// Bits that tell whose a word is, where it is told.
fn user_bits(sizes: &WireSizes) -> u32 {
    if sizes.has_blocks() { sizes.user() } else { 0 }
}

/// Bits of the longest address of a read port, if nodes have one.
fn address_bits(sizes: &WireSizes) -> u32 {
    if sizes.has_read_port() { sizes.ram() } else { 0 }
}

/// Every word that goes out, call after call and node after node, one per line: the group of its node, its address at a read port, whose it is, whether it
/// ends a block, and the number of the word that came in.
fn write_words(design: &ListDesign<'_>, out: &mut dyn Write) -> io::Result<()> {
    let topology = &design.netlist.topology;
    let sizes = WireSizes::of(design);
    let mut before = 0;
    for (call, words) in kinds(design).into_iter().zip(all_words(design)) {
        let groups = call_groups(design, call);
        for (node, given) in topology.live_ids().zip(&words.given) {
            let in_a_row = design.netlist.reads_in_a_row;
            let addresses = call_words::addresses(topology, given, design.ports.order, in_a_row, sizes.word_place);
            for (word, address) in given.iter().zip(addresses) {
                let CombinedProgram { program, first } = groups[word.program];
                let is_moved = program.reduction.is_none();
                let address = if design.ports.results == Results::Memory { address } else { 0 };
                let user = if sizes.has_blocks() { call_words::user_of(topology, word, sizes.message) } else { 0 };
                let group = if is_moved { 0 } else { first + group_of(program, node) };
                let address = u64::from(group) << address_bits(&sizes) | address;
                let about = u128::from(address) << user_bits(&sizes) | u128::from(user);
                let number = word.number + if is_moved { before } else { 0 };
                writeln!(out, "{:x}", about << 33 | u128::from(word.is_last) << 32 | u128::from(number))?;
            }
        }
        before += words.taken.iter().sum::<u64>();
    }
    Ok(())
}

/// Program of a call, with the number of its first group.
#[derive(Clone, Copy)]
struct CombinedProgram<'e> {
    program: &'e Program,
    first: u32,
}

impl CombinedProgram<'_> {
    /// Number of its groups, if it combines values; all nodes are one if it has none.
    fn groups(self) -> u32 {
        let groups = self.program.demand.groups().map_or(1, |groups| groups.members().len() as u32);
        if self.program.reduction.is_some() { groups } else { 0 }
    }
}

/// Programs of a call. Of those that are played at once groups are numbered one after the other, and 0 is no group.
fn call_groups<'e>(design: &ListDesign<'e>, call: BenchCall) -> Vec<CombinedProgram<'e>> {
    let parts = design.netlist.parts(call.program);
    let mut first = u32::from(parts.len() > 1);
    let of_part = |part: &TogetherPart| {
        let program = CombinedProgram { program: design.schedules[part.program as usize].program, first };
        first += program.groups();
        program
    };
    parts.iter().map(of_part).collect()
}

/// Bits of a group's number, where values are combined in groups, or in one of several programs that are played at once.
fn group_bits(design: &ListDesign<'_>) -> u32 {
    let of_call = |call: BenchCall| {
        let parts = call_groups(design, call);
        let last = parts.iter().map(|part| part.first + part.groups()).max().unwrap_or(0);
        let is_grouped = parts.iter().any(|part| part.groups() > 1) || parts.len() > 1 && last > 1;
        if is_grouped { last } else { 0 }
    };
    // one number more is that of no group
    kinds(design)
        .into_iter()
        .map(of_call)
        .max()
        .filter(|&last| last > 0)
        .map_or(0, |last| bits_for(u64::from(last) + 1))
}

/// Most programs of a call.
fn most_parts(design: &ListDesign<'_>) -> usize {
    kinds(design).into_iter().map(|call| design.netlist.parts(call.program).len()).max().unwrap_or(1)
}

/// Number of a node's group.
fn group_of(program: &Program, node: NodeId) -> u32 {
    program.demand.groups().and_then(|groups| groups.number(node)).unwrap_or(0)
}

/// Group of each node in each program of each call, one per line, and the words that come in at the nodes before it and in the programs
/// before this one.
fn write_groups(design: &ListDesign<'_>, out: &mut dyn Write) -> io::Result<()> {
    let nodes = design.netlist.nodes() as usize;
    let most = most_parts(design);
    let mut before = 0;
    for (call, words) in kinds(design).into_iter().zip(all_words(design)) {
        let mut begins: Vec<u64> = Vec::with_capacity(nodes);
        for taken in &words.taken {
            begins.push(before);
            before += taken;
        }
        let groups = call_groups(design, call);
        for number in 0..most {
            let group = groups.get(number).filter(|part| part.groups() > 0);
            for (rank, node) in design.netlist.topology.live_ids().enumerate() {
                let shown = group.map_or(u32::MAX, |part| part.first + group_of(part.program, node));
                writeln!(out, "{shown:08x}{:08x}", begins[rank])?;
            }
            if let Some(own) = words.programs.get(number) {
                begins.iter_mut().zip(own).for_each(|(begin, taken)| *begin += taken);
            }
        }
    }
    Ok(())
}

/// Ends of blocks, of the words that come in: one per line.
fn write_ends(design: &ListDesign<'_>, out: &mut dyn Write) -> io::Result<()> {
    let mut ends = all_words(design).iter().flat_map(|words| &words.ends);
    ends.try_for_each(|&is_last| writeln!(out, "{}", u8::from(is_last)))
}

#[derive(Template)]
#[template(path = "listed/tb/streams.v", escape = "none")]
struct StreamBench {
    module: String,
    system: String,
    notes: Vec<String>,
    sizes: WireSizes,
    width: u32,
    runs: u32,
    unit: &'static str,
    kinds: Vec<BenchCall>,
    /// Files of the lengths of streams, of words that go out, and of ends of blocks.
    streams: String,
    words: String,
    ends: String,
    /// Bits of a group's number, and the file of the groups, where values are combined in groups.
    groups: Option<(u32, String)>,
    /// Programs that are not several at once, and the most programs of a call.
    alone: usize,
    most: usize,
    /// Words that come in and go out, in each call once.
    taken: u64,
    given: u64,
    /// Most clocks up to a reset in the middle of a run: those of two collectives without a pause.
    span: u64,
    chain: bool,
    boards: u32,
    /// Words per clock of a stream out, and the factor that stands for them.
    lanes: u32,
    by_lane: &'static str,
    /// Bits of the longest address of a read port, if nodes have one.
    address: Option<u32>,
    nodes: u32,
    user: UpCounter,
    /// Clocks without any word before the bench fails.
    patience: u64,
    /// Numbers and operations of the programs that combine.
    operations: Vec<(usize, Operation)>,
    /// True if words are compared with their sign.
    is_signed: bool,
    /// Whole numbers in the place of floats.
    numbers: Option<ExactNumbers>,
    /// Check of the unit that adds them.
    sums: Option<Sums>,
    pins: Vec<SystemPin>,
}

impl StreamBench {
    fn new(design: &ListDesign<'_>) -> Self {
        let parts = &design.netlist.union.parts;
        let nodes = design.netlist.nodes();
        let sizes = WireSizes::of(design);
        let kinds = kinds(design);
        let words = all_words(design);
        // words of the longest stream out
        let longest = |words: &CallWords| {
            let given = words.given.iter().map(|given| given.len() as u64);
            if design.has_chain() { given.sum() } else { given.max().unwrap_or(0) }
        };
        let longest = words.iter().map(longest).max().unwrap_or(0);
        let together = design.netlist.together.iter().map(|together| together.ticks);
        let ticks = design.schedules.iter().map(|planned| planned.program.ticks).chain(together).max().unwrap_or(0);
        let ticks = u64::from(ticks);
        // after a reset nodes are told where words lie, record by record
        let records = design.netlist.records.len() as u64;
        let on_links = if design.boards.is_some() { 20_000 } else { 2000 };
        let operation = |number: usize| {
            let parts = design.netlist.parts(number as u32).into_iter();
            parts
                .filter_map(|part| design.schedules[part.program as usize].program.reduction.as_ref())
                .map(|it| it.operation)
                .next()
        };
        let operations = (0..design.netlist.programs.len()).filter_map(|number| Some((number, operation(number)?)));
        Self {
            module: module(design),
            system: if design.boards.is_some() { network::module(design.name) } else { design.top() },
            notes: notes(design),
            sizes,
            width: design.width,
            runs: runs(design),
            unit: unit(design),
            streams: data_path(design, "streams"),
            words: data_path(design, "words"),
            ends: data_path(design, "ends"),
            alone: design.schedules.len(),
            most: most_parts(design),
            groups: Some(group_bits(design)).filter(|&bits| bits > 0).map(|bits| (bits, data_path(design, "groups"))),
            taken: words.iter().flat_map(|words| &words.taken).sum(),
            given: words.iter().map(CallWords::all).sum(),
            kinds,
            span: 2 * (ticks + longest) + records,
            chain: design.has_chain(),
            boards: design.lines(),
            lanes: sizes.lanes(),
            by_lane: by_lane(sizes.lanes()),
            address: Some(address_bits(&sizes)).filter(|&bits| bits > 0),
            nodes,
            user: UpCounter::of_bits(sizes.user()),
            patience: ticks + u64::from(nodes) + records + on_links,
            operations: operations.collect(),
            is_signed: parts.number.is_signed() && parts.number.float().is_none(),
            numbers: ExactNumbers::of(parts.number, nodes),
            sums: Sums::of(parts.unit, design.module("combine")),
            pins: if design.has_chain() { Vec::new() } else { pins(design, sizes) },
        }
    }

    /// Bits of an entry in the list of words that go out.
    fn entry(&self) -> u32 {
        let groups = self.groups.as_ref().map_or(0, |&(bits, _)| bits);
        groups + self.address.unwrap_or(0) + user_bits(&self.sizes) + 33
    }

    /// Returns true if all programs combine.
    fn always_combines(&self) -> bool {
        self.operations.len() == 1 && self.sizes.is_one
    }

    /// Name of the value that a node has of a sum.
    fn term(&self) -> &'static str {
        if self.numbers.is_some() { "whole" } else { "wide" }
    }
}

fn notes(design: &ListDesign<'_>) -> Vec<String> {
    let (name, module) = (if design.is_one() { design.whole() } else { design.name.to_owned() }, module(design));
    let (plays, unit) = if design.is_one() { ("collectives", "collective") } else { ("calls", "call") };
    let mut notes = words::wrap_all(&[
        "Streams pause by chance, at both ends; every word's data, packet and place is compared, run after run, at first with \
         resets in the middle."
            .to_owned(),
        format!(
            "`+runs=N` plays so many {plays}, `+seed=N` lets others pause. With `+full=1` none pauses, and the bench prints the \
             clocks per {unit}."
        ),
        format!(
            "Prints `PASS <n> {plays}, <n> words`, or the first difference after FAIL and exits with a status other than 0."
        ),
        "Run it in the design's folder:".to_owned(),
    ]);
    notes.extend([
        format!("$ iverilog -g2005 -o sim -f {name}.f tb/{module}.v && vvp sim +runs=100"),
        format!("$ verilator --binary --timing -f {name}.f tb/{module}.v --top-module {module}"),
    ]);
    notes.extend(design.notes());
    notes
}
