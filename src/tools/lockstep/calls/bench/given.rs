//! Comparison of the words that nodes give with those that are awaited.

use super::super::super::outcome::DifferencePlace;
use super::super::events::{GivenWord, WordMarks};
use super::{Awaited, CallLockstep, CallResult, hex};

impl CallLockstep<'_, '_> {
    /// Word that a node is to give next: the first of a block, where its node is told and blocks may come in another order.
    fn next_awaited(&mut self, node: usize, from: Option<u32>) -> Option<Awaited> {
        let awaited = &mut self.awaited[node];
        let call = awaited.front()?.call.number;
        let is_wanted = |word: &Awaited| word.call.number == call && from.is_none_or(|from| word.from == from);
        let is_free = self.simulator.ports.codes.are_by_arrival;
        let index = awaited.iter().position(|word| !is_free || is_wanted(word)).unwrap_or(0);
        awaited.remove(index)
    }

    /// Compares a word that a node gives.
    pub(super) fn given(&mut self, GivenWord { node, word, marks }: GivenWord) -> CallResult {
        let at = self.nodes[node];
        let Some(awaited) = self.next_awaited(node, marks.and_then(|marks| marks.from)) else {
            let place = DifferencePlace::Word(0);
            return Err(self.difference(self.last, 0, (at, at), place, ("none".into(), hex(&word))));
        };
        let Awaited { call, place, word: expected, from, is_last, ends } = awaited;
        self.row_ends &= ends;
        let said = marks.map(|marks| WordMarks { from: marks.from.or(Some(from)), ..marks });
        let has_blocks = marks.is_some_and(|marks| marks.from.is_some());
        let right = marks.map(|marks| WordMarks {
            program: call.program,
            from: Some(from),
            is_last: marks.is_last.map(|_| if has_blocks { self.row_ends } else { is_last }),
        });
        if marks.is_some_and(|marks| marks.is_last.is_some()) {
            self.row_ends = true;
        }
        let (low, high) = word.split_at(expected.len().min(word.len()));
        if said != right || low != expected || high.iter().any(|&byte| byte != 0) {
            let shown = |word: &[u8], marks: Option<WordMarks>| {
                format!("{} {}", hex(word), marks.map_or_else(String::new, |marks| marks.to_string()))
            };
            let values = (shown(&expected, right).trim_end().into(), shown(&word, said).trim_end().into());
            return Err(self.difference(call, 0, (at, at), DifferencePlace::Word(place), values));
        }
        self.agreement.words += 1;
        Ok(())
    }
}
