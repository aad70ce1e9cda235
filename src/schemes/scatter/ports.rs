//! `ports`: a tree a port of the root, which share no link; who is served by which is dealt out exactly.

use super::assign::{self, Assignment, MessageSlot};
use super::gather::{self, Upwards};
use super::messages::{demand, packets};
use super::port_trees::way;
use super::words::timed;
use crate::net::{Around, NodeId, Port};
use crate::program::{Program, ProgramBuilder, Run, Source, Title, port_name};
use crate::task::Task;
use crate::task::{About, Claim, Scheme, Woven};
use crate::task::{Collective, TreeKind};
use crate::task::{ConstructError, Unmet};

/// All ports of the root at once.
#[derive(Clone, Copy, Debug)]
pub struct PortTrees;

impl Scheme for PortTrees {
    fn about(&self) -> About {
        About {
            name: "ports",
            summary: "Scatter and gather: all ports of the root at once, a tree each, farthest first",
            theorem: "link-disjoint port trees, an assignment by maximal flow; no paper's",
            condition: "a torus",
            packets: "1, or one a node of the root's",
            preference: 11,
        }
    }

    fn collectives(&self) -> &'static [Collective] {
        &[Collective::Scatter, Collective::Gather]
    }

    fn applies(&self, task: &Task) -> Result<(), Unmet> {
        task.torus_sides()?;
        match task.choice.traffic.tree {
            Some(TreeKind::Path | TreeKind::BreadthFirst | TreeKind::Parents(_)) => {
                Err(Unmet { needs: "no `tree`: it has one for each port of the root" })
            }
            None => task.refuse_heavy_traffic(),
        }
    }

    fn packets(&self, task: &Task) -> u16 {
        packets(task)
    }

    fn weave(&self, task: &Task, title: Title) -> Result<Woven, ConstructError> {
        let around = Around::new(task.topology, task.root());
        let lengths = task.lengths();
        let assignment = assign::assign(&around, &lengths);
        let program = match task.collective() {
            Collective::Gather => gathered(&around, &lengths, &assignment, title),
            _ => scattered(&around, &lengths, &assignment, title),
        };
        Ok(Woven { program, cover: None })
    }

    fn claim(&self, _task: &Task) -> Option<Claim> {
        None
    }

    fn why(&self, task: &Task, node: NodeId) -> Vec<String> {
        let topology = task.topology;
        let around = Around::new(topology, task.root());
        let Assignment { ports, ticks } = assign::assign(&around, &task.lengths());
        let slots = topology.port_ids().zip(&ports);
        let mut found =
            slots.flat_map(|(port, slots)| slots.iter().enumerate().map(move |(turn, slot)| (port, turn, slot)));
        let Some((port, turn, slot)) = found.find(|(_, _, slot)| slot.node == node) else {
            return vec![if node == task.root() { "the root".into() } else { "its message is empty".into() }];
        };
        let way = way(&around, node, port);
        let name = |port| port_name(topology.axes(), port);
        let legs: Vec<String> = way.iter().map(|&port| name(port)).collect();
        let up = way.last().expect("it is not the root").opposite();
        vec![
            format!("it is in the tree of the root's port {}: from there the way is {}", name(port), legs.join(" ")),
            format!("its parent is at {}, the root {} links away", name(up), way.len()),
            format!("of that port's messages, farthest first, its own is number {}", turn + 1),
            timed(task, slot, way.len() as u32, ticks),
        ]
    }

    fn is_time_independent(&self, _task: &Task) -> bool {
        true
    }
}

/// Each port of the root sends its messages back to back; every other output repeats the one input it can have.
fn scattered(around: &Around, lengths: &[u32], Assignment { ports, ticks }: &Assignment, title: Title) -> Program {
    let (topology, root) = (around.topology(), around.root());
    let mut builder = ProgramBuilder::new(topology, *ticks, demand(topology, around, lengths, ports));
    let mut packet = 0;
    let mut inputs: Vec<Option<Port>> = vec![None; topology.registers()];
    for (port, slots) in topology.port_ids().zip(ports) {
        let Some(last) = slots.last() else { continue };
        let through = packet + slots.len() as u32 - 1;
        let own = Run { source: Source::Own { packet, through }, ticks: last.before + last.flits };
        packet = through + 1;
        let track = builder.track(&[own], Source::Idle);
        builder.set(root, port, track);
        for slot in slots {
            let mut at = root;
            let way = way(around, slot.node, port);
            for pair in way.windows(2) {
                at = topology.step(at, pair[0]).expect("a way keeps to links");
                inputs[topology.register(at, pair[1])] = Some(pair[0].opposite());
            }
        }
    }
    for node in topology.node_ids() {
        for port in topology.port_ids() {
            if let Some(input) = inputs[topology.register(node, port)] {
                let track = builder.track(&[], Source::input(input, 1));
                builder.set(node, port, track);
            }
        }
    }
    builder.finish(title)
}

/// Reverses the program in time and direction.
fn gathered(around: &Around, lengths: &[u32], Assignment { ports, ticks }: &Assignment, title: Title) -> Program {
    let topology = around.topology();
    let upwards = |port: Port, slot: &MessageSlot| {
        let way: Vec<Port> = way(around, slot.node, port).into_iter().rev().map(Port::opposite).collect();
        let first = ticks + 2 - slot.before - slot.flits - way.len() as u32;
        Upwards { node: slot.node, way, first }
    };
    let messages: Vec<Upwards> = topology
        .port_ids()
        .zip(ports)
        .flat_map(|(port, slots)| slots.iter().map(move |slot| upwards(port, slot)))
        .collect();
    gather::program(topology, around.root(), lengths, *ticks, &messages, title)
}
