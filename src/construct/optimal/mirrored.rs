//! Trees that need next to no store: a half tree in which every packet moves on at once, and its mirror image.
//!
//! In two dimensions a helix takes care of the bulk; a beam search finds the rest. The nodes with v = -v (at most
//! 2^d - 1, none if all sides are odd) go into the slots that are left near the end, from the store where need be.

use super::beam::{Beam, Effort};
use super::half::{Mirror, Step};
use super::helix;
use super::splitmix::Splitmix;
use crate::torus::{NodeId, Port, Torus};
use crate::tree::{ORIGIN, TreeArc};

/// Steps near the end among which idle slots may be spread.
const SPREAD: u32 = 5;

/// One try: how many rows the helix leaves to the search on each side of the middle, and the search's effort.
#[derive(Clone, Copy)]
struct Attempt {
    rows: u32,
    effort: Effort,
}

/// The tries, the cheap ones first.
fn attempts(axes: usize) -> Vec<Attempt> {
    let rows: &[u32] = if axes == 2 { &[1, 2, 3, 4, 6] } else { &[0] };
    let efforts: &[(usize, i64)] = if axes == 2 { &[(300, 100), (300, 0), (3000, 0)] } else { &[(100, 300), (400, 0)] };
    let seeds = if axes == 2 { 3 } else { 8 };
    let mut attempts = Vec::new();
    for &(width, change) in efforts {
        for &rows in rows {
            attempts.extend((0..seeds).map(|seed| Attempt { rows, effort: Effort { width, change, seed } }));
        }
    }
    attempts
}

/// A tree of `steps` steps with an age other than 1 for self-inverse nodes only, if one of the tries finds it.
pub fn arcs(torus: &Torus, steps: u32) -> Option<Vec<TreeArc>> {
    let mirror = Mirror::new(torus);
    attempts(torus.axes()).into_iter().find_map(|attempt| run(torus, &mirror, steps, attempt))
}

fn run(torus: &Torus, mirror: &Mirror, steps: u32, attempt: Attempt) -> Option<Vec<TreeArc>> {
    let bulk = if torus.axes() == 2 { helix::steps(torus, mirror, attempt.rows) } else { Vec::new() };
    let loads = loads(torus, mirror, steps, attempt.effort.seed)?;
    let (first, tail) = loads.split_at_checked(bulk.len())?;
    if first.iter().any(|&load| load < torus.axes()) {
        return None;
    }
    let tails = Beam::new(mirror, torus.axes(), &bulk, attempt.effort).tails(bulk.last().copied(), tail);
    let trees = tails.into_iter().filter_map(|tail| complete(torus, mirror, &[bulk.as_slice(), &tail].concat()));
    trees.min_by_key(|(_, stored)| *stored).map(|(arcs, _)| arcs)
}

/// How many arcs of the half tree each step takes: as many as there are axes, fewer near the end.
///
/// If all sides are even, a packet that never waits reaches at odd steps the nodes of odd coordinate sum, so the numbers
/// of odd and even nodes decide how many slots stay idle at odd and even steps.
fn loads(torus: &Torus, mirror: &Mirror, steps: u32, seed: u64) -> Option<Vec<usize>> {
    let axes = torus.axes();
    let mut loads = vec![axes; steps as usize];
    let pairs = |parity: u32| {
        let sum = |node: NodeId| torus.coords(node).iter().map(|x| x % 2).sum::<u32>() % 2;
        mirror.pairs().filter(|&node| sum(node) == parity).count()
    };
    if torus.dims().iter().all(|side| side.is_multiple_of(2)) {
        for parity in [0, 1] {
            let times = (1..=steps).rev().filter(|time| time % 2 == parity);
            let mut idle = (times.clone().count() * axes).checked_sub(pairs(parity))?;
            // all of a step's arcs, or half of them
            let most = if seed.is_multiple_of(2) { axes } else { axes.div_ceil(2) };
            for time in times {
                let cut = idle.min(most);
                loads[time as usize - 1] -= cut;
                idle -= cut;
            }
        }
        return Some(loads);
    }
    let mut idle = (loads.len() * axes).checked_sub(mirror.pairs().count())?;
    let mut random = Splitmix(seed);
    let mut time = steps;
    while idle > 0 {
        let load = &mut loads[time as usize - 1];
        // seed 0 idles as late as possible, the others spread the idle slots
        let most = idle.min(*load);
        let cut = if seed == 0 { most } else { most.min(random.below(axes as u32 + 1) as usize) };
        *load -= cut;
        idle -= cut;
        time = if time == 1 || time + SPREAD == steps + 1 { steps } else { time - 1 };
    }
    Some(loads)
}

/// The whole tree, and how many of its arcs read the store: the half tree, its mirror image, and the self-inverse nodes
/// in slots that are idle.
fn complete(torus: &Torus, mirror: &Mirror, steps: &[Step]) -> Option<(Vec<TreeArc>, usize)> {
    let mut arcs = Vec::with_capacity(torus.nodes() as usize);
    let mut arrival = vec![u32::MAX; torus.nodes() as usize];
    arrival[ORIGIN.index()] = 0;
    let mut idle = Vec::new();
    for (step, time) in steps.iter().zip(1..) {
        for (axis, arc) in step.moves.iter().enumerate().take(torus.axes()) {
            let Some(arc) = arc else {
                idle.extend([Port::minus(axis), Port::plus(axis)].map(|by| (time, by)));
                continue;
            };
            for (node, by) in [(arc.node, arc.by), (mirror.inverse(arc.node), arc.by.opposite())] {
                arrival[node.index()] = time;
                arcs.push(TreeArc { time, by, node });
            }
        }
    }
    let left: Vec<NodeId> = mirror.self_inverse().collect();
    let age = |node: NodeId, (time, by): (u32, Port)| {
        let parent = mirror.neighbour(node, by.opposite());
        time.checked_sub(arrival[parent.index()])
            .filter(|&age| age > 0)
            .map(|age| if parent == ORIGIN { 1 } else { age })
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
