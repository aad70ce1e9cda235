//! The fewest ticks of flits from one node, or to one, by the links between its layers.

use super::{Bound, Limit, Travel};
use crate::net::{Around, Port};

/// Bound by the links between nodes at one distance and at the next: flits at each distance are given.
pub fn lower_bound(around: &Around, at: &[u64], latency: u32) -> Bound {
    let network = around.topology();
    let mut links = vec![0; at.len()];
    for node in network.live_ids() {
        let distance = around.distance(node);
        let farther = |port: &Port| network.step(node, *port).is_some_and(|there| around.distance(there) > distance);
        links[distance as usize] += network.linked_ports(node).filter(farther).count() as u64;
    }
    let (mut best, mut fewest) = (Bound { steps: 0, due_to: Limit::Diameter }, u64::MAX);
    for radius in 0..at.len() - 1 {
        fewest = fewest.min(links[radius]);
        let flits: u64 = at[radius + 1..].iter().sum();
        let way = Travel { radius: radius as u32, latency };
        let steps = way.ticks() + flits.div_ceil(fewest);
        if flits > 0 && steps > best.steps {
            best = Bound { steps, due_to: Limit::Layers { way, flits, links: fewest } };
        }
    }
    best
}
