//! The bench of a network of boards with elastic links: every board's arrivals, tick by tick, must be those of the fabric.

use std::collections::{BTreeSet, HashMap};

use askama::Template;

use super::super::design::Design;
use super::super::frame::Frame;
use super::super::node::Axis;
use super::super::{names, words};
use super::{Bench, OwnPin};
use crate::net::NodeId;
use crate::netlist::{Own, digits};
use crate::program::{Program, count};

/// Default number of runs of the bench.
const RUNS: u32 = 5;

/// First words that the bench prints when every arrival matches the model.
pub fn board_verdict(program: &Program, runs: u32) -> String {
    let (ticks, boards) = (count(program.ticks.into(), "tick"), count(program.topology.nodes().into(), "board"));
    format!("PASS {} of {ticks} on {boards}", count(runs.into(), "run"))
}

#[derive(Template)]
#[template(path = "tb/board.v", escape = "none")]
pub struct BoardBench<'d> {
    bench: Bench<'d>,
    notes: Vec<String>,
    runs: u32,
    nodes: u32,
    /// `21 ticks`, `42 boards`
    ticks: String,
    boards: String,
    latency: u32,
    axes: Vec<Axis>,
    /// all that a board takes in, whichever router it is
    packets: Vec<String>,
    pins: HashMap<String, OwnPin>,
    check: Option<Checked>,
}

/// Sizes of frames and ports, where links are checked.
struct Checked {
    overhead: u32,
    port_bits: u32,
}

struct Board {
    name: String,
    place: String,
    number: u32,
    coordinates: Vec<Coordinate>,
    packets: Vec<Packet>,
    channels: Vec<Wired>,
}

struct Coordinate {
    name: String,
    bits: u32,
    at: u32,
}

/// Own input of a board, with its index among the own inputs of all nodes; inputs that are never sent are counted
/// apart.
struct Packet {
    name: String,
    is_sent: bool,
    index: u64,
}

/// A lane of a port by its place in the bench's arrays, counted from 1, and that at the other end of its link; 0 if there is none.
struct Wired {
    name: String,
    index: u64,
    there: u64,
    comma: &'static str,
}

impl<'d> BoardBench<'d> {
    pub fn new(design: &'d Design<'d>) -> Self {
        let program = design.program;
        let board = names::board(program);
        let bench = Bench::of(design, board.clone(), Vec::new());
        let owns: BTreeSet<Own> = design.netlist.driven().flat_map(|(_, router)| router.packets.clone()).collect();
        let overhead = Frame::of(design).map(Frame::overhead);
        let check = overhead.map(|overhead| Checked { overhead, port_bits: digits(program.outputs() as u32 - 1) });
        let differ = program.classes.len() > 1 || !program.topology.has_every_link() || check.is_some();
        Self {
            notes: notes(design, &board),
            runs: RUNS,
            nodes: program.topology.nodes(),
            ticks: count(program.ticks.into(), "tick"),
            boards: count(program.topology.nodes().into(), "board"),
            latency: program.latency,
            axes: if differ { Axis::all(&program.topology) } else { Vec::new() },
            packets: owns.into_iter().map(names::own).collect(),
            pins: bench.inputs().map(|pin| (pin.name.clone(), pin)).collect(),
            check,
            bench,
        }
    }

    /// Returns true if some boards take own flits that others never send.
    fn has_strays(&self) -> bool {
        self.bench.streams && self.pins.len() < self.nodes as usize * self.packets.len()
    }

    fn each(&self) -> impl Iterator<Item = Board> {
        self.bench.design.program.topology.node_ids().map(|node| self.board(node))
    }

    fn board(&self, node: NodeId) -> Board {
        let program = self.bench.design.program;
        let topology = &program.topology;
        let name = names::node(topology, node);
        let is_sent = |packet: &String| self.pins.contains_key(&format!("{name}_{packet}"));
        let packet = |(number, packet): (usize, &String)| Packet {
            index: match self.pins.get(&format!("{name}_{packet}")) {
                Some(pin) => pin.index,
                None => (node.index() * self.packets.len() + number) as u64 + 1,
            },
            is_sent: is_sent(packet),
            name: packet.clone(),
        };
        let index = |node, channel| program.register(node, channel) as u64 + 1;
        let last = program.channels().last();
        let channel = |channel: crate::net::Channel| Wired {
            name: names::channel(topology.axes(), channel),
            index: index(node, channel),
            there: topology.step(node, channel.port).map_or(0, |there| index(there, channel.opposite())),
            comma: if Some(channel) == last { "" } else { "," },
        };
        let coordinates = self.axes.iter().zip(topology.coords(node));
        Board {
            place: topology.show(node),
            number: node.0 + 1,
            coordinates: coordinates
                .map(|(axis, at)| Coordinate { name: axis.name.clone(), bits: axis.bits, at })
                .collect(),
            packets: self.packets.iter().enumerate().map(packet).collect(),
            channels: program.channels().map(channel).collect(),
            name,
        }
    }
}

fn notes(design: &Design, board: &str) -> Vec<String> {
    let mut notes = words::wrap_all(&[
        "Every link takes its own number of clocks, from `+least=1` to `+most=20`. Every board stalls, and every link waits, in \
         its own share of the clocks, up to `+stalls=50` percent, a link now and then for 32 clocks. `+seed=N` draws others, `+runs=N` plays so often."
            .to_owned(),
        "Every arrival at every port of every board is compared, tick by tick, with that in the fabric; other \
         words in every run."
            .to_owned(),
        "Prints `PASS <n> runs of <n> ticks on <n> boards, <n> clocks, <n> a tick`, from the first start to the last arrival, or \
         the first difference after FAIL and exits with a status other than 0."
            .to_owned(),
        "Run it in the design's folder:".to_owned(),
    ]);
    notes.extend([
        format!("$ iverilog -g2005 -o sim -f {board}.f tb/{board}_tb.v && vvp sim +stalls=0 +least=20"),
        format!("$ verilator --binary --timing -f {board}.f tb/{board}_tb.v --top-module {board}_tb"),
    ]);
    notes.extend(words::wrap(&design.generated()));
    notes
}
