//! Limits of what the headers of a host's ring count.

use super::ProgramsError;
use crate::design::config::Config;
use crate::design::support::{Unsupported, lists};
use crate::net::Topology;
use crate::netlist::listed::ListNetlist;
use crate::program::count;

/// Most words of a node that a header counts.
const MOST_WORDS: u32 = 0xffff;
/// Most nodes of a device that it counts.
const MOST_NODES: u32 = 1 << 12;

/// Fails if a header of the host's ring cannot count the nodes of a device.
pub(super) fn refuse_many_nodes(config: &Config, topology: &Topology) -> Result<(), ProgramsError> {
    let blocks = if config.link.elastic { config.blocks(topology)? } else { None };
    let nodes = blocks.map_or(topology.live_nodes(), |blocks| blocks.sites());
    if nodes <= MOST_NODES || config.has_streams_of_nodes() {
        return Ok(());
    }
    let nodes = count(nodes.into(), "node");
    Err(lists::RING.refusal(format!("{nodes} are more than the {MOST_NODES} that it counts")).into())
}

/// Fails if a header of the host's ring cannot count the words of a node.
pub(super) fn refuse_many_words(config: &Config, netlist: &ListNetlist) -> Result<(), Unsupported> {
    let words = netlist.programs.iter().flat_map(|program| &program.words);
    match words.map(|&(taken, given)| taken.max(given)).max() {
        Some(words) if words > MOST_WORDS && !config.has_streams_of_nodes() => {
            let words = count(words.into(), "word");
            Err(lists::RING.refusal(format!("{words} of a node are more than the {MOST_WORDS} that it counts")))
        }
        _ => Ok(()),
    }
}
