//! `opposed`: a message goes round a cycle both ways, first to last flit one way and last to first the other.
//!
//! A node d links away one way and n - d the other has a flits from one side and b from the other after T ticks, a + b at least all:
//! T = ceil((F + (n - 2) l) / 2) ticks of sending on links of l ticks, or the shorter way alone: the bound of the quickest flow.
//! Nodes but the root forward all that arrives. The root cuts the message where some node's two parts meet, and sends these pieces
//! backwards.

use crate::net::{Network, NodeId, Port};
use crate::program::{Demand, Message, Program, ProgramBuilder, Run, Sender, Source, Title, To};
use crate::task::{About, Claim, Collective, ConstructError, Scheme, Task, Unmet, Woven};

/// Scheme `opposed`: both ways round a cycle.
#[derive(Clone, Copy, Debug)]
pub struct Opposed;

impl Scheme for Opposed {
    fn about(&self) -> About {
        About {
            name: "opposed",
            summary: "Broadcast on a cycle: first to last flit one way round, last to first the other",
            theorem: "the quickest flow on a cycle; no paper's",
            condition: "a cycle",
            packets: "pieces of the root's message",
            preference: 21,
        }
    }

    fn collectives(&self) -> &'static [Collective] {
        &[Collective::Broadcast]
    }

    fn applies(&self, task: &Task) -> Result<(), Unmet> {
        let is_cycle = task.topology.axes() == 1 && task.topology.is_product_of_cycles() && task.topology.nodes() > 2;
        if is_cycle { Ok(()) } else { Err(Unmet { needs: "a cycle" }) }
    }

    fn packets(&self, task: &Task) -> u16 {
        Pieces::of(task).flits.len() as u16
    }

    fn weave(&self, task: &Task, title: Title) -> Result<Woven, ConstructError> {
        Ok(Woven {
            program: program(task.topology, task.root(), task.link.latency, &Pieces::of(task), title),
            cover: None,
        })
    }

    fn claim(&self, _task: &Task) -> Option<Claim> {
        None
    }

    fn steps(&self, task: &Task) -> Option<u32> {
        Some(Pieces::of(task).ticks)
    }

    fn awaits_arrivals(&self, _task: &Task) -> bool {
        true
    }

    fn why(&self, task: &Task, node: NodeId) -> Vec<String> {
        let Pieces { ticks, .. } = Pieces::of(task);
        let (nodes, latency) = (task.topology.nodes(), task.link.latency);
        let up = (node.0 + nodes - task.root().0) % nodes;
        if up == 0 {
            return vec![
                "the root sends the message from its first flit by +x1, and from its last piece by -x1".into(),
            ];
        }
        let by = |links: u32| ticks.saturating_sub((links - 1) * latency).min(task.choice.traffic.flits);
        vec![format!(
            "{up} links up from the root: it gets up to {} flits from -x1, up to {} from +x1, and forwards both",
            by(up),
            by(nodes - up)
        )]
    }
}

/// Message cut into pieces, each of which is sent as a whole.
struct Pieces {
    /// Ticks of sending.
    ticks: u32,
    /// Lengths of the pieces.
    flits: Vec<u32>,
    /// Number of first pieces that go one way only.
    one_way: usize,
}

impl Pieces {
    fn of(task: &Task) -> Self {
        let (nodes, latency, flits) = (task.topology.nodes(), task.link.latency, task.choice.traffic.flits);
        let travel = |links: u32| u64::from(links) * u64::from(latency);
        // the farthest node gets all by both ways, or all by the shorter one
        let both = (u64::from(flits) + travel(nodes - 2)).div_ceil(2);
        let ticks = both.min(u64::from(flits) + travel(nodes / 2 - 1)) as u32;
        let cuts = (1..nodes).map(|links| ticks.saturating_sub((links - 1).saturating_mul(latency)).min(flits));
        // the last node on the way gets these, and the rest the other way
        let one_way = cuts.clone().next_back().unwrap_or(0);
        let mut cuts: Vec<u32> = cuts.chain([0, flits]).collect();
        cuts.sort_unstable();
        cuts.dedup();
        let one_way = cuts.iter().filter(|&&cut| cut < one_way).count();
        Self { ticks, flits: cuts.windows(2).map(|cut| cut[1] - cut[0]).collect(), one_way }
    }
}

fn program(cycle: &Network, root: NodeId, latency: u32, pieces: &Pieces, title: Title) -> Program {
    let message = |&flits: &u32| Message { from: Sender::Node(root), to: To::All, flits };
    let demand = Demand::new(cycle, pieces.flits.iter().map(message).collect());
    let mut builder = ProgramBuilder::new(cycle, pieces.ticks, demand);
    let (up, down) = (Port::plus(0), Port::minus(0));
    let run = |(piece, &ticks): (usize, &u32)| Run { source: Source::own(piece as u32), ticks };
    let forwards: Vec<Run> = pieces.flits.iter().enumerate().map(run).collect();
    let backwards: Vec<Run> = forwards[pieces.one_way..].iter().rev().copied().collect();
    for node in cycle.node_ids() {
        for (port, runs) in [(up, &forwards), (down, &backwards)] {
            let track = if node == root {
                builder.track(runs, Source::Idle)
            } else if cycle.step(node, port) == Some(root) {
                continue;
            } else {
                builder.track(&[], Source::input(port.opposite(), latency))
            };
            builder.set(node, port, track);
        }
    }
    builder.finish(title)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check;
    use crate::net::ShapeName;
    use crate::program::Link;
    use crate::study::bounds;
    use crate::task::{Choice, CollectiveTraffic};

    #[test]
    fn every_cycle_is_served_at_the_bound() {
        for (nodes, flits, latency) in (3..=9)
            .flat_map(|nodes| [1, 2, 3, 7, 20].into_iter().flat_map(move |f| (1..=3).map(move |l| (nodes, f, l))))
        {
            let cycle = Network::new(ShapeName::Cycle, &[nodes]).unwrap();
            let traffic = CollectiveTraffic { root: vec![1], ..CollectiveTraffic::of(Collective::Broadcast, flits) };
            let link = Link { latency, ..Link::default() };
            let choice = Choice { traffic: traffic.into(), ..Choice::default() };
            let task = Task { topology: &cycle, link, choice };
            let program = Opposed.weave(&task, Title::new("t", "opposed")).unwrap().program;
            assert_eq!(Opposed.steps(&task), Some(program.ticks));
            let program = program.on_links_of_latency(latency).unwrap();
            let report = check::by_execution(&program);
            let what = format!("{flits} flits on {nodes} nodes, latency {latency}");
            assert!(report.passed(), "{what}: {:?}", report.violations);
            assert_eq!(u64::from(program.ticks), bounds::of(&program).ticks, "{what}");
        }
    }

    /// Twelve nodes and 64 flits: two trees of equal parts take 42 ticks.
    #[test]
    fn flits_meet_where_both_ways_bring_them() {
        let cycle = Network::new(ShapeName::Cycle, &[12]).unwrap();
        let choice = Choice { traffic: CollectiveTraffic::of(Collective::Broadcast, 64).into(), ..Choice::default() };
        assert_eq!(Opposed.steps(&Task { topology: &cycle, link: Link::default(), choice }), Some(37));
    }
}
