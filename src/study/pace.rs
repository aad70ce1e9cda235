//! Speed of boards that wait for each other: the clock of each board's ticks, given the clocks that each link takes.
//!
//! A board plays a tick in the clock after the last one, or as soon as it has what every neighbour sent a latency of the
//! program ago: a link later than that was played, and two registers. Nothing else holds it up.

pub mod calls;
pub mod wires;

use crate::net::{Channel, NodeId, SpanningTree, Topology};
use crate::netlist::{BoardStart, OWN_WAY, PortClock};
use crate::program::Program;

/// Registers between two boards beside their link: at the output, and where it waits.
const REGISTERS: u32 = 2;

/// Registers that a start goes through beside its link and the link layer: it waits at the output only.
const REGISTERS_OF_START: u32 = 1;

/// Registers of the link layer, where links are checked: a frame's at the sender, and one at the receiver.
const CHECKED: u32 = 2;

/// Clocks that a link takes longer if its receiver has another clock, where edges of both come at once: two registers for the
/// pointer of the FIFO; one more for frames, which wait once there and once as tokens. Edges between each other save a clock of a
/// link and its way back.
const CROSSING: u32 = 2;
const CROSSING_OF_FRAMES: u32 = 3;

/// Clocks of a link between registers of boards, beside those of the link itself.
pub const fn beside(is_checked: bool, clocks: PortClock) -> u32 {
    match (is_checked, clocks) {
        (false, PortClock::Board) => 0,
        (false, PortClock::Cable) => CROSSING,
        (true, PortClock::Board) => CHECKED,
        (true, PortClock::Cable) => CHECKED + CROSSING_OF_FRAMES,
    }
}

/// Boards whose slowest circuit is a link there and back come round again after so many ticks, times the ticks that one may
/// be ahead.
const THERE_AND_BACK: usize = 2;

/// Incoming link of a board: the node at the other end, and the clocks that a flit takes.
#[derive(Clone, Copy)]
struct IncomingLink {
    there: u32,
    clocks: u32,
}

/// When boards played the last few ticks.
struct PlayTimes {
    /// by tick modulo their number
    clocks: Vec<Vec<u64>>,
}

impl PlayTimes {
    fn at(&self, tick: usize) -> &[u64] {
        &self.clocks[tick % self.clocks.len()]
    }

    /// By how many clocks all boards played a tick later than another, if by as many.
    fn later(&self, tick: usize, than: usize) -> Option<u64> {
        let mut later = self.at(tick).iter().zip(self.at(than)).map(|(clock, before)| clock - before);
        let first = later.next()?;
        later.all(|clocks| clocks == first).then_some(first)
    }
}

fn later_by(clocks: &mut [u64], more: u64) {
    for clock in clocks {
        *clock += more;
    }
}

/// Makes of the clocks in which boards are idle those in which they start: their status goes up the tree, and the start goes down.
fn start_all(
    tree: &SpanningTree,
    boards: &Topology,
    latency: &impl Fn(NodeId, Channel) -> u32,
    is_first: bool,
    free: &mut [u64],
) {
    let parent = |node: NodeId| {
        let port = tree.parent(node)?;
        Some((Channel::first(port), boards.step(node, port)?))
    };
    for &node in tree.order().iter().rev() {
        if let Some((output, parent)) = parent(node) {
            let told = free[node.index()] + u64::from(latency(node, output) + REGISTERS);
            free[parent.index()] = free[parent.index()].max(told);
        }
    }
    if is_first {
        free.fill(0);
    }
    for &node in tree.order() {
        if let Some((output, parent)) = parent(node) {
            free[node.index()] =
                free[parent.index()] + u64::from(latency(parent, output.opposite()) + REGISTERS_OF_START);
        }
    }
}

/// Boards that play runs.
trait RunPlay {
    /// Plays a run that each board begins as soon as it is `free`, which is then the clock after its last tick.
    fn play(&mut self, run: u32, free: &mut [u64], watch: &dyn Fn(u64));
}

/// Boards that play one run after the other.
struct PacedBoards<'p> {
    program: &'p Program,
    links: Vec<IncomingLink>,
    /// end of each board's links
    ends: Vec<usize>,
    played: PlayTimes,
    now: Vec<u64>,
    /// the last tick, with the one of the last arrivals
    last: usize,
}

