//! Tree of one packet: every node in the colour of the tick in which it arrives, with the link that brings it; of a reduction, the
//! tick and the link by which its partial leaves. Or, the other way round, the arrivals of all packets at one node.

use std::collections::HashSet;

use super::layout::aslant;
use super::panels::{self, LegendSample, Map};
use super::svg::{P, Path, Svg};
use super::{DrawError, fits, palette};
use crate::net::{Channel, NodeId, Port, Topology};
use crate::play::{Machine, Player};
use crate::program::Program;

/// Cells smaller than these tell nothing.
pub const MOST_NODES: u32 = 16_384;

/// First arrival of the packet at a node, or of the node's partial at the next.
#[derive(Clone, Copy)]
struct DrawnArrival {
    tick: u32,
    port: Port,
    /// true of a partial, which leaves by the port
    leaves: bool,
}

/// Shafts and heads of the arrows on a map with this corner.
type ArrowLines<'l> = &'l dyn Fn(&Map, P) -> [Path; 2];

/// The tree along which a packet of a node spreads, or its values are combined.
pub fn tree(program: &Program, root: NodeId, packet: u32) -> Result<String, DrawError> {
    let topology = &program.topology;
    fits(topology, MOST_NODES)?;
    let packets = program.demand.packets_of(root);
    if packet >= packets {
        return Err(DrawError::Packet { packet, packets });
    }
    let combines = program.reduction.is_some();
    let arrivals = if combines { partials(program, root, packet) } else { arrivals(program, root, packet) };
    let which = if packets > 1 { format!("packet {packet}") } else { "the packet".to_owned() };
    let told = if combines {
        "the tick in which each node's partial reaches the next, and where it goes"
    } else {
        "the tick in which it reaches each node, and from where"
    };
    let subtitle = format!("{which} of node {}: {told}", topology.show(root));
    let mut ticks: Vec<Option<u32>> = arrivals.iter().map(|arrival| arrival.map(|arrival| arrival.tick)).collect();
    if combines {
        ticks[root.index()] = ticks.iter().flatten().copied().max();
    }
    let branches = |map: &Map, corner| branches(program, map, corner, &arrivals);
    ticks_on_a_map(program, root, &ticks, &subtitle, Some(&branches))
}

/// When a node has heard all that it ever does of each of the others.
pub fn heard(program: &Program, node: NodeId) -> Result<String, DrawError> {
    fits(&program.topology, MOST_NODES)?;
    let mut ticks = vec![None; program.topology.nodes() as usize];
    let mut known = HashSet::new();
    let mut machine = Machine::new(program);
    let inputs: Vec<Channel> = program.channels().collect();
    while !machine.is_done() {
        machine.step();
        for flit in inputs.iter().filter_map(|&input| machine.arrival(node, input)) {
            let origin = program.demand.origin(flit).node;
            if origin != node && known.insert(flit) {
                ticks[origin.index()] = Some(machine.tick());
            }
        }
    }
    let subtitle = format!("the tick in which node {} has heard the last of each node", program.topology.show(node));
    ticks_on_a_map(program, node, &ticks, &subtitle, None)
}

/// Nodes in the colours of their ticks; one of them is where it all begins.
fn ticks_on_a_map(
    program: &Program,
    root: NodeId,
    ticks: &[Option<u32>],
    subtitle: &str,
    lines: Option<ArrowLines<'_>>,
) -> Result<String, DrawError> {
    let topology = &program.topology;
    let last = ticks.iter().flatten().copied().max().unwrap_or(1);
    let map = Map::new(topology, 840.0)?;
    let corner = P(14.0, panels::HEADING + 24.0);
    let mut svg = Svg::new();
    let title = format!("{}, {}", topology.describe(), program.title.scheme);
    panels::heading(&mut svg, &title, subtitle);
    map.labels(&mut svg, corner, map.cell >= 12.0);
    // the last shade is for nodes that have none
    let shade = |node: NodeId| match ticks[node.index()] {
        Some(tick) => palette::level(tick.into(), last.into()),
        None if node == root => 0,
        None => palette::LEVELS,
    };
    let colour = |shade| if shade == palette::LEVELS { "none".to_owned() } else { palette::scale(shade) };
    map.fill(&mut svg, corner, palette::LEVELS + 1, shade, colour);
    let lines = lines.filter(|_| map.cell >= 12.0);
    if let Some(lines) = lines {
        let [shafts, heads] = lines(&map, corner);
        // cells have the same colours on either paper, some dark and some light
        svg.path("class=\"line\" stroke=\"#ffffff\" stroke-width=\"4\"", &shafts);
        svg.path("fill=\"#1f2328\" stroke=\"#ffffff\" stroke-width=\"2\" paint-order=\"stroke\"", &heads);
        svg.path("class=\"line\" stroke=\"#1f2328\" stroke-width=\"1.5\"", &shafts);
    }
    if map.cell >= 24.0 {
        for node in topology.node_ids() {
            let tick = ticks[node.index()].or_else(|| (node == root).then_some(0));
            let Some(tick) = tick else { continue };
            map.write(&mut svg, corner, node, palette::on_level(shade(node)), &tick.to_string());
        }
    }
    let bar = corner + P(Map::BESIDE, map.size().1 + 14.0);
    panels::scale_bar(&mut svg, bar, "tick 0", &format!("tick {last}"));
    let width = (map.size().0 + 44.0).max(panels::heading_width(&title, subtitle));
    let mut bottom = bar.1 + 40.0;
    if lines.is_some() {
        let link =
            if program.reduction.is_some() { "that takes the partial on" } else { "that brings the packet first" };
        let item = (LegendSample::Arrow, format!("link {link}"));
        bottom = panels::list(&mut svg, &[item], P(24.0, bottom));
    }
    Ok(svg.finish(&format!("{title}: {subtitle}"), width, bottom))
}

