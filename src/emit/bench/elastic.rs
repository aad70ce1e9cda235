//! The bench of a network of boards with elastic links: every board's arrivals, tick by tick, must be those of the fabric.

use std::collections::HashMap;

use askama::Template;

use crate::emit::bench::cables::{self, CableBench, CableFacts, CabledBoard};
use crate::emit::bench::{FabricBench, OwnPin};
use crate::emit::boards::blocks::{BoardKinds, axes, sides};
use crate::emit::boards::frame::LinkFrame;
use crate::emit::shared::design::EmitDesign;
use crate::emit::shared::output::{EmittedPart, FileType, OutputFile};
use crate::emit::shared::{names, words};
use crate::net::NodeId;
use crate::netlist::{BoardPort, BoardStart};
use crate::program::{Program, count};

/// Default number of runs of the bench.
const RUNS: u32 = 5;

/// First words that the bench prints when every arrival on that many boards matches the model.
pub fn board_verdict(program: &Program, boards: u32, runs: u32) -> String {
    let (ticks, boards) = (count(program.ticks.into(), "tick"), count(boards.into(), "board"));
    format!("PASS {} of {ticks} on {boards}", count(runs.into(), "run"))
}

#[derive(Template)]
#[template(path = "tb/board.v", escape = "none")]
pub struct BoardBench<'d> {
    bench: FabricBench<'d>,
    notes: Vec<String>,
    runs: u32,
    kinds: BoardKinds,
    /// `one board per node`
    per_board: String,
    /// `21 ticks`, `42 boards`
    ticks: String,
    boards: String,
    /// own inputs of all boards together, those that are never sent among them
    strays: usize,
    pins: HashMap<String, OwnPin>,
    cables: CableBench,
}

/// A board with its nodes.
struct BenchBoard<'b> {
    cabled: &'b CabledBoard,
    nodes: Vec<Member>,
    packets: Vec<BoardInputs>,
    arrivals: Vec<LinkLane>,
}

/// A node by its number, counted from 1, and its place in the list of the boards' nodes.
struct Member {
    at: u32,
    number: u32,
}

/// Own input of a board, with its index among the own inputs of all nodes; all that boards have, sent or not, are numbered
/// apart.
struct BoardInputs {
    name: String,
    is_sent: bool,
    index: u64,
    stray: usize,
}

/// A lane of a node's port by its place in the bench's arrays, counted from 1; no name if the board has no link there.
struct LinkLane {
    name: String,
    index: u64,
}

impl<'d> BoardBench<'d> {
    pub fn new(design: &'d EmitDesign<'d>) -> Self {
        let program = design.program;
        let board = names::board(program);
        let bench = FabricBench::of(design, board.clone(), Vec::new());
        let kinds = BoardKinds::of(design);
        let (form, frame) = (design.options.form, LinkFrame::of(design));
        let module = match form.port {
            BoardPort::Serial if frame.is_some() => names::serial(program),
            BoardPort::Bytes if frame.is_some() => names::bytes(program),
            _ => board.clone(),
        };
        let cables = CableBench::new(&CableFacts {
            module,
            blocks: &kinds.blocks,
            boards: kinds.blocks.boards().node_ids().collect(),
            sides: sides(design).collect(),
            axes: if kinds.need_places(design) { axes(&kinds.blocks) } else { Vec::new() },
            form,
            start: design.options.start,
            tells_end: false,
            frame,
            latency: program.latency,
            tag: 0,
            has_parameters: true,
        });
        let inputs: usize = (0..kinds.blocks.sites()).map(|site| kinds.owns(design, site).len()).sum();
        Self {
            notes: notes(design, &board),
            runs: RUNS,
            per_board: match kinds.blocks.sites() {
                1 => "one board per node".to_owned(),
                nodes => format!("boards of {nodes} nodes"),
            },
            ticks: count(program.ticks.into(), "tick"),
            boards: count(kinds.of.len() as u64, "board"),
            strays: inputs * kinds.of.len(),
            pins: bench.inputs().map(|pin| (pin.name.clone(), pin)).collect(),
            cables,
            bench,
            kinds,
        }
    }

    /// Returns true if some boards take own flits that others never send.
    fn has_strays(&self) -> bool {
        self.bench.streams && self.pins.len() < self.strays
    }

    fn each(&self) -> impl Iterator<Item = BenchBoard<'_>> {
        self.kinds.blocks.boards().node_ids().zip(&self.cables.boards).map(|(board, cabled)| self.board(board, cabled))
    }

    fn board<'b>(&self, board: NodeId, cabled: &'b CabledBoard) -> BenchBoard<'b> {
        let program = self.bench.design.program;
        let (blocks, axes) = (&self.kinds.blocks, program.topology.axes());
        let mut stray = board.index() * self.strays / self.kinds.of.len();
        let (mut nodes, mut packets, mut arrivals) = (Vec::new(), Vec::new(), Vec::new());
        for site in 0..blocks.sites() {
            let node = blocks.node(board, site);
            let prefix = names::site_prefix(blocks, site);
            nodes.push(Member { at: board.0 * blocks.sites() + site + 1, number: node.0 + 1 });
            for own in self.kinds.owns(self.bench.design, site) {
                stray += 1;
                let own = names::own(own);
                let pin = self.pins.get(&format!("{}_{own}", names::node(&program.topology, node)));
                let name = format!("{prefix}{own}");
                packets.push(BoardInputs {
                    name,
                    is_sent: pin.is_some(),
                    index: pin.map_or(0, |pin| pin.index),
                    stray,
                });
            }
            for channel in program.channels() {
                let has_link = blocks.within(site, channel.port).is_some() || blocks.leaves(site, channel.port);
                let name = format!("{prefix}{}", names::channel(axes, channel));
                let index = program.register(node, channel) as u64 + 1;
                arrivals.push(LinkLane { name: if has_link { name } else { String::new() }, index });
            }
        }
        BenchBoard { cabled, nodes, packets, arrivals }
    }
}

impl BenchBoard<'_> {
    /// Places in the arrays of ports at which a board's nodes have no link.
    fn missing(&self) -> impl Iterator<Item = u64> {
        self.arrivals.iter().filter(|arrival| arrival.name.is_empty()).map(|arrival| arrival.index)
    }

    fn linked(&self) -> impl Iterator<Item = &LinkLane> {
        self.arrivals.iter().filter(|arrival| !arrival.name.is_empty())
    }
}

fn notes(design: &EmitDesign, board: &str) -> Vec<String> {
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
    ]);
    notes.extend(cables::notes(design.options.form, design.options.start, design.options.checksum.is_some()));
    if design.options.start == BoardStart::Common {
        notes.push("Every run has another word.".to_owned());
    }
    notes.extend(words::wrap("Run it in the design's folder:"));
    notes.extend([
        format!("$ iverilog -g2005 -o sim -f {board}.f tb/{board}_tb.v && vvp sim +stalls=0 +least=20"),
        format!("$ verilator --binary --timing -f {board}.f tb/{board}_tb.v --top-module {board}_tb"),
    ]);
    notes.extend(words::wrap(&design.generated()));
    notes
}

/// The bench of a network of boards.
pub struct BoardBenchFiles;

impl EmittedPart for BoardBenchFiles {
    fn files<'d>(&self, design: &'d EmitDesign<'d>, _: &[OutputFile<'d>]) -> Vec<OutputFile<'d>> {
        if !design.options.elastic {
            return Vec::new();
        }
        let path = format!("tb/{}.v", names::testbench_of(&names::board(design.program)));
        vec![OutputFile::of(path, FileType::BoardBench, move || BoardBench::new(design))]
    }
}
