//! A network cut into equal blocks of nodes, one per board, and the network that the boards are.

use super::network::AxisEnd;
use super::{AxisDirection, MAX_AXES, Network, NodeId, Port};

/// A network cut into equal blocks of nodes.
#[derive(Clone, Debug)]
pub struct NodeBlocks {
    nodes: Network,
    boards: Network,
    /// Sides of a block.
    sides: Box<[u32]>,
}

/// Reason for which a network is not cut in this way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoBlocks {
    /// The number of axes is another one.
    Axes,
    /// There are 0 boards along an axis (0-based).
    Zero {
        /// Axis, counted from 0.
        axis: usize,
    },
    /// The boards along an axis (0-based) do not divide its side.
    Remainder {
        /// Axis, counted from 0.
        axis: usize,
    },
    /// One board has all nodes.
    One,
    /// A twist moves a block's links to the middle of other blocks.
    Twist,
}

impl NodeBlocks {
    /// Blocks of one node each, on any network.
    pub fn of_nodes(network: &Network) -> Self {
        Self { nodes: network.clone(), boards: network.clone(), sides: vec![1; network.axes()].into() }
    }

    /// Cuts a network into as many blocks along each axis as `boards` says; nothing said, into its nodes.
    pub fn new(network: &Network, boards: Option<&[u32]>) -> Result<Self, NoBlocks> {
        let Some(boards) = boards.filter(|&boards| boards != network.dims()) else {
            return Ok(Self::of_nodes(network));
        };
        if boards.len() != network.axes() {
            return Err(NoBlocks::Axes);
        }
        let mut sides = Vec::with_capacity(boards.len());
        for (axis, (&boards, &side)) in boards.iter().zip(network.dims()).enumerate() {
            match side.checked_rem(boards) {
                None => return Err(NoBlocks::Zero { axis }),
                Some(0) => sides.push(side / boards),
                Some(_) => return Err(NoBlocks::Remainder { axis }),
            }
        }
        if boards.iter().all(|&boards| boards == 1) {
            return Err(NoBlocks::One);
        }
        let mut rows = network.lattice().rows().to_vec();
        for (axis, row) in rows.iter_mut().enumerate() {
            for (entry, side) in row.iter_mut().zip(&sides) {
                if *entry % side > 0 {
                    return Err(NoBlocks::Twist);
                }
                *entry /= side;
            }
            // links of an axis with one board stay on it
            if boards[axis] == 1 && row[axis + 1..].iter().any(|&entry| entry > 0) {
                return Err(NoBlocks::Twist);
            }
        }
        let rows: Vec<Vec<i64>> = rows.into_iter().map(|row| row.into_iter().map(i64::from).collect()).collect();
        let grid = Network::of_lattice(&rows).and_then(|grid| grid.with_open(&network.open()));
        let whole = Self { nodes: network.clone(), boards: grid.expect("shorter sides"), sides: sides.into() };
        let (dead, cables) = (whole.dead_boards(), whole.dead_cables());
        let boards = whole.boards.without(&dead, &cables).expect("boards hold together as their nodes do");
        Ok(Self { boards, ..whole })
    }

    /// Boards all of whose nodes are dead.
    fn dead_boards(&self) -> Vec<NodeId> {
        let is_dead = |&board: &NodeId| (0..self.sites()).all(|site| !self.nodes.is_live(self.node(board, site)));
        self.boards.node_ids().filter(is_dead).collect()
    }

    /// Cables between boards all of whose links are dead, each by one end.
    fn dead_cables(&self) -> Vec<(NodeId, Port)> {
        let ends =
            self.boards.node_ids().flat_map(|board| self.boards.linked_ports(board).map(move |port| (board, port)));
        let is_dead = |&(board, port): &(NodeId, Port)| {
            self.leaving(port).into_iter().all(|site| self.step(board, site, port).is_none())
        };
        ends.filter(|(_, port)| port.way() == AxisDirection::Plus).filter(is_dead).collect()
    }

    /// Network of the boards: its nodes are boards, its links the cables between them.
    pub fn boards(&self) -> &Network {
        &self.boards
    }

    /// Number of nodes per board.
    pub fn sites(&self) -> u32 {
        self.sides.iter().product()
    }

    /// Returns true if each board has one node.
    pub fn is_of_nodes(&self) -> bool {
        self.sites() == 1
    }

