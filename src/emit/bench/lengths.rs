//! Messages of other lengths, for a protocol that finds lengths out at run time: one schedule could be built in.

use std::collections::BTreeMap;
use std::io::{self, Write};

use crate::net::{Channel, NodeId, Port};
use crate::play::Payloads;
use crate::program::FlitId;
use crate::protocol::{Protocol, RegisterContents};

/// Lengths of the nodes' messages, over and over; a message of no flits is among them.
const PATTERN: [u32; 6] = [2, 0, 5, 1, 4, 3];
/// Lengths of the messages of nodes with children, and of the others: those without may send as soon as they are asked, and
/// then for a while.
const SHORT: [u32; 2] = [1, 3];

/// A node's input for the length of its message, in every playing.
pub struct Length {
    pub name: String,
    pub bits: u32,
    pub flits: u32,
    pub others: Vec<u32>,
}

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
    /// Every such playing.
    pub fn all(protocol: &Protocol) -> Vec<Self> {
        let nodes = protocol.tree.topology().nodes() as usize;
        let [short, last] = SHORT;
        let mixed = PATTERN.into_iter().cycle().take(nodes).collect();
        let tree = &protocol.tree;
        let quick = tree.topology().node_ids().map(|node| if tree.children(node).is_empty() { last } else { short });
        [mixed, quick.collect()].map(|lengths| Self::of(protocol, lengths)).into()
    }

    fn of(protocol: &Protocol, mut lengths: Vec<u32>) -> Self {
        let tree = &protocol.tree;
        lengths[tree.root().index()] = 0;
        let events = protocol.play(&lengths);
        let mut other = Self { ticks: 0, done_at: done_at(protocol, &lengths), lengths, arrivals: BTreeMap::new() };
        for event in events {
            other.ticks = other.ticks.max(event.tick);
            if let RegisterContents::Flit { of, flit } = event.word
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

/// A value of the playing with the design's lengths, and of each of the others by its number.
pub fn by_playing(first: &str, others: impl Iterator<Item = u32>) -> String {
    let others: Vec<u32> = others.collect();
    let chosen = others
        .iter()
        .enumerate()
        .rev()
        .fold(first.to_owned(), |rest, (index, value)| format!("(other == {}) ? {value} : {rest}", index + 1));
    if others.is_empty() { chosen } else { format!("({chosen})") }
}
