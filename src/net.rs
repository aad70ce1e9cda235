//! The network: nodes, ports and links. Arithmetic and fixed randomness only.
//!
//! [`Network`] is the grid divided by a lattice, minus what is open or dead. Other rooms ask it for properties
//! ([`Network::is_homogeneous`], [`Network::as_product`], [`Network::has_every_link`]), never for its name.

mod around;
mod blocks;
mod damage;
mod dead;
mod error;
mod extent;
mod lattice;
mod network;
mod number;
mod orbits;
mod port;
mod product;
mod shape;
mod shown;
mod spanning;
pub(crate) mod splitmix;
mod sweep;
#[cfg(test)]
mod tests;
mod torus;
mod translation;
mod walker;
mod written;

pub use around::{Around, towards};
pub use blocks::{NoBlocks, NodeBlocks};
pub use dead::Dead;
pub use error::NetworkError;
pub use lattice::Lattice;
pub use network::Network;
pub use number::gcd;
pub use orbits::Orbits;
pub use port::{AxisDirection, Channel, MAX_AXES, NodeId, Port, Ports};
pub use product::Product;
pub use shape::{ShapeName, Sides};
pub use spanning::SpanningTree;
pub use sweep::OUTSIDE;
pub use torus::Torus;
pub use walker::Walker;
pub use written::WrittenNetwork;

/// Former name of [`Network`].
pub type Topology = Network;
/// Former name of [`NetworkError`].
pub type TopologyError = NetworkError;
