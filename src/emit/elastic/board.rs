//! The board of a node, and the room for what waits at its inputs: named and numbered for `templates/elastic/`.

use std::collections::BTreeSet;

use askama::Template;

use super::super::design::Design;
use super::super::node::Axis;
use super::super::rtl::{Bits, Control, Count, Rest, Told};
use super::super::{names, words};
use super::{class, link};
use crate::net::{Channel, Port};
use crate::netlist::{OWN_WAY, Own, Router, bits_for};
use crate::program::{ClassId, count};

#[derive(Template)]
#[template(path = "elastic/fifo.v", escape = "none")]
pub struct FifoModule {
    module: String,
    notes: Vec<String>,
    width: u32,
    address: u32,
}

#[derive(Template)]
#[template(path = "elastic/board.v", escape = "none")]
pub struct BoardModule {
    module: String,
    headline: String,
    notes: Vec<String>,
    width: u32,
    /// bits of an address of what waits at an input
    address: u32,
    fifo: String,
    /// coordinates of the board, if boards differ
    axes: Vec<Axis>,
    kind: Option<Kind>,
    controls: Vec<Control>,
    routers: Vec<Placed>,
    packets: Vec<Packet>,
    channels: Vec<Wired>,
    flit: Option<Count>,
    /// own packets are taken flit by flit, and whether in the tick before the one that sends them
    streams: bool,
    takes_ahead: bool,
    /// neutral element for combined or joined inputs, before anything has arrived
    rest: Option<Rest>,
    /// registers between `go` and the routers
    way: u32,
    latency: u32,
    ticks: u32,
    played: Count,
    /// link layer of the ports, if links are checked
    check: Option<link::Checked>,
    /// bits of a port's data beyond the flit: ` + 22`
    beyond: String,
    /// output register of a port: names of its data, and of the start of its other signals
    tokens: &'static str,
    sent: &'static str,
    t: &'static str,
    halt: &'static str,
    begins: &'static str,
}

/// Kind of board, with its number.
struct Kind {
    module: String,
    class: Count,
}

/// A packet of the node's own, and the classes that send it.
struct Packet {
    name: String,
    takers: Vec<String>,
}

/// The router of a class, which a board has to be in some places.
struct Placed {
    class: String,
    number: u32,
    module: String,
    control: String,
    /// control word of the router
    told: String,
    /// the bit of its word that sets outputs back, if they are
    clear: Option<Bits>,
    packets: Vec<String>,
    reads: Vec<Read>,
    drives: Vec<String>,
}

/// An input that a router reads, and whether it asks for its valid bit.
struct Read {
    name: String,
    is_heard: bool,
}

/// A lane of a port.
struct Wired {
    name: String,
    label: String,
    /// the classes that ever send there
    drivers: Vec<String>,
    /// border at which the link is missing: the coordinate, its bits, and its value there
    end: Option<End>,
    /// number of the port, place of the neighbour, and number of the port at the other end, if links are checked
    number: usize,
    there: Vec<link::Step>,
    opposite: usize,
}

struct End {
    name: String,
    bits: u32,
    at: u32,
}

/// Bits of an address that are enough: a board is at most so many ticks ahead of what a neighbour has taken.
fn address(design: &Design) -> u32 {
    bits_for(2 * u64::from(design.program.latency))
}

impl FifoModule {
    pub fn new(design: &Design) -> Self {
        let program = design.program;
        let latency = program.latency;
        let room = format!(
            "A neighbour sends tick t when it has this board's tick t - {latency}, which was sent when its tick t - {} had been \
             taken: at most {} wait, on the way or here. So a link whose receiver cannot wait loses nothing.",
            2 * latency,
            2 * latency
        );
        Self {
            module: names::fifo(program),
            notes: words::wrap_all(&[room, design.generated()]),
            width: design.options.width,
            address: address(design),
        }
    }
}

