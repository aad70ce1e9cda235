//! The network: a grid of nodes with a link between neighbours, whose axes wrap or end.

use std::fmt;

use thiserror::Error;

use super::{NodeId, Port, Way};

/// Why a list of sides is not a network.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum TopologyError {
    /// No axis at all.
    #[error("a {shape} needs at least one axis")]
    NoAxes {
        /// The shape asked for.
        shape: Shape,
    },
    /// A path or a cycle of several axes.
    #[error("a {shape} has one axis, not {axes}")]
    Axes {
        /// The shape asked for.
        shape: Shape,
        /// The axes given.
        axes: usize,
    },
    /// A side of 0 or 1 has no links of its own.
    #[error("side {side} of axis x{axis} is too small: a side is at least 2")]
    Side {
        /// The axis, counted from 1 as in the papers.
        axis: usize,
        /// The offending side.
        side: u32,
    },
    /// The product of the sides does not fit.
    #[error("{shape} {} has more than 2^32 - 1 nodes", Sides(dims))]
    TooLarge {
        /// The shape asked for.
        shape: Shape,
        /// The sides asked for.
        dims: Vec<u32>,
    },
}

/// Sides, shown as `6x8`.
pub struct Sides<'a>(pub &'a [u32]);

impl fmt::Display for Sides<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (axis, side) in self.0.iter().enumerate() {
            let separator = if axis == 0 { "" } else { "x" };
            write!(f, "{separator}{side}")?;
        }
        Ok(())
    }
}

/// Which axes wrap, by the name that people call it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Shape {
    /// Every axis wraps.
    #[default]
    Torus,
    /// No axis wraps.
    Mesh,
    /// One axis, which wraps.
    Cycle,
    /// One axis, which does not.
    Path,
}

impl Shape {
    /// Every shape.
    pub const ALL: [Self; 4] = [Self::Torus, Self::Mesh, Self::Cycle, Self::Path];

    /// Its name in a config.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Torus => "torus",
            Self::Mesh => "mesh",
            Self::Cycle => "cycle",
            Self::Path => "path",
        }
    }

    /// Whether it has one axis and no more.
    pub const fn is_line(self) -> bool {
        matches!(self, Self::Cycle | Self::Path)
    }

    const fn wraps(self) -> bool {
        matches!(self, Self::Torus | Self::Cycle)
    }
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A network of any number of axes, every side at least 2.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Topology {
    shape: Shape,
    dims: Vec<u32>,
    strides: Vec<u32>,
    nodes: u32,
}

impl Topology {
    /// Checks the sides and lays the nodes out row-major.
    pub fn new(shape: Shape, dims: &[u32]) -> Result<Self, TopologyError> {
        if dims.is_empty() {
            return Err(TopologyError::NoAxes { shape });
        }
        if shape.is_line() && dims.len() > 1 {
            return Err(TopologyError::Axes { shape, axes: dims.len() });
        }
        if let Some(axis) = dims.iter().position(|&side| side < 2) {
            return Err(TopologyError::Side { axis: axis + 1, side: dims[axis] });
        }
        let too_large = || TopologyError::TooLarge { shape, dims: dims.to_vec() };
        let mut strides = vec![0; dims.len()];
        let mut nodes = 1u32;
        for axis in (0..dims.len()).rev() {
            strides[axis] = nodes;
            nodes = nodes.checked_mul(dims[axis]).ok_or_else(too_large)?;
        }
        Ok(Self { shape, dims: dims.to_vec(), strides, nodes })
    }

    /// What it is called.
    pub fn shape(&self) -> Shape {
        self.shape
    }

    /// The sides n1, n2, ...
    pub fn dims(&self) -> &[u32] {
        &self.dims
    }

    /// The number of axes d.
    pub fn axes(&self) -> usize {
        self.dims.len()
    }

    /// The side along `axis` (0-based).
    pub fn side(&self, axis: usize) -> u32 {
        self.dims[axis]
    }

    /// Whether the last node along `axis` (0-based) is linked to the first.
    pub fn wraps(&self, _axis: usize) -> bool {
        self.shape.wraps()
    }

    /// Whether every axis wraps.
    pub fn is_torus(&self) -> bool {
        (0..self.axes()).all(|axis| self.wraps(axis))
    }

    /// How far apart neighbours along `axis` (0-based) are numbered.
    pub fn stride(&self, axis: usize) -> u32 {
        self.strides[axis]
    }

    /// The number of nodes P.
    pub fn nodes(&self) -> u32 {
        self.nodes
    }

    /// The number of ports of a node, 2d, those that look out of the grid among them.
    pub fn ports(&self) -> usize {
        2 * self.dims.len()
    }

    /// The number of output registers, 2dP, those of ports that look out of the grid among them.
    pub fn registers(&self) -> usize {
        self.ports() * self.nodes as usize
    }

    /// The number of directed links.
    pub fn links(&self) -> u64 {
        let ends = |axis: usize| if self.wraps(axis) { 0 } else { self.nodes / self.dims[axis] };
        (0..self.axes()).map(|axis| 2 * u64::from(self.nodes - ends(axis))).sum()
    }

    /// Every node, in order.
    pub fn node_ids(&self) -> impl ExactSizeIterator<Item = NodeId> + use<> {
        (0..self.nodes).map(NodeId)
    }

    /// Every port, in order.
    pub fn port_ids(&self) -> impl ExactSizeIterator<Item = Port> + use<> {
        (0..self.ports()).map(Port::from_index)
    }

