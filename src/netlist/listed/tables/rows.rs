//! Rows of a stream out with several words per clock: each lane has some banks of its own, whose words go out in their order.

use super::super::NotLowered;
use super::{Given, GivenBlock, GivenRow, ListedNode, RowWord};

/// Word that waits for its row.
struct WaitingWord {
    given: Given,
    from: u32,
    message: u32,
    /// Number of the block in the order of arrival, and place in the block.
    block: usize,
    place: usize,
}

/// Rows of the words that a node gives. The lane of a word is the number of its bank, modulo the number of lanes. A row has of each
/// lane the first word in the order of arrival whose bank has no earlier one left, and whose block has none left either, but in a
/// lower lane of this row.
pub(super) fn of(
    listed: ListedNode<'_>,
    given: &[Given],
    blocks: &[GivenBlock],
    lanes: u32,
) -> Result<Vec<GivenRow>, NotLowered> {
    let mut waiting: Vec<WaitingWord> = Vec::new();
    for (block, &GivenBlock { first, words, from, message }) in blocks.iter().enumerate() {
        waiting.extend((0..words).map(|place| WaitingWord {
            given: given[first + place],
            from,
            message,
            block,
            place,
        }));
    }
    let mut banks = vec![0; listed.banks + 1];
    let mut placed = vec![0; blocks.len()];
    let mut rows = Vec::new();
    while !waiting.is_empty() {
        let mut row = GivenRow { words: vec![None; lanes as usize], ends: true };
        for lane in 0..lanes {
            let is_next = |word: &WaitingWord| {
                let Given { bank, address, .. } = word.given;
                bank % lanes == lane && address == banks[bank as usize] && word.place == placed[word.block]
            };
            let Some(index) = waiting.iter().position(is_next) else { continue };
            let WaitingWord { given, from, message, block, place } = waiting.remove(index);
            banks[given.bank as usize] += 1;
            placed[block] += 1;
            row.ends &= place + 1 == blocks[block].words;
            row.words[lane as usize] = Some(RowWord { bank: given.bank, from, message });
        }
        if row.words.iter().all(Option::is_none) {
            return Err(NotLowered::Rows { program: listed.program });
        }
        rows.push(row);
    }
    Ok(rows)
}
