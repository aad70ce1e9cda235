//! The bench of a network of boards with elastic links: every board's arrivals, tick by tick, must be those of the fabric.

use std::collections::HashMap;

use askama::Template;

use crate::emit::bench::{FabricBench, OwnPin};
use crate::emit::boards::blocks::{BoardKinds, axes, sides};
use crate::emit::boards::frame::{LinkFrame, identity_bits};
use crate::emit::boards::wires::{self, DIVISOR};
use crate::emit::shared::axis::NetworkAxis;
use crate::emit::shared::design::EmitDesign;
use crate::emit::shared::output::{EmittedPart, FileType, OutputFile};
use crate::emit::shared::{names, words};
use crate::net::{Channel, NodeId, SpanningTree, Topology};
use crate::netlist::{BoardPort, BoardStart, bits_for, digits};
use crate::program::{Program, count};

/// Log2 of the clocks after which a silent link is down, more for frames of many beats.
const PATIENCE: u32 = 8;

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
    latency: u32,
    axes: Vec<NetworkAxis>,
    sides: Vec<Channel>,
    /// tree that starts go down, if all boards are started by one
    tree: Option<SpanningTree>,
    /// most links of a side
    widest: u32,
    /// own inputs of all boards together, those that are never sent among them
    strays: usize,
    pins: HashMap<String, OwnPin>,
    check: Option<CheckedLinks>,
    /// ports receive in the clocks of their cables
    crosses: bool,
    /// boards have clocks of their own
    own_clocks: bool,
    /// wires of the boards, if they have pins
    serial: Option<PinnedBoards>,
    /// transceivers of the boards, if their ports have whole bytes
    transceiver: Option<Transceiver>,
    common: Option<CommonStart>,
    /// variable of the bench with the kind of a fault, of a token or a start
    act: &'static str,
}

/// The common start of the boards: number of the host's board, and the axes by which it names others.
struct CommonStart {
    host: u32,
    axes: Vec<Stride>,
}

/// Axis of the boards' coordinates, and what a coordinate counts in the number of a board.
struct Stride {
    name: String,
    bits: u32,
    step: u32,
}

/// Boards with pins: their module, clocks per bit, and patience.
struct PinnedBoards {
    module: String,
    divisor: u32,
    patience: u32,
}

/// Boards with transceivers: their module, bytes per beat, patience, and whether transceivers have clocks of their own.
struct Transceiver {
    module: String,
    bytes: u32,
    patience: u32,
    crosses: bool,
}

/// Sizes of frames and ports, where links are checked.
struct CheckedLinks {
    overhead: u32,
    sequence: u32,
    /// bits of a port's identity
    identity: u32,
    port_bits: u32,
}

struct BenchBoard {
    name: String,
    label: String,
    number: u32,
    coordinates: Vec<BenchCoordinate>,
    nodes: Vec<Member>,
    packets: Vec<BoardInputs>,
    arrivals: Vec<LinkLane>,
    sides: Vec<BoardLane>,
}

struct BenchCoordinate {
    name: String,
    bits: u32,
    at: u32,
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

/// A lane of a board's port by its place in the bench's arrays, counted from 1, and that at the other end of its cable; 0 if there
/// is none.
struct BoardLane {
    name: String,
    index: u64,
    there: u64,
    links: u32,
    widest: u32,
    /// starts come in here: 1 or 0
    starts: u32,
}

impl<'d> BoardBench<'d> {
    pub fn new(design: &'d EmitDesign<'d>) -> Self {
        let program = design.program;
        let board = names::board(program);
        let bench = FabricBench::of(design, board.clone(), Vec::new());
        let kinds = BoardKinds::of(design);
        let sides: Vec<Channel> = sides(design).collect();
        let check = LinkFrame::of(design).map(|frame| CheckedLinks {
            overhead: frame.overhead(),
            sequence: frame.sequence,
            identity: identity_bits(&kinds.blocks, sides.len()),
            port_bits: digits(sides.len() as u32 - 1),
        });
        let crosses = design.options.form.crosses();
        let serial = LinkFrame::of(design).filter(|_| design.options.form.has_pins()).map(|frame| PinnedBoards {
            module: names::serial(program),
            divisor: DIVISOR,
            patience: wires::patience(frame.bits()),
        });
        let has_bytes = design.options.form.has_beats();
        let transceiver = LinkFrame::of(design).filter(|_| has_bytes).map(|frame| Transceiver {
            module: names::bytes(program),
            bytes: design.options.form.bytes,
            patience: PATIENCE.max(bits_for(16 * u64::from(frame.bits().div_ceil(8 * design.options.form.bytes)))),
            crosses,
        });
        let tree = (design.options.start == BoardStart::Common)
            .then(|| SpanningTree::new(kinds.blocks.boards(), BoardStart::HOST));
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
            latency: program.latency,
            axes: if kinds.need_places(design) { axes(&kinds.blocks) } else { Vec::new() },
            widest: kinds.blocks.widest(),
            strays: inputs * kinds.of.len(),
            pins: bench.inputs().map(|pin| (pin.name.clone(), pin)).collect(),
            check,
            crosses: crosses && !has_bytes,
            own_clocks: crosses || serial.is_some() || has_bytes,
            serial,
            transceiver,
            act: if tree.is_some() && design.options.form.port == BoardPort::Stream { "act" } else { "kind" },
            common: tree.is_some().then(|| CommonStart::of(kinds.blocks.boards())),
            tree,
            bench,
            kinds,
            sides,
        }
    }

