//! The testbench of a patch: the whole network first, then the damaged one, in the same fabric.

use std::collections::BTreeMap;
use std::io::{self, Write};

use askama::Template;

use crate::emit::shared::design::EmitDesign;
use crate::emit::shared::output::{FileType, OutputFile};
use crate::emit::shared::{names, words};
use crate::net::{Channel, NodeId};
use crate::netlist::Own;
use crate::play::{Machine, Payloads};
use crate::program::{FlitId, Program};

/// Whole program and patched one, with the frames that lead from one to the other.
#[derive(Clone, Copy, Debug)]
pub struct PatchBench<'p> {
    /// Program that the fabric has at power-up.
    pub whole: &'p Program,
    /// Program of the damaged network.
    pub patched: &'p Program,
    /// Bits of each frame, the highest first.
    pub frames: &'p [Vec<bool>],
}

#[derive(Template)]
#[template(path = "tb/patch.v", escape = "none")]
struct PatchTestbench<'d> {
    module: String,
    name: &'d str,
    notes: Vec<String>,
    width: u32,
    before: u32,
    after: u32,
    frames: usize,
    frame_bits: usize,
    valid: u32,
    delay: u32,
    inputs: Vec<String>,
    links: Vec<PatchedInput>,
    own_path: String,
    whole_path: String,
    damaged_path: String,
    patch_path: String,
}

/// Arrivals at an input of a node.
struct PatchedInput {
    name: String,
    node: NodeId,
    input: Channel,
    is_dead: bool,
}

impl<'p> PatchBench<'p> {
    /// The testbench with what it reads, and the frames, one per line.
    pub(in crate::emit) fn files<'d>(self, design: &'d EmitDesign<'d>) -> Vec<OutputFile<'d>>
    where
        'p: 'd,
    {
        let name = design.name();
        let path = |what: &str| format!("tb/{name}_{what}.hex");
        let bench = OutputFile::of(format!("tb/{}.v", module(design)), FileType::Testbench, move || self.bench(design));
        let payloads = Payloads { width: design.options.width, seed: 0 };
        let hex = move |&(node, packet): &(NodeId, u32)| payloads.hex(FlitId(flit(self.whole, node, packet)));
        let own = OutputFile::streamed(path("own"), FileType::Data, move |out| {
            inputs(self.whole).iter().try_for_each(|input| writeln!(out, "{}", hex(input)))
        });
        let expected = [(self.whole, "whole"), (self.patched, "patched")].map(|(program, what)| {
            OutputFile::streamed(path(what), FileType::Data, move |out| {
                let live = inputs(self.whole).into_iter().filter(|&(node, _)| program.topology.is_live(node));
                let words: BTreeMap<u32, String> =
                    live.map(|input| (flit(program, input.0, input.1), format!("1{}", hex(&input)))).collect();
                write_expected(program, &self.links(), &words, valid(design.options.width), out)
            })
        });
        let patch = OutputFile::streamed(patch_path(name), FileType::Data, move |out| {
            self.frames.iter().try_for_each(|frame| writeln!(out, "{}", digits(frame)))
        });
        [bench, own].into_iter().chain(expected).chain([patch]).collect()
    }

    fn bench<'d>(self, design: &'d EmitDesign<'d>) -> PatchTestbench<'d> {
        let Self { whole, patched, frames } = self;
        let name = design.name();
        let input = |(node, packet)| {
            format!("{}_{}", names::node(&whole.topology, node), names::own(Own { packet, through: packet }))
        };
        PatchTestbench {
            module: module(design),
            name,
            notes: notes(design),
            width: design.options.width,
            before: whole.ticks,
            after: patched.ticks,
            frames: frames.len(),
            frame_bits: frames.first().map_or(1, Vec::len),
            valid: valid(design.options.width),
            delay: design.start_delay(),
            inputs: inputs(whole).into_iter().map(input).collect(),
            links: self.links(),
            own_path: format!("tb/{name}_own.hex"),
            whole_path: format!("tb/{name}_whole.hex"),
            damaged_path: format!("tb/{name}_patched.hex"),
            patch_path: patch_path(name),
        }
    }

    /// Arrivals of the whole network.
    fn links(self) -> Vec<PatchedInput> {
        let topology = &self.whole.topology;
        let ends = topology.live_ids().flat_map(|node| topology.linked_ports(node).map(move |port| (node, port)));
        let link = |(node, port)| {
            let input = Channel { port, lane: 0 };
            let is_dead = self.patched.topology.step(node, port).is_none();
            PatchedInput { name: names::arrival(topology, node, input), node, input, is_dead }
        };
        ends.map(link).collect()
    }
}

/// Own inputs of the fabric: node and packet.
fn inputs(whole: &Program) -> Vec<(NodeId, u32)> {
    let nodes = whole.topology.live_ids();
    nodes.flat_map(|node| (0..whole.demand.packets_of(node)).map(move |own| (node, own))).collect()
}

/// Number of the valid bit of an expected word.
fn valid(width: u32) -> u32 {
    4 * width.div_ceil(4)
}

fn module(design: &EmitDesign) -> String {
    format!("{}_patch_tb", design.name())
}

fn patch_path(name: &str) -> String {
    format!("{name}_patch.hex")
}

/// Number of a packet's flit in a program.
fn flit(program: &Program, node: NodeId, packet: u32) -> u32 {
    program.demand.flits_of_packet(node, packet).start as u32
}

/// Writes the words that must arrive, tick after tick and link after link.
fn write_expected(
    program: &Program,
    links: &[PatchedInput],
    words: &BTreeMap<u32, String>,
    valid: u32,
    out: &mut dyn Write,
) -> io::Result<()> {
    let nothing = "0".repeat(valid as usize / 4 + 1);
    let mut machine = Machine::new(program);
    while !machine.is_done() {
        machine.step();
        for link in links {
            let is_wired = program.topology.step(link.node, link.input.port).is_some();
            let flit = if is_wired { machine.arrival(link.node, link.input) } else { None };
            writeln!(out, "{}", flit.map_or(&nothing, |flit| &words[&flit.0]))?;
        }
    }
    Ok(())
}

/// A frame as a hexadecimal number.
fn digits(frame: &[bool]) -> String {
    let padding = frame.len().next_multiple_of(4) - frame.len();
    let bits: Vec<bool> = std::iter::repeat_n(false, padding).chain(frame.iter().copied()).collect();
    let digit = |bits: &[bool]| bits.iter().fold(0, |digit, &bit| digit << 1 | u32::from(bit));
    bits.chunks(4).map(|bits| char::from_digit(digit(bits), 16).expect("four bits")).collect()
}

fn notes(design: &EmitDesign) -> Vec<String> {
    let name = design.name();
    let about = "Prints `PASS <n> ticks whole, <n> ticks patched, <n> arrivals`, or the first difference after FAIL and exits with a \
                 status other than 0. Run it in the design's folder:";
    let mut notes = words::wrap(about);
    // a command stays whole, to be copied
    notes.push(format!("$ iverilog -g2005 -o sim -f {name}.f tb/{name}_patch_tb.v && vvp sim"));
    notes.extend(words::wrap(&design.generated()));
    notes
}
