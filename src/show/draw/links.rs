//! The links in one tick: which way they carry packets, and whose.

use super::cycles::{Emphasis, MOST_NODES, Picture};
use super::svg::{Anchor, P};
use super::wires::Wire;
use super::{DrawError, fits};
use crate::net::{Channel, NodeId, Port, Way};
use crate::play::Machine;
use crate::program::Program;

/// The links that carry a packet in a tick, which way they do, and whose it is.
pub fn links(program: &Program, tick: u32) -> Result<String, DrawError> {
    let (topology, last) = (&program.topology, program.ticks);
    fits(topology, MOST_NODES)?;
    if tick == 0 || tick > last {
        return Err(DrawError::Tick { tick, last });
    }
    let mut machine = Machine::new(program);
    while machine.tick() < tick {
        machine.step();
    }
    let carried = |node, port| {
        let lanes = (0..program.lanes).map(|lane| program.register(node, Channel { port, lane }));
        let origins =
            lanes.filter_map(|register| machine.register(register)).map(|flit| program.demand.origin(flit).node);
        origins.map(|origin| topology.show(origin)).collect::<Vec<_>>().join(" + ")
    };
    let used = |node, port| if carried(node, port).is_empty() { Wire::Unused } else { Wire::Other };
    let picture = Picture::new(program, None, Emphasis::Cycles, used)?;
    let subtitle = format!("tick {tick} of {last}: which way links carry packets, and whose");
    Ok(picture.draw(&subtitle, |svg| {
        if picture.layout.pitch < 44.0 || picture.layout.is_projected() {
            return;
        }
        for (node, port) in
            topology.node_ids().flat_map(|node| topology.linked_ports(node).map(move |port| (node, port)))
        {
            let whose = carried(node, port);
            svg.text("small soft", beside(&picture, node, port, whose.len()), Anchor::Middle, &whose);
        }
    }))
}

/// Where a link is written upon: to the right of what is drawn of it, or inside of a ring.
fn beside(picture: &Picture, node: NodeId, port: Port, letters: usize) -> P {
    let layout = &picture.layout;
    let step = layout.step(node, port);
    let there = picture.program.topology.neighbour(node, port).and_then(|there| layout.outwards(there));
    // over the border the middle of what is drawn is nearer to the node
    let along = if layout.wraps(node, port) { 0.4 } else { 0.5 };
    let away = match (layout.outwards(node), there) {
        (Some(here), Some(there)) => {
            // both at once only if links are full-duplex
            let is_outside = picture.program.duplex.is_full() && port.way() == Way::Minus;
            (here + there).unit() * if is_outside { 1.6 } else { -1.6 }
        }
        _ => step.unit().right(),
    };
    let aside = 18.0 + 2.0 * letters.saturating_sub(5) as f64;
    layout.at(node) + step * along + P(away.0 * aside, away.1 * 14.0 + 4.0)
}
