//! The memories and streams of a kind of node, for `templates/node/node.v`.

use askama::Template;

use super::super::design::Design;
use super::super::rtl::Count;
use super::super::rtl::Words;
use super::super::{names, words};
use super::fill;
use super::parts::{Axis, Lookup, banked, user};
use crate::netlist::{Kind, Reading};
use crate::program::count;

#[derive(Template)]
#[template(path = "node/node.v", escape = "none")]
pub struct MemoryModule<'d> {
    reading: &'d Reading,
    kind: &'d Kind,
    module: String,
    notes: Vec<String>,
    width: u32,
    /// a table tells which of its entries end a block
    marks_last: bool,
    /// of the coordinates that a table tells, how they begin
    named: &'static str,
    /// of the register that tells which bank is filled, how it begins
    filled: &'static str,
    /// the address of a word that is read
    read_place: &'static str,
    axes: Vec<Axis>,
    fills: Vec<Numbered>,
    tables: Vec<Numbered>,
    /// spaces before what is inside of `generate`, where one of several tables is chosen
    inside: &'static str,
    inside_fill: &'static str,
    inputs: Vec<Input>,
    own: Vec<OwnPacket>,
    kept: Option<u32>,
    in_look: Count,
    look: Count,
    port: Count,
    step: Count,
    place: Count,
    packet: Option<Count>,
    flit: Option<Count>,
    in_flit: Option<Count>,
    out_flit: Option<Count>,
    user: Count,
    address: Count,
    last_address: u64,
    own_address: Count,
    last_own: u64,
}

/// A table and its module.
struct Numbered {
    number: u32,
    module: String,
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

/// A memory that words are put into as they come in.
struct Bank {
    name: String,
    upper: String,
    what: &'static str,
    base: Option<Count>,
    address: Count,
    last: u64,
    is_kept: bool,
}

impl<'d> MemoryModule<'d> {
    pub fn new(design: &Design, reading: &'d Reading, kind: &'d Kind, module: String) -> Self {
        let program = design.program;
        let topology = &program.topology;
        let Lookup { look, port, place, packet, marks_last, .. } = Lookup::of(program, reading, kind);
        let flit = Count::of_several(reading.flits);
        let flit_bits = flit.map_or(0, |flit| flit.bits);
        let step = Count::up_to(reading.steps - 1);
        let address = banked(1 << (step.bits + flit_bits));
        let own_address = banked(1 << flit_bits);
        let own = |(bank, number): (&crate::netlist::SendBank, u32)| OwnPacket {
            name: names::own(bank.input),
            which: packet.map(|count| Number { bits: count.bits, number }),
        };
        let input = |(&index, place): (&u32, u32)| Input {
            name: names::channel(topology.axes(), program.output(index as usize)),
            words: Words::new(place, 1),
        };
        let of_words = |words: u32| flit.or_else(|| Count::of_several(words));
        let out_flit = of_words(kind.given.words);
        let numbered = |&number: &u32, name: String| Numbered { number, module: name };
        Self {
            reading,
            kind,
            module,
            notes: notes(design, reading, kind),
            width: design.options.width,
            marks_last,
            named: if reading.is_absolute() { "read" } else { "away" },
            filled: if reading.is_direct() { "in" } else { "put" },
            read_place: if out_flit.is_some() && flit.is_none() { "read_place" } else { "read_step" },
            axes: Axis::all(topology),
            inside: inside(&kind.tables),
            inside_fill: inside(&kind.fills),
            fills: if reading.is_direct() {
                Vec::new()
            } else {
                kind.fills.iter().map(|number| numbered(number, names::fill(program, *number as usize))).collect()
            },
            tables: kind
                .tables
                .iter()
                .map(|number| numbered(number, names::order(program, *number as usize)))
                .collect(),
            inputs: kind.inputs.iter().zip(0..).map(input).collect(),
            own: kind.banks.iter().filter(|bank| bank.words > 0).zip(0..).map(own).collect(),
            kept: (kind.own > 0).then_some(kind.own),
            in_look: Count::up_to(kind.taken.entries.saturating_sub(1)),
            in_flit: of_words(kind.taken.words),
            out_flit,
            look,
            port,
            step,
            place,
            packet,
            flit,
            user: user(topology, reading.packets),
            last_address: (1 << address.bits) - 1,
            address,
            last_own: (1 << own_address.bits) - 1,
            own_address,
        }
    }

    fn is_direct(&self) -> bool {
        self.reading.is_direct()
    }

    fn is_streamed(&self) -> bool {
        self.reading.is_streamed()
    }

    /// Whether words have several flits, which have bits of an address of their own.
    fn is_aligned(&self) -> bool {
        self.reading.flits > 1
    }

    fn takes(&self) -> bool {
        self.kind.takes()
    }

    fn gives(&self) -> bool {
        self.kind.gives()
    }

    fn by_origin(&self) -> bool {
        self.reading.by_offset()
    }

    /// Whether the node has to know its coordinates.
    fn is_placed(&self) -> bool {
        self.gives() && !self.reading.is_absolute()
    }

    /// Whether a table tells which of its entries end a block of the stream in.
    fn marks_in(&self) -> bool {
        !self.kind.taken.is_of_blocks
    }

    /// Banks that words are put into.
    fn banks(&self) -> impl Iterator<Item = Bank> {
        let flit_bits = self.flit.map_or(0, |flit| flit.bits);
        fill::banks(self.reading, self.kind).into_iter().map(move |fill::BankName { name, base }| {
            let address = Count::of_bits(1 + base.map_or(0, |base| base.bits) + flit_bits);
            let is_kept = name == "kept";
            Bank {
                upper: name.to_uppercase().replace('_', ""),
                what: if is_kept {
                    "own words that go out again"
                } else {
                    "own words in the order in which the router takes them"
                },
                name,
                base,
                last: (1 << address.bits) - 1,
                address,
                is_kept,
            }
        })
    }
}

/// Spaces before what is inside of `generate`, if one of several tables is chosen there.
fn inside(tables: &[u32]) -> &'static str {
    if tables.len() > 1 { "        " } else { "" }
}

fn notes(design: &Design, reading: &Reading, kind: &Kind) -> Vec<String> {
    let program = design.program;
    let streams = if reading.is_direct() {
        let each = count(u64::from(reading.packets), "packet");
        let flits = count(u64::from(program.flits), "word");
        format!(
            "s_axis takes {each} of {flits} for a collective, m_axis gives {} of them, tlast with the last word of each; \
             tuser is whose it is: {}.",
            count(program.demand.packets(), "packet"),
            told(design, reading)
        )
    } else {
        let words = |stream: crate::netlist::Stream| {
            count(u64::from(stream.entries) * u64::from(stream.words) * u64::from(reading.flits), "word")
        };
        format!(
            "s_axis takes {} for a collective, m_axis gives {}, tlast with the last word of each block; tuser is whose it is: {}.",
            words(kind.taken),
            words(kind.given),
            told(design, reading)
        )
    };
    words::wrap_all(&[
        streams,
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
