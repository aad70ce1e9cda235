//! Messages of other lengths, for a protocol that finds lengths out at run time: one schedule could be built in.

use std::collections::BTreeMap;
use std::io::{self, Write};

use crate::net::{Channel, NodeId, Port};
use crate::play::Payloads;
use crate::program::FlitId;
use crate::protocol::{Protocol, Word};

/// Lengths of the nodes' messages, over and over; a message of no flits is among them.
const PATTERN: [u32; 6] = [2, 0, 5, 1, 4, 3];

/// A playing with other lengths than the design's.
pub struct OtherLengths {
    pub ticks: u32,
    /// Tick after which `done` is high.
    pub done_at: u32,
    /// Flits of every node's message; none of the root's.
    pub lengths: Vec<u32>,
    /// Number of the flit that arrives, by tick, node and port.
    arrivals: BTreeMap<(u32, NodeId, Port), u64>,
}

impl OtherLengths {
    pub fn of(protocol: &Protocol) -> Self {
        let tree = &protocol.tree;
        let lengths = tree.topology().node_ids().zip(PATTERN.into_iter().cycle());
        let lengths: Vec<u32> = lengths.map(|(node, flits)| if node == tree.root() { 0 } else { flits }).collect();
        let events = protocol.play(&lengths);
        let mut other = Self { ticks: 0, done_at: done_at(protocol, &lengths), lengths, arrivals: BTreeMap::new() };
        for event in events {
            other.ticks = other.ticks.max(event.tick);
            if let Word::Flit { of, flit } = event.word
                && let Some(up) = tree.up(event.from)
            {
                let number = other.first(of) + u64::from(flit);
                other.arrivals.insert((event.tick, event.to, up.opposite()), number);
            }
        }
        other
    }

    /// Number of a node's first flit.
    pub fn first(&self, node: NodeId) -> u64 {
        self.lengths[..node.index()].iter().copied().map(u64::from).sum()
    }

    /// Number of flits of all nodes.
    pub fn words(&self) -> u64 {
        self.lengths.iter().copied().map(u64::from).sum()
    }

    /// Arrivals at some inputs in every tick, one per line: 1 and the flit, or `nothing`.
    pub fn write_expected(
        &self,
        width: u32,
        inputs: &[(NodeId, Channel)],
        nothing: &[u8],
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let payloads = Payloads { width, seed: 0 };
        for tick in 1..=self.ticks {
            for &(node, input) in inputs {
                match self.arrivals.get(&(tick, node, input.port)) {
                    Some(&number) => writeln!(out, "1{}", payloads.hex(FlitId(number as u32)))?,
                    None => out.write_all(nothing)?,
                }
            }
        }
        Ok(())
    }
}

/// Tick after which `done` is high: two after a protocol has moved anything, it knows that there is nothing more.
pub fn done_at(protocol: &Protocol, lengths: &[u32]) -> u32 {
    protocol.play(lengths).iter().map(|event| event.tick).max().unwrap_or(0) + 2
}
