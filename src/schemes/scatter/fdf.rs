//! `fdf`: one tree, one message at a time, the farthest destination first.

use std::collections::BTreeMap;

use super::dispatch::farthest_first;
use super::gather::{self, Upwards, upwards, way};
use super::messages::{demand, packets};
use super::words::{place, timed};
use crate::net::{Around, NodeId, Port};
use crate::paths::rooted::Rooted;
use crate::program::{Program, ProgramBuilder, Run, Source, Title};
use crate::schemes::scatter::assign::MessageSlot;
use crate::task::Task;
use crate::task::{About, Claim, Scheme, Woven};
use crate::task::{Collective, TreeKind};
use crate::task::{ConstructError, Unmet};

/// One port at a time.
#[derive(Clone, Copy, Debug)]
pub struct FarthestFirst;

impl Scheme for FarthestFirst {
    fn about(&self) -> About {
        About {
            name: "fdf",
            summary: "Scatter and gather: one tree, farthest destination first, one flit per node and tick",
            theorem: "Bhatt, Pucci, Ranade and Rosenberg, Proposition 1 and Theorem 1",
            condition: "a torus, mesh, cycle or path",
            packets: "1, or one a node of the root's",
            preference: 12,
        }
    }

    fn collectives(&self) -> &'static [Collective] {
        &[Collective::Scatter, Collective::Gather]
    }

    fn applies(&self, task: &Task) -> Result<(), Unmet> {
        match task.choice.traffic.tree {
            None | Some(TreeKind::BreadthFirst) => task.refuse_heavy_traffic(),
            Some(TreeKind::Path | TreeKind::Parents(_)) => task.short_tree(&TreeKind::BreadthFirst).map(|_| ()),
        }
    }

    fn packets(&self, task: &Task) -> u16 {
        packets(task)
    }

    fn weave(&self, task: &Task, title: Title) -> Result<Woven, ConstructError> {
        let tree = task.tree(&TreeKind::BreadthFirst)?;
        let lengths = task.lengths();
        let program = if task.collective() == Collective::Gather {
            gathered(&tree, &lengths, title)
        } else {
            let (slots, ticks) = farthest_first(&tree, &lengths);
            scattered(&tree, &lengths, &slots, ticks, title)
        };
        Ok(Woven { program, cover: None })
    }

    fn claim(&self, task: &Task) -> Option<Claim> {
        let tree = task.tree(&TreeKind::BreadthFirst).ok()?;
        let ticks = farthest_first(&tree, &task.lengths()).1;
        Some(Claim { theorem: "Theorem 1 of Bhatt et al.", steps: ticks.into() })
    }

    fn why(&self, task: &Task, node: NodeId) -> Vec<String> {
        let Ok(tree) = task.tree(&TreeKind::BreadthFirst) else { return Vec::new() };
        let (slots, ticks) = farthest_first(&tree, &task.lengths());
        let mut why = place(&tree, node);
        if let Some(turn) = slots.iter().position(|slot| slot.node == node) {
            let slot = slots[turn];
            why.push(format!("farthest destination first: its message is number {} of {}", turn + 1, slots.len()));
            why.push(timed(task, &slot, tree.depth(node), ticks));
        }
        why
    }

    fn is_time_independent(&self, _task: &Task) -> bool {
        true
    }
}

/// Every node sends on what is for nodes below it, each message to the child that it is for, and nothing else.
///
/// The root dispatches in this order; the farthest destination first is the best.
pub fn scattered(tree: &Rooted, lengths: &[u32], slots: &[MessageSlot], ticks: u32, title: Title) -> Program {
    let topology = tree.topology();
    let around = Around::new(topology, tree.root());
    // the root's messages port after port
    let mut by_port: Vec<Vec<MessageSlot>> = vec![Vec::new(); topology.ports()];
    // messages that pass an output
    let mut passing: BTreeMap<(NodeId, Port), Vec<MessageSlot>> = BTreeMap::new();
    for &slot in slots {
        let way = way(tree, slot.node);
        by_port[way[0].1.index()].push(slot);
        for hop in way {
            passing.entry(hop).or_default().push(slot);
        }
    }
    let mut builder = ProgramBuilder::new(topology, ticks, demand(topology, &around, lengths, &by_port));
    for ((node, port), slots) in &passing {
        let track = match tree.up(*node) {
            None => {
                let mut packets = by_port[..port.index()].iter().map(Vec::len).sum::<usize>() as u32..;
                let runs = runs(slots, 0, |_| Source::own(packets.next().expect("numbers go on")));
                builder.track(&in_a_row(runs), Source::Idle)
            }
            Some(up) => builder.track(&runs(slots, tree.depth(*node), |_| Source::input(up, 1)), Source::Idle),
        };
        builder.set(*node, *port, track);
    }
    builder.finish(title)
}

/// Messages as they pass a node at a depth, idle between them.
fn runs(slots: &[MessageSlot], depth: u32, mut source: impl FnMut(&MessageSlot) -> Source) -> Vec<Run> {
    let mut runs = Vec::new();
    let mut next = 0;
    for slot in slots {
        let idle = slot.before + depth - next;
        runs.push(Run { source: Source::Idle, ticks: idle });
        runs.push(Run { source: source(slot), ticks: slot.flits });
        next = slot.before + depth + slot.flits;
    }
    runs
}

/// Packets back to back are one run.
fn in_a_row(runs: Vec<Run>) -> Vec<Run> {
    let mut joined: Vec<Run> = Vec::new();
    for run in runs.into_iter().filter(|run| run.ticks > 0) {
        match (joined.last_mut(), run.source) {
            (Some(Run { source: Source::Own { through, .. }, ticks }), Source::Own { packet, through: last })
                if *through + 1 == packet =>
            {
                *through = last;
                *ticks += run.ticks;
            }
            _ => joined.push(run),
        }
    }
    joined
}

/// Reverses the program in time and direction.
fn gathered(tree: &Rooted, lengths: &[u32], title: Title) -> Program {
    let (slots, ticks) = farthest_first(tree, lengths);
    let first = |slot: &MessageSlot| ticks + 2 - slot.before - slot.flits - tree.depth(slot.node);
    let messages: Vec<Upwards> = slots.iter().map(|slot| upwards(tree, slot.node, first(slot))).collect();
    gather::program(tree.topology(), tree.root(), lengths, ticks, &messages, title)
}
