//! Trees in which a packet moves on in the step after it came in, or never again from there: next to no store.
//!
//! A closed form takes care of the bulk in two dimensions: two threads that wind up like a helix, or on squares the arms
//! of the pinwheel. A beam search finds the rest, or all of it.

use super::beam::{Beam, Effort};
use super::fold::{FoldKind, SearchLayout, StepArcs, TreeMove};
use super::{helix, pinwheel};
use crate::net::splitmix::Splitmix;
use crate::net::{NodeId, Port, Torus};
use crate::paths::tree::{ORIGIN, TreeArc};

/// Steps near the end among which idle slots may be spread.
const SPREAD: usize = 5;

/// Part of the tree that is built before the search begins.
#[derive(Clone, Copy)]
enum Bulk {
    Nothing,
    /// A helix around an axis up to so many rows before the middle.
    Helix {
        wind: usize,
        rows: u32,
    },
    /// The pinwheel without its last steps.
    Pinwheel {
        left: u32,
    },
}

/// Parameters of one try.
#[derive(Clone, Copy)]
struct ForwardingAttempt {
    bulk: Bulk,
    effort: Effort,
}

/// Effort of a search before it gives up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Patience {
    /// The few tries that succeed most often.
    Short,
    /// Long search with every try.
    Long,
}

/// The tries, the cheap ones first.
fn attempts(torus: &Torus, kind: FoldKind, patience: Patience) -> Vec<ForwardingAttempt> {
    let wind = wind(torus, kind);
    let helices = [1, 2, 3, 4, 6].map(|rows| Bulk::Helix { wind, rows });
    let plane: &[(usize, i64)] = &[(300, 100), (300, 0), (2000, 0)];
    let (bulks, efforts, seeds): (Vec<Bulk>, &[(usize, i64)], u64) = match (torus.dims(), patience) {
        ([n1, n2], Patience::Long) if n1 == n2 => {
            let pinwheels = [1, 2].map(|turns| Bulk::Pinwheel { left: turns * (n1 / 2 + 1) });
            ([pinwheels.as_slice(), &helices].concat(), plane, 3)
        }
        ([_, _], Patience::Long) => (helices.into(), plane, 3),
        ([_, _], Patience::Short) => (helices[..3].into(), &plane[..2], 1),
        _ => (vec![Bulk::Nothing], &[(30, 0), (100, 0), (400, 0)], 6),
    };
    // in a box there are hundreds of ways, and a random few of them do as well
    let ways = if torus.axes() == 2 { 500 } else { 60 };
    let mut attempts = Vec::new();
    for &(width, change) in efforts {
        for &bulk in &bulks {
            attempts.extend(
                (0..seeds).map(|seed| ForwardingAttempt {
                    bulk,
                    effort: Effort { width, change, ways, seed, follows: None },
                }),
            );
        }
    }
    attempts
}

/// The axis around which the helix winds: the shorter one leaves the search less to do.
///
/// Without a store the node half way around, (n/2, 0), is taken as the helix passes it, at step n/2, while the opposite
/// port is idle. An odd side has no such node. If both are even, odd steps have no idle slot: n/2 must be even.
fn wind(torus: &Torus, kind: FoldKind) -> usize {
    let hinders = |axis: &usize| match kind {
        FoldKind::Mirrored => 0,
        FoldKind::Flat => [0, 2, 1, 2][torus.side(*axis) as usize % 4],
    };
    let shorter = |axis: &usize| torus.side(*axis);
    (0..2).min_by_key(|axis| (hinders(axis), shorter(axis))).unwrap_or(0)
}

/// A tree whose packets never wait, except at most those for the nodes that the fold leaves over (none if the search is
/// flat or all sides are odd), if one of the tries finds it.
pub fn arcs(torus: &Torus, steps: u32, kind: FoldKind, patience: Patience) -> Option<Vec<TreeArc>> {
    let fold = SearchLayout::new(torus, kind);
    attempts(torus, kind, patience).into_iter().find_map(|attempt| run(torus, &fold, steps, attempt))
}

fn run(torus: &Torus, fold: &SearchLayout, steps: u32, attempt: ForwardingAttempt) -> Option<Vec<TreeArc>> {
    let bulk = bulk(torus, fold, attempt.bulk);
    let loads = loads(torus, fold, steps, &bulk, attempt.effort.seed)?;
    let tails = Beam::new(fold, &bulk, attempt.effort).tails(bulk.last().copied(), &loads);
    let trees = tails.into_iter().filter_map(|tail| complete(fold, &[bulk.as_slice(), &tail].concat()));
    trees.min_by_key(|(_, stored)| *stored).map(|(arcs, _)| arcs)
}