impl BoardModule {
    pub fn new(design: &Design) -> Self {
        let program = design.program;
        let topology = &program.topology;
        let axes = Axis::all(topology);
        let is_grid = !topology.has_every_link();
        let open = topology.open();
        let differ = class::differ(design);
        let check = link::Checked::of(design);
        let is_checked = check.is_some();
        let router = |(class, router): (ClassId, &Router)| Placed::new(design, class, router);
        let sends = |own: Own, router: &Router| router.packets.contains(&own);
        let classes = |is_one: &dyn Fn(&Router) -> bool| -> Vec<String> {
            let driven = design.netlist.driven().filter(|(_, router)| is_one(router));
            driven.map(|(class, _)| program.class_name(class)).collect()
        };
        let owns: BTreeSet<Own> = design.netlist.driven().flat_map(|(_, router)| router.packets.clone()).collect();
        let packet = |own: Own| Packet { name: names::own(own), takers: classes(&|router| sends(own, router)) };
        let channel = |channel: Channel| Wired {
            name: names::channel(topology.axes(), channel),
            label: channel.label(topology.axes()),
            drivers: classes(&|router| router.output(channel).is_some()),
            end: open.contains(&channel.port.axis()).then(|| End::of(&axes[channel.port.axis()], channel.port)),
            number: program.output_index(channel),
            there: if is_checked { link::neighbour(&axes, channel.port) } else { Vec::new() },
            opposite: program.output_index(channel.opposite()),
        };
        Self {
            module: names::board(program),
            headline: format!("{}, a board per node", design.headline()),
            notes: notes(design),
            width: design.options.width,
            address: address(design),
            fifo: names::fifo(program),
            kind: differ.then(|| Kind { module: names::class(program), class: class::number(design) }),
            controls: (0..design.netlist.sequences.len()).map(|number| Control::of(design, number)).collect(),
            routers: design.netlist.driven().map(router).collect(),
            packets: owns.into_iter().map(packet).collect(),
            channels: program.channels().map(channel).collect(),
            flit: Count::of_several(design.netlist.flits).filter(|_| !design.netlist.streams),
            streams: design.netlist.streams,
            takes_ahead: design.netlist.takes_ahead,
            rest: match &program.reduction {
                Some(reduction) => Some(Rest::of(reduction.operation, reduction.number)),
                None => design.netlist.routers.iter().any(|router| router.begins.is_some()).then_some(Rest::Zeros),
            },
            way: OWN_WAY,
            latency: program.latency,
            ticks: program.ticks,
            played: Count::up_to(program.ticks),
            axes: if differ || is_grid || is_checked { axes } else { Vec::new() },
            beyond: check.as_ref().map_or_else(String::new, |check| format!("+{}", check.overhead)),
            check,
            tokens: if is_checked { "token" } else { "m_axis_tdata" },
            sent: if is_checked { "token" } else { "m_axis" },
            t: if is_checked { "" } else { "t" },
            halt: if is_checked { "halt" } else { "rst" },
            begins: if is_checked { "begins" } else { "start" },
        }
    }

    /// Returns true if links are longer than one tick, so that the first few ticks deliver nothing.
    fn is_long(&self) -> bool {
        self.latency > 1
    }
}

impl Placed {
    fn new(design: &Design, class: ClassId, router: &Router) -> Self {
        let program = design.program;
        let name = |channel| names::channel(program.topology.axes(), channel);
        let told_first = design.netlist.told_first(design.netlist.sequence_of(class));
        Self {
            class: program.class_name(class),
            number: class.0,
            module: names::router(program, class),
            told: Told::of(router, format!("word_{}", program.class_name(told_first))).to_string(),
            control: program.class_name(told_first),
            clear: router.begins.map(Bits::of),
            packets: router.packets.iter().map(|&own| names::own(own)).collect(),
            reads: router
                .inputs
                .iter()
                .map(|&input| Read { name: name(input), is_heard: router.hears(input) })
                .collect(),
            drives: router.outputs.iter().map(|output| name(output.channel)).collect(),
        }
    }
}

impl End {
    /// The last node that a port of a grid looks out of.
    fn of(axis: &Axis, port: Port) -> Self {
        let at = if port == Port::plus(port.axis()) { axis.last } else { 0 };
        Self { name: axis.name.clone(), bits: axis.bits, at }
    }
}

fn notes(design: &Design) -> Vec<String> {
    let program = design.program;
    let latency = program.latency;
    let what = if class::differ(design) {
        "One build for all boards: the coordinates select the router. Tie the coordinates to pins or a register, or to \
         constants, and tools leave out the other routers."
    } else if program.topology.has_every_link() && design.options.checksum.is_some() {
        "All boards are alike; the coordinates name them to their neighbours."
    } else if program.topology.has_every_link() {
        "All boards are alike: none needs its coordinates."
    } else {
        "One build for all boards: the coordinates tell which ports have no link; connect nothing there."
    };
    let waits = match latency {
        1 => "every input has brought what its neighbour sent in the tick before".to_owned(),
        latency => format!("every input has brought what its neighbour sent {latency} ticks before"),
    };
    let is_checked = design.options.checksum.is_some();
    let cables = if is_checked {
        "Links carry frames of the link layer, one per clock in which they take one; a receiver needs no `tready`. Lost, doubled, \
         exchanged and damaged frames, silent links, boards that are reset and wrong cables are met as faults: the run ends on \
         all boards, `error` is high with code and port, and `restart` at any board trains all anew."
    } else {
        "Links must neither lose nor reorder tokens; a receiver that cannot wait may ignore `tready`."
    };
    let begins = if is_checked {
        "A run begins with a clock of `start` high while `ready` is high and `busy` is low"
    } else {
        "A run begins with a clock of `start` high while `busy` is low"
    };
    let mut notes = vec![
        what.to_owned(),
        format!(
            "A tick is played as soon as {waits}, every output has been taken over by its link, and `stall` is low. Nothing \
             else has to be the same on two boards: neither clock nor `start`."
        ),
        format!(
            "Each link carries {} per run, also where nothing is sent: the flit, and above it a valid bit. {cables}",
            count(u64::from(program.ticks + 1 - latency), "token")
        ),
        format!(
            "{begins}; hold own packets while it is high. `arrived` is high in the clocks in which what has arrived in a tick is \
             at `*_in_data`; `done`, for one clock after the last."
        ),
    ];
    if !is_checked {
        notes.push("Take all boards out of `rst` before the first is started.".to_owned());
    }
    notes.push(design.generated());
    words::wrap_all(&notes)
}
