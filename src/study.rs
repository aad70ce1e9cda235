//! What can be told of a program without playing it: regions of classes, figures, bounds, the hardware it takes.

pub mod bounds;
pub mod figures;
pub mod hardware;
pub mod pace;
pub mod region;
pub mod ways;
