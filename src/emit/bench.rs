//! The self-checking testbench, with what it feeds in and what the model says must come out.

mod cables;
mod combined;
pub(in crate::emit) mod elastic;
mod lengths;
pub(in crate::emit) mod nodes;
pub(in crate::emit) mod pads;
mod patch;
mod place;
mod sample;
mod sums;
mod taken;

use std::io::{self, Write};

use askama::Template;

use crate::emit::bench::lengths::{Length, OtherLengths, by_playing};
use crate::emit::bench::place::{BenchPort, NeighbourPlace};
use crate::emit::bench::sample::Sample;
use crate::emit::shared::design::EmitDesign;
use crate::emit::shared::output::{EmittedPart, FileType, OutputFile};
use crate::emit::shared::own::{length_inputs, own_inputs};
use crate::emit::shared::{names, words};
use crate::net::{Channel, NodeId, Port};
use crate::netlist::digits;
use crate::play::{Machine, Moments, Payloads};
use crate::program::{FlitId, Program};

pub use elastic::board_verdict;
pub use patch::PatchBench;
pub use sample::is_played;

/// Self-checking testbench of the fabric.
pub struct Testbench;

/// Text that the testbench prints when every arrival matches the model.
pub fn verdict(program: &Program) -> String {
    let sample = Sample::of(program);
    if let Some(seen) = combined::arrivals(program, sample) {
        return format!("PASS {}, {seen} arrivals", sample.compared());
    }
    let mut machine = Machine::new(program);
    let mut seen = 0;
    while !machine.is_done() {
        machine.step();
        if sample.includes(machine.tick()) {
            seen += machine.arrivals().count();
        }
    }
    format!("PASS {}, {seen} arrivals", sample.compared())
}

/// The testbench of the network of boards.
pub fn of_boards<'d>(design: &'d EmitDesign<'d>) -> impl Template + 'd {
    let (name, boards) = (design.name(), names::boards(design.program));
    let played = format!("$ iverilog -g2005 -o sim -f {name}.f tb/{boards}*.v && vvp sim");
    FabricBench::of(design, boards, vec![played])
}

impl EmittedPart for Testbench {
    fn files<'d>(&self, design: &'d EmitDesign<'d>, _: &[OutputFile<'d>]) -> Vec<OutputFile<'d>> {
        let bench = move || FabricBench::new(design);
        let module = format!("tb/{}.v", names::testbench(design.program));
        let mut files = vec![
            OutputFile::of(module, FileType::Testbench, bench),
            OutputFile::streamed(own_path(design.program), FileType::Data, move |out| bench().write_own(out)),
            OutputFile::streamed(expected_path(design.program), FileType::Data, move |out| bench().write_expected(out)),
        ];
        if design.netlist.is_configured() {
            let write = move |out: &mut dyn Write| {
                let mut bits = design.netlist.shifted_in(design.program);
                bits.try_for_each(|bit| writeln!(out, "{}", u8::from(bit)))
            };
            files.push(OutputFile::streamed(configuration_path(design.program), FileType::Data, write));
        }
        files
    }
}

fn own_path(program: &Program) -> String {
    format!("tb/{}_own.hex", program.title.name)
}

fn expected_path(program: &Program) -> String {
    format!("tb/{}_expected.hex", program.title.name)
}

fn configuration_path(program: &Program) -> String {
    format!("tb/{}_configuration.hex", program.title.name)
}

#[derive(Template)]
#[template(path = "tb/testbench.v", escape = "none")]
struct FabricBench<'d> {
    design: &'d EmitDesign<'d>,
    ticks_compared: Sample,
    module: String,
    name: String,
    notes: Vec<String>,
    own_path: String,
    expected_path: String,
    configuration_path: String,
    /// bits that set the routers
    configured: usize,
    width: u32,
    ticks: u32,
    flits: u32,
    packets: u64,
    words: u64,
    /// own packets are taken flit by flit
    streams: bool,
    links: u64,
    valid: u32,
    counted: bool,
    flit_bits: u32,
    place: NeighbourPlace,
    port_names: Vec<BenchPort>,
    half_duplex: bool,
    /// the tick after which `done` is high
    done_at: u32,
    /// clocks from `run` to the first tick
    delay: u32,
    /// Clocks that `run` stays high beyond the last tick.
    held: u32,
    /// Longest gap tried after a run that is broken off before its first tick.
    longest_gap: u32,
    /// Playings with other lengths than the design's, of a protocol that finds them out.
    others: Vec<OtherLengths>,
    /// ticks of the first playing, cut short by a reset, and of the last
    half: u32,
    again: u32,
}

/// Most clocks, by half, that `run` is held beyond the end, besides those that words are on their way: longer than a counter of
/// small programs takes to come round.
const MOST_HELD: u32 = 32;
/// Most arrivals looked at in runs that follow broken ones.
const MOST_BROKEN: u64 = 1 << 20;
/// Ticks of the last playing: enough to see that it begins anew.
const AGAIN: u32 = 12;

/// A port of the fabric and its place, counted from 1, in the testbench's arrays.
struct BenchPin {
    name: String,
    index: u64,
    comma: &'static str,
}

