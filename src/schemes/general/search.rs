//! The tries of the orbit greedy: three orders of preference, two reaches and many seeds, until one is at the bound.

use super::frame::OrbitFrame;
use super::greedy::{self, GreedySchedule, GreedySettings, Keys};
use crate::task::Task;

/// The most tries on a network.
const TRIES: u64 = 60;
/// The most tries where branches are limited: the bound knows nothing of that, and no try ends the search.
const LIMITED_TRIES: u64 = 12;
/// Fewest tries on a large network: one with each order.
const FEWEST: u64 = 3;
/// Outputs times ticks that all tries of a kind may look at together.
const MOST_WORK: u64 = 1 << 26;
/// Read ports of a node's memory where nothing else is asked for and as many do.
pub const READS: u32 = 2;

/// A schedule and for whom it is.
#[derive(Debug)]
pub struct FoundSchedule {
    /// Frame of representatives.
    pub frame: OrbitFrame,
    /// Schedule of the representatives.
    pub schedule: GreedySchedule,
}

/// The best schedule that the tries find: as few ticks as possible, then as few reads per node and tick as possible. None only
/// if branches are limited: without a limit a greedy ends on every connected network.
pub fn best(task: &Task, bound: u32) -> Option<FoundSchedule> {
    let network = task.topology;
    let by_orbit = OrbitFrame::by_orbit(network);
    let is_symmetric = !by_orbit.is_plain();
    let mut best = tries(by_orbit, task, bound, None);
    let is_at_bound = |found: &Option<FoundSchedule>| found.as_ref().is_some_and(|found| found.schedule.ticks <= bound);
    let is_worth_it = best.is_none() || task.choice.branches.is_none();
    if is_symmetric && is_worth_it && !is_at_bound(&best) {
        let by_node = OrbitFrame::by_node(network);
        if by_node.orbits() <= MOST_PLAIN {
            let limit = best.as_ref().map(|found| found.schedule.ticks - 1);
            best = tries(by_node, task, bound, limit).or(best);
        }
    }
    best
}

/// Largest network that is tried once more without its symmetry.
const MOST_PLAIN: usize = 1 << 12;

/// The best of the tries: with a few reads first, then with as many as it takes unless they are limited.
fn tries(frame: OrbitFrame, task: &Task, bound: u32, limit: Option<u32>) -> Option<FoundSchedule> {
    let (latency, branches, reads) = (task.link.latency, task.choice.branches, task.choice.reads);
    let kinds = if reads.is_some() { vec![reads] } else { vec![Some(READS), None] };
    let work = frame.orbits() as u64 * frame.ports as u64 * u64::from(bound.max(1));
    let most = (MOST_WORK / work).clamp(FEWEST, if branches.is_some() { LIMITED_TRIES } else { TRIES });
    let mut limit = limit.unwrap_or(u32::MAX);
    let mut best = None;
    for (reads, number) in kinds.into_iter().flat_map(|reads| (0..most).map(move |number| (reads, number))) {
        let keys = [Keys::StraightYoung, Keys::Rare, Keys::StraightRare][number as usize % 3];
        let reach = if number / 3 % 2 == 0 { 8 } else { 64 };
        let set = GreedySettings { keys, reach, seed: 1 + number / 6, reads, branches, latency, limit };
        if let Some(schedule) = greedy::run(&frame, set) {
            limit = schedule.ticks - 1;
            let is_done = schedule.ticks <= bound;
            best = Some(schedule);
            if is_done {
                break;
            }
        }
    }
    best.map(|schedule| FoundSchedule { frame, schedule })
}
