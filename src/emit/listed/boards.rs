//! Boards of a design: the ports with the links that cross a side of the block, for `templates/listed/`.

use super::sizes::{RelativeAxis, Sizes};
use super::{Joint, JointPort, ListBoards, ListDesign};
use crate::emit::blocks;
use crate::emit::elastic::layer::{LinkLayer, hash};
use crate::emit::elastic::link::{self, CODES, Checked, Step};
use crate::emit::elastic::side::End;
use crate::emit::elastic::{fifo, link_layer};
use crate::emit::frame::{Frame, check_bits, sequence_bits};
use crate::emit::names;
use crate::emit::node::Axis;
use crate::emit::output::{File, Kind};
use crate::net::{Blocks, Channel, NodeId, Sides};
use serde_json::json;

/// Bits of the register that tells of the links.
pub(super) const LINKS: u32 = 32;
/// Code of a fault: the neighbour plays another program. Those below are the link layer's and the common start's.
pub(super) const STRAYS: u32 = 10;

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

/// Port of a board: the links that cross a side of the block.
pub(super) struct Side {
    pub channel: Channel,
    pub name: String,
    pub label: String,
    /// flits by link, and above them the plan
    pub lanes: Vec<Lane>,
    pub high: u32,
    pub bits: u32,
    pub end: Option<End>,
    /// places of boards without a cable here, where no border says it
    pub ends: Vec<u32>,
    pub number: usize,
    pub there: Vec<Step>,
    /// places of boards, and of those at the other end of their cables, where coordinates do not say it
    pub turned: Vec<(u32, u32)>,
    pub opposite: usize,
}

/// Part of a token.
pub(super) struct Lane {
    pub name: String,
    pub width: u32,
    /// signal that is sent
    pub sent: String,
}

/// Coordinate of the board's first node.
pub(super) struct Base {
    pub name: String,
    pub bits: u32,
    /// bits above the coordinate of the board
    pub pad: u32,
    /// nodes of a block along the axis
    pub side: u32,
}

/// Coordinate of a node.
pub(super) struct Coordinate {
    pub name: String,
    pub bits: u32,
    pub at: u32,
    /// depends on the board
    pub is_moved: bool,
}

/// Board of a design, with its coordinates and ports; nothing of a design on one device.
#[derive(Default)]
pub(super) struct Ports {
    pub axes: Vec<Axis>,
    pub sides: Vec<Side>,
    /// bits of a frame beside its token
    pub overhead: u32,
    pub patience: u32,
}

/// Bits of a token that name program and root.
pub(super) fn tag(sizes: &Sizes) -> u32 {
    sizes.program + sizes.node
}

/// Channels of a board that lead to other boards.
fn channels(design: &ListDesign<'_>, blocks: &Blocks) -> Vec<Channel> {
    let all = (0..design.netlist.union.parts.outputs)
        .map(|number| Channel::from_index(number, design.netlist.union.parts.lanes));
    all.filter(|channel| blocks.has_cables(channel.port)).collect()
}

/// Frames between boards.
fn frame(design: &ListDesign<'_>, boards: &ListBoards) -> Frame {
    let token = boards.blocks.widest() * design.width + tag(&Sizes::of(design));
    let check = check_bits(boards.checksum, &boards.blocks, channels(design, &boards.blocks).len());
    Frame { checksum: boards.checksum, sequence: sequence_bits(design.netlist.latency), token, check }
}

/// Bits that the checksum of a frame covers.
pub fn covered(design: &ListDesign<'_>) -> Option<u32> {
    Some(frame(design, design.boards.as_ref()?).body())
}

/// Link layer of the boards.
pub(super) fn layer(design: &ListDesign<'_>) -> Option<LinkLayer> {
    let boards = design.boards.as_ref()?;
    let blocks = &boards.blocks;
    let along = Sides(blocks.boards().dims());
    Some(LinkLayer {
        name: design.name.to_owned(),
        generated: design.notes().concat(),
        frame: frame(design, boards),
        ports: channels(design, blocks).len() as u32,
        place: blocks::axes(blocks).iter().map(|axis| axis.bits).sum(),
        design: hash(&format!("design {} {:08x} {along}", design.width, design.hash)),
        crosses: false,
        status: None,
        has_pins: boards.has_pins,
        width: design.width,
    })
}

