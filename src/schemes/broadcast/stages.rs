//! `worm` and `worm-free`: Wang and Tseng's stages. In each, the message spreads along a line of copies of what holds it, (2k+1)-fold a step.

use super::worms::{AxisLeg, WormBuilder, WormSteps};
use crate::net::{Around, NodeId, Topology};

/// One copy of the holders sends to the place of another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct CopySend {
    from: i32,
    to: i32,
    row: usize,
}

/// Steps that fill a line of n copies from its middle, if a copy reaches `rows` others on either side.
///
/// A segment's own part and the blocks cut off on either side, as long as it, are the segments of the next step.
fn fill(n: u32, rows: usize) -> Vec<Vec<CopySend>> {
    let n = n as i32;
    let low = -((n - 1) / 2);
    let mut segments = vec![(low, low + n - 1)];
    let mut steps = Vec::new();
    while segments.iter().any(|&(a, b)| a < b) {
        let (mut step, mut next) = (Vec::new(), Vec::new());
        for (a, b) in segments {
            let length = b - a + 1;
            if length == 1 {
                next.push((a, b));
                continue;
            }
            let holder = middle(a, b);
            let block = length.unsigned_abs().div_ceil(2 * rows as u32 + 1) as i32;
            let own = (a.max(holder - (block - 1) / 2), b.min(holder + block - 1 - (block - 1) / 2));
            next.push(own);
            let mut send = |row, (x, y)| {
                step.push(CopySend { from: holder, to: middle(x, y), row });
                next.push((x, y));
            };
            let (mut above, mut below) = (own.1 + 1, own.0 - 1);
            for row in 0..rows {
                if above <= b {
                    send(row, (above, b.min(above + block - 1)));
                    above += block;
                }
                if below >= a {
                    send(row, (a.max(below - block + 1), below));
                    below -= block;
                }
            }
        }
        segments = next;
        steps.push(step);
    }
    steps
}

fn middle(a: i32, b: i32) -> i32 {
    a + (b - a) / 2
}

/// Hops of a worm along an axis for moving the message on by `by` copies.
#[derive(Clone, Copy, Debug)]
enum WormReach {
    /// Fixed number of hops per copy.
    Each(i32),
    /// One hop in all, in the direction of the copy.
    One,
}

/// The legs of a worm, in the order in which it takes them.
type LegSequence = Vec<(usize, WormReach)>;

/// Set of nodes that hold the message: copies of a base set, each moved by an offset.
struct NodeCopies<'a> {
    around: Around<'a>,
    builder: WormBuilder<'a>,
    /// the nodes of a copy, relative to where it is
    set: Vec<Vec<i32>>,
}

impl<'a> NodeCopies<'a> {
    fn new(topology: &'a Topology, root: NodeId) -> Self {
        let set = vec![vec![0; topology.axes()]];
        Self { around: Around::new(topology, root), builder: WormBuilder::new(topology, root), set }
    }

    fn legs(&self, row: &LegSequence, by: i32) -> Vec<AxisLeg> {
        let leg = |&(axis, reach): &(usize, WormReach)| {
            let side = self.around.topology().side(axis) as i32;
            let hops = match reach {
                WormReach::Each(hops) => hops * by,
                WormReach::One => by.signum(),
            };
            (axis, hops % side)
        };
        row.iter().map(leg).filter(|&(_, hops)| hops != 0).collect()
    }

    /// Fills a line of `n` copies, by these rows; where each copy is then.
    fn fill(&mut self, n: u32, rows: &[LegSequence]) -> Vec<(i32, Vec<i32>)> {
        let axes = self.around.topology().axes();
        let mut places = vec![(0, vec![0; axes])];
        for step in fill(n, rows.len()) {
            let mut worms = Vec::new();
            for CopySend { from, to, row } in step {
                let place = places.iter().find(|(copy, _)| *copy == from).expect("a copy sends what it has").1.clone();
                let legs = self.legs(&rows[row], to - from);
                worms.extend(self.copies(&place, &legs));
                places.push((to, moved(&place, &legs)));
            }
            self.builder.step(worms);
        }
        places
    }

    /// Every node of the copy at a place, with the legs of its worm.
    fn copies(&self, place: &[i32], legs: &[AxisLeg]) -> Vec<(NodeId, Vec<AxisLeg>)> {
        let node = |of: &Vec<i32>| self.around.node(&of.iter().zip(place).map(|(a, b)| a + b).collect::<Vec<_>>());
        self.set.iter().map(|of| (node(of), legs.to_vec())).collect()
    }

    /// One step in which every copy moves as told, its nodes all alike.
    fn align(&mut self, places: &mut [(i32, Vec<i32>)], target: impl Fn(i32, &[i32]) -> Vec<i32>) {
        let mut worms = Vec::new();
        for (copy, place) in places {
            let legs: Vec<AxisLeg> = self.short(&target(*copy, place));
            if !legs.is_empty() {
                worms.extend(self.copies(place, &legs));
                *place = moved(place, &legs);
            }
        }
        self.builder.step(worms);
    }