    /// Sides of a block.
    pub fn sides(&self) -> &[u32] {
        &self.sides
    }

    /// Coordinates of a place in a block, counted row by row.
    pub fn place(&self, site: u32) -> Vec<u32> {
        (0..self.sides.len()).map(|axis| self.coord(site, axis)).collect()
    }

    /// Number of the place with these coordinates.
    fn site(&self, place: &[u32]) -> u32 {
        place.iter().zip(&self.sides).fold(0, |site, (at, side)| site * side + at)
    }

    /// Node at a place of a board.
    pub fn node(&self, board: NodeId, site: u32) -> NodeId {
        let mut coords = [0; MAX_AXES];
        let axes = self.sides.len();
        for (axis, at) in self.place(site).into_iter().enumerate() {
            coords[axis] = self.boards.coord(board, axis) * self.sides[axis] + at;
        }
        self.nodes.node(&coords[..axes])
    }

    /// Neighbour of the node at a place of a board; none if there is no link, or a dead one.
    pub fn step(&self, board: NodeId, site: u32, port: Port) -> Option<NodeId> {
        self.nodes.step(self.node(board, site), port)
    }

    /// Board of a node.
    pub fn board_of(&self, node: NodeId) -> NodeId {
        let coords = (0..self.sides.len()).map(|axis| self.nodes.coord(node, axis) / self.sides[axis]);
        self.boards.node(&coords.collect::<Vec<_>>())
    }

    /// Place of the neighbour that a port leads to within the block; none if the link leaves the block, or there is none.
    pub fn within(&self, site: u32, port: Port) -> Option<u32> {
        let axis = port.axis();
        let mut place = self.place(site);
        let last = self.sides[axis] - 1;
        place[axis] = match port.way() {
            AxisDirection::Plus if place[axis] < last => place[axis] + 1,
            AxisDirection::Minus if place[axis] > 0 => place[axis] - 1,
            // the block is as long as the axis
            way if !self.is_cut(port) && self.closes(axis) => {
                if way == AxisDirection::Plus {
                    0
                } else {
                    last
                }
            }
            _ => return None,
        };
        Some(self.site(&place))
    }

    /// Returns true if links at this port of a block lead to other boards, for one board at least.
    pub fn has_cables(&self, port: Port) -> bool {
        self.is_cut(port) && self.boards.node_ids().any(|board| self.boards.step(board, port).is_some())
    }

    /// Returns true if links at this port of a block may lead to another board.
    pub fn is_cut(&self, port: Port) -> bool {
        self.is_of_nodes() || self.boards.side(port.axis()) > 1
    }

    fn closes(&self, axis: usize) -> bool {
        self.nodes.end(axis) == AxisEnd::Wraps
    }

    /// Places of a block with a link that leaves it at this port, in order; the other board's opposite port has theirs in the
    /// same order.
    pub fn leaving(&self, port: Port) -> Vec<u32> {
        (0..self.sites()).filter(|&site| self.leaves(site, port)).collect()
    }

    /// Returns true if the link at a port of a place leaves the block.
    pub fn leaves(&self, site: u32, port: Port) -> bool {
        let axis = port.axis();
        let end = if port.way() == AxisDirection::Plus { self.sides[axis] - 1 } else { 0 };
        self.is_cut(port) && self.coord(site, axis) == end
    }

    /// One coordinate of a place.
    fn coord(&self, site: u32, axis: usize) -> u32 {
        site / self.sides[axis + 1..].iter().product::<u32>() % self.sides[axis]
    }

    /// Largest number of links that leave a block at one port.
    pub fn widest(&self) -> u32 {
        self.nodes.port_ids().map(|port| self.leaving(port).len() as u32).max().unwrap_or(0)
    }

