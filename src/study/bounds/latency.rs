//! The fewest ticks of gossip over links on which a flit is on its way for longer than one.

use super::{Bound, Limit, ball};
use crate::net::{Around, NodeId, Topology};

/// Searches times nodes: more take seconds.
const MOST_WORK: u64 = 1 << 24;

/// The lower bound, in ticks, for so many flits a node: of the nodes at distance k or more nothing arrives before tick k*l, and
/// then a flit a port and tick. On a product the first node says most: it is in a corner, or like all others.
pub fn lower_bound(topology: &Topology, flits: u64, latency: u32) -> Bound {
    if topology.as_product().is_some() {
        return at_node(topology, NodeId(0), flits, latency);
    }
    let mut nodes = topology.orbits().first().to_vec();
    // the nodes with the fewest links say most
    nodes.sort_by_key(|&node| topology.linked_ports(node).count());
    nodes.truncate((MOST_WORK / u64::from(topology.nodes())).max(1) as usize);
    let bounds = nodes.into_iter().map(|node| at_node(topology, node, flits, latency));
    let all = bounds.chain(ball::lower_bound(topology, flits, 1, latency));
    all.reduce(|best, bound| if bound.steps > best.steps { bound } else { best }).expect("a network has nodes")
}

/// The lower bound by what arrives at one node.
fn at_node(topology: &Topology, node: NodeId, flits: u64, latency: u32) -> Bound {
    let ports = topology.linked_ports(node).count() as u64;
    let mut farther = 0;
    let mut best = Bound { steps: 0, due_to: Limit::Diameter };
    for (distance, nodes) in at_distance(topology, node).into_iter().enumerate().skip(1).rev() {
        farther += nodes;
        let (distance, flits) = (distance as u64, farther.saturating_mul(flits));
        let steps = (distance * u64::from(latency) - 1).saturating_add(flits.div_ceil(ports));
        if steps > best.steps {
            best = Bound { steps, due_to: Limit::Latency { distance, latency, flits, ports } };
        }
    }
    best
}

/// Number of nodes there are at each distance from a node, which is the first of a product.
fn at_distance(topology: &Topology, node: NodeId) -> Vec<u64> {
    let Some(product) = topology.as_product() else {
        let around = Around::new(topology, node);
        let mut all = vec![0; around.depth() as usize + 1];
        topology
            .node_ids()
            .filter(|&node| topology.is_live(node))
            .for_each(|node| all[around.distance(node) as usize] += 1);
        return all;
    };
    let mut all = vec![1];
    for axis in 0..topology.axes() {
        let side = topology.side(axis);
        let along = |at: u32| (if product.wraps(axis) { at.min(side - at) } else { at }) as usize;
        let farthest = (0..side).map(along).max().unwrap_or(0);
        let mut next = vec![0; all.len() + farthest];
        for at in 0..side {
            for (distance, nodes) in all.iter().enumerate() {
                next[distance + along(at)] += nodes;
            }
        }
        all = next;
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::net::Shape;
    use crate::study::bounds;

    fn ticks(dims: &[u32], latency: u32) -> u64 {
        lower_bound(&Topology::new(Shape::Torus, dims).unwrap(), 1, latency).steps
    }

    #[test]
    fn the_bound_covers_the_diameter_and_the_ports() {
        let measured = [8, 32, 64].map(|latency| [ticks(&[16, 16], latency), ticks(&[16, 16, 16], latency)]);
        assert_eq!(measured, [[128, 704], [512, 843], [1024, 1536]]);
        assert_eq!([8, 32, 64].map(|latency| ticks(&[64, 64], latency)), [1059, 2048, 4096]);
        for dims in [&[5, 6][..], &[3, 4, 5], &[16, 16]] {
            let torus = Topology::new(Shape::Torus, dims).unwrap();
            let plain = bounds::lower_bound(&torus, 1).steps;
            assert_eq!(ticks(dims, 1).max(plain), ticks(dims, 1), "{dims:?}: at least what is known of plain links");
        }
    }

    #[test]
    fn bound_names_the_farther_nodes_of_two_reasons() {
        let cycle = Topology::new(Shape::Cycle, &[4]).unwrap();
        let due_to = Limit::Latency { distance: 2, latency: 1, flits: 1, ports: 2 };
        assert_eq!(lower_bound(&cycle, 1, 1), Bound { steps: 2, due_to });
    }

    #[test]
    fn nodes_are_counted_by_distance() {
        for (shape, dims) in [(Shape::Torus, &[4, 5][..]), (Shape::Mesh, &[3, 4]), (Shape::Torus, &[2, 3, 4])] {
            let topology = Topology::new(shape, dims).unwrap();
            let around = Around::new(&topology, NodeId(0));
            let mut counted = vec![0; around.depth() as usize + 1];
            topology.node_ids().for_each(|node| counted[around.distance(node) as usize] += 1);
            assert_eq!(at_distance(&topology, NodeId(0)), counted, "{dims:?}");
        }
    }
}
