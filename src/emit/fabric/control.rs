//! The modules that tell routers what to do: numbered for `templates/rtl/control.v` and `templates/rtl/leaf.v`.

use askama::Template;

use crate::emit::fabric::rules;
use crate::emit::shared::design::EmitDesign;
use crate::emit::shared::parts::{BitRange, BitSlice};
use crate::emit::shared::{names, words};
use crate::netlist::{self, Coding, Drive, Output, Router, Sequence, WordField, WordStretch, digits};
use crate::program::{ClassId, count, joined};

/// Columns of a line; where words in binary would need more, all are hexadecimal.
const COLUMNS: usize = 100;

/// Fixed characters around place, range, word and ticks in a line of the template.
const FRAME: usize = "            : word <= ;  // ".len();

#[derive(Template)]
#[template(path = "rtl/control.v", escape = "none")]
pub struct ControlModule<'t> {
    sequence: &'t Sequence,
    module: String,
    classes: String,
    notes: Vec<String>,
    coding: Coding,
    word: BitRange,
    /// true if a clock enable can halt it
    ce: bool,
    /// spaces as wide as the range of the word
    gap: String,
    entry: CountRegister,
    /// counter of the ticks left in an entry; `None` if all entries that end last one tick
    left: Option<CountRegister>,
    /// the bits of the word that entries tell, if there are others
    told: String,
    told_bits: u32,
    counters: Vec<CountedBits>,
}

#[derive(Template)]
#[template(path = "rtl/leaf.v", escape = "none")]
pub struct LeafModule {
    module: String,
    generated: String,
}

/// A register that counts.
struct CountRegister {
    range: BitRange,
    bits: u32,
}

/// From an entry to the next.
struct EntryStep {
    from: usize,
    to: usize,
    /// ticks left after the next one
    left: u32,
    /// 1 if the first tick is also the last
    over: u32,
}

/// `6'd4: word <= 9'b01_10_00_111;  // ticks 2 to 7`
struct ControlLine {
    place: String,
    word: String,
    ticks: String,
}

/// Bits of the word that count.
struct CountedBits {
    at: BitSlice,
    bits: u32,
    first: u32,
    last: u32,
    wraps: bool,
}

impl CountRegister {
    fn of(bits: u32) -> Self {
        Self { range: BitRange::of(bits), bits }
    }
}

impl LeafModule {
    pub fn new(design: &EmitDesign) -> Self {
        Self { module: names::leaf(design.program), generated: design.generated() }
    }
}

impl<'t> ControlModule<'t> {
    pub fn new(design: &'t EmitDesign, number: usize) -> Self {
        let sequence = &design.netlist.sequences[number];
        let listening: Vec<(ClassId, &Router)> =
            design.netlist.driven().filter(|&(class, _)| design.netlist.sequence_of(class) == number).collect();
        let classes: Vec<String> = listening.iter().map(|&(class, _)| design.program.class_name(class)).collect();
        let counter = |&netlist::TickCounter { field, first, last, wraps }: &netlist::TickCounter| CountedBits {
            at: BitSlice::of(field),
            bits: field.bits,
            first,
            last,
            wraps,
        };
        let longest = sequence.lengths().max().unwrap_or(1);
        let told_bits = sequence.told_bits();
        let has_left = sequence.coding == Coding::RunLength && longest > 1;
        Self {
            sequence,
            module: names::control(design.program, listening[0].0),
            classes: joined(&classes, "and"),
            notes: notes(design, &listening, sequence),
            coding: sequence.coding,
            word: BitRange::vector(sequence.bits),
            ce: design.options.elastic,
            gap: " ".repeat(BitRange::vector(sequence.bits).to_string().len()),
            entry: CountRegister::of(sequence.place_bits()),
            left: has_left.then(|| CountRegister::of(digits(longest - 2))),
            told: if sequence.counters.is_empty() { String::new() } else { BitSlice::new(0, told_bits).to_string() },
            told_bits,
            counters: sequence.counters.iter().map(counter).collect(),
        }
    }

    /// Steps after each entry that ends.
    fn steps(&self) -> impl Iterator<Item = EntryStep> {
        let lengths: Vec<u32> = self.sequence.lengths().collect();
        let entries = self.sequence.entries.len();
        (0..lengths.len()).map(move |from| {
            let to = if from + 1 < entries { from + 1 } else { self.sequence.again.unwrap_or(from) };
            // the last entry lasts until the program is over
            let length = lengths.get(to).copied();
            EntryStep {
                from,
                to,
                left: length.map_or(0, |length| length.saturating_sub(2)),
                over: u32::from(length == Some(1)),
            }
        })
    }

    /// A line an entry: in binary, the first field last; in hexadecimal where one would be too long.
    fn lines(&self) -> Vec<ControlLine> {
        let lines = |word: fn(&Sequence, &WordStretch) -> String| -> Vec<ControlLine> {
            let entries = self.sequence.entries.iter().enumerate();
            entries.map(|(index, entry)| self.line(index, entry, &word(self.sequence, entry))).collect()
        };
        let columns =
            |line: &ControlLine| FRAME + line.place.len() + self.told.len() + line.word.len() + line.ticks.len();
        let binary = lines(in_binary);
        if binary.iter().all(|line| columns(line) <= COLUMNS) { binary } else { lines(in_hexadecimal) }
    }