    /// Returns true if some boards take own flits that others never send.
    fn has_strays(&self) -> bool {
        self.bench.streams && self.pins.len() < self.strays
    }

    /// Returns true if one link has wrong frames while it trains: ports are streams of frames, and boards start by themselves.
    fn check_training(&self) -> bool {
        let has_frames = self.check.is_some() && self.serial.is_none() && self.transceiver.is_none();
        has_frames && self.common.is_none()
    }

    /// Returns true if transceivers have clocks of their own.
    fn ports_cross(&self) -> bool {
        self.transceiver.as_ref().is_some_and(|transceiver| transceiver.crosses)
    }

    fn each(&self) -> impl Iterator<Item = BenchBoard> {
        self.kinds.blocks.boards().node_ids().map(|board| self.board(board))
    }

    fn board(&self, board: NodeId) -> BenchBoard {
        let program = self.bench.design.program;
        let (blocks, axes) = (&self.kinds.blocks, program.topology.axes());
        let boards = blocks.boards();
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
        let index = |board: NodeId, channel: Channel| {
            let side = self.sides.iter().position(|&side| side == channel).expect("a side");
            (board.index() * self.sides.len() + side) as u64 + 1
        };
        let parent = self.tree.as_ref().and_then(|tree| tree.parent(board));
        let side = |&channel: &Channel| BoardLane {
            name: names::channel(axes, channel),
            index: index(board, channel),
            there: boards.step(board, channel.port).map_or(0, |there| index(there, channel.opposite())),
            links: blocks.leaving(channel.port).len() as u32,
            widest: self.widest,
            starts: u32::from(channel.lane == 0 && parent == Some(channel.port)),
        };
        let coordinates = boards.coords(board).into_iter().zip(boards.dims()).filter(|&(_, &side)| side > 1);
        let coordinate =
            |(axis, (at, _)): (&NetworkAxis, _)| BenchCoordinate { name: axis.name.clone(), bits: axis.bits, at };
        let place = boards.show(board);
        BenchBoard {
            label: if blocks.is_of_nodes() { format!("node {place}") } else { format!("board {place}") },
            number: board.0 + 1,
            coordinates: self.axes.iter().zip(coordinates).map(coordinate).collect(),
            nodes,
            packets,
            sides: self.sides.iter().map(side).collect(),
            arrivals,
            name: names::of_board(blocks, board),
        }
    }
}

impl CommonStart {
    fn of(boards: &Topology) -> Self {
        let stride = |(axis, &side): (usize, &u32)| {
            let step = boards.dims()[axis + 1..].iter().product();
            (side > 1).then(|| Stride { name: names::coordinate(axis), bits: digits(side - 1), step })
        };
        Self { host: BoardStart::HOST.0 + 1, axes: boards.dims().iter().enumerate().filter_map(stride).collect() }
    }
}

impl BenchBoard {
    /// Places in the arrays of ports at which a board's nodes have no link.
    fn missing(&self) -> impl Iterator<Item = u64> {
        self.arrivals.iter().filter(|arrival| arrival.name.is_empty()).map(|arrival| arrival.index)
    }

    fn linked(&self) -> impl Iterator<Item = &LinkLane> {
        self.arrivals.iter().filter(|arrival| !arrival.name.is_empty())
    }
}

impl BoardLane {
    /// Returns true if other sides have more links.
    fn is_narrow(&self) -> bool {
        self.links < self.widest
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
    if design.options.form.has_beats() {
        notes.extend(words::wrap(
            "Links are those of transceivers: their clocks in which they take no beat are those of a 64B/66B channel, there are gaps within \
             frames, and a channel that is down takes none. Every board has a clock of its own, and with `clocks: cable` its transceivers \
             have another. `+clocks=0` is one clock for all, 1 any phases, 2 periods within 100 ppm, 3 periods up to 2:3; left out, 1 to 3 by \
             the seed.",
        ));
    } else if design.options.form.crosses() {
        notes.extend(words::wrap(
            "Every board has a clock of its own, and every link that of the board that sends. `+clocks=0` is one clock for all, 1 any \
             phases, 2 periods within 100 ppm, 3 periods up to 2:3; left out, 1 to 3 by the seed.",
        ));
    }
    if design.options.start == BoardStart::Common {
        notes.extend(words::wrap(
            "Boards leave reset one by one. Before the first run and the second a board is in reset, `+held=1`, or a cable is out, `+held=2`, \
             by the seed; 0 is neither. The host's board must name it, and no board may begin. Every run has another word.",
        ));
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