/// An own input of the fabric, its place among them and that of its first flit, both counted from 1.
struct OwnPin {
    name: String,
    index: u64,
    first: u64,
    flits: u64,
}

/// A link by what arrives at either end, by any lane.
struct LinkPair {
    index: u64,
    here: Vec<u64>,
    there: Vec<u64>,
}

impl<'d> FabricBench<'d> {
    fn new(design: &'d EmitDesign<'d>) -> Self {
        let name = design.name();
        let played = [
            format!("$ iverilog -g2005 -o sim -f {name}.f tb/{name}_tb.v && vvp sim"),
            format!(
                "$ verilator --binary --timing -f {name}.f tb/{name}_tb.v --top-module {name}_tb && obj_dir/V{name}_tb"
            ),
        ];
        Self::of(design, name.to_owned(), played.to_vec())
    }

    fn of(design: &'d EmitDesign<'d>, name: String, played: Vec<String>) -> Self {
        let program = design.program;
        let torus = &program.topology;
        let width = design.options.width;
        let ticks_compared = Sample::of(program);
        let streams = design.is_stream();
        let protocol = design.options.protocol.as_ref();
        let others = protocol.filter(|_| ticks_compared.every == 1).map_or(Vec::new(), OtherLengths::all);
        let done_at = protocol.map_or(program.ticks, |protocol| lengths::done_at(protocol, &protocol.lengths));
        let delay = design.start_delay();
        let broken = u64::from(delay * delay) * u64::from(AGAIN + 2 * delay) * program.registers() as u64;
        Self {
            design,
            ticks_compared,
            module: names::testbench_of(&name),
            name,
            notes: notes(design, ticks_compared, played),
            own_path: own_path(program),
            expected_path: expected_path(program),
            configuration_path: configuration_path(program),
            configured: design.netlist.shifted_in(program).count(),
            width,
            ticks: program.ticks,
            flits: program.flits,
            packets: if streams {
                own_inputs(program, &design.netlist, design.options).count() as u64
            } else {
                program.demand.packets()
            },
            words: if program.reduction.is_some() {
                combined::words(program)
            } else {
                others.iter().map(OtherLengths::words).fold(program.demand.flits(), u64::max)
            },
            streams,
            links: program.registers() as u64,
            valid: 4 * width.div_ceil(4),
            counted: program.flits > 1,
            flit_bits: digits(program.flits - 1),
            place: NeighbourPlace::new(torus.dims(), program.outputs()),
            port_names: BenchPort::all(program),
            half_duplex: !program.duplex.is_full(),
            done_at,
            delay,
            held: delay + program.latency + 2 * program.ticks.min(MOST_HELD) + done_at.saturating_sub(program.ticks),
            longest_gap: if broken <= MOST_BROKEN { delay } else { 1 },
            others,
            half: program.ticks.div_ceil(2),
            again: program.ticks.min(AGAIN),
        }
    }

    /// The fabric's inputs: the packets each node sends. Packets of one length are presented by their numbers, streams
    /// one after the other.
    fn inputs(&self) -> impl Iterator<Item = OwnPin> {
        let program = self.design.program;
        own_inputs(program, &self.design.netlist, self.design.options).zip(1..).map(move |(input, index)| OwnPin {
            index: if self.streams { index } else { input.flits.start / u64::from(program.flits) + 1 },
            first: input.flits.start + 1,
            flits: input.flits.end - input.flits.start,
            name: input.name,
        })
    }

    /// The fabric's inputs for lengths, if it has any, with what they hold.
    fn lengths(&self) -> impl Iterator<Item = Length> {
        let options = self.design.options;
        length_inputs(self.design.program, options).filter_map(|(name, node)| {
            let protocol = options.protocol.as_ref()?;
            let flits = protocol.lengths[node.index()];
            let others = self.others.iter().map(|other| other.lengths[node.index()]).collect();
            Some(Length { name, bits: protocol.count_bits(), flits, others })
        })
    }

    /// The fabric's inputs once messages have other lengths.
    fn other_inputs<'a>(&'a self, other: &'a OtherLengths) -> impl Iterator<Item = OwnPin> + 'a {
        let senders = length_inputs(self.design.program, self.design.options);
        self.inputs().zip(senders).map(move |(pin, (_, node))| OwnPin {
            first: other.first(node) + 1,
            flits: other.lengths[node.index()].into(),
            ..pin
        })
    }

    /// The place of the first expected arrival.
    fn base(&self) -> String {
        let mut before = self.ticks_compared.count();
        let starts = self.others.iter().map(|other| {
            let start = before;
            before += other.ticks;
            start
        });
        by_playing("0", starts)
    }

