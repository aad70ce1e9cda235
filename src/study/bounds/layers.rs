//! The fewest ticks of flits from one node, or to one, by the links between its layers.

use super::{Bound, BoundReason, Travel};
use crate::net::{Around, Port};

/// Number of links from the nodes at each distance to those at the next, but for the last.
pub fn links(around: &Around) -> Vec<u64> {
    let network = around.topology();
    let mut links = vec![0; around.depth() as usize];
    for node in network.live_ids() {
        let distance = around.distance(node);
        let farther = |port: &Port| network.step(node, *port).is_some_and(|there| around.distance(there) > distance);
        if let Some(links) = links.get_mut(distance as usize) {
            *links += network.linked_ports(node).filter(farther).count() as u64;
        }
    }
    links
}

/// Bound by the links between nodes at one distance and at the next: flits at each distance are given.
pub fn lower_bound(around: &Around, at: &[u64], latency: u32) -> Bound {
    let (mut best, mut fewest) = (Bound::NONE, u64::MAX);
    for (radius, links) in links(around).into_iter().enumerate() {
        fewest = fewest.min(links);
        let flits: u64 = at[radius + 1..].iter().sum();
        let way = Travel { radius: radius as u32, latency };
        if flits > 0 {
            let ticks = way.ticks() + flits.div_ceil(fewest);
            best = best.or(Bound { ticks, due_to: BoundReason::Layers { way, flits, links: fewest } });
        }
    }
    best
}
