//! Half-duplex links: every Hamiltonian cycle does what Lau and Zhang do on a cycle, its ports renamed.

use crate::net::{Channel, NodeId, Port, ShapeName, Topology};
use crate::paths::cover::Cover;
use crate::program::{Demand, Duplex, Program, ProgramBuilder, Run, Source, Title};
use crate::schemes::half_duplex;

/// The steps on so many nodes: on a cycle no scheme takes fewer.
pub fn steps(nodes: u32, lanes: u8) -> u32 {
    half_duplex::steps_on_line(&cycle(nodes), lanes)
}

fn cycle(nodes: u32) -> Topology {
    Topology::new(ShapeName::Cycle, &[nodes]).expect("as many nodes as the network has")
}

/// Gossip of one packet a node on every cycle. Packet 0 rides the cycle of the node's first port, and so on, so that nodes
/// that turn alike send alike. Every cycle must pass every node.
pub fn program(cover: &Cover, lanes: u8, title: Title) -> Program {
    let topology = cover.topology();
    let rules = half_duplex::on_line(&cycle(topology.nodes()), lanes, title.clone());
    let demand = Demand::gossip(topology, cover.cycles() as u16);
    let mut builder = ProgramBuilder::on_links(topology, Duplex::Half, lanes, rules.ticks, demand);
    for node in topology.node_ids() {
        let mut cycles: Vec<usize> = Vec::new();
        for port in topology.port_ids() {
            let Some(cycle) = cover.owner(node, port).filter(|cycle| !cycles.contains(cycle)) else { continue };
            let packet = cycles.len() as u32;
            cycles.push(cycle);
            let visit = cover.visit(cycle, node).expect("its owner passes there");
            let renamed = |port: Port| if port == Port::plus(0) { visit.to } else { visit.from };
            let place = NodeId(visit.place);
            for (output, track) in rules.class(place).outputs.iter().enumerate().filter(|(_, track)| !track.is_idle()) {
                let runs = track.runs.iter().map(|run| Run {
                    source: match run.source {
                        Source::Own { .. } => Source::own(packet),
                        Source::In { port, lane, age } => Source::In { port: renamed(port), lane, age },
                        other => other,
                    },
                    ..*run
                });
                let runs: Vec<Run> = runs.collect();
                let track = builder.track(&runs, Source::Idle);
                let Channel { port, lane } = Channel::from_index(output, lanes);
                builder.set_lane(node, renamed(port), lane, track);
            }
        }
    }
    builder.finish(title)
}