/// The steps before the search.
fn bulk(torus: &Torus, fold: &SearchLayout, bulk: Bulk) -> Vec<StepArcs> {
    match (bulk, fold.kind) {
        (Bulk::Nothing, _) => Vec::new(),
        (Bulk::Helix { wind, rows }, FoldKind::Mirrored) => helix::steps(torus, fold, wind, rows, false),
        (Bulk::Helix { wind, rows }, FoldKind::Flat) => {
            let mirrored = SearchLayout::new(torus, FoldKind::Mirrored);
            refold(fold, &unfold(&mirrored, &helix::steps(torus, &mirrored, wind, rows, true)))
        }
        (Bulk::Pinwheel { left }, _) => {
            let mut steps = refold(fold, &pinwheel::arms(torus));
            steps.truncate(steps.len().saturating_sub(left as usize));
            steps
        }
    }
}

/// The arcs of searched steps, each with its twin.
pub fn unfold(fold: &SearchLayout, steps: &[StepArcs]) -> Vec<TreeArc> {
    let mut arcs = Vec::with_capacity(fold.nodes());
    for (step, time) in steps.iter().zip(1..) {
        for TreeMove { node, by } in step.taken() {
            arcs.push(TreeArc { time, by, node });
            if fold.twin(node) != node {
                arcs.push(TreeArc { time, by: by.opposite(), node: fold.twin(node) });
            }
        }
    }
    arcs
}

/// The steps of arcs that come in the order of time; of twins the last one stays.
fn refold(fold: &SearchLayout, arcs: &[TreeArc]) -> Vec<StepArcs> {
    let mut steps = vec![StepArcs::default(); arcs.last().map_or(0, |arc| arc.time as usize)];
    for &TreeArc { time, by, node } in arcs {
        steps[time as usize - 1].moves[fold.slot(by)] = Some(TreeMove { node, by });
    }
    steps
}

/// Number of arcs in each step after the bulk: as many as there are slots, fewer near the end.
///
/// If all sides are even, a packet that never waits reaches at odd steps the nodes of odd coordinate sum, so the numbers
/// of odd and even nodes decide how many slots stay idle at odd and even steps.
pub fn loads(torus: &Torus, fold: &SearchLayout, steps: u32, bulk: &[StepArcs], seed: u64) -> Option<Vec<usize>> {
    let slots = fold.slots();
    let first = bulk.len() as u32 + 1;
    let mut loads = vec![slots; (steps + 1).checked_sub(first)? as usize];
    let taken = |time: u32| bulk.get(time as usize - 1).map_or(slots, |step| step.taken().count());
    if torus.dims().iter().all(|side| side.is_multiple_of(2)) {
        let sum = |node: NodeId| torus.coords(node).iter().sum::<u32>() % 2;
        let odd = fold.searched().filter(|&node| sum(node) == 1).count();
        for (parity, nodes) in [(0, fold.searched().count() - odd), (1, odd)] {
            let times = (1..=steps).rev().filter(|time| time % 2 == parity);
            let mut idle = times.clone().map(taken).sum::<usize>().checked_sub(nodes)?;
            // all of a step's arcs, or half of them
            let most = if seed.is_multiple_of(2) { slots } else { slots.div_ceil(2) };
            for time in times.take_while(|&time| time >= first) {
                let cut = idle.min(most);
                loads[(time - first) as usize] -= cut;
                idle -= cut;
            }
            if idle > 0 {
                return None;
            }
        }
        return Some(loads);
    }
    let mut idle = (1..=steps).map(taken).sum::<usize>().checked_sub(fold.searched().count())?;
    if idle > loads.len() * slots {
        return None;
    }
    let mut random = Splitmix(seed);
    let spread = SPREAD.min(loads.len());
    let mut back = 0;
    while idle > 0 {
        let load = &mut loads[steps as usize - bulk.len() - 1 - back];
        // seed 0 idles as late as possible, the others spread the idle slots
        let most = idle.min(*load);
        let cut = if seed == 0 { most } else { most.min(random.below(slots as u32 + 1) as usize) };
        *load -= cut;
        idle -= cut;
        back = (back + 1) % spread;
    }
    Some(loads)
}

/// The whole tree, and how many of its arcs read the store: twins, and what the fold leaves over in idle slots.
fn complete(fold: &SearchLayout, steps: &[StepArcs]) -> Option<(Vec<TreeArc>, usize)> {
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
