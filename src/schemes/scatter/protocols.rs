//! `shoulder-tap`, `certification` and `certification-all-port`: gather whose lengths are found out on the way, for lengths that are known.

use super::closed::{self, PortChoice, Timing};
use super::gather::{self, upwards};
use super::words::place;
use crate::net::NodeId;
use crate::paths::rooted::Rooted;
use crate::program::Title;
use crate::task::Task;
use crate::task::{About, Claim, RunTime, Scheme, Woven};
use crate::task::{Collective, TreeKind};
use crate::task::{ConstructError, Unmet};

/// Taps down a path.
#[derive(Clone, Copy, Debug)]
pub struct ShoulderTap;

/// Certificates up a tree, orders down, by one port of a node or by all at once.
#[derive(Clone, Copy, Debug)]
pub struct Certification(pub PortChoice);

fn woven(task: &Task, tree: &Rooted, timing: &Timing, title: Title) -> Woven {
    let lengths = task.lengths();
    let senders = tree.topology().node_ids().filter(|&node| lengths[node.index()] > 0);
    let messages: Vec<_> = senders.map(|node| upwards(tree, node, timing.first[node.index()])).collect();
    let program = gather::program(tree.topology(), tree.root(), &lengths, timing.ticks, &messages, title);
    Woven { program, cover: None }
}

const PATH: &str = "a tree that is a path from the root: `tree: path` on a cycle, or on a path with the root at an end";

fn path(task: &Task) -> Result<Rooted, Unmet> {
    let tree = task.short_tree(&TreeKind::Path)?;
    if tree.is_path() { Ok(tree) } else { Err(Unmet { needs: PATH }) }
}

fn tree(task: &Task) -> Result<Rooted, Unmet> {
    task.short_tree(&TreeKind::BreadthFirst)
}

/// When a node has its turn, and what decides that.
fn turn(tree: &Rooted, lengths: &[u32], timing: &Timing, node: NodeId) -> Vec<String> {
    let mut why = place(tree, node);
    let (first, flits) = (timing.first[node.index()], lengths[node.index()]);
    if node != tree.root() && flits > 0 {
        why.push(format!(
            "its window is ticks {first} to {}: what is found out on the way gives it its turn then, after the streams \
             before it and before those below it",
            first + flits - 1
        ));
    } else if node != tree.root() {
        why.push("its message is empty: no window".into());
    }
    why
}

impl Scheme for ShoulderTap {
    fn about(&self) -> About {
        About {
            name: "shoulder-tap",
            summary: "Gather on a path, lengths found out on the way: a tap says when the parent is free",
            theorem: "Bhatt, Pucci, Ranade and Rosenberg, Theorem 2",
            condition: "a tree that is a path from the root",
            packets: "1",
            preference: 13,
        }
    }

    fn collectives(&self) -> &'static [Collective] {
        &[Collective::Gather]
    }

    fn applies(&self, task: &Task) -> Result<(), Unmet> {
        path(task).map(|_| ())
    }

    fn packets(&self, _task: &Task) -> u16 {
        1
    }

    fn weave(&self, task: &Task, title: Title) -> Result<Woven, ConstructError> {
        let path = path(task)?;
        Ok(woven(task, &path, &closed::shoulder_tap(&path, &task.lengths()), title))
    }

    fn claim(&self, task: &Task) -> Option<Claim> {
        let ticks = closed::shoulder_tap(&path(task).ok()?, &task.lengths()).ticks;
        Some(Claim { theorem: "Theorem 2 of Bhatt et al.", steps: ticks.into() })
    }

    fn run_time(&self) -> Option<RunTime> {
        Some(RunTime::ShoulderTap)
    }

    fn why(&self, task: &Task, node: NodeId) -> Vec<String> {
        let Ok(path) = path(task) else { return Vec::new() };
        let lengths = task.lengths();
        let mut why = turn(&path, &lengths, &closed::shoulder_tap(&path, &lengths), node);
        if node != path.root() {
            let (place, taps) = (path.depth(node), closed::taps(&path, &lengths));
            let tap = taps[place as usize];
            let least = if place == path.height() { 1 } else { 2 };
            why.push(format!(
                "it is P{place}: tap {tap} reaches it in tick {place}, so that its parent has its first flit in tick \
                 {place} + max({least}, {tap})"
            ));
        }
        why
    }
}

impl Certification {
    /// Timing, with as many ports at once as the scheme has.
    fn timing(self, tree: &Rooted, lengths: &[u32]) -> Timing {
        closed::certification(tree, lengths, self.0)
    }
}

impl Scheme for Certification {
    fn about(&self) -> About {
        let about = About {
            name: "certification",
            summary: "Gather on a tree, lengths found out on the way: certificates come up, orders go down",
            theorem: "Bhatt, Pucci, Ranade and Rosenberg, Theorem 3",
            condition: "a torus, mesh, cycle or path",
            packets: "1",
            preference: 14,
        };
        match self.0 {
            PortChoice::Single => about,
            PortChoice::All => About {
                name: "certification-all-port",
                summary: "Gather on a tree like certification, all ports of a node at once",
                theorem: "Bhatt, Pucci, Ranade and Rosenberg, section IV",
                preference: 15,
                ..about
            },
        }
    }

    fn collectives(&self) -> &'static [Collective] {
        &[Collective::Gather]
    }

    fn applies(&self, task: &Task) -> Result<(), Unmet> {
        tree(task).map(|_| ())
    }

    fn packets(&self, _task: &Task) -> u16 {
        1
    }

    fn weave(&self, task: &Task, title: Title) -> Result<Woven, ConstructError> {
        let tree = tree(task)?;
        Ok(woven(task, &tree, &self.timing(&tree, &task.lengths()), title))
    }

    fn claim(&self, _task: &Task) -> Option<Claim> {
        // Theorem 3's number does not hold for the walk that its algorithm describes: docs/papers.md
        None
    }

    fn run_time(&self) -> Option<RunTime> {
        Some(match self.0 {
            PortChoice::Single => RunTime::Certification,
            PortChoice::All => RunTime::CertificationAllPort,
        })
    }

    fn why(&self, task: &Task, node: NodeId) -> Vec<String> {
        let Ok(tree) = tree(task) else { return Vec::new() };
        let lengths = task.lengths();
        turn(&tree, &lengths, &self.timing(&tree, &lengths), node)
    }
}
