//! Reason why no schedule is faster, and how it is said.

use std::fmt;

use crate::net::NodeId;
use crate::program::count;

/// Travel of a flit over one link more than a radius.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Travel {
    /// Distance in links.
    pub radius: u32,
    /// Ticks per link.
    pub latency: u32,
}

impl Travel {
    /// Ticks from when a flit is sent to when it arrives, without the first one.
    pub fn ticks(self) -> u64 {
        (u64::from(self.radius) + 1) * u64::from(self.latency) - 1
    }
}

impl fmt::Display for Travel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.latency {
            1 => write!(f, "{}", self.radius),
            latency => write!(f, "{} * {latency} - 1", self.radius + 1),
        }
    }
}

/// Flits that share links: they take as many ticks as there are for each link, and then the last ones arrive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Share {
    /// Number of flits, each counted once per link that it passes.
    pub flits: u64,
    /// Number of flits that leave in a tick at most.
    pub room: u64,
    /// Ticks per link.
    pub latency: u32,
}

impl Share {
    /// Ticks until the last flits have arrived.
    pub fn ticks(self) -> u64 {
        match self.flits {
            0 => 0,
            flits => flits.div_ceil(self.room) + u64::from(self.latency) - 1,
        }
    }
}

impl fmt::Display for Share {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.latency > 1 {
            write!(f, "{} - 1 + ", self.latency)?;
        }
        match self.room {
            1 => write!(f, "{}", self.flits),
            room => write!(f, "ceil({} / {room})", self.flits),
        }
    }
}

/// Reason why no schedule is faster.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BoundReason {
    /// Each node has to receive the flits of all others, and the one with the fewest ports takes in one per port and tick.
    Ports {
        /// Flits of a node.
        flits: u64,
        /// Number of other nodes.
        others: u32,
        /// Fewest ports of a node that a link leads to, times lanes.
        ports: u64,
        /// Ticks per link.
        latency: u32,
    },
    /// Flits from beyond a distance enter by the links of a ball around a node.
    Ball {
        /// Node in the middle.
        node: NodeId,
        /// Travel to the node from outside the ball.
        way: Travel,
        /// Flits per node.
        flits: u64,
        /// Nodes farther away.
        outside: u64,
        /// Fewest links into a ball of this radius or less, times lanes.
        links: u64,
    },
    /// A flit crosses one link per tick, or per latency of a link, and has to cross the whole network.
    Diameter {
        /// Ticks per link.
        latency: u32,
    },
    /// The most distant flits need their latency; after that, one flit arrives per port and tick.
    Latency {
        /// Distance to the farthest nodes, in links.
        distance: u64,
        /// Ticks per link.
        latency: u32,
        /// Flits of nodes as far away or farther.
        flits: u64,
        /// Fewest ports of a node, times lanes.
        ports: u64,
    },
    /// The links of a node bring one flit of a broadcast per tick each, from when it can be at their other ends.
    Intake {
        /// Flits of the message.
        flits: u64,
    },
    /// The links of the root carry all flits for the nodes so far away, or from them, and then the last one travels.
    Root {
        /// Number of flits that leave or reach the root.
        flits: u64,
        /// Links of the root.
        ports: u64,
        /// Travel of the last flit.
        way: Travel,
    },
    /// All messages together take so many hops along an axis, whose links carry two per node and tick.
    Hops {
        /// Index of the axis.
        axis: usize,
        /// Hops of a node's messages, and two links.
        share: Share,
    },
    /// Messages that cross the middle of an open axis, by the links there.
    Middle {
        /// Index of the axis.
        axis: usize,
        /// Flits per link.
        share: Share,
    },
    /// Messages that leave a slab across an axis, by the links that do.
    Slab {
        /// Index of the axis.
        axis: usize,
        /// Flits from inside to outside, and links.
        share: Share,
    },
    /// Messages travel at least all distances, and in a tick at most all links, whatever lengths axes are given.
    Lengths(Share),
    /// Messages travel at least all distances, and in a tick at most all links, whatever lengths links are given one by one.
    LinkLengths(Share),
    /// All messages together take so many hops, and there are so many directed links.
    Distances(Share),
    /// Flits of one sender, or for one receiver, beyond a distance pass the links there.
    OneNode {
        /// Number of the node.
        node: NodeId,
        /// True if the node sends the flits.
        is_sender: bool,
        /// Travel of the last flit to or from beyond the distance.
        way: Travel,
        /// Number of flits.
        flits: u64,
        /// Fewest links that lead out of a ball of this radius or less.
        links: u64,
    },
    /// Flits reach a node by paths that share no link, each as short as those before leave it.
    Flow {
        /// Number of the node.
        node: NodeId,
        /// Number of paths.
        paths: usize,
        /// Flits of the message.
        flits: u64,
    },
    /// Flits for all nodes beyond a distance from the root enter by the links there.
    Layers {
        /// Travel of the last flit to beyond the distance.
        way: Travel,
        /// Number of flits.
        flits: u64,
        /// Fewest links that lead out of a ball of this radius or less.
        links: u64,
    },
    /// Every flit crosses a half-duplex link for each node but its own, and each link carries one per lane and tick, but no
    /// more in the first tick than a node has.
    HalfDuplexLinks(Share),
    /// The node with the fewest half-duplex links has to send its own flits and receive all others.
    HalfDuplexPorts(Share),
    /// Every flit crosses the middle of the network over half-duplex links, and then goes on to the farther end.
    HalfDuplexCut {
        /// Index of the axis across which the network is cut.
        axis: usize,
        /// Travel of the last flit from the cut.
        way: Travel,
        /// Flits of all nodes.
        flits: u64,
        /// Links across the cut, times lanes.
        links: u64,
    },
    /// Parts of the network send their partials, and get the results: twice as many transfers as there are parts but one.
    Partition {
        /// Number of parts.
        parts: u64,
        /// Transfers between the parts, and links.
        share: Share,
    },
    /// The partials of a node leave it, or a ball around it, by few links, and then travel to the farthest node.
    Partials {
        /// Node in the middle.
        node: NodeId,
        /// Travel from the node to the farthest one.
        way: Travel,
        /// Number of combined flits.
        flits: u64,
        /// Fewest links out of a ball around the node.
        links: u64,
    },
    /// Every node has sent a partial before it can have got a result: two transfers per node, or all the way there and back.
    Radius {
        /// Distance from the best node in the middle to the farthest one.
        radius: u32,
        /// Ticks per link.
        latency: u32,
    },
    /// A value travels as a partial up to the first result, and with that from there on.
    Adders {
        /// Distance of the two nodes that are farthest apart, in links.
        links: u32,
        /// Ticks per link.
        latency: u32,
        /// Links that it travels as a partial at least.
        radius: u32,
        /// Ticks per link of a partial.
        reduce_latency: u32,
    },
    /// On paths, cycles and meshes of two rows: where it is proved.
    Theorem(&'static str),
}

