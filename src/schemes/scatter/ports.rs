//! `ports`: a tree a port of the root, which share no link; who is served by which is dealt out exactly.

use super::assign::{self, Assignment, Slot};
use super::gather::{self, Upwards};
use super::port_trees::way;
use crate::net::{Around, Port, Topology};
use crate::program::{Builder, Demand, From, Message, Program, Run, Source, Title, To};
use crate::schemes::scheme::{About, Claim, Scheme, Woven};
use crate::schemes::task::Task;
use crate::schemes::traffic::{Collective, Tree};
use crate::schemes::unmet::{ConstructError, Unmet};

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
        }
    }

    fn collectives(&self) -> &'static [Collective] {
        &[Collective::Scatter, Collective::Gather]
    }

    fn fits(&self, task: &Task) -> Result<(), Unmet> {
        task.torus_sides()?;
        match task.choice.traffic.tree {
            Some(Tree::Path | Tree::BreadthFirst | Tree::Parents(_)) => {
                Err(Unmet { needs: "no `tree`: it has one for each port of the root" })
            }
            None => Ok(()),
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

    fn is_time_independent(&self) -> bool {
        true
    }
}

/// The packets of the node that has most.
pub(super) fn packets(task: &Task) -> u16 {
    match task.collective() {
        Collective::Gather => 1,
        _ => (task.topology.nodes() - 1).min(u16::MAX.into()) as u16,
    }
}

/// The root's messages in the order of its ports and of their slots, the empty ones last.
pub(super) fn demand(topology: &Topology, around: &Around, lengths: &[u32], ports: &[Vec<Slot>]) -> Demand {
    let root = around.root();
    let sent = ports.iter().flatten().map(|slot| slot.node);
    let empty = topology.node_ids().filter(|&node| node != root && lengths[node.index()] == 0);
    let message = |node| Message { from: From::Node(root), to: To::Node(node), flits: lengths[node.index()] };
    Demand::new(topology, sent.chain(empty).map(message).collect())
}

/// Each port of the root sends its messages back to back; every other output repeats the one input it can have.
fn scattered(around: &Around, lengths: &[u32], Assignment { ports, ticks }: &Assignment, title: Title) -> Program {
    let (topology, root) = (around.topology(), around.root());
    let mut builder = Builder::new(topology, *ticks, demand(topology, around, lengths, ports));
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
                at = topology.neighbour(at, pair[0]).expect("a way keeps to links");
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

/// The same backwards in time and direction.
fn gathered(around: &Around, lengths: &[u32], Assignment { ports, ticks }: &Assignment, title: Title) -> Program {
    let topology = around.topology();
    let upwards = |port: Port, slot: &Slot| {
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
