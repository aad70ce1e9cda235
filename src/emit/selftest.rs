//! The self-test: the fabric with sources of words, a checker per port, and a line that says how it ended.

mod entries;
mod partials;
pub(in crate::emit) mod places;
mod report;
mod schedule;
pub(in crate::emit) mod streams;
mod tables;
mod values;

pub use streams::too_many_bits;

use crate::emit::shared::design::EmitDesign;
use crate::emit::shared::output::{EmittedPart, OutputFile};
use crate::emit::shared::parts::{BitRange, UpCounter};
use crate::emit::shared::{names, words};
use crate::netlist::{Own, digits};
use crate::program::Program;

use std::rc::Rc;

use askama::Template;

use crate::emit::selftest::partials::ExpectedPartials;
use crate::emit::selftest::schedule::{Schedule, TablePiece};
use crate::emit::selftest::values::{ValueModule, ValueTable};
pub(in crate::emit) use report::{AxisCount, BistReport, axes};
pub(in crate::emit) use values::{Marked, ValueMarks};

/// Bits of all tables together: more make files that no tool likes, and fit no device.
pub(in crate::emit) const MOST_BITS: u64 = 1 << 24;
/// The serial line, if nobody says otherwise.
pub(in crate::emit) const BAUD: u32 = 115_200;
/// The clock that its bits are counted by, in Hz; a top says that of its board.
pub(in crate::emit) const CLOCK: u32 = 12_000_000;
/// Ticks that `run` stays high beyond the last one, and then low, for what is late to be seen.
const BEYOND: u32 = 4;
const QUIET: u32 = 12;

/// The module that tests itself.
pub fn module(program: &Program) -> String {
    format!("{}_bist", program.title.name)
}

/// Reason for which there is no self-test of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoBist {
    /// Tables are too large.
    Tables {
        /// Bits of all tables together.
        bits: u64,
    },
    /// One partial goes into several others.
    Reused,
}

/// Fails if there is no self-test of a program.
pub fn fits(program: &Program) -> Result<(), NoBist> {
    // at least that much, before every partial is traced
    let bits = BistSizes::of(program, None).bits(program);
    if bits > MOST_BITS {
        return Err(NoBist::Tables { bits });
    }
    let Some(partials) = ExpectedPartials::of(program) else { return Ok(()) };
    let bits = BistSizes::of(program, Some(&partials)).bits(program).saturating_add(values::bits(program, &partials));
    match () {
        () if bits > MOST_BITS => Err(NoBist::Tables { bits }),
        () if !partials.are_differences() && !partials.are_trees() => Err(NoBist::Reused),
        () => Ok(()),
    }
}

/// The modules, if the design wants to have them.
pub struct SelfTest;

impl EmittedPart for SelfTest {
    fn files<'d>(&self, design: &'d EmitDesign<'d>, _: &[OutputFile<'d>]) -> Vec<OutputFile<'d>> {
        if design.options.bist { files(design) } else { Vec::new() }
    }
}

/// The modules, each after those it uses.
pub fn files<'d>(design: &'d EmitDesign<'d>) -> Vec<OutputFile<'d>> {
    let named = |part: &str| format!("{}_{part}", module(design.program));
    let partials = ExpectedPartials::of(design.program).map(Rc::new);
    let sizes = BistSizes::of(design.program, partials.as_deref());
    let marks = partials.as_deref().and_then(|partials| ValueMarks::of(design.program, partials));
    let common = move || BistCommon::of(design, sizes, marks);
    let mut files = vec![
        match marks {
            Some(marks) => OutputFile::module(&named("word"), move || Marked { common: common(), marks }),
            None => OutputFile::module(&named("word"), move || BistWord { common: common() }),
        },
        OutputFile::module(&named("port"), move || PortCheck { common: common() }),
    ];
    if partials.is_some() {
        files.push(OutputFile::module(&named("value"), move || ValueModule::new(design.program, common())));
    } else if design.netlist.streams {
        files.push(OutputFile::module(&named("source"), move || BistSource { common: common() }));
    }
    files.push(OutputFile::module(&named("report"), move || fabric_report(design.program, common())));
    files.push(OutputFile::module(&module(design.program), move || Bist::new(design, common(), partials.as_deref())));
    files
}

