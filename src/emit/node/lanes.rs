//! Streams that hand out several words per clock: rows of the memories, for `templates/node/table.v`, `rows.v` and `lanes.v`.

use askama::Template;

use super::super::design::EmitDesign;
use super::super::rtl::{BitSlice, UpCounter, WordSlice};
use super::super::{names, words};
use super::parts::{Lookup, NetworkAxis, user};
use crate::netlist::{HeldWords, NodeKind, ReadingTables, RowSource, rows};
use crate::program::count;

/// Memory of all own words that go out again.
const KEPT: &str = "kept";

/// Stream out of a kind of node.
pub struct Lanes {
    /// Words per clock.
    pub words: u32,
    /// Number of a row.
    pub look: UpCounter,
    /// Fields of `tuser`, one per word.
    pub users: UpCounter,
    /// Number of the memories of a row.
    pub source: UpCounter,
    pub step: UpCounter,
    pub fields: Vec<TableLane>,
    pub sides: Vec<SideView>,
}

/// Lane of the stream, and its bits of `tuser`.
pub struct TableLane {
    pub index: u32,
    pub bits: BitSlice,
}

/// Memories that a row may be read from, with the word of each lane, the highest first.
pub struct SideView {
    pub number: u32,
    pub words: Vec<LaneWord>,
}

/// Word of a lane.
pub enum LaneWord {
    /// Word of the memory of arrivals.
    Received(WordSlice),
    /// Own word, by the name of its memory.
    Own(String),
    /// Lane that these memories do not fill.
    Nothing,
}

impl Lanes {
    /// Lanes of a kind of node; `None` if its stream has one word per clock.
    pub fn of(design: &EmitDesign, reading: &ReadingTables, kind: &NodeKind, words: u32) -> Option<Self> {
        if words == 1 || !kind.gives() {
            return None;
        }
        let program = design.program;
        // own packets each have a memory, or own words one for all
        let own: Vec<String> = if reading.is_direct() {
            kind.banks.iter().filter(|bank| bank.is_used()).map(|bank| names::own(bank.input)).collect()
        } else {
            (kind.own > 0).then(|| KEPT.to_owned()).into_iter().collect()
        };
        let groups = MemoryGroups::of(program.outputs() as u32, words);
        let received = |group| {
            let word = |lane| match kind.inputs.iter().position(|&input| input == group * words + lane) {
                Some(place) => LaneWord::Received(WordSlice::new(place as u32, 1)),
                None => LaneWord::Nothing,
            };
            (0..words).rev().map(word).collect()
        };
        let owned = |group| {
            let word = |lane| {
                own.get((group * words + lane) as usize).map_or(LaneWord::Nothing, |name| LaneWord::Own(name.clone()))
            };
            (0..words).rev().map(word).collect()
        };
        let of_own = (own.len() as u32).div_ceil(words);
        let sides = (0..groups.received).map(received).chain((0..of_own).map(owned));
        let user = user(&program.topology, reading.packets);
        let most = kind
            .tables
            .iter()
            .map(|&table| rows(&reading.tables[table as usize], words, reading.is_direct()).len())
            .max()
            .unwrap_or(1);
        Some(Self {
            words,
            look: UpCounter::up_to(most as u32 - 1),
            users: UpCounter::of_bits(words * user.bits),
            source: groups.count(of_own),
            step: Lookup::of(design, reading, kind).place,
            fields: (0..words)
                .map(|index| TableLane { index, bits: BitSlice::new(index * user.bits, user.bits) })
                .collect(),
            sides: (0..).zip(sides).map(|(number, words)| SideView { number, words }).collect(),
        })
    }
}

/// Numbers of the memories of a row: groups of inputs, then groups of own packets.
struct MemoryGroups {
    received: u32,
}

impl MemoryGroups {
    fn of(inputs: u32, words: u32) -> Self {
        Self { received: inputs.div_ceil(words) }
    }

    fn number(&self, side: RowSource) -> u32 {
        match side {
            RowSource::Received { group, .. } => group,
            RowSource::Own { group } => self.received + group,
            RowSource::Kept { .. } => self.received,
        }
    }

    fn count(&self, own: u32) -> UpCounter {
        UpCounter::up_to(self.received + own - 1)
    }
}

/// Table of the rows of some nodes.
#[derive(Template)]
#[template(path = "node/table.v", escape = "none")]
pub struct RowTable {
    module: String,
    notes: Vec<String>,
    words: u32,
    look: UpCounter,
    users: UpCounter,
    source: UpCounter,
    step: UpCounter,
    bits: u32,
    last: usize,
    lines: Vec<TableLine>,
}

/// Row of the table, as a constant and as a comment.
struct TableLine {
    word: String,
    what: String,
}

impl RowTable {
    pub fn new(
        design: &EmitDesign,
        reading: &ReadingTables,
        kind: &NodeKind,
        module: &str,
        table: &[HeldWords],
        lanes: &Lanes,
    ) -> Self {
        let program = design.program;
        let groups = MemoryGroups::of(program.outputs() as u32, lanes.words);
        let axes = NetworkAxis::all(&program.topology);
        let Lookup { packet, .. } = Lookup::of(design, reading, kind);
        let bits_of = |number: u32, bits: u32| format!("{number:0bits$b}", bits = bits as usize);
        let user = |held: Option<&HeldWords>| {
            let offset = axes.iter().enumerate().map(|(axis, it)| (held.map_or(0, |held| held.offset[axis]), it.bits));
            let number = packet.map(|packet| (held.map_or(0, |held| held.packet), packet.bits));
            offset.chain(number).map(|(number, bits)| bits_of(number, bits)).collect::<String>()
        };
        let all = rows(table, lanes.words, reading.is_direct());
        let line = |row: &crate::netlist::StreamRow| {
            let keep: String = row.lanes.iter().rev().map(|held| if held.is_some() { '1' } else { '0' }).collect();
            let users = row.lanes.iter().rev().map(|&held| user(held));
            let (step, what) = match row.side {
                RowSource::Own { .. } => (0, "its own".to_owned()),
                RowSource::Kept { address } => (address, "its own".to_owned()),
                RowSource::Received { step, .. } => (step, format!("step {}", step + 1)),
            };
            let parts = [keep].into_iter().chain(users);
            let parts =
                parts.chain([bits_of(groups.number(row.side), lanes.source.bits), bits_of(step, lanes.step.bits)]);
            TableLine { word: parts.collect::<Vec<_>>().join("_"), what }
        };
        Self {
            module: module.to_owned(),
            notes: words::wrap_all(&[
                format!(
                    "{} of {}: a bit for each lane that has one, the highest first; the node of each, {}; the number of the \
                     memories, own packets last; the step, counted from 0.",
                    count(all.len() as u64, "row"),
                    count(u64::from(lanes.words), "word"),
                    if reading.is_absolute() {
                        "by its coordinates"
                    } else {
                        "by its offset along each axis, modulo the sides"
                    },
                ),
                design.generated(),
            ]),
            words: lanes.words,
            look: lanes.look,
            users: lanes.users,
            source: lanes.source,
            step: lanes.step,
            bits: lanes.words + lanes.users.bits + lanes.source.bits + lanes.step.bits,
            last: all.len() - 1,
            lines: all.iter().map(line).collect(),
        }
    }
}
