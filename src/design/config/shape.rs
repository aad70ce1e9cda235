//! Shapes of a network, and the notation of their sides.

use crate::net::ShapeName;

/// Description of the shape.
pub(super) fn about(shape: ShapeName) -> &'static str {
    match shape {
        ShapeName::Torus => "A torus of n1 rows (axis x1), n2 columns (axis x2), and so on",
        ShapeName::Mesh => "A mesh, which is a torus without the links over the border",
        ShapeName::Cycle => "A cycle, which is a torus of one axis",
        ShapeName::Path => "A path, which is a cycle without the link that closes it",
    }
}

/// Example of its sides in a config.
pub(super) fn example(shape: ShapeName) -> &'static str {
    match shape {
        ShapeName::Torus => "[6, 8]",
        ShapeName::Mesh => "[4, 5]",
        ShapeName::Cycle => "8",
        ShapeName::Path => "7",
    }
}

/// Example of its sides after the flag.
pub(super) fn flag_example(shape: ShapeName) -> &'static str {
    match shape {
        ShapeName::Torus => "6x8",
        ShapeName::Mesh => "4x5",
        ShapeName::Cycle | ShapeName::Path => example(shape),
    }
}
