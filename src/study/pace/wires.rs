//! Speed of boards whose links are wires or transceivers: a token takes a wire for as long as its frame has bits, or beats.

use super::{CHECKED, REGISTERS, RunPlay, beside, later_by};
use crate::net::{Channel, NodeId, Topology};
use crate::netlist::{OWN_WAY, PortClock};
use crate::program::Program;

/// Start bit and stop bit of a frame.
const AROUND: u32 = 2;
/// Registers on the way of a bit: at the sender, three at the pin of the receiver, and one that hands on the frame.
const REGISTERS_OF_BITS: u32 = 5;
/// Clocks from a board's tick to the first in which its wire may take the token.
const TO_WIRE: u64 = 2;
/// Clocks by which a frame that crosses to the clock of a transceiver is later: it is written, and a pointer takes two registers.
const CROSSING_OUT: u32 = 3;

/// Wire from board to board.
#[derive(Clone, Copy)]
pub struct WireClocks {
    /// from the tick that sends a token to the one that needs it
    clocks: u64,
    /// from token to token
    period: u64,
    /// a token leaves the board's port before all of it is on the wire
    takes_over: bool,
}

impl WireClocks {
    /// Wire for frames of so many bits, which takes some clocks itself.
    pub fn new(bits: u32, divisor: u32, clocks: u32) -> Self {
        // the stop bit is sampled in its middle
        let frame = (bits + 1) * divisor + divisor / 2 + REGISTERS_OF_BITS;
        Self {
            clocks: u64::from(clocks + frame + CHECKED + REGISTERS),
            period: u64::from((bits + AROUND) * divisor + 1),
            takes_over: true,
        }
    }

    /// Transceiver for frames of so many beats, with a link that takes some clocks itself. Its clock is as fast as that of the board.
    pub fn of_beats(beats: u32, clocks: PortClock, link: u32) -> Self {
        let crosses = clocks == PortClock::Cable;
        let out = if crosses { CROSSING_OUT } else { 0 };
        Self {
            clocks: u64::from(link + out + beats - 1 + beside(true, clocks) + REGISTERS),
            period: u64::from(beats),
            takes_over: crosses,
        }
    }
}

/// Wire that ends at a board, with the clocks of the last ticks in which its tokens left.
struct BoardInput {
    there: usize,
    wire: WireClocks,
    /// by tick, modulo their number
    left: Vec<u64>,
    last: Option<u64>,
    last_but_one: Option<u64>,
}

impl BoardInput {
    /// First clock in which the board at the other end may send again: two tokens wait, beside the one on the wire or with it.
    fn has_room(&self) -> u64 {
        if self.wire.takes_over {
            self.last_but_one.map_or(0, |left| left + TO_WIRE)
        } else {
            self.last.map_or(0, |left| left + TO_WIRE - 1)
        }
    }
}

/// Boards joined by wires, which play one run after the other.
pub(super) struct WiredBoards {
    inputs: Vec<BoardInput>,
    /// end of each board's inputs
    ends: Vec<usize>,
    now: Vec<u64>,
    ahead: usize,
    /// the last tick, with the one of the last arrivals
    last: usize,
}

impl WiredBoards {
    pub fn new(program: &Program, boards: &Topology, last: u32, wire: impl Fn(NodeId, Channel) -> WireClocks) -> Self {
        let (ahead, nodes) = (program.latency as usize, boards.nodes() as usize);
        let (mut inputs, mut ends) = (Vec::new(), Vec::with_capacity(nodes));
        for node in boards.node_ids() {
            for input in program.channels() {
                let Some(there) = boards.step(node, input.port).filter(|&there| there != node) else { continue };
                let wire = wire(there, input.opposite());
                let left = vec![0; ahead];
                inputs.push(BoardInput { there: there.index(), wire, left, last: None, last_but_one: None });
            }
            ends.push(inputs.len());
        }
        Self { inputs, ends, now: vec![0; nodes], ahead, last: last as usize }
    }
}

impl RunPlay for WiredBoards {
    fn play(&mut self, run: u32, free: &mut [u64], watch: &dyn Fn(u64)) {
        let Self { inputs, ends, now, ahead, last } = self;
        let (ahead, last) = (*ahead, *last);
        for tick in 1..=last {
            for input in &*inputs {
                free[input.there] = free[input.there].max(input.has_room());
            }
            let mut begin = 0;
            for ((now, free), &end) in now.iter_mut().zip(&*free).zip(&*ends) {
                let waits = inputs[begin..end].iter().map(|input| input.left[tick % ahead] + input.wire.clocks);
                *now = if tick > ahead { waits.fold(*free, u64::max) } else { *free };
                begin = end;
            }
            if tick + ahead <= last {
                for input in &mut *inputs {
                    let idle = input.last.map_or(0, |left| left + input.wire.period);
                    let left = now[input.there].max(idle);
                    input.left[tick % ahead] = left;
                    (input.last, input.last_but_one) = (Some(left), input.last);
                }
            }
            for (free, now) in free.iter_mut().zip(&*now) {
                *free = now + 1;
            }
            watch(u64::from(run) * last as u64 + tick as u64);
        }
    }
}

/// Clocks from the first start to the last arrival, if each board may start at once and again and again, and if no token meets a
/// frame without one on its wire: the first of a run may, and is late by a frame then.
pub fn clocks(
    program: &Program,
    boards: &Topology,
    runs: u32,
    wire: impl Fn(NodeId, Channel) -> WireClocks,
    watch: &dyn Fn(u64),
) -> u64 {
    // one more clock than ticks, for the last arrivals
    let mut all = WiredBoards::new(program, boards, program.ticks + 1, wire);
    let mut free = vec![0; boards.nodes() as usize];
    for run in 0..runs {
        // idle for one clock between runs
        later_by(&mut free, u64::from(OWN_WAY) + 1);
        all.play(run, &mut free, watch);
    }
    free.iter().copied().max().map_or(0, |free| free - 1)
}
