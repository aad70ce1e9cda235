//! Placement of the nodes of a network of one, two or three axes on paper.

use super::svg::P;
use super::{DrawError, panels};
use crate::net::{AxisDirection, NodeId, Port, Topology};

/// Places of nodes: one vector an axis.
///
/// In two dimensions x1 runs down and x2 to the right, as in the paper's figures. In three, x1 also runs into the
/// paper, away from the reader (a cabinet projection, figures 6 and 7); where that would be too crowded the planes lie
/// side by side, and the links between them are oblique stubs.
pub(super) struct Layout {
    topology: Topology,
    origin: P,
    axes: Vec<P>,
    planes: Option<Planes>,
    /// The radius, if the nodes lie on a ring round `origin`.
    ring: Option<f64>,
    /// Length beyond a border node of links that leave the paper; 0 if none does.
    pub(super) stub: f64,
    /// The distance of neighbours along the last axis, in pixels.
    pub(super) pitch: f64,
    pub(super) width: f64,
    pub(super) height: f64,
}

/// Planes side by side.
struct Planes {
    across: u32,
    size: P,
}

/// Into the paper, in units of the pitch.
const DEPTH: P = P(0.34, -0.32);

/// About how many pixels a picture has along its longer side.
const LARGEST: f64 = 900.0;
/// Beyond this distance of nodes only words need more of it; what is drawn does not grow any more.
const COARSEST: f64 = 64.0;
/// Height that is kept free above the picture.
const TOP: f64 = panels::HEADING;

impl Layout {
    pub(super) fn new(topology: &Topology) -> Result<Self, DrawError> {
        match *topology.dims() {
            [n1, n2, n3] if n1 <= 4 && n2.max(n3) <= 6 && aslant(topology).is_none() => {
                Ok(Self::joined(topology, &[DEPTH, P(0.0, 1.0), P(1.0, 0.0)], 0.0))
            }
            _ => Self::with_room(topology, 0.0),
        }
    }

    /// With room to write between the nodes: these are so many pixels apart at least, and none is in front of another.
    pub(super) fn with_room(topology: &Topology, apart: f64) -> Result<Self, DrawError> {
        match *topology.dims() {
            // between two nodes two links would lie upon each other
            [side] if topology.has_every_link() && side > 2 => Ok(Self::ring(topology, apart)),
            [_] => Ok(Self::joined(topology, &[P(1.0, 0.0)], apart)),
            [_, _] => Ok(Self::joined(topology, &[P(0.0, 1.0), P(1.0, 0.0)], apart)),
            [n1, n2, n3] => Ok(match aslant(topology) {
                Some(way) => Self::joined(topology, &[way, P(0.0, 1.0), P(1.0, 0.0)], apart),
                None => Self::in_planes(topology, [n1, n2, n3], apart),
            }),
            _ => Err(DrawError::axes(topology.axes())),
        }
    }

    fn joined(topology: &Topology, units: &[P], apart: f64) -> Self {
        let deep = units.len() == 3 && aslant(topology).is_none();
        let extents = || units.iter().zip(topology.dims()).map(|(&unit, &side)| unit * f64::from(side - 1));
        let span = extents().fold(P::default(), |sum, extent| sum + P(extent.0.abs(), extent.1.abs()));
        let (finest, coarsest) = if deep { (80.0, 132.0) } else { (14.0, COARSEST) };
        let pitch = (LARGEST / (span.0.max(span.1) + 2.0)).floor().clamp(finest, coarsest).max(apart);
        // room for stubs and coordinates
        let stub = if topology.crosses_border() { pitch * 0.5 } else { 0.0 };
        let (left, right) = (stub + 66.0, stub + if units.len() == 3 { 56.0 } else { 26.0 });
        let (above, below) = (stub + if deep { 18.0 } else { 38.0 }, stub + if units.len() == 3 { 46.0 } else { 24.0 });
        // coordinates that run upwards start that much lower
        let rise = extents().map(|extent| (-extent.1).max(0.0)).sum::<f64>();
        Self {
            topology: topology.clone(),
            origin: P(left, TOP + above + rise * pitch),
            axes: units.iter().map(|&unit| unit * pitch).collect(),
            planes: None,
            ring: None,
            stub,
            pitch,
            width: left + span.0 * pitch + right,
            height: TOP + above + span.1 * pitch + below,
        }
    }

