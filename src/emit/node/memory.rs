//! The memories and streams of a kind of node, for `templates/node/node.v`.

use std::collections::BTreeSet;

use askama::Template;

use super::super::design::EmitDesign;
use super::super::names;
use super::super::rtl::UpCounter;
use super::super::rtl::{Neutral, WordSlice};
use super::fill::{self, BankRole};
use super::folded::{CombineSteps, Folded, FoldedArrival, Handed, handed};
use super::lanes::{LaneWord, Lanes};
use super::notes::notes;
use super::parts::{self, Lookup, NetworkAxis, banked, user, words_of};
use super::sums::{self, Late, Sum};
use crate::netlist::{FoldWindow, NodeKind, ReadingTables, Results};
use crate::program::{Number, Operation};

#[derive(Template)]
#[template(path = "node/node.v", escape = "none")]
pub struct MemoryModule<'d> {
    reading: &'d ReadingTables,
    kind: &'d NodeKind,
    module: String,
    notes: Vec<String>,
    width: u32,
    /// a table tells which of its entries end a block
    marks_last: bool,
    /// prefix of the coordinate fields in a table's entry
    named: &'static str,
    /// the address of a word that is read
    read_place: &'static str,
    axes: Vec<NetworkAxis>,
    fills: Vec<Numbered>,
    tables: Vec<Numbered>,
    /// spaces before what is inside of `generate`, where one of several tables is chosen
    inside: &'static str,
    inside_fill: &'static str,
    /// inputs whose arrivals are kept, and all that are of use
    inputs: Vec<MemoryInput>,
    arrivals: Vec<String>,
    own: Vec<OwnPacket>,
    kept: Option<u32>,
    in_look: UpCounter,
    look: UpCounter,
    port: UpCounter,
    step: UpCounter,
    place: UpCounter,
    packet: Option<UpCounter>,
    flit: Option<UpCounter>,
    in_flit: Option<UpCounter>,
    out_flit: Option<UpCounter>,
    /// counter of the words of a result
    folded_flit: Option<UpCounter>,
    operation: Operation,
    /// words are compared with their sign
    signed: bool,
    /// value that changes nothing
    rest: Neutral,
    /// results that form in units which take time: their module, its clocks, and what it leaves unchanged
    sums: Vec<Sum>,
    lates: Vec<Late>,
    unit: String,
    adder_ticks: u32,
    neutral: Neutral,
    names: Vec<String>,
    user: UpCounter,
    /// address of a word and what else belongs to it
    held: UpCounter,
    /// way in which words are handed out, and the address where that is a read port
    results: Results,
    ram: UpCounter,
    /// several words per clock
    lanes: Option<Lanes>,
    address: UpCounter,
    last_address: u64,
    own_address: UpCounter,
    last_own: u64,
}

/// A table and its module.
struct Numbered {
    number: u32,
    module: String,
}

struct MemoryInput {
    name: String,
    /// position of its flit in a word of the memory
    words: WordSlice,
}

/// A counter, and what it says at the word before the last.
struct CounterBefore {
    counter: String,
    bits: u32,
    at: u32,
}

/// A packet of the node's own, and its number if there are several.
struct OwnPacket {
    name: String,
    which: Option<BankSelect>,
    has_words: bool,
    /// the result that the router takes after its values, if it forms at once, and the number of one that takes time
    result: Option<Handed>,
    handed: Option<usize>,
}

struct BankSelect {
    bits: u32,
    number: u32,
}

/// A memory that words are put into as they come in.
struct MemoryBank {
    name: String,
    upper: String,
    what: &'static str,
    base: Option<UpCounter>,
    address: UpCounter,
    last: u64,
    is_kept: bool,
    is_value: bool,
    /// true if its router takes a result after its words
    has_result: bool,
}

