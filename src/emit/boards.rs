//! A board for each node or block of nodes: routers with a clock enable, and what waits at its links until every neighbour
//! has sent.
//!
//! Boards share no clock and no `run`. Each counts its own ticks, and plays the next one when every input has brought what was
//! sent a link's latency ago. Every link carries one token per tick, also where nothing is sent, so that the tokens that
//! come back say how far the neighbour is: a board is never more than twice the latency ahead of what a neighbour has taken,
//! which is the room it needs, and no other credit has to be sent.

pub(in crate::emit) mod blocks;
mod board;
mod bytes;
mod class;
pub(in crate::emit) mod common;
pub(in crate::emit) mod crossing;
pub(in crate::emit) mod ends;
pub(in crate::emit) mod frame;
pub(in crate::emit) mod layer;
pub(in crate::emit) mod link;
pub(in crate::emit) mod serial;
pub(in crate::emit) mod side;
mod site;
pub(in crate::emit) mod starter;
pub(in crate::emit) mod wires;

use crate::emit::boards::crossing::CrossingFacts;
use crate::emit::boards::layer::LinkLayer;

pub use common::{least_token, least_width};

use crate::emit::boards::blocks::BoardKinds;
use crate::emit::boards::wires::{WireEnd, WireIn, WireOut};
use crate::emit::shared::design::EmitDesign;
use crate::emit::shared::names;
use crate::emit::shared::output::{EmittedPart, FileType, OutputFile};
use crate::netlist::BoardPort;
use crate::program::{Duplex, Program};

/// The room for what waits at an input, the class by coordinates where there are several, the link layer, and the board.
pub struct ElasticBoard;

impl EmittedPart for ElasticBoard {
    fn files<'d>(&self, design: &'d EmitDesign<'d>, _: &[OutputFile<'d>]) -> Vec<OutputFile<'d>> {
        if !design.options.elastic {
            return Vec::new();
        }
        let program = design.program;
        let mut files = Vec::new();
        if BoardKinds::of(design).differ() {
            files.push(beside(&names::class(program), move || class::ClassModule::new(design)));
        }
        let form = design.options.form;
        if form.crosses() {
            files.extend(crossing_modules(&CrossingFacts::of(design)));
        }
        // behind a receiver of frames, tokens wait in the clock of the board
        if !form.crosses() || design.options.checksum.is_some() {
            files.push(fifo(design.name(), design.generated(), program.latency, design.options.width));
        }
        let layer = LinkLayer::of(design);
        files.extend(layer.iter().flat_map(link_layer));
        files.push(beside(&names::board(program), move || board::BoardModule::new(design)));
        if let Some(layer) = layer {
            files.extend(port_modules(&layer));
            match form.port {
                BoardPort::Stream => {}
                BoardPort::Serial => {
                    files.push(beside(&names::serial(program), move || serial::SerialModule::new(design, layer.frame)));
                }
                BoardPort::Bytes => {
                    files.push(beside(&names::bytes(program), move || bytes::BytesModule::new(design, layer.frame)));
                }
            }
        }
        files
    }
}

/// The room for what waits at an input of a board.
pub(in crate::emit) fn fifo<'d>(name: &str, generated: String, latency: u32, width: u32) -> OutputFile<'d> {
    let of = name.to_owned();
    beside(&format!("{name}_fifo"), move || board::FifoModule::new(&of, generated.clone(), latency, width))
}

/// The buffer between two clocks.
pub(in crate::emit) fn crossing_modules<'d>(facts: &CrossingFacts) -> [OutputFile<'d>; 2] {
    let [of_sync, of_crossing] = [(); 2].map(|()| facts.clone());
    [
        beside(&facts.module("sync"), move || crossing::SyncModule::new(&of_sync)),
        beside(&facts.module("crossing"), move || crossing::CrossingModule::new(&of_crossing)),
    ]
}

/// The modules between a link layer and its ports, where those are no streams of frames.
pub(in crate::emit) fn port_modules<'d>(layer: &LinkLayer) -> Vec<OutputFile<'d>> {
    let file = |part: &str| (layer.module(part), layer.clone());
    let wire =
        |module, layer: &LinkLayer| WireEnd { module, notes: vec![layer.generated.clone()], bits: layer.frame.bits() };
    let (throttle, of_throttle) = file("throttle");
    match layer.form.port {
        BoardPort::Stream => Vec::new(),
        BoardPort::Serial => {
            let [(wire_out, of_out), (wire_in, of_in)] = ["wire_out", "wire_in"].map(file);
            vec![
                beside(&wire_out.clone(), move || WireOut::new(wire(wire_out.clone(), &of_out))),
                beside(&wire_in.clone(), move || WireIn::new(wire(wire_in.clone(), &of_in))),
                beside(&throttle, move || serial::throttle(&of_throttle)),
            ]
        }
        BoardPort::Bytes => {
            let [(beats_out, of_out), (beats_in, of_in)] = ["beats_out", "beats_in"].map(file);
            vec![
                beside(&throttle, move || bytes::throttle(&of_throttle)),
                beside(&beats_out, move || bytes::BeatsOut::new(&of_out)),
                beside(&beats_in, move || bytes::BeatsIn::new(&of_in)),
            ]
        }
    }
}

/// The modules of a link layer, and of the common start.
pub(in crate::emit) fn link_layer<'d>(layer: &LinkLayer) -> Vec<OutputFile<'d>> {
    let [of_crc, of_sender, of_receiver, of_monitor] = [(); 4].map(|()| layer.clone());
    let mut files = vec![
        beside(&layer.module("crc"), move || link::CrcModule::new(&of_crc)),
        beside(&layer.module("sender"), move || link::SenderModule::new(&of_sender)),
        beside(&layer.module("receiver"), move || link::ReceiverModule::new(&of_receiver)),
        beside(&layer.module("monitor"), move || link::MonitorModule::new(&of_monitor)),
    ];
    if let Some(common) = &layer.common {
        let [(of_tree, tree), (of_starter, starter)] = [(); 2].map(|()| (layer.clone(), common.clone()));
        files.push(beside(&layer.module("tree"), move || starter::TreeModule::new(&of_tree, &tree)));
        files.push(beside(&layer.module("starter"), move || starter::StarterModule::new(&of_starter, &starter)));
    }
    files
}

fn beside<'d, T: askama::Template>(module: &str, view: impl Fn() -> T + 'd) -> OutputFile<'d> {
    OutputFile::of(format!("{module}.v"), FileType::Board, view)
}

/// Reason for which there are no boards of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoBoards {
    /// Both ends of a link drive its wires.
    Pads,
    /// One-way links return nothing.
    OneWay,
    /// Each node of a class has other times.
    Windows,
}

/// Fails if there are no boards of a program.
pub fn fits(program: &Program) -> Result<(), NoBoards> {
    match program.duplex {
        Duplex::Pads => Err(NoBoards::Pads),
        Duplex::OneWay => Err(NoBoards::OneWay),
        Duplex::Full | Duplex::Half if program.windows.is_empty() => Ok(()),
        Duplex::Full | Duplex::Half => Err(NoBoards::Windows),
    }
}
