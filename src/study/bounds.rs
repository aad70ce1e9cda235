//! The fewest steps in which gossip can be done on a network, whatever the scheme.

mod ball;
pub mod collective;
pub mod cost;
pub mod exchange;
pub mod latency;
mod layers;
pub mod pairs;
mod quickest;

use std::fmt;

use crate::net::{NodeId, Topology};
use crate::program::{Link, count};

/// A lower bound in steps, and what it is due to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bound {
    /// Number of steps.
    pub steps: u64,
    /// Limit that the bound follows from.
    pub due_to: Limit,
}

/// Travel of a flit over one link more than a radius.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Travel {
    /// Distance in links.
    pub radius: u32,
    /// Ticks a link.
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

/// Reason why no schedule is faster.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// Each node has to receive the packets of all others, and the one with the fewest ports takes in one per port and step.
    Ports {
        /// Packets of a node.
        packets: u16,
        /// The other nodes.
        others: u32,
        /// The fewest ports of a node that a link leads to.
        ports: u32,
    },
    /// Packets from beyond a distance enter by the links of a ball around a node.
    Ball {
        /// Node in the middle.
        node: NodeId,
        /// Travel to the node from outside the ball.
        way: Travel,
        /// Packets per node.
        packets: u64,
        /// Nodes farther away.
        outside: u64,
        /// Fewest links into a ball of this radius or less, times lanes.
        links: u64,
    },
    /// A packet crosses one link a step, and has to cross the whole network.
    Diameter,
    /// The most distant flits need their latency; after that, one flit arrives per port and tick.
    Latency {
        /// Distance to the farthest node, in ticks.
        distance: u64,
        /// Ticks a link.
        latency: u32,
        /// The flits of nodes as far away or farther.
        flits: u64,
        /// The ports that a node has at least.
        ports: u64,
    },
    /// The links of a node bring a flit of a broadcast a tick each, from when it can be at their other ends.
    Intake {
        /// Flits of the message.
        flits: u64,
    },
    /// The links of the root carry all flits for the nodes so far away, or from them, and then the last one travels.
    Root {
        /// Number of flits that leave or reach the root.
        flits: u64,
        /// The root's links.
        ports: u64,
        /// Travel of the last flit.
        way: Travel,
    },
    /// All messages together take so many hops along an axis, whose links carry two a node and tick.
    Hops {
        /// Index of the axis.
        axis: usize,
        /// The hops of a node's messages.
        hops: u64,
    },
    /// Messages that cross the middle of an open axis, by the links there.
    Middle {
        /// Index of the axis.
        axis: usize,
        /// Messages per link.
        messages: u64,
    },
    /// Messages that leave a slab across an axis, by the links that do.
    Slab {
        /// Index of the axis.
        axis: usize,
        /// Messages from inside to outside.
        messages: u64,
        /// Links from inside to outside.
        links: u64,
    },
    /// Messages travel at least all distances, and in a tick at most all links, whatever lengths links are given.
    Lengths {
        /// Distances of a node from all others, by these lengths.
        distances: u64,
        /// Lengths of the links that leave a node.
        length: u64,
    },
    /// Messages travel at least all distances, and in a tick at most all links, whatever lengths links are given one by one.
    LinkLengths {
        /// Distances of all flits, by these lengths.
        distances: u64,
        /// Lengths of all links.
        length: u64,
    },
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
    /// Every packet crosses a half-duplex link for each node but its own, and each link carries one a lane and step, but no
    /// more in the first step than a node has.
    HalfDuplexLinks {
        /// All crossings, and what the first step cannot carry.
        crossings: u64,
        /// Links times lanes.
        room: u64,
    },
    /// The node with the fewest half-duplex links has to send its own packets and receive all others.
    HalfDuplexPorts {
        /// The packets of all nodes.
        packets: u64,
        /// The links of the node, times lanes.
        room: u32,
    },
    /// All messages together take so many hops, and there are so many links.
    Distances {
        /// The hops of all messages.
        hops: u64,
        /// The directed links.
        links: u64,
    },
    /// On paths, cycles and meshes of two rows: where it is proved.
    Theorem(&'static str),
}

