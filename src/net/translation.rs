//! Translations of the grid: where a node comes to, and by how much.

use super::network::AxisEnd;
use super::{Network, NodeId};

impl Network {
    /// The node so far away, axis by axis, whatever links there are: a translation of the grid.
    pub fn away(&self, node: NodeId, offset: &[u32]) -> NodeId {
        if !self.lattice().is_diagonal() {
            return self.reduced(|axis| i64::from(self.coord(node, axis)) + i64::from(offset[axis]));
        }
        let (mut rest, mut away) = (node.0, 0);
        for ((&side, &stride), &by) in self.dims().iter().zip(self.strides()).zip(offset) {
            // a reduction asks for every partial of every node: one division per axis
            let x = rest / stride + if by < side { by } else { by % side };
            rest %= stride;
            away += (if x < side { x } else { x - side }) * stride;
        }
        NodeId(away)
    }

    /// The node so many hops away along each axis, upwards if positive, whatever links are dead; none beyond a border.
    pub fn displaced(&self, node: NodeId, hops: &[i32]) -> Option<NodeId> {
        let point = |axis: usize| i64::from(self.coord(node, axis)) + i64::from(hops[axis]);
        let is_inside =
            |axis: usize| self.end(axis) != AxisEnd::Open || (0..i64::from(self.side(axis))).contains(&point(axis));
        (0..self.axes()).all(is_inside).then(|| self.reduced(point))
    }

    /// Lists the node so far away from each node, in the order of the nodes: row after row, each in at most two pieces.
    pub fn away_from_all(&self, offset: &[u32], away: &mut Vec<u32>) {
        away.clear();
        let side = self.side(self.axes() - 1);
        for row in (0..self.nodes()).step_by(side as usize) {
            let NodeId(first) = self.away(NodeId(row), offset);
            let before_end = side - first % side;
            away.extend(first..first + before_end);
            if before_end < side {
                let NodeId(next) = self.away(NodeId(row + before_end), offset);
                away.extend(next..next + side - before_end);
            }
        }
    }

    /// The node moved by the translation that takes the first node to `by`.
    pub fn translated(&self, node: NodeId, by: NodeId) -> NodeId {
        if !self.lattice().is_diagonal() {
            return self.reduced(|axis| i64::from(self.coord(node, axis)) + i64::from(self.coord(by, axis)));
        }
        let (mut rest, mut by, mut sum) = (node.0, by.0, 0);
        for (&side, &stride) in self.dims().iter().zip(self.strides()) {
            let x = rest / stride + by / stride;
            (rest, by) = (rest % stride, by % stride);
            sum += (if x < side { x } else { x - side }) * stride;
        }
        NodeId(sum)
    }

    /// Offset of another node along each axis, reduced by the lattice.
    pub fn offset(&self, from: NodeId, to: NodeId) -> Vec<u32> {
        if !self.lattice().is_diagonal() {
            let difference = |axis| i64::from(self.coord(to, axis)) - i64::from(self.coord(from, axis));
            return self.coords(self.reduced(difference));
        }
        let along = |axis: usize| (self.coord(to, axis) + self.side(axis) - self.coord(from, axis)) % self.side(axis);
        (0..self.axes()).map(along).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::net::ShapeName;

    #[test]
    fn all_nodes_have_their_translation_on_every_lattice() {
        let tori = [&[6, 8][..], &[3, 4, 5], &[7], &[2, 2]].map(|dims| Network::new(ShapeName::Torus, dims).unwrap());
        let twisted = [vec![vec![4, 2], vec![0, 6]], vec![vec![3, 1, 2], vec![0, 4, 3], vec![0, 0, 5]]]
            .map(|rows| Network::of_lattice(&rows).unwrap());
        let mut away = Vec::new();
        for network in tori.iter().chain(&twisted) {
            for by in network.node_ids() {
                let offset = network.coords(by);
                network.away_from_all(&offset, &mut away);
                let expected = network.node_ids().map(|node| network.away(node, &offset).0);
                assert!(away.iter().copied().eq(expected), "{network}, {offset:?}");
            }
        }
    }

    /// An offset may be a side or more.
    #[test]
    fn translated_nodes_have_summed_coordinates() {
        for dims in [&[2, 2][..], &[6, 8], &[3, 4, 5], &[7], &[2, 3, 2, 4]] {
            let topology = Network::new(ShapeName::Torus, dims).unwrap();
            for (node, by) in topology.node_ids().flat_map(|node| topology.node_ids().map(move |by| (node, by))) {
                let offset = topology.coords(by);
                let sum = topology.coords(node).iter().zip(&offset).map(|(x, by)| x + by).collect::<Vec<u32>>();
                let away = topology.away(node, &offset);
                assert_eq!(away, topology.node(&sum));
                assert_eq!(topology.offset(node, away), offset);
                let around = offset.iter().zip(dims).map(|(by, side)| by + side).collect::<Vec<u32>>();
                assert_eq!(topology.away(node, &around), away);
            }
        }
    }
}
