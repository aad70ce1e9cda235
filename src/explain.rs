//! Why a node does what it does: its rule, its places, what arrives when and from where, whom it supplies.
//!
//! Times are arithmetic on the places of cycles; the way of a single packet is followed through the program. Of a reduction
//! the part that gathers is explained as the gossip that it is; what is combined before, partial by partial.
//!
//! ```
//! use torusweave::design::{Design, config::Config};
//! use torusweave::net::ShapeName;
//! use torusweave::explain::Explainer;
//!
//! let design = Design::new(Config::of(ShapeName::Torus, vec![6, 8]))?;
//! let node = design.program.topology.node(&[3, 4]);
//! let explanation = Explainer::new(&design).node(node, None);
//! assert_eq!(explanation.ports[0].streams[0].packets[0].node.to_string(), "2,4");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod arrivals;
pub mod diff;
mod node;
mod partial;
pub mod program_text;
mod reduced;
pub mod rows;
mod story;
mod streams;
mod text;
mod times;
mod trace;

use crate::design::Design;
use crate::net::NodeId;
use crate::paths::cover::Cover;
use crate::paths::supply::{self, Supply, Switching};
use crate::program::Program;
use crate::study::region::{Region, regions};
use crate::task::{Scheme, Task};

pub use partial::{Gathered, ReducePart, SentPartial};
pub use story::{
    Coords, CycleStory, Explanation, HopStory, OutputStory, PacketName, PacketWay, PartialPort, PortStory,
    ReductionStory, ResultStory, StoryFeed, StreamStory, SumStory, SupplyStory, TickStory, ValueStory,
};
pub use streams::{Along, PaperRole, SuppliedStream};
use times::TickTimes;
pub use trace::{Hop, PacketTrace, trace};

/// A design with what has to be known to explain any of its nodes. It counts in steps, a packet's time on a link, and tells
/// what these are as ticks.
pub struct Explainer<'a> {
    /// for packets of one flit, on short links: what moves packets, if anything does
    program: Program,
    /// program of the reduce part, where times are counted in steps
    reduced: Option<Program>,
    /// both as they are told where something arrives later than it is sent: in ticks
    long: Option<[Program; 2]>,
    times: TickTimes,
    /// times of partials
    combining: TickTimes,
    /// the whole design
    design: &'a Design,
    flits: u32,
    cover: Option<&'a Cover>,
    /// region of every class
    regions: Vec<Region>,
    scheme: &'static dyn Scheme,
    task: Task<'a>,
    switching: Switching,
    /// by node, then by cycle
    supplies: Vec<Supply>,
    /// by cycle and place
    residents: Vec<Vec<NodeId>>,
}

impl<'a> Explainer<'a> {
    /// Prepares the explanation of a design.
    pub fn new(design: &'a Design) -> Self {
        // on half-duplex links a cycle is no pair of streams: packets are followed instead
        let cover = design.cover().filter(|_| design.program.duplex.is_full() && !only_combines(&design.program));
        let supplies = cover.map(|cover| supply::supplies(cover).expect("what is missing here had stopped the design"));
        let whole = design.program.unstretched().expect("a design's program is stretched from whole packets");
        let program = whole.gather_part().unwrap_or_else(|| whole.clone());
        let reduced = whole.reduce_part();
        let of_ticks = |program: &Program| {
            [program.gather_part(), program.reduce_part()].map(|part| part.unwrap_or_else(|| program.clone()))
        };
        Self {
            reduced,
            long: (design.program.reduce_latency() > 1).then(|| of_ticks(&design.program)),
            times: TickTimes::of(&design.program, design.program.latency),
            combining: TickTimes::of(&design.program, design.program.reduce_latency()),
            design,
            scheme: design.scheme,
            task: design.task(),
            regions: regions(&program.topology, &program.class_of, program.classes.len()),
            program,
            flits: design.program.flits,
            cover,
            switching: design.config.switching,
            supplies: supplies.unwrap_or_default(),
            residents: cover
                .map_or_else(Vec::new, |cover| (0..cover.cycles()).map(|cycle| cover.residents(cycle)).collect()),
        }
    }

    /// Returns true if nothing is gathered of what the design combines.
    fn only_combines(&self) -> bool {
        only_combines(&self.design.program)
    }

    /// Program that moves packets, in the unit of time that the text uses.
    fn told(&self) -> &Program {
        self.long.as_ref().map_or(&self.program, |[moves, _]| moves)
    }

    /// Supplies of a node with the cycles that it is off.
    pub fn supplies_of(&self, node: NodeId) -> &[Supply] {
        let first = self.supplies.partition_point(|supply| supply.node < node);
        let count = self.supplies[first..].partition_point(|supply| supply.node == node);
        &self.supplies[first..first + count]
    }
}

/// Returns true for a reduction without a gather part.
fn only_combines(program: &Program) -> bool {
    program.reduction.as_ref().is_some_and(|reduction| reduction.ticks == program.ticks)
}

#[cfg(test)]
mod tests;
