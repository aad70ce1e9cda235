//! Distribution of a control word to a router: bits with a large fan-out are duplicated per output.

use std::collections::{BTreeMap, BTreeSet};

use super::bits::WordField;
use super::drive::{ControlBits, Drive, Register};
use super::router::{Output, Router};

/// A bit of the word steers at most so many bits of several outputs. A register that steers more cannot stand near all: on an
/// ECP5 that way, not a link, then set the clock.
const MOST_STEERED: u64 = 32;

/// Key that distinguishes an output's registers: tools merge registers that load the same value in every tick.
fn kind(drive: &Drive, register: Register) -> Drive {
    match register {
        Register::Output => Drive { sends: None, is_certain: false, ..drive.clone() },
        Register::Early => Drive { early: drive.early.clone(), ..Drive::default() },
    }
}

impl Router {
    /// Tells each register by itself what steers many bits of `width` of several, and with that all else that it is told: an
    /// output whether it sends, too, or one valid bit would stand for all of them.
    pub(super) fn spread(&mut self, width: u32) {
        let Self { outputs, word, .. } = self;
        let mut kinds: Vec<Drive> = Vec::new();
        let mut number = |kind: Drive| {
            let known = kinds.iter().position(|other| *other == kind);
            known.unwrap_or_else(|| {
                kinds.push(kind);
                kinds.len() - 1
            })
        };
        let of =
            |output: &Output| [Register::Output, Register::Early].map(|register| number(kind(&output.drive, register)));
        let kinds: Vec<[usize; 2]> = outputs.iter().map(of).collect();
        // registers by the control bits that select for them
        let mut choosing: BTreeMap<u32, BTreeSet<usize>> = BTreeMap::new();
        for (output, kinds) in outputs.iter_mut().zip(&kinds) {
            for told in output.drive.told_mut().filter(|told| told.chooses) {
                choosing.entry(told.field.low).or_default().insert(kinds[told.register as usize]);
            }
        }
        let is_much = |low: u32| {
            choosing.get(&low).is_some_and(|registers| registers.len() as u64 * u64::from(width) > MOST_STEERED)
        };
        let mut bits = bits_of(word);
        let (mut first, mut copies) = (BTreeMap::new(), BTreeMap::new());
        for (output, kinds) in outputs.iter_mut().zip(&kinds) {
            let mut is_apart = [false; 2];
            output.drive.told_mut().for_each(|told| is_apart[told.register as usize] |= is_much(told.field.low));
            for ControlBits { field, register, .. } in output.drive.told_mut() {
                let (told, kind) = (*field, kinds[register as usize]);
                if *first.entry(told.low).or_insert(kind) != kind && is_apart[register as usize] {
                    *field = *copies.entry((kind, told.low)).or_insert_with(|| {
                        append(word, told);
                        bits += told.bits;
                        WordField { low: bits - told.bits, ..told }
                    });
                }
            }
        }
    }

    /// Bits of its word.
    pub fn word_bits(&self) -> u32 {
        bits_of(&self.word)
    }

    /// Returns true if some bits of the sequence's word are duplicated for the router.
    pub fn is_spread(&self) -> bool {
        self.word.len() > 1
    }

    /// Maps a field of the router's word to the sequence's word.
    pub fn told(&self, field: WordField) -> WordField {
        let mut begin = 0;
        let holds = |part: &&WordField| {
            begin += part.bits;
            field.low < begin
        };
        let part = self.word.iter().find(holds).expect("a part of its word");
        WordField { low: part.low + part.bits - (begin - field.low), ..field }
    }
}

fn bits_of(word: &[WordField]) -> u32 {
    word.iter().map(|part| part.bits).sum()
}

/// Appends a part to the word; adjacent parts are merged.
fn append(word: &mut Vec<WordField>, field: WordField) {
    match word.last_mut() {
        Some(last) if last.low + last.bits == field.low => last.bits += field.bits,
        _ => word.push(field),
    }
}
