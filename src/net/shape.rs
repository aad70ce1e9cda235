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
pub enum ShapeName {
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

impl ShapeName {
    /// All shapes, in the order of the help.
    pub const ALL: [Self; 4] = [Self::Torus, Self::Mesh, Self::Cycle, Self::Path];

    /// Name in a config.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Torus => "torus",
            Self::Mesh => "mesh",
            Self::Cycle => "cycle",
            Self::Path => "path",
        }
    }

    /// Returns true for shapes with exactly one axis.
    pub const fn is_line(self) -> bool {
        matches!(self, Self::Cycle | Self::Path)
    }

    /// Returns true if the axes of the shape wrap.
    pub(super) const fn wraps(self) -> bool {
        matches!(self, Self::Torus | Self::Cycle)
    }
}

impl fmt::Display for ShapeName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}