/// The lower bound for gossip of k packets per node: ceil(k (P-1) / g) steps, g the smallest degree (2d on a torus, d in the
/// corner of a mesh), or the diameter.
pub fn lower_bound(topology: &Topology, packets: u16) -> Bound {
    lower_bound_on(topology, Link::default(), packets)
}

/// The lower bound on such links: lanes are as many ports. On half-duplex links a link carries what it would in one direction.
pub fn lower_bound_on(topology: &Topology, link: Link, packets: u16) -> Bound {
    let lanes = u32::from(link.lanes);
    let corner = lanes * topology.fewest_links();
    let diameter = Bound { steps: topology.diameter().into(), due_to: Limit::Diameter };
    if link.duplex.is_full() {
        let others = topology.live_nodes() - 1;
        let steps = (u64::from(packets) * u64::from(others)).div_ceil(corner.into());
        let intake = Bound { steps, due_to: Limit::Ports { packets, others, ports: corner } };
        let best = if intake.steps >= diameter.steps { intake } else { diameter };
        return ball::lower_bound(topology, packets.into(), lanes, 1)
            .filter(|ball| ball.steps > best.steps)
            .unwrap_or(best);
    }
    let nodes = u64::from(topology.nodes());
    let all = u64::from(packets) * nodes;
    let links = topology.links() / 2;
    let beyond_first = u64::from(lanes.saturating_sub(packets.into())) * links;
    let crossings = all.saturating_mul(nodes - 1).saturating_add(beyond_first);
    let room = links * u64::from(lanes);
    let bounds = [
        Bound { steps: crossings.div_ceil(room), due_to: Limit::HalfDuplexLinks { crossings, room } },
        Bound { steps: all.div_ceil(corner.into()), due_to: Limit::HalfDuplexPorts { packets: all, room: corner } },
        diameter,
    ];
    // among equals the first one says why
    let all = bounds.into_iter().chain(proved(topology, link.lanes));
    all.reduce(|best, other| if other.steps > best.steps { other } else { best }).expect("three bounds")
}

