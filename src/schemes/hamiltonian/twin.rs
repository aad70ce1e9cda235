//! Meshes with odd sides: a cycle through all nodes but a corner, which its diagonal stands in for.
//!
//! The corner w has the neighbours a and b, and between these the cycle passes the diagonal c: ... left a c b right .... What
//! goes round passes c or w, and a and b hand both sides on, so that nothing waits for more than two ticks.

use crate::net::splitmix::Splitmix;
use crate::net::{NodeId, Port, Topology};
use crate::program::{Demand, Program, ProgramBuilder, Run, Source, Title};
use crate::task::Unmet;

/// Starts that are tried before the growth of a cycle is given up.
const SEEDS: u64 = 300;
/// Largest mesh on which a cycle is grown.
pub const MOST_NODES: u32 = 1 << 12;

/// Returns true if all sides are odd, so that there is no cycle through all nodes.
pub fn is_odd(sides: &[u32]) -> bool {
    sides.len() > 1 && sides.iter().all(|side| side % 2 == 1 && *side > 1)
}

/// Gossip of one packet a node in (P - 1) / 2 steps.
pub fn program(topology: &Topology, title: Title) -> Result<Program, Unmet> {
    let cycle = (0..SEEDS).find_map(|seed| cycle(topology, seed));
    let cycle = cycle.ok_or(Unmet { needs: "a mesh on which the search finds a cycle around a corner" })?;
    let nodes = cycle.len();
    let ticks = topology.nodes() / 2;
    let mut builder = ProgramBuilder::new(topology, ticks, Demand::gossip(topology, 1));
    let port = |from: NodeId, to: NodeId| {
        let mut ports = topology.linked_ports(from);
        ports.find(|&port| topology.step(from, port) == Some(to)).expect("they are neighbours")
    };
    let own = Run { source: Source::own(0), ticks: 1 };
    let mut send = |from: NodeId, to: NodeId, then: &[(NodeId, u32, u32)], last: Option<(NodeId, u32)>| {
        let source = |node: NodeId, age: u32| Source::input(port(from, node), age);
        let runs = then.iter().map(|&(node, age, ticks)| Run { source: source(node, age), ticks });
        let runs: Vec<Run> = std::iter::once(own).chain(runs).collect();
        let track = builder.track(&runs, last.map_or(Source::Idle, |(node, age)| source(node, age)));
        builder.set(from, port(from, to), track);
    };
    let corner = NodeId(0);
    let [c, b, right] = [0, 1, 2].map(|at| cycle[at]);
    let [left, a] = [nodes - 2, nodes - 1].map(|at| cycle[at]);
    for at in 2..nodes - 1 {
        let (before, node, after) = (cycle[at - 1], cycle[at], cycle[(at + 1) % nodes]);
        send(node, after, &[], Some((before, 1)));
        send(node, before, &[], Some((after, 1)));
    }
    send(a, left, &[(c, 1, 1)], Some((corner, 2)));
    send(b, right, &[(corner, 1, 1)], Some((c, 2)));
    send(a, c, &[], Some((left, 1)));
    send(b, corner, &[], Some((right, 1)));
    send(a, corner, &[(c, 1, 1)], Some((left, 2)));
    send(b, c, &[(corner, 1, 1)], Some((right, 2)));
    send(corner, a, &[(b, 1, ticks - 2)], None);
    send(c, b, &[(a, 1, ticks - 2)], None);
    send(c, a, &[], None);
    send(corner, b, &[], None);
    Ok(builder.finish(title))
}

/// A cycle through all nodes but the first, which begins with the first's diagonal and has its neighbours beside that.
///
/// The ring around a 3x3 corner grows by two layers along each axis: two nodes beside an edge of the cycle take its place, those
/// first that have the fewest other ways in.
fn cycle(topology: &Topology, seed: u64) -> Option<Vec<NodeId>> {
    let mut random = Splitmix(seed);
    let at = |x1: u32, x2: u32| {
        let mut coords = vec![0; topology.axes()];
        (coords[0], coords[1]) = (x1, x2);
        topology.node(&coords)
    };
    let ring = [(1, 1), (1, 0), (2, 0), (2, 1), (2, 2), (1, 2), (0, 2), (0, 1)];
    let mut cycle: Vec<NodeId> = ring.map(|(x1, x2)| at(x1, x2)).to_vec();
    let mut reach: Vec<u32> = (0..topology.axes()).map(|axis| if axis < 2 { 3 } else { 1 }).collect();
    let mut is_left = vec![false; topology.nodes() as usize];
    for axis in 0..topology.axes() {
        while reach[axis] < topology.side(axis) {
            let is_new = |node: &NodeId| {
                let inside = |(other, &reach): (usize, &u32)| {
                    let x = topology.coord(*node, other);
                    if other == axis { (reach..reach + 2).contains(&x) } else { x < reach }
                };
                reach.iter().enumerate().all(inside)
            };
            topology.node_ids().filter(is_new).for_each(|node| is_left[node.index()] = true);
            while is_left.contains(&true) {
                let (place, pair) = domino(topology, &cycle, &is_left, &mut random)?;
                for node in pair {
                    is_left[node.index()] = false;
                }
                cycle.splice(place..place, pair);
            }
            reach[axis] += 2;
        }
    }
    Some(cycle)
}

/// Ways into the two nodes, the fewer first, and chance.
type EntryKey = (usize, usize, u64);

/// Two nodes that can go into the cycle, and the place before which they do.
fn domino(
    topology: &Topology,
    cycle: &[NodeId],
    is_left: &[bool],
    random: &mut Splitmix,
) -> Option<(usize, [NodeId; 2])> {
    let ways_in = |node: NodeId| {
        topology
            .linked_ports(node)
            .filter_map(|port| topology.step(node, port))
            .filter(|there| is_left[there.index()])
            .count()
    };
    let mut best: Option<(EntryKey, usize, [NodeId; 2])> = None;
    // the diagonal keeps its neighbours
    for place in 2..cycle.len() {
        let (one, other) = (cycle[place - 1], cycle[place]);
        for port in topology.port_ids() {
            let beside = |node: NodeId, port: Port| topology.step(node, port).filter(|there| is_left[there.index()]);
            let (Some(x), Some(y)) = (beside(one, port), beside(other, port)) else { continue };
            let key = (ways_in(x).min(ways_in(y)), ways_in(x) + ways_in(y), random.next());
            if best.as_ref().is_none_or(|(least, ..)| key < *least) {
                best = Some((key, place, [x, y]));
            }
        }
    }
    best.map(|(_, place, pair)| (place, pair))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check;
    use crate::net::ShapeName;

    #[test]
    fn odd_meshes_gossip_in_half_their_nodes_with_nothing_older_than_two_ticks() {
        let planes = (3..=11).step_by(2).flat_map(|n1| (3..=11).step_by(2).map(move |n2| vec![n1, n2]));
        for dims in planes.chain([vec![3, 3, 3], vec![3, 5, 5], vec![5, 3, 7], vec![3, 3, 3, 3]]) {
            let mesh = Topology::new(ShapeName::Mesh, &dims).unwrap();
            let program = program(&mesh, Title::new("any", "hamiltonian")).unwrap();
            let report = check::by_execution(&program);
            assert!(report.passed(), "{mesh}: {:?}", report.violations);
            assert_eq!((program.ticks, report.duplicates), ((mesh.nodes() - 1) / 2, Some(0)), "{mesh}");
            assert!(program.depth() <= 2, "{mesh}");
        }
    }
}
