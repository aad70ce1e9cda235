//! Words of a node's streams, and the stretches of them that lie one after the other, so that one entry of a table says where.

use super::node::{AskedWord, BankPlace, MessageBlock, Node};
use crate::net::gcd;

/// Word of a stream in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct In {
    /// Address in each send bank that stores the word, then in the values of each result.
    pub banks: Vec<Option<u32>>,
    /// Address in the memory of words that go out again.
    pub own: Option<u32>,
}

/// Word of a stream out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StreamOutWord {
    /// Number of its block in the stream.
    pub block: u32,
    /// Place of the word; for own words, the address in their memory.
    pub place: BankPlace,
}

/// Word of a stream, with its place.
pub trait ChunkEntry {
    /// Returns true if the word lies directly after `before`.
    fn follows(&self, before: &Self) -> bool;
}

impl ChunkEntry for In {
    fn follows(&self, before: &Self) -> bool {
        let is_next = |(before, now): (&Option<u32>, &Option<u32>)| before.map(|at| at + 1) == *now;
        before.banks.iter().zip(&self.banks).all(is_next) && is_next((&before.own, &self.own))
    }
}

impl ChunkEntry for StreamOutWord {
    fn follows(&self, before: &Self) -> bool {
        match (before.place, self.place) {
            (BankPlace::Taken(before), BankPlace::Taken(now)) | (BankPlace::Result(before), BankPlace::Result(now)) => {
                now == before + 1
            }
            (BankPlace::Received { step: before, input: from }, BankPlace::Received { step, input }) => {
                step == before + 1 && input == from
            }
            _ => false,
        }
    }
}

/// Words of a node's own that go out again, in the order of the stream in.
pub fn own(node: &Node) -> Vec<u32> {
    let taken = |place: &BankPlace| if let BankPlace::Taken(place) = place { Some(*place) } else { None };
    let mut own: Vec<u32> = node.kept.iter().filter_map(taken).collect();
    own.sort_unstable();
    own
}

/// Words of a node's stream in, with their addresses.
pub fn entries_in(node: &Node) -> Vec<In> {
    let words: u32 = node.takes.iter().map(|block| block.words).sum();
    // a word of every result forms in the same tick
    let first = node.results.first().map_or(0, |result| result.tick);
    let flits = node.results.iter().map(|result| (result.tick - first) as usize + 1).max().unwrap_or(1);
    let nowhere = In { banks: vec![None; node.banks.len() + node.results.len() / flits], own: None };
    let mut entries = vec![nowhere; words as usize];
    for (index, bank) in node.banks.iter().enumerate() {
        for (address, asked) in (0..).zip(&bank.words) {
            if let AskedWord::Taken(place) = *asked {
                entries[place as usize].banks[index] = Some(address);
            }
        }
    }
    for (index, result) in node.results.iter().enumerate() {
        entries[result.own as usize].banks[node.banks.len() + index / flits] = Some((index % flits) as u32);
    }
    for (address, place) in (0..).zip(own(node)) {
        entries[place as usize].own = Some(address);
    }
    entries
}

/// Words of a node's stream out.
pub fn entries_out(node: &Node) -> Vec<StreamOutWord> {
    let own = own(node);
    let blocks = (0..).zip(&node.gives).flat_map(|(number, block)| (0..block.words).map(move |_| number));
    let entry = |(block, &place): (u32, &BankPlace)| {
        let place = match place {
            BankPlace::Taken(word) => BankPlace::Taken(own.partition_point(|&before| before < word) as u32),
            place => place,
        };
        StreamOutWord { block, place }
    };
    blocks.zip(&node.kept).map(entry).collect()
}

/// Words of an entry, so that no entry ends inside of a stretch or of a block: as many for other nodes already, or 0.
pub fn length<E: ChunkEntry>(words: &[E], blocks: &[MessageBlock], known: u32) -> u32 {
    let mut length = known;
    let mut begun = 0;
    for block in blocks {
        let block = &words[begun..begun + block.words as usize];
        let mut stretch = 0;
        for (index, word) in block.iter().enumerate() {
            if index > 0 && !word.follows(&block[index - 1]) {
                length = gcd(length, stretch);
                stretch = 0;
            }
            stretch += 1;
        }
        length = gcd(length, stretch);
        begun += block.len();
    }
    length
}

/// First word of each entry, and whether the entry ends a block.
pub fn cut<'w, E>(words: &'w [E], blocks: &'w [MessageBlock], length: u32) -> impl Iterator<Item = (&'w E, bool)> {
    let mut begun = 0;
    let cut = move |block: &MessageBlock| {
        let words = &words[begun..begun + block.words as usize];
        begun += block.words as usize;
        let last = words.len().saturating_sub(length as usize);
        words.iter().enumerate().step_by(length.max(1) as usize).map(move |(index, word)| (word, index == last))
    };
    blocks.iter().flat_map(cut)
}
