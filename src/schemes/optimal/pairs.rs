//! Trees in which every output forwards two or three inputs at most: with two, a router takes one look-up table per bit.
//!
//! A packet moves on in the step after it came in, or never again from there. The inputs of every output are drawn, and a
//! search goes through all ways to take the steps, up to a limit; then others are drawn.

use crate::net::splitmix::Splitmix;
use crate::net::{NodeId, Port, Torus};
use crate::paths::tree::{ORIGIN, Tree, TreeArc};

/// Largest box that is searched: above, hardly any draw succeeds. Planes have closed forms, or searches of their own.
const MOST_NODES: u32 = 36;

/// Draws of inputs before a number of them is given up.
const DRAWS: u64 = 200;

/// Arcs that are tried with one draw.
const MOST_TRIALS: u32 = 20_000;

/// Inputs among which the output with most inputs chooses, a delayed input beside an earlier one included.
fn most_inputs(tree: &Tree) -> usize {
    let sources = |by: Port| {
        let arcs = tree.arcs().iter().filter(|arc| arc.by == by);
        let parents = arcs.map(|&arc| (tree.parent(arc), arc.time));
        let mut sources: Vec<_> =
            parents.filter_map(|(parent, time)| Some((tree.entered(parent)?, time - tree.arrival(parent)))).collect();
        sources.sort_unstable();
        sources.dedup();
        sources.len()
    };
    tree.network().port_ids().map(sources).max().unwrap_or(0)
}

/// A tree of as many steps whose outputs have fewer inputs, if one of the draws finds it, else the tree itself.
pub fn narrowed(torus: &Torus, tree: Tree) -> Tree {
    if torus.axes() < 3 || torus.nodes() > MOST_NODES {
        return tree;
    }
    let mut draws = (2..most_inputs(&tree).min(4)).flat_map(|inputs| (0..DRAWS).map(move |seed| (inputs, seed)));
    let arcs = draws.find_map(|(inputs, seed)| InputDraw::new(torus, tree.steps(), inputs, seed)?.run());
    arcs.map_or(tree, |arcs| Tree::new(torus, arcs).expect("the search yields a tree"))
}

/// A draw of inputs, with the arcs taken so far.
struct InputDraw<'a> {
    torus: &'a Torus,
    /// by port: the ports by which packets that it forwards have travelled
    inputs: Vec<Vec<Port>>,
    is_reached: Vec<bool>,
    arcs: Vec<TreeArc>,
    /// slots that may still stay idle
    slack: usize,
    trials: u32,
}

impl<'a> InputDraw<'a> {
    fn new(torus: &'a Torus, steps: u32, count: usize, seed: u64) -> Option<Self> {
        let mut random = Splitmix(seed);
        let nodes = torus.nodes() as usize;
        let inputs = torus.port_ids().map(|by| {
            let mut others: Vec<Port> = torus.port_ids().filter(|&other| other != by.opposite()).collect();
            random.shuffle(&mut others);
            others.truncate(count);
            others
        });
        let inputs = inputs.collect();
        let slack = (steps as usize * torus.ports()).checked_sub(nodes - 1)?;
        let mut is_reached = vec![false; nodes];
        is_reached[ORIGIN.index()] = true;
        Some(Self { torus, inputs, is_reached, arcs: Vec::with_capacity(nodes - 1), slack, trials: MOST_TRIALS })
    }

    fn run(mut self) -> Option<Vec<TreeArc>> {
        let ports = self.torus.ports();
        let mut last = vec![None; ports];
        for by in self.torus.port_ids() {
            let node = self.torus.neighbour(ORIGIN, by);
            if self.reach(TreeArc { time: 1, by, node }) {
                last[by.index()] = Some(node);
            } else {
                self.slack = self.slack.checked_sub(1)?;
            }
        }
        self.goes_on(2, 0, &last, &mut vec![None; ports]).then_some(self.arcs)
    }

    /// Takes an arc, unless its node was reached before.
    fn reach(&mut self, arc: TreeArc) -> bool {
        let is_new = !self.is_reached[arc.node.index()];
        if is_new {
            self.is_reached[arc.node.index()] = true;
            self.arcs.push(arc);
        }
        is_new
    }

    /// Returns true if the rest of the tree is found, from an output in a step on. `last` has the nodes reached in the
    /// step before, by the ports of their arcs, and `next` those of this step.
    fn goes_on(&mut self, time: u32, output: usize, last: &[Option<NodeId>], next: &mut [Option<NodeId>]) -> bool {
        if self.arcs.len() + 1 == self.is_reached.len() {
            return true;
        }
        if output == last.len() {
            let nodes = next.to_vec();
            return self.goes_on(time + 1, 0, &nodes, &mut vec![None; last.len()]);
        }
        let by = Port::from_index(output);
        for index in 0..self.inputs[output].len() {
            let input = self.inputs[output][index];
            let Some(parent) = last[input.index()] else { continue };
            if self.trials == 0 {
                return false;
            }
            self.trials -= 1;
            let node = self.torus.neighbour(parent, by);
            if self.reach(TreeArc { time, by, node }) {
                next[output] = Some(node);
                if self.goes_on(time, output + 1, last, next) {
                    return true;
                }
                self.arcs.pop();
                self.is_reached[node.index()] = false;
                next[output] = None;
            }
        }
        if self.slack == 0 {
            return false;
        }
        self.slack -= 1;
        let goes_on = self.goes_on(time, output + 1, last, next);
        self.slack += usize::from(!goes_on);
        goes_on
    }
}

#[cfg(test)]
mod tests {
    use super::super::{StoreMode, bound, tree};
    use super::*;

    #[test]
    fn outputs_of_small_boxes_have_two_inputs() {
        for dims in [&[4, 4][..], &[3, 5], &[8, 8], &[3, 3, 3], &[3, 3, 4]] {
            let tree = tree(&Torus::new(dims).unwrap(), StoreMode::Any).unwrap();
            assert_eq!((tree.steps(), tree.depth(), most_inputs(&tree)), (bound(dims), 1, 2), "{dims:?}");
        }
    }

    #[test]
    fn inputs_of_an_output_are_counted() {
        let torus = Torus::new(&[5]).unwrap();
        let [left, right] = [0, 1].map(Port::from_index);
        let arc = |time, by, node| TreeArc { time, by, node: NodeId(node) };
        let of = |last: TreeArc| {
            let arcs = vec![arc(1, right, 1), arc(1, left, 4), arc(2, right, 2), last];
            most_inputs(&Tree::new(&torus, arcs).unwrap())
        };
        assert_eq!((of(arc(3, right, 3)), of(arc(4, right, 3)), of(arc(2, left, 3))), (1, 2, 1));
    }
}
