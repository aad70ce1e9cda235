//! How fast boards are that wait for each other: when each plays which tick, if links take so many clocks.
//!
//! A board plays a tick in the clock after the last one, or as soon as it has what every neighbour sent a latency of the
//! program ago: a link later than that was played, and two registers. Nothing else holds it up.

use crate::net::{Channel, NodeId};
use crate::netlist::OWN_WAY;
use crate::program::Program;

/// Registers between two boards beside their link: at the output, and where it waits.
const REGISTERS: u64 = 2;

/// Clocks from the first start to the last arrival, if all boards may start at once and again and again.
///
/// `latency` tells, for what a node sends by an output, the clocks of the link.
pub fn clocks(program: &Program, runs: u32, latency: impl Fn(NodeId, Channel) -> u32) -> u64 {
    let topology = &program.topology;
    // for each node, where what comes in is from, and how long that takes
    let comes_in = |node: NodeId| {
        let links = program.channels().filter_map(move |input| {
            let there = topology.neighbour(node, input.port)?;
            Some((there, input.opposite()))
        });
        links.map(|(there, output)| (there.index(), u64::from(latency(there, output)) + REGISTERS)).collect()
    };
    let links: Vec<Vec<(usize, u64)>> = topology.node_ids().map(comes_in).collect();
    let ahead = program.latency as usize;
    // when each node played each of the last few ticks, the latest first
    let mut begun = vec![0_u64; links.len()];
    let mut last = 0;
    for _ in 0..runs {
        let mut played = vec![vec![0_u64; links.len()]; ahead];
        let mut free: Vec<u64> = begun.iter().map(|start| start + u64::from(OWN_WAY) + 1).collect();
        // in one more than there are ticks the last arrivals are looked at
        for tick in 1..=program.ticks as usize + 1 {
            let sent = &played[tick % ahead];
            let holds = |node: usize| links[node].iter().map(|&(there, clocks)| sent[there] + clocks).max();
            let waits = |node: usize| if tick > ahead { holds(node).unwrap_or(0) } else { 0 };
            let now: Vec<u64> = (0..links.len()).map(|node| free[node].max(waits(node))).collect();
            free = now.iter().map(|clock| clock + 1).collect();
            played[tick % ahead] = now;
        }
        last = played[(program.ticks as usize + 1) % ahead].iter().copied().max().unwrap_or(0);
        // it rests for a clock
        begun = free;
    }
    last
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::net::Torus;
    use crate::paths::supply::Switching;
    use crate::program::Title;
    use crate::schemes::staircase;

    /// What is written in `templates/elastic/board.v` is compared with this by the tests that play boards.
    #[test]
    fn a_tick_takes_a_link_and_two_clocks_divided_by_the_ticks_a_board_may_be_ahead() {
        let torus = Torus::new(&[8, 8]).unwrap();
        let program = staircase::program(&torus, Switching::None, Title::new("t", "staircase")).unwrap();
        let ticks = u64::from(program.ticks);
        let flat = |program: &Program, link| clocks(program, 1, |_, _| link);
        for link in [1, 7, 40] {
            assert_eq!(flat(&program, link), 4 + ticks * (u64::from(link) + 2));
        }
        let long = program.stretched(5).unwrap().on_links_of_latency(5).unwrap();
        // as fast as it can be while the link takes no longer than it may
        assert_eq!(flat(&long, 3), 4 + u64::from(long.ticks));
        assert_eq!(flat(&long, 8), 4 + u64::from(long.ticks) / 5 * 10 + u64::from(long.ticks) % 5);
    }

    #[test]
    fn the_slowest_pair_of_links_holds_up_all() {
        let torus = Torus::new(&[4, 4]).unwrap();
        let program = staircase::program(&torus, Switching::None, Title::new("t", "staircase")).unwrap();
        let one_slow = |node: NodeId, output: Channel| if (node.0, output.port.index()) == (5, 0) { 50 } else { 2 };
        // there and back in 52 and 4 clocks: two ticks
        assert_eq!(clocks(&program, 1, one_slow), 4 + u64::from(program.ticks) / 2 * 56);
    }
}
