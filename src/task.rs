//! A task: a network, a collective and settings; and `Scheme`, what a construction says of itself and answers.

mod collective;
mod needs;
mod scheme;
mod store;

use std::sync::Arc;

use crate::net::{Around, NodeId, Topology, Torus};
use crate::paths::rooted::Rooted;
use crate::paths::supply::Switching;
use crate::program::Link;
use crate::study::bounds::{self, Bound, Goal};

pub use collective::{Collective, CollectiveTraffic, CombinePlace, MOST_FLITS, TreeKind};
pub use needs::{ConstructError, Unmet};
pub use scheme::{About, Claim, MOST_LANES, RunTime, Scheme, SchemeLinks, Woven};
pub use store::StoreMode;

/// Question to a scheme. Further inputs become fields here, so that signatures stay as they are.
#[derive(Clone, Debug)]
pub struct Task<'a> {
    /// Network of nodes and links.
    pub topology: &'a Topology,
    /// Over which links.
    pub link: Link,
    /// Collective to achieve, and settings of the scheme.
    pub choice: Choice,
}

/// Collective to achieve, and the settings that a scheme leaves open.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Choice {
    /// Traffic that the program must deliver.
    pub traffic: Arc<CollectiveTraffic>,
    /// Behaviour of the supporters of off-cycle nodes over time.
    pub switching: Switching,
    /// Amount of packet store that the optimal scheme may use.
    pub store: StoreMode,
    /// Packets that a node may read from its memory in a tick, in the general scheme.
    pub reads: Option<u32>,
    /// Most neighbours to which a node forwards a packet, if that is limited: played backwards, the most partials that it
    /// combines with its own value. A scheme whose forwarding is fixed leaves it alone.
    pub branches: Option<u32>,
    /// Number of packets a node has to contribute, for `auto`.
    pub packets: Option<u16>,
    /// True if the order makes a difference in which values are combined, as it does for floats.
    pub is_ordered: bool,
}

/// A setting of a config that makes a difference to some schemes and none to others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Knob {
    /// Behaviour of the supporters of off-cycle nodes over time.
    Switching,
    /// Amount of packet store that the routers may use.
    Store,
    /// Number of packets a node reads from its memory in a tick.
    Reads,
    /// Place of the routers' tables.
    Rom,
}

