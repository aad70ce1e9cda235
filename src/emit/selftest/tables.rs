//! Words of the streams of nodes in a run of their self-test.

use crate::emit::selftest::places::{EachBoard, TestedPlaces};

/// Words that come in at a node, that go out of it, and addresses at which these are read, in a run.
pub type WordsOfRun = [Vec<u64>; 3];

/// Bits of the entries of tables, of a place in them, and of the number of a marked value.
pub struct TableBits {
    pub place: u32,
    pub taken: u32,
    pub given: u32,
    /// Address at a read port, if there is one, and the end of a call.
    pub asked: Option<u32>,
    pub mark: u32,
}

/// Node, or the nodes at a place of all boards, and the words of its streams.
pub(in crate::emit) struct NodeStreams {
    pub name: String,
    pub label: String,
    /// The design has a port for its streams.
    pub has_streams: bool,
    /// Numbers by board: in the network, among the live nodes, of words that come in, and of those that go out.
    pub number: EachBoard,
    pub rank: EachBoard,
    pub takes: EachBoard,
    pub gives: EachBoard,
    pub tables: Vec<WordTable>,
    /// Node whose record shifts into this one's.
    pub next: Option<String>,
    pub pause_in: (usize, usize),
    pub pause_out: (usize, usize),
}

/// Words of a stream, one entry each.
pub(in crate::emit) struct WordTable {
    pub name: &'static str,
    pub bits: u32,
    /// By board, the last one first.
    pub parts: Vec<TablePart>,
}

/// Words of the stream of one node.
pub(in crate::emit) struct TablePart {
    /// Bits beyond the entries.
    pub rest: u32,
    /// The last one first.
    pub entries: Vec<String>,
}

impl NodeStreams {
    pub fn of(sizes: &TableBits, places: &TestedPlaces<'_>, at: usize, words: &[WordsOfRun]) -> Self {
        let (ranks, marks) = (places.ranks(at), sizes.mark);
        let part = |bits: u32, entries: &[u64]| TablePart {
            rest: bits * ((1 << sizes.place) - entries.len() as u32),
            entries: entries.iter().rev().map(|entry| format!("{entry:x}")).collect(),
        };
        let table = |name, bits, of: usize| WordTable {
            name,
            bits,
            parts: words.iter().rev().map(|words| part(bits, &words[of])).collect(),
        };
        let lengths = |of: usize| EachBoard::new(sizes.place, words.iter().map(|words| words[of].len() as u64));
        Self {
            name: places.names[at].clone(),
            label: places.labels[at].clone(),
            has_streams: places.has_streams(at),
            number: EachBoard::new(32, places.nodes.iter().map(|nodes| u64::from(nodes[at].0))),
            rank: EachBoard::new(marks, ranks.into_iter().map(|rank| rank.unwrap_or(0).into())),
            takes: lengths(0),
            gives: lengths(1),
            tables: [table("taken", sizes.taken, 0), table("given", sizes.given, 1)]
                .into_iter()
                .chain(sizes.asked.map(|bits| table("asked", bits, 2)))
                .collect(),
            next: places.names.get(at + 1).cloned(),
            pause_in: (3 * at % 32, (7 * at + 11) % 32),
            pause_out: ((5 * at + 17) % 32, (9 * at + 23) % 32),
        }
    }
}