/// Bound by a theorem on lines and on meshes of two rows: the traffic across the middle, plus the distance to the end.
/// Lau and Zhang's Theorems 2.1 and 3.1, for cycles and odd paths, give no more than links and diameter.
fn proved(topology: &Topology, lanes: u8) -> Option<Bound> {
    let product = topology.as_product().filter(|product| product.is_closed() || product.is_open())?;
    let (steps, theorem) = match (topology.dims(), product.is_closed(), lanes) {
        (&[n], false, 1) => (3 * (n / 2) - u32::from(n % 2 == 0), "Lau and Zhang, Theorem 2.2"),
        (&[n], false, _) if n % 2 == 0 => (n, "Lau and Zhang, Theorem 3.3"),
        (&[n], true, _) if n % 2 == 0 && n > 2 => (n / 2 + 1, "Lau and Zhang, Theorem 3.4"),
        (&[n], true, _) if n % 2 == 1 && n > 3 => (n.div_ceil(2) + 1, "Lau and Zhang, Theorem 3.5"),
        (&[2, n] | &[n, 2], false, 1) => (n + n / 2, "the middle of two rows, and the way to the end"),
        _ => return None,
    };
    Some(Bound { steps: steps.into(), due_to: Limit::Theorem(theorem) })
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::HalfDuplexLinks { crossings, room } => write!(f, "ceil({crossings} / {room})"),
            Self::HalfDuplexPorts { packets, room } => write!(f, "ceil({packets} / {room})"),
            Self::Theorem(theorem) => f.write_str(theorem),
            Self::Ports { packets, others, ports } => write!(f, "ceil({packets} * {others} / {ports})"),
            Self::Latency { distance, latency, flits, ports } => {
                write!(f, "{distance} * {latency} - 1 + ceil({flits} / {ports}) ticks")
            }
            Self::Ball { node, way, packets, outside, links } => write!(
                f,
                "{way} + ceil({packets} * {outside} / {links}), by the links into balls around node {}",
                node.0
            ),
            Self::Middle { axis, messages } => {
                write!(f, "{messages} messages over each link in the middle of axis x{}", axis + 1)
            }
            Self::Slab { axis, messages, links } => {
                write!(f, "ceil({messages} / {links}), by the links out of a slab across axis x{}", axis + 1)
            }
            Self::Lengths { distances, length } => {
                write!(f, "ceil({distances} / {length}), by lengths of the axes")
            }
            Self::LinkLengths { distances, length } => {
                write!(f, "ceil({distances} / {length}), by lengths of the links")
            }
            Self::OneNode { node, is_sender, way, flits, links } => {
                let direction = if *is_sender { "from" } else { "to" };
                write!(
                    f,
                    "{way} + ceil({flits} / {links}), by the links around node {} of flits {direction} it",
                    node.0
                )
            }
            Self::Flow { node, paths, flits } => {
                write!(f, "{} by {paths} paths to node {}", count(*flits, "flit"), node.0)
            }
            Self::Layers { way, flits, links } => {
                write!(f, "{way} + ceil({flits} / {links}), by the links out of balls around the root")
            }
            Self::Diameter => f.write_str("the diameter"),
            Self::Intake { flits } => write!(f, "{} at the links of the farthest node", count(*flits, "flit")),
            Self::Root { flits, ports, way: Travel { radius, latency: 1 } } => {
                write!(f, "ceil({flits} / {ports}) + {} - 1", radius + 1)
            }
            Self::Root { flits, ports, way } => write!(f, "ceil({flits} / {ports}) + {way}"),
            Self::Distances { hops, links } => write!(f, "ceil({hops} hops / {links} links)"),
            Self::Hops { axis, hops } => write!(f, "ceil({hops} / 2) hops along axis x{}", axis + 1),
        }
    }
}

