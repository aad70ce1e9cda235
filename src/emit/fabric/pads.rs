//! A router with its pads, for a board of its own: one wire per bit and link, which both ends drive in turn.
//!
//! A pad is driven while the router's register beside it is valid, and left alone otherwise: the valid bit is the
//! output-enable register. It goes to the other end on a wire of its own, which never floats; a valid bit on a shared
//! wire would, in every silent tick, and no resistor pulls it down within a tick. That never both ends drive, and that a
//! tick is silent between them, is the program's doing: `check` holds it.

use askama::Template;

use crate::emit::fabric::rules;
use crate::emit::fabric::timing::{ControlTiming, SequenceControl};
use crate::emit::shared::design::EmitDesign;
use crate::emit::shared::parts::{BitRange, ReadPort, RouterControl};
use crate::emit::shared::{names, words};
use crate::net::{Channel, NodeId};
use crate::netlist::Router;
use crate::program::{ClassId, Duplex, Program, count};

#[derive(Template)]
#[template(path = "rtl/pads.v", escape = "none")]
pub struct PadsModule<'d> {
    module: String,
    headline: String,
    notes: Vec<String>,
    width: u32,
    timing: ControlTiming,
    packets: Vec<String>,
    pads: Vec<NamedPad>,
    router: String,
    control: SequenceControl,
    leaf: String,
    /// range of the router's control word
    word: BitRange,
    word_bits: u32,
    told: RouterControl<'d>,
    reads: Vec<ReadPort>,
    drives: Vec<String>,
}

struct NamedPad {
    name: String,
    label: String,
    sends: bool,
    hears: bool,
}

/// A lane of a port of a class of routers, and what it is for.
#[derive(Clone, Copy)]
pub struct Pad {
    pub channel: Channel,
    pub sends: bool,
    /// True if anything arrives at any node of the class.
    pub hears: bool,
}

/// Returns true if the program is for links between boards.
pub fn are_due(program: &Program) -> bool {
    program.duplex == Duplex::Pads
}

/// The pads of every class. What a router reads it can hear, though nothing may ever come in.
pub fn of_classes(design: &EmitDesign) -> Vec<Vec<Pad>> {
    let program = design.program;
    let pad = |router: &Router, channel| Pad {
        channel,
        sends: router.output(channel).is_some(),
        hears: router.inputs.contains(&channel),
    };
    let routers = design.netlist.routers.iter();
    let mut classes: Vec<Vec<Pad>> =
        routers.map(|router| program.channels().map(|channel| pad(router, channel)).collect()).collect();
    for node in program.topology.node_ids() {
        let pads = &mut classes[program.class_of[node.index()].index()];
        for pad in pads {
            pad.hears |= sender(design, node, pad.channel).is_some();
        }
    }
    for pads in &mut classes {
        pads.retain(|pad| pad.sends || pad.hears);
    }
    classes
}

/// The node that sends what comes in here, if one ever does, and its output.
pub fn sender(design: &EmitDesign, node: NodeId, input: Channel) -> Option<(NodeId, Channel)> {
    let there = design.program.topology.step(node, input.port)?;
    design.router(there).output(input.opposite()).map(|_| (there, input.opposite()))
}

impl<'d> PadsModule<'d> {
    pub fn new(design: &EmitDesign, class: ClassId, router: &'d Router, pads: &[Pad]) -> Self {
        let program = design.program;
        let axes = program.topology.axes();
        let name = |channel| names::channel(axes, channel);
        let named = |pad: &Pad| NamedPad {
            name: name(pad.channel),
            label: format!(
                "{}: {}",
                pad.channel.label(axes),
                match (pad.sends, pad.hears) {
                    (true, true) => "driven by either end, never by both at once",
                    (true, false) => "driven by this end only",
                    (false, _) => "driven by the other end only",
                }
            ),
            sends: pad.sends,
            hears: pad.hears,
        };
        Self {
            module: names::pads(program, class),
            headline: format!("class {} with its pads, for a board of its own", program.class_name(class)),
            notes: notes(design, class, router),
            width: design.options.width,
            timing: ControlTiming::of(design, vec![SequenceControl::of(design, design.netlist.sequence_of(class))]),
            packets: router.packets.iter().map(|&own| names::own(own)).collect(),
            pads: pads.iter().map(named).collect(),
            router: names::router(program, class),
            control: SequenceControl::of(design, design.netlist.sequence_of(class)),
            leaf: names::leaf(program),
            word: BitRange::vector(router.word_bits()),
            word_bits: router.word_bits(),
            told: RouterControl::of(router, "word_row".to_owned()),
            reads: ReadPort::all(axes, router),
            drives: router.outputs.iter().map(|output| name(output.channel)).collect(),
        }
    }
}

fn notes(design: &EmitDesign, class: ClassId, router: &Router) -> Vec<String> {
    let program = design.program;
    let mut notes = vec![
        format!("The router: {}.", rules::headline(router, program.topology.axes())),
        words::sentence(&design.members(class)),
        "A pad is driven only in ticks in which its `sends` is high. `hears` is the `sends` of the other end, or low without a \
         board there."
            .to_owned(),
        "A link is silent for a tick before it turns: two boards never drive at once, even with clock skew between them."
            .to_owned(),
    ];
    notes.push(format!(
        "All boards get `run` in the same tick and play {}; otherwise drive a board like the fabric.",
        count(u64::from(program.ticks), "tick")
    ));
    notes.push(design.generated());
    words::wrap_all(&notes)
}
