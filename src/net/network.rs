//! The network: the grid Z^d divided by a lattice, minus what is open or dead.

use super::dead::Dead;
use super::lattice::Lattice;
use super::{AxisDirection, MAX_AXES, NetworkError, NodeId, Port, ShapeName};

/// Meaning of a step over the end of an axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AxisEnd {
    /// Open end: no link.
    Open,
    /// The other end of the axis, all other coordinates unchanged.
    Wraps,
    /// The other end of the axis, moved along later axes by the lattice.
    Twisted,
    /// The node itself: the axis has one node and no link.
    Loop,
}

/// A network of any number of axes.
///
/// [`Network::step`] is the only place that knows how links lead; cursors and sweeps are tested against it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Network {
    shape: Option<ShapeName>,
    lattice: Box<Lattice>,
    dims: Box<[u32]>,
    strides: Box<[u32]>,
    ends: Box<[AxisEnd]>,
    nodes: u32,
    dead: Option<Box<Dead>>,
}

impl Network {
    /// Lays a network of this shape out row-major.
    pub fn new(shape: ShapeName, dims: &[u32]) -> Result<Self, NetworkError> {
        if dims.is_empty() {
            return Err(NetworkError::NoAxes { shape });
        }
        if shape.is_line() && dims.len() > 1 {
            return Err(NetworkError::Axes { shape, axes: dims.len() });
        }
        if let Some(axis) = dims.iter().position(|&side| side < 2) {
            return Err(NetworkError::Side { axis: axis + 1, side: dims[axis] });
        }
        let end = if shape.wraps() { AxisEnd::Wraps } else { AxisEnd::Open };
        let too_large = || NetworkError::TooLarge { shape, dims: dims.to_vec() };
        let (strides, nodes) = row_major(dims).ok_or_else(too_large)?;
        Ok(Self {
            shape: Some(shape),
            lattice: Lattice::diagonal(dims).into(),
            dims: dims.into(),
            strides: strides.into(),
            ends: vec![end; dims.len()].into(),
            nodes,
            dead: None,
        })
    }

    /// Z^d divided by the lattice that these rows span. A diagonal one with sides of at least 2 is a torus.
    pub fn of_lattice(rows: &[Vec<i64>]) -> Result<Self, NetworkError> {
        let lattice = Lattice::new(rows)?;
        let dims = lattice.sides();
        let too_large = || NetworkError::LatticeTooLarge { rows: rows.to_vec() };
        let (strides, nodes) = row_major(&dims).ok_or_else(too_large)?;
        if nodes < 2 {
            return Err(NetworkError::TooFewNodes { live: nodes });
        }
        let end = |(axis, row): (usize, &Vec<u32>)| match row[axis + 1..].iter().any(|&entry| entry > 0) {
            true => AxisEnd::Twisted,
            false if row[axis] == 1 => AxisEnd::Loop,
            false => AxisEnd::Wraps,
        };
        let ends: Vec<AxisEnd> = lattice.rows().iter().enumerate().map(end).collect();
        let is_torus = ends.iter().all(|&end| end == AxisEnd::Wraps);
        Ok(Self {
            shape: is_torus.then_some(ShapeName::Torus),
            lattice: lattice.into(),
            dims: dims.into(),
            strides: strides.into(),
            ends: ends.into(),
            nodes,
            dead: None,
        })
    }

    /// Cuts the links that wrap along some axes (0-based): a cylinder, or a mesh if all are cut.
    pub fn with_open(mut self, axes: &[usize]) -> Result<Self, NetworkError> {
        for &axis in axes {
            if axis >= self.axes() {
                return Err(NetworkError::NoSuchAxis { axis: axis + 1, axes: self.axes() });
            }
            if !self.lattice.is_diagonal() {
                return Err(NetworkError::OpenTwisted { axis: axis + 1 });
            }
            self.ends[axis] = if self.dims[axis] == 1 { AxisEnd::Loop } else { AxisEnd::Open };
        }
        let are_all = |end: AxisEnd| self.ends.iter().all(|&other| other == end);
        self.shape = match self.shape {
            Some(ShapeName::Cycle | ShapeName::Path) if are_all(AxisEnd::Open) => Some(ShapeName::Path),
            Some(shape) if are_all(AxisEnd::Wraps) => Some(shape),
            _ if are_all(AxisEnd::Open) => Some(ShapeName::Mesh),
            _ => None,
        };
        Ok(self)
    }

    /// Replaces what is dead.
    pub(super) fn set_dead(&mut self, dead: Dead) {
        self.dead = Some(Box::new(dead));
        self.shape = None;
    }

