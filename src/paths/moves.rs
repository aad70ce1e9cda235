//! A gossip as a list of moves: which packet goes over which link in which tick.

use crate::net::{NodeId, Port};

/// One packet over one link. Several moves over a link in one tick take as many lanes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Move {
    /// When, counted from 1. What arrives in a tick can leave from the next one on.
    pub tick: u32,
    /// Who sends.
    pub from: NodeId,
    /// Out of which port.
    pub by: Port,
    /// Whose packet.
    pub token: NodeId,
}
