//! Gossip on a path, which is no cycle: both ways every node sends its own packet and then what comes in from behind.

use crate::net::{Port, Topology};
use crate::program::{Demand, Program, ProgramBuilder, Run, Source, Title};

/// P-1 steps: an end has one link, by which P-1 packets have to come.
pub fn program(path: &Topology, title: Title) -> Program {
    let mut builder = ProgramBuilder::new(path, path.nodes() - 1, Demand::gossip(path, 1));
    let own = Run { source: Source::own(0), ticks: 1 };
    for to in [Port::minus(0), Port::plus(0)] {
        let behind = to.opposite();
        let (at_the_end, within) =
            (builder.track(&[own], Source::Idle), builder.track(&[own], Source::input(behind, 1)));
        for node in path.node_ids().filter(|&node| path.step(node, to).is_some()) {
            let is_end = path.step(node, behind).is_none();
            builder.set(node, to, if is_end { at_the_end } else { within });
        }
    }
    builder.finish(title)
}
