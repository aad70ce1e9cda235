//! The module that holds the table of a class: decides what it says; `templates/rtl/table.v` says it.

use askama::Template;

use super::state::{literal, range};
use super::table::{Choice, Field, Table};
use super::words::{self, count};
use super::{Options, names};
use crate::program::{ClassId, Program};

#[derive(Template)]
#[template(path = "rtl/table.v", escape = "none")]
pub struct TableModule<'t> {
    table: &'t Table,
    module: String,
    class: String,
    notes: Vec<String>,
    word_range: String,
    run_length: bool,
    has_store: bool,
    entry: Numbers,
    tick: Numbers,
    slot: Numbers,
    target: &'static str,
    nothing: String,
}

/// The range of a counter and some of its values.
struct Numbers {
    range: String,
    zero: String,
    one: String,
    last: String,
}

struct Line {
    index: String,
    value: String,
    when: String,
}

impl Numbers {
    fn new(last: u32) -> Self {
        Self { range: range(last), zero: literal(0, last), one: literal(1, last), last: literal(last, last) }
    }
}

impl<'t> TableModule<'t> {
    pub fn new(program: &Program, class: ClassId, table: &'t Table, options: &Options) -> Self {
        let nothing = format!("{}'d0", table.bits);
        Self {
            table,
            module: names::table(program, class),
            class: program.class_name(class),
            notes: notes(program, table, options),
            word_range: word_range(table),
            run_length: table.run_length,
            has_store: table.store.is_some(),
            entry: Numbers::new(table.entries.len() as u32),
            tick: Numbers::new(table.ticks()),
            slot: Numbers::new(table.store.unwrap_or(1)),
            target: if table.run_length { "{last, word}" } else { "word" },
            nothing: if table.run_length { format!("{{{}, {nothing}}}", literal(0, table.ticks())) } else { nothing },
        }
    }

    fn lines(&self) -> impl Iterator<Item = Line> {
        let table = self.table;
        table.entries.iter().enumerate().map(move |(index, entry)| Line {
            index: literal(index as u32, table.entries.len() as u32),
            value: if table.run_length {
                format!("{{{}, {}}}", table.last_tick(entry), table.word(entry))
            } else {
                table.word(entry)
            },
            when: match entry.last {
                last if last == entry.first => format!("tick {last}"),
                last => format!("ticks {} to {last}", entry.first),
            },
        })
    }
}

/// The range of a table's words, with the space after it.
pub fn word_range(table: &Table) -> String {
    format!("[{}:0] ", table.bits - 1)
}

/// A field of the word as a selection from it.
pub fn field(field: Field) -> String {
    match field.bits {
        1 => format!("word[{}]", field.low),
        bits => format!("word[{}:{}]", field.low + bits - 1, field.low),
    }
}

fn notes(program: &Program, table: &Table, options: &Options) -> Vec<String> {
    let axes = program.topology.axes();
    let ticks = count(u64::from(table.ticks()), "tick");
    let mut notes = vec![if table.run_length {
        format!("{} for {ticks}, each with the last tick it is for.", count(table.entries.len() as u64, "word"))
    } else {
        format!("One word for each of {ticks}.")
    }];
    for chooser in table.choosers.iter().filter(|chooser| chooser.select.bits > 0) {
        let choices: Vec<String> = chooser
            .choices
            .iter()
            .enumerate()
            .map(|(value, choice)| match choice {
                Choice::Direct(source) => format!("{value} {}", source.describe(axes)),
                Choice::Stored(port) => format!("{value} store of {}", names::label(axes, *port)),
            })
            .collect();
        notes.push(format!("{} {}: {}", field(chooser.select), names::label(axes, chooser.port), choices.join(", ")));
        notes.extend(chooser.slot.map(|slot| format!("{} the slot to read for it in the next tick", field(slot))));
    }
    notes.push(options.generated());
    notes.iter().flat_map(|note| words::wrap(note)).collect()
}