    /// A cycle as a ring, the first node on top.
    fn ring(topology: &Topology, apart: f64) -> Self {
        let half_angle = std::f64::consts::PI / f64::from(topology.nodes());
        let pitch = (LARGEST * half_angle.sin()).floor().clamp(14.0, COARSEST).max(apart);
        let radius = pitch * 0.5 / half_angle.sin();
        // room for coordinates
        let middle = radius + pitch * 0.4 + 40.0;
        Self {
            topology: topology.clone(),
            origin: P(middle, TOP + middle),
            axes: vec![P(pitch, 0.0)],
            planes: None,
            ring: Some(radius),
            stub: 0.0,
            pitch,
            width: 2.0 * middle,
            height: TOP + 2.0 * middle,
        }
    }

    fn in_planes(topology: &Topology, [n1, n2, n3]: [u32; 3], apart: f64) -> Self {
        // in nodes, with a gap between planes; a little wider than high
        let size = |across: u32| (across * (n3 + 1), n1.div_ceil(across) * (n2 + 2));
        let across = (1..=n1).min_by_key(|&across| size(across).0.abs_diff(size(across).1 * 6 / 5)).unwrap_or(1);
        let (wide, high) = size(across);
        let pitch = (1.4 * LARGEST / f64::from(wide.max(high))).floor().clamp(14.0, 56.0).max(apart);
        let plane = P(f64::from(n3 - 1) * pitch + pitch + 76.0, f64::from(n2 - 1) * pitch + pitch + 72.0);
        Self {
            topology: topology.clone(),
            origin: P(pitch * 0.5 + 64.0, TOP + pitch * 0.5 + 58.0),
            // only links out of a plane are oblique
            axes: vec![DEPTH * (pitch * 1.7), P(0.0, pitch), P(pitch, 0.0)],
            planes: Some(Planes { across, size: plane }),
            ring: None,
            stub: pitch * 0.5,
            pitch,
            width: plane.0 * f64::from(across) + 16.0,
            height: TOP + plane.1 * f64::from(n1.div_ceil(across)) + 16.0,
        }
    }

    /// Returns true if depth is projected.
    pub(super) fn is_projected(&self) -> bool {
        self.axes.len() == 3 && self.planes.is_none() && aslant(&self.topology).is_none()
    }

    /// Unit of length for the sizes of nodes and lines.
    pub(super) fn grain(&self) -> f64 {
        if self.is_projected() { self.pitch } else { self.pitch.min(COARSEST) }
    }

    /// Returns true if planes lie side by side.
    pub(super) fn has_planes(&self) -> bool {
        self.planes.is_some()
    }

    /// Returns true if the link at a port leads from one plane to another.
    pub(super) fn leaves_plane(&self, port: Port) -> bool {
        self.has_planes() && port.axis() == 0
    }

    /// Returns true if the link at a port leads across a corner.
    pub(super) fn is_aslant(&self, port: Port) -> bool {
        port.axis() == 0 && aslant(&self.topology).is_some()
    }

    /// The way outwards, where nodes lie on a ring.
    pub(super) fn outwards(&self, node: NodeId) -> Option<P> {
        let angle = std::f64::consts::TAU * f64::from(node.0) / f64::from(self.topology.nodes());
        self.ring.map(|_| P(angle.sin(), -angle.cos()))
    }

    pub(super) fn at(&self, node: NodeId) -> P {
        if let (Some(radius), Some(outwards)) = (self.ring, self.outwards(node)) {
            return self.origin + outwards * radius;
        }
        let along = |axis: usize| self.axes[axis] * f64::from(self.topology.coord(node, axis));
        match &self.planes {
            None => (0..self.axes.len()).fold(self.origin, |sum, axis| sum + along(axis)),
            Some(planes) => {
                let plane = self.topology.coord(node, 0);
                let (column, row) = (f64::from(plane % planes.across), f64::from(plane / planes.across));
                self.origin + P(planes.size.0 * column, planes.size.1 * row) + along(1) + along(2)
            }
        }
    }

    /// The vector from a node to its neighbour at `port`, were it not for the border.
    pub(super) fn step(&self, node: NodeId, port: Port) -> P {
        if let Some(neighbour) = self.topology.step(node, port).filter(|_| self.ring.is_some()) {
            return self.at(neighbour) - self.at(node);
        }
        match port.way() {
            AxisDirection::Plus => self.axes[port.axis()],
            AxisDirection::Minus => self.axes[port.axis()] * -1.0,
        }
    }

