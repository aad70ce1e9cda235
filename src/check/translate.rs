//! One class for every node: what one node receives, moved along, is what every node receives.
//!
//! All nodes run the same table, so the register of port p at node u holds, at every tick, the packet of node u + s for
//! one displacement s(p, t) that does not depend on u. Following s costs O(dT) and proves the whole network.

use bitvec::vec::BitVec;

use super::{CheckReport, LinkUse, Method, Tally, TrafficFigures, Violation, token};
use crate::net::{Channel, Network, NodeId, Port};
use crate::program::{Duplex, Program, Source};

/// A packet by the displacement of its origin from the node that holds it.
#[derive(Clone, Copy)]
struct RelativePacket {
    origin: NodeId,
    packet: u32,
}

/// Certifies a program of whole packets and a single class, and counts what each port's link carries.
pub(super) fn certify(program: &Program) -> (CheckReport, Vec<u32>) {
    let network = &program.topology;
    let width = program.outputs();
    let index = |Channel { port, lane }| port.index() * usize::from(program.lanes) + usize::from(lane);
    let packets = program.demand.most_packets();
    let outputs = program.classes[0].outputs.iter();
    let sources: Vec<Vec<Source>> = outputs.map(|track| track.sources(program.ticks).collect()).collect();
    // arrivals at each input of the origin node, tick by tick
    let mut arrived: Vec<Option<RelativePacket>> = Vec::with_capacity(program.ticks as usize * width);
    let mut known: BitVec = BitVec::repeat(false, (network.nodes() * packets) as usize);
    known[..packets as usize].fill(true);
    let mut unknown = (network.nodes() - 1) * packets;
    let mut duplicates = 0u32;
    let mut complete_at = None;
    let mut carried = vec![0; network.ports()];
    let mut directions = Directions::default();
    let mut faults = Vec::new();
    let mut traffic = TrafficFigures::default();
    for tick in 1..=program.ticks {
        let mut received = 0;
        for Channel { port, lane } in program.channels() {
            // the neighbour at `port` sends here by its opposite port
            let output = Channel { port: port.opposite(), lane };
            let sent = match sources[index(output)][tick as usize - 1] {
                Source::Own { packet, .. } => Some(RelativePacket { origin: NodeId(0), packet }),
                Source::In { port, lane, age } if age < tick => {
                    let sent = arrived[(tick - age - 1) as usize * width + index(Channel { port, lane })];
                    traffic.held = traffic.held.max(if sent.is_some() { age } else { 0 });
                    sent
                }
                _ => None,
            };
            // at a port without a link nothing arrives
            let here = sent
                .zip(network.step(NodeId(0), port))
                .map(|(sent, there)| RelativePacket { origin: network.translated(sent.origin, there), ..sent });
            if let Some(RelativePacket { origin, packet }) = here {
                carried[output.port.index()] += 1;
                received += 1;
                if known.replace((origin.0 * packets + packet) as usize, true) {
                    duplicates += 1;
                } else {
                    unknown -= 1;
                }
            }
            arrived.push(here);
        }
        // all nodes are alike: each arrival at a port is a send of the neighbour's opposite port
        traffic.receives = traffic.receives.max(received);
        traffic.sends = traffic.receives;
        if !program.duplex.is_full() {
            let now = &arrived[arrived.len() - width..];
            let brings = |port| (0..program.lanes).any(|lane| now[index(Channel { port, lane })].is_some());
            faults.extend(directions.note(program.duplex, network, tick, brings));
        }
        if unknown == 0 && complete_at.is_none() {
            complete_at = Some(tick);
        }
    }
    traffic.turns = directions.turns.into_iter().max().unwrap_or(0);
    let missing = known.first_zero().map(|first| Violation::Missing {
        node: network.coords(NodeId(0)),
        missing: u64::from(unknown),
        first: token(program, first as u64),
    });
    // every node's links carry as much
    let link_use = Tally::of(carried.iter().copied()).link_use();
    let report = CheckReport {
        method: Method::Structure,
        complete_at,
        steps: complete_at,
        duplicates: Some(u64::from(duplicates) * u64::from(network.nodes())),
        traffic: Some(traffic),
        link_use: Some(LinkUse { sum: link_use.sum * u64::from(network.nodes()), ..link_use }),
        violations: faults.into_iter().chain(missing).collect(),
    };
    (report, carried)
}

/// Direction in which the links of each axis were last used, its tick, and the number of changes. All links of an axis
/// are alike.
#[derive(Default)]
struct Directions {
    last: Vec<Option<(Port, u32)>>,
    turns: Vec<u32>,
}

impl Directions {
    /// Notes by which ports something came in; what links may not do, by the origin's.
    fn note(&mut self, duplex: Duplex, network: &Network, tick: u32, brings: impl Fn(Port) -> bool) -> Vec<Violation> {
        let mut faults = Vec::new();
        self.last.resize(network.axes(), None);
        self.turns.resize(network.axes(), 0);
        for axis in 0..network.axes() {
            let (minus, plus) = (Port::minus(axis), Port::plus(axis));
            let now = match (brings(minus), brings(plus)) {
                (false, false) => continue,
                (true, false) => minus,
                (false, true) => plus,
                (true, true) => {
                    let (node, neighbour) = (network.coords(NodeId(0)), across(network, plus));
                    faults.push(Violation::BothWays { node, port: plus.to_string(), neighbour, tick });
                    continue;
                }
            };
            let Some((_, before)) = self.last[axis].replace((now, tick)).filter(|&(last, _)| last != now) else {
                continue;
            };
            self.turns[axis] += 1;
            // arrivals at a port were sent by the neighbour there
            let (node, neighbour) = (across(network, now), network.coords(NodeId(0)));
            let port = now.opposite().to_string();
            match duplex {
                Duplex::Pads if before + 1 == tick => {
                    faults.push(Violation::NoSilence { node, port, neighbour, tick });
                }
                Duplex::OneWay => faults.push(Violation::Backwards { node, port, neighbour, tick }),
                _ => {}
            }
        }
        faults
    }
}

/// Coordinates of the node at the other end of a link of the first node; its own if there is none.
fn across(network: &Network, port: Port) -> Vec<u32> {
    network.coords(network.step(NodeId(0), port).unwrap_or(NodeId(0)))
}
