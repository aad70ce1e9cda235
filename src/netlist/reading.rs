//! What a node has received lies in a memory by step and input: where each packet is, and in which order a node hands them out.
//!
//! Packets carry no header, so the program says whose they are. Seen from the node, as offsets modulo the sides, many nodes
//! find the same packets in the same places: they share a table.

use std::collections::{BTreeMap, HashSet};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::net::{Channel, NodeId};
use crate::program::{FlitId, Program, Source, Span};

/// In which order a node hands out the packets of a collective.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema, clap::ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub enum Order {
    /// Its own, then the others as they came in.
    Arrival,
    /// By the node that they come from, row by row, the same at every node.
    Origin,
}

/// How packets get to the nodes, and what the nodes have received gets out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema, clap::ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub enum Host {
    /// Every node has streams of its own.
    #[default]
    Ports,
    /// One stream in and one out, on a ring through all nodes.
    Chain,
}

/// What stands beside the routers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Local {
    /// The order in which packets are handed out.
    pub order: Order,
    /// How they get there and away.
    pub host: Host,
}

/// Why there are no tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum NoReading {
    /// Somebody does not want everything.
    #[error("local.order: nodes have memories for gossip, not for {collective}")]
    NotGossip {
        /// What it is instead.
        collective: &'static str,
    },
    /// A packet's flits do not follow one another.
    #[error("local.order: the packets of this schedule are not sent as wholes")]
    NotWhole,
    /// More inputs and steps than tables are made for.
    #[error("local.order: {arrivals} inputs and steps are more than the {most} that tables are made for")]
    TooMany {
        /// Inputs of all nodes times steps.
        arrivals: u64,
        /// The most there may be.
        most: u64,
    },
}

impl NoReading {
    /// What to do about it.
    pub fn help(&self) -> String {
        match self {
            Self::NotGossip { .. } | Self::NotWhole => {
                "leave `local` and `host` out: docs/rtl.md says how to drive the fabric alone".into()
            }
            Self::TooMany { .. } => "choose smaller sides, or leave `local` and `host` out".into(),
        }
    }
}

/// Where a packet lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Place {
    /// It is the node's own.
    Own,
    /// It has come in.
    Received {
        /// In which step, from 0.
        step: u32,
        /// By which of the node's inputs, as `Program::channels` counts them.
        input: u32,
    },
}

/// A packet as a node sees it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Held {
    /// How far away its node is, axis by axis, modulo the sides.
    pub offset: Vec<u32>,
    /// Which of that node's packets.
    pub packet: u32,
    /// Where it lies.
    pub place: Place,
}

/// The tables of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reading {
    /// Steps of the program: what may come in by one input.
    pub steps: u32,
    /// Packets that a node has of its own.
    pub packets: u32,
    /// The packets in the order in which they are looked up: as they came in, or by offset and number.
    pub tables: Vec<Vec<Held>>,
    /// The table of each node.
    pub table_of: Vec<u32>,
}

/// More than this makes files that no tool reads.
const MOST_ARRIVALS: u64 = 1 << 24;

impl Reading {
    /// Whether there are tables of a program.
    pub fn fits(program: &Program) -> Result<(), NoReading> {
        if !program.demand.is_gossip() {
            return Err(NoReading::NotGossip { collective: program.collective() });
        }
        let windows = program.classes.iter().flat_map(|class| &class.outputs).any(|track| track.inject.is_some());
        if windows || program.unstretched().is_none() || super::is_streamed(program) {
            return Err(NoReading::NotWhole);
        }
        let arrivals = (program.registers() as u64).saturating_mul(program.steps().into());
        if arrivals > MOST_ARRIVALS {
            return Err(NoReading::TooMany { arrivals, most: MOST_ARRIVALS });
        }
        Ok(())
    }

    /// The tables of a program that achieves gossip. A packet that comes in again is looked for where it was first.
    pub fn of(program: &Program, order: Order) -> Self {
        // packets move as wholes: what their flits do, one of a program of single flits does
        let whole = program.unstretched().unwrap_or_else(|| program.clone());
        let sent = Sent::of(&whole);
        let mut tables = BTreeMap::new();
        let mut firsts: Vec<Vec<Held>> = Vec::new();
        let mut table_of = Vec::with_capacity(whole.topology.nodes() as usize);
        for node in whole.topology.node_ids() {
            let mut entries = sent.first_arrivals(node);
            if order == Order::Origin {
                entries.sort();
            }
            let next = tables.len() as u32;
            let table = *tables.entry(entries.clone()).or_insert(next);
            if table == next {
                firsts.push(entries);
            }
            table_of.push(table);
        }
        Self { steps: whole.ticks, packets: whole.demand.most_packets(), tables: firsts, table_of }
    }
}

