//! The torus: nodes, ports and links. Arithmetic only, no traffic.

use std::fmt;

use thiserror::Error;

/// A node, numbered row-major: the last axis varies fastest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(pub u32);

impl NodeId {
    /// The node's index into dense vectors.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// Which way along an axis a port looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Way {
    /// Towards smaller coordinates.
    Minus,
    /// Towards larger coordinates.
    Plus,
}

/// A router port: one way along one axis. Ports are ordered x1-, x1+, x2-, x2+, ...
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Port(u8);

impl Port {
    /// The port that looks `way` along `axis` (0-based).
    pub const fn new(axis: usize, way: Way) -> Self {
        Self(2 * axis as u8 + matches!(way, Way::Plus) as u8)
    }

    /// Towards larger coordinates of `axis`.
    pub const fn plus(axis: usize) -> Self {
        Self::new(axis, Way::Plus)
    }

    /// Towards smaller coordinates of `axis`.
    pub const fn minus(axis: usize) -> Self {
        Self::new(axis, Way::Minus)
    }

    /// The port with this index in the order x1-, x1+, x2-, ...
    pub const fn from_index(index: usize) -> Self {
        Self(index as u8)
    }

    /// The port's index in the order x1-, x1+, x2-, ...
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// The axis (0-based).
    pub const fn axis(self) -> usize {
        self.0 as usize / 2
    }

    /// The way along the axis.
    pub const fn way(self) -> Way {
        if self.0.is_multiple_of(2) { Way::Minus } else { Way::Plus }
    }

    /// The other port of the same axis; also the neighbour's name for the link at this port.
    #[must_use]
    pub const fn opposite(self) -> Self {
        Self(self.0 ^ 1)
    }

    /// The paper's letter in two dimensions: T, B, L, R for x1-, x1+, x2-, x2+.
    pub fn letter(self) -> char {
        ['T', 'B', 'L', 'R'][self.index()]
    }

    /// As short as it can be said: `T` in two dimensions, `x1-` otherwise.
    pub fn label(self, axes: usize) -> String {
        if axes == 2 { self.letter().to_string() } else { self.to_string() }
    }

    /// Reads `x1-`, `x2+`, ... or the letters T, B, L, R.
    pub fn parse(text: &str) -> Option<Self> {
        match text {
            "T" | "t" => return Some(Self(0)),
            "B" | "b" => return Some(Self(1)),
            "L" | "l" => return Some(Self(2)),
            "R" | "r" => return Some(Self(3)),
            _ => {}
        }
        let rest = text.strip_prefix('x')?;
        let (number, way) = match rest.strip_suffix('+') {
            Some(number) => (number, Way::Plus),
            None => (rest.strip_suffix('-')?, Way::Minus),
        };
        let axis = number.parse::<usize>().ok()?.checked_sub(1)?;
        (axis < MAX_AXES).then(|| Self::new(axis, way))
    }
}

impl fmt::Display for Port {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.way() == Way::Plus { '+' } else { '-' };
        f.pad(&format!("x{}{sign}", self.axis() + 1))
    }
}

/// More axes than any torus of 2^32 nodes can use.
pub const MAX_AXES: usize = 31;

/// Why a list of sides is not a torus.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum TorusError {
    /// No axis at all.
    #[error("a torus needs at least one axis")]
    NoAxes,
    /// A side of 0 or 1 has no links of its own.
    #[error("side {side} of axis x{axis} is too small: a side is at least 2")]
    Side {
        /// The axis, counted from 1 as in the papers.
        axis: usize,
        /// The offending side.
        side: u32,
    },
    /// The product of the sides does not fit.
    #[error("torus {} has more than 2^32 - 1 nodes", Sides(dims))]
    TooLarge {
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

/// A torus of any number of axes, every side at least 2.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Torus {
    dims: Vec<u32>,
    strides: Vec<u32>,
    nodes: u32,
}