    /// Smallest number of links that leave a block at a port with links.
    pub fn narrowest(&self) -> u32 {
        let links = self.nodes.port_ids().filter(|&port| self.is_cut(port)).map(|port| self.leaving(port).len() as u32);
        links.min().unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::net::ShapeName;

    fn cut(shape: ShapeName, dims: &[u32], boards: &[u32]) -> Result<NodeBlocks, NoBlocks> {
        NodeBlocks::new(&Network::new(shape, dims).unwrap(), Some(boards))
    }

    /// Compares every link of the network with those within blocks and between boards.
    fn compare(blocks: &NodeBlocks) {
        for board in blocks.boards.node_ids() {
            for site in 0..blocks.sites() {
                let node = blocks.node(board, site);
                assert_eq!(blocks.board_of(node), board);
                for port in blocks.nodes.port_ids() {
                    let place = blocks.leaving(port).iter().position(|&other| other == site);
                    let there = match (blocks.within(site, port), place) {
                        (Some(inside), None) => Some(blocks.node(board, inside)),
                        (None, Some(place)) => blocks
                            .boards
                            .step(board, port)
                            .map(|other| blocks.node(other, blocks.leaving(port.opposite())[place])),
                        (None, None) => None,
                        (Some(_), Some(_)) => panic!("{node:?} has two links at {port}"),
                    };
                    let step = blocks.nodes.step(node, port);
                    // wires within a block, and in a cable with live ones, are there though a link is dead
                    let is_dead = blocks.nodes.dead().is_some() && step.is_none();
                    assert!(
                        is_dead || there == step,
                        "{}: {node:?} at {port}: {there:?} {step:?}",
                        blocks.nodes.describe()
                    );
                }
            }
        }
    }

    #[test]
    fn blocks_of_twisted_and_damaged_networks_have_their_links() {
        for (rows, boards) in [
            (vec![vec![4, 2], vec![0, 4]], [2, 2]),
            (vec![vec![4, 2], vec![0, 4]], [4, 2]),
            (vec![vec![2, 1], vec![0, 5]], [2, 5]),
            (vec![vec![6, 3], vec![0, 9]], [2, 3]),
            (vec![vec![4, 0], vec![0, 6]], [1, 3]),
        ] {
            compare(&NodeBlocks::new(&Network::of_lattice(&rows).unwrap(), Some(&boards)).unwrap());
        }
        let torus = Network::new(ShapeName::Torus, &[4, 4]).unwrap();
        let x2 = Port::plus(1);
        // one link of a cable, the other one too, and one within a block
        let cable = [(NodeId(1), x2), (NodeId(5), x2)];
        for (links, cables) in [(&cable[..1], 0), (&cable[..], 1), (&[(NodeId(0), x2)], 0)] {
            let damaged = torus.clone().without(&[], links).unwrap();
            let blocks = NodeBlocks::new(&damaged, Some(&[2, 2])).unwrap();
            compare(&blocks);
            assert_eq!(blocks.boards().dead().map_or(0, |dead| dead.named_links().len()), cables);
        }
    }

    #[test]
    fn links_of_blocks_and_cables_are_the_links_of_the_network() {
        for (shape, dims, boards) in [
            (ShapeName::Torus, &[6, 8][..], &[3, 2][..]),
            (ShapeName::Torus, &[4, 4], &[4, 4]),
            (ShapeName::Torus, &[4, 6], &[1, 2]),
            (ShapeName::Mesh, &[4, 6], &[2, 3]),
            (ShapeName::Mesh, &[4, 6], &[2, 1]),
            (ShapeName::Torus, &[2, 4, 6], &[2, 2, 2]),
            (ShapeName::Cycle, &[8], &[4]),
            (ShapeName::Path, &[6], &[2]),
        ] {
            compare(&cut(shape, dims, boards).unwrap());
        }
    }

    #[test]
    fn blocks_that_do_not_fit_are_refused() {
        assert_eq!(cut(ShapeName::Torus, &[4, 6], &[2]).unwrap_err(), NoBlocks::Axes);
        assert_eq!(cut(ShapeName::Torus, &[4, 6], &[2, 0]).unwrap_err(), NoBlocks::Zero { axis: 1 });
        assert_eq!(cut(ShapeName::Torus, &[4, 6], &[3, 2]).unwrap_err(), NoBlocks::Remainder { axis: 0 });
        assert_eq!(cut(ShapeName::Torus, &[4, 6], &[1, 1]).unwrap_err(), NoBlocks::One);
        let twisted = Network::of_lattice(&[vec![4, 2], vec![0, 4]]).unwrap();
        assert_eq!(NodeBlocks::new(&twisted, Some(&[4, 1])).unwrap_err(), NoBlocks::Twist);
        assert_eq!(NodeBlocks::new(&twisted, Some(&[1, 4])).unwrap_err(), NoBlocks::Twist);
        assert!(NodeBlocks::new(&twisted, Some(&[4, 4])).unwrap().is_of_nodes());
    }
}
