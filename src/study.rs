//! Analysis of a program without playing it: regions, figures, bounds, hardware, and ticks of other algorithms.

pub mod bounds;
pub mod cables;
pub mod clock;
pub mod figures;
pub mod hardware;
pub mod link_directions;
pub mod pace;
pub mod region;
pub mod roundings;
pub mod rounds;
