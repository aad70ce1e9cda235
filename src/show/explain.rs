//! Why a node does what it does: its rule, its places, what arrives when and from where, whom it supplies.
//!
//! Times are arithmetic on the places of cycles; the way of a single packet is followed through the program.
//!
//! ```
//! use torusweave::design::{Design, config::Config};
//! use torusweave::show::explain::Explainer;
//!
//! let design = Design::new(Config::of_torus(vec![6, 8]))?;
//! let node = design.program.topology.node(&[3, 4]);
//! let explanation = Explainer::new(&design).node(node, None);
//! assert_eq!(explanation.ports[0].streams[0].packets[0].node, "2,4");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod story;
mod streams;
mod text;
mod trace;

use crate::design::Design;
use crate::net::NodeId;
use crate::paths::cover::Cover;
use crate::paths::supply::{self, Supply, Switching};
use crate::program::Program;
use crate::schemes::Scheme;
use crate::study::region::{Region, regions};

pub use story::{
    CycleStory, Explanation, Feed, HopStory, OutputStory, Packet, PortStory, StreamStory, SupplyStory, TickStory, Way,
};
pub use streams::{Along, Role, Stream};
pub use trace::{Hop, Trace, trace};

/// A design with what has to be known to explain any of its nodes. It counts in steps: a packet's time on a link.
pub struct Explainer<'a> {
    /// for packets of one flit
    program: Program,
    flits: u32,
    cover: Option<&'a Cover>,
    /// of every class
    regions: Vec<Region>,
    scheme: &'static dyn Scheme,
    switching: Switching,
    /// by node, then by cycle
    supplies: Vec<Supply>,
    /// by cycle and place
    residents: Vec<Vec<NodeId>>,
}

impl<'a> Explainer<'a> {
    /// Prepares the explanation of a design.
    pub fn new(design: &'a Design) -> Self {
        let cover = design.cover.as_ref();
        let supplies = cover.map(|cover| supply::supplies(cover).expect("what is missing here had stopped the design"));
        let program = design.program.unstretched().expect("a design's program is stretched from whole packets");
        Self {
            scheme: design.scheme,
            regions: regions(&program.topology, &program.class_of, program.classes.len()),
            program,
            flits: design.program.flits,
            cover,
            switching: design.config.switching,
            supplies: supplies.unwrap_or_default(),
            residents: cover.map(residents).unwrap_or_default(),
        }
    }

    /// How a node is supplied with the cycles it is off.
    pub fn supplies_of(&self, node: NodeId) -> &[Supply] {
        let first = self.supplies.partition_point(|supply| supply.node < node);
        let count = self.supplies[first..].partition_point(|supply| supply.node == node);
        &self.supplies[first..first + count]
    }
}

/// The node at each place of each cycle.
fn residents(cover: &Cover) -> Vec<Vec<NodeId>> {
    let at = |cycle| {
        let mut at = vec![NodeId(0); cover.length(cycle) as usize];
        for (node, _) in cover.nodes(cycle) {
            let place = cover.place(cycle, node).expect("it lies on the cycle") as usize;
            at[place..=place + usize::from(cover.is_double(node))].fill(node);
        }
        at
    };
    (0..cover.cycles()).map(at).collect()
}

#[cfg(test)]
mod tests;
