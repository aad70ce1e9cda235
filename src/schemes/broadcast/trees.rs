//! `trees`: as many trees as ports, which share no link.

use super::family::Family;
use crate::net::{Around, NodeId, Port, Topology, towards};

/// Trees from `root`, tree j by the root's port j, of all links but those into the root. By a closed form; see
/// [`polished`](super::polish::polished) for flatter ones.
pub fn closed(topology: &Topology, root: NodeId) -> Family {
    match *topology.dims() {
        [n1, n2] if n1 >= 4 && n2 >= 4 => plane(topology, root),
        _ => owned(topology, root),
    }
}

/// The moves of the plane, a quarter turn apart: +x1, +x2, -x1, -x2. A tree is named by the move with which it leaves the root.
const MOVES: [Port; 4] = [Port::plus(0), Port::plus(1), Port::minus(0), Port::minus(1)];

/// Two axes, both sides at least 4: rows and columns by their parity.
fn plane(topology: &Topology, root: NodeId) -> Family {
    let around = Around::new(topology, root);
    let number = |port| MOVES.iter().position(|&other| other == port).expect("a port of the plane");
    let signed = |node, axis| {
        let (v, n) = (around.along(node, axis) as i32, topology.side(axis) as i32);
        let last = n / 2 + i32::from(n % 4 == 3);
        if v <= last { v } else { v - n }
    };
    Family::new(topology, root, 4, |node, tree| {
        let by = entered(signed(node, 0), signed(node, 1), number(Port::from_index(tree)));
        MOVES[by].opposite()
    })
}

/// The move by which a tree enters the node at (x, y).
fn entered(x: i32, y: i32, tree: usize) -> usize {
    // turned until it lies in the quadrant of positive coordinates or on the positive half of its second axis
    let (turns, x, y) = match (x.signum(), y.signum()) {
        (0 | 1, 1) => (0, x, y),
        (-1, 0 | 1) => (1, y, -x),
        (-1 | 0, -1) => (2, -x, -y),
        _ => (3, -y, x),
    };
    // for each tree the move
    let moves = match (x, x % 2, y % 2) {
        (0, ..) => [2, 1, 0, 3],
        (_, 1, 1) => [1, 0, 3, 2],
        (_, 1, _) => [1, 3, 0, 2],
        (_, _, 1) => [2, 0, 3, 1],
        _ => [2, 3, 0, 1],
    };
    (moves[(tree + 4 - turns) % 4] + turns) % 4
}

/// Any number of axes and any sides: a tree a axis that uses links upwards only, and their mirror images.
///
/// The link up axis l from p belongs to the tree of the first axis after l (cyclically) on which p is not level with the root; if there is
/// none, to the tree of l. Where the link closes a ring it is used only if there is one, and belongs to the tree of l.
pub fn owned(topology: &Topology, root: NodeId) -> Family {
    let around = Around::new(topology, root);
    let axes = topology.axes();
    let owner = |at: &[u32], axis: usize| {
        let other = (1..axes).map(|step| (axis + step) % axes).find(|&other| at[other] != 0);
        let closes = at[axis] + 1 == topology.side(axis);
        if closes { other.map(|_| axis) } else { Some(other.unwrap_or(axis)) }
    };
    // by which link upwards the tree of an axis enters a node
    let entered = |node: &[u32], tree: usize| {
        let enters = |axis: &usize| {
            let mut before = node.to_vec();
            before[*axis] = (before[*axis] + topology.side(*axis) - 1) % topology.side(*axis);
            owner(&before, *axis) == Some(tree)
        };
        (0..axes).find(enters).expect("every tree enters every node")
    };
    let along = |node| (0..axes).map(|axis| around.along(node, axis)).collect::<Vec<_>>();
    let mirrored = |node| -> Vec<u32> {
        (0..axes).map(|axis| (topology.side(axis) - around.along(node, axis)) % topology.side(axis)).collect()
    };
    // the tree of an axis need not leave the root along that axis: name it by the one it leaves along
    let leaves = |axis: usize| {
        let step: Vec<u32> = (0..axes).map(|other| u32::from(other == axis)).collect();
        (0..axes)
            .find(|&tree| entered(&step, tree) == axis && owner(&vec![0; axes], axis) == Some(tree))
            .expect("each link of the root has a tree")
    };
    let named: Vec<usize> = (0..axes).map(leaves).collect();
    Family::new(topology, root, 2 * axes, |node, tree| {
        let port = Port::from_index(tree);
        let upwards = port == Port::plus(port.axis());
        let at = if upwards { along(node) } else { mirrored(node) };
        towards(entered(&at, named[port.axis()]), if upwards { -1 } else { 1 })
    })
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::net::ShapeName;
    use crate::schemes::broadcast::family::{Family, UNREACHED};

    pub fn torus(dims: &[u32]) -> Topology {
        Topology::new(ShapeName::Torus, dims).unwrap()
    }

    /// Every tree spans the network, leaves the root by its own port, and no link has two of them.
    pub fn assert_disjoint_and_spanning(family: &Family) {
        let topology = family.topology();
        for node in topology.node_ids().filter(|&node| node != family.root()) {
            let mut inlets: Vec<Port> = (0..family.trees()).filter_map(|tree| family.inlet(node, tree)).collect();
            inlets.sort_unstable();
            assert!(inlets.iter().copied().eq(topology.port_ids()), "{topology} {node:?} {inlets:?}");
        }
        for tree in 0..family.trees() {
            assert!(!family.levels(tree).contains(&UNREACHED), "{topology} tree {tree}");
            for port in topology.port_ids() {
                assert!(
                    family.tree_on(family.root(), port).is_none_or(|tree| tree == port.index()),
                    "{topology} {port}"
                );
            }
        }
    }

    fn depth(family: &Family) -> u32 {
        (0..family.trees()).map(|tree| family.depth(tree)).max().unwrap()
    }

    #[test]
    fn four_trees_of_the_plane_share_no_link() {
        for (n1, n2) in (4..=13).flat_map(|n1| (4..=13).map(move |n2| (n1, n2))) {
            let torus = torus(&[n1, n2]);
            let family = plane(&torus, NodeId(n1 * n2 / 3));
            assert_disjoint_and_spanning(&family);
            let over = depth(&family) - n1 / 2 - n2 / 2;
            let (low, high) = ((n1 % 4).min(n2 % 4), (n1 % 4).max(n2 % 4));
            let expected = match (low, high) {
                (0, 0) | (2, 2) => 3,
                (0 | 1, 1 | 2) => 4,
                (0..=2, 3) => 5,
                _ => 6,
            };
            if n1.abs_diff(n2) <= 4 {
                assert_eq!(over, expected, "{n1}x{n2}");
            } else {
                assert!(depth(&family) <= n1.max(n2) + 2, "{n1}x{n2}");
            }
        }
    }

    #[test]
    fn trees_of_any_axes_and_sides_share_no_link() {
        let planes = (2..=6).flat_map(|n1| (2..=6).map(move |n2| vec![n1, n2]));
        let more = [vec![5], vec![2], vec![2, 2, 2], vec![3, 4, 5], vec![2, 6, 3], vec![4, 4, 4], vec![2, 3, 2, 3]];
        for dims in planes.chain(more) {
            let torus = torus(&dims);
            let family = owned(&torus, NodeId(torus.nodes() / 2));
            assert_disjoint_and_spanning(&family);
            assert!(depth(&family) <= dims.iter().map(|side| side - 1).sum::<u32>() + 1, "{dims:?}");
        }
    }
}
