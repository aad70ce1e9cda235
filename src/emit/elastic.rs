//! A board for each node or block of nodes: routers with a clock enable, and what waits at its links until every neighbour
//! has sent.
//!
//! Boards share no clock and no `run`. Each counts its own ticks, and plays the next one when every input has brought what was
//! sent a link's latency ago. Every link carries one token per tick, also where nothing is sent, so that the tokens that
//! come back say how far the neighbour is: a board is never more than twice the latency ahead of what a neighbour has taken,
//! which is the room it needs, and no other credit has to be sent.

mod board;
mod bytes;
mod class;
pub(super) mod common;
pub(super) mod crossing;
pub(super) mod layer;
pub(super) mod link;
pub(super) mod serial;
pub(super) mod side;
mod site;

use layer::LinkLayer;

pub use common::least_width;

use super::bench;
use super::blocks::BoardKinds;
use super::design::EmitDesign;
use super::frame::LinkFrame;
use super::names;
use super::output::{EmittedPart, FileType, OutputFile};
use super::wires::{WireEnd, WireIn, WireOut};
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
        let crosses = crossing::is_due(design);
        if crosses {
            files.push(beside(&names::sync(program), move || crossing::SyncModule::new(design)));
            files.push(beside(&names::crossing(program), move || crossing::CrossingModule::new(design)));
        }
        // behind a receiver of frames, tokens wait in the clock of the board
        if !crosses || design.options.checksum.is_some() {
            files.push(fifo(design.name(), design.generated(), program.latency, design.options.width));
        }
        files.extend(LinkLayer::of(design).iter().flat_map(link_layer));
        if common::is_due(design) {
            files.push(beside(&names::tree(program), move || common::TreeModule::new(design)));
            files.push(beside(&names::starter(program), move || common::StarterModule::new(design)));
        }
        files.push(beside(&names::board(program), move || board::BoardModule::new(design)));
        if let Some(frame) = LinkFrame::of(design).filter(|_| layer::has_pins(design)) {
            let wire = move |module| WireEnd { module, notes: vec![design.generated()], bits: frame.bits() };
            let (wire_out, wire_in) = (names::wire_out(program), names::wire_in(program));
            files.push(beside(&wire_out.clone(), move || WireOut::new(wire(wire_out.clone()))));
            files.push(beside(&wire_in.clone(), move || WireIn::new(wire(wire_in.clone()))));
            files.push(beside(&names::throttle(program), move || {
                serial::ThrottleModule::new(names::throttle(design.program), design.generated(), frame.bits())
            }));
            files.push(beside(&names::serial(program), move || serial::SerialModule::new(design, frame)));
        }
        if let Some(frame) = LinkFrame::of(design).filter(|_| design.options.port == BoardPort::Bytes) {
            files.push(beside(&names::throttle(program), move || bytes::throttle(design, frame)));
            files.push(beside(&names::beats_out(program), move || bytes::BeatsOut::new(design, frame)));
            files.push(beside(&names::beats_in(program), move || bytes::BeatsIn::new(design, frame)));
            files.push(beside(&names::bytes(program), move || bytes::BytesModule::new(design, frame)));
        }
        files
    }
}

/// The room for what waits at an input of a board.
pub(super) fn fifo<'d>(name: &str, generated: String, latency: u32, width: u32) -> OutputFile<'d> {
    let of = name.to_owned();
    beside(&format!("{name}_fifo"), move || board::FifoModule::new(&of, generated.clone(), latency, width))
}

/// The modules of a link layer.
pub(super) fn link_layer<'d>(layer: &LinkLayer) -> [OutputFile<'d>; 4] {
    let [of_crc, of_sender, of_receiver, of_monitor] = [(); 4].map(|()| layer.clone());
    [
        beside(&layer.module("crc"), move || link::CrcModule::new(&of_crc)),
        beside(&layer.module("sender"), move || link::SenderModule::new(&of_sender)),
        beside(&layer.module("receiver"), move || link::ReceiverModule::new(&of_receiver)),
        beside(&layer.module("monitor"), move || link::MonitorModule::new(&of_monitor)),
    ]
}

/// The bench of a network of boards.
pub struct BoardBenchFiles;

impl EmittedPart for BoardBenchFiles {
    fn files<'d>(&self, design: &'d EmitDesign<'d>, _: &[OutputFile<'d>]) -> Vec<OutputFile<'d>> {
        if !design.options.elastic {
            return Vec::new();
        }
        let path = format!("tb/{}.v", names::testbench_of(&names::board(design.program)));
        vec![OutputFile::of(path, FileType::BoardBench, move || bench::BoardBench::new(design))]
    }
}

fn beside<'d, T: askama::Template>(module: &str, view: impl Fn() -> T + 'd) -> OutputFile<'d> {
    OutputFile::of(format!("{module}.v"), FileType::Board, view)
}

/// Reason for which there are no boards of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoBoards {
    /// Routers find out lengths while they run.
    Protocol,
    /// Both ends of a link drive its wires.
    Pads,
    /// One-way links return nothing.
    OneWay,
    /// Each node of a class has other times.
    Windows,
}

/// Fails if there are no boards of a program.
pub fn fits(program: &Program, has_protocol: bool) -> Result<(), NoBoards> {
    if has_protocol {
        return Err(NoBoards::Protocol);
    }
    match program.duplex {
        Duplex::Pads => Err(NoBoards::Pads),
        Duplex::OneWay => Err(NoBoards::OneWay),
        Duplex::Full | Duplex::Half if program.windows.is_empty() => Ok(()),
        Duplex::Full | Duplex::Half => Err(NoBoards::Windows),
    }
}
