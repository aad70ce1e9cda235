//! Trees in which a packet moves on in the step after it came in, or never again from there: next to no store.
//!
//! A closed form takes care of the bulk in two dimensions: two threads that wind up like a helix, or on squares the arms
//! of the pinwheel. A beam search finds the rest, or all of it.

use super::beam::{Beam, Effort};
use super::fold::{Fold, Kind, Move, Step};
use super::splitmix::Splitmix;
use super::{helix, pinwheel};
use crate::torus::{NodeId, Port, Torus};
use crate::tree::{ORIGIN, TreeArc};

/// Steps near the end among which idle slots may be spread.
const SPREAD: u32 = 5;

/// What is built before the search begins.
#[derive(Clone, Copy)]
enum Bulk {
    Nothing,
    /// A helix up to so many rows before the middle.
    Helix {
        rows: u32,
    },
    /// The pinwheel without its last steps.
    Pinwheel {
        left: u32,
    },
}

/// One try.
#[derive(Clone, Copy)]
struct Attempt {
    bulk: Bulk,
    effort: Effort,
}

/// The tries, the cheap ones first.
fn attempts(torus: &Torus, kind: Kind) -> Vec<Attempt> {
    let flat = kind == Kind::Flat;
    let (bulks, efforts, seeds): (Vec<Bulk>, &[(usize, i64)], u64) = match torus.dims() {
        [n1, n2] if n1 == n2 && flat => (
            vec![1, 2, 3, 4, 6].into_iter().map(|turns| Bulk::Pinwheel { left: turns * (n1 / 2 + 1) }).collect(),
            &[(300, 100), (300, 0), (2000, 0)],
            3,
        ),
        [_, _] => (
            vec![1, 2, 3, 4, 6].into_iter().map(|rows| Bulk::Helix { rows }).collect(),
            &[(300, 100), (300, 0), (2000, 0)],
            3,
        ),
        _ => (vec![Bulk::Nothing], &[(30, 0), (100, 0), (400, 0)], 6),
    };
    let mut attempts = Vec::new();
    for &(width, change) in efforts {
        for &bulk in &bulks {
            attempts.extend((0..seeds).map(|seed| Attempt { bulk, effort: Effort { width, change, seed } }));
        }
    }
    attempts
}

/// A tree whose packets never wait, except at most those for the nodes that the fold leaves over (none if the search is
/// flat or all sides are odd), if one of the tries finds it.
pub fn arcs(torus: &Torus, steps: u32, kind: Kind) -> Option<Vec<TreeArc>> {
    let fold = Fold::new(torus, kind);
    attempts(torus, kind).into_iter().find_map(|attempt| run(torus, &fold, steps, attempt))
}

fn run(torus: &Torus, fold: &Fold, steps: u32, attempt: Attempt) -> Option<Vec<TreeArc>> {
    let bulk = bulk(torus, fold, attempt.bulk);
    let loads = loads(torus, fold, steps, attempt.effort.seed)?;
    let (first, tail) = loads.split_at_checked(bulk.len())?;
    if first.iter().any(|&load| load < fold.slots()) {
        return None;
    }
    let tails = Beam::new(fold, &bulk, attempt.effort).tails(bulk.last().copied(), tail);
    let trees = tails.into_iter().filter_map(|tail| complete(fold, &[bulk.as_slice(), &tail].concat()));
    trees.min_by_key(|(_, stored)| *stored).map(|(arcs, _)| arcs)
}

/// The steps before the search.
fn bulk(torus: &Torus, fold: &Fold, bulk: Bulk) -> Vec<Step> {
    match (bulk, fold.kind) {
        (Bulk::Nothing, _) => Vec::new(),
        (Bulk::Helix { rows }, Kind::Mirrored) => helix::steps(torus, fold, rows),
        (Bulk::Helix { rows }, Kind::Flat) => {
            let mirrored = Fold::new(torus, Kind::Mirrored);
            refold(fold, &unfold(&mirrored, &helix::steps(torus, &mirrored, rows)))
        }
        (Bulk::Pinwheel { left }, _) => {
            let mut steps = refold(fold, &pinwheel::arms(torus));
            steps.truncate(steps.len().saturating_sub(left as usize));
            steps
        }
    }
}

/// The arcs of searched steps, each with its twin.
fn unfold(fold: &Fold, steps: &[Step]) -> Vec<TreeArc> {
    let mut arcs = Vec::with_capacity(fold.nodes());
    for (step, time) in steps.iter().zip(1..) {
        for Move { node, by } in step.taken() {
            arcs.push(TreeArc { time, by, node });
            if fold.kind == Kind::Mirrored {
                arcs.push(TreeArc { time, by: by.opposite(), node: fold.twin(node) });
            }
        }
    }
    arcs
}

