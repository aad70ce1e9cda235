//! Testbench of nodes with streams, for `templates/listed/tb/streams.v`: what it feeds in, and in which order it wants it back. The
//! order is the model's.

use std::io::{self, Write};

use askama::Template;

use crate::emit::bench::cables::{self, CableBench};
use crate::emit::bench::nodes::BenchCall;
use crate::emit::bench::nodes::boards::{self, StreamDevice};
use crate::emit::bench::nodes::calls::{all_words, kinds};
use crate::emit::bench::nodes::groups::{CombinedProgram, call_groups, group_bits, group_of, most_parts, write_groups};
use crate::emit::bench::sums::Sums;
use crate::emit::node::edited::by_lane;
use crate::emit::node::{ListDesign, WireSizes};
use crate::emit::shared::call_words::{self, CallWords};
use crate::emit::shared::numbers::ExactNumbers;
use crate::emit::shared::output::{FileType, OutputFile};
use crate::emit::shared::parts::UpCounter;
use crate::emit::shared::{names, words};
use crate::netlist::Results;
use crate::program::Operation;

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
    devices: Vec<StreamDevice>,
    /// Ticks of the longest program.
    ticks: u64,
    /// Nodes of a device.
    sites: u32,
    /// Cables between boards, if there are several.
    cables: Option<CableBench>,
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
            system: design.top(),
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
            patience: ticks + u64::from(nodes) + records + if design.boards.is_some() { 0 } else { 2000 },
            operations: operations.collect(),
            is_signed: parts.number.is_signed() && parts.number.float().is_none(),
            numbers: ExactNumbers::of(parts.number, nodes),
            sums: Sums::of(parts.unit, design.module("combine")),
            devices: StreamDevice::all(design, sizes),
            ticks,
            sites: design.nodes_of_device(),
            cables: boards::cables(design),
        }
    }

    /// Bits of an entry in the list of words that go out.
    fn entry(&self) -> u32 {
        let groups = self.groups.as_ref().map_or(0, |&(bits, _)| bits);
        groups + self.address.unwrap_or(0) + user_bits(&self.sizes) + 33
    }

    /// Returns true if boards have clocks of their own.
    fn own_clocks(&self) -> bool {
        self.cables.as_ref().is_some_and(|cables| cables.own_clocks)
    }

    /// Returns true if links are wires, which train for thousands of clocks after a reset.
    fn is_serial(&self) -> bool {
        self.cables.as_ref().is_some_and(|cables| cables.serial.is_some())
    }

    /// Returns true if one board takes the calls of all.
    fn is_common(&self) -> bool {
        self.cables.as_ref().is_some_and(|cables| cables.common.is_some())
    }

    /// Number of the first run: after a fault others follow.
    fn first_run(&self) -> &'static str {
        if self.cables.is_some() { "base" } else { "0" }
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
    ]);
    if let Some(boards) = &design.boards {
        notes.extend(words::wrap(
            "Every cable takes its own number of clocks, from `+least=1` to `+most=20`, and waits in its own share of them, up to `+stalls=50` \
             percent, now and then for 32 clocks.",
        ));
        notes.extend(cables::notes(boards.form, boards.start, true));
    }
    notes.push("Run it in the design's folder:".to_owned());
    notes.extend([
        format!("$ iverilog -g2005 -o sim -f {name}.f tb/{module}.v && vvp sim +runs=100"),
        format!("$ verilator --binary --timing -f {name}.f tb/{module}.v --top-module {module}"),
    ]);
    notes.extend(design.notes());
    notes
}
