//! How a router follows the words of a table: the wires it splits them into, its stores, and what each value selects.

use super::course::Courses;
use super::names;
use super::rom::{field, word_range};
use super::state::{Delays, Wires, literal, range};
use super::table::{Choice, Chooser, Field, Table};
use crate::net::Port;
use crate::program::{ClassId, Program};

/// Everything in a router that a table brings along; nothing if the class has none.
#[derive(Default)]
pub struct Playback {
    /// The table itself, if each node has its own.
    pub tables: Vec<OwnTable>,
    pub fields: Vec<FieldWire>,
    pub stores: Vec<Store>,
    pub choosers: Vec<Choosing>,
}

pub struct OwnTable {
    pub module: String,
    pub word_range: String,
    pub slot_range: String,
    pub has_store: bool,
}

/// A part of the word, by name.
pub struct FieldWire {
    pub range: String,
    pub name: String,
    pub part: String,
}

/// Every arrival at an input, by tick, and the outputs that read it.
pub struct Store {
    pub label: String,
    pub name: String,
    pub words: u32,
    pub arrival: String,
    pub reads: Vec<Read>,
}

pub struct Read {
    pub name: String,
    pub slot: String,
}

/// An output that a field of the word chooses a source for.
pub struct Choosing {
    pub label: String,
    pub select: String,
    pub arms: Vec<Arm>,
}

pub struct Arm {
    pub value: String,
    pub what: String,
    pub loads: Vec<String>,
}

impl Playback {
    pub fn new(program: &Program, class: ClassId, courses: &Courses, own_table: bool) -> Self {
        let Some(table) = &courses.table else { return Self::default() };
        let axes = program.topology.axes();
        let delays = Delays::of(courses, axes);
        let own = OwnTable {
            module: names::table(program, class),
            word_range: word_range(table),
            slot_range: slot_range(table),
            has_store: table.store.is_some(),
        };
        Self {
            tables: if own_table { vec![own] } else { Vec::new() },
            fields: table.choosers.iter().flat_map(|chooser| field_wires(axes, chooser)).collect(),
            stores: table.stored().into_iter().map(|port| Store::new(axes, port, table)).collect(),
            choosers: table
                .choosers
                .iter()
                .filter(|chooser| chooser.select.bits > 0)
                .map(|chooser| Choosing::new(axes, chooser, &delays))
                .collect(),
        }
    }
}

/// The range of the number of a store's word, with the space after it.
pub fn slot_range(table: &Table) -> String {
    range(table.store.unwrap_or(1))
}

fn field_wires(axes: usize, chooser: &Chooser) -> impl Iterator<Item = FieldWire> {
    let port = names::port(axes, chooser.port);
    let select = (chooser.select.bits > 0).then(|| field_wire(format!("{port}_select"), chooser.select));
    select.into_iter().chain(chooser.slot.map(|slot| field_wire(format!("{port}_slot"), slot)))
}

fn field_wire(name: String, part: Field) -> FieldWire {
    FieldWire { range: range((1 << part.bits) - 1), name, part: field(part) }
}

impl Store {
    fn new(axes: usize, port: Port, table: &Table) -> Self {
        let name = names::port(axes, port);
        let readers = table.choosers.iter().filter(|chooser| chooser.choices.contains(&Choice::Stored(port)));
        let read = |chooser: &Chooser| Read {
            name: read_name(axes, chooser.port, port),
            slot: format!("{}_slot", names::port(axes, chooser.port)),
        };
        Self {
            label: names::label(axes, port),
            words: table.store.unwrap_or(1),
            arrival: format!("{{{name}_in_valid, {name}_in_data}}"),
            reads: readers.map(read).collect(),
            name: format!("{name}_store"),
        }
    }
}

fn read_name(axes: usize, output: Port, input: Port) -> String {
    format!("{}_from_{}", names::port(axes, output), names::port(axes, input))
}

impl Choosing {
    fn new(axes: usize, chooser: &Chooser, delays: &Delays) -> Self {
        let output = names::port(axes, chooser.port);
        let last = chooser.choices.len() - 1;
        let arm = |(value, choice): (usize, &Choice)| {
            let (what, wires) = match *choice {
                Choice::Direct(source) => (source.describe(axes), delays.wires(source)),
                Choice::Stored(input) => {
                    let word = read_name(axes, chooser.port, input);
                    let data = Some(format!("{word}[WIDTH-1:0]"));
                    let what = format!("from the store of {}", names::label(axes, input));
                    (what, Wires { data, valid: format!("{word}[WIDTH]") })
                }
            };
            let value = if value == last { "default".to_owned() } else { literal(value as u32, last as u32) };
            Arm { value, what, loads: wires.loads(&output) }
        };
        Self {
            label: names::label(axes, chooser.port),
            select: format!("{output}_select"),
            arms: chooser.choices.iter().enumerate().map(arm).collect(),
        }
    }
}
