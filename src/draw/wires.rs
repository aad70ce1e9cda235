//! Uses of an output: along its cycle, as supply for nodes off a cycle, or other.

use crate::net::{NodeId, Port};
use crate::paths::cover::Cover;
use crate::program::{Program, Source};

/// Use of a directed link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WireUse {
    /// Link that is never used.
    Unused,
    /// A stream along the cycle that owns the link.
    Along { cycle: usize },
    /// A cycle's packets for a node off the cycle.
    Supply { cycle: usize },
    /// Packets of no cycle.
    Other,
}

/// Use of the link at output `port` of `node`.
pub(super) fn wire(program: &Program, cover: Option<&Cover>, node: NodeId, port: Port) -> WireUse {
    let track = &program.class(node).outputs[port.index()];
    let owner = cover.and_then(|cover| cover.owner(node, port));
    match owner {
        Some(cycle) => WireUse::Along { cycle },
        None if track.is_idle() => WireUse::Unused,
        None => match cover.and_then(|cover| supplied_cycle(program, cover, node, port)) {
            Some(cycle) => WireUse::Supply { cycle },
            None => WireUse::Other,
        },
    }
}

/// The cycle whose packets an output off every cycle passes on: that of the input it reads at the end, or, if that
/// input is supply too, that of the neighbour it comes from.
fn supplied_cycle(program: &Program, cover: &Cover, node: NodeId, port: Port) -> Option<usize> {
    /// Supporters are at distance two at most in all known schemes (section 3.3); some relays are longer.
    const FARTHEST: usize = 6;
    let (mut node, mut port) = (node, port);
    for _ in 0..FARTHEST {
        let runs = &program.class(node).outputs[port.index()].runs;
        let input = runs.iter().rev().find_map(|run| match run.source {
            Source::In { port, .. } => Some(port),
            _ => None,
        });
        // own packets only: counted to the node's cycle if there is just one
        let Some(input) = input else {
            let mut on = (0..cover.cycles()).filter(|&cycle| cover.place(cycle, node).is_some());
            return on.next().filter(|_| on.next().is_none());
        };
        if let Some(cycle) = cover.owner(node, input) {
            return Some(cycle);
        }
        (node, port) = (program.topology.step(node, input)?, input.opposite());
    }
    None
}
