//! Where the traffic runs: nodes, ports, links. Arithmetic and fixed randomness only.

mod around;
mod number;
mod port;
pub(crate) mod splitmix;
mod sweep;
mod topology;
mod torus;
mod walker;

pub use around::{Around, towards};
pub use number::gcd;
pub use port::{Channel, MAX_AXES, NodeId, Port, Ports, Way};
pub use sweep::OUTSIDE;
pub use topology::{Shape, Sides, Topology, TopologyError};
pub use torus::Torus;
pub use walker::Walker;