/// Bits of the numbers in it.
#[derive(Clone, Copy)]
struct BistSizes {
    /// bits of a tick, including those before the first and after the last
    tick: u32,
    /// low bits of a tick that tell it from the others
    index: u32,
    /// bits of a flit's number
    id: u32,
    /// bits of a flit's position in its packet, the low ones of its number
    flit: u32,
    /// bits of its number that its word depends on
    hash: u32,
}

impl BistSizes {
    fn of(program: &Program, partials: Option<&ExpectedPartials>) -> Self {
        let (tick, index) = (digits(program.ticks + 1), digits(program.ticks - 1));
        if let Some((hash, mark)) = partials.map(ExpectedPartials::bits) {
            return Self { tick, index, id: hash + 2 * mark, flit: 0, hash };
        }
        let flit = if program.flits > 1 { digits(program.flits - 1) } else { 0 };
        // numbers of packets where all have as many flits, else those of flits
        let last = program.demand.flits().div_ceil(program.flits.into()).saturating_sub(1) as u32;
        let id = digits(last).max(2) + flit;
        Self { tick, index, id, flit, hash: id }
    }

    /// Number of bits in all tables.
    fn bits(self, program: &Program) -> u64 {
        (program.registers() as u64 * u64::from(self.id + 1)).saturating_mul(1 << self.index)
    }
}

/// Names and sizes that all modules share.
pub(in crate::emit) struct BistCommon {
    pub(in crate::emit) name: String,
    pub(in crate::emit) notes: Vec<String>,
    pub(in crate::emit) width: u32,
    pub(in crate::emit) ticks: u32,
    pub(in crate::emit) tick: u32,
    pub(in crate::emit) index: u32,
    pub(in crate::emit) id: u32,
    pub(in crate::emit) hash: u32,
    pub(in crate::emit) flit_bits: u32,
    /// true for a reduction
    pub(in crate::emit) combines: bool,
    /// true for the streams of nodes
    pub(in crate::emit) of_streams: bool,
    /// marks of values, if they decide results
    pub(in crate::emit) marks: Option<ValueMarks>,
    pub(in crate::emit) clock: u32,
    pub(in crate::emit) baud: u32,
}

impl BistCommon {
    fn of(design: &EmitDesign, sizes: BistSizes, marks: Option<ValueMarks>) -> Self {
        let BistSizes { tick, index, id, flit, hash } = sizes;
        Self {
            name: module(design.program),
            notes: words::wrap_all(&[design.generated()]),
            width: design.options.width,
            ticks: design.program.ticks,
            tick,
            index,
            id,
            hash,
            flit_bits: flit,
            combines: design.program.reduction.is_some(),
            of_streams: false,
            marks,
            clock: CLOCK,
            baud: BAUD,
        }
    }
}

#[derive(Template)]
#[template(path = "bist/word.v", escape = "none")]
pub(in crate::emit) struct BistWord {
    pub(in crate::emit) common: BistCommon,
}

#[derive(Template)]
#[template(path = "bist/port.v", escape = "none")]
struct PortCheck {
    common: BistCommon,
}

#[derive(Template)]
#[template(path = "bist/source.v", escape = "none")]
struct BistSource {
    common: BistCommon,
}

#[derive(Template)]
#[template(path = "bist/bist.v", escape = "none")]
struct Bist {
    common: BistCommon,
    fabric: String,
    leaf: String,
    delay: u32,
    /// bits of the counter of states, and what it starts with
    count: u32,
    play: u32,
    low: u32,
    streams: bool,
    /// range of the fabric's output that asks for flits
    flit: Option<BitRange>,
    axes: Vec<AxisCount>,
    /// the number of a node's port
    port: UpCounter,
    nodes: Vec<BistNode>,
    first_record: String,
    /// number of arrivals at all ports in one run
    arrivals: usize,
    /// number of ports with a link, and the range of such a number
    checkers: u32,
    checked: UpCounter,
    /// number of ports at which anything arrives
    receivers: usize,
    /// number of outputs whose values are counted
    balances: usize,
}