/// The steps of arcs that come in the order of time; of twins the last one stays.
fn refold(fold: &Fold, arcs: &[TreeArc]) -> Vec<Step> {
    let mut steps = vec![Step::default(); arcs.last().map_or(0, |arc| arc.time as usize)];
    for &TreeArc { time, by, node } in arcs {
        steps[time as usize - 1].moves[fold.slot(by)] = Some(Move { node, by });
    }
    steps
}

/// How many arcs each step of the search takes: as many as there are slots, fewer near the end.
///
/// If all sides are even, a packet that never waits reaches at odd steps the nodes of odd coordinate sum, so the numbers
/// of odd and even nodes decide how many slots stay idle at odd and even steps.
fn loads(torus: &Torus, fold: &Fold, steps: u32, seed: u64) -> Option<Vec<usize>> {
    let slots = fold.slots();
    let mut loads = vec![slots; steps as usize];
    if torus.dims().iter().all(|side| side.is_multiple_of(2)) {
        let sum = |node: NodeId| torus.coords(node).iter().sum::<u32>() % 2;
        let odd = fold.searched().filter(|&node| sum(node) == 1).count();
        for (parity, nodes) in [(0, fold.searched().count() - odd), (1, odd)] {
            let times = (1..=steps).rev().filter(|time| time % 2 == parity);
            let mut idle = (times.clone().count() * slots).checked_sub(nodes)?;
            // all of a step's arcs, or half of them
            let most = if seed.is_multiple_of(2) { slots } else { slots.div_ceil(2) };
            for time in times {
                let cut = idle.min(most);
                loads[time as usize - 1] -= cut;
                idle -= cut;
            }
        }
        return Some(loads);
    }
    let mut idle = (loads.len() * slots).checked_sub(fold.searched().count())?;
    let mut random = Splitmix(seed);
    let mut time = steps;
    while idle > 0 {
        let load = &mut loads[time as usize - 1];
        // seed 0 idles as late as possible, the others spread the idle slots
        let most = idle.min(*load);
        let cut = if seed == 0 { most } else { most.min(random.below(slots as u32 + 1) as usize) };
        *load -= cut;
        idle -= cut;
        time = if time == 1 || time + SPREAD == steps + 1 { steps } else { time - 1 };
    }
    Some(loads)
}

/// The whole tree, and how many of its arcs read the store: twins, and what the fold leaves over in idle slots.
fn complete(fold: &Fold, steps: &[Step]) -> Option<(Vec<TreeArc>, usize)> {
    let mut arcs = unfold(fold, steps);
    let left: Vec<NodeId> = fold.left_over().collect();
    if left.is_empty() {
        return Some((arcs, 0));
    }
    let mut arrival = vec![u32::MAX; fold.nodes()];
    arrival[ORIGIN.index()] = 0;
    for arc in &arcs {
        arrival[arc.node.index()] = arc.time;
    }
    let mut idle = Vec::new();
    for (step, time) in steps.iter().zip(1..) {
        let slots = (0..fold.slots()).filter(|&slot| step.moves[slot].is_none());
        idle.extend(slots.flat_map(|slot| fold.ports(slot)).map(|by| (time, by)));
    }
    let age = |node: NodeId, (time, by): (u32, Port)| {
        let parent = fold.neighbour(node, by.opposite());
        let age = time.checked_sub(arrival[parent.index()]).filter(|&age| age > 0)?;
        // the origin keeps its own packet
        Some(if parent == ORIGIN { 1 } else { age })
    };
    let slot_of = assign(&left, &idle, age)?;
    let mut stored = 0;
    for (&node, slot) in left.iter().zip(slot_of) {
        let (time, by) = idle[slot];
        stored += usize::from(age(node, idle[slot]) != Some(1));
        arcs.push(TreeArc { time, by, node });
    }
    Some((arcs, stored))
}

/// A slot for each node, as many as can be with age 1, by augmenting paths; none if some node goes without.
fn assign(
    nodes: &[NodeId],
    slots: &[(u32, Port)],
    age: impl Fn(NodeId, (u32, Port)) -> Option<u32>,
) -> Option<Vec<usize>> {
    let mut taker: Vec<Option<usize>> = vec![None; slots.len()];
    for oldest in [1, u32::MAX] {
        let fits = |node: usize, slot: usize| age(nodes[node], slots[slot]).is_some_and(|age| age <= oldest);
        for node in 0..nodes.len() {
            if !taker.contains(&Some(node)) {
                augment(node, &mut taker, &mut vec![false; slots.len()], &fits);
            }
        }
    }
    (0..nodes.len()).map(|node| taker.iter().position(|&taken| taken == Some(node))).collect()
}

/// Finds a slot for a node, moving others to new slots where need be.
fn augment(node: usize, taker: &mut [Option<usize>], tried: &mut [bool], fits: &impl Fn(usize, usize) -> bool) -> bool {
    for slot in 0..taker.len() {
        if tried[slot] || !fits(node, slot) {
            continue;
        }
        tried[slot] = true;
        if taker[slot].is_none_or(|other| augment(other, taker, tried, fits)) {
            taker[slot] = Some(node);
            return true;
        }
    }
    false
}