    /// The condition under which own inputs hold flits.
    fn offers(&self) -> &'static str {
        if self.half_duplex && self.delay > 0 { "(run | broken)" } else { "run" }
    }

    /// The tick from which `done` is high.
    fn done_at(&self) -> String {
        if self.others.is_empty() && self.done_at == self.ticks {
            return "TICKS".to_owned();
        }
        by_playing(&self.done_at.to_string(), self.others.iter().map(|other| other.done_at))
    }

    /// The fabric's outputs: what arrives at each node's inputs.
    fn arrivals(&self) -> impl Iterator<Item = BenchPin> {
        let program = self.design.program;
        let topology = &program.topology;
        let wired = |&(node, input): &(NodeId, Channel)| program.is_wired(node, input);
        let mut inputs = self.all_inputs().filter(wired).peekable();
        std::iter::from_fn(move || {
            let (node, input) = inputs.next()?;
            Some(BenchPin {
                name: format!("{}_{}_in", names::node(topology, node), names::channel(topology.axes(), input)),
                index: program.register(node, input) as u64 + 1,
                comma: if inputs.peek().is_some() { "," } else { "" },
            })
        })
    }

    /// The places in the testbench's arrays of ports to which no wires lead.
    fn gaps(&self) -> impl Iterator<Item = u64> {
        let program = self.design.program;
        let outside = |&(node, input): &(NodeId, Channel)| !program.is_wired(node, input);
        self.all_inputs().filter(outside).map(|(node, input)| program.register(node, input) as u64 + 1)
    }

    /// Every input of every node.
    fn all_inputs(&self) -> impl Iterator<Item = (NodeId, Channel)> {
        let program = self.design.program;
        program.topology.node_ids().flat_map(move |node| program.channels().map(move |input| (node, input)))
    }

    /// The links that carry flits one way at a time.
    fn pairs(&self) -> impl Iterator<Item = LinkPair> {
        let program = self.design.program;
        let topology = &program.topology;
        let ports = topology.node_ids().flat_map(|node| (0..topology.axes()).map(move |axis| (node, Port::plus(axis))));
        let links = ports.filter_map(|(node, port)| Some((node, port, topology.step(node, port)?)));
        let lanes = move |node, port| {
            let place = move |lane| program.register(node, Channel { port, lane }) as u64 + 1;
            (0..program.lanes).map(place).collect()
        };
        links.filter(|_| self.half_duplex).zip(1..).map(move |((node, port, neighbour), index)| LinkPair {
            index,
            here: lanes(node, port),
            there: lanes(neighbour, port.opposite()),
        })
    }

    /// Returns true for reductions, whose values differ in the second run.
    fn combines(&self) -> bool {
        self.design.program.reduction.is_some()
    }

    fn pair_count(&self) -> u64 {
        self.design.program.topology.links() / 2
    }

    fn hex_of_flits(&self) -> impl Iterator<Item = String> {
        let payloads = Payloads { width: self.width, seed: 0 };
        (0..self.words).map(move |flit| payloads.hex(FlitId(flit as u32)))
    }

    /// The flits of every packet of every node, one per line.
    fn write_own(&self, out: &mut dyn Write) -> io::Result<()> {
        if combined::write_own(self.design.program, self.width, out)? {
            return Ok(());
        }
        self.hex_of_flits().try_for_each(|hex| writeln!(out, "{hex}"))
    }

    /// Writes the expected arrivals at every port of every node in each compared tick, one per line: 1 and the flit, or
    /// all 0.
    fn write_expected(&self, out: &mut dyn Write) -> io::Result<()> {
        let (program, width, sample) = (self.design.program, self.width, self.ticks_compared);
        let nothing = format!("{}\n", "0".repeat(self.valid as usize / 4 + 1)).into_bytes();
        let inputs: Vec<(NodeId, Channel)> = self.all_inputs().collect();
        if combined::write_expected(program, width, sample, &inputs, &nothing, out)? {
            return Ok(());
        }
        let lines: Vec<u8> = self.hex_of_flits().flat_map(|hex| format!("1{hex}\n").into_bytes()).collect();
        let mut line = |flit: Option<FlitId>| {
            out.write_all(flit.map_or(&nothing[..], |flit| &lines[flit.0 as usize * nothing.len()..][..nothing.len()]))
        };
        if self.ticks_compared.every > 1
            && let Some(moments) = Moments::of(program)
        {
            let mut ticks = (1..=program.ticks).filter(|&tick| self.ticks_compared.includes(tick));
            return ticks.try_for_each(|tick| moments.arrivals(tick, &mut line));
        }
        let mut machine = Machine::new(program);
        while !machine.is_done() {
            machine.step();
            if !self.ticks_compared.includes(machine.tick()) {
                continue;
            }
            for &(node, input) in &inputs {
                line(machine.arrival(node, input))?;
            }
        }
        self.others.iter().try_for_each(|other| other.write_expected(width, &inputs, &nothing, out))
    }
}

fn notes(design: &EmitDesign, sample: Sample, played: Vec<String>) -> Vec<String> {
    let prints = format!(
        "Prints `PASS {}, <n> arrivals`, or the first difference after FAIL and exits with a status other than 0.",
        sample.compared()
    );
    let wrapped = [sample.describe(), prints, "Run it in the design's folder:".to_owned()];
    let mut notes: Vec<String> = wrapped.iter().flat_map(|paragraph| words::wrap(paragraph)).collect();
    // commands stay whole, to be copied; Verilator obeys comments that begin with its name
    notes.extend(played);
    notes.extend(words::wrap(&design.generated()));
    notes
}
