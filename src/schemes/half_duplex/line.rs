//! Gossip on paths and cycles, as Lau and Zhang do it: closed forms, no search and no queue.

use crate::net::{NodeId, Port, Topology};
use crate::paths::moves::{self, PacketMove};
use crate::program::{Demand, Duplex, Program, ProgramBuilder, Run, Source, Title, TrackId};

const BACK: Port = Port::minus(0);
const FORTH: Port = Port::plus(0);

/// The steps on a path (003, Theorems 2.2, 3.2 and 3.3) or a cycle (Theorems 2.1, 3.4 and 3.5).
pub fn steps(line: &Topology, lanes: u8) -> u32 {
    let n = line.nodes();
    match (line.has_every_link(), lanes) {
        (false, 1) => 3 * (n / 2) - u32::from(n.is_multiple_of(2)),
        (false, _) => n - n % 2,
        // two and three nodes are faster than the theorems for p > 1 say
        (true, lanes) if lanes == 1 || n <= 3 => n - 1,
        (true, _) => n.div_ceil(2) + 1,
    }
}

/// Gossip of one packet a node on a path or a cycle.
pub fn program(line: &Topology, lanes: u8, title: Title) -> Program {
    let n = line.nodes();
    if line.has_every_link() && lanes > 1 && n > 3 && n % 2 == 1 {
        return moves::program(line, lanes, odd_cycle(line), Some(|node| (node.0 % 2) as u8), title);
    }
    let demand = Demand::gossip(line, 1);
    let builder = ProgramBuilder::on_links(line, Duplex::Half, lanes, steps(line, lanes), demand);
    let mut weaver = LineWeaver { n, builder };
    for node in line.node_ids() {
        match (line.has_every_link(), lanes) {
            (false, 1) => weaver.path_of_one_lane(node),
            (false, _) => weaver.path_of_two_lanes(node),
            (true, _) if lanes == 1 || n <= 3 => weaver.cycle_of_one_lane(node),
            (true, _) => weaver.even_cycle_of_two_lanes(node),
        }
    }
    weaver.builder.finish(title)
}

const OWN: Run = Run { source: Source::own(0), ticks: 1 };

fn idle(ticks: u32) -> Run {
    Run { source: Source::Idle, ticks }
}

struct LineWeaver {
    n: u32,
    builder: ProgramBuilder,
}

impl LineWeaver {
    /// Source for an arrival at a port; idle if no link leads there.
    fn input(&self, node: NodeId, port: Port, lane: u8, age: u32) -> Source {
        let is_end = if port == BACK { node.0 == 0 } else { node.0 == self.n - 1 };
        if is_end { Source::Idle } else { Source::In { port, lane, age } }
    }

    fn track(&mut self, wait: u32, rest: Source) -> TrackId {
        self.builder.track(&[idle(wait), OWN], rest)
    }

    /// 003, section 2.2: all send to the centre first, then away from it what comes from there. Only the centre stores.
    fn path_of_one_lane(&mut self, node: NodeId) {
        let (i, centre, last) = (node.0, self.n / 2, self.n - 1);
        let age = |port: Port| match i.cmp(&centre) {
            std::cmp::Ordering::Equal if port == BACK => centre + 1,
            std::cmp::Ordering::Equal => self.n - centre,
            _ => 1,
        };
        let (from_forth, from_back) = (self.input(node, FORTH, 0, age(BACK)), self.input(node, BACK, 0, age(FORTH)));
        if i > 0 {
            let track = self.track(if i > centre { 0 } else { i }, from_forth);
            self.builder.set(node, BACK, track);
        }
        if i < last {
            let track = self.track(if i < centre { 0 } else { last - i }, from_back);
            self.builder.set(node, FORTH, track);
        }
    }

    /// 003, section 3: packets of even origin on lane 0, of odd origin on lane 1, one tick later.
    fn path_of_two_lanes(&mut self, node: NodeId) {
        for (port, is_there) in [(BACK, node.0 > 0), (FORTH, node.0 < self.n - 1)] {
            for lane in [0, 1].into_iter().filter(|_| is_there) {
                let rest = self.input(node, port.opposite(), lane, 1);
                let is_own = node.0 % 2 == u32::from(lane);
                let track = if is_own { self.track(lane.into(), rest) } else { self.builder.track(&[], rest) };
                self.builder.set_lane(node, port, lane, track);
            }
        }
    }

    /// Below Theorem 2.1 of 003: every packet goes down around the cycle.
    fn cycle_of_one_lane(&mut self, node: NodeId) {
        let track = self.track(0, Source::input(FORTH, 1));
        self.builder.set(node, BACK, track);
    }

    /// 003, section 3.1: the path without its ends; every packet stops half way around.
    fn even_cycle_of_two_lanes(&mut self, node: NodeId) {
        let half = self.n / 2;
        for (port, lane, last) in [(BACK, 0, half), (FORTH, 0, half - 1), (BACK, 1, half), (FORTH, 1, half + 1)] {
            let source = Source::In { port: port.opposite(), lane, age: 1 };
            let wait = u32::from(lane);
            let runs = if node.0 % 2 == wait {
                vec![idle(wait), OWN, Run { source, ticks: last - wait - 1 }]
            } else {
                vec![Run { source, ticks: last }]
            };
            let track = self.builder.track(&runs, Source::Idle);
            self.builder.set_lane(node, port, lane, track);
        }
    }
}

/// 003, section 3.1, N odd: an even cycle with a node N that node 0 plays, too. Hops between the two make no move.
fn odd_cycle(cycle: &Topology) -> Vec<PacketMove> {
    let n = cycle.nodes();
    let (m, half) = (n + 1, n.div_ceil(2));
    let real = |place: u32| if place == n { 0 } else { place };
    let mut moves = Vec::new();
    for i in 0..n {
        let is_odd = i % 2;
        let (mut right, left) = (half - 1 + is_odd, half - is_odd);
        // both would come to node 0
        if (i + right) % m == n && i == left {
            right -= 1;
        }
        for (hops, port) in [(right, FORTH), (left, BACK)] {
            for hop in 0..hops {
                let at = |hop| real(if port == FORTH { (i + hop) % m } else { (i + m - hop) % m });
                if at(hop) != at(hop + 1) {
                    moves.push(PacketMove {
                        tick: 1 + is_odd + hop,
                        from: NodeId(at(hop)),
                        by: port,
                        token: NodeId(i),
                    });
                }
            }
        }
    }
    moves
}
