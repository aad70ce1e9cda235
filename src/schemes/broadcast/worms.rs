//! Worms: a message that crosses a path of links at once, from a holder to a node that becomes one.

use crate::net::{NodeId, Port, Topology};

/// One worm of a step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StepWorm {
    /// The holder that it leaves.
    pub from: NodeId,
    /// The ports that it leaves by, node after node.
    pub hops: Vec<Port>,
    /// Node that holds the message afterwards.
    pub to: NodeId,
}

/// Worms step by step. Those of one step share no link.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WormSteps(pub Vec<Vec<StepWorm>>);

impl WormSteps {
    /// The links of a step's longest worm.
    pub fn longest(step: &[StepWorm]) -> u32 {
        step.iter().map(|worm| worm.hops.len() as u32).max().unwrap_or(0)
    }

    /// The tick before the first one of each step, and last that of the end, for a message of so many flits.
    pub fn bases(&self, flits: u32) -> Vec<u32> {
        let mut bases = vec![0];
        for step in &self.0 {
            bases.push(bases[bases.len() - 1] + Self::longest(step) + flits - 1);
        }
        bases
    }

    /// Number of steps.
    pub fn count(&self) -> usize {
        self.0.len()
    }
}

/// The number of hops along an axis, signed.
pub type AxisLeg = (usize, i32);

/// Collects worms; those to a node that holds the message already are left out.
pub struct WormBuilder<'a> {
    topology: &'a Topology,
    holds: Vec<bool>,
    steps: Vec<Vec<StepWorm>>,
}

impl<'a> WormBuilder<'a> {
    /// Only the root holds the message.
    pub fn new(topology: &'a Topology, root: NodeId) -> Self {
        let mut holds = vec![false; topology.nodes() as usize];
        holds[root.index()] = true;
        Self { topology, holds, steps: Vec::new() }
    }

    /// A step of these worms, each from a node along some legs in order. A step in which nobody sends is none.
    pub fn step(&mut self, worms: impl IntoIterator<Item = (NodeId, Vec<AxisLeg>)>) {
        let mut step = Vec::new();
        for (from, legs) in worms {
            let hops: Vec<Port> = legs.iter().flat_map(|&leg| hops(leg)).collect();
            let to =
                hops.iter().fold(from, |node, &port| self.topology.step(node, port).expect("a torus has no border"));
            if !std::mem::replace(&mut self.holds[to.index()], true) {
                step.push(StepWorm { from, hops, to });
            }
        }
        if !step.is_empty() {
            self.steps.push(step);
        }
    }

    /// The steps. Panics if a node does not hold the message.
    pub fn finish(self) -> WormSteps {
        assert!(self.holds.iter().all(|&holds| holds), "every node is the end of a worm");
        WormSteps(self.steps)
    }
}

fn hops((axis, hops): AxisLeg) -> impl Iterator<Item = Port> {
    let port = if hops > 0 { Port::plus(axis) } else { Port::minus(axis) };
    std::iter::repeat_n(port, hops.unsigned_abs() as usize)
}
