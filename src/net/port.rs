//! Nodes and their ports.

use std::fmt;

/// A node, numbered row-major: the last axis varies fastest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(pub u32);

impl NodeId {
    /// The node's index into dense vectors.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// Direction of a port along its axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum AxisDirection {
    /// Towards smaller coordinates.
    Minus,
    /// Towards larger coordinates.
    Plus,
}

/// A router port: one way along one axis. Ports are ordered x1-, x1+, x2-, x2+, ...
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Port(u8);

/// More axes than any network of 2^32 nodes can use.
pub const MAX_AXES: usize = 31;

impl Port {
    /// The port that looks `way` along `axis` (0-based).
    pub const fn new(axis: usize, way: AxisDirection) -> Self {
        Self(2 * axis as u8 + matches!(way, AxisDirection::Plus) as u8)
    }

    /// Towards larger coordinates of `axis`.
    pub const fn plus(axis: usize) -> Self {
        Self::new(axis, AxisDirection::Plus)
    }

    /// Towards smaller coordinates of `axis`.
    pub const fn minus(axis: usize) -> Self {
        Self::new(axis, AxisDirection::Minus)
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
    pub const fn way(self) -> AxisDirection {
        if self.0.is_multiple_of(2) { AxisDirection::Minus } else { AxisDirection::Plus }
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

    /// Short name: `T` in two dimensions, `x1-` otherwise; `unit 0` for ports after those of the axes.
    pub fn label(self, axes: usize) -> String {
        match axes {
            _ if self.axis() >= axes => format!("unit {}", self.index() - 2 * axes),
            2 => self.letter().to_string(),
            _ => self.to_string(),
        }
    }

    /// Reads `x1-`, `x2+`, ... or the letters T, B, L, R.
    pub fn parse(text: &str) -> Option<Self> {
        match text {
            "T" | "t" => Some(Self(0)),
            "B" | "b" => Some(Self(1)),
            "L" | "l" => Some(Self(2)),
            "R" | "r" => Some(Self(3)),
            _ => Self::named(text),
        }
    }

    /// Reads `x1-`, `x2+`, ... as they are printed, and no other spelling: a port has one name.
    pub fn named(text: &str) -> Option<Self> {
        let rest = text.strip_prefix('x')?;
        let (number, way) = match rest.strip_suffix('+') {
            Some(number) => (number, AxisDirection::Plus),
            None => (rest.strip_suffix('-')?, AxisDirection::Minus),
        };
        let axis = number.parse::<usize>().ok()?.checked_sub(1)?;
        let port = (axis < MAX_AXES).then(|| Self::new(axis, way))?;
        // numbers may be read with a sign or zeros before them
        (port.to_string() == text).then_some(port)
    }
}

impl fmt::Display for Port {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.way() == AxisDirection::Plus { '+' } else { '-' };
        f.pad(&format!("x{}{sign}", self.axis() + 1))
    }
}

/// One of the lanes of a port: what an output register drives, and what an input brings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Channel {
    /// Port of the channel.
    pub port: Port,
    /// Index of the lane, from 0.
    pub lane: u8,
}

impl Channel {
    /// A port's first lane.
    pub const fn first(port: Port) -> Self {
        Self { port, lane: 0 }
    }

    /// The channel with this index, port after port, of ports with so many lanes.
    pub fn from_index(index: usize, lanes: u8) -> Self {
        let lanes = usize::from(lanes);
        Self { port: Port::from_index(index / lanes), lane: (index % lanes) as u8 }
    }

    /// Channel at the other end of the link, on the same lane.
    #[must_use]
    pub const fn opposite(self) -> Self {
        Self { port: self.port.opposite(), ..self }
    }

    /// Short name: `T`, or `T lane 1`.
    pub fn label(self, axes: usize) -> String {
        match self.lane {
            0 => self.port.label(axes),
            lane => format!("{} lane {lane}", self.port.label(axes)),
        }
    }
}

impl fmt::Display for Channel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.lane {
            0 => self.port.fmt(f),
            lane => write!(f, "{} lane {lane}", self.port),
        }
    }
}

/// Some ports of a node.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Ports(u64);

impl Ports {
    /// Collects ports into a set.
    pub fn of(ports: impl IntoIterator<Item = Port>) -> Self {
        Self(ports.into_iter().fold(0, |set, port| set | 1 << port.index()))
    }

    /// Returns true if a port is among them.
    pub const fn contains(self, port: Port) -> bool {
        self.0 >> port.index() & 1 == 1
    }

    /// The ports in order.
    pub fn iter(self) -> impl Iterator<Item = Port> {
        // one step per port instead of per bit, because joins ask this at every node in every tick
        let mut left = self.0;
        std::iter::from_fn(move || {
            let index = (left != 0).then_some(left.trailing_zeros() as usize)?;
            left &= left - 1;
            Some(Port::from_index(index))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ports_read_back_what_they_print() {
        for index in 0..2 * MAX_AXES {
            let port = Port::from_index(index);
            assert_eq!([Port::parse, Port::named].map(|read| read(&port.to_string())), [Some(port); 2]);
        }
        assert_eq!((Port::parse("R"), Port::named("R")), (Some(Port::plus(1)), None));
        for bad in ["", "x", "x0+", "x1", "y1+", "x99+", "x1*", "x+1+", "x01-", "x++1", "x1++", "x-1-", "X1+", " x1+"] {
            assert_eq!(Port::parse(bad), None, "{bad}");
        }
    }

    #[test]
    fn ports_come_in_order_and_once() {
        for some in [vec![], vec![0], vec![0, 3], vec![1, 2, 5], (0..2 * MAX_AXES).collect()] {
            let ports = Ports::of(some.iter().rev().chain(&some).map(|&index| Port::from_index(index)));
            assert_eq!(ports.iter().map(Port::index).collect::<Vec<_>>(), some);
        }
    }
}
