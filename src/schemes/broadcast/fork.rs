//! `fork`: one breadth-first tree.

use super::family::Family;
use crate::net::{NodeId, Topology};
use crate::paths::rooted::Rooted;

/// The breadth-first tree in which a node's parent is one step back along the last axis on which the node is not level
/// with the root, the short way.
pub fn tree(topology: &Topology, root: NodeId) -> Family {
    let tree = Rooted::breadth_first(topology, root);
    Family::new(topology, root, 1, |node, _| tree.up(node).expect("only the root has no parent"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::net::{Around, ShapeName};
    use crate::schemes::broadcast::family::ticks;

    #[test]
    fn the_levels_are_the_distances() {
        let networks = [
            (ShapeName::Torus, &[7, 12][..]),
            (ShapeName::Torus, &[5, 4, 3]),
            (ShapeName::Mesh, &[4, 5]),
            (ShapeName::Path, &[6]),
        ];
        for (shape, dims) in networks {
            let topology = Topology::new(shape, dims).unwrap();
            for root in topology.node_ids() {
                let around = Around::new(&topology, root);
                let distances: Vec<u32> = topology.node_ids().map(|node| around.distance(node)).collect();
                assert_eq!(tree(&topology, root).levels(0), distances);
            }
        }
    }

    #[test]
    fn the_last_flit_follows_the_first_one() {
        let ticks = |dims: &[u32], flits| {
            ticks(&tree(&Topology::new(ShapeName::Torus, dims).unwrap(), NodeId(0)).stripes(flits, 1))
        };
        assert_eq!([ticks(&[7, 12], 1), ticks(&[7, 12], 6), ticks(&[5, 4, 3], 4)], [9, 14, 8]);
    }
}
