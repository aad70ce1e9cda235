//! The self-test of nodes with streams: each is given its words and compares those that it has in the end, call after call.

use std::collections::BTreeMap;

use askama::Template;

use crate::emit::bench::nodes::{self, BenchCall};
use crate::emit::node::{ListDesign, WireSizes};
use crate::emit::selftest::entries::{Layout, asked_bits, lane_bits, order};
use crate::emit::selftest::places::{BoardIndex, EachBoard, KeptCoordinate, TestedBoard, TestedPlaces};
use crate::emit::selftest::tables::{NodeStreams, TableBits, WordsOfRun};
use crate::emit::selftest::{AxisCount, BAUD, BistCommon, BistReport, BistWord, CLOCK, MOST_BITS, Marked, ValueMarks};
use crate::emit::shared::call_words::CallWords;
use crate::emit::shared::output::OutputFile;
use crate::emit::shared::parts::UpCounter;
use crate::emit::shared::words;
use crate::netlist::digits;
use crate::program::Operation;

/// Clocks without any word before a run has failed, beside those of the schedule.
const PATIENCE: u64 = 2000;

/// Name of the module that tests itself.
pub fn module(design: &ListDesign<'_>) -> String {
    design.module("bist")
}

/// Bits of the tables of all words, if they are more than there may be; they are counted before any word is found.
pub fn too_many_bits(design: &ListDesign<'_>) -> Option<u64> {
    let words = |call: &BenchCall| {
        let of_nodes = design.netlist.programs[call.program as usize].words.iter();
        of_nodes.map(|&(taken, given)| u64::from(taken) + u64::from(given)).sum::<u64>()
    };
    let words: u64 = calls(design).iter().map(words).sum();
    let sizes = WireSizes::of(design);
    let number = digits(words.min(u32::MAX.into()) as u32);
    let bits =
        words * u64::from(number + sizes.user() + lane_bits(&sizes) + sizes.program + asked_bits(&sizes).unwrap_or(1));
    (bits > MOST_BITS).then_some(bits)
}

/// Calls of a run: an odd number, for nodes have two banks, and an even one hides that they change places.
fn calls(design: &ListDesign<'_>) -> Vec<BenchCall> {
    let mut calls = nodes::kinds(design);
    if calls.len().is_multiple_of(2) {
        calls.push(calls[0]);
    }
    calls
}

/// The modules, each after those it uses.
pub fn files<'d>(design: &'d ListDesign<'d>) -> Vec<OutputFile<'d>> {
    let named = |part: &str| format!("{}_{part}", module(design));
    let kinds = DataKind::all(design);
    let mut files = Vec::new();
    for (number, kind) in kinds.iter().enumerate() {
        files.push(match kind.operation {
            None => OutputFile::module(&named("word"), move || BistWord { common: common(design) }),
            Some(_) => OutputFile::module(&format!("{}_word", kind.module), move || {
                marked(design, &DataKind::all(design)[number])
            }),
        });
    }
    files.push(OutputFile::module(&named("value"), move || DataOfWord {
        common: common(design),
        sizes: WireSizes::of(design),
        fixed: fixed(design),
        kinds: DataKind::all(design),
    }));
    files.push(OutputFile::module(&named("node"), move || {
        let Layout { sizes, tables, beside, .. } = Layout::of(design, &common(design));
        let boards = TestedPlaces::of(design).boards();
        TestedNode { common: common(design), sizes, tables, beside, order: order(&sizes), boards }
    }));
    if WireSizes::of(design).lanes() > 1 {
        files.push(OutputFile::module(&named("row"), move || {
            let Layout { sizes, beside, .. } = Layout::of(design, &common(design));
            TestedRow { common: common(design), place: lane_bits(&sizes), sizes, beside, order: order(&sizes) }
        }));
    }
    files.push(OutputFile::module(&named("report"), move || {
        let places = TestedPlaces::of(design).names.len() as u32;
        BistReport::new(common(design), &design.netlist.topology, &[vec!['m']], places, "flag")
    }));
    files.push(OutputFile::module(&module(design), move || StreamTest::new(design)));
    files
}

