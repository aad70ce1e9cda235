//! Calls of boards whose nodes have streams: the words of one call come in while another plays, and those of a third go out.

use super::wires::{WireClocks, WiredBoards};
use super::{PacedBoards, RunPlay, later_by, start_all};
use crate::net::{Channel, NodeId, SpanningTree, Topology};
use crate::netlist::BoardStart;
use crate::program::Program;

/// Clocks in which a program is placed, beside one for each of its records.
pub const PLACING: u64 = 9;
/// Clocks from the one that takes a call of a program in its place to the first in which nodes take words.
const TO_WORDS: u64 = 2;
/// Clocks from the one in which a call comes to a board, where one board takes the calls of all, to the one that takes it.
const TO_CALL: u64 = 1;
/// Clocks from the one in which nodes have their words to the first tick.
const TO_TICKS: u64 = 4;
/// Clocks from the one after the last tick to the one in which words may go out.
const TO_END: u64 = 1;
/// Clocks from then to the one in which the last word has gone, beside one for each word; and if there are none.
const OUT: u64 = 5;
const NOTHING_OUT: u64 = 2;

/// Program as boards call it.
pub struct CalledBoards<'p> {
    /// Program that is called.
    pub program: &'p Program,
    /// Network of the boards.
    pub boards: &'p Topology,
    /// Ticks, with that of the last arrivals.
    pub ticks: u32,
    /// Most words that a node of each board takes and gives.
    pub words: &'p [(u64, u64)],
    /// Words of a call come in while those of the last but one go out.
    pub is_apart: bool,
}

/// Clocks of calls that follow one another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CallClocks {
    /// From the clock that takes the first call to the one that says that the last is done.
    pub all: u64,
    /// From the first tick of the first call to its last, on any board.
    pub played: u64,
}

/// State of a board between calls, by clocks.
#[derive(Clone, Copy, Default)]
struct CallState {
    /// nodes have their words, and nothing plays
    moves: u64,
    /// the words of the call before may go out
    gives: u64,
    /// last word of the call before has gone out
    drained: u64,
}

impl CalledBoards<'_> {
    /// Clocks of calls of a program in its place. All boards take a call in one clock, or the host's board takes it for all as soon as
    /// every board is ready; words wait at the nodes, and readers never do.
    pub fn clocks(
        &self,
        start: BoardStart,
        calls: u32,
        latency: impl Fn(NodeId, Channel) -> u32,
        watch: &dyn Fn(u64),
    ) -> CallClocks {
        let boards = PacedBoards::new(self.program, self.boards, self.ticks, &latency);
        match start {
            BoardStart::Own => self.played_by(boards, calls, at_once, watch),
            BoardStart::Common => {
                let tree = SpanningTree::new(self.boards, BoardStart::HOST);
                let start = |call: u32, taken: &mut [u64]| {
                    start_all(&tree, self.boards, &latency, call == 0, taken);
                    later_by(taken, TO_CALL);
                };
                self.played_by(boards, calls, start, watch)
            }
        }
    }

    /// Clocks of such calls on wires or transceivers, if no token meets a frame without one: the first of a call may, and is late by
    /// a frame then.
    pub fn clocks_on_wires(
        &self,
        calls: u32,
        wire: impl Fn(NodeId, Channel) -> WireClocks,
        watch: &dyn Fn(u64),
    ) -> CallClocks {
        self.played_by(WiredBoards::new(self.program, self.boards, self.ticks, wire), calls, at_once, watch)
    }

    /// `start` makes of the clocks in which boards are ready for a call those in which they take it.
    fn played_by(
        &self,
        mut all: impl RunPlay,
        calls: u32,
        start: impl Fn(u32, &mut [u64]),
        watch: &dyn Fn(u64),
    ) -> CallClocks {
        let words = self.words;
        let mut callers = vec![CallState::default(); words.len()];
        let mut free = vec![0; words.len()];
        let mut taken = vec![0; words.len()];
        let mut played = 0;
        for call in 0..calls {
            start(call, &mut taken);
            let boards = callers.iter_mut().zip(&mut free).zip(words).zip(&taken);
            for (((caller, free), &(takes, _)), taken) in boards {
                let plays_none = if call == 0 { 0 } else { caller.gives + 1 };
                caller.moves = (taken + TO_WORDS + takes).max(plays_none);
                *free = caller.moves + TO_TICKS;
            }
            let first = free.iter().copied().min().unwrap_or(0);
            // another call is taken while words of the one before, or of the last but one, go out at the latest
            for (taken, caller) in taken.iter_mut().zip(&callers) {
                *taken = caller.moves.max(if self.is_apart { 0 } else { caller.drained }) + 1;
            }
            all.play(call, &mut free, watch);
            if call == 0 {
                played = free.iter().copied().max().unwrap_or(0) - first;
            }
            for ((caller, &over), &(_, gives)) in callers.iter_mut().zip(&free).zip(words) {
                let is_first = call == 0;
                caller.gives = (over + TO_END).max(if is_first { 0 } else { caller.drained + 1 });
                caller.drained = caller.gives + if gives == 0 { NOTHING_OUT } else { OUT + gives };
            }
        }
        let done = callers.iter().map(|caller| caller.drained + 1).max().unwrap_or(0);
        CallClocks { all: done, played }
    }
}

/// All boards take a call in the clock in which the last of them is ready.
fn at_once(_: u32, taken: &mut [u64]) {
    let last = taken.iter().copied().max().unwrap_or(0);
    taken.fill(last);
}
