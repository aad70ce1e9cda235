//! The self-test: the fabric with sources of words, a checker per port, and a line that says how it ended.

mod schedule;

use super::design::Design;
use super::names;
use super::output::{File, Output};
use super::rtl::{Count, Range};
use super::words;
use crate::net::Channel;
use crate::netlist::{Own, digits};
use crate::program::Program;

use askama::Template;

use schedule::{Piece, Schedule};

/// Bits of all tables together: more make files that no tool likes, and fit no device.
const MOST_BITS: u64 = 1 << 24;
/// The serial line, if nobody says otherwise.
const BAUD: u32 = 115_200;
/// The clock that its bits are counted by, in Hz; a top says that of its board.
const CLOCK: u32 = 12_000_000;
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
    /// Routers find out lengths while they run.
    Protocol,
    /// Tables are too large.
    Tables {
        /// Bits of all tables together.
        bits: u64,
    },
}

/// Fails if there is no self-test of a program.
pub fn fits(program: &Program, has_protocol: bool) -> Result<(), NoBist> {
    let bits = Sizes::of(program).bits(program);
    match () {
        () if has_protocol => Err(NoBist::Protocol),
        () if bits > MOST_BITS => Err(NoBist::Tables { bits }),
        () => Ok(()),
    }
}

/// The modules, if the design wants to have them.
pub struct SelfTest;

impl Output for SelfTest {
    fn files<'d>(&self, design: &'d Design<'d>, _: &[File<'d>]) -> Vec<File<'d>> {
        if design.options.bist { files(design) } else { Vec::new() }
    }
}

/// The modules, each after those it uses.
pub fn files<'d>(design: &'d Design<'d>) -> Vec<File<'d>> {
    let named = |part: &str| format!("{}_{part}", module(design.program));
    let sizes = Sizes::of(design.program);
    let common = move || Common::of(design, sizes);
    let mut files = vec![
        File::module(&named("word"), move || Word { common: common() }),
        File::module(&named("port"), move || PortCheck { common: common() }),
    ];
    if design.netlist.streams {
        files.push(File::module(&named("source"), move || Source { common: common() }));
    }
    files.push(File::module(&named("report"), move || Report::new(design, common())));
    files.push(File::module(&module(design.program), move || Bist::new(design, common())));
    files
}

/// Bits of the numbers in it.
#[derive(Clone, Copy)]
struct Sizes {
    /// bits of a tick, including those before the first and after the last
    tick: u32,
    /// low bits of a tick that tell it from the others
    index: u32,
    /// bits of a flit's number
    id: u32,
    /// bits of a flit's position in its packet, the low ones of its number
    flit: u32,
}

impl Sizes {
    fn of(program: &Program) -> Self {
        let flit = if program.flits > 1 { digits(program.flits - 1) } else { 0 };
        // numbers of packets where all have as many flits, else those of flits
        let last = program.demand.flits().div_ceil(program.flits.into()).saturating_sub(1) as u32;
        Self { tick: digits(program.ticks + 1), index: digits(program.ticks - 1), id: digits(last).max(2) + flit, flit }
    }

    /// Number of bits in all tables.
    fn bits(self, program: &Program) -> u64 {
        (program.registers() as u64 * u64::from(self.id + 1)).saturating_mul(1 << self.index)
    }
}

/// Names and sizes that all modules share.
struct Common {
    name: String,
    notes: Vec<String>,
    width: u32,
    ticks: u32,
    tick: u32,
    index: u32,
    id: u32,
    flit_bits: u32,
    clock: u32,
    baud: u32,
}

impl Common {
    fn of(design: &Design, sizes: Sizes) -> Self {
        let Sizes { tick, index, id, flit } = sizes;
        Self {
            name: module(design.program),
            notes: words::wrap_all(&[design.generated()]),
            width: design.options.width,
            ticks: design.program.ticks,
            tick,
            index,
            id,
            flit_bits: flit,
            clock: CLOCK,
            baud: BAUD,
        }
    }
}

#[derive(Template)]
#[template(path = "bist/word.v", escape = "none")]
struct Word {
    common: Common,
}

#[derive(Template)]
#[template(path = "bist/port.v", escape = "none")]
struct PortCheck {
    common: Common,
}

#[derive(Template)]
#[template(path = "bist/source.v", escape = "none")]
struct Source {
    common: Common,
}

/// A coordinate of a node.
struct Axis {
    name: String,
    range: Range,
    gap: String,
    bits: u32,
    last: u32,
    /// the step of the report that says it, and what stands behind it
    step: u32,
    after: &'static str,
    /// inner axes, which must be at their last node before this one counts
    inner: Vec<(String, u32, u32)>,
}

#[derive(Template)]
#[template(path = "bist/report.v", escape = "none")]
struct Report {
    common: Common,
    axes: Vec<Axis>,
    /// the number of a node's port
    port: Count,
    /// the letters of the ports' labels
    labels: Vec<Letters>,
    /// the letters of `done` and `compared`, with the step that says each
    letters: Vec<(u32, char)>,
    /// number of the first step of a failure report
    fail_start: u32,
    words: u32,
    done_start: u32,
    count_start: u32,
}

