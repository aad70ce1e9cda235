//! Trees in which every output follows at most two inputs, so that a router chooses between two arrivals: a LUT per bit.
//!
//! Two inputs are laid down first for each output; a beam search then looks for a tree of age 1 without other turns.

use super::beam::{Beam, Effort, Follows};
use super::fold::{FoldKind, SLOTS, SearchLayout, StepArcs, TreeMove};
use super::forwarding;
use crate::net::{Port, Ports, Torus};
use crate::paths::tree::{ORIGIN, TreeArc};
use crate::threads;

/// The largest rectangle that is searched: above, it often takes seconds to find nothing.
pub const MOST_NODES: u64 = 96;

/// States kept after each step, and the seed that spreads idle slots: the cheap tries first.
const TRIES: [(usize, u64); 4] = [(50, 0), (300, 0), (300, 1), (2000, 0)];

/// A tree of age 1 on a rectangle, if one of the tries finds it.
pub fn arcs(torus: &Torus, steps: u32) -> Option<Vec<TreeArc>> {
    let fold = SearchLayout::new(torus, FoldKind::Flat);
    let first = first_step(torus);
    let turns = turns();
    TRIES.into_iter().find_map(|(width, seed)| {
        let loads = forwarding::loads(torus, &fold, steps, &[first], seed)?;
        threads::find_first(&turns, |&follows| {
            let effort = Effort { width, change: 0, ways: u32::MAX, seed, follows: Some(follows) };
            let tail = Beam::new(&fold, &[first], effort).tails(Some(first), &loads).into_iter().next()?;
            Some(forwarding::unfold(&fold, &[&[first], tail.as_slice()].concat()))
        })
    })
}

/// The origin sends by every port.
fn first_step(torus: &Torus) -> StepArcs {
    let mut step = StepArcs::default();
    for (by, taken) in torus.port_ids().zip(&mut step.moves) {
        *taken = Some(TreeMove { node: torus.neighbour(ORIGIN, by), by });
    }
    step
}

/// Every way to leave one of the three turns of each output out; of ways that are reflections of each other the first.
fn turns() -> Vec<Follows> {
    let ports = || (0..4).map(Port::from_index);
    let all = (0..81_u32).map(|number| {
        // inputs that an output never forwards: the opposite direction, and one more
        let mut follows = [Ports::default(); SLOTS];
        for by in ports() {
            let others: Vec<Port> = ports().filter(|&entered| entered != by.opposite()).collect();
            let left_out = others[(number / 3_u32.pow(by.index() as u32) % 3) as usize];
            follows[by.index()] = Ports::of(others.into_iter().filter(|&entered| entered != left_out));
        }
        follows
    });
    let mut turns: Vec<Follows> = Vec::new();
    for follows in all {
        let is_new = |axes: &[usize]| !turns.contains(&reflected(&follows, axes));
        if [&[0][..], &[1], &[0, 1]].into_iter().all(is_new) {
            turns.push(follows);
        }
    }
    turns
}

/// Copies the turns for the torus mirrored along some axes.
fn reflected(follows: &Follows, axes: &[usize]) -> Follows {
    let image = |port: Port| if axes.contains(&port.axis()) { port.opposite() } else { port };
    let mut reflected = *follows;
    for (index, follows) in follows.iter().enumerate() {
        let by = image(Port::from_index(index));
        reflected[by.index()] = Ports::of(follows.iter().map(image));
    }
    reflected
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::paths::tree::Tree;
    use crate::schemes::optimal::{bound, storeless_rectangle};

    #[test]
    fn of_81_ways_to_leave_a_turn_out_24_are_no_reflections_of_others() {
        assert_eq!(turns().len(), 24);
    }

    #[test]
    fn small_rectangles_have_trees_of_two_turns_an_output() {
        for dims in (3..=9).flat_map(|n1| (3..=9).map(move |n2| [n1, n2])) {
            if !storeless_rectangle(&dims) {
                continue;
            }
            let torus = Torus::new(&dims).unwrap();
            let arcs = arcs(&torus, bound(&dims)).unwrap_or_else(|| panic!("{dims:?}"));
            let tree = Tree::new(&torus, arcs).unwrap();
            assert_eq!((tree.steps(), tree.depth(), tree.stored()), (bound(&dims), 1, 0), "{dims:?}");
            for by in torus.port_ids() {
                let arcs = tree.arcs().iter().filter(|arc| arc.by == by);
                let followed = Ports::of(arcs.filter_map(|&arc| tree.entered(tree.parent(arc))));
                assert!(followed.iter().count() <= 2, "{dims:?}: {by} follows {followed:?}");
            }
        }
    }
}
