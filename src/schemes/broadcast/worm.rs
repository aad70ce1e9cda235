//! `worm` and `worm-free`: the paper's steps of worms as a program.

use super::stages::{self, MOST_FREE_AXES};
use super::worms::{StepWorm as Path, WormSteps};
use crate::net::{NodeId, Port, Topology};
use crate::program::{Demand, Message, Program, ProgramBuilder, Run, Sender, Source, Title, To, count, port_name};
use crate::task::Collective;
use crate::task::Task;
use crate::task::{About, Claim, Scheme, Woven};
use crate::task::{ConstructError, Unmet};

/// Worms that go along the axes in order.
#[derive(Clone, Copy, Debug)]
pub struct Worm;

/// Worms that turn at will.
#[derive(Clone, Copy, Debug)]
pub struct WormFree;

impl Scheme for Worm {
    fn about(&self) -> About {
        About {
            name: "worm",
            summary: "Broadcast: the paper's worms, along the axes in order, in few steps",
            theorem: "Wang and Tseng, Theorem 2",
            condition: "a torus of equal sides, or of two of which one divides the other",
            packets: "1 of the root",
            preference: 9,
        }
    }

    fn collectives(&self) -> &'static [Collective] {
        &[Collective::Broadcast]
    }

    fn applies(&self, task: &Task) -> Result<(), Unmet> {
        let sides = task.torus_sides()?;
        let divides = matches!(*sides, [a, b] if a.is_multiple_of(b) || b.is_multiple_of(a));
        if is_square(sides) || divides {
            Ok(())
        } else {
            Err(Unmet { needs: "a torus of equal sides, or of two of which one divides the other" })
        }
    }

    fn packets(&self, _task: &Task) -> u16 {
        1
    }

    fn weave(&self, task: &Task, title: Title) -> Result<Woven, ConstructError> {
        Ok(woven(&stages::ordered(task.topology, task.root()), task, title))
    }

    fn claim(&self, _task: &Task) -> Option<Claim> {
        None
    }

    fn remark(&self, task: &Task) -> Option<String> {
        Some(remark(task, &stages::ordered(task.topology, task.root())))
    }

    fn why(&self, task: &Task, node: NodeId) -> Vec<String> {
        why(&stages::ordered(task.topology, task.root()), task, node)
    }
}

impl Scheme for WormFree {
    fn about(&self) -> About {
        About {
            name: "worm-free",
            summary: "Broadcast: worms that turn at will and need no step to align",
            theorem: "after Wang and Tseng, without their steps of alignment",
            condition: "a torus of equal sides, at most 4 axes",
            packets: "1 of the root",
            preference: 10,
        }
    }

    fn collectives(&self) -> &'static [Collective] {
        &[Collective::Broadcast]
    }

    fn applies(&self, task: &Task) -> Result<(), Unmet> {
        let sides = task.torus_sides()?;
        if is_square(sides) && sides.len() <= MOST_FREE_AXES {
            Ok(())
        } else {
            Err(Unmet { needs: "a torus of equal sides and at most 4 axes" })
        }
    }

    fn packets(&self, _task: &Task) -> u16 {
        1
    }

    fn weave(&self, task: &Task, title: Title) -> Result<Woven, ConstructError> {
        Ok(woven(&stages::free(task.topology, task.root()), task, title))
    }

    fn claim(&self, _task: &Task) -> Option<Claim> {
        None
    }

    fn remark(&self, task: &Task) -> Option<String> {
        Some(remark(task, &stages::free(task.topology, task.root())))
    }

    fn why(&self, task: &Task, node: NodeId) -> Vec<String> {
        why(&stages::free(task.topology, task.root()), task, node)
    }
}

fn is_square(sides: &[u32]) -> bool {
    sides.iter().all(|&side| side == sides[0])
}

/// Describes the worms that a node receives and sends.
fn why(steps: &WormSteps, task: &Task, node: NodeId) -> Vec<String> {
    let topology = task.topology;
    let bases = steps.bases(task.choice.traffic.flits);
    let mut why = Vec::new();
    for (number, (step, base)) in (1..).zip(steps.0.iter().zip(bases)) {
        for Path { from, hops, to } in step {
            let way: Vec<String> = hops.iter().map(|&port| port_name(topology.axes(), port)).collect();
            let (way, first) = (way.join(" "), base + 1);
            if *to == node {
                why.push(format!("step {number}, from tick {first}: a worm of {} by {way}", topology.show(*from)));
            } else if *from == node {
                why.push(format!("step {number}, from tick {first}: its worm to {} by {way}", topology.show(*to)));
            }
        }
    }
    why
}

/// The paper's own count: steps, beside its Lemma 1.
fn remark(task: &Task, steps: &WormSteps) -> String {
    let (nodes, base) = (u64::from(task.topology.nodes()), task.topology.ports() as u64 + 1);
    let least = (0..u64::BITS).find(|&steps| base.saturating_pow(steps) >= nodes).expect("powers grow");
    let steps = count(steps.count() as u64, "step");
    format!("{steps} of worms; Lemma 1: at least {least}")
}

fn woven(steps: &WormSteps, task: &Task, title: Title) -> Woven {
    Woven { program: program(task.topology, task.root(), steps, task.choice.traffic.flits, title), cover: None }
}

/// A register takes a source from a tick on, for as long as the message lasts.
type WormSend = (u32, Source);

/// Worms one step after the other: the first flit of a step leaves when the last of the one before is there.
fn program(topology: &Topology, root: NodeId, steps: &WormSteps, flits: u32, title: Title) -> Program {
    let bases = steps.bases(flits);
    // source and tick of each holder's message
    let mut got: Vec<Option<(Port, u32)>> = vec![None; topology.nodes() as usize];
    let mut sent: Vec<Vec<WormSend>> = vec![Vec::new(); topology.registers()];
    for (step, &base) in steps.0.iter().zip(&bases) {
        for Path { from, hops, .. } in step {
            let (mut at, mut source) = (*from, source(got[from.index()], base + 1));
            for (first, &port) in (base + 1..).zip(hops) {
                sent[topology.register(at, port)].push((first, source));
                at = topology.step(at, port).expect("a torus has no border");
                source = Source::input(port.opposite(), 1);
            }
        }
        for Path { hops, to, .. } in step {
            let last = hops.last().expect("a worm has links");
            got[to.index()] = Some((last.opposite(), base + hops.len() as u32));
        }
    }
    let message = Message { from: Sender::Node(root), to: To::All, flits };
    let mut builder = ProgramBuilder::new(topology, bases[bases.len() - 1], Demand::new(topology, vec![message]));
    for node in topology.node_ids() {
        for port in topology.port_ids() {
            let mut runs = Vec::new();
            let mut next = 1;
            for &(first, source) in &sent[topology.register(node, port)] {
                runs.extend([Run { source: Source::Idle, ticks: first - next }, Run { source, ticks: flits }]);
                next = first + flits;
            }
            if !runs.is_empty() {
                let track = builder.track(&runs, Source::Idle);
                builder.set(node, port, track);
            }
        }
    }
    builder.finish(title)
}

/// Source of a holder from a tick on: its own message at the root, otherwise the one it received.
fn source(got: Option<(Port, u32)>, first: u32) -> Source {
    match got {
        None => Source::own(0),
        Some((port, tick)) => Source::input(port, first - tick),
    }
}
