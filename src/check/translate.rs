//! One class for every node: what one node receives, moved along, is what every node receives.
//!
//! All nodes run the same table, so the register of port p at node u holds, at every tick, the packet of node u + s for
//! one displacement s(p, t) that does not depend on u. Following s costs O(dT) and proves the whole torus.

use bitvec::vec::BitVec;

use super::{LinkUse, Method, Report, Tally, Violation, token};
use crate::net::{NodeId, Torus};
use crate::program::{Program, Source};

/// A packet by the displacement of its origin from the node that holds it.
#[derive(Clone, Copy)]
struct Relative {
    origin: NodeId,
    packet: u16,
}

/// Certifies a program of whole packets and a single class.
pub(super) fn certify(program: &Program) -> Report {
    let torus = &Torus::of(&program.topology).expect("nodes that are all alike have all their links");
    let ports = torus.ports();
    let packets = program.demand.most_packets();
    let outputs = program.classes[0].outputs.iter();
    let sources: Vec<Vec<Source>> = outputs.map(|track| track.sources(program.ticks).collect()).collect();
    // what arrived at the origin node, at (tick - 1) * ports + port
    let mut arrived: Vec<Option<Relative>> = Vec::with_capacity(program.ticks as usize * ports);
    let mut known: BitVec = BitVec::repeat(false, (torus.nodes() * packets) as usize);
    known[..packets as usize].fill(true);
    let mut unknown = (torus.nodes() - 1) * packets;
    let mut duplicates = 0u32;
    let mut complete_at = None;
    let mut carried = vec![0; ports];
    for tick in 1..=program.ticks {
        for port in torus.port_ids() {
            // the neighbour at `port` sends this way out by its opposite port
            let sent = match sources[port.opposite().index()][tick as usize - 1] {
                Source::Idle => None,
                Source::Own { packet } => Some(Relative { origin: NodeId(0), packet }),
                Source::In { age, .. } if age >= tick => None,
                Source::In { port, age } => arrived[(tick - age - 1) as usize * ports + port.index()],
            };
            let here = sent
                .map(|sent| Relative { origin: shift(torus, sent.origin, torus.neighbour(NodeId(0), port)), ..sent });
            if let Some(Relative { origin, packet }) = here {
                carried[port.opposite().index()] += 1;
                if known.replace((origin.0 * packets + u32::from(packet)) as usize, true) {
                    duplicates += 1;
                } else {
                    unknown -= 1;
                }
            }
            arrived.push(here);
        }
        if unknown == 0 && complete_at.is_none() {
            complete_at = Some(tick);
        }
    }
    let violations = known.first_zero().map(|first| Violation::Missing {
        node: torus.coords(NodeId(0)),
        missing: u64::from(unknown),
        first: token(program, first as u64),
    });
    // every node's links carry as much
    let link_use = Tally::of(carried).link_use();
    Report {
        method: Method::Structure,
        complete_at,
        steps: complete_at,
        duplicates: Some(u64::from(duplicates) * u64::from(torus.nodes())),
        link_use: LinkUse { sum: link_use.sum * u64::from(torus.nodes()), ..link_use },
        violations: violations.into_iter().collect(),
    }
}

/// The sum of two nodes as vectors.
fn shift(torus: &Torus, node: NodeId, by: NodeId) -> NodeId {
    let mut sum = 0;
    for axis in (0..torus.axes()).rev() {
        let x = (torus.coord(node, axis) + torus.coord(by, axis)) % torus.side(axis);
        sum += x * torus.stride(axis);
    }
    NodeId(sum)
}
