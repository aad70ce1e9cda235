//! A tree a port of the root that share no link, whichever node is reached by which of them.

use crate::net::{Around, NodeId, Port, towards};

/// The axes from one on, cyclically.
fn axes_from(axes: usize, first: usize) -> impl Iterator<Item = usize> {
    (0..axes).map(move |step| (first + step) % axes)
}

/// The ports of the root whose trees may reach a node: along an axis on which it is not level with the root, the short
/// way. Where both are as long the next axis on which it is not level decides; if there is none, either will do.
pub fn allowed(around: &Around, node: NodeId) -> Vec<Port> {
    let axes = around.topology().axes();
    let mut ports = Vec::new();
    for axis in 0..axes {
        let offset = around.offset(node, axis);
        if offset == 0 {
            continue;
        }
        if 2 * offset.unsigned_abs() < around.topology().side(axis) {
            ports.push(towards(axis, offset));
            continue;
        }
        let next = axes_from(axes, axis).skip(1).map(|axis| around.offset(node, axis)).find(|&offset| offset != 0);
        match next {
            Some(offset) => ports.push(towards(axis, offset)),
            None => ports.extend([Port::minus(axis), Port::plus(axis)]),
        }
    }
    ports.sort_unstable();
    ports
}

/// The way to a node in the tree of a port: along its axis first, its way, then along the following axes the short way.
/// The ports by which it leaves each node.
pub fn way(around: &Around, node: NodeId, port: Port) -> Vec<Port> {
    let leg = |axis: usize| {
        let offset = around.offset(node, axis);
        let by = if axis == port.axis() { port } else { towards(axis, offset) };
        std::iter::repeat_n(by, offset.unsigned_abs() as usize)
    };
    axes_from(around.topology().axes(), port.axis()).flat_map(leg).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;
    use crate::net::{ShapeName, Topology};

    /// Even if every node is reached by every tree that may.
    #[test]
    fn no_link_lies_on_two_trees_and_none_has_two_inputs() {
        let sizes = [
            &[4, 4][..],
            &[5, 6],
            &[2, 2],
            &[2, 3, 4],
            &[4, 4, 4],
            &[17],
            &[2],
            &[4, 2, 4],
            &[2, 2, 2, 4],
            &[4, 3, 2, 2],
        ];
        for dims in sizes {
            let torus = Topology::new(ShapeName::Torus, dims).unwrap();
            let around = Around::new(&torus, NodeId(torus.nodes() / 2));
            let mut users = HashMap::new();
            for node in torus.node_ids().filter(|&node| node != around.root()) {
                for tree in allowed(&around, node) {
                    let (mut at, mut from) = (around.root(), None);
                    let way = way(&around, node, tree);
                    assert_eq!(way.len() as u32, around.distance(node));
                    for port in way {
                        assert_eq!(*users.entry((at, port)).or_insert((tree, from)), (tree, from), "{torus} {node:?}");
                        at = torus.step(at, port).unwrap();
                        from = Some(port.opposite());
                    }
                    assert_eq!(at, node);
                }
            }
        }
    }
}