impl<'d> MemoryModule<'d> {
    pub fn new(
        design: &EmitDesign,
        words: u32,
        reading: &'d ReadingTables,
        kind: &'d NodeKind,
        module: String,
    ) -> Self {
        let program = design.program;
        let topology = &program.topology;
        let Lookup { look, port, place, packet, marks_last, .. } = Lookup::of(design, reading, kind);
        let flit = UpCounter::of_several(reading.flits);
        let flit_bits = flit.map_or(0, |flit| flit.bits);
        let step = UpCounter::up_to(reading.steps - 1);
        let address = banked(1 << (step.bits + flit_bits));
        let own_address = banked(1 << flit_bits);
        let folded_flit = kind.fold.as_ref().and_then(|fold| UpCounter::of_several(fold.flits));
        let combined = kind.fold.as_ref().map(|fold| (fold.operation, fold.number));
        let (operation, number) = combined.unwrap_or((Operation::Sum, Number::Word));
        let takes_time = kind.fold.as_ref().is_some_and(|fold| !fold.formed.is_empty());
        let own = |(bank, number): (&crate::netlist::SendBank, u32)| OwnPacket {
            name: names::own(bank.input),
            which: packet.map(|count| BankSelect { bits: count.bits, number }),
            has_words: bank.words > 0,
            result: bank.result.filter(|_| !takes_time).map(|packet| handed(kind, packet)),
            handed: bank.result.filter(|_| takes_time).map(|packet| packet as usize),
        };
        let inputs: Vec<String> = program.channels().map(|input| names::channel(topology.axes(), input)).collect();
        let name = |index: u32| inputs[index as usize].clone();
        let input = |(&index, place): (&u32, u32)| MemoryInput { name: name(index), words: WordSlice::new(place, 1) };
        let out_flit = words_of(reading, kind.given.words);
        let lanes = Lanes::of(design, reading, kind, words);
        let numbered = |&number: &u32, name: String| Numbered { number, module: name };
        Self {
            reading,
            kind,
            module,
            notes: notes(design, reading, kind),
            width: design.options.width,
            marks_last,
            named: if reading.is_absolute() { "read" } else { "away" },
            read_place: if out_flit.is_some() && flit.is_none() { "read_place" } else { "read_step" },
            axes: NetworkAxis::all(topology),
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
            sums: sums::of(kind, &inputs, folded_flit.map_or(0, |flit| flit.bits)),
            lates: sums::lates(kind, &inputs),
            unit: names::unit(program),
            adder_ticks: program.adder_ticks(),
            neutral: Neutral::of(operation, number),
            rest: Neutral::of_words(operation, number),
            signed: number.is_signed(),
            arrivals: kind.arrivals().into_iter().map(name).collect(),
            folded_flit,
            operation,
            own: kind.banks.iter().filter(|bank| bank.is_used()).zip(0..).map(own).collect(),
            names: inputs,
            kept: (kind.own > 0).then_some(kind.own),
            in_look: UpCounter::up_to(kind.taken.entries.saturating_sub(1)),
            in_flit: words_of(reading, kind.taken.words),
            out_flit,
            held: UpCounter::of_bits(
                3 + u32::from(marks_last)
                    + out_flit.into_iter().chain(packet).chain([port, place]).map(|count| count.bits).sum::<u32>()
                    + user(topology, 1).bits,
            ),
            ram: parts::ram(design, reading, kind),
            results: design.results(),
            look,
            port,
            step,
            place,
            packet,
            flit,
            user: lanes.as_ref().map_or_else(|| user(topology, reading.packets), |lanes| lanes.users),
            lanes,
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

    /// Returns true if words have several flits, which have address bits of their own.
    fn is_aligned(&self) -> bool {
        self.reading.flits > 1
    }

    fn takes(&self) -> bool {
        self.kind.takes()
    }

    fn gives(&self) -> bool {
        self.kind.gives()
    }

    fn is_memory(&self) -> bool {
        self.results == Results::Memory
    }

    /// First part of the names of the signals out.
    fn out(&self) -> &'static str {
        if self.is_memory() { "m_ram_" } else { "m_axis_t" }
    }

    /// Parts of an address, the highest first.
    fn address_fields(&self) -> String {
        let axes = self.axes.iter().map(|axis| axis.name.as_str());
        let packet = self.packet.map(|_| "packet");
        let entry: Vec<&str> = if self.by_origin() { axes.chain(packet).collect() } else { vec!["block"] };
        entry.into_iter().chain(self.out_flit.map(|_| "word")).collect::<Vec<_>>().join(", ")
    }

    /// Numbers of the memories that words come from, the highest first.
    fn sources(&self) -> impl Iterator<Item = u32> {
        (0..=self.port.last).rev()
    }

    /// Counters of the words that a bank sends out, with what each says at the word before the last; none if there is one word.
    fn before_last(&self) -> Vec<CounterBefore> {
        let flit = self.out_flit.map(|count| ("out_flit".to_owned(), count));
        let packet = self.packet.map(|count| ("out_packet".to_owned(), count));
        let axis = |axis: &NetworkAxis| (format!("out_{}", axis.name), UpCounter::up_to(axis.last));
        let counters: Vec<(String, UpCounter)> = if self.by_origin() {
            flit.into_iter().chain(packet).chain(self.axes.iter().rev().map(axis)).collect()
        } else {
            flit.into_iter().chain((self.look.last > 0).then(|| ("look".to_owned(), self.look))).collect()
        };
        // the first one counts fastest
        let before = |(index, (counter, count)): (usize, (String, UpCounter))| CounterBefore {
            counter,
            bits: count.bits,
            at: count.last - u32::from(index == 0),
        };
        counters.into_iter().enumerate().map(before).collect()
    }

    fn by_origin(&self) -> bool {
        self.reading.by_offset()
    }

    /// Returns true if the node must know its coordinates.
    fn is_placed(&self) -> bool {
        self.gives() && !self.reading.is_absolute()
    }

    /// Returns true if a table marks the entries that end a block of the input stream.
    fn marks_in(&self) -> bool {
        !self.kind.taken.is_of_blocks
    }

    /// Returns true if a step is the last that its counter can say.
    fn is_last_step(&self, step: u32) -> bool {
        u64::from(step) == (1u64 << self.step.bits) - 1
    }

    /// Returns true if some result is kept while it forms.
    fn has_partials(&self) -> bool {
        self.results().any(|result| result.has_partial)
    }

    /// Returns true if any memory is read by an address of a table.
    fn reads_place(&self) -> bool {
        let in_bank = self.kept.is_some_and(|words| words > 1);
        !self.inputs.is_empty() || in_bank || self.folded_flit.is_some()
    }

    /// Step from which results are handed to the router.
    fn hands_on(&self) -> Option<u32> {
        self.kind.fold.as_ref().and_then(|fold| fold.hands_on)
    }

    fn windows(&self) -> impl Iterator<Item = CombineSteps> {
        self.kind.fold.iter().flat_map(move |fold| {
            fold.windows.iter().map(move |window| {
                let last = window.first + fold.flits - 1;
                CombineSteps { first: window.first, last, has_end: !self.is_last_step(last) }
            })
        })
    }

    fn results(&self) -> impl Iterator<Item = Folded> {
        let before = self.kind.inputs.len() as u32 + u32::from(self.kept.is_some());
        let fold = self.kind.fold.iter();
        fold.flat_map(|fold| (0..fold.packets).map(move |packet| (fold, packet))).map(move |(fold, packet)| {
            let of = |window: &FoldWindow| window.inputs[packet as usize].clone();
            let windows: Vec<usize> = (0..fold.windows.len()).filter(|&at| !of(&fold.windows[at]).is_empty()).collect();
            let inputs: BTreeSet<u32> = fold.windows.iter().flat_map(of).collect();
            let arrival = |input: u32| {
                let of_input = windows.iter().filter(|&&at| of(&fold.windows[at]).contains(&input));
                let of_input: Vec<usize> = of_input.copied().collect();
                let name = self.names[input as usize].clone();
                FoldedArrival { name, is_always: of_input.len() == windows.len(), windows: of_input }
            };
            let Handed { total, partial, last_window, .. } = handed(self.kind, packet);
            Folded {
                packet,
                name: format!("result_{packet}"),
                value: format!("value_{packet}"),
                has_partial: windows.len() > 1 || self.kind.banks.iter().any(|bank| bank.result == Some(packet)),
                partial,
                total,
                arrivals: inputs.into_iter().map(arrival).collect(),
                last_window,
                windows,
                last: (2 << self.folded_flit.map_or(0, |flit| flit.bits)) - 1,
                port: before + packet,
            }
        })
    }

    /// Banks that words are put into.
    fn banks(&self) -> impl Iterator<Item = MemoryBank> {
        let flit_bits = self.flit.map_or(0, |flit| flit.bits);
        fill::banks(self.reading, self.kind).into_iter().map(move |fill::BankName { name, role, base }| {
            let address = UpCounter::of_bits(1 + base.map_or(0, |base| base.bits) + flit_bits);
            let results = self.own.iter().filter(|own| own.result.is_some() || own.handed.is_some());
            let has_result = role == BankRole::Sent && results.map(|own| &own.name).any(|own| *own == name);
            MemoryBank {
                upper: name.to_uppercase().replace('_', ""),
                what: role.what(),
                name,
                base,
                last: (1 << address.bits) - 1,
                address,
                is_kept: role == BankRole::Kept,
                is_value: role == BankRole::Value,
                has_result,
            }
        })
    }
}

/// Spaces before what is inside of `generate`, if one of several tables is chosen there.
fn inside(tables: &[u32]) -> &'static str {
    if tables.len() > 1 { "        " } else { "" }
}
