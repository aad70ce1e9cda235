//! The collectives: senders, receivers and amounts of their traffic.

use std::fmt;
use std::sync::Arc;

use schemars::{JsonSchema, Schema};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::net::{Around, NodeId, Topology};
use crate::program::Pairs;

/// Ticks are counted in 32 bits, and a flit that waits and travels takes some more: no more flits are there for all nodes together,
/// where each has a message of its own.
pub const MOST_FLITS: u64 = 1 << 31;

/// Collective communication pattern.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(transform = list_aliases)]
pub enum Collective {
    /// Every node learns every other node's packets.
    #[default]
    #[serde(alias = "all-gather", alias = "allgather")]
    Gossip,
    /// Every node learns the root's message.
    Broadcast,
    /// Every node gets a message of its own from the root.
    Scatter,
    /// The root gets every node's message.
    Gather,
    /// Every node gets a message of its own from every other node.
    #[serde(alias = "all-to-all", alias = "alltoall")]
    Exchange,
    /// The root gets the combination of the values of all nodes.
    Reduce,
    /// Every node gets the combination of the values that all nodes have for it.
    #[serde(alias = "reducescatter")]
    ReduceScatter,
    /// Every node gets the combinations of the values that all nodes have for each.
    #[serde(alias = "allreduce")]
    AllReduce,
}

/// Lists the other names that a config accepts, for the schema and the command line.
fn list_aliases(schema: &mut Schema) {
    let Some(choices) = schema.get_mut("oneOf").and_then(Value::as_array_mut) else { return };
    for choice in choices {
        let named = Collective::ALL.into_iter().find(|collective| choice["const"] == collective.name());
        let aliases = named.map_or(&[][..], Collective::aliases);
        if let (false, Some(choice)) = (aliases.is_empty(), choice.as_object_mut()) {
            choice.insert("x-aliases".into(), aliases.into());
        }
    }
}

impl Collective {
    /// All collectives, in the order of the help.
    pub const ALL: [Self; 8] = [
        Self::Gossip,
        Self::Broadcast,
        Self::Scatter,
        Self::Gather,
        Self::Exchange,
        Self::Reduce,
        Self::ReduceScatter,
        Self::AllReduce,
    ];

    /// Name in a config.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Gossip => "gossip",
            Self::Broadcast => "broadcast",
            Self::Scatter => "scatter",
            Self::Gather => "gather",
            Self::Exchange => "exchange",
            Self::Reduce => "reduce",
            Self::ReduceScatter => "reduce-scatter",
            Self::AllReduce => "all-reduce",
        }
    }

    /// Names that other libraries give it, which a config accepts, too.
    pub const fn aliases(self) -> &'static [&'static str] {
        match self {
            Self::Gossip => &["all-gather", "allgather"],
            Self::Exchange => &["all-to-all", "alltoall"],
            Self::ReduceScatter => &["reducescatter"],
            Self::AllReduce => &["allreduce"],
            Self::Broadcast | Self::Scatter | Self::Gather | Self::Reduce => &[],
        }
    }

    /// Returns true if one node differs from all others.
    pub const fn has_root(self) -> bool {
        matches!(self, Self::Broadcast | Self::Scatter | Self::Gather | Self::Reduce)
    }

    /// Returns true if messages may have lengths of their own.
    pub const fn has_lengths(self) -> bool {
        matches!(self, Self::Scatter | Self::Gather | Self::Exchange)
    }

    /// Returns true if messages can keep to one tree.
    pub const fn has_tree(self) -> bool {
        matches!(self, Self::Scatter | Self::Gather)
    }

    /// Returns true if all messages are packets of one length, so that a schedule of whole packets is one of any
    /// length.
    pub const fn is_of_packets(self) -> bool {
        matches!(self, Self::Gossip | Self::Exchange | Self::ReduceScatter | Self::AllReduce)
    }

    /// Returns true if values are combined on their way.
    pub const fn is_reduction(self) -> bool {
        matches!(self, Self::Reduce | Self::ReduceScatter | Self::AllReduce)
    }

    /// Collective that a scheme builds for this one: reductions are built by playing a gossip or a broadcast backwards.
    #[must_use]
    pub const fn woven(self) -> Self {
        match self {
            Self::Reduce => Self::Broadcast,
            Self::ReduceScatter | Self::AllReduce => Self::Gossip,
            _ => self,
        }
    }

    /// Requirement of a scheme that achieves only this collective, for errors.
    pub const fn needed(self) -> &'static str {
        match self {
            Self::Gossip => "`collective: gossip`",
            Self::Broadcast => "`collective: broadcast`",
            Self::Scatter => "`collective: scatter`",
            Self::Gather => "`collective: gather`",
            Self::Exchange => "`collective: exchange`",
            Self::Reduce => "`collective: reduce`",
            Self::ReduceScatter => "`collective: reduce-scatter`",
            Self::AllReduce => "`collective: all-reduce`",
        }
    }
}

