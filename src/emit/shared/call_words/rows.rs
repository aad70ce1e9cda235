//! Rows of a stream out with several words per clock: each lane hands out the words of its banks.

use std::collections::{HashMap, VecDeque};

use crate::emit::shared::call_words::WordOut;

/// Word in its bank: one of each input, and those of the node's own words.
#[derive(Clone, Copy)]
pub struct BankWord {
    /// Word that goes out.
    pub word: WordOut,
    /// Number of the bank.
    pub bank: usize,
    /// Tick of its arrival, or in which it is complete; 0 for a word that goes out as it came in.
    pub tick: u32,
}

/// Words of blocks, in the order of their arrival, in rows of so many lanes: the banks of a lane are every so many. A row has of each
/// lane the first word that is next in its bank and in its block.
pub fn side_by_side(blocks: &[Vec<BankWord>], lanes: usize) -> Vec<WordOut> {
    let words = blocks.iter().enumerate().flat_map(|(at, block)| block.iter().map(move |word| (word, at)));
    let mut in_order: Vec<(&BankWord, usize)> = words.collect();
    in_order.sort_by_key(|(word, _)| word.tick);
    // by bank, the blocks of its words
    let mut banks: HashMap<usize, VecDeque<usize>> = HashMap::new();
    for (word, block) in in_order {
        banks.entry(word.bank).or_default().push_back(block);
    }
    let mut waiting: Vec<VecDeque<BankWord>> = blocks.iter().map(|block| block.iter().copied().collect()).collect();
    let mut row_by_row = Vec::new();
    while waiting.iter().any(|block| !block.is_empty()) {
        let before = row_by_row.len();
        for lane in 0..lanes {
            let is_next = |at: &usize| {
                let next = waiting[*at].front().filter(|word| word.bank % lanes == lane);
                next.is_some_and(|word| banks[&word.bank].front() == Some(at))
            };
            let Some(at) = (0..waiting.len()).find(is_next) else { continue };
            let BankWord { word, bank, .. } = waiting[at].pop_front().expect("it is next");
            banks.get_mut(&bank).expect("it is there").pop_front();
            row_by_row.push(WordOut { lane: lane as u32, ..word });
        }
        assert!(row_by_row.len() > before, "every row has a word");
    }
    row_by_row
}