impl Torus {
    /// Checks the sides and lays the nodes out row-major.
    pub fn new(dims: &[u32]) -> Result<Self, TorusError> {
        if dims.is_empty() {
            return Err(TorusError::NoAxes);
        }
        if let Some(axis) = dims.iter().position(|&side| side < 2) {
            return Err(TorusError::Side { axis: axis + 1, side: dims[axis] });
        }
        let too_large = || TorusError::TooLarge { dims: dims.to_vec() };
        let mut strides = vec![0; dims.len()];
        let mut nodes = 1u32;
        for axis in (0..dims.len()).rev() {
            strides[axis] = nodes;
            nodes = nodes.checked_mul(dims[axis]).ok_or_else(too_large)?;
        }
        Ok(Self { dims: dims.to_vec(), strides, nodes })
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

    /// How far apart neighbours along `axis` (0-based) are numbered.
    pub fn stride(&self, axis: usize) -> u32 {
        self.strides[axis]
    }

    /// The number of nodes P.
    pub fn nodes(&self) -> u32 {
        self.nodes
    }

    /// The number of ports of a node, 2d.
    pub fn ports(&self) -> usize {
        2 * self.dims.len()
    }

    /// The number of directed links, 2dP: one output register each.
    pub fn links(&self) -> u64 {
        self.ports() as u64 * u64::from(self.nodes)
    }

    /// Every node, in order.
    pub fn node_ids(&self) -> impl ExactSizeIterator<Item = NodeId> + use<> {
        (0..self.nodes).map(NodeId)
    }

    /// Every port, in order.
    pub fn port_ids(&self) -> impl ExactSizeIterator<Item = Port> + use<> {
        (0..self.ports()).map(Port::from_index)
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

    /// The node at the other end of the link at `port`.
    pub fn neighbour(&self, node: NodeId, port: Port) -> NodeId {
        let (side, stride) = (self.dims[port.axis()], self.strides[port.axis()]);
        let at = self.coord(node, port.axis());
        NodeId(match port.way() {
            Way::Plus if at + 1 == side => node.0 - at * stride,
            Way::Plus => node.0 + stride,
            Way::Minus if at == 0 => node.0 + (side - 1) * stride,
            Way::Minus => node.0 - stride,
        })
    }

    /// The output register a node's input `port` reads, as a dense index: node * 2d + port.
    pub fn register(&self, node: NodeId, port: Port) -> usize {
        node.index() * self.ports() + port.index()
    }

    /// The register whose contents arrive at `port` of `node`: the neighbour's opposite output.
    pub fn arriving(&self, node: NodeId, port: Port) -> usize {
        self.register(self.neighbour(node, port), port.opposite())
    }

    /// Coordinates, shown as `3,4`.
    pub fn show(&self, node: NodeId) -> String {
        self.coords(node).iter().map(u32::to_string).collect::<Vec<_>>().join(",")
    }
}

impl fmt::Display for Torus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Sides(&self.dims).fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_are_mutual_and_one_step_apart() {
        for dims in [&[2, 2][..], &[6, 8], &[3, 4, 5], &[7], &[2, 3, 2, 4]] {
            let torus = Torus::new(dims).unwrap();
            for node in torus.node_ids() {
                assert_eq!(torus.node(&torus.coords(node)), node);
                for port in torus.port_ids() {
                    let there = torus.neighbour(node, port);
                    assert_eq!(torus.neighbour(there, port.opposite()), node);
                    let side = torus.side(port.axis());
                    let step = if port.way() == Way::Plus { 1 } else { side - 1 };
                    let expected = (torus.coord(node, port.axis()) + step) % side;
                    assert_eq!(torus.coord(there, port.axis()), expected);
                }
            }
        }
    }

    #[test]
    fn ports_read_back_what_they_print() {
        for index in 0..2 * MAX_AXES {
            let port = Port::from_index(index);
            assert_eq!(Port::parse(&port.to_string()), Some(port));
        }
        assert_eq!(Port::parse("R"), Some(Port::plus(1)));
        for bad in ["", "x", "x0+", "x1", "y1+", "x99+", "x1*"] {
            assert_eq!(Port::parse(bad), None, "{bad}");
        }
    }

    #[test]
    fn impossible_sides_are_refused() {
        assert_eq!(Torus::new(&[]), Err(TorusError::NoAxes));
        assert_eq!(Torus::new(&[4, 1]), Err(TorusError::Side { axis: 2, side: 1 }));
        let huge = [65_536, 65_536];
        assert_eq!(Torus::new(&huge), Err(TorusError::TooLarge { dims: huge.to_vec() }));
    }
}