/// Way in which data are made of a word's number: as it is, or so that one node's value decides a result.
struct DataKind {
    name: &'static str,
    module: String,
    operation: Option<Operation>,
    programs: Vec<usize>,
}

impl DataKind {
    /// Every kind that a program of the design has.
    fn all(design: &ListDesign<'_>) -> Vec<Self> {
        let mut by_name: BTreeMap<&'static str, Self> = BTreeMap::new();
        for (number, planned) in design.schedules.iter().enumerate() {
            let operation = planned.program.reduction.as_ref().map(|reduction| reduction.operation);
            // words are taken as they are, or all but one are zero, or the one has a bit that others have not
            let name = match operation {
                None => "moved",
                Some(Operation::Sum | Operation::Xor | Operation::Custom) => "added",
                Some(Operation::Max | Operation::Or) => "highest",
                Some(Operation::Min | Operation::And) => "lowest",
            };
            let whole = module(design);
            let module = if operation.is_some() { format!("{whole}_{name}") } else { whole };
            let kind = Self { name, module, operation, programs: Vec::new() };
            by_name.entry(name).or_insert(kind).programs.push(number);
        }
        by_name.into_values().collect()
    }
}

/// Marks of the values of a design's reductions, of one of them.
fn marks(design: &ListDesign<'_>, operation: Option<Operation>) -> Option<ValueMarks> {
    let mut reductions = design.schedules.iter().filter_map(|planned| planned.program.reduction.as_ref());
    let reduction = reductions.find(|reduction| operation.is_none_or(|operation| reduction.operation == operation))?;
    let last = design.netlist.nodes() - 1;
    Some(ValueMarks::new(reduction.number, reduction.operation, digits(last), last))
}

/// Highest bits of a value that are the same in all.
fn fixed(design: &ListDesign<'_>) -> u32 {
    marks(design, None).map_or(0, |marks| marks.fixed)
}

/// Module of the values of a reduction.
fn marked(design: &ListDesign<'_>, kind: &DataKind) -> Marked {
    let marks = marks(design, kind.operation).expect("a reduction has marks");
    let common = common(design);
    Marked { common: BistCommon { id: common.id + 2 * marks.bits, name: kind.module.clone(), ..common }, marks }
}

fn common(design: &ListDesign<'_>) -> BistCommon {
    let calls = calls(design);
    let all = || (0..calls.len()).map(|call| words_of(design, call));
    let nodes = 0..design.netlist.nodes() as usize;
    let passing = |of: fn(&CallWords, usize) -> u64| {
        let of_node = |node: usize| all().map(|words| of(words, node)).sum::<u64>();
        nodes.clone().map(of_node).max().unwrap_or(0) as u32
    };
    let most = passing(|words, node| words.taken[node]).max(passing(|words, node| words.given[node].len() as u64));
    let numbers = all().map(taken_in).sum::<u64>() as u32;
    let id = digits(numbers.saturating_sub(1)).max(2);
    BistCommon {
        name: module(design),
        notes: words::wrap_all(&design.notes()),
        width: design.width,
        ticks: calls.len() as u32,
        tick: digits(most.max(calls.len() as u32) + 1),
        index: 0,
        id,
        hash: id,
        flit_bits: 0,
        combines: false,
        of_streams: true,
        marks: marks(design, None),
        clock: CLOCK,
        baud: BAUD,
    }
}

/// Words of a call of a run.
fn words_of<'d>(design: &'d ListDesign<'_>, call: usize) -> &'d CallWords {
    let words = nodes::all_words(design);
    &words[call % words.len()]
}

/// Words that come in at all nodes in a call.
fn taken_in(words: &CallWords) -> u64 {
    words.taken.iter().sum()
}

#[derive(Template)]
#[template(path = "bist/streams/value.v", escape = "none")]
struct DataOfWord {
    common: BistCommon,
    sizes: WireSizes,
    fixed: u32,
    kinds: Vec<DataKind>,
}

#[derive(Template)]
#[template(path = "bist/streams/node.v", escape = "none")]
struct TestedNode {
    common: BistCommon,
    sizes: WireSizes,
    tables: TableBits,
    beside: u32,
    order: String,
    boards: BoardIndex,
}

