//! Contents of a list's stores: shared control words, and the records that place programs.

use std::collections::HashMap;

use super::tables::{Given, GivenRow, StreamShape, StreamTables, WordPlaces};
use super::{ControlWord, ListNetlist, Lowered, PlacedProgram};
use crate::net::NodeId;

/// Record that nodes take which are at its position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// Code of the position; none for all nodes.
    pub position: Option<u32>,
    /// Contents of the store.
    pub words: RecordWords,
}

/// Contents of a record.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum RecordWords {
    /// A node's streams.
    Streams {
        /// True if the node follows control words of its own.
        is_tracked: bool,
        /// First entry of the words that come in.
        taken: u32,
        /// Blocks that come in.
        takes: StreamShape,
        /// First entry of the words that go out.
        given: u32,
        /// Blocks that go out.
        gives: StreamShape,
        /// True if the one block that goes out is of the node itself, as a result is, and not of the root.
        is_own: bool,
        /// True if the table says of which node each word is that goes out.
        is_told: bool,
        /// First row of the words that go out, and their number.
        rows: (u32, u32),
    },
    /// A control word of the node's own.
    Control {
        /// Number among those of the node.
        number: u32,
        /// Last tick in which it holds.
        last: u32,
        /// Word to place.
        word: ControlWord,
    },
}

impl ListNetlist {
    /// Fills the stores.
    pub(super) fn place_all(&mut self, ids: &[NodeId], programs: &[Lowered<'_>]) {
        let words = |program: &Lowered<'_>, lasts: bool| -> Vec<Vec<ControlWord>> {
            let of_node = |acts: &super::Acts| {
                let mut ticks = acts.ticks.clone();
                ticks.resize(program.ticks as usize, super::super::Tick::idle(self.inputs()));
                self.union.words(&ticks, program.operation, lasts)
            };
            program.nodes.iter().map(of_node).collect()
        };
        let shared: Vec<Option<Vec<ControlWord>>> =
            programs.iter().map(|program| alike(words(program, false))).collect();
        let own: Vec<Vec<Vec<ControlWord>>> = programs
            .iter()
            .zip(&shared)
            .map(|(program, shared)| if shared.is_some() { Vec::new() } else { words(program, true) })
            .collect();
        // the longest first: what follows one another in a longer sequence is not stored again
        let mut order: Vec<usize> = (0..programs.len()).collect();
        order.sort_by_key(|&program| std::cmp::Reverse(shared[program].as_ref().map_or(0, Vec::len)));
        let mut first = vec![None; programs.len()];
        for program in order {
            first[program] = shared[program].as_ref().map(|sequence| stored(&mut self.words, sequence));
        }
        for (index, program) in programs.iter().enumerate() {
            let begin = self.records.len() as u32;
            let headers = self.place(ids, program, &own[index]);
            let live = ids.iter().zip(&program.streams).filter(|&(&node, _)| self.topology.is_live(node));
            let words = live.map(|(_, streams)| streams.words);
            self.programs.push(PlacedProgram {
                ticks: program.ticks,
                is_moved: program.is_moved,
                shared: first[index],
                records: (begin, self.records.len() as u32),
                headers,
                words: words.collect(),
                lengths: program.lengths.clone(),
            });
        }
    }

    /// Adds the records of a program, and returns the end of those about streams.
    fn place(&mut self, ids: &[NodeId], program: &Lowered<'_>, own: &[Vec<ControlWord>]) -> u32 {
        let headers: Vec<RecordWords> =
            program.streams.iter().map(|streams| self.header(streams, !own.is_empty())).collect();
        let codes: Vec<u32> = ids.iter().map(|&node| self.code(node)).collect();
        self.tell(codes.iter().copied().zip(headers).collect());
        let end = self.records.len() as u32;
        let mut controls: Vec<Vec<(u32, RecordWords)>> = Vec::new();
        for (&code, words) in codes.iter().zip(own) {
            let runs = words.chunk_by(|one, other| one == other);
            let mut last = 0;
            for (number, run) in (0..).zip(runs) {
                last += run.len() as u32;
                let words = RecordWords::Control { number, last, word: run[0].clone() };
                if controls.len() == number as usize {
                    controls.push(Vec::new());
                }
                controls[number as usize].push((code, words));
            }
        }
        for words in controls {
            self.tell(words);
        }
        end
    }

    /// Adds the record that most nodes are to have for all nodes, and after it those of the others.
    fn tell(&mut self, words: Vec<(u32, RecordWords)>) {
        let mut many: HashMap<&RecordWords, usize> = HashMap::new();
        for (_, words) in &words {
            *many.entry(words).or_default() += 1;
        }
        // the first of those that are most
        let most = words.iter().rev().map(|(_, words)| words).max_by_key(|words| many[words]);
        let Some(most) = most.filter(|words| many[words] > 1).cloned() else {
            self.records.extend(words.into_iter().map(|(code, words)| Record { position: Some(code), words }));
            return;
        };
        self.records.push(Record { position: None, words: most.clone() });
        let others = words.into_iter().filter(|(_, words)| *words != most);
        self.records.extend(others.map(|(code, words)| Record { position: Some(code), words }));
    }

    fn header(&mut self, streams: &StreamTables, is_tracked: bool) -> RecordWords {
        RecordWords::Streams {
            is_tracked,
            taken: stored(&mut self.taken, &streams.taken as &[WordPlaces]),
            takes: streams.takes,
            given: stored(&mut self.given, &streams.given as &[Given]),
            gives: streams.gives,
            is_own: streams.is_own,
            is_told: streams.is_told,
            rows: (stored(&mut self.rows, &streams.rows as &[GivenRow]), streams.rows.len() as u32),
        }
    }
}

/// The one of them, if all are equal.
fn alike<T: PartialEq>(all: Vec<T>) -> Option<T> {
    let mut all = all.into_iter();
    let first = all.next()?;
    all.all(|other| other == first).then_some(first)
}

/// Place of a sequence in a store; it is added if it is not there yet.
fn stored<T: Clone + PartialEq>(store: &mut Vec<T>, sequence: &[T]) -> u32 {
    if sequence.is_empty() {
        return 0;
    }
    let known = store.windows(sequence.len()).position(|window| window == sequence);
    known.unwrap_or_else(|| {
        store.extend_from_slice(sequence);
        store.len() - sequence.len()
    }) as u32
}
