//! Where the nodes of a torus of one, two or three axes are put on paper.

use super::DrawError;
use super::svg::P;
use crate::torus::{NodeId, Port, Torus, Way};

/// Places of nodes: one vector an axis.
///
/// In two dimensions x1 runs down and x2 to the right, as in the paper's figures; in three x1 also runs into the
/// paper (a cabinet projection), away from the reader.
pub(super) struct Layout {
    torus: Torus,
    origin: P,
    axes: Vec<P>,
    /// The distance of neighbours along the last axis, in pixels.
    pub(super) pitch: f64,
    pub(super) width: f64,
    pub(super) height: f64,
}

impl Layout {
    /// A picture of `largest` pixels at most along its longer side, below `top` pixels kept free.
    pub(super) fn new(torus: &Torus, largest: f64, top: f64) -> Result<Self, DrawError> {
        let depth = P(0.44, -0.31);
        let units = match torus.axes() {
            1 => vec![P(1.0, 0.0)],
            2 => vec![P(0.0, 1.0), P(1.0, 0.0)],
            3 => vec![depth, P(0.0, 1.0), P(1.0, 0.0)],
            axes => return Err(DrawError::Axes { axes }),
        };
        let extents = || units.iter().zip(torus.dims()).map(|(&unit, &side)| unit * f64::from(side - 1));
        let span = extents().fold(P::default(), |sum, extent| sum + P(extent.0.abs(), extent.1.abs()));
        let finest = if torus.axes() == 3 { 52.0 } else { 14.0 };
        let coarsest = if torus.axes() == 3 { 104.0 } else { 64.0 };
        let pitch = (largest / (span.0.max(span.1) + 2.0)).floor().clamp(finest, coarsest);
        // room for stubs and coordinates
        let stub = pitch * 0.5;
        let (left, right) = (stub + 60.0, stub + if torus.axes() == 3 { 60.0 } else { 26.0 });
        let (above, below) = (stub + if torus.axes() == 3 { 14.0 } else { 30.0 }, stub + 24.0);
        // coordinates that run upwards start that much lower
        let rise = extents().map(|extent| (-extent.1).max(0.0)).sum::<f64>();
        Ok(Self {
            torus: torus.clone(),
            origin: P(left, top + above + rise * pitch),
            axes: units.iter().map(|&unit| unit * pitch).collect(),
            pitch,
            width: left + span.0 * pitch + right,
            height: top + above + span.1 * pitch + below,
        })
    }

    pub(super) fn at(&self, node: NodeId) -> P {
        let steps = self.axes.iter().enumerate().map(|(axis, &unit)| unit * f64::from(self.torus.coord(node, axis)));
        steps.fold(self.origin, |sum, step| sum + step)
    }

    /// The vector from a node to its neighbour at `port`, were it not for the border.
    pub(super) fn step(&self, port: Port) -> P {
        match port.way() {
            Way::Plus => self.axes[port.axis()],
            Way::Minus => self.axes[port.axis()] * -1.0,
        }
    }

    /// Whether the link at a port leaves the paper on one side and comes back on the other.
    pub(super) fn wraps(&self, node: NodeId, port: Port) -> bool {
        let at = self.torus.coord(node, port.axis());
        match port.way() {
            Way::Plus => at + 1 == self.torus.side(port.axis()),
            Way::Minus => at == 0,
        }
    }

    /// Nodes by distance from the reader, the farthest first: one layer in two dimensions.
    pub(super) fn layers(&self) -> Vec<Vec<NodeId>> {
        if self.torus.axes() < 3 {
            return vec![self.torus.node_ids().collect()];
        }
        let layer = |depth| self.torus.node_ids().filter(|&node| self.torus.coord(node, 0) == depth).collect();
        (0..self.torus.side(0)).rev().map(layer).collect()
    }
}
