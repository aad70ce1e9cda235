//! The fewest ticks of a broadcast: what the links of the farthest nodes bring, and the quickest flow.

use super::{Bound, BoundReason, Travel, quickest};
use crate::net::{Around, Network, NodeId};

/// The lower bound for a message of so many flits.
pub fn lower_bound(network: &Network, root: NodeId, flits: u64, latency: u32) -> Bound {
    let intake = intake(network, root, flits, latency);
    // a side of 2 that wraps has two links between the same nodes
    let is_simple = network.is_product_of_cycles() && network.dims().iter().all(|&side| side > 2);
    let flow = if is_simple { None } else { quickest::lower_bound(network, root, flits, latency) };
    flow.map_or(intake, |flow| intake.or(flow))
}

/// A node's links bring one flit per tick each, from when the message can have come through them.
fn intake(network: &Network, root: NodeId, flits: u64, latency: u32) -> Bound {
    let around = Around::new(network, root);
    let far = around.depth().saturating_sub(1).max(1);
    let ticks = network.live_ids().filter(|&node| around.distance(node) >= far).map(|node| {
        let beyond = network.linked_ports(node).filter_map(|port| network.step(node, port));
        let mut distances: Vec<u32> = beyond.map(|there| around.distance(there)).collect();
        distances.sort_unstable();
        // with the nearest k ends alone flits = k * ticks - the ticks of ways by them
        let mut sum = 0;
        let ticks = (1..).zip(&distances).map(|(ends, distance)| {
            sum += Travel { radius: *distance, latency }.ticks();
            (flits + sum).div_ceil(ends)
        });
        ticks.min().unwrap_or(0)
    });
    Bound { ticks: ticks.max().unwrap_or(0), due_to: BoundReason::Intake { flits } }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::net::ShapeName;

    #[test]
    fn on_even_sides_the_bound_of_broadcast_is_a_formula() {
        let cases: [(&[u32], u64, u64); 6] = [
            (&[8, 8], 1, 8),
            (&[8, 8], 8, 9),
            (&[8, 8], 64, 23),
            (&[16, 16], 64, 31),
            (&[4, 4, 4], 64, 16),
            (&[8, 8], 1024, 263),
        ];
        for (dims, flits, expected) in cases {
            let torus = Network::new(ShapeName::Torus, dims).unwrap();
            assert_eq!(lower_bound(&torus, NodeId(5), flits, 1).ticks, expected);
            let (depth, ports) = (dims.iter().map(|side| u64::from(side / 2)).sum::<u64>(), torus.ports() as u64);
            assert_eq!(expected, depth - 1 + flits.div_ceil(ports));
        }
    }

    /// The root receives nothing, so that a network of depth 1 takes one tick for one flit.
    #[test]
    fn the_root_is_no_receiver() {
        for (shape, dims, root) in [(ShapeName::Path, 2, 0), (ShapeName::Cycle, 3, 0), (ShapeName::Path, 3, 1)] {
            let network = Network::new(shape, &[dims]).unwrap();
            assert_eq!(lower_bound(&network, NodeId(root), 1, 1).ticks, 1, "{}", network.describe());
        }
    }
}