/// The packet that every output sends in every step, and which it is.
struct Sent<'p> {
    program: &'p Program,
    /// by output of a class
    spans: Vec<Vec<Span>>,
    /// by step and register
    steps: Vec<Vec<Option<FlitId>>>,
}

impl<'p> Sent<'p> {
    fn of(program: &'p Program) -> Self {
        let tracks = program.classes.iter().flat_map(|class| &class.outputs);
        let spans = tracks.map(|track| track.spans(program.ticks).collect()).collect();
        let mut sent = Self { program, spans, steps: Vec::with_capacity(program.ticks as usize) };
        for step in 0..program.ticks {
            let now = (0..program.registers()).map(|register| sent.by(register, step)).collect();
            sent.steps.push(now);
        }
        sent
    }

    /// What an output sends in a step, from what was sent before.
    fn by(&self, register: usize, step: u32) -> Option<FlitId> {
        let Self { program, spans, .. } = self;
        let (node, output) = program.owner(register);
        let class = program.class_of[node.index()].index();
        let spans = &spans[class * program.outputs() + program.output_index(output)];
        let span = spans[spans.partition_point(|span| span.last <= step)];
        match span.source {
            // a packet at once, and here packets are of one flit
            Source::Own { packet, .. } => program.demand.flit(node, packet, packet, 0),
            source => {
                let step = step.checked_sub(source.age()?)?;
                source.inputs().find_map(|input| self.arrived(node, input, step))
            }
        }
    }

    fn arrived(&self, node: NodeId, input: Channel, step: u32) -> Option<FlitId> {
        self.steps[step as usize][self.program.arriving(node, input)?]
    }

    /// The packets of a node and where they come in first, in the order of time.
    fn first_arrivals(&self, node: NodeId) -> Vec<Held> {
        let program = self.program;
        let entry = |packet, place| {
            let origin = program.demand.origin(packet);
            Held { offset: program.topology.offset(node, origin.node), packet: origin.packet, place }
        };
        let own = program.demand.flits_of(node).map(|packet| FlitId(packet as u32));
        let mut known: HashSet<FlitId> = own.clone().collect();
        let mut entries: Vec<Held> = own.map(|packet| entry(packet, Place::Own)).collect();
        for step in 0..program.ticks {
            for (input, channel) in (0..).zip(program.channels()) {
                let Some(packet) = self.arrived(node, channel, step) else { continue };
                if known.insert(packet) {
                    entries.push(entry(packet, Place::Received { step, input }));
                }
            }
        }
        entries
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::net::{Port, Shape, Topology};
    use crate::program::{Demand, Run, Title, Track};

    /// Two nodes, each of which sends this to the other.
    fn pair(packets: u16, runs: &[(Source, u32)]) -> Program {
        let path = Topology::new(Shape::Path, &[2]).unwrap();
        let ticks = runs.iter().map(|(_, ticks)| ticks).sum();
        let run = |&(source, ticks): &(Source, u32)| Run { source, ticks };
        let track = Track { runs: runs.iter().map(run).collect(), repeat_from: None, inject: None };
        let demand = Demand::gossip(&path, packets);
        Program::uniform(&path, ticks, demand, vec![track.clone(), track], Title::new("pair", "by hand"))
    }

    #[test]
    fn packets_that_follow_one_another_come_in_in_their_steps() {
        let program = pair(2, &[(Source::Idle, 2), (Source::own(0), 1), (Source::own(1), 1)]);
        assert_eq!(Reading::fits(&program), Ok(()));
        let reading = Reading::of(&program, Order::Arrival);
        let table = &reading.tables[reading.table_of[0] as usize];
        let received: Vec<_> = table.iter().filter(|held| held.place != Place::Own).collect();
        let input = program.output_index(Channel::first(Port::plus(0))) as u32;
        for (held, (packet, step)) in received.iter().zip([(0, 2), (1, 3)]) {
            assert_eq!((held.packet, held.place), (packet, Place::Received { step, input }));
        }
        assert_eq!(received.len(), 2);
    }

    #[test]
    fn what_is_not_sent_as_wholes_has_no_tables() {
        let whole = pair(1, &[(Source::own(0), 1)]);
        let mut windowed = whole.clone();
        windowed.classes[0].outputs[0].inject = Some(1);
        let torn = Program { flits: 2, ..pair(1, &[(Source::own(0), 1)]) };
        let streamed = pair(2, &[(Source::Own { packet: 0, through: 1 }, 2)]);
        for program in [windowed, torn, streamed] {
            assert_eq!(Reading::fits(&program), Err(NoReading::NotWhole));
        }
    }
}