/// Modules of the link layer, and the buffer at an input.
pub(super) fn files<'d>(design: &'d ListDesign<'d>) -> Vec<File<'d>> {
    let Some(layer) = layer(design) else { return Vec::new() };
    let name = design.name;
    let buffer = fifo(name, design.notes().concat(), design.netlist.latency, design.width);
    [buffer].into_iter().chain(link_layer(&layer)).map(|file| file.among(Kind::Rtl)).collect()
}

impl Ports {
    pub fn of(design: &ListDesign<'_>) -> Self {
        let (Some(boards), Some(layer)) = (&design.boards, layer(design)) else { return Self::default() };
        let blocks = &boards.blocks;
        let axes = blocks::axes(blocks);
        let all = channels(design, blocks);
        let number = |of: Channel| all.iter().position(|&other| other == of).expect("a side");
        let sides = all.iter().map(|&channel| {
            let (number, opposite) = (number(channel), number(channel.opposite()));
            Side::new(design, blocks, &axes, channel, (number, opposite))
        });
        Self { sides: sides.collect(), overhead: layer.frame.overhead(), patience: Checked::of(&layer).patience, axes }
    }

    /// Name, direction and bits of the signals of a board beside its bus.
    pub fn signals(&self) -> Vec<(String, &'static str, u32)> {
        let coordinates = self.axes.iter().map(|axis| (axis.name.clone(), "in", axis.bits));
        let of_side = |side: &Side| {
            let bits = side.bits + self.overhead;
            let both = [("s", "in", "out"), ("m", "out", "in")];
            let stream = both.map(|(way, forth, back)| {
                let signals = [("tdata", forth, bits), ("tvalid", forth, 1), ("tready", back, 1)];
                signals.map(|(signal, direction, bits)| (format!("{}_{way}_axis_{signal}", side.name), direction, bits))
            });
            stream.concat()
        };
        coordinates.chain(self.sides.iter().flat_map(of_side)).collect()
    }
}

impl Side {
    fn new(
        design: &ListDesign<'_>,
        blocks: &Blocks,
        axes: &[Axis],
        channel: Channel,
        (number, opposite): (usize, usize),
    ) -> Self {
        let sizes = Sizes::of(design);
        let count = design.netlist.topology.axes();
        let name = names::channel(count, channel);
        let mut lanes: Vec<Lane> = Vec::new();
        for site in blocks.leaving(channel.port) {
            let name = lane(design, blocks, site, channel);
            lanes.push(Lane { sent: format!("{name}_out"), name, width: design.width });
        }
        lanes.push(Lane { name: format!("{name}_plan"), width: tag(&sizes), sent: "plan".to_owned() });
        let bits = lanes.iter().map(|lane| lane.width).sum();
        let grid = blocks.boards();
        let (is_whole, is_straight) = (grid.dead().is_none(), grid.lattice().is_diagonal());
        let is_end = grid.open().contains(&channel.port.axis());
        let there = |board| Some((code(blocks, board), code(blocks, grid.step(board, channel.port)?)));
        let ends = grid.node_ids().filter(|&board| grid.step(board, channel.port).is_none());
        let turned = format!("{name}_there");
        Self {
            channel,
            label: channel.label(count),
            lanes,
            high: bits - 1,
            bits,
            end: (is_whole && is_end).then(|| End::of(grid, channel.port)),
            ends: if is_whole { Vec::new() } else { ends.map(|board| code(blocks, board)).collect() },
            number,
            there: if is_straight { link::neighbour(axes, channel.port) } else { vec![Step::named(turned)] },
            turned: if is_straight { Vec::new() } else { grid.node_ids().filter_map(there).collect() },
            opposite,
            name,
        }
    }

    /// Returns true, as a token has a plan beside its flits.
    pub fn is_wide(&self) -> bool {
        self.lanes.len() > 1
    }
}

