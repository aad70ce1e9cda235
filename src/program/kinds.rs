//! Numbers the different words of small symbols, for nodes that are told apart by a few small numbers each.

/// A tree whose branches are symbols: a word leads to a leaf, and leaves are numbered as they first come.
///
/// Ten million nodes have a few dozen different words. Walking the tree costs a look-up a symbol, where a hash map would
/// hash every word.
pub struct SymbolTree {
    /// symbols are below this
    symbols: usize,
    /// by tree node and symbol, the next tree node, or at the end of a word its number + 1; 0 where there is none yet
    next: Vec<u32>,
    words: Vec<Vec<usize>>,
}

impl SymbolTree {
    /// For words of one length, of symbols below `symbols`.
    pub fn new(symbols: usize) -> Self {
        Self { symbols, next: vec![0; symbols], words: Vec::new() }
    }

    /// The different words, in the order in which they first came.
    pub fn words(&self) -> &[Vec<usize>] {
        &self.words
    }

    /// The number of a word.
    pub fn of(&mut self, word: &[usize]) -> u32 {
        let Some((&last, front)) = word.split_last() else { return 0 };
        let mut branch = 0;
        for &symbol in front {
            let slot = branch + symbol;
            if self.next[slot] == 0 {
                self.next[slot] = (self.next.len() / self.symbols) as u32;
                self.next.resize(self.next.len() + self.symbols, 0);
            }
            branch = self.next[slot] as usize * self.symbols;
        }
        let leaf = &mut self.next[branch + last];
        if *leaf == 0 {
            self.words.push(word.to_vec());
            *leaf = self.words.len() as u32;
        }
        *leaf - 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_words_have_one_number_and_new_ones_the_next() {
        let mut kinds = SymbolTree::new(3);
        let words = [[0, 0], [0, 2], [2, 0], [0, 0], [2, 2], [0, 2]];
        assert_eq!(words.map(|word| kinds.of(&word)), [0, 1, 2, 0, 3, 1]);
        assert_eq!(kinds.words(), [[0, 0], [0, 2], [2, 0], [2, 2]]);
    }

    #[test]
    fn every_word_of_some_symbols_is_another_kind() {
        let mut kinds = SymbolTree::new(4);
        for round in 0..2 {
            let words = (0..256).map(|word| [0, 2, 4, 6].map(|shift| word >> shift & 3));
            assert!(words.map(|word| kinds.of(&word)).eq(0..256), "round {round}");
        }
    }
}
