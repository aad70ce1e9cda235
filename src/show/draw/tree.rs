//! How one packet reaches every node: each node in the colour of the tick in which it comes, and the link that brings it.

use super::panels::{self, Map};
use super::svg::{Anchor, P, Path, Svg};
use super::{DrawError, fits, palette};
use crate::net::{NodeId, Port};
use crate::play::Machine;
use crate::program::Program;

/// Cells smaller than these tell nothing.
pub const MOST_NODES: u32 = 16_384;

/// How a node gets the packet first.
#[derive(Clone, Copy)]
struct Arrival {
    tick: u32,
    port: Port,
}

/// The tree along which a packet of a node spreads.
pub fn tree(program: &Program, root: NodeId, packet: u32) -> Result<String, DrawError> {
    let topology = &program.topology;
    fits(topology, MOST_NODES)?;
    let packets = program.demand.packets_of(root);
    if packet >= packets {
        return Err(DrawError::Packet { packet, packets });
    }
    let arrivals = arrivals(program, root, packet);
    let last = arrivals.iter().flatten().map(|arrival| arrival.tick).max().unwrap_or(1);
    let map = Map::new(topology, 840.0)?;
    let corner = P(14.0, panels::HEADING + 24.0);
    let mut svg = Svg::new();
    let title = format!("{}, {}", topology.describe(), program.title.scheme);
    let which = if packets > 1 { format!("packet {packet}") } else { "the packet".to_owned() };
    let subtitle =
        format!("{which} of node {}: the tick in which it reaches each node, and from where", topology.show(root));
    panels::heading(&mut svg, &title, &subtitle);
    map.labels(&mut svg, corner, map.cell >= 12.0);
    // the last shade is for nodes that it does not reach
    let shade = |node: NodeId| match arrivals[node.index()] {
        Some(arrival) => palette::level(arrival.tick.into(), last.into()),
        None if node == root => 0,
        None => palette::LEVELS,
    };
    let colour = |shade| if shade == palette::LEVELS { "none".to_owned() } else { palette::scale(shade) };
    map.fill(&mut svg, corner, palette::LEVELS + 1, shade, colour);
    if map.cell >= 12.0 {
        svg.path("class=\"line n\" stroke-width=\"1.5\"", &branches(program, &map, corner, &arrivals));
    }
    if map.cell >= 24.0 {
        for node in topology.node_ids() {
            let text = arrivals[node.index()].map(|arrival| arrival.tick.to_string());
            let Some(text) = text.or_else(|| (node == root).then(|| "0".to_owned())) else { continue };
            let class = if shade(node) * 2 < palette::LEVELS { "small pale" } else { "small ink" };
            let middle = map.corner(corner, node) + P(map.cell * 0.5 - 0.75, map.cell * 0.5 + 3.5);
            svg.text(class, middle, Anchor::Middle, &text);
        }
    }
    let bar = corner + P(30.0, map.size().1 + 14.0);
    panels::scale_bar(&mut svg, bar, "tick 0", &format!("tick {last}"));
    let width = (map.size().0 + 44.0).max(panels::heading_width(&title, &subtitle));
    Ok(svg.finish(&format!("{title}: {subtitle}"), width, bar.1 + 40.0))
}

/// The first arrival of the packet at every node but its own.
fn arrivals(program: &Program, root: NodeId, packet: u32) -> Vec<Option<Arrival>> {
    let mut first = vec![None; program.topology.nodes() as usize];
    let mut machine = Machine::new(program);
    while !machine.is_done() {
        machine.step();
        for (node, input, flit) in machine.arrivals() {
            let origin = program.demand.origin(flit);
            if (origin.node, origin.packet) == (root, packet) && node != root {
                first[node.index()].get_or_insert(Arrival { tick: machine.tick(), port: input.port });
            }
        }
    }
    first
}

/// A line from each node to the one that it has the packet from, along the border of their cells; a short one where the link
/// leaves the map or the plane.
fn branches(program: &Program, map: &Map, corner: P, arrivals: &[Option<Arrival>]) -> Path {
    let topology = &program.topology;
    let middle = |node| map.corner(corner, node) + P(map.cell, map.cell) * 0.5 + P(-0.75, -0.75);
    let mut path = Path::default();
    for node in topology.node_ids() {
        let Some(Arrival { port, .. }) = arrivals[node.index()] else { continue };
        let Some(sender) = topology.neighbour(node, port) else { continue };
        let (here, there) = (middle(node), middle(sender));
        let way = there - here;
        let is_beside = way.length() < 1.5 * map.cell;
        // numbers stand in the middle of cells: lines keep away from it
        let (from, to) = if is_beside { (0.32, 0.68) } else { (0.32, 0.5) };
        let unit = if is_beside { way } else { outward(topology.axes(), port) * map.cell };
        path.move_to(here + unit * from);
        path.line_to(here + unit * to);
    }
    path
}

/// The way in which a port looks on a map; along the axis from plane to plane there is none, and it is drawn aslant.
fn outward(axes: usize, port: Port) -> P {
    let sign = if port == Port::plus(port.axis()) { 1.0 } else { -1.0 };
    match axes - port.axis() {
        1 => P(sign, 0.0),
        2 => P(0.0, sign),
        _ => P(0.7, 0.7) * sign,
    }
}