    /// The ports of a node that a link leads from, in order.
    pub fn linked_ports(&self, node: NodeId) -> impl Iterator<Item = Port> + '_ {
        self.port_ids().filter(move |&port| self.neighbour(node, port).is_some())
    }

    /// One coordinate of a node (0-based axis, 0-based coordinate).
    pub fn coord(&self, node: NodeId, axis: usize) -> u32 {
        node.0 / self.strides[axis] % self.dims[axis]
    }

    /// All coordinates of a node.
    pub fn coords(&self, node: NodeId) -> Vec<u32> {
        (0..self.axes()).map(|axis| self.coord(node, axis)).collect()
    }

    /// The node at these coordinates; each is taken modulo its side.
    pub fn node(&self, coords: &[u32]) -> NodeId {
        NodeId(coords.iter().enumerate().map(|(axis, &x)| x % self.dims[axis] * self.strides[axis]).sum())
    }

    /// The node so far away, axis by axis, modulo the sides.
    pub fn away(&self, node: NodeId, offset: &[u32]) -> NodeId {
        let (mut rest, mut away) = (node.0, 0);
        for ((&side, &stride), &by) in self.dims.iter().zip(&self.strides).zip(offset) {
            // a reduction asks for every partial of every node: one division an axis
            let x = rest / stride + if by < side { by } else { by % side };
            rest %= stride;
            away += (if x < side { x } else { x - side }) * stride;
        }
        NodeId(away)
    }

    /// How far away another node is, axis by axis, modulo the sides.
    pub fn offset(&self, from: NodeId, to: NodeId) -> Vec<u32> {
        let along = |axis: usize| (self.coord(to, axis) + self.dims[axis] - self.coord(from, axis)) % self.dims[axis];
        (0..self.axes()).map(along).collect()
    }

    /// The node at the other end of the link at `port`; none if the port looks out of the grid.
    pub fn neighbour(&self, node: NodeId, port: Port) -> Option<NodeId> {
        let axis = port.axis();
        let (at, last) = (self.coord(node, axis), self.dims[axis] - 1);
        let is_end = match port.way() {
            Way::Plus => at == last,
            Way::Minus => at == 0,
        };
        (!is_end || self.wraps(axis)).then(|| self.around(node, port))
    }

    /// The next node along an axis, as if it wrapped.
    pub(super) fn around(&self, node: NodeId, port: Port) -> NodeId {
        let (side, stride) = (self.dims[port.axis()], self.strides[port.axis()]);
        let at = self.coord(node, port.axis());
        NodeId(match port.way() {
            Way::Plus if at + 1 == side => node.0 - at * stride,
            Way::Plus => node.0 + stride,
            Way::Minus if at == 0 => node.0 + (side - 1) * stride,
            Way::Minus => node.0 - stride,
        })
    }

    /// The output register of a node's port, as a dense index: node * 2d + port.
    pub fn register(&self, node: NodeId, port: Port) -> usize {
        node.index() * self.ports() + port.index()
    }

    /// The register whose contents arrive at `port` of `node`: the neighbour's opposite output.
    pub fn arriving(&self, node: NodeId, port: Port) -> Option<usize> {
        self.neighbour(node, port).map(|neighbour| self.register(neighbour, port.opposite()))
    }

    /// What people call it: `6x8 torus`, `cycle of 8`.
    pub fn describe(&self) -> String {
        if self.shape.is_line() { format!("{} of {self}", self.shape) } else { format!("{self} {}", self.shape) }
    }

    /// Coordinates, shown as `3,4`.
    pub fn show(&self, node: NodeId) -> String {
        self.coords(node).iter().map(u32::to_string).collect::<Vec<_>>().join(",")
    }
}

impl fmt::Display for Topology {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Sides(&self.dims).fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_are_mutual_and_one_step_apart() {
        let sides = [&[2, 2][..], &[6, 8], &[3, 4, 5], &[7], &[2, 3, 2, 4]];
        for (shape, dims) in sides.into_iter().flat_map(|dims| [(Shape::Torus, dims), (Shape::Mesh, dims)]) {
            let topology = Topology::new(shape, dims).unwrap();
            let mut links = 0;
            for node in topology.node_ids() {
                assert_eq!(topology.node(&topology.coords(node)), node);
                for port in topology.port_ids() {
                    let (at, side) = (topology.coord(node, port.axis()), topology.side(port.axis()));
                    let expected = if port.way() == Way::Plus { at + 1 } else { at.wrapping_sub(1) };
                    let Some(there) = topology.neighbour(node, port) else {
                        assert!(shape == Shape::Mesh && expected >= side);
                        continue;
                    };
                    links += 1;
                    assert_eq!(topology.neighbour(there, port.opposite()), Some(node));
                    let wrapped = if expected == side { 0 } else { expected.min(side - 1) };
                    assert_eq!(topology.coord(there, port.axis()), wrapped);
                    assert!(shape == Shape::Torus || expected < side);
                }
            }
            assert_eq!(topology.links(), links, "{shape} {topology}");
        }
    }

    /// An offset may be a side or more.
    #[test]
    fn a_node_so_far_away_has_the_sum_of_the_coordinates() {
        for dims in [&[2, 2][..], &[6, 8], &[3, 4, 5], &[7], &[2, 3, 2, 4]] {
            let topology = Topology::new(Shape::Torus, dims).unwrap();
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

    #[test]
    fn impossible_sides_are_refused() {
        use TopologyError::{Axes, NoAxes, Side, TooLarge};
        let (torus, path) = (Shape::Torus, Shape::Path);
        assert_eq!(Topology::new(torus, &[]), Err(NoAxes { shape: torus }));
        assert_eq!(Topology::new(torus, &[4, 1]), Err(Side { axis: 2, side: 1 }));
        assert_eq!(Topology::new(path, &[4, 4]), Err(Axes { shape: path, axes: 2 }));
        let huge = [65_536, 65_536];
        assert_eq!(Topology::new(torus, &huge), Err(TooLarge { shape: torus, dims: huge.to_vec() }));
    }
}
