//! Names of the common networks, and how sides are printed.

use std::fmt;

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

/// Name for the axes that wrap: torus, mesh, cycle or path.
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

    /// Whether its axes wrap.
    pub(super) const fn wraps(self) -> bool {
        matches!(self, Self::Torus | Self::Cycle)
    }
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}