    /// Legs along each axis, the short way.
    fn short(&self, by: &[i32]) -> Vec<AxisLeg> {
        let leg = |(axis, &by): (usize, &i32)| {
            let side = self.around.topology().side(axis) as i32;
            let by = by.rem_euclid(side);
            (axis, if 2 * by <= side { by } else { by - side })
        };
        by.iter().enumerate().map(leg).filter(|&(_, hops)| hops != 0).collect()
    }

    /// All copies together are the set of the next stage.
    fn join(&mut self, places: &[(i32, Vec<i32>)]) {
        let add = |place: &Vec<i32>, of: &Vec<i32>| {
            let sum = place.iter().zip(of).enumerate();
            sum.map(|(axis, (a, b))| (a + b).rem_euclid(self.around.topology().side(axis) as i32)).collect::<Vec<_>>()
        };
        let mut set: Vec<Vec<i32>> =
            places.iter().flat_map(|(_, place)| self.set.iter().map(move |of| add(place, of))).collect();
        set.sort_unstable();
        set.dedup();
        self.set = set;
    }
}

fn moved(place: &[i32], legs: &[AxisLeg]) -> Vec<i32> {
    let mut place = place.to_vec();
    for &(axis, hops) in legs {
        place[axis] += hops;
    }
    place
}

/// The paper's worms, along axis 0 first. All sides equal, or two of which one divides the other.
pub fn ordered(topology: &Topology, root: NodeId) -> WormSteps {
    let dims = topology.dims();
    let mut spread = NodeCopies::new(topology, root);
    if dims.iter().all(|side| *side == dims[0]) {
        square(&mut spread, dims.len(), dims[0]);
    } else {
        // `short` is the axis whose side divides the other's
        let (short, long) = if dims[1].is_multiple_of(dims[0]) { (0, 1) } else { (1, 0) };
        oblong(&mut spread, short, long);
    }
    spread.builder.finish()
}

fn square(spread: &mut NodeCopies, k: usize, n: u32) {
    for stage in 1..=k {
        let last = k - stage;
        let places = spread.fill(n, &rows(k, stage));
        let mut places = places;
        if stage < k {
            spread.align(&mut places, |copy, place| {
                let goal = |axis| if axis == 0 || axis == last { copy } else { 0 };
                let mut delta: Vec<i32> = (0..k).map(|axis| goal(axis) - place[axis]).collect();
                if stage > 1 {
                    // the copies along these axes are the same as along the first
                    for axis in last + 1..k {
                        delta[0] -= delta[axis];
                        delta[axis] = 0;
                    }
                }
                delta
            });
        }
        spread.join(&places);
    }
}

/// The rows of a stage of the paper.
fn rows(k: usize, stage: usize) -> Vec<LegSequence> {
    use WormReach::Each;
    let q = k - stage;
    if k == 1 {
        vec![vec![(0, Each(1))]]
    } else if stage == 1 {
        let last = k - 1;
        let mut rows: Vec<LegSequence> = (0..last).map(|axis| vec![(axis, Each(1)), (last, Each(1))]).collect();
        rows.push(vec![(last, Each(1))]);
        rows
    } else {
        let first = vec![vec![(0, Each(1))]];
        let both = (1..=q).map(|axis| vec![(axis, Each(1)), (k - 1, Each(-1))]);
        let back = (q + 1..k).map(|axis| vec![(axis, Each(-1))]);
        first.into_iter().chain(both).chain(back).collect()
    }
}

/// Two sides of which one divides the other: a line that winds round the shorter axis, then along that axis.
fn oblong(spread: &mut NodeCopies, short: usize, long: usize) {
    use WormReach::{Each, One};
    let side = |spread: &NodeCopies, axis| spread.around.topology().side(axis);
    let (few, many) = (side(spread, short), side(spread, long));
    let mut places = spread.fill(many, &[vec![(short, One), (long, Each(1))], vec![(long, Each(1))]]);
    spread.align(&mut places, |copy, place| {
        let mut delta = vec![0; 2];
        delta[short] = copy - place[short];
        delta
    });
    spread.join(&places);
    let places = spread.fill(few, &[vec![(short, Each(1))], vec![(long, Each(-1))]]);
    spread.join(&places);
}

/// Worms that turn at will, so that no step only aligns. At most four axes, all sides equal.
pub fn free(topology: &Topology, root: NodeId) -> WormSteps {
    let (k, n) = (topology.axes(), topology.side(0));
    let mut spread = NodeCopies::new(topology, root);
    for rows in turns(k) {
        let rows: Vec<LegSequence> =
            rows.iter().map(|row| row.iter().map(|&(axis, each)| (axis, WormReach::Each(each))).collect()).collect();
        let places = spread.fill(n, &rows);
        spread.join(&places);
    }
    spread.builder.finish()
}

/// The largest number of axes for which [`free`] knows its worms.
pub const MOST_FREE_AXES: usize = 4;

