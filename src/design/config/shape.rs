//! Shapes of a network, and the notation of their sides.

use crate::net::Shape;

/// Description of the shape.
pub(super) fn about(shape: Shape) -> &'static str {
    match shape {
        Shape::Torus => "A torus of n1 rows (axis x1), n2 columns (axis x2), and so on",
        Shape::Mesh => "A mesh, which is a torus without the links over the border",
        Shape::Cycle => "A cycle, which is a torus of one axis",
        Shape::Path => "A path, which is a cycle without the link that closes it",
    }
}

/// Example of its sides in a config.
pub(super) fn example(shape: Shape) -> &'static str {
    match shape {
        Shape::Torus => "[6, 8]",
        Shape::Mesh => "[4, 5]",
        Shape::Cycle => "8",
        Shape::Path => "7",
    }
}

/// Example of its sides after the flag.
pub(super) fn flag_example(shape: Shape) -> &'static str {
    match shape {
        Shape::Torus => "6x8",
        Shape::Mesh => "4x5",
        Shape::Cycle | Shape::Path => example(shape),
    }
}