    /// Name of the network, if it has a common one and nothing is dead.
    pub fn shape(&self) -> Option<ShapeName> {
        self.shape
    }

    /// Lattice that divides the grid.
    pub fn lattice(&self) -> &Lattice {
        &self.lattice
    }

    /// Open axes (0-based), in order.
    pub fn open(&self) -> Vec<usize> {
        (0..self.axes()).filter(|&axis| self.ends[axis] == AxisEnd::Open).collect()
    }

    /// Returns true if sides say it all: the lattice is diagonal, and no side is 1.
    pub fn is_of_sides(&self) -> bool {
        self.lattice.is_diagonal() && !self.dims.contains(&1)
    }

    /// Nodes and links taken away.
    pub fn dead(&self) -> Option<&Dead> {
        self.dead.as_deref()
    }

    /// The sides n1, n2, ... of the box of coordinates.
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

    /// Meaning of a step over the end of `axis` (0-based).
    pub(super) fn end(&self, axis: usize) -> AxisEnd {
        self.ends[axis]
    }

    /// Difference in number between neighbours along `axis` (0-based).
    pub fn stride(&self, axis: usize) -> u32 {
        self.strides[axis]
    }

    /// Differences of numbers along each axis.
    pub(super) fn strides(&self) -> &[u32] {
        &self.strides
    }

    /// The number of nodes P, dead ones among them: they keep their numbers.
    pub fn nodes(&self) -> u32 {
        self.nodes
    }

    /// The number of ports of a node, 2d, those without a link among them.
    pub fn ports(&self) -> usize {
        2 * self.dims.len()
    }

    /// The number of output registers, 2dP, those of ports without a link among them.
    pub fn registers(&self) -> usize {
        self.ports() * self.nodes as usize
    }

    /// The number of directed links.
    pub fn links(&self) -> u64 {
        let along = |axis: usize| match self.ends[axis] {
            AxisEnd::Open => 2 * u64::from(self.nodes - self.nodes / self.dims[axis]),
            AxisEnd::Wraps | AxisEnd::Twisted => 2 * u64::from(self.nodes),
            AxisEnd::Loop => 0,
        };
        (0..self.axes()).map(along).sum::<u64>() - self.dead.as_ref().map_or(0, |dead| dead.links())
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
        self.port_ids().filter(move |&port| self.step(node, port).is_some())
    }

    /// Returns true if a link leads from every port of every node.
    pub fn has_every_link(&self) -> bool {
        self.links() == self.registers() as u64
    }

    /// One coordinate of a node (0-based axis, 0-based coordinate).
    pub fn coord(&self, node: NodeId, axis: usize) -> u32 {
        node.0 / self.strides[axis] % self.dims[axis]
    }

    /// All coordinates of a node.
    pub fn coords(&self, node: NodeId) -> Vec<u32> {
        (0..self.axes()).map(|axis| self.coord(node, axis)).collect()
    }

    /// The node at these coordinates, or at those that they are equal to by the lattice.
    pub fn node(&self, coords: &[u32]) -> NodeId {
        if self.lattice.is_diagonal() {
            return NodeId(coords.iter().enumerate().map(|(axis, &x)| x % self.dims[axis] * self.strides[axis]).sum());
        }
        self.reduced(|axis| coords[axis].into())
    }

    /// The node of a point of the grid.
    pub(super) fn reduced(&self, point: impl Fn(usize) -> i64) -> NodeId {
        let mut reduced = [0; MAX_AXES];
        let reduced = &mut reduced[..self.axes()];
        reduced.iter_mut().enumerate().for_each(|(axis, x)| *x = point(axis));
        self.lattice.reduce(reduced);
        self.number(reduced)
    }

    fn number(&self, coords: &[i64]) -> NodeId {
        NodeId(coords.iter().zip(&self.strides).map(|(&x, &stride)| x.unsigned_abs() as u32 * stride).sum())
    }

    /// The node at the other end of the link at `port`; none if there is no link.
    pub fn step(&self, node: NodeId, port: Port) -> Option<NodeId> {
        let axis = port.axis();
        let (at, stride) = (self.coord(node, axis), self.strides[axis]);
        let there = match port.way() {
            AxisDirection::Plus if at + 1 < self.dims[axis] => NodeId(node.0 + stride),
            AxisDirection::Minus if at > 0 => NodeId(node.0 - stride),
            _ => self.over_end(node, port)?,
        };
        if self.is_dead(node, port) { None } else { Some(there) }
    }

