//! From a cover to a program: what the nodes on the cycles send along them.

use std::collections::BTreeMap;

use crate::net::NodeId;
use crate::paths::cover::{Cover, Visit};
use crate::program::{Builder, Demand, Program, Run, Source, Title, TrackId};

/// Which packet a node sends on which of its cycles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Packets {
    /// Each cycle through the node carries one packet (section 3: as many packets a node as there are cycles), packet 0
    /// the cycle of its first port and so on: nodes that turn alike then send alike, whichever cycles they lie on.
    /// A double node lies on one cycle of two and sends packets 0 and 1 on it.
    PerCycle,
    /// The one packet rides every cycle through the node (section 4).
    Shared,
}

impl Packets {
    /// How many packets each node contributes.
    pub fn per_node(self, cover: &Cover) -> u16 {
        match self {
            Self::PerCycle => cover.cycles() as u16,
            Self::Shared => 1,
        }
    }

    /// Gossip of so many packets.
    pub fn demand(self, cover: &Cover) -> Demand {
        Demand::gossip(cover.topology(), self.per_node(cover))
    }
}

/// The program in which every node forwards both streams of each of its cycles, each for `ticks` ticks:
/// what comes in by one port of a cycle goes out by the other, after the node's own packet.
pub fn along_cycles(cover: &Cover, packets: Packets, ticks: u32, title: Title) -> Program {
    let mut builder = Builder::new(cover.topology(), ticks, packets.demand(cover));
    on_cycles(&mut builder, cover, packets);
    builder.finish(title)
}

/// Sets the outputs by which the cycles leave their nodes, in either direction.
pub fn on_cycles(builder: &mut Builder, cover: &Cover, packets: Packets) {
    let mut tracks = BTreeMap::new();
    for node in cover.topology().node_ids() {
        for (index, visit) in visits(cover, node).enumerate() {
            let own = packets_on(packets, index, visit);
            let key = (visit.from, visit.to, visit.double, own);
            let pair = tracks.entry(key).or_insert_with(|| both_ways(builder, visit, own));
            builder.set(node, visit.to, pair[0]);
            builder.set(node, visit.from, pair[1]);
        }
    }
}

/// What the cycles do at a node, in the order of their first ports.
fn visits(cover: &Cover, node: NodeId) -> impl Iterator<Item = Visit> {
    cover.topology().port_ids().filter_map(move |port| {
        let visit = cover.visit(cover.owner(node, port)?, node)?;
        (visit.from.min(visit.to) == port).then_some(visit)
    })
}

/// The packets a node sends from its first and from its last place on a cycle; the same unless it is a double node.
pub fn own_packets(cover: &Cover, packets: Packets, node: NodeId, visit: Visit) -> [u16; 2] {
    let index = visits(cover, node).take_while(|other| *other != visit).count();
    packets_on(packets, index, visit)
}

/// The same for the cycle of this index among those through the node.
fn packets_on(packets: Packets, index: usize, visit: Visit) -> [u16; 2] {
    match packets {
        Packets::PerCycle if !visit.double => [index as u16; 2],
        Packets::PerCycle if visit.from < visit.to => [0, 1],
        Packets::PerCycle => [1, 0],
        Packets::Shared => [0; 2],
    }
}

/// The tracks forward and backward: a node passes its own places on first, the one next to the output before the
/// other, then what came in. A double node has two places, so what it forwards is one tick older (section 3.2).
fn both_ways(builder: &mut Builder, visit: Visit, [first, last]: [u16; 2]) -> [TrackId; 2] {
    let age = 1 + u32::from(visit.double);
    [(visit.from, last, first), (visit.to, first, last)].map(|(port, near, far)| {
        let own = [near, far].map(|packet| Run { source: Source::own(packet.into()), ticks: 1 });
        builder.track(&own[..age as usize], Source::input(port, age))
    })
}