/// The first arrival of the packet at every node but its own.
fn arrivals(program: &Program, root: NodeId, packet: u32) -> Vec<Option<DrawnArrival>> {
    let mut first = vec![None; program.topology.nodes() as usize];
    let mut machine = Machine::new(program);
    while !machine.is_done() {
        machine.step();
        for (node, input, flit) in machine.arrivals() {
            let origin = program.demand.origin(flit);
            if (origin.node, origin.packet) == (root, packet) && node != root {
                let arrival = DrawnArrival { tick: machine.tick(), port: input.port, leaves: false };
                first[node.index()].get_or_insert(arrival);
            }
        }
    }
    first
}

/// The partial of the packet that every node but its own sends on.
fn partials(program: &Program, root: NodeId, packet: u32) -> Vec<Option<DrawnArrival>> {
    let topology = &program.topology;
    let mut first = vec![None; topology.nodes() as usize];
    let ticks = program.reduction.as_ref().map_or(0, |reduction| reduction.ticks);
    let mut player = Player::new(program);
    while player.tick() < ticks {
        player.step();
        for (node, output) in topology.node_ids().flat_map(|node| program.channels().map(move |output| (node, output)))
        {
            let Some(flit) = player.flit(program.register(node, output)) else { continue };
            let owner = program.demand.origin(flit);
            if (owner.node, owner.packet) == (root, packet) {
                let arrival = DrawnArrival { tick: player.tick(), port: output.port, leaves: true };
                first[node.index()].get_or_insert(arrival);
            }
        }
    }
    first
}

/// An arrow to each node from the one that it has the packet from, or to the one that takes its partial on, across the border of their cells; a short one where the link
/// leaves the map or the plane. Shafts and heads are paths of their own.
fn branches(program: &Program, map: &Map, corner: P, arrivals: &[Option<DrawnArrival>]) -> [Path; 2] {
    let topology = &program.topology;
    let middle = |node| map.corner(corner, node) + P(map.cell, map.cell) * 0.5 + P(-0.75, -0.75);
    let [mut shafts, mut heads] = [Path::default(), Path::default()];
    for node in topology.node_ids() {
        let Some(DrawnArrival { port, leaves, .. }) = arrivals[node.index()] else { continue };
        let Some(sender) = topology.step(node, port) else { continue };
        let (here, there) = (middle(node), middle(sender));
        let way = there - here;
        let is_beside = way.length() < 1.5 * map.cell;
        // numbers stand in the middle of cells: lines keep away from it
        let (from, to) = if is_beside { (0.32, 0.68) } else { (0.32, 0.5) };
        let unit = if is_beside { way } else { outward(topology, port) * map.cell };
        let (from, to, towards) = if leaves { (to, from, unit) } else { (from, to, unit * -1.0) };
        shafts.move_to(here + unit * to);
        shafts.line_to(here + unit * from);
        heads.arrow(here + unit * from, towards, 4.0);
    }
    [shafts, heads]
}

/// The way in which a port looks on a map; along the axis from plane to plane there is none, and it is drawn aslant.
fn outward(topology: &Topology, port: Port) -> P {
    let sign = if port == Port::plus(port.axis()) { 1.0 } else { -1.0 };
    match topology.axes() - port.axis() {
        1 => P(sign, 0.0),
        2 => P(0.0, sign),
        _ => aslant(topology).unwrap_or(P(0.7, 0.7)) * sign,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::design::Design;
    use crate::design::config::Config;

    /// Every partial reaches the next node before that sends its own, and the last of them the node that it is for.
    #[test]
    fn partials_lead_to_the_node_of_the_packet() {
        for text in [
            "topology: { torus: [4, 4] }\ncollective: all-reduce\noperation: sum\nscheme: staircase",
            "topology: { mesh: [3, 5] }\ncollective: reduce-scatter\noperation: max",
            "topology: { torus: [3, 4] }\nnumber: f32\ncollective: all-reduce\noperation: sum",
        ] {
            let program = Design::new(Config::parse(text).unwrap()).unwrap().program;
            let root = NodeId(5);
            let partials = partials(&program, root, 0);
            for node in program.topology.node_ids() {
                let Some(mut last) = partials[node.index()] else {
                    assert_eq!(node, root, "{text}: every other node has a value");
                    continue;
                };
                let mut at = program.topology.step(node, last.port).unwrap();
                while let Some(next) = partials[at.index()] {
                    assert!(last.leaves && last.tick < next.tick, "{text}: {} of {}", next.tick, last.tick);
                    at = program.topology.step(at, next.port).unwrap();
                    last = next;
                }
                assert_eq!(at, root, "{text}");
            }
            let picture = tree(&program, root, 0).unwrap();
            assert!(
                picture.contains("each node's partial reaches the next") && picture.contains("takes the partial on")
            );
        }
    }
}
