//! The fewest ticks of gossip, and of the reduce-scatter that it is backwards.

use super::limit::Share;
use super::{Bound, BoundReason, Travel, ball};
use crate::net::{Around, Network, NodeId};
use crate::program::Link;

/// Searches times nodes: more take seconds.
const MOST_WORK: u64 = 1 << 24;

/// The lower bound for so many flits per node.
pub fn lower_bound(network: &Network, link: Link, flits: u64) -> Bound {
    let (lanes, latency) = (u64::from(link.lanes), link.latency);
    let others = network.live_nodes() - 1;
    let ports = lanes * u64::from(network.fewest_links());
    let arriving = Share { flits: flits.saturating_mul(others.into()), room: ports, latency };
    let intake = Bound { ticks: arriving.ticks(), due_to: BoundReason::Ports { flits, others, ports, latency } };
    let diameter = diameter(network, latency);
    let best = if link.duplex.is_full() {
        let ball = ball::lower_bound(network, flits, lanes, latency);
        [intake, diameter].into_iter().chain(ball).reduce(Bound::or)
    } else {
        half_duplex(network, link, flits).into_iter().chain([intake]).reduce(Bound::or)
    };
    at_nodes(network, flits, lanes, latency).fold(best.expect("there are some"), Bound::or)
}

/// Bound by the distance of the nodes that are farthest apart.
pub fn diameter(network: &Network, latency: u32) -> Bound {
    Bound { ticks: u64::from(network.diameter()) * u64::from(latency), due_to: BoundReason::Diameter { latency } }
}

/// Bounds by what arrives at nodes of each kind. On a product the first node says most: it is in a corner, or like all others.
fn at_nodes(network: &Network, flits: u64, lanes: u64, latency: u32) -> impl Iterator<Item = Bound> {
    let nodes = if network.as_product().is_some() {
        vec![NodeId(0)]
    } else {
        let mut nodes = network.orbits().first().to_vec();
        // the nodes with the fewest links say most
        nodes.sort_by_key(|&node| network.linked_ports(node).count());
        nodes.truncate((MOST_WORK / u64::from(network.nodes())).max(1) as usize);
        nodes
    };
    nodes.into_iter().map(move |node| at_node(network, node, flits, lanes, latency))
}

/// Bound by what arrives at one node: of the nodes at distance k or more nothing arrives before tick k * l, and then one flit per
/// port and tick.
fn at_node(network: &Network, node: NodeId, flits: u64, lanes: u64, latency: u32) -> Bound {
    let ports = lanes * network.linked_ports(node).count() as u64;
    let mut farther = 0;
    let mut best = Bound::NONE;
    for (distance, nodes) in at_distance(network, node).into_iter().enumerate().skip(1).rev() {
        farther += nodes;
        let (distance, flits) = (distance as u64, farther.saturating_mul(flits));
        let ticks = (distance * u64::from(latency) - 1).saturating_add(flits.div_ceil(ports));
        best = best.or(Bound { ticks, due_to: BoundReason::Latency { distance, latency, flits, ports } });
    }
    best
}

