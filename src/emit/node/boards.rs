//! Boards of a design: the ports with the links that cross a side of the block, for `templates/listed/`.

use crate::emit::boards::common::{self, SharedStart};
use crate::emit::boards::crossing::CrossingFacts;
use crate::emit::boards::ends::PortEnds;
use crate::emit::boards::frame::{LinkFrame, check_bits, sequence_bits};
use crate::emit::boards::layer::{LinkLayer, hash};
use crate::emit::boards::link::{CODES, CheckedLink, OtherFault, PATIENCE};
use crate::emit::boards::side::{BoardSide, Cables, Token, code};
use crate::emit::boards::starter::{self, ElasticCommon, StartSignals};
use crate::emit::boards::{blocks, crossing_modules, fifo, link_layer, port_modules, wires};
use crate::emit::node::sizes::{RelativeAxis, WireSizes};
use crate::emit::node::{ListBoards, ListDesign};
use crate::emit::shared::axis::NetworkAxis;
use crate::emit::shared::names;
use crate::emit::shared::output::{FileType, OutputFile};
use crate::net::{Channel, NodeBlocks, Sides};
use crate::netlist::{BoardPort, PortForm, bits_for};
use serde_json::json;

/// Bits of the register that tells of the links.
pub(in crate::emit) const LINKS: u32 = 32;
/// Code of a fault: the neighbour plays another program. Those below are the link layer's and the common start's.
const STRAYS: u32 = 10;

/// Fault of a call of all boards.
const UNREADY: (u32, &str) =
    (common::UNREADY_CODE, "a call came while the link was down, or a board behind it not ready");

/// Faults of a port, by code.
const FAULTS: [(u32, &str); 9] = [
    (CODES.damaged, "a frame was damaged"),
    (CODES.order, "a token was lost, doubled or exchanged"),
    (CODES.silent, "the link is silent, or stands still"),
    (CODES.reset, "the neighbour was reset"),
    (CODES.stopped, "the neighbour has stopped, for a fault elsewhere"),
    (CODES.design, "another design is at the other end of the cable"),
    (CODES.place, "another board is at the other end of the cable"),
    (CODES.port, "another port is at the other end of the cable"),
    (STRAYS, "the neighbour plays another program, or for another root"),
];

/// Part of a token.
pub(in crate::emit) struct TokenLane {
    pub name: String,
    pub width: u32,
    /// signal that is sent
    pub sent: String,
}

/// Coordinate of the board's first node.
pub(in crate::emit) struct BoardBase {
    pub name: String,
    pub bits: u32,
    /// bits above the coordinate of the board
    pub pad: u32,
    /// nodes of a block along the axis
    pub side: u32,
}

/// Coordinate of a node.
pub(in crate::emit) struct BoardCoordinate {
    pub name: String,
    pub bits: u32,
    pub at: u32,
    /// depends on the board
    pub is_moved: bool,
}

/// Board of a design, with its coordinates and ports; nothing of a design on one device.
#[derive(Default)]
pub(in crate::emit) struct BoardPorts {
    pub axes: Vec<NetworkAxis>,
    pub sides: Vec<BoardSide<TokenLane>>,
    /// bits of a frame beside its token
    pub overhead: u32,
    pub patience: u32,
    pub links: Vec<PortLinks>,
}

/// Port of a board with its signals, by the form of ports.
pub(in crate::emit) struct PortLinks {
    pub label: String,
    pub signals: Vec<LinkSignal>,
}

/// Signal of a port to another board.
pub(in crate::emit) struct LinkSignal {
    pub name: String,
    pub bits: u32,
    pub role: LinkRole,
}

