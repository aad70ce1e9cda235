//! The module that holds the table of a class, numbered for `templates/rtl/table.v`.

use askama::Template;

use super::super::design::Design;
use super::super::{names, words};
use super::parts::{Bits, Range};
use super::rules;
use crate::netlist::{Coding, Drive, Entry, Field, Output, Router, Table, digits};
use crate::program::{ClassId, count};

/// Longer words are written in hexadecimal, to fit a line.
const MOST_BINARY: u32 = 40;

#[derive(Template)]
#[template(path = "rtl/table.v", escape = "none")]
pub struct TableModule<'t> {
    table: &'t Table,
    module: String,
    class: String,
    notes: Vec<String>,
    word: Range,
    run_length: bool,
    entry: Register,
    tick: Register,
    slot: Option<Register>,
}

/// A register that counts.
struct Register {
    range: Range,
    bits: u32,
    last: u32,
}

struct Line {
    index: usize,
    /// the base and the digits of the word
    word: String,
    first: u32,
    last: u32,
}

impl Register {
    fn up_to(last: u32) -> Self {
        Self { range: Range::up_to(last), bits: digits(last), last }
    }
}

impl<'t> TableModule<'t> {
    pub fn new(design: &Design, class: ClassId, router: &Router, table: &'t Table) -> Self {
        Self {
            table,
            module: names::table(design.program, class),
            class: design.program.class_name(class),
            notes: notes(design, router, table),
            word: Range::of_word(table),
            run_length: table.coding == Coding::RunLength,
            entry: Register::up_to(table.entries.len() as u32),
            tick: Register::up_to(table.ticks),
            slot: table.store.map(Register::up_to),
        }
    }

    fn lines(&self) -> impl Iterator<Item = Line> {
        let line = |(index, entry): (usize, &Entry)| Line {
            index,
            word: digits_of(self.table, entry),
            first: entry.first,
            last: entry.last,
        };
        self.table.entries.iter().enumerate().map(line)
    }
}

/// An entry's word: `b01_10_011`, the first field last; a long one in hexadecimal.
fn digits_of(table: &Table, entry: &Entry) -> String {
    let fields = table.fields.iter().zip(&entry.values).rev();
    let fields: Vec<String> =
        fields.map(|(field, value)| format!("{value:0bits$b}", bits = field.bits as usize)).collect();
    if table.bits <= MOST_BINARY {
        return format!("b{}", fields.join("_"));
    }
    let digits = table.bits.div_ceil(4) as usize;
    let binary = format!("{:0>width$}", fields.concat(), width = 4 * digits);
    let digit = |at: usize| char::from_digit(u32::from_str_radix(&binary[4 * at..][..4], 2).unwrap_or(0), 16);
    format!("h{}", (0..digits).filter_map(digit).collect::<String>())
}

/// What stands above the module: how it is coded, and what its words mean.
fn notes(design: &Design, router: &Router, table: &Table) -> Vec<String> {
    let axes = design.program.topology.axes();
    let ticks = count(u64::from(table.ticks), "tick");
    let mut notes = vec![match table.coding {
        Coding::RunLength => {
            let entries = count(table.entries.len() as u64, "word");
            format!("{entries} for {ticks}, each with the last tick it is for.")
        }
        Coding::Plain => format!("One word for each of {ticks}."),
    }];
    let part = |field: Field| format!("word{}", Bits::of(field));
    for Output { channel, drive, slot, .. } in &router.outputs {
        let Drive::Chosen { select, values } = drive else { continue };
        let choices: Vec<String> = values
            .iter()
            .enumerate()
            .map(|(number, value)| format!("{number} {}", rules::describe(*value, axes)))
            .collect();
        notes.push(format!("{} {}: {}", part(*select), channel.label(axes), choices.join(", ")));
        notes.extend(slot.map(|slot| format!("{} the slot to read for it in the next tick", part(slot))));
    }
    notes.push(design.generated());
    words::wrap_all(&notes)
}
