//! The memories and streams of a node, for `templates/node/node.v`.

use askama::Template;

use super::super::design::Design;
use super::super::rtl::Count;
use super::super::rtl::Words;
use super::super::{names, words};
use super::parts::{Axis, Lookup, banked, user};
use crate::netlist::{Local, Own, Reading};
use crate::program::count;

#[derive(Template)]
#[template(path = "node/node.v", escape = "none")]
pub struct MemoryModule {
    module: String,
    notes: Vec<String>,
    width: u32,
    by_origin: bool,
    axes: Vec<Axis>,
    tables: Vec<String>,
    /// spaces before what is inside of `generate`, where one of several tables is chosen
    inside: &'static str,
    inputs: Vec<Input>,
    own: Vec<OwnPacket>,
    look: Count,
    port: Count,
    step: Count,
    packet: Option<Count>,
    flit: Option<Count>,
    user: Count,
    address: Count,
    last_address: u64,
    own_address: Count,
    last_own: u64,
}

struct Input {
    name: String,
    /// where its flit stands in a word of the memory
    words: Words,
}

/// A packet of the node's own, and its number if there are several.
struct OwnPacket {
    name: String,
    which: Option<Number>,
}

struct Number {
    bits: u32,
    number: u32,
}

impl MemoryModule {
    pub fn new(design: &Design, local: Local, reading: &Reading) -> Self {
        let program = design.program;
        let topology = &program.topology;
        let Lookup { by_origin, look, port, step, packet } = Lookup::of(program, local, reading);
        let flit = Count::of_several(program.flits);
        let flit_bits = flit.map_or(0, |flit| flit.bits);
        let address = banked(1 << (step.bits + flit_bits));
        let own_address = banked(1 << flit_bits);
        let own = |number| OwnPacket {
            name: names::own(Own { packet: number, through: number }),
            which: packet.map(|count| Number { bits: count.bits, number }),
        };
        let input =
            |(channel, index)| Input { name: names::channel(topology.axes(), channel), words: Words::new(index, 1) };
        Self {
            module: names::memory(program),
            notes: notes(design, reading),
            width: design.options.width,
            by_origin,
            axes: Axis::all(topology),
            inside: if reading.tables.len() > 1 { "        " } else { "" },
            tables: (0..reading.tables.len()).map(|index| names::order(program, index)).collect(),
            inputs: program.channels().zip(0..).map(input).collect(),
            own: (0..reading.packets).map(own).collect(),
            look,
            port,
            step,
            packet,
            flit,
            user: user(topology, reading.packets),
            last_address: (1 << address.bits) - 1,
            address,
            last_own: (1 << own_address.bits) - 1,
            own_address,
        }
    }
}

fn notes(design: &Design, reading: &Reading) -> Vec<String> {
    let program = design.program;
    let each = count(u64::from(reading.packets), "packet");
    let flits = count(u64::from(program.flits), "word");
    words::wrap_all(&[
        format!(
            "s_axis takes {each} of {flits} for a collective, m_axis gives {} of them, tlast with the last word of each; \
             tuser is whose it is: {}.",
            count(program.demand.packets(), "packet"),
            told(design, reading)
        ),
        "What arrives is written at once, whatever m_axis does: a reader that waits holds up the next collective only."
            .to_owned(),
        design.generated(),
    ])
}

/// What the fields of `tuser` are, the highest first.
pub fn told(design: &Design, reading: &Reading) -> String {
    let axes = Axis::all(&design.program.topology);
    let fields =
        axes.iter().map(|axis| axis.name.as_str()).chain((reading.packets > 1).then_some("the packet's number"));
    format!("{{{}}}", fields.collect::<Vec<_>>().join(", "))
}
