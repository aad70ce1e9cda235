//! Scatter and gather: a message of its own for every node, from one node or to one.

pub mod assign;
pub mod closed;
pub mod dispatch;
pub mod fdf;
pub mod flow;
mod gather;
mod messages;
pub mod port_trees;
mod ports;
mod protocols;
mod timed;
mod words;

pub use closed::PortChoice;
pub use fdf::FarthestFirst;
pub use ports::PortTrees;
pub use protocols::{Certification, ShoulderTap};
pub use timed::TimedFlow;