impl<'p> PacedBoards<'p> {
    fn new(program: &'p Program, boards: &Topology, last: u32, latency: &impl Fn(NodeId, Channel) -> u32) -> Self {
        let nodes = boards.nodes() as usize;
        let (mut links, mut ends) = (Vec::new(), Vec::with_capacity(nodes));
        for node in boards.node_ids() {
            for input in program.channels() {
                let there = boards.step(node, input.port).filter(|&there| there != node);
                let Some(there) = there else { continue };
                links.push(IncomingLink { there: there.0, clocks: latency(there, input.opposite()) + REGISTERS });
            }
            ends.push(links.len());
        }
        let round = THERE_AND_BACK * program.latency as usize;
        let played = PlayTimes { clocks: vec![vec![0; nodes]; round + 1] };
        Self { program, links, ends, played, now: vec![0; nodes], last: last as usize }
    }
}

impl RunPlay for PacedBoards<'_> {
    fn play(&mut self, run: u32, free: &mut [u64], watch: &dyn Fn(u64)) {
        let Self { links, ends, played, now, last, .. } = self;
        let (ahead, last) = (self.program.latency as usize, *last);
        let round = THERE_AND_BACK * ahead;
        let (mut tick, mut alike) = (1, (0, 0));
        while tick <= last {
            let sent = played.at(tick + round + 1 - ahead);
            let mut begin = 0;
            for ((now, free), &end) in now.iter_mut().zip(&mut *free).zip(&*ends) {
                let waits = links[begin..end].iter().map(|link| sent[link.there as usize] + u64::from(link.clocks));
                *now = if tick > ahead { waits.fold(*free, u64::max) } else { *free };
                *free = *now + 1;
                begin = end;
            }
            let slot = tick % (round + 1);
            std::mem::swap(&mut played.clocks[slot], now);
            watch(u64::from(run) * last as u64 + tick as u64);
            // if every board repeats a round after the same number of clocks, it does so for ever
            let later = if tick > round { played.later(tick, tick - round) } else { None };
            alike = later.map_or((0, 0), |later| if later == alike.0 { (later, alike.1 + 1) } else { (later, 1) });
            let (later, ticks) = alike;
            if ticks > round {
                let rounds = (last - tick) / round;
                let jump = rounds as u64 * later;
                played.clocks.iter_mut().for_each(|clocks| later_by(clocks, jump));
                later_by(free, jump);
                // the ticks that are left have the numbers that they would have without the jump
                played.clocks.rotate_right(rounds * round % (round + 1));
                tick += rounds * round;
                alike = (0, 0);
            }
            tick += 1;
        }
    }
}