#[derive(Template)]
#[template(path = "bist/streams/row.v", escape = "none")]
struct TestedRow {
    common: BistCommon,
    sizes: WireSizes,
    /// Bits of a word's place in its row.
    place: u32,
    beside: u32,
    order: String,
}

#[derive(Template)]
#[template(path = "bist/streams/top.v", escape = "none")]
struct StreamTest {
    common: BistCommon,
    sizes: WireSizes,
    system: String,
    calls: Vec<BenchCall>,
    order: String,
    /// Words that go out in a run, and nodes that they go out of, by board.
    words: EachBoard,
    receivers: EachBoard,
    fixed: u32,
    patience: u64,
    beside: u32,
    /// Bits of the counters of states, of the clocks up to a reset, and of those without a word.
    count: u32,
    cut: u32,
    wait: u32,
    /// Clocks before the first call of a run, so that all boards have ended the one before.
    apart: u64,
    call: UpCounter,
    axes: Vec<AxisCount>,
    coordinates: Vec<KeptCoordinate>,
    port: UpCounter,
    checked: UpCounter,
    first_record: String,
    nodes: Vec<NodeStreams>,
    /// Nodes that say whether a word went astray.
    told: usize,
    boards: BoardIndex,
    board: Option<TestedBoard>,
}

impl StreamTest {
    fn new(design: &ListDesign<'_>) -> Self {
        let common = common(design);
        let layout = Layout::of(design, &common);
        let calls = calls(design);
        let places = TestedPlaces::of(design);
        let ticks: u64 = design.netlist.programs.iter().map(|program| u64::from(program.ticks)).max().unwrap_or(0);
        let patience = ticks * places.longest_tick() + design.netlist.records.len() as u64 + PATIENCE;
        let cut = digits(ticks as u32 + common.ticks);
        let all: Vec<Vec<WordsOfRun>> = (0..places.names.len())
            .map(|place| {
                let ranks = places.ranks(place).into_iter();
                ranks.map(|rank| words_of_run(design, &layout, &calls, rank)).collect()
            })
            .collect();
        let by_board = |of: fn(&WordsOfRun) -> u64| {
            let sum = |board: usize| all.iter().map(|place| of(&place[board])).sum();
            EachBoard::new(24, (0..places.nodes.len()).map(sum))
        };
        let nodes: Vec<NodeStreams> = all
            .iter()
            .enumerate()
            .map(|(place, words)| NodeStreams::of(&layout.tables, &places, place, words))
            .collect();
        let Layout { sizes, tables, beside, .. } = layout;
        Self {
            system: design.whole(),
            order: order(&sizes),
            words: by_board(|[_, given, _]| given.len() as u64),
            receivers: by_board(|[_, given, _]| u64::from(!given.is_empty())),
            fixed: fixed(design),
            patience,
            beside,
            count: (cut + 1).max(5),
            cut,
            wait: digits(patience as u32 + 1),
            apart: places.longest_tick() + 8 * (u64::from(1u32 << tables.place) + places.names.len() as u64),
            call: UpCounter::up_to(calls.len() as u32),
            axes: places.axes(),
            coordinates: places.coordinates(),
            port: UpCounter::up_to(0),
            checked: UpCounter::up_to(nodes.len() as u32),
            first_record: nodes[0].name.clone(),
            told: nodes.iter().filter(|node| node.has_streams).count(),
            nodes,
            boards: places.boards(),
            board: places.board(),
            calls,
            common,
            sizes,
        }
    }
}

/// Entries of the tables of a node in all calls of a run; none of a dead node.
fn words_of_run(design: &ListDesign<'_>, layout: &Layout, calls: &[BenchCall], rank: Option<u32>) -> WordsOfRun {
    let mut of_run = WordsOfRun::default();
    let mut before = 0;
    for (number, &call) in calls.iter().enumerate() {
        let words = words_of(design, number);
        if let Some(rank) = rank {
            let of_call = layout.entries(design, call, words, rank as usize, before);
            of_run.iter_mut().zip(of_call).for_each(|(all, more)| all.extend(more));
        }
        before += taken_in(words);
    }
    of_run
}
