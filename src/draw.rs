//! Programs as pictures: SVG text, without dependencies, readable on light and on dark paper.
//!
//! ```
//! use torusweave::design::{Design, config::Config};
//! use torusweave::net::Shape;
//! use torusweave::draw;
//!
//! let design = Design::new(Config::of(Shape::Torus, vec![6, 8]))?;
//! let svg = draw::cycles(&design.program, design.cover())?;
//! assert!(svg.starts_with("<svg"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod classes;
mod cycles;
mod edges;
mod layout;
mod links;
mod modules;
mod palette;
mod panels;
mod progress;
pub mod report;
pub mod signals;
mod spacetime;
mod svg;
mod tree;
mod waves;
mod wires;

use thiserror::Error;

use crate::net::Topology;

pub use classes::classes;
pub use cycles::{cycles, supply};
pub use links::links;
pub use modules::{Around, modules};
pub use palette::{CYCLES as CYCLE_COLOURS, LEVELS, scale};
pub use progress::{progress, progress_of, times};
pub use spacetime::spacetime;
pub use tree::{heard, tree};
pub use waves::waves;

/// Why there is no picture.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum DrawError {
    /// Paper has two dimensions, and three can be projected.
    #[error("pictures are drawn for 1, 2 and 3 axes; this network has {axes}")]
    Axes {
        /// The axes of the network.
        axes: usize,
    },
    /// The picture would be too large, or take too long.
    #[error("this picture is drawn for up to {most} nodes; this network has {nodes}")]
    Nodes {
        /// The nodes of the network.
        nodes: u32,
        /// The most that can be drawn.
        most: u32,
    },
    /// There is no such tick.
    #[error("there is no tick {tick}: the program runs from tick 1 to tick {last}")]
    Tick {
        /// The tick asked for.
        tick: u32,
        /// The program's last.
        last: u32,
    },
    /// The node has no such packet.
    #[error("there is no packet {packet}: the node has {packets}, counted from 0")]
    Packet {
        /// The packet asked for.
        packet: u32,
        /// How many it has.
        packets: u32,
    },
    /// There is no such cycle.
    #[error("there is no cycle {cycle}: the cover has {cycles}, counted from 0")]
    Cycle {
        /// The cycle asked for.
        cycle: usize,
        /// How many there are.
        cycles: usize,
    },
}

impl DrawError {
    /// What to do about it.
    pub fn help(&self) -> &'static str {
        match self {
            Self::Axes { .. } => "`torusweave program` prints what every node does on any number of axes",
            Self::Nodes { .. } => "draw a smaller network of the same scheme: the rules are the same",
            Self::Tick { .. } => "choose a tick of the program",
            Self::Packet { .. } => "choose a packet of the node",
            Self::Cycle { .. } => "choose a cycle of the cover",
        }
    }
}

/// The most nodes that cycles and supply are drawn for.
pub const MOST_FOR_CYCLES: u32 = cycles::MOST_NODES;
/// The most nodes that classes are drawn for.
pub const MOST_FOR_CLASSES: u32 = classes::MOST_NODES;
/// The most nodes that a tree is drawn for.
pub const MOST_FOR_TREES: u32 = tree::MOST_NODES;
/// The most nodes that progress is drawn for.
pub const MOST_FOR_PROGRESS: u32 = progress::MOST_NODES;

/// A network too large for a picture of its nodes, or of too many axes, is refused: before its program is built, too.
pub fn fits(topology: &Topology, most: u32) -> Result<(), DrawError> {
    let (nodes, axes) = (topology.nodes(), topology.axes());
    match () {
        () if axes > 3 => Err(DrawError::Axes { axes }),
        () if nodes > most => Err(DrawError::Nodes { nodes, most }),
        () => Ok(()),
    }
}

#[cfg(test)]
mod tests;