impl fmt::Display for BoundReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::HalfDuplexLinks(share) | Self::HalfDuplexPorts(share) => share.fmt(f),
            Self::HalfDuplexCut { axis, way, flits, links } => {
                write!(f, "{way} + ceil({flits} / {links}), by the links across a cut of axis x{}", axis + 1)
            }
            Self::Theorem(theorem) => f.write_str(theorem),
            Self::Ports { flits, others, ports, latency: 1 } => write!(f, "ceil({flits} * {others} / {ports})"),
            Self::Ports { flits, others, ports, latency } => {
                write!(f, "{latency} - 1 + ceil({flits} * {others} / {ports})")
            }
            Self::Latency { distance, latency: 1, flits, ports } => {
                write!(f, "{} + ceil({flits} / {ports}), by nodes {distance} links away", distance - 1)
            }
            Self::Latency { distance, latency, flits, ports } => {
                write!(f, "{distance} * {latency} - 1 + ceil({flits} / {ports})")
            }
            Self::Ball { node, way, flits, outside, links } => {
                write!(f, "{way} + ceil({flits} * {outside} / {links}), by the links into balls around node {}", node.0)
            }
            Self::Middle { axis, share } => {
                write!(f, "{share}, by the links in the middle of axis x{}", axis + 1)
            }
            Self::Slab { axis, share } => write!(f, "{share}, by the links out of a slab across axis x{}", axis + 1),
            Self::Lengths(share) => write!(f, "{share}, by lengths of the axes"),
            Self::LinkLengths(share) => write!(f, "{share}, by lengths of the links"),
            Self::Distances(share) => write!(f, "{share}, hops of all messages by links"),
            Self::Hops { axis, share } => write!(f, "{share} hops along axis x{}", axis + 1),
            Self::OneNode { node, is_sender, way, flits, links } => {
                let direction = if is_sender { "from" } else { "to" };
                write!(
                    f,
                    "{way} + ceil({flits} / {links}), by the links around node {} of flits {direction} it",
                    node.0
                )
            }
            Self::Flow { node, paths, flits } => {
                write!(f, "{} by {paths} paths to node {}", count(flits, "flit"), node.0)
            }
            Self::Layers { way, flits, links } => {
                write!(f, "{way} + ceil({flits} / {links}), by the links out of balls around the root")
            }
            Self::Diameter { latency: 1 } => f.write_str("the diameter"),
            Self::Diameter { latency } => write!(f, "the diameter of links of {latency} ticks"),
            Self::Intake { flits } => write!(f, "{} at the links of the farthest node", count(flits, "flit")),
            Self::Root { flits, ports, way: Travel { radius, latency: 1 } } => {
                write!(f, "ceil({flits} / {ports}) + {} - 1", radius + 1)
            }
            Self::Root { flits, ports, way } => write!(f, "ceil({flits} / {ports}) + {way}"),
            Self::Partition { parts, share } => {
                write!(f, "{share}, transfers between {parts} parts of the network")
            }
            Self::Partials { node, way, flits, links } => {
                write!(f, "{way} + ceil({flits} / {links}), by the links around node {}", node.0)
            }
            Self::Adders { links, latency, radius, reduce_latency } => {
                let results = links - radius;
                write!(
                    f,
                    "{radius} * {reduce_latency} + {results} * {latency}, partials and results across the network"
                )
            }
            Self::Radius { radius, latency: 1 } => write!(f, "2 * {radius} - 1, there and back from the middle"),
            Self::Radius { radius, latency } => {
                write!(f, "(2 * {radius} - 1) * {latency}, there and back from the middle")
            }
        }
    }
}