impl fmt::Display for Collective {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// Tree along which the messages of a scatter or a gather travel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TreeKind {
    /// The network as one path: a ring all the way round, a line from its end.
    Path,
    /// A shortest way to every node.
    BreadthFirst,
    /// The parent of each node, none for the root.
    Parents(Vec<Option<u32>>),
}

/// A collective, from whom, to whom, and how much.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CollectiveTraffic {
    /// Collective to achieve.
    pub collective: Collective,
    /// The coordinates of the root; the first live node if there are none.
    pub root: Vec<u32>,
    /// The flits of a message.
    pub flits: u32,
    /// The flits of each node's message, where they differ.
    pub lengths: Vec<u32>,
    /// The flits from each node to each other, where an exchange has other messages than one of `flits` per pair.
    pub pairs: Option<Arc<Pairs>>,
    /// Tree to use; `None` takes the scheme's own.
    pub tree: Option<TreeKind>,
    /// Nodes that combine the values of an all-reduce.
    pub combined: CombinePlace,
}

/// Nodes that combine the values of an all-reduce.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CombinePlace {
    /// Each node combines a block of them, and all blocks are gathered.
    #[default]
    Blocks,
    /// One root combines all of them, and broadcasts the results.
    Root,
    /// Every node combines all of them by itself.
    Everywhere,
}

impl CombinePlace {
    /// Nodes in words, after a number of ticks.
    pub const fn shown(self) -> &'static str {
        match self {
            Self::Blocks => "in blocks",
            Self::Root => "by one root",
            Self::Everywhere => "at every node",
        }
    }
}

/// Searches times registers: more take seconds.
const MOST_WORK: u64 = 1 << 25;

/// Gossip of packets of one flit.
impl Default for CollectiveTraffic {
    fn default() -> Self {
        Self {
            collective: Collective::Gossip,
            root: Vec::new(),
            flits: 1,
            lengths: Vec::new(),
            pairs: None,
            tree: None,
            combined: CombinePlace::Blocks,
        }
    }
}

impl CollectiveTraffic {
    /// A collective of messages of so many flits from or to the first node.
    pub fn of(collective: Collective, flits: u32) -> Self {
        Self { collective, flits, ..Self::default() }
    }

    /// An all-reduce of so many words that are combined in the middle of a network: at the node from which a broadcast takes the fewest
    /// ticks, by its distance to the farthest one and its links.
    pub fn at_middle(topology: &Topology, words: u32) -> Self {
        let orbits = topology.orbits();
        let ticks = |&node: &NodeId| {
            let links = topology.linked_ports(node).count().max(1) as u32;
            Around::new(topology, node).depth() + words.div_ceil(links)
        };
        let searched = (MOST_WORK / topology.registers() as u64).max(1) as usize;
        let middle = orbits.first().iter().copied().take(searched).min_by_key(ticks);
        let root = topology.coords(middle.unwrap_or_else(|| topology.first_live()));
        Self { root, combined: CombinePlace::Root, ..Self::of(Collective::AllReduce, words) }
    }

    /// An all-reduce of so many words that every node combines by itself.
    pub fn everywhere(words: u32) -> Self {
        Self { combined: CombinePlace::Everywhere, ..Self::of(Collective::AllReduce, words) }
    }

    /// Collective that a scheme builds for this traffic.
    pub const fn woven(&self) -> Collective {
        match self.combined {
            CombinePlace::Blocks => self.collective.woven(),
            CombinePlace::Root => Collective::Broadcast,
            CombinePlace::Everywhere => Collective::AllReduce,
        }
    }

    /// Returns true if all messages are packets of one length.
    pub const fn is_of_packets(&self) -> bool {
        self.collective.is_of_packets() && matches!(self.combined, CombinePlace::Blocks)
    }

    /// Returns true if a network has its root.
    pub fn is_on(&self, topology: &Topology) -> bool {
        self.root.is_empty()
            || self.root.len() == topology.axes()
                && self.root.iter().zip(topology.dims()).all(|(x, n)| x < n)
                && topology.is_live(topology.node(&self.root))
    }

    /// Root of the collective; node 0 if the config names none.
    pub fn root(&self, topology: &Topology) -> NodeId {
        if self.root.is_empty() { topology.first_live() } else { topology.node(&self.root) }
    }

    /// The flits of each node's message; the root has none for itself, and dead nodes have none.
    pub fn lengths(&self, topology: &Topology) -> Vec<u32> {
        let nodes = topology.nodes() as usize;
        let mut lengths = if self.lengths.is_empty() { vec![self.flits; nodes] } else { self.lengths.clone() };
        lengths.resize(nodes, 0);
        lengths[self.root(topology).index()] = 0;
        for node in topology.node_ids().filter(|&node| !topology.is_live(node)) {
            lengths[node.index()] = 0;
        }
        lengths
    }
}
