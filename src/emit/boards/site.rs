//! The nodes of a board: their routers, own packets, and links, for `templates/elastic/board.v`.

use crate::emit::boards::blocks::BoardKinds;
use crate::emit::boards::side;
use crate::emit::shared::design::EmitDesign;
use crate::emit::shared::names;
use crate::emit::shared::parts::{BitSlice, ReadPort, RouterControl};
use crate::net::{Channel, NodeId};
use crate::netlist::{Own, Router};
use crate::program::ClassId;

/// A node of the board: its place in the block if there are others, and its routers, one for each class it may have.
pub struct BoardSite {
    pub place: Option<String>,
    /// beginning of its signals' names: `n0_1_`, nothing on a board of one node
    pub prefix: String,
    pub packets: Vec<SitePacket>,
    pub routers: Vec<SiteRouter>,
    /// links that end at another node of the board
    pub inner: Vec<PortLane>,
}

/// A packet of a node's own, and the classes that send it.
pub struct SitePacket {
    pub name: String,
    /// name at the router
    pub own: String,
    pub takers: Vec<String>,
}

/// The router of a class, which a node has to be on some boards.
pub struct SiteRouter {
    pub class: String,
    /// kinds of these boards; none if it is on all
    pub kinds: Vec<u32>,
    pub module: String,
    pub control: String,
    /// control word of the router
    pub told: String,
    /// the bit of its word that sets outputs back, if they are
    pub clear: Option<BitSlice>,
    pub packets: Vec<String>,
    pub reads: Vec<ReadPort>,
    pub drives: Vec<String>,
}

/// A lane of a node's port.
pub struct PortLane {
    pub name: String,
    pub label: String,
    pub prefix: String,
    /// the router's output
    pub output: String,
    /// the classes that ever send there
    pub drivers: Vec<String>,
    /// lane that leads here from another node of the board
    pub from: String,
    /// places of boards on which the link is dead, though others of its cable, or its wires, are there
    pub dead: Vec<u32>,
}

impl BoardSite {
    pub fn new(design: &EmitDesign, kinds: &BoardKinds, site: u32) -> Self {
        let prefix = names::site_prefix(&kinds.blocks, site);
        let classes = kinds.classes(site);
        let driven = || design.netlist.driven().filter(|(class, _)| classes.contains(class));
        let takers = |own: Own| {
            let takers = driven().filter(|(_, router)| router.packets.contains(&own));
            takers.map(|(class, _)| design.program.class_name(class)).collect()
        };
        let packet = |own: Own| SitePacket {
            name: format!("{prefix}{}", names::own(own)),
            own: names::own(own),
            takers: takers(own),
        };
        let inner = |channel: Channel| {
            let from = kinds.blocks.within(site, channel.port)?;
            let from = lane_name(design, kinds, from, channel.opposite());
            Some(PortLane { from, ..PortLane::new(design, kinds, site, channel) })
        };
        Self {
            place: (!kinds.blocks.is_of_nodes()).then(|| names::coordinates(&kinds.blocks.place(site))),
            packets: kinds.owns(design, site).into_iter().map(packet).collect(),
            routers: driven()
                .map(|(class, router)| SiteRouter::new(design, class, router, kinds.with(site, class)))
                .collect(),
            inner: design.program.channels().filter_map(inner).collect(),
            prefix,
        }
    }
}

fn lane_name(design: &EmitDesign, kinds: &BoardKinds, site: u32, channel: Channel) -> String {
    names::site_prefix(&kinds.blocks, site) + &names::channel(design.program.topology.axes(), channel)
}

impl PortLane {
    pub fn new(design: &EmitDesign, kinds: &BoardKinds, site: u32, channel: Channel) -> Self {
        let program = design.program;
        let axes = program.topology.axes();
        let classes = kinds.classes(site);
        let drives = |(class, router): &(ClassId, &Router)| classes.contains(class) && router.output(channel).is_some();
        let drivers = design.netlist.driven().filter(drives).map(|(class, _)| program.class_name(class));
        Self {
            name: lane_name(design, kinds, site, channel),
            label: if kinds.blocks.is_of_nodes() {
                channel.label(axes)
            } else {
                format!("{} of node {}", channel.label(axes), names::coordinates(&kinds.blocks.place(site)))
            },
            prefix: names::site_prefix(&kinds.blocks, site),
            output: names::channel(axes, channel),
            drivers: drivers.collect(),
            from: String::new(),
            dead: dead(kinds, site, channel),
        }
    }
}

/// Places of boards on which a link is dead that leads to a port of a site, though its board has wires for it.
fn dead(kinds: &BoardKinds, site: u32, channel: Channel) -> Vec<u32> {
    let (blocks, port) = (&kinds.blocks, channel.port);
    let boards = blocks.boards();
    let has_wires = |board| blocks.within(site, port).is_some() || boards.step(board, port).is_some();
    let is_dead = |&board: &NodeId| has_wires(board) && blocks.step(board, site, port).is_none();
    boards.node_ids().filter(is_dead).map(|board| side::code(blocks, board)).collect()
}

impl SiteRouter {
    fn new(design: &EmitDesign, class: ClassId, router: &Router, kinds: Vec<u32>) -> Self {
        let program = design.program;
        let name = |channel| names::channel(program.topology.axes(), channel);
        let told_first = design.netlist.told_first(design.netlist.sequence_of(class));
        Self {
            class: program.class_name(class),
            kinds,
            module: names::router(program, class),
            told: RouterControl::of(router, format!("word_{}", program.class_name(told_first))).to_string(),
            control: program.class_name(told_first),
            clear: router.begins.map(BitSlice::of),
            packets: router.packets.iter().map(|&own| names::own(own)).collect(),
            reads: ReadPort::all(program.topology.axes(), router),
            drives: router.outputs.iter().map(|output| name(output.channel)).collect(),
        }
    }
}