/// The rows of every stage; found by search for stages before the last.
fn turns(k: usize) -> Vec<Vec<Vec<(usize, i32)>>> {
    let mut stages = match k {
        2 => vec![vec![vec![(0, 1), (1, -1)], vec![(1, -1), (0, 1)]]],
        3 => vec![
            vec![vec![(0, -2), (1, 1), (2, 1)], vec![(1, 1), (0, -2), (2, 1)], vec![(2, 1), (0, -2), (1, 1)]],
            vec![vec![(0, 1), (1, -1)], vec![(1, -1), (0, 1)], vec![(2, 1), (0, -1)]],
        ],
        4 => {
            let ascending = |first: usize| {
                let each = |axis| (axis, if axis < 2 { 1 } else { -1 });
                std::iter::once(first).chain((0..4).filter(move |&axis| axis != first)).map(each).collect()
            };
            vec![
                (0..4).map(ascending).collect(),
                vec![
                    vec![(0, 1), (1, -1)],
                    vec![(1, -1), (0, 1)],
                    vec![(2, -1), (0, 2), (3, -1)],
                    vec![(3, -1), (0, 2), (2, -1)],
                ],
                vec![vec![(0, 1), (2, -1)], vec![(1, -1), (3, 1)], vec![(2, -1), (0, 1)], vec![(3, 1), (1, -1)]],
            ]
        }
        _ => Vec::new(),
    };
    stages.push((0..k).map(|axis| vec![(axis, 1)]).collect());
    stages
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::net::ShapeName;

    fn torus(dims: &[u32]) -> Topology {
        Topology::new(ShapeName::Torus, dims).unwrap()
    }

    /// Only holders send, worms of a step share no link, and in the end everybody holds the message.
    fn assert_sound(topology: &Topology, root: NodeId, steps: &WormSteps) {
        let mut holders = HashSet::from([root]);
        for step in &steps.0 {
            let mut used = HashSet::new();
            for worm in step {
                assert!(holders.contains(&worm.from), "{topology}");
                let mut at = worm.from;
                for &port in &worm.hops {
                    assert!(used.insert((at, port)), "{topology}: two worms on one link");
                    at = topology.step(at, port).unwrap();
                }
                assert_eq!(at, worm.to);
            }
            holders.extend(step.iter().map(|worm| worm.to));
        }
        assert_eq!(holders.len(), topology.nodes() as usize, "{topology}");
    }

    fn log(n: u32, base: u32) -> usize {
        (0..32).find(|&steps| base.pow(steps) >= n).unwrap() as usize
    }

    #[test]
    fn the_papers_worms_share_no_link_and_keep_its_count_of_steps() {
        let sizes = [(1, 2..12), (2, 2..14), (3, 2..8), (4, 2..5)];
        for (k, n) in sizes.into_iter().flat_map(|(k, sides)| sides.map(move |n| (k, n))) {
            let torus = torus(&vec![n; k]);
            let root = NodeId(torus.nodes() / 3);
            let steps = ordered(&torus, root);
            assert_sound(&torus, root, &steps);
            assert!(steps.count() < k * log(n, 2 * k as u32 + 1) + k, "{torus}");
            assert!(steps.count() >= log(torus.nodes(), 2 * k as u32 + 1), "lemma 1");
        }
    }

    #[test]
    fn free_worms_need_no_step_to_align() {
        let sizes = [(1, 2..12), (2, 2..14), (3, 2..8), (4, 2..5)];
        for (k, n) in sizes.into_iter().flat_map(|(k, sides)| sides.map(move |n| (k, n))) {
            let torus = torus(&vec![n; k]);
            let root = NodeId(torus.nodes() / 3);
            let steps = free(&torus, root);
            assert_sound(&torus, root, &steps);
            assert!(steps.count() <= k * log(n, 2 * k as u32 + 1), "{torus}");
        }
    }

    #[test]
    fn oblong_tori_take_a_line_that_winds() {
        for (few, times) in (2..8).flat_map(|few| (2..5).map(move |times| (few, times))) {
            for dims in [[few, few * times], [few * times, few]] {
                let torus = torus(&dims);
                let steps = ordered(&torus, NodeId(1));
                assert_sound(&torus, NodeId(1), &steps);
                assert!(steps.count() <= log(few, 5) + log(few * times, 5) + 1, "{torus}");
            }
        }
    }

    #[test]
    fn ticks_are_the_longest_worms_and_a_message_a_step() {
        let ticks = |steps: &WormSteps, flits| (*steps.bases(flits).last().unwrap(), steps.count());
        let plane = torus(&[11, 11]);
        let (worm, turning) = (ordered(&plane, NodeId(40)), free(&plane, NodeId(40)));
        assert_eq!([ticks(&worm, 1), ticks(&worm, 4), ticks(&turning, 4)], [(19, 5), (34, 5), (30, 4)]);
        let space = torus(&[6, 6, 6]);
        assert_eq!(ticks(&ordered(&space, NodeId(7)), 3), (28, 5));
        assert_eq!(ticks(&free(&space, NodeId(7)), 3), (23, 3));
    }
}
