//! Where the traffic runs: nodes, ports, links. Arithmetic only.

mod number;
mod torus;

pub use number::gcd;
pub use torus::*;
