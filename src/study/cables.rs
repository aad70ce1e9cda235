//! Cables between boards: which port of a board each joins to which, and how many tokens wait at its ends.

use crate::net::{Channel, NodeId, Port, Topology};
use crate::netlist::bits_for;
use crate::program::Program;

/// Cable between two boards, for both directions of a lane of all links that cross one side of a board's block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cable {
    /// Board at the port that looks to larger coordinates.
    pub board: NodeId,
    /// Lane of that port.
    pub port: Channel,
    /// Board at the other end.
    pub other: NodeId,
    /// Lane of the port at the other end.
    pub other_port: Channel,
}

/// Lists every cable once, by its board and port, in the network of the boards.
pub fn cables(program: &Program, boards: &Topology) -> Vec<Cable> {
    let topology = boards;
    let is_first = |channel: &Channel| channel.port == Port::plus(channel.port.axis());
    let ends = topology.node_ids().flat_map(|board| program.channels().filter(is_first).map(move |port| (board, port)));
    let cable = |(board, port): (NodeId, Channel)| {
        let other = topology.step(board, port.port)?;
        Some(Cable { board, port, other, other_port: port.opposite() })
    };
    ends.filter_map(cable).collect()
}

/// Tokens that the FIFO at an input has room for on links of `latency` ticks: twice as many as that, and two that have left while their
/// clock does not know it yet, to a power of two.
pub fn fifo_depth(latency: u32, crosses: bool) -> u32 {
    1 << bits_for(2 * u64::from(latency) + if crosses { 2 } else { 0 })
}
