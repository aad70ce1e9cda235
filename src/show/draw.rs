//! Programs as pictures: SVG text, without dependencies, readable on light and on dark paper.
//!
//! ```
//! use torusweave::design::{Design, config::Config};
//! use torusweave::net::Shape;
//! use torusweave::show::draw;
//!
//! let design = Design::new(Config::of(Shape::Torus, vec![6, 8]))?;
//! let svg = draw::cycles(&design.program, design.cover())?;
//! assert!(svg.starts_with("<svg"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod classes;
mod cycles;
mod layout;
mod modules;
mod palette;
mod panels;
mod progress;
mod spacetime;
mod svg;
mod wires;

use thiserror::Error;

pub use classes::classes;
pub use cycles::{cycles, supply};
pub use modules::modules;
pub use palette::{CYCLES as CYCLE_COLOURS, LEVELS, scale};
pub use progress::progress;
pub use spacetime::spacetime;

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
            Self::Cycle { .. } => "choose a cycle of the cover",
        }
    }
}

/// A network too large for a picture is refused.
fn at_most(nodes: u32, most: u32) -> Result<(), DrawError> {
    if nodes > most { Err(DrawError::Nodes { nodes, most }) } else { Ok(()) }
}

#[cfg(test)]
mod tests;
