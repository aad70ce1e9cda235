//! Devices of a list of programs in its testbench: one, or boards that cables join.

use crate::emit::bench::cables::{CableBench, CableFacts};
use crate::emit::boards::blocks;
use crate::emit::node::boards::{channels, frame, tag};
use crate::emit::node::edited::SystemPin;
use crate::emit::node::elements::{pins, pins_of};
use crate::emit::node::{ListBoards, ListDesign, WireSizes};
use crate::emit::shared::names;

/// Device with the streams of its nodes.
pub(super) struct StreamDevice {
    /// Number, counted from 1.
    pub number: usize,
    pub pins: Vec<SystemPin>,
    /// Streams by number.
    pub streams: Vec<usize>,
    /// Names of places without a live node.
    pub dead: Vec<String>,
}

impl StreamDevice {
    /// Devices of a design, in the order of their numbers.
    pub fn all(design: &ListDesign<'_>, sizes: WireSizes) -> Vec<Self> {
        let topology = &design.netlist.topology;
        let Some(ListBoards { blocks, .. }) = &design.boards else {
            let pins = if design.has_chain() { Vec::new() } else { pins(design, sizes) };
            return vec![Self { number: 1, pins, streams: Vec::new(), dead: Vec::new() }];
        };
        let of = |(board, number)| {
            let sites = (0..blocks.sites()).map(|site| (names::of_site(blocks, site), blocks.node(board, site)));
            let (live, dead): (Vec<_>, Vec<_>) = sites.partition(|&(_, node)| topology.is_live(node));
            let live = live.into_iter().map(|(name, node)| (name, topology.rank(node) as u32));
            let live: Vec<(String, u32)> = live.collect();
            Self {
                number,
                streams: live.iter().map(|&(_, stream)| stream as usize).collect(),
                pins: pins_of(sizes, live.into_iter()),
                dead: dead.into_iter().map(|(name, _)| name).collect(),
            }
        };
        blocks.boards().live_ids().zip(1..).map(of).collect()
    }
}

/// Cables between the boards of a design, if there are several.
pub(super) fn cables(design: &ListDesign<'_>) -> Option<CableBench> {
    let boards = design.boards.as_ref()?;
    let blocks = &boards.blocks;
    Some(CableBench::new(&CableFacts {
        module: design.top(),
        blocks,
        boards: blocks.boards().live_ids().collect(),
        sides: channels(design, blocks),
        axes: blocks::axes(blocks),
        form: boards.form,
        start: boards.start,
        tells_end: true,
        frame: Some(frame(design, boards)),
        latency: design.netlist.latency,
        tag: tag(&WireSizes::of(design)),
        has_parameters: false,
    }))
}