impl<'a> Task<'a> {
    /// Copies the task for another network.
    #[must_use]
    pub fn on<'b>(&self, topology: &'b Topology) -> Task<'b> {
        Task { topology, ..self.clone() }
    }

    /// Collective that the scheme must weave: for reductions the one that is played backwards.
    pub fn collective(&self) -> Collective {
        self.choice.traffic.woven()
    }

    /// The node that broadcasts, scatters, gathers or reduces.
    pub fn root(&self) -> NodeId {
        self.choice.traffic.root(self.topology)
    }

    /// The fewest ticks of a collective for so many packets per node, of so many flits, whatever the scheme.
    pub fn bound(&self, collective: Collective, link: Link, packets: u16, flits: u32) -> Bound {
        let traffic = &self.choice.traffic;
        let (per_node, latency) = (u64::from(packets) * u64::from(flits), link.latency);
        let on_links = |goal| bounds::lower_bound(self.topology, link, goal);
        match collective {
            Collective::Gossip => on_links(Goal::Gossip { flits: per_node }),
            Collective::Broadcast => on_links(Goal::Broadcast { root: self.root(), flits: traffic.flits.into() }),
            Collective::Reduce => on_links(Goal::Reduce { root: self.root(), flits: traffic.flits.into(), latency }),
            Collective::Scatter | Collective::Gather => {
                on_links(Goal::Scatter { root: self.root(), lengths: &self.lengths() })
            }
            Collective::Exchange => on_links(match &traffic.pairs {
                Some(pairs) => Goal::Pairs(pairs),
                // each pair of nodes has one message, whatever the number of packets of a node
                None => Goal::Exchange { flits: flits.into() },
            }),
            Collective::ReduceScatter => on_links(Goal::ReduceScatter { flits: per_node, latency }),
            Collective::AllReduce => {
                let words = match traffic.combined {
                    CombinePlace::Root | CombinePlace::Everywhere => traffic.flits.into(),
                    CombinePlace::Blocks => per_node.saturating_mul(self.topology.live_nodes().into()),
                };
                on_links(Goal::AllReduce { words, latency })
            }
        }
    }

    /// The flits of each node's message, where each has its own.
    pub fn lengths(&self) -> Vec<u32> {
        self.choice.traffic.lengths(self.topology)
    }

    /// The tree that messages keep to, or another if the task leaves it to the scheme.
    pub fn tree(&self, default: &TreeKind) -> Result<Rooted, Unmet> {
        let root = self.root();
        match self.choice.traffic.tree.as_ref().unwrap_or(default) {
            TreeKind::Path => Rooted::path(self.topology, root).ok_or(Unmet { needs: PATH }),
            TreeKind::BreadthFirst => Ok(Rooted::breadth_first(self.topology, root)),
            TreeKind::Parents(parents) => Rooted::of_parents(self.topology, root, parents)
                .map_err(|_| Unmet { needs: "parents that are a tree of the network" }),
        }
    }

    /// Returns the tree with the fewest hops, if the messages along it can be laid out in memory.
    pub fn short_tree(&self, default: &TreeKind) -> Result<Rooted, Unmet> {
        // no tree is shorter, and this is cheap
        self.refuse_heavy_traffic()?;
        let tree = self.tree(default)?;
        FROM_ONE.hold(self.topology.node_ids().map(|node| u64::from(tree.depth(node))).sum())?;
        Ok(tree)
    }

    /// Fails if messages between the root and all nodes cannot be laid out: on the shortest ways they pass too many links, or
    /// together they take too many ticks.
    pub fn refuse_heavy_traffic(&self) -> Result<(), Unmet> {
        FROM_ONE.hold(Around::new(self.topology, self.root()).hops())?;
        let flits: u64 = self.lengths().iter().map(|&flits| u64::from(flits)).sum();
        let needs = "messages of at most 2^31 flits together: fewer nodes, or shorter ones";
        if flits > MOST_FLITS { Err(Unmet { needs }) } else { Ok(()) }
    }

    /// The sides, for a scheme that needs a torus.
    pub fn torus_sides(&self) -> Result<&'a [u32], Unmet> {
        if self.topology.is_product_of_cycles() { Ok(self.topology.dims()) } else { Err(Unmet { needs: "a torus" }) }
    }

    /// The network, for a scheme that needs a torus.
    pub fn torus(&self) -> Result<Torus, Unmet> {
        Torus::of(self.topology).ok_or(Unmet { needs: "a torus" })
    }
}

/// Number of links messages may pass together, and how that is said.
pub struct HopLimit {
    most: u64,
    needs: &'static str,
}

impl HopLimit {
    /// Fails if these are more.
    pub fn hold(&self, hops: u64) -> Result<(), Unmet> {
        if hops > self.most { Err(Unmet { needs: self.needs }) } else { Ok(()) }
    }
}

/// At most 2^n of them.
macro_rules! hops {
    ($n:literal) => {
        HopLimit { most: 1 << $n, needs: concat!("messages that pass at most 2^", $n, " links together: fewer nodes") }
    };
}

/// Limit for messages from one node: one message per node of a torus of 256x256. The program has some hundred bytes per
/// message.
const FROM_ONE: HopLimit = hops!(23);
/// Limit for messages from every node: one per pair of nodes of a torus of 64x64. Checking more takes many minutes.
pub const FROM_ALL: HopLimit = hops!(29);

/// Condition of `tree: path`, for errors.
pub const PATH: &str = "a network that is a path from its root: a cycle, or a path with the root at an end";

impl Knob {
    /// All settings, in the order of the help.
    const ALL: [Self; 4] = [Self::Switching, Self::Store, Self::Reads, Self::Rom];

    /// The knob of this name in a config.
    pub fn of(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|knob| knob.name() == name)
    }

    /// Name in a config.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Switching => "switching",
            Self::Store => "store",
            Self::Reads => "reads",
            Self::Rom => "rom",
        }
    }
}