/// Number of nodes there are at each distance from a node, which is the first of a product.
fn at_distance(network: &Network, node: NodeId) -> Vec<u64> {
    let Some(product) = network.as_product() else {
        let around = Around::new(network, node);
        let mut all = vec![0; around.depth() as usize + 1];
        network.live_ids().for_each(|node| all[around.distance(node) as usize] += 1);
        return all;
    };
    let mut all = vec![1];
    for axis in 0..network.axes() {
        let side = network.side(axis);
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

/// Bounds on half-duplex links: a link carries what it would in one direction.
fn half_duplex(network: &Network, link: Link, flits: u64) -> Vec<Bound> {
    let (lanes, latency) = (u64::from(link.lanes), link.latency);
    let nodes = u64::from(network.live_nodes());
    let all = flits.saturating_mul(nodes);
    let links = network.links() / 2;
    let beyond_first = lanes.saturating_sub(flits) * links;
    let crossings = all.saturating_mul(nodes - 1).saturating_add(beyond_first);
    let by_links = Share { flits: crossings, room: links * lanes, latency };
    let by_ports = Share { flits: all, room: lanes * u64::from(network.fewest_links()), latency };
    let mut bounds = vec![
        Bound { ticks: by_links.ticks(), due_to: BoundReason::HalfDuplexLinks(by_links) },
        Bound { ticks: by_ports.ticks(), due_to: BoundReason::HalfDuplexPorts(by_ports) },
        diameter(network, latency),
    ];
    // a theorem on one packet holds for more of them, too
    bounds.extend(proved(network, link.lanes));
    bounds.extend((0..network.axes()).filter_map(|axis| across(network, axis, lanes, all, latency)));
    bounds
}

/// Bound by the flits that cross the middle of an open axis of a product, each of them once in one direction: the last one goes on
/// to the farther end of the smaller half.
fn across(network: &Network, axis: usize, lanes: u64, flits: u64, latency: u32) -> Option<Bound> {
    let product = network.as_product().filter(|product| !product.wraps(axis))?;
    let side = product.network().side(axis);
    let links = lanes * u64::from(network.nodes() / side);
    let way = Travel { radius: (side / 2).checked_sub(1)?, latency };
    let ticks = way.ticks() + flits.div_ceil(links);
    Some(Bound { ticks, due_to: BoundReason::HalfDuplexCut { axis, way, flits, links } })
}

/// Bound by a theorem on lines and on meshes of two rows: the traffic across the middle, plus the distance to the end.
/// Lau and Zhang's Theorems 2.1 and 3.1, for cycles and odd paths, give no more than links and diameter.
fn proved(network: &Network, lanes: u8) -> Option<Bound> {
    let product = network.as_product().filter(|product| product.is_closed() || product.is_open())?;
    let (ticks, theorem) = match (network.dims(), product.is_closed(), lanes) {
        (&[n], false, 1) => (3 * (n / 2) - u32::from(n % 2 == 0), "Lau and Zhang, Theorem 2.2"),
        (&[n], false, _) if n % 2 == 0 => (n, "Lau and Zhang, Theorem 3.3"),
        (&[n], true, _) if n % 2 == 0 && n > 2 => (n / 2 + 1, "Lau and Zhang, Theorem 3.4"),
        (&[2, 2], false, 2) => (3, "Lau and Zhang, Theorem 3.4, on a cycle of four"),
        (&[n], true, _) if n % 2 == 1 && n > 3 => (n.div_ceil(2) + 1, "Lau and Zhang, Theorem 3.5"),
        (&[2, n] | &[n, 2], false, 1) => (n + n / 2, "the middle of two rows, and the way to the end"),
        _ => return None,
    };
    Some(Bound { ticks: ticks.into(), due_to: BoundReason::Theorem(theorem) })
}

#[cfg(test)]
mod tests {
    use super::super::of_gossip;
    use super::*;
    use crate::net::ShapeName;

    fn ticks(dims: &[u32], latency: u32) -> u64 {
        lower_bound(&Network::new(ShapeName::Torus, dims).unwrap(), Link { latency, ..Link::default() }, 1).ticks
    }

    #[test]
    fn the_bound_covers_the_diameter_and_the_ports() {
        let measured = [8, 32, 64].map(|latency| [ticks(&[16, 16], latency), ticks(&[16, 16, 16], latency)]);
        assert_eq!(measured, [[128, 704], [512, 843], [1024, 1536]]);
        assert_eq!([8, 32, 64].map(|latency| ticks(&[64, 64], latency)), [1059, 2048, 4096]);
    }

    /// Flits count, not packets: the last of them need not wait for a whole step.
    #[test]
    fn long_packets_share_the_ports_flit_by_flit() {
        let torus = Network::new(ShapeName::Torus, &[4, 4]).unwrap();
        assert_eq!([1, 2, 3, 4, 8].map(|flits| of_gossip(&torus, flits)), [4, 8, 12, 15, 30]);
    }

    #[test]
    fn nodes_are_counted_by_distance() {
        for (shape, dims) in
            [(ShapeName::Torus, &[4, 5][..]), (ShapeName::Mesh, &[3, 4]), (ShapeName::Torus, &[2, 3, 4])]
        {
            let network = Network::new(shape, dims).unwrap();
            let around = Around::new(&network, NodeId(0));
            let mut counted = vec![0; around.depth() as usize + 1];
            network.node_ids().for_each(|node| counted[around.distance(node) as usize] += 1);
            assert_eq!(at_distance(&network, NodeId(0)), counted, "{dims:?}");
        }
    }
}
