//! One tree, known lengths: the farthest destination first.

use crate::net::NodeId;
use crate::paths::rooted::Rooted;

use super::assign::MessageSlot;

/// Messages of these lengths, one per node, back to back in the order in which the root sends them, and the tick after
/// which everybody has his own.
///
/// Farthest destination first: no other order takes fewer ticks (Bhatt et al., Theorem 1).
pub fn farthest_first(tree: &Rooted, lengths: &[u32]) -> (Vec<MessageSlot>, u32) {
    let mut order: Vec<NodeId> =
        tree.topology().node_ids().filter(|&node| node != tree.root() && lengths[node.index()] > 0).collect();
    order.sort_by_key(|&node| (std::cmp::Reverse(tree.depth(node)), node));
    in_order(tree, lengths, &order)
}

/// Slots and ticks for the messages in any order.
pub fn in_order(tree: &Rooted, lengths: &[u32], order: &[NodeId]) -> (Vec<MessageSlot>, u32) {
    let (mut before, mut ticks) = (0, 0);
    let slot = |&node: &NodeId| {
        let slot = MessageSlot { node, flits: lengths[node.index()], before };
        before += slot.flits;
        // the paper counts one more: its row 0 is before the first tick
        ticks = ticks.max(before + tree.depth(node) - 1);
        slot
    };
    let slots = order.iter().map(slot).collect();
    (slots, ticks)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::net::splitmix::Splitmix;
    use crate::net::{ShapeName, Topology};

    #[test]
    fn figure_1_takes_11_and_12_rows() {
        let line = Topology::new(ShapeName::Path, &[6]).unwrap();
        let tree = Rooted::path(&line, NodeId(0)).unwrap();
        let lengths = [0, 0, 0, 0, 4, 3];
        let rows = |order: [u32; 2]| in_order(&tree, &lengths, &order.map(NodeId)).1 + 1;
        assert_eq!([rows([5, 4]), rows([4, 5])], [11, 12]);
        assert_eq!(farthest_first(&tree, &lengths).1 + 1, 11);
    }

    /// Every order of some nodes.
    fn orders(nodes: &[NodeId]) -> Vec<Vec<NodeId>> {
        if nodes.is_empty() {
            return vec![Vec::new()];
        }
        let first = |index: usize| {
            let mut others = nodes.to_vec();
            let first = others.remove(index);
            orders(&others).into_iter().map(move |rest| [&[first], &rest[..]].concat())
        };
        (0..nodes.len()).flat_map(first).collect()
    }

    #[test]
    fn theorem_1_no_order_is_faster() {
        let mut random = Splitmix(5);
        let networks = [
            (ShapeName::Mesh, &[2, 3][..]),
            (ShapeName::Torus, &[2, 3]),
            (ShapeName::Path, &[7]),
            (ShapeName::Cycle, &[6]),
        ];
        for (shape, dims) in networks {
            let topology = Topology::new(shape, dims).unwrap();
            for _ in 0..12 {
                let root = NodeId(random.below(topology.nodes()));
                let tree = Rooted::breadth_first(&topology, root);
                let lengths: Vec<u32> =
                    topology.node_ids().map(|_| [0, 1, 1, 2, 3, 5][random.below(6) as usize]).collect();
                let (slots, ticks) = farthest_first(&tree, &lengths);
                let nodes: Vec<NodeId> = slots.iter().map(|slot| slot.node).collect();
                let best = orders(&nodes).iter().map(|order| in_order(&tree, &lengths, order).1).min();
                assert_eq!(best, Some(ticks));
            }
        }
    }
}
