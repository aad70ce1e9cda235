//! A message as a node's stream carries it.

use crate::net::NodeId;

/// Message as a node's stream carries it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MessageBlock {
    /// Node that gets it, if it comes in, or that had it, if it goes out. A message for everybody comes in with the node's own.
    pub node: NodeId,
    /// Number among the blocks of this stream that have the same node.
    pub number: u32,
    /// Number of words.
    pub words: u32,
}
