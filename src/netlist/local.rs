//! Choices for what stands beside the routers: the order of blocks, and the streams that bring them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Order in which a node hands out the blocks of a collective.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
#[serde(rename_all = "kebab-case")]
#[schemars(rename = "Order")]
pub enum BlockOrder {
    /// Own block first, then the others in order of arrival.
    Arrival,
    /// By the node that they come from, row by row.
    Origin,
}

/// Streams by which blocks get into the nodes and out of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
#[serde(rename_all = "kebab-case")]
#[schemars(rename = "Host")]
pub enum HostStreams {
    /// Every node has streams of its own.
    #[default]
    Ports,
    /// One stream in and one out, on a ring through all nodes.
    Chain,
}

/// Way in which a node hands out the words of a collective.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
#[serde(rename_all = "kebab-case")]
pub enum Results {
    /// One after the other, on a stream.
    #[default]
    Stream,
    /// From a memory with a read port, in any order.
    Memory,
}

/// Ports of the nodes of a list of programs, where they have streams in place of a host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NodePorts {
    /// Order in which blocks are handed out, with the node of each; none if a call's words are one packet.
    pub order: Option<BlockOrder>,
    /// Words per clock of a stream out of a node.
    pub words: u32,
    /// Way in which a node hands out words.
    pub results: Results,
    /// True if a top with a processing element at each node is written.
    pub elements: bool,
    /// True if every message of a node is told by itself; else those for one node, or of one, are one block.
    pub by_message: bool,
}

impl NodePorts {
    /// Streams of one word per clock, whose packets are calls.
    pub const PLAIN: Self =
        Self { order: None, words: 1, results: Results::Stream, elements: false, by_message: false };
}

/// Choices for the nodes beside the routers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NodeOptions {
    /// Order in which blocks are handed out.
    pub order: BlockOrder,
    /// Streams by which they come and go.
    pub host: HostStreams,
    /// Words per clock of a stream out of a node.
    pub words: u32,
    /// Way in which a node hands out words.
    pub results: Results,
    /// True if a top with a processing element at each node is written.
    pub elements: bool,
}

impl NodeOptions {
    /// Ports of the nodes of one collective.
    pub const fn ports(self) -> NodePorts {
        let Self { order, words, results, elements, .. } = self;
        NodePorts { order: Some(order), words, results, elements, by_message: true }
    }

    /// Nodes with streams of one word per clock.
    pub const fn streams(order: BlockOrder, host: HostStreams) -> Self {
        Self { order, host, words: 1, results: Results::Stream, elements: false }
    }
}
