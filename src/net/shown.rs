//! Words for a network and its nodes.

use std::fmt;

use super::{Network, NodeId, Sides};

impl Network {
    /// Kind of the network in a few words: `torus`, `mesh`, `cycle`, `path`, `cylinder`, `twisted torus`, `damaged network`.
    pub fn kind(&self) -> &'static str {
        match self.shape() {
            Some(shape) => shape.name(),
            None if self.dead().is_some() => "damaged network",
            None if self.lattice().is_diagonal() && self.open().is_empty() => "torus",
            None if self.lattice().is_diagonal() => "cylinder",
            None => "twisted torus",
        }
    }

    /// Describes the network as people do: `6x8 torus`, `cycle of 8`.
    pub fn describe(&self) -> String {
        match self.shape() {
            Some(shape) if shape.is_line() => format!("{shape} of {self}"),
            _ => format!("{self} {}", self.kind()),
        }
    }

    /// Coordinates, shown as `3,4`.
    pub fn show(&self, node: NodeId) -> String {
        self.coords(node).iter().map(u32::to_string).collect::<Vec<_>>().join(",")
    }
}

impl fmt::Display for Network {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.lattice().is_diagonal() {
            return Sides(self.dims()).fmt(f);
        }
        for (index, row) in self.lattice().rows().iter().enumerate() {
            let separator = if index == 0 { "" } else { "/" };
            write!(f, "{separator}{}", row.iter().map(u32::to_string).collect::<Vec<_>>().join(","))?;
        }
        Ok(())
    }
}