/// Lane of a node on a board.
fn lane(design: &ListDesign<'_>, blocks: &Blocks, at: u32, channel: Channel) -> String {
    format!("{}_{}", names::of_site(blocks, at), names::channel(design.netlist.topology.axes(), channel))
}

/// Coordinates of the board's first node, along axes with several boards.
pub(super) fn bases(design: &ListDesign<'_>, blocks: &Blocks) -> Vec<Base> {
    let axes = blocks::axes(blocks);
    let of = |axis: &RelativeAxis| {
        let own = axes.iter().find(|own| own.name == axis.name)?;
        let side = blocks.sides()[axis.number()];
        Some(Base { name: axis.name.clone(), bits: axis.bits, pad: axis.bits - own.bits, side })
    };
    RelativeAxis::all(design.netlist).iter().filter_map(of).collect()
}

/// Coordinates of a node at a place of the block.
pub(super) fn coordinates(design: &ListDesign<'_>, blocks: &Blocks, site: u32) -> Vec<Coordinate> {
    let place = blocks.place(site);
    let of = |axis: RelativeAxis| {
        let number = axis.number();
        Coordinate { is_moved: blocks.boards().side(number) > 1, at: place[number], bits: axis.bits, name: axis.name }
    };
    RelativeAxis::all(design.netlist).into_iter().map(of).collect()
}

/// Link into a node: a neighbour on the board, or a port of it.
pub(super) enum From {
    Inside(String),
    Port(String),
    Nothing,
}

/// Signal that a node's input comes from.
pub(super) fn from(design: &ListDesign<'_>, blocks: &Blocks, at: u32, channel: Channel) -> From {
    if blocks.leaves(at, channel.port) {
        let is_led = blocks.has_cables(channel.port);
        return if is_led { From::Port(lane(design, blocks, at, channel)) } else { From::Nothing };
    }
    match blocks.within(at, channel.port) {
        Some(neighbour) => From::Inside(lane(design, blocks, neighbour, channel.opposite())),
        None => From::Nothing,
    }
}

/// Coordinates of a board as its register has them.
fn code(blocks: &Blocks, board: NodeId) -> u32 {
    let several = blocks.boards().coords(board).into_iter().zip(blocks.boards().dims()).filter(|&(_, &side)| side > 1);
    blocks::axes(blocks).iter().zip(several).fold(0, |code, (axis, (at, _))| code << axis.bits | at)
}

/// Boards and ports as the driver knows them.
pub(super) fn described(design: &ListDesign<'_>, boards: &ListBoards) -> serde_json::Value {
    let blocks = &boards.blocks;
    let nodes = |board| (0..blocks.sites()).map(|site| blocks.node(board, site).0).collect::<Vec<u32>>();
    let each = blocks.boards().node_ids().map(
        |board| json!({ "place": blocks.boards().show(board), "code": code(blocks, board), "nodes": nodes(board) }),
    );
    let sides = Ports::of(design).sides;
    let ports: Vec<&str> = sides.iter().map(|side| side.name.as_str()).collect();
    let is_end = |board, side: &&Side| blocks.boards().step(board, side.channel.port).is_none();
    let ends = blocks.boards().node_ids().map(|board| {
        sides.iter().filter(|side| is_end(board, side)).map(|side| side.name.clone()).collect::<Vec<String>>()
    });
    let faults: Vec<_> =
        FAULTS.into_iter().map(|(number, about)| json!({ "number": number, "about": about })).collect();
    json!({ "each": each.collect::<Vec<_>>(), "ports": ports, "ends": ends.collect::<Vec<_>>(), "faults": faults })
}

/// Coordinates and ports of a board.
pub(super) fn joint(design: &ListDesign<'_>) -> Joint {
    let Ports { axes, sides, overhead, .. } = Ports::of(design);
    let port = |side: Side| JointPort {
        channel: side.channel,
        label: side.label,
        bits: side.bits + overhead,
        name: side.name,
    };
    Joint {
        axes: axes.into_iter().map(|axis| (axis.name, axis.bits)).collect(),
        ports: sides.into_iter().map(port).collect(),
    }
}