    fn line(&self, index: usize, entry: &WordStretch, word: &str) -> ControlLine {
        let bits = self.entry.bits as usize;
        let &WordStretch { first, last, .. } = entry;
        let digits = match self.coding {
            Coding::Steps => format!("b{:0bits$b}", (1_u64 << index) - 1),
            Coding::Plain | Coding::RunLength => format!("d{index}"),
        };
        let is_last = index + 1 == self.sequence.entries.len();
        let place = if is_last { "default".to_owned() } else { format!("{bits}'{digits}") };
        let ticks = if first < last { format!("ticks {first} to {last}") } else { format!("tick {first}") };
        ControlLine { place, word: format!("{}'{word}", self.told_bits), ticks }
    }
}

/// An entry's fields as digits, the first one last.
fn fields(sequence: &Sequence, entry: &WordStretch) -> Vec<String> {
    let fields = sequence.fields.iter().zip(&entry.values).rev();
    fields.map(|(field, value)| format!("{value:0bits$b}", bits = field.bits as usize)).collect()
}

fn in_binary(sequence: &Sequence, entry: &WordStretch) -> String {
    format!("b{}", fields(sequence, entry).join("_"))
}

fn in_hexadecimal(sequence: &Sequence, entry: &WordStretch) -> String {
    let digits = sequence.told_bits().div_ceil(4) as usize;
    let binary = format!("{:0>width$}", fields(sequence, entry).concat(), width = 4 * digits);
    let digit = |at: usize| char::from_digit(u32::from_str_radix(&binary[4 * at..][..4], 2).unwrap_or(0), 16);
    format!("h{}", (0..digits).filter_map(digit).collect::<String>())
}

/// Comments above the module: its encoding, and the meaning of its words by the first router that uses them.
fn notes(design: &EmitDesign, listening: &[(ClassId, &Router)], sequence: &Sequence) -> Vec<String> {
    let axes = design.program.topology.axes();
    let ticks = count(u64::from(design.netlist.ticks), "tick");
    let told = match (sequence.coding, sequence.again) {
        (Coding::Plain, _) => format!("One word for each of {ticks}, and one for the time before tick 1."),
        (Coding::Steps | Coding::RunLength, None) => {
            format!("{} for {ticks} and the time before tick 1.", count(sequence.entries.len() as u64, "word"))
        }
        (Coding::Steps | Coding::RunLength, Some(again)) => format!(
            "{} for {ticks} and the time before tick 1; after the last word it repeats from that of tick {}.",
            count(sequence.entries.len() as u64, "word"),
            sequence.entries[again].first
        ),
    };
    let mut notes = vec![told];
    let (class, router) = listening[0];
    let part = |field: WordField| format!("word{}", BitSlice::of(router.told(field)));
    for Output { channel, drive, .. } in &router.outputs {
        let Drive { sends, rests, select, values, early, slot, combine, .. } = drive;
        let label = channel.label(axes);
        let choices = |values: &[netlist::LoadedValue]| {
            let choice =
                |(number, value): (usize, &netlist::LoadedValue)| format!("{number} {}", rules::describe(*value, axes));
            values.iter().enumerate().map(choice).collect::<Vec<_>>().join(", ")
        };
        let mut said: Vec<String> = sends.map(|sends| format!("{} send", part(sends))).into_iter().collect();
        said.extend(select.map(|select| format!("{} select ({})", part(select), choices(values))));
        if let Some(early) = early
            && let Some(select) = early.select
        {
            said.push(format!("{} select for the prefetch ({})", part(select), choices(&early.values)));
        }
        said.extend(slot.map(|slot| format!("{} the slot to read for the next tick", part(slot))));
        said.extend(rests.map(|rests| format!("{} idle", part(rests))));
        if let Some(netlist::Combine { takes, counts, adders, .. }) = combine {
            said.extend(takes.map(|takes| format!("{} take an own value", part(takes))));
            for (place, slot) in (0..).zip(adders.iter().flat_map(|adders| &adders.slots)) {
                let has = slot.is_taken.map(|field| format!("{} whether operand {place} is there", part(field)));
                let pick =
                    slot.select.map(|field| format!("{} operand {place} ({})", part(field), choices(&slot.values)));
                said.extend(has.into_iter().chain(pick));
            }
            if let Some((adders, field)) = adders.as_ref().and_then(|adders| Some((adders, adders.from?))) {
                let arms = adders.arms.iter().enumerate().map(|(number, arm)| match *arm {
                    netlist::Arm::Sum { .. } => format!("{number} what is combined"),
                    netlist::Arm::First => format!("{number} the node's own"),
                    netlist::Arm::Held => format!("{number} what it has"),
                    netlist::Arm::Forward(value) => format!("{number} {}", rules::describe(value, axes)),
                });
                said.push(format!("{} what it loads ({})", part(field), arms.collect::<Vec<_>>().join(", ")));
            }
            let counts = counts.iter().zip(&values[1..]);
            let counts = counts.filter_map(|(field, &value)| Some((part((*field)?), rules::describe(value, axes))));
            said.extend(counts.map(|(part, value)| format!("{part} include {value}")));
        }
        notes.push(format!("{label} of class {}: {}", design.program.class_name(class), said.join("; ")));
    }
    notes.extend(router.begins.map(|begins| format!("{} high before tick 1: clears the outputs", part(begins))));
    notes.push(design.generated());
    words::wrap_all(&notes)
}