/// Theorem 1 of Meyer and Sibeyn: one packet a node on two edge-disjoint Hamiltonian cycles takes at least
/// ceil(11 P / 40 - 1) steps.
pub fn theorem_1_one_packet_on_two_hamiltonian_cycles(nodes: u32) -> u64 {
    (11 * u64::from(nodes)).saturating_sub(40).div_ceil(40)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::net::{Shape, Torus};
    use crate::program::Title;
    use crate::schemes::staircase;

    /// One packet on the two cycles of section 3.1 takes exactly P/2 steps, well above the theorem's bound.
    #[test]
    fn theorem_1_is_a_bound_for_one_packet_on_the_staircase_cycles() {
        use crate::paths::weave::{self, Packets};
        use crate::play::steps_to_complete;
        for (n1, n2) in (4..=10).step_by(2).flat_map(|n1| (4..=10).step_by(2).map(move |n2| (n1, n2))) {
            let cover = staircase::cover(&Torus::new(&[n1, n2]).unwrap()).unwrap();
            let title = Title::new("t", "s");
            let program = weave::along_cycles(&cover, Packets::Shared, n1 * n2 / 2, title);
            let steps = steps_to_complete(&program).unwrap();
            assert_eq!(steps, n1 * n2 / 2);
            assert!(u64::from(steps) >= theorem_1_one_packet_on_two_hamiltonian_cycles(n1 * n2));
        }
        // 11 P / 40 - 1 as it stands in the paper
        let bounds = [16, 40, 41, 80].map(theorem_1_one_packet_on_two_hamiltonian_cycles);
        assert_eq!(bounds, [4, 10, 11, 21]);
    }

    fn bound(shape: Shape, dims: &[u32], packets: u16) -> Bound {
        lower_bound(&Topology::new(shape, dims).unwrap(), packets)
    }

    #[test]
    fn the_node_with_the_fewest_ports_limits_gossip() {
        assert_eq!(bound(Shape::Torus, &[24, 16], 2).steps, 192);
        assert_eq!(bound(Shape::Torus, &[6, 8], 1).steps, 12);
        assert_eq!(bound(Shape::Mesh, &[6, 7], 1).steps, 21);
        assert_eq!(bound(Shape::Mesh, &[4, 4, 4], 1).steps, 21);
        assert_eq!(bound(Shape::Cycle, &[11], 1).steps, 5);
        assert_eq!(bound(Shape::Path, &[9], 1).steps, 8);
        assert_eq!(bound(Shape::Mesh, &[6, 7], 1).due_to.to_string(), "ceil(1 * 41 / 2)");
    }

    #[test]
    fn one_packet_on_a_thin_network_is_limited_by_its_diameter() {
        let diameter = |steps| Bound { steps, due_to: Limit::Diameter };
        assert_eq!(bound(Shape::Torus, &[2, 2], 1), diameter(2));
        assert_eq!(bound(Shape::Torus, &[2, 2, 2], 1), diameter(3));
        assert_eq!(bound(Shape::Torus, &[2, 2, 2], 2).steps, 3);
    }

    #[test]
    fn lanes_are_as_many_ports() {
        let bound = |dims: &[u32], link, packets| {
            let Bound { steps, due_to } = lower_bound_on(&Topology::new(Shape::Torus, dims).unwrap(), link, packets);
            (steps, due_to.to_string())
        };
        let full = Link { lanes: 2, ..Link::default() };
        assert_eq!(bound(&[6, 8], full, 2), (12, "ceil(2 * 47 / 8)".to_owned()));
        assert_eq!(bound(&[6, 8], full, 1), (7, "the diameter".to_owned()));
        // 40 nodes' packets cross 80 links for 39 nodes each, and in the first step a link carries the one that a node has
        assert_eq!(bound(&[5, 8], Link::half(2), 1), (11, "ceil(1640 / 160)".to_owned()));
        assert_eq!(bound(&[5, 8], Link::half(2), 3), (30, "ceil(4680 / 160)".to_owned()));
        // all crossings and all packets through a node's ports take as long: the first one says why
        assert_eq!(bound(&[4, 4], Link::half(1), 1), (8, "ceil(240 / 32)".to_owned()));
    }

    /// The smallest lines are also searched exhaustively in `tests/all/half_duplex.rs`.
    #[test]
    fn lines_have_bounds_of_their_own() {
        let said = |shape, n: u32, lanes| {
            let Bound { steps, due_to } = lower_bound_on(&Topology::new(shape, &[n]).unwrap(), Link::half(lanes), 1);
            format!("{n} {steps} {due_to}").replace("Lau and Zhang, ", "")
        };
        for n in 5..=12_u64 {
            let (half, is_even) = (n / 2, n % 2 == 0);
            let path = if is_even { format!("{n} {n} Theorem 3.3") } else { format!("{n} {} the diameter", n - 1) };
            assert_eq!(said(Shape::Path, n as u32, 2), path);
            let (steps, theorem) = if is_even { (half + 1, "Theorem 3.4") } else { (half + 2, "Theorem 3.5") };
            assert_eq!(said(Shape::Cycle, n as u32, 2), format!("{n} {steps} {theorem}"));
            let crossings = format!("{n} {} ceil({} / {n})", n - 1, n * (n - 1));
            assert_eq!(said(Shape::Cycle, n as u32, 1), crossings);
            assert_eq!(said(Shape::Path, n as u32, 1), format!("{n} {} Theorem 2.2", 3 * half - u64::from(is_even)));
        }
    }
}