/// The n-th letters of the labels, with the step that says them.
struct Letters {
    step: u32,
    by_port: Vec<(usize, char)>,
}

/// The step that begins to say where: before it stand `FAIL run tick `, or `PASS runs ticks arrivals`, a line end and the end.
const WHERE: u32 = 12;

impl Report {
    fn new(design: &Design, common: Common) -> Self {
        let program = design.program;
        let axes = axes(program);
        let labels: Vec<Vec<char>> = program.channels().map(|channel| label(program, channel)).collect();
        let letters = labels.iter().map(Vec::len).max().unwrap_or(0);
        let first = WHERE + 2 * axes.len() as u32;
        let letter = |place: usize| Letters {
            step: first + place as u32,
            by_port: (0..).zip(&labels).filter_map(|(port, label)| Some((port, *label.get(place)?))).collect(),
        };
        let words = first + letters as u32 + 1;
        // two words with a blank between them, a line end and the end
        let done_start = words + 5;
        // `done`, a line end and the end
        let count_start = done_start + 6;
        Self {
            common,
            axes,
            port: Count::up_to(program.outputs() as u32 - 1),
            labels: (0..letters).map(letter).collect(),
            letters: (done_start..).zip("done".chars()).chain((count_start..).zip("compared".chars())).collect(),
            fail_start: WHERE,
            words,
            done_start,
            count_start,
        }
    }
}

fn axes(program: &Program) -> Vec<Axis> {
    let dims = program.topology.dims();
    let axis = |axis: usize| {
        let last = dims[axis] - 1;
        let name = names::coordinate(axis);
        let inner =
            (axis + 1..dims.len()).map(|inner| (names::coordinate(inner), digits(dims[inner] - 1), dims[inner] - 1));
        let range = Range::up_to(last);
        Axis {
            gap: range.gap(),
            range,
            bits: digits(last),
            last,
            step: WHERE + 2 * axis as u32,
            after: if axis + 1 == dims.len() { " " } else { "," },
            inner: inner.collect(),
            name,
        }
    };
    (0..dims.len()).map(axis).collect()
}

/// Name of a port on the serial line: `T`, with lanes `T0`.
fn label(program: &Program, Channel { port, lane }: Channel) -> Vec<char> {
    let port = port.label(program.topology.axes());
    if program.lanes == 1 { port.chars().collect() } else { format!("{port}{lane}").chars().collect() }
}

#[derive(Template)]
#[template(path = "bist/bist.v", escape = "none")]
struct Bist {
    common: Common,
    fabric: String,
    leaf: String,
    delay: u32,
    /// bits of the counter of states, and what it starts with
    count: u32,
    play: u32,
    low: u32,
    streams: bool,
    /// range of the fabric's output that asks for flits
    flit: Option<Range>,
    axes: Vec<Axis>,
    /// the number of a node's port
    port: Count,
    nodes: Vec<Node>,
    first_record: String,
    /// number of arrivals at all ports in one run
    arrivals: usize,
}

struct Node {
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
}

struct PortView {
    name: String,
    linked: bool,
    index: usize,
    schedule: Vec<Vec<Piece>>,
    /// port whose record shifts into this one
    next: Option<String>,
}

impl Bist {
    fn new(design: &Design, common: Common) -> Self {
        let program = design.program;
        let topology = &program.topology;
        let sizes = Sizes::of(program);
        let schedule = Schedule::of(program, design.netlist.streams, sizes);
        let name = |register: usize| {
            let (node, channel) = program.owner(register);
            names::arrival(topology, node, channel)
        };
        let port = |(index, register): (usize, usize)| {
            let (node, channel) = program.owner(register);
            PortView {
                name: name(register),
                linked: program.is_wired(node, channel),
                index,
                schedule: schedule.port(register),
                next: (register + 1 < program.registers()).then(|| name(register + 1)),
            }
        };
        let node = |id: crate::net::NodeId| {
            let node = names::node(topology, id);
            let own = |&own: &Own| {
                let demand = &program.demand;
                let flits = demand.flits_of_packet(id, own.packet).start..demand.flits_of_packet(id, own.through).end;
                OwnWord {
                    name: format!("{node}_{}", names::own(own)),
                    first: schedule.number(flits.start) >> sizes.flit,
                    last: flits.end.saturating_sub(1).max(flits.start),
                }
            };
            let first = id.index() * program.outputs();
            Node {
                place: topology.show(id),
                index: id.0,
                owns: design.router(id).packets.iter().map(own).collect(),
                ports: (first..first + program.outputs()).enumerate().map(port).collect(),
                name: node,
            }
        };
        let delay = design.start_delay();
        let (play, low) = (program.ticks + delay + BEYOND, QUIET + delay);
        Self {
            fabric: design.name().to_owned(),
            leaf: names::leaf(program),
            delay,
            count: digits(play).max(digits(low)).max(sizes.tick + 1),
            play,
            low,
            streams: design.netlist.streams,
            flit: (program.flits > 1).then(|| Range::up_to(program.flits - 1)),
            axes: axes(program),
            port: Count::up_to(program.outputs() as u32 - 1),
            nodes: topology.node_ids().map(node).collect(),
            first_record: name(0),
            arrivals: schedule.arrivals(),
            common,
        }
    }
}