/// Line of the self-test of a fabric, which names ports by their letters.
fn fabric_report(program: &Program, common: BistCommon) -> BistReport {
    let labels: Vec<Vec<char>> = program.channels().map(|channel| report::label(program, channel)).collect();
    BistReport::new(common, &program.topology, &labels, checkers(program), "done")
}

/// Number of ports with a link.
fn checkers(program: &Program) -> u32 {
    let is_linked = |&register: &usize| {
        let (node, channel) = program.owner(register);
        program.is_wired(node, channel)
    };
    (0..program.registers()).filter(is_linked).count() as u32
}

struct BistNode {
    name: String,
    place: String,
    index: u32,
    owns: Vec<OwnWord>,
    ports: Vec<PortView>,
}

/// An own input, and the number of its flit or its packet, or of the first and last of its flits.
struct OwnWord {
    name: String,
    first: u64,
    last: u64,
    /// values of a reduction, if it is one
    values: Option<ValueTable>,
}

struct PortView {
    name: String,
    linked: bool,
    index: usize,
    schedule: Vec<Vec<TablePiece>>,
    /// values of the output at this port, if it has any
    own: Option<String>,
    /// port whose record shifts into this one
    next: Option<String>,
}

impl Bist {
    fn new(design: &EmitDesign, common: BistCommon, partials: Option<&ExpectedPartials>) -> Self {
        let program = design.program;
        let topology = &program.topology;
        let sizes = BistSizes::of(program, partials);
        let schedule = Schedule::of(program, design.netlist.streams, sizes, partials);
        let name = |register: usize| {
            let (node, channel) = program.owner(register);
            names::arrival(topology, node, channel)
        };
        let own = |node, output: usize| {
            let own = design.router(node).packets.iter().find(|own| own.packet as usize == output);
            own.map(|&own| format!("{}_{}", names::node(topology, node), names::own(own)))
        };
        let port = |(index, register): (usize, usize)| {
            let (node, channel) = program.owner(register);
            PortView {
                name: name(register),
                linked: program.is_wired(node, channel),
                own: own(node, program.output_index(channel)),
                index,
                schedule: schedule.port(register),
                next: (register + 1 < program.registers()).then(|| name(register + 1)),
            }
        };
        let node = |id: crate::net::NodeId| {
            let node = names::node(topology, id);
            let own = |&own: &Own| {
                let demand = &program.demand;
                let name = format!("{node}_{}", names::own(own));
                if let Some(partials) = partials {
                    // every output has an input of its own
                    let register = id.index() * program.outputs() + own.packet as usize;
                    let values = Some(ValueTable::of(partials, register, sizes));
                    return OwnWord { name, first: 0, last: 0, values };
                }
                let flits = demand.flits_of_packet(id, own.packet).start..demand.flits_of_packet(id, own.through).end;
                OwnWord {
                    name,
                    values: None,
                    first: schedule.number(flits.start) >> sizes.flit,
                    last: flits.end.saturating_sub(1).max(flits.start),
                }
            };
            let first = id.index() * program.outputs();
            BistNode {
                place: topology.show(id),
                index: id.0,
                owns: design.router(id).packets.iter().map(own).collect(),
                ports: (first..first + program.outputs()).enumerate().map(port).collect(),
                name: node,
            }
        };
        let delay = design.start_delay();
        let (play, low) = (program.ticks + delay + BEYOND, QUIET + delay);
        let nodes: Vec<BistNode> = topology.node_ids().map(node).collect();
        let ports = nodes.iter().flat_map(|node| &node.ports);
        Self {
            fabric: design.name().to_owned(),
            leaf: names::leaf(program),
            delay,
            count: digits(play).max(digits(low)).max(sizes.tick + 1),
            play,
            low,
            streams: design.netlist.streams,
            flit: (program.flits > 1).then(|| BitRange::up_to(program.flits - 1)),
            axes: axes(topology.dims(), names::coordinate),
            port: UpCounter::up_to(program.outputs() as u32 - 1),
            first_record: name(0),
            arrivals: schedule.arrivals(),
            checkers: checkers(program),
            checked: UpCounter::up_to(checkers(program)),
            receivers: schedule.receivers(),
            balances: ports.filter(|port| port.own.is_some()).count(),
            nodes,
            common,
        }
    }
}
