//! The fewest ticks of a scatter, and of the gather that it is backwards.

use super::{Bound, BoundReason, Travel, layers};
use crate::net::Around;

/// The fewest ticks for messages of these lengths, one per node, from a root or to it: those for nodes at distance d or more take
/// their flits by the root's ports to leave, and the last one needs the ticks of d links to arrive.
pub fn lower_bound(around: &Around, lengths: &[u32], latency: u32) -> Bound {
    let ports = around.topology().linked_ports(around.root()).count() as u64;
    let mut at = vec![0u64; around.depth() as usize + 1];
    for node in around.topology().live_ids().filter(|&node| node != around.root()) {
        at[around.distance(node) as usize] += u64::from(lengths[node.index()]);
    }
    let mut bound = Bound::NONE;
    let mut flits = 0;
    for (distance, more) in at.iter().enumerate().skip(1).rev() {
        flits += more;
        let way = Travel { radius: distance as u32 - 1, latency };
        let ticks = flits.div_ceil(ports) + way.ticks();
        if flits > 0 {
            bound = bound.or(Bound { ticks, due_to: BoundReason::Root { flits, ports, way } });
        }
    }
    if around.topology().is_product_of_cycles() {
        return bound;
    }
    bound.or(layers::lower_bound(around, &at, latency))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::net::{Network, NodeId, ShapeName};
    use crate::program::{Demand, Link, Message, Sender, To};

    #[test]
    fn messages_without_receivers_take_no_time() {
        let path = Network::new(ShapeName::Path, &[5]).unwrap();
        let around = Around::new(&path, NodeId(0));
        let bound = |lengths: [u32; 5]| lower_bound(&around, &lengths, 1).ticks;
        assert_eq!(
            [bound([0; 5]), bound([9, 1, 0, 0, 0]), bound([0, 0, 3, 0, 0]), bound([0, 1, 1, 1, 1])],
            [0, 1, 4, 4]
        );
    }

    #[test]
    fn the_root_limits_a_scatter() {
        let scatter = |dims: &[u32], flits| {
            let torus = Network::new(ShapeName::Torus, dims).unwrap();
            lower_bound(&Around::new(&torus, NodeId(3)), &vec![flits; torus.nodes() as usize], 1).ticks
        };
        assert_eq!([scatter(&[8, 8], 1), scatter(&[2, 2, 10], 1), scatter(&[2; 5], 1)], [16, 7, 5]);
    }

    /// Backwards it is the scatter of the same lengths.
    #[test]
    fn a_gather_is_limited_as_the_scatter_is() {
        let torus = Network::new(ShapeName::Torus, &[4, 5]).unwrap();
        let root = NodeId(7);
        let lengths: Vec<u32> = torus.node_ids().map(|node| if node == root { 0 } else { node.0 % 4 }).collect();
        let to = |node: NodeId| Message { from: Sender::Node(node), to: To::Node(root), flits: lengths[node.index()] };
        let demand = Demand::new(&torus, torus.node_ids().filter(|&node| lengths[node.index()] > 0).map(to).collect());
        let mut program =
            crate::program::Program::uniform(&torus, 1, demand, Vec::new(), crate::program::Title::new("t", "s"));
        program.latency = Link::default().latency;
        assert_eq!(
            (program.collective(), super::super::of(&program)),
            ("gather", lower_bound(&Around::new(&torus, root), &lengths, 1))
        );
    }
}
