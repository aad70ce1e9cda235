//! What a node has received lies in a memory by step and input: where each packet is, and in which order a node hands them out.
//!
//! Packets carry no header, so the program says whose they are. Seen from the node, as offsets modulo the sides, many nodes
//! find the same packets in the same places: they share a table.

use std::collections::BTreeMap;

use thiserror::Error;

use super::local::Order;
use super::node::{Block, Nodes, Place};
use crate::program::Program;

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

    /// Tables of a program that is offered with nodes: every block is one word of its lowering.
    pub fn of(program: &Program, order: Order) -> Self {
        let nodes = Nodes::of(program);
        let topology = &program.topology;
        let mut tables = BTreeMap::new();
        let mut firsts: Vec<Vec<Held>> = Vec::new();
        let mut table_of = Vec::with_capacity(topology.nodes() as usize);
        for id in topology.node_ids() {
            let node = nodes.node(id, order);
            let held = |(block, &place): (&Block, &Place)| Held {
                offset: topology.offset(id, block.node),
                packet: block.number,
                place,
            };
            let mut entries: Vec<Held> = node.gives.iter().zip(&node.kept).map(held).collect();
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
        Self { steps: nodes.steps(), packets: program.demand.most_packets(), tables: firsts, table_of }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::net::{Channel, Port, Shape, Topology};
    use crate::program::{Demand, Run, Source, Title, Track};

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
        let received: Vec<_> = table.iter().filter(|held| !matches!(held.place, Place::Taken(_))).collect();
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
