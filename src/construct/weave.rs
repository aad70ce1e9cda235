//! From a cover to a program: what the nodes on the cycles send along them.

use crate::cover::{Cover, Visit};
use crate::program::{Builder, Program, Run, Source, Title, TrackId};
use crate::torus::NodeId;

/// Which packet a node sends on which of its cycles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Packets {
    /// Each cycle through the node carries one packet (section 3: as many packets a node as there are cycles), packet 0
    /// the cycle of its first port and so on: nodes that turn alike then send alike, whichever cycles they lie on.
    PerCycle,
    /// The one packet rides every cycle through the node (section 4).
    Shared,
}

/// The program in which every node forwards both streams of each of its cycles, each for `ticks` ticks:
/// what comes in by one port of a cycle goes out by the other, after the node's own packet.
pub fn along_cycles(cover: &Cover, packets: Packets, ticks: u32, title: Title) -> Program {
    let per_node = match packets {
        Packets::PerCycle => cover.cycles() as u16,
        Packets::Shared => 1,
    };
    let mut builder = Builder::new(cover.torus(), ticks, per_node);
    for node in cover.torus().node_ids() {
        let mut visits: Vec<Visit> = (0..cover.cycles()).filter_map(|cycle| cover.visit(cycle, node)).collect();
        visits.sort_unstable_by_key(|visit| visit.from.min(visit.to));
        for (packet, visit) in visits.into_iter().enumerate() {
            let packet = match packets {
                Packets::PerCycle => packet as u16,
                Packets::Shared => 0,
            };
            forward_both_ways(&mut builder, node, visit, packet);
        }
    }
    builder.finish(title)
}

fn forward_both_ways(builder: &mut Builder, node: NodeId, visit: Visit, packet: u16) {
    for (from, to) in [(visit.from, visit.to), (visit.to, visit.from)] {
        let own = Run { source: Source::Own { packet }, ticks: 1 };
        let track: TrackId = builder.track(&[own], Source::In { port: from, age: 1 });
        builder.set(node, to, track);
    }
}
