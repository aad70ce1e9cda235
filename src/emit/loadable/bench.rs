//! The testbench of a patch: the whole network first, then the damaged one, in the same fabric.

use std::collections::BTreeMap;
use std::io::{self, Write};

use askama::Template;

use super::super::design::Design;
use super::super::{Files, Options, names, words};
use super::{DELAY, own, write};
use crate::net::{Channel, NodeId};
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
#[template(path = "loadable/bench.v", escape = "none")]
struct Bench<'p> {
    module: String,
    name: &'p str,
    notes: Vec<String>,
    width: u32,
    before: u32,
    after: u32,
    frames: usize,
    frame_bits: usize,
    valid: u32,
    delay: u32,
    inputs: Vec<String>,
    links: Vec<Link>,
    own_path: String,
    whole_path: String,
    damaged_path: String,
    patch_path: String,
}

/// Arrivals at an input of a node.
struct Link {
    name: String,
    node: NodeId,
    input: Channel,
    is_dead: bool,
}

/// Writes the frames, one per line, and the testbench with what it reads.
pub fn write_bench(it: PatchBench, options: &Options, files: &mut dyn Files) -> io::Result<()> {
    let PatchBench { whole, patched, frames } = it;
    let design = Design::new(whole, options);
    let name = design.name();
    let topology = &whole.topology;
    let inputs = topology.live_ids().flat_map(|node| (0..whole.demand.packets_of(node)).map(move |own| (node, own)));
    let inputs: Vec<(NodeId, u32)> = inputs.collect();
    let ends = topology.live_ids().flat_map(|node| topology.linked_ports(node).map(move |port| (node, port)));
    let link = |(node, port)| {
        let input = Channel { port, lane: 0 };
        let is_dead = patched.topology.step(node, port).is_none();
        Link { name: names::arrival(topology, node, input), node, input, is_dead }
    };
    let bench = Bench {
        module: format!("{name}_patch_tb"),
        name,
        notes: notes(&design),
        width: options.width,
        before: whole.ticks,
        after: patched.ticks,
        frames: frames.len(),
        frame_bits: frames.first().map_or(1, Vec::len),
        valid: 4 * options.width.div_ceil(4),
        delay: DELAY,
        inputs: inputs
            .iter()
            .map(|&(node, packet)| format!("{}_{}", names::node(topology, node), own(packet)))
            .collect(),
        links: ends.map(link).collect(),
        own_path: format!("tb/{name}_own.hex"),
        whole_path: format!("tb/{name}_whole.hex"),
        damaged_path: format!("tb/{name}_patched.hex"),
        patch_path: format!("{name}_patch.hex"),
    };
    write(files, &format!("tb/{}.v", bench.module), &bench)?;
    let payloads = Payloads { width: options.width, seed: 0 };
    let hex = |&(node, packet): &(NodeId, u32)| payloads.hex(FlitId(flit(whole, node, packet)));
    let lines = |lines: Vec<String>| lines.join("\n") + "\n";
    files.file(&bench.own_path)?.write_all(lines(inputs.iter().map(hex).collect()).as_bytes())?;
    for (program, path) in [(whole, &bench.whole_path), (patched, &bench.damaged_path)] {
        let live = inputs.iter().filter(|&&(node, _)| program.topology.is_live(node));
        let words: BTreeMap<u32, String> =
            live.map(|input| (flit(program, input.0, input.1), format!("1{}", hex(input)))).collect();
        files.file(path)?.write_all(lines(expected(program, &bench.links, &words, bench.valid)).as_bytes())?;
    }
    files.file(&bench.patch_path)?.write_all(lines(frames.iter().map(|frame| digits(frame)).collect()).as_bytes())
}

/// Number of a packet's flit in a program.
fn flit(program: &Program, node: NodeId, packet: u32) -> u32 {
    program.demand.flits_of_packet(node, packet).start as u32
}

/// Words that must arrive, tick after tick and link after link.
fn expected(program: &Program, links: &[Link], words: &BTreeMap<u32, String>, valid: u32) -> Vec<String> {
    let nothing = "0".repeat(valid as usize / 4 + 1);
    let mut machine = Machine::new(program);
    let mut lines = Vec::new();
    while !machine.is_done() {
        machine.step();
        for link in links {
            let is_wired = program.topology.step(link.node, link.input.port).is_some();
            let flit = if is_wired { machine.arrival(link.node, link.input) } else { None };
            lines.push(flit.map_or_else(|| nothing.clone(), |flit| words[&flit.0].clone()));
        }
    }
    lines
}

/// A frame as a hexadecimal number.
fn digits(frame: &[bool]) -> String {
    let padding = frame.len().next_multiple_of(4) - frame.len();
    let bits: Vec<bool> = std::iter::repeat_n(false, padding).chain(frame.iter().copied()).collect();
    let digit = |bits: &[bool]| bits.iter().fold(0, |digit, &bit| digit << 1 | u32::from(bit));
    bits.chunks(4).map(|bits| char::from_digit(digit(bits), 16).expect("four bits")).collect()
}

fn notes(design: &Design) -> Vec<String> {
    let name = design.name();
    let about = "Prints `PASS <n> ticks whole, <n> ticks patched, <n> arrivals`, or the first difference after FAIL and exits with a \
                 status other than 0. Run it in the design's folder:";
    let mut notes = words::wrap(about);
    // a command stays whole, to be copied
    notes.push(format!("$ iverilog -g2005 -o sim -f {name}.f tb/{name}_patch_tb.v && vvp sim"));
    notes.extend(words::wrap(&design.generated()));
    notes
}