/// Purpose of a signal of a port; what is taken has the name that it has where it is sent, behind that of the port.
#[derive(Clone, Copy)]
pub(in crate::emit) enum LinkRole {
    /// Clock of the cable.
    Clock,
    /// Taken of the other end.
    Takes(&'static str),
    /// Taken, and says that there is something.
    Valid(&'static str),
    /// Taken from a wire, which is high while it is idle.
    Line(&'static str),
    /// Room at the other end.
    Free,
    /// Sent to the other end.
    Sends,
    /// Room for what comes, of which a cable does not tell.
    Room,
}

impl LinkSignal {
    pub fn is_input(&self) -> bool {
        !matches!(self.role, LinkRole::Sends | LinkRole::Room)
    }
}

/// Signals of a port: name behind that of the port, bits, where a frame has so many, and purpose.
fn signals(form: PortForm, frame: u32) -> Vec<(&'static str, u32, LinkRole)> {
    use LinkRole::{Clock, Free, Line, Room, Sends, Takes, Valid};
    let beat = 8 * form.bytes;
    let mut signals = match form.port {
        BoardPort::Serial => vec![("rx", 1, Line("tx")), ("tx", 1, Sends)],
        BoardPort::Stream => vec![
            ("s_axis_tdata", frame, Takes("m_axis_tdata")),
            ("s_axis_tvalid", 1, Valid("m_axis_tvalid")),
            ("s_axis_tready", 1, Room),
            ("m_axis_tdata", frame, Sends),
            ("m_axis_tvalid", 1, Sends),
            ("m_axis_tready", 1, Free),
        ],
        BoardPort::Bytes => vec![
            ("s_axis_tdata", beat, Takes("m_axis_tdata")),
            ("s_axis_tvalid", 1, Valid("m_axis_tvalid")),
            ("s_axis_tlast", 1, Takes("m_axis_tlast")),
            ("m_axis_tdata", beat, Sends),
            ("m_axis_tvalid", 1, Sends),
            ("m_axis_tready", 1, Free),
            ("m_axis_tlast", 1, Sends),
        ],
    };
    if form.crosses() {
        signals.insert(0, (PortEnds::clock(form), 1, Clock));
    }
    signals
}

/// Log2 of the clocks after which a silent link is down, for frames of so many bits.
fn patience(form: PortForm, bits: u32) -> u32 {
    match form.port {
        BoardPort::Stream => PATIENCE,
        BoardPort::Serial => wires::patience(bits),
        BoardPort::Bytes => PATIENCE.max(bits_for(16 * u64::from(bits.div_ceil(8 * form.bytes)))),
    }
}

/// Bits of a token that name program and root.
pub(in crate::emit) fn tag(sizes: &WireSizes) -> u32 {
    sizes.program + sizes.node
}

/// Channels of a board that lead to other boards.
pub(in crate::emit) fn channels(design: &ListDesign<'_>, blocks: &NodeBlocks) -> Vec<Channel> {
    let all = (0..design.netlist.union.parts.outputs)
        .map(|number| Channel::from_index(number, design.netlist.union.parts.lanes));
    all.filter(|channel| blocks.has_cables(channel.port)).collect()
}

/// Frames between boards.
pub(in crate::emit) fn frame(design: &ListDesign<'_>, boards: &ListBoards) -> LinkFrame {
    let token = boards.blocks.widest() * design.width + tag(&WireSizes::of(design));
    let check = check_bits(boards.checksum, &boards.blocks, channels(design, &boards.blocks).len());
    LinkFrame { checksum: boards.checksum, sequence: sequence_bits(design.netlist.latency), token, check }
}

/// Bits that the checksum of a frame covers.
pub fn covered(design: &ListDesign<'_>) -> Option<u32> {
    Some(frame(design, design.boards.as_ref()?).body())
}

/// Ports of a board with the bits of their frames.
pub fn frames(design: &ListDesign<'_>) -> Vec<(Channel, u32)> {
    let BoardPorts { sides, overhead, .. } = BoardPorts::of(design);
    sides.iter().map(|side| (side.channel, frame_bits(side, overhead))).collect()
}

/// Link layer of the boards.
pub(in crate::emit) fn layer(design: &ListDesign<'_>) -> Option<LinkLayer> {
    let boards = design.boards.as_ref()?;
    let blocks = &boards.blocks;
    let along = Sides(blocks.boards().dims());
    let common = common_start(design, boards);
    Some(LinkLayer {
        name: design.name.to_owned(),
        generated: design.notes().concat(),
        frame: frame(design, boards),
        ports: channels(design, blocks).len() as u32,
        place: blocks::axes(blocks).iter().map(|axis| axis.bits).sum(),
        design: hash(&format!(
            "design {} {:08x} {along}{}",
            design.width,
            design.hash,
            common::hashed_start(common.is_some())
        )),
        form: boards.form,
        latency: design.netlist.latency,
        common,
        width: design.width,
    })
}

/// Start of all boards, if the calls of one go to all. Its word is program and root.
fn common_start(design: &ListDesign<'_>, boards: &ListBoards) -> Option<SharedStart> {
    let word = tag(&WireSizes::of(design));
    let (blocks, ports) = (&boards.blocks, channels(design, &boards.blocks));
    design.has_common_calls().then(|| SharedStart { blocks: blocks.clone(), ports, word, tells_end: true })
}

/// Start of a board, whose caller takes what has come.
pub(in crate::emit) fn started(design: &ListDesign<'_>) -> Option<ElasticCommon> {
    let layer = layer(design)?;
    let word = layer.common.as_ref()?.word;
    let signals = StartSignals {
        idle: "links_ready & ready_here & ~called",
        ended: Some("~busy"),
        sent: "{program_number, root}",
        begins: "comes",
        word: "call",
    };
    ElasticCommon::new(&layer, Some(word), signals)
}

/// Link layer of a board, which sees neighbours that play another program, and calls that it is not ready for.
pub(in crate::emit) fn checked(design: &ListDesign<'_>) -> Option<CheckedLink> {
    let strays = OtherFault { signal: "strays", code: STRAYS };
    let layer = layer(design)?;
    let refused = layer.common.as_ref().map(|_| starter::UNREADY_FAULT);
    let other = [strays].into_iter().chain(refused).collect();
    Some(CheckedLink { restart: "restart & ~restarted", other, ..CheckedLink::of(&layer, "links_ready") })
}

/// Modules of the link layer, and the buffer at an input.
pub(in crate::emit) fn files<'d>(design: &'d ListDesign<'d>) -> Vec<OutputFile<'d>> {
    let Some(layer) = layer(design) else { return Vec::new() };
    let name = design.name;
    let buffer = fifo(name, design.notes().concat(), design.netlist.latency, design.width);
    let crossing = layer.form.crosses().then(|| crossing_modules(&CrossingFacts::of_layer(&layer)));
    let files = crossing.into_iter().flatten().chain([buffer]).chain(link_layer(&layer)).chain(port_modules(&layer));
    files.map(|file| file.among(FileType::Rtl)).collect()
}

impl BoardPorts {
    pub fn of(design: &ListDesign<'_>) -> Self {
        let (Some(boards), Some(layer)) = (&design.boards, layer(design)) else { return Self::default() };
        let blocks = &boards.blocks;
        let axes = blocks::axes(blocks);
        let all = channels(design, blocks);
        let cables = Cables { blocks, axes: &axes, channels: &all, are_checked: true };
        let sides: Vec<BoardSide<TokenLane>> = all.iter().map(|&channel| side(design, &cables, channel)).collect();
        let overhead = layer.frame.overhead();
        let link = |side: &BoardSide<TokenLane>| {
            let signal = |(part, bits, role)| LinkSignal { name: format!("{}_{part}", side.name), bits, role };
            let signals = signals(boards.form, frame_bits(side, overhead)).into_iter().map(signal).collect();
            PortLinks { label: side.label.clone(), signals }
        };
        let links = sides.iter().map(link).collect();
        Self { patience: patience(boards.form, layer.frame.bits()), sides, overhead, links, axes }
    }

    /// Name, direction and bits of the signals of a board beside its bus.
    pub fn signals(&self) -> Vec<(String, &'static str, u32)> {
        let coordinates = self.axes.iter().map(|axis| (axis.name.clone(), "in", axis.bits));
        let signal =
            |signal: &LinkSignal| (signal.name.clone(), if signal.is_input() { "in" } else { "out" }, signal.bits);
        coordinates.chain(self.links.iter().flat_map(|side| side.signals.iter().map(signal))).collect()
    }
}

/// Port of a board, with the flits by link, and above them the plan.
fn side(design: &ListDesign<'_>, cables: &Cables, channel: Channel) -> BoardSide<TokenLane> {
    let name = names::channel(design.netlist.topology.axes(), channel);
    let mut lanes: Vec<TokenLane> = Vec::new();
    for site in cables.blocks.leaving(channel.port) {
        let name = lane(design, cables.blocks, site, channel);
        lanes.push(TokenLane { sent: format!("{name}_out"), name, width: design.width });
    }
    let tag = tag(&WireSizes::of(design));
    lanes.push(TokenLane { name: format!("{name}_plan"), width: tag, sent: "plan".to_owned() });
    let bits = lanes.iter().map(|lane| lane.width).sum();
    BoardSide::new(cables, channel, lanes, &Token::Bits(bits))
}

/// Bits of a frame with its token.
fn frame_bits(side: &BoardSide<TokenLane>, overhead: u32) -> u32 {
    side.lanes.iter().map(|lane| lane.width).sum::<u32>() + overhead
}

/// Lane of a node on a board.
fn lane(design: &ListDesign<'_>, blocks: &NodeBlocks, at: u32, channel: Channel) -> String {
    format!("{}_{}", names::of_site(blocks, at), names::channel(design.netlist.topology.axes(), channel))
}

/// Coordinates of the board's first node, along axes with several boards.
pub(in crate::emit) fn bases(design: &ListDesign<'_>, blocks: &NodeBlocks) -> Vec<BoardBase> {
    let axes = blocks::axes(blocks);
    let of = |axis: &RelativeAxis| {
        let own = axes.iter().find(|own| own.name == axis.name)?;
        let side = blocks.sides()[axis.number()];
        Some(BoardBase { name: axis.name.clone(), bits: axis.bits, pad: axis.bits - own.bits, side })
    };
    RelativeAxis::all(design.netlist).iter().filter_map(of).collect()
}

/// Coordinates of a node at a place of the block.
pub(in crate::emit) fn coordinates(design: &ListDesign<'_>, blocks: &NodeBlocks, site: u32) -> Vec<BoardCoordinate> {
    let place = blocks.place(site);
    let of = |axis: RelativeAxis| {
        let number = axis.number();
        BoardCoordinate {
            is_moved: blocks.boards().side(number) > 1,
            at: place[number],
            bits: axis.bits,
            name: axis.name,
        }
    };
    RelativeAxis::all(design.netlist).into_iter().map(of).collect()
}

/// Link into a node: a neighbour on the board, or a port of it.
pub(in crate::emit) enum LinkOrigin {
    Inside(String),
    Port(String),
    Nothing,
}

/// Signal that a node's input comes from.
pub(in crate::emit) fn from(design: &ListDesign<'_>, blocks: &NodeBlocks, at: u32, channel: Channel) -> LinkOrigin {
    if blocks.leaves(at, channel.port) {
        let is_led = blocks.has_cables(channel.port);
        return if is_led { LinkOrigin::Port(lane(design, blocks, at, channel)) } else { LinkOrigin::Nothing };
    }
    match blocks.within(at, channel.port) {
        Some(neighbour) => LinkOrigin::Inside(lane(design, blocks, neighbour, channel.opposite())),
        None => LinkOrigin::Nothing,
    }
}

/// Boards and ports as the driver knows them.
pub(in crate::emit) fn described(design: &ListDesign<'_>, boards: &ListBoards) -> serde_json::Value {
    let blocks = &boards.blocks;
    let topology = &design.netlist.topology;
    // a dead node has a place on the ring, and no number
    let number = |node| topology.is_live(node).then(|| topology.rank(node));
    let nodes = |board| (0..blocks.sites()).map(|site| number(blocks.node(board, site))).collect::<Vec<_>>();
    let each = blocks.boards().live_ids().map(
        |board| json!({ "place": blocks.boards().show(board), "code": code(blocks, board), "nodes": nodes(board) }),
    );
    let sides = BoardPorts::of(design).sides;
    let ports: Vec<&str> = sides.iter().map(|side| side.name.as_str()).collect();
    let is_end = |board, side: &&BoardSide<TokenLane>| blocks.boards().step(board, side.channel.port).is_none();
    let ends = blocks.boards().live_ids().map(|board| {
        sides.iter().filter(|side| is_end(board, side)).map(|side| side.name.clone()).collect::<Vec<String>>()
    });
    let all = FAULTS.into_iter().chain(design.has_common_calls().then_some(UNREADY));
    let faults: Vec<_> = all.map(|(number, about)| json!({ "number": number, "about": about })).collect();
    json!({ "each": each.collect::<Vec<_>>(), "ports": ports, "ends": ends.collect::<Vec<_>>(), "faults": faults })
}
