//! A table of the banks that words of a stream in go to, for `templates/node/fill.v`.

use askama::Template;

use super::super::design::EmitDesign;
use super::super::rtl::UpCounter;
use super::super::{names, words};
use super::parts;
use crate::netlist::{Filled, NodeKind, ReadingTables};
use crate::program::count;

/// Bank of a node: a send bank, or the words that go out again.
pub struct BankName {
    pub name: String,
    pub role: BankRole,
    /// address of a word; none if there is one that needs none
    pub base: Option<UpCounter>,
}

/// Use of the words of a bank.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum BankRole {
    /// The router takes them.
    Sent,
    /// The node combines them with what arrives.
    Value,
    /// Words that are sent out again.
    Kept,
}

impl BankRole {
    /// Comment above such a bank.
    pub fn what(self) -> &'static str {
        match self {
            Self::Sent => "own words in the order in which the router takes them",
            Self::Value => "own values that are combined with what arrives",
            Self::Kept => "own words that go out again",
        }
    }
}

/// Banks of a kind of node, in the order of a table's answer.
pub fn banks(reading: &ReadingTables, kind: &NodeKind) -> Vec<BankName> {
    let used = kind.banks.iter().filter(|bank| bank.words > 0);
    let sent = used.map(|bank| BankName {
        name: names::own(bank.input),
        role: BankRole::Sent,
        base: parts::base(reading, bank.words),
    });
    let kept = (kind.own > 0).then(|| BankName {
        name: "kept".to_owned(),
        role: BankRole::Kept,
        base: parts::kept_base(reading, kind),
    });
    let folds = kind.fold.iter().flat_map(|fold| (0..fold.packets).map(move |packet| (fold, packet)));
    let values = folds.map(|(fold, packet)| BankName {
        name: format!("value_{packet}"),
        role: BankRole::Value,
        base: UpCounter::of_several(fold.flits),
    });
    sent.chain(values).chain(kept).collect()
}

#[derive(Template)]
#[template(path = "node/fill.v", escape = "none")]
pub struct FillModule<'d> {
    kind: &'d NodeKind,
    table: &'d [Filled],
    module: String,
    notes: Vec<String>,
    look: UpCounter,
    answer: UpCounter,
    banks: Vec<BankName>,
    marks_last: bool,
}

impl<'d> FillModule<'d> {
    pub fn new(
        design: &'d EmitDesign<'d>,
        reading: &ReadingTables,
        kind: &'d NodeKind,
        module: &str,
        table: &'d [Filled],
    ) -> Self {
        let banks = banks(reading, kind);
        let marks_last = !kind.taken.is_of_blocks;
        let bits = banks.iter().map(|bank| 1 + bank.base.map_or(0, |base| base.bits)).sum::<u32>();
        let of_words = count(u64::from(kind.taken.words) * u64::from(reading.flits), "word");
        Self {
            kind,
            table,
            module: module.to_owned(),
            notes: words::wrap_all(&[
                format!("An entry is for {of_words} that arrive one after the other."),
                design.generated(),
            ]),
            look: UpCounter::up_to(kind.taken.entries - 1),
            answer: UpCounter::of_bits(bits + u32::from(marks_last)),
            banks,
            marks_last,
        }
    }

    /// Answers, the highest field first.
    fn lines(&self) -> impl Iterator<Item = String> {
        let used = |entry: &'d Filled| {
            let sent = self.kind.banks.iter().zip(&entry.banks).filter(|(bank, _)| bank.words > 0);
            let values = &entry.banks[self.kind.banks.len()..];
            sent.map(|(_, &at)| at)
                .chain(values.iter().copied())
                .chain((self.kind.own > 0).then_some(entry.own))
                .collect::<Vec<_>>()
        };
        let field = |(bank, at): (&BankName, Option<u32>)| {
            let base = |base: UpCounter| format!("_{:0bits$b}", at.unwrap_or(0), bits = base.bits as usize);
            format!("{}{}", u8::from(at.is_some()), bank.base.map_or_else(String::new, base))
        };
        self.table.iter().map(move |entry| {
            let last = self.marks_last.then(|| u8::from(entry.is_last).to_string());
            let fields = self.banks.iter().zip(used(entry)).map(field);
            last.into_iter().chain(fields).collect::<Vec<_>>().join("_")
        })
    }
}
