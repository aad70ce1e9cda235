//! Where the traffic runs: nodes, ports, links. Arithmetic only.

mod torus;

pub use torus::*;
