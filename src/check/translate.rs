//! One class for every node: what one node receives, moved along, is what every node receives.
//!
//! All nodes run the same table, so the register of port p at node u holds, at every tick, the packet of node u + s for
//! one displacement s(p, t) that does not depend on u. Following s costs O(dT) and proves the whole torus.

use bitvec::vec::BitVec;

use super::{LinkUse, Method, Report, Violation, token};
use crate::net::{NodeId, Torus};
use crate::program::{Program, Source};

/// A packet by the displacement of its origin from the node that holds it.
#[derive(Clone, Copy)]
struct Relative {
    origin: NodeId,
    flit: u32,
}

/// Certifies a program of whole packets and a single class.
pub(super) fn certify(program: &Program) -> Report {
    let torus = &Torus::of(&program.topology).expect("nodes that are all alike have all their links");
    let ports = torus.ports();
    let flits = program.demand.most_packets() * program.flits;
    let sources: Vec<Vec<(Source, u32)>> = program.classes[0]
        .outputs
        .iter()
        .map(|track| {
            let spans = track.spans(program.ticks);
            spans.flat_map(|span| (span.first..=span.last).map(move |t| (span.source, t - span.first))).collect()
        })
        .collect();
    // what arrived at the origin node, at (tick - 1) * ports + port
    let mut arrived: Vec<Option<Relative>> = Vec::with_capacity(program.ticks as usize * ports);
    let mut known: BitVec = BitVec::repeat(false, (torus.nodes() * flits) as usize);
    known[..flits as usize].fill(true);
    let mut unknown = (torus.nodes() - 1) * flits;
    let mut duplicates = 0u32;
    let mut complete_at = None;
    let mut carried = vec![0; ports];
    for tick in 1..=program.ticks {
        for port in torus.port_ids() {
            // the neighbour at `port` sends this way out by its opposite port
            let (source, played) = sources[port.opposite().index()][tick as usize - 1];
            let sent = match source {
                Source::Idle => None,
                Source::Own { packet } => Some(Relative {
                    origin: NodeId(0),
                    flit: u32::from(packet) * program.flits + played % program.flits,
                }),
                Source::In { age, .. } if age >= tick => None,
                Source::In { port, age } => arrived[(tick - age - 1) as usize * ports + port.index()],
            };
            let here = sent
                .map(|sent| Relative { origin: shift(torus, sent.origin, torus.neighbour(NodeId(0), port)), ..sent });
            if let Some(Relative { origin, flit }) = here {
                carried[port.opposite().index()] += 1;
                if known.replace((origin.0 * flits + flit) as usize, true) {
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
        missing: u64::from(unknown.div_ceil(program.flits)),
        first: token(program, first as u64 / u64::from(program.flits)),
    });
    let sum: u64 = carried.iter().map(|&flits: &u32| u64::from(flits)).sum();
    Report {
        method: Method::Structure,
        complete_at,
        steps: complete_at.map(|tick| tick.div_ceil(program.flits)),
        duplicates: Some(u64::from(duplicates) * u64::from(torus.nodes())),
        link_use: LinkUse {
            sum: sum * u64::from(torus.nodes()),
            min: carried.iter().copied().min().unwrap_or(0),
            mean: sum as f64 / ports as f64,
            max: carried.iter().copied().max().unwrap_or(0),
        },
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
