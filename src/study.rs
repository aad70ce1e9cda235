//! What can be told of a program without playing it: regions of classes, figures, bounds.

pub mod bounds;
pub mod figures;
pub mod region;
