//! Broadcast: one node's message for everybody.

mod arcs;
pub mod family;
pub mod fork;
mod opposed;
pub mod polish;
pub mod stages;
pub mod trees;
mod worm;
pub mod worms;

use self::family::{Family, Stripe};
use crate::net::{Around, NodeId};
use crate::program::{Demand, Message, Program, ProgramBuilder, Run, Sender, Source, Title, To, count, port_name};
use crate::task::Collective;
use crate::task::Task;
use crate::task::{About, Claim, Scheme, Woven};
use crate::task::{ConstructError, Unmet};

pub use arcs::ArcTrees;
pub use opposed::Opposed;
pub use worm::{Worm as WormScheme, WormFree};

/// Scheme `fork`: one tree.
#[derive(Clone, Copy, Debug)]
pub struct Fork;

impl Scheme for Fork {
    fn about(&self) -> About {
        About {
            name: "fork",
            summary: "Broadcast: one breadth-first tree, D + L - 1 ticks for L flits",
            theorem: "a breadth-first tree; no paper's",
            condition: "a torus, mesh, cycle or path",
            packets: "1 of the root",
            preference: 7,
        }
    }

    fn collectives(&self) -> &'static [Collective] {
        &[Collective::Broadcast]
    }

    fn applies(&self, _task: &Task) -> Result<(), Unmet> {
        Ok(())
    }

    fn packets(&self, _task: &Task) -> u16 {
        1
    }

    fn weave(&self, task: &Task, title: Title) -> Result<Woven, ConstructError> {
        Ok(woven(&fork::tree(task.topology, task.root()), task, title))
    }

    fn claim(&self, _task: &Task) -> Option<Claim> {
        None
    }

    fn why(&self, task: &Task, node: NodeId) -> Vec<String> {
        why(&fork::tree(task.topology, task.root()), task, node)
    }

    fn steps(&self, task: &Task) -> Option<u32> {
        Some((Around::new(task.topology, task.root()).depth() - 1) * task.link.latency + task.choice.traffic.flits)
    }

    fn is_time_independent(&self, _task: &Task) -> bool {
        true
    }

    fn awaits_arrivals(&self, _task: &Task) -> bool {
        true
    }
}

/// Scheme `trees`: as many trees as ports, which share no link.
#[derive(Clone, Copy, Debug)]
pub struct TreesScheme;

impl Scheme for TreesScheme {
    fn about(&self) -> About {
        About {
            name: "trees",
            summary: "Broadcast: 2d trees that share no link, each for a part of the message",
            theorem: "2d arc-disjoint spanning trees; no paper's",
            condition: "a torus",
            packets: "at most 2d of the root",
            preference: 8,
        }
    }

    fn collectives(&self) -> &'static [Collective] {
        &[Collective::Broadcast]
    }

    fn applies(&self, task: &Task) -> Result<(), Unmet> {
        task.torus_sides().map(|_| ())
    }

    fn packets(&self, task: &Task) -> u16 {
        task.choice.traffic.flits.min(task.topology.ports() as u32) as u16
    }

    fn weave(&self, task: &Task, title: Title) -> Result<Woven, ConstructError> {
        Ok(woven(&polish::polished(task.topology, task.root()), task, title))
    }

    fn claim(&self, _task: &Task) -> Option<Claim> {
        None
    }

    fn why(&self, task: &Task, node: NodeId) -> Vec<String> {
        why(&polish::polished(task.topology, task.root()), task, node)
    }

    fn is_time_independent(&self, _task: &Task) -> bool {
        true
    }

    fn awaits_arrivals(&self, _task: &Task) -> bool {
        true
    }
}

/// Describes the place of a node in each tree.
fn why(family: &Family, task: &Task, node: NodeId) -> Vec<String> {
    let (topology, latency) = (family.topology(), task.link.latency);
    let name = |port| port_name(topology.axes(), port);
    let place = |(packet, stripe): (usize, Stripe)| {
        let Stripe { tree, flits, .. } = stripe;
        let children = topology.port_ids().filter(|&port| family.tree_on(node, port) == Some(tree)).map(name);
        let children = match children.collect::<Vec<_>>().join(", ") {
            none if none.is_empty() => "to nobody".to_owned(),
            ports => format!("on by {ports}"),
        };
        match (family.inlet(node, tree), family.parent(node, tree)) {
            (Some(inlet), Some(parent)) => {
                let level = family.levels(tree)[node.index()];
                let first = level * latency;
                let (parent, last) = (topology.show(parent), first - 1 + flits);
                format!(
                    "packet {packet}: from {parent} by {}, level {level}, ticks {first} to {last}; {children}",
                    name(inlet)
                )
            }
            _ => format!("packet {packet}, {}: the root's; {children}", count(flits.into(), "flit")),
        }
    };
    family.stripes(task.choice.traffic.flits, latency).into_iter().enumerate().map(place).collect()
}

fn woven(family: &Family, task: &Task, title: Title) -> Woven {
    Woven { program: along(family, task.choice.traffic.flits, task.link.latency, title), cover: None }
}

/// The program in which the root deals a message to trees and every node passes each tree on once it has arrived.
fn along(family: &Family, flits: u32, latency: u32, title: Title) -> Program {
    let (topology, root) = (family.topology(), family.root());
    let stripes = family.stripes(flits, latency);
    let message = |stripe: &Stripe| Message { from: Sender::Node(root), to: To::All, flits: stripe.flits };
    let demand = Demand::new(topology, stripes.iter().map(message).collect());
    let mut builder = ProgramBuilder::new(topology, family::ticks(&stripes), demand);
    for node in topology.node_ids() {
        for port in topology.linked_ports(node) {
            let Some(tree) = family.tree_on(node, port) else { continue };
            let Some(packet) = stripes.iter().position(|stripe| stripe.tree == tree) else { continue };
            let track = match family.inlet(node, tree) {
                None => {
                    let own = Run { source: Source::own(packet as u32), ticks: stripes[packet].flits };
                    builder.track(&[own], Source::Idle)
                }
                Some(inlet) => builder.track(&[], Source::input(inlet, latency)),
            };
            builder.set(node, port, track);
        }
    }
    builder.finish(title)
}