    /// The node over the end of an axis, for a node at that end.
    pub(super) fn over_end(&self, node: NodeId, port: Port) -> Option<NodeId> {
        let axis = port.axis();
        match self.ends[axis] {
            AxisEnd::Open | AxisEnd::Loop => None,
            AxisEnd::Wraps => {
                let around = (self.dims[axis] - 1) * self.strides[axis];
                Some(NodeId(if port.way() == AxisDirection::Plus { node.0 - around } else { node.0 + around }))
            }
            AxisEnd::Twisted => {
                let mut point = [0; MAX_AXES];
                let point = &mut point[..self.axes()];
                point.iter_mut().enumerate().for_each(|(axis, x)| *x = self.coord(node, axis).into());
                point[axis] += if port.way() == AxisDirection::Plus { 1 } else { -1 };
                self.lattice.reduce(point);
                Some(self.number(point))
            }
        }
    }

    /// Returns true if a node has a router.
    pub fn is_live(&self, node: NodeId) -> bool {
        self.dead().is_none_or(|dead| dead.is_live(node))
    }

    /// Returns true if a link is dead at this end.
    pub(super) fn is_dead(&self, node: NodeId, port: Port) -> bool {
        self.dead.as_ref().is_some_and(|dead| dead.has(self.register(node, port)))
    }

    /// The output register of a node's port, as a dense index: node * 2d + port.
    pub fn register(&self, node: NodeId, port: Port) -> usize {
        node.index() * self.ports() + port.index()
    }

    /// The register whose contents arrive at `port` of `node`: the neighbour's opposite output.
    pub fn arriving(&self, node: NodeId, port: Port) -> Option<usize> {
        self.step(node, port).map(|neighbour| self.register(neighbour, port.opposite()))
    }

    /// Number of live nodes.
    pub fn live_nodes(&self) -> u32 {
        self.nodes - self.dead().map_or(0, |dead| dead.nodes().len() as u32)
    }

    /// Every live node, in order.
    pub fn live_ids(&self) -> impl Iterator<Item = NodeId> + '_ {
        self.node_ids().filter(|&node| self.is_live(node))
    }

    /// Number of a live node among the live ones, in order.
    pub fn rank(&self, node: NodeId) -> usize {
        node.index() - self.dead().map_or(0, |dead| dead.nodes().partition_point(|&other| other < node))
    }

    /// The live node with the smallest number.
    pub fn first_live(&self) -> NodeId {
        self.live_ids().next().expect("a network has live nodes")
    }
}

/// Strides of row-major numbers and how many there are; none if that is beyond 32 bits.
fn row_major(dims: &[u32]) -> Option<(Vec<u32>, u32)> {
    let mut strides = vec![0; dims.len()];
    let mut nodes = 1u32;
    for axis in (0..dims.len()).rev() {
        strides[axis] = nodes;
        nodes = nodes.checked_mul(dims[axis])?;
    }
    Some((strides, nodes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_are_mutual_and_one_step_apart() {
        let sides = [&[2, 2][..], &[6, 8], &[3, 4, 5], &[7], &[2, 3, 2, 4]];
        for (shape, dims) in sides.into_iter().flat_map(|dims| [(ShapeName::Torus, dims), (ShapeName::Mesh, dims)]) {
            let topology = Network::new(shape, dims).unwrap();
            let mut links = 0;
            for node in topology.node_ids() {
                assert_eq!(topology.node(&topology.coords(node)), node);
                for port in topology.port_ids() {
                    let (at, side) = (topology.coord(node, port.axis()), topology.side(port.axis()));
                    let expected = if port.way() == AxisDirection::Plus { at + 1 } else { at.wrapping_sub(1) };
                    let Some(there) = topology.step(node, port) else {
                        assert!(shape == ShapeName::Mesh && expected >= side);
                        continue;
                    };
                    links += 1;
                    assert_eq!(topology.step(there, port.opposite()), Some(node));
                    let wrapped = if expected == side { 0 } else { expected.min(side - 1) };
                    assert_eq!(topology.coord(there, port.axis()), wrapped);
                    assert!(shape == ShapeName::Torus || expected < side);
                }
            }
            assert_eq!(topology.links(), links, "{shape} {topology}");
        }
    }

    #[test]
    fn impossible_sides_are_refused() {
        use NetworkError::{Axes, NoAxes, Side, TooLarge};
        let (torus, path) = (ShapeName::Torus, ShapeName::Path);
        assert_eq!(Network::new(torus, &[]), Err(NoAxes { shape: torus }));
        assert_eq!(Network::new(torus, &[4, 1]), Err(Side { axis: 2, side: 1 }));
        assert_eq!(Network::new(path, &[4, 4]), Err(Axes { shape: path, axes: 2 }));
        let huge = [65_536, 65_536];
        assert_eq!(Network::new(torus, &huge), Err(TooLarge { shape: torus, dims: huge.to_vec() }));
    }
}
