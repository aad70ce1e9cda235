//! Programs as pictures: SVG text, without dependencies, readable on light and on dark paper.
//!
//! ```
//! use torusweave::design::{Design, config::Config};
//! use torusweave::net::ShapeName;
//! use torusweave::draw;
//!
//! let design = Design::new(Config::of(ShapeName::Torus, vec![6, 8]))?;
//! let svg = draw::cycles(&design.program, design.cover())?;
//! assert!(svg.starts_with("<svg"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod cables;
mod classes;
mod curve;
mod cycles;
mod edges;
mod layout;
mod links;
mod modules;
mod palette;
mod panels;
mod picture;
mod progress;
pub mod report;
pub mod signals;
mod spacetime;
mod svg;
mod tree;
mod waves;
mod wires;

use thiserror::Error;

use crate::design::support::{Unsupported, building};
use crate::net::Topology;

pub use cables::cable_map;
pub use classes::classes;
pub use cycles::{cycles, supply};
pub use links::links;
pub use modules::{DrawnStart, FabricSurroundings, ListedModules, modules};
pub use palette::{CYCLES as CYCLE_COLOURS, LEVELS, scale};
pub use picture::{Picture, PictureKind};
pub use progress::{progress, progress_of, times};
pub use spacetime::spacetime;
pub use tree::{heard, tree};
pub use waves::waves;

/// Why there is no picture.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum DrawError {
    /// The network has too many nodes or axes.
    #[error(transparent)]
    Unsupported(#[from] Unsupported),
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
        /// Number of packets that the node has.
        packets: u32,
    },
    /// There is no such cycle.
    #[error("there is no cycle {cycle}: the cover has {cycles}, counted from 0")]
    Cycle {
        /// The cycle asked for.
        cycle: usize,
        /// Number of cycles in the cover.
        cycles: usize,
    },
}

impl DrawError {
    fn axes(axes: usize) -> Self {
        let problem = format!("pictures are drawn for 1, 2 and 3 axes; this network has {axes}");
        building::PICTURE_AXES.refusal(problem).into()
    }

    /// Returns the cure that is shown after `help:`.
    pub fn help(&self) -> String {
        match self {
            Self::Unsupported(error) => error.help(),
            Self::Tick { .. } => "choose a tick of the program".into(),
            Self::Packet { .. } => "choose a packet of the node".into(),
            Self::Cycle { .. } => "choose a cycle of the cover".into(),
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
        () if axes > 3 => Err(DrawError::axes(axes)),
        () if nodes > most => {
            let problem = format!("this picture is drawn for up to {most} nodes; this network has {nodes}");
            Err(building::PICTURE_NODES.refusal(problem).into())
        }
        () => Ok(()),
    }
}

#[cfg(test)]
mod tests;