    /// Returns true if the link at a port leaves the paper here and comes back elsewhere.
    pub(super) fn wraps(&self, node: NodeId, port: Port) -> bool {
        if self.ring.is_some() {
            return false;
        }
        if self.is_aslant(port) {
            let way = self.topology.step(node, port).map(|there| self.at(there) - self.at(node));
            return way.is_none_or(|way| (way - self.step(node, port)).length() > 0.5);
        }
        let at = self.topology.coord(node, port.axis());
        self.leaves_plane(port)
            || match port.way() {
                AxisDirection::Plus => at + 1 == self.topology.side(port.axis()),
                AxisDirection::Minus => at == 0,
            }
    }

    /// Nodes by distance from the reader, the farthest first: one layer unless depth is projected.
    pub(super) fn layers(&self) -> Vec<Vec<NodeId>> {
        if !self.is_projected() {
            return vec![self.topology.node_ids().collect()];
        }
        let layer = |depth| self.topology.node_ids().filter(|&node| self.topology.coord(node, 0) == depth).collect();
        (0..self.topology.side(0)).rev().map(layer).collect()
    }
}

/// The way along x1, in columns and rows, where it leads to a node beside in the same plane, as on a hexagonal torus; none where planes
/// follow each other along x1, or a link leads farther.
pub(super) fn aslant(topology: &Topology) -> Option<P> {
    let [1, rows, columns] = *topology.dims() else { return None };
    let next = topology.away(NodeId(0), &[1, 0, 0]);
    let along = |axis, side| match topology.coord(next, axis) {
        0 => Some(0.0),
        at if at + 1 == side => Some(-1.0),
        1 => Some(1.0),
        _ => None,
    };
    Some(P(along(2, columns)?, along(1, rows)?)).filter(|way| way.length() > 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::net::ShapeName;

    fn assert_links_end_at_neighbours(topology: &Topology) {
        let name = topology.describe();
        for layout in [Layout::new(topology), Layout::with_room(topology, 60.0)].map(Result::unwrap) {
            for (node, port) in topology.node_ids().flat_map(|node| topology.port_ids().map(move |port| (node, port))) {
                let Some(neighbour) = topology.step(node, port).filter(|_| !layout.wraps(node, port)) else { continue };
                let off = layout.at(node) + layout.step(node, port) - layout.at(neighbour);
                assert!(off.length() < 0.5, "{name}: node {} port {port}", topology.show(node));
            }
        }
    }

    #[test]
    fn links_that_stay_on_the_paper_end_at_their_neighbours() {
        for (shape, sides) in [
            (ShapeName::Torus, vec![4, 5]),
            (ShapeName::Torus, vec![3, 4, 5]),
            (ShapeName::Torus, vec![6, 3, 4]),
            (ShapeName::Mesh, vec![3, 4]),
            (ShapeName::Cycle, vec![7]),
            (ShapeName::Path, vec![5]),
        ] {
            assert_links_end_at_neighbours(&Topology::new(shape, &sides).unwrap());
        }
        for rows in [vec![vec![4, 2], vec![0, 4]], vec![vec![1, 2, 1], vec![0, 6, 0], vec![0, 0, 8]]] {
            assert_links_end_at_neighbours(&Topology::of_lattice(&rows).unwrap());
        }
    }

    /// The third neighbour on either side of a hexagonal torus lies across a corner, unless that is over the border.
    #[test]
    fn hexagonal_tori_lie_in_one_plane() {
        for [n2, n3] in [[3, 3], [4, 5], [6, 8]] {
            let topology = Topology::of_lattice(&[vec![1, 1, 1], vec![0, n2, 0], vec![0, 0, n3]]).unwrap();
            assert_links_end_at_neighbours(&topology);
            let layout = Layout::new(&topology).unwrap();
            assert!(!layout.is_projected() && !layout.has_planes());
            for port in [Port::plus(0), Port::minus(0)] {
                let stay = topology.node_ids().filter(|&node| !layout.wraps(node, port)).count();
                assert_eq!(stay as i64, (n2 - 1) * (n3 - 1), "{n2}x{n3} {port}");
            }
        }
    }
}