/// Clocks from the first start to the last arrival, if each board may start at once and again and again, or the host's board starts
/// all of them as soon as they are ready.
///
/// `boards` is the network of the boards: that of the nodes, if each is a board. `latency` tells, for what a board sends by an
/// output, the clocks of the link.
pub fn clocks(
    program: &Program,
    boards: &Topology,
    start: BoardStart,
    runs: u32,
    latency: impl Fn(NodeId, Channel) -> u32,
    watch: &dyn Fn(u64),
) -> u64 {
    let tree = (start == BoardStart::Common).then(|| SpanningTree::new(boards, BoardStart::HOST));
    // one more clock than ticks, for the last arrivals
    let mut all = PacedBoards::new(program, boards, program.ticks + 1, &latency);
    let mut free = vec![0; boards.nodes() as usize];
    for run in 0..runs {
        if let Some(tree) = &tree {
            start_all(tree, boards, &latency, run == 0, &mut free);
        }
        // idle for one clock between runs
        later_by(&mut free, u64::from(OWN_WAY) + 1);
        all.play(run, &mut free, watch);
    }
    free.iter().copied().max().map_or(0, |free| free - 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::net::Torus;
    use crate::paths::supply::Switching;
    use crate::program::Title;
    use crate::schemes::staircase;

    /// The hardware in `templates/elastic/board.v` is compared with this formula by the tests that play boards.
    #[test]
    fn a_tick_takes_a_link_and_two_clocks_divided_by_the_ticks_a_board_may_be_ahead() {
        let torus = Torus::new(&[8, 8]).unwrap();
        let program = staircase::program(&torus, Switching::None, Title::new("t", "staircase")).unwrap();
        let ticks = u64::from(program.ticks);
        let flat =
            |program: &Program, link| clocks(program, &program.topology, BoardStart::Own, 1, |_, _| link, &|_| ());
        for link in [1, 7, 40] {
            assert_eq!(flat(&program, link), 4 + ticks * (u64::from(link) + 2));
        }
        let long = program.stretched(5).unwrap().on_links_of_latency(5).unwrap();
        // full speed while the link takes no longer than its slack
        assert_eq!(flat(&long, 3), 4 + u64::from(long.ticks));
        assert_eq!(flat(&long, 8), 4 + u64::from(long.ticks) / 5 * 10 + u64::from(long.ticks) % 5);
    }

    /// Every tick of every run by itself.
    fn tick_by_tick(program: &Program, runs: u32, latency: impl Fn(NodeId, Channel) -> u32) -> u64 {
        let (topology, ticks, ahead) = (&program.topology, program.ticks as usize, program.latency as usize);
        let mut played: Vec<Vec<u64>> = Vec::new();
        let mut free = vec![0; topology.nodes() as usize];
        for _ in 0..runs {
            later_by(&mut free, u64::from(OWN_WAY) + 1);
            played.clear();
            for tick in 0..=ticks {
                let comes_in = |node: NodeId, input: Channel| {
                    let there = topology.step(node, input.port)?;
                    let sent = played.get(tick.checked_sub(ahead)?)?[there.index()];
                    Some(sent + u64::from(latency(there, input.opposite()) + REGISTERS))
                };
                let waits = |node| program.channels().filter_map(|input| comes_in(node, input)).max().unwrap_or(0);
                let now: Vec<u64> = topology.node_ids().map(|node| free[node.index()].max(waits(node))).collect();
                free = now.iter().map(|clock| clock + 1).collect();
                played.push(now);
            }
        }
        *played[ticks].iter().max().unwrap()
    }

    #[test]
    fn repeated_rounds_are_not_played_again() {
        let torus = Torus::new(&[6, 8]).unwrap();
        let program = staircase::program(&torus, Switching::None, Title::new("t", "staircase")).unwrap();
        for (flits, ahead) in [(5, 1), (5, 2), (5, 5), (6, 4), (7, 3), (8, 3), (8, 5), (9, 7)] {
            let program = program.stretched(flits).unwrap().on_links_of_latency(ahead).unwrap();
            let (ticks, asked) = (u64::from(program.ticks) + 1, std::cell::Cell::new(0));
            for spread in [1, 2, 7, 30] {
                let link = |node: NodeId, output: Channel| 1 + (node.0 * 7 + output.port.index() as u32 * 3) % spread;
                let found =
                    clocks(&program, &program.topology, BoardStart::Own, 3, link, &|_| asked.set(asked.get() + 1));
                assert_eq!(found, tick_by_tick(&program, 3, link), "{ahead} ahead, links of up to {spread}");
            }
            assert!(asked.get() < 4 * 3 * ticks / 2, "{ahead} ahead: {} of {ticks} per run were played", asked.get());
        }
    }

    #[test]
    fn progress_grows_from_run_to_run() {
        let torus = Torus::new(&[4, 4]).unwrap();
        let program = staircase::program(&torus, Switching::None, Title::new("t", "staircase")).unwrap();
        let a_run = u64::from(program.ticks) + 1;
        let seen = std::cell::RefCell::new(Vec::new());
        clocks(&program, &program.topology, BoardStart::Own, 3, |node, _| 1 + node.0 % 7, &|tick| {
            seen.borrow_mut().push(tick);
        });
        let seen = seen.into_inner();
        assert!(seen.is_sorted_by(|one, next| one < next) && *seen.last().unwrap() <= 3 * a_run, "{seen:?}");
        for first in [0, a_run, 2 * a_run].map(|before| before + 1) {
            assert!(seen.contains(&first), "{first} of {seen:?}");
        }
    }

    #[test]
    fn the_slowest_pair_of_links_holds_up_all() {
        let torus = Torus::new(&[4, 4]).unwrap();
        let program = staircase::program(&torus, Switching::None, Title::new("t", "staircase")).unwrap();
        let one_slow = |node: NodeId, output: Channel| if (node.0, output.port.index()) == (5, 0) { 50 } else { 2 };
        // there and back in 52 and 4 clocks: two ticks
        assert_eq!(
            clocks(&program, &program.topology, BoardStart::Own, 1, one_slow, &|_| ()),
            4 + u64::from(program.ticks) / 2 * 56
        );
    }
}
