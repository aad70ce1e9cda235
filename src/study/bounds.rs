//! The fewest ticks of a collective on a network, whatever the schedule: one function for every command.
//!
//! All is counted in flits and ticks. A schedule of whole packets takes no fewer.

mod all_reduce;
mod ball;
mod broadcast;
pub mod cost;
mod exchange;
mod gossip;
mod layers;
mod limit;
mod pairs;
mod quickest;
mod scatter;

use crate::net::{Around, Network, NodeId};
use crate::program::{Demand, Link, Message, Pairs, Program, To};

pub use self::limit::{BoundReason, Travel};

/// A lower bound in ticks, and what it is due to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bound {
    /// Number of ticks.
    pub ticks: u64,
    /// Limit that the bound follows from.
    pub due_to: BoundReason,
}

impl Bound {
    const NONE: Self = Self { ticks: 0, due_to: BoundReason::Diameter { latency: 1 } };

    /// Ticks until all is complete, as a multiple of the bound.
    pub fn ratio(self, complete_at: Option<u32>) -> Option<f64> {
        complete_at.map(|tick| f64::from(tick) / self.ticks as f64)
    }

    /// Returns the larger bound, of equal ones this.
    #[must_use]
    fn or(self, other: Self) -> Self {
        if other.ticks > self.ticks { other } else { self }
    }
}

/// Traffic that a bound is for.
#[derive(Clone, Copy, Debug)]
pub enum Goal<'a> {
    /// Every node learns all flits of every other node.
    Gossip {
        /// Flits per node.
        flits: u64,
    },
    /// Every node learns the flits of the root.
    Broadcast {
        /// Node that has the message.
        root: NodeId,
        /// Length of the message.
        flits: u64,
    },
    /// Every node gets a message from the root, or the root one from every node.
    Scatter {
        /// Node that has the messages or gets them.
        root: NodeId,
        /// Flits of each node's message.
        lengths: &'a [u32],
    },
    /// Every node gets a message of its own from every other node.
    Exchange {
        /// Flits per pair of nodes.
        flits: u64,
    },
    /// Every node gets from every other one as many flits as the two have.
    Pairs(&'a Pairs),
    /// An exchange on so many nodes that its pairs are not listed.
    Senders(&'a Demand),
    /// The root gets the combinations of the values of all nodes.
    Reduce {
        /// Node that gets them.
        root: NodeId,
        /// Values of each node.
        flits: u64,
        /// Ticks from when a partial is sent until it can be sent on.
        latency: u32,
    },
    /// Every node gets the combinations of the values that all nodes have for it.
    ReduceScatter {
        /// Flits per node.
        flits: u64,
        /// Ticks from when a partial is sent until it can be sent on.
        latency: u32,
    },
    /// Every node gets all combinations.
    AllReduce {
        /// Values of each node, and combinations in all.
        words: u64,
        /// Ticks from when a partial is sent until it can be sent on.
        latency: u32,
    },
}

/// The lower bound in ticks for a goal over such links.
pub fn lower_bound(network: &Network, link: Link, goal: Goal) -> Bound {
    let latency = link.latency;
    match goal {
        Goal::Gossip { flits } => gossip::lower_bound(network, link, flits),
        Goal::Broadcast { root, flits } => broadcast::lower_bound(network, root, flits, latency),
        Goal::Scatter { root, lengths } => scatter::lower_bound(&Around::new(network, root), lengths, latency),
        Goal::Exchange { flits } => exchange::lower_bound(network, flits, latency),
        Goal::Pairs(pairs) => pairs::lower_bound(network, pairs, latency),
        Goal::Senders(demand) => pairs::by_senders(network, demand, latency),
        // backwards it is a broadcast
        Goal::Reduce { root, flits, latency } => broadcast::lower_bound(network, root, flits, latency),
        // backwards it is a gossip
        Goal::ReduceScatter { flits, latency } => gossip::lower_bound(network, Link { latency, ..link }, flits),
        Goal::AllReduce { words, latency } => all_reduce::lower_bound(network, link, words, latency),
    }
}

/// The lower bound in ticks for gossip of so many flits per node on plain links: ceil(k (P-1) / g), g the smallest degree (2d on a
/// torus, d in the corner of a mesh), or the diameter, or what passes the links of a ball.
pub fn of_gossip(network: &Network, flits: u64) -> u64 {
    lower_bound(network, Link::default(), Goal::Gossip { flits }).ticks
}

/// The lower bound in ticks for what a program achieves, on links as long as its own.
pub fn of(program: &Program) -> Bound {
    let Program { topology, demand, .. } = program;
    let flits = u64::from(demand.most_packets()) * u64::from(program.flits);
    // a partial passes one adder at least before each link, however many are in a row here
    let latency = program.latency.saturating_add(program.adder_ticks());
    let on_links = |goal| lower_bound(topology, program.link(), goal);
    let root = |end: fn(&Message) -> Option<NodeId>| {
        demand.messages().iter().find_map(end).expect("a collective of one root has it in every message")
    };
    match program.collective() {
        "reduce" => on_links(Goal::Reduce { root: root(Message::sender), flits: demand.flits(), latency }),
        "reduce-scatter" => on_links(Goal::ReduceScatter { flits, latency }),
        "all-reduce" => on_links(Goal::AllReduce { words: demand.flits(), latency }),
        "broadcast" => on_links(Goal::Broadcast { root: root(Message::sender), flits: demand.flits() }),
        "scatter" => {
            let mut lengths = vec![0; topology.nodes() as usize];
            for message in demand.messages() {
                if let To::Node(node) = message.to {
                    lengths[node.index()] += message.flits;
                }
            }
            on_links(Goal::Scatter { root: root(Message::sender), lengths: &lengths })
        }
        "gather" => {
            let lengths: Vec<u32> = topology.node_ids().map(|node| demand.own_flits(node) as u32).collect();
            on_links(Goal::Scatter { root: root(Message::receiver), lengths: &lengths })
        }
        "exchange" if demand.is_even_exchange(topology) => {
            on_links(Goal::Exchange { flits: demand.messages().first().map_or(0, |message| message.flits.into()) })
        }
        "exchange" => match Pairs::of(topology, demand) {
            Some(pairs) => on_links(Goal::Pairs(&pairs)),
            None => on_links(Goal::Senders(demand)),
        },
        _ => on_links(Goal::Gossip { flits }),
    }
}

/// Theorem 1 of Meyer and Sibeyn 1998: one packet per node on two edge-disjoint Hamiltonian cycles takes at least
/// ceil(11 P / 40 - 1) steps.
pub fn theorem_1_one_packet_on_two_hamiltonian_cycles(nodes: u32) -> u64 {
    (11 * u64::from(nodes)).saturating_sub(40).div_ceil(40)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::net::{ShapeName, Torus};
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

    fn bound(shape: ShapeName, dims: &[u32], flits: u64) -> Bound {
        lower_bound(&Network::new(shape, dims).unwrap(), Link::default(), Goal::Gossip { flits })
    }

    #[test]
    fn the_node_with_the_fewest_ports_limits_gossip() {
        assert_eq!(bound(ShapeName::Torus, &[24, 16], 2).ticks, 192);
        assert_eq!(bound(ShapeName::Torus, &[6, 8], 1).ticks, 12);
        assert_eq!(bound(ShapeName::Mesh, &[6, 7], 1).ticks, 21);
        assert_eq!(bound(ShapeName::Mesh, &[4, 4, 4], 1).ticks, 21);
        assert_eq!(bound(ShapeName::Cycle, &[11], 1).ticks, 5);
        assert_eq!(bound(ShapeName::Path, &[9], 1).ticks, 8);
        assert_eq!(bound(ShapeName::Mesh, &[6, 7], 1).due_to.to_string(), "ceil(1 * 41 / 2)");
    }

    #[test]
    fn one_packet_on_a_thin_network_is_limited_by_its_diameter() {
        let diameter = |ticks| Bound { ticks, due_to: BoundReason::Diameter { latency: 1 } };
        assert_eq!(bound(ShapeName::Torus, &[2, 2], 1), diameter(2));
        assert_eq!(bound(ShapeName::Torus, &[2, 2, 2], 1), diameter(3));
        assert_eq!(bound(ShapeName::Torus, &[2, 2, 2], 2).ticks, 3);
    }

    fn on(shape: ShapeName, dims: &[u32], link: Link, flits: u64) -> (u64, String) {
        let Bound { ticks, due_to } = lower_bound(&Network::new(shape, dims).unwrap(), link, Goal::Gossip { flits });
        (ticks, due_to.to_string())
    }

    #[test]
    fn lanes_are_as_many_ports() {
        let on = |dims: &[u32], link, flits| on(ShapeName::Torus, dims, link, flits);
        let full = Link { lanes: 2, ..Link::default() };
        assert_eq!(on(&[6, 8], full, 2), (12, "ceil(2 * 47 / 8)".to_owned()));
        assert_eq!(on(&[6, 8], full, 1), (7, "the diameter".to_owned()));
        // 40 nodes' packets cross 80 links for 39 nodes each, and in the first step a link carries the one that a node has
        assert_eq!(on(&[5, 8], Link::half(2), 1), (11, "ceil(1640 / 160)".to_owned()));
        assert_eq!(on(&[5, 8], Link::half(2), 3), (30, "ceil(4680 / 160)".to_owned()));
        // all crossings and all packets through a node's ports take as long: the first one says why
        assert_eq!(on(&[4, 4], Link::half(1), 1), (8, "ceil(240 / 32)".to_owned()));
    }

    /// The smallest lines are also searched exhaustively in `tests/all/half_duplex.rs`.
    #[test]
    fn lines_have_bounds_of_their_own() {
        let said = |shape, n: u32, lanes| {
            let (ticks, due_to) = on(shape, &[n], Link::half(lanes), 1);
            format!("{n} {ticks} {due_to}").replace("Lau and Zhang, ", "")
        };
        for n in 5..=12_u64 {
            let (half, is_even) = (n / 2, n % 2 == 0);
            let path = if is_even { format!("{n} {n} Theorem 3.3") } else { format!("{n} {} the diameter", n - 1) };
            assert_eq!(said(ShapeName::Path, n as u32, 2), path);
            let (steps, theorem) = if is_even { (half + 1, "Theorem 3.4") } else { (half + 2, "Theorem 3.5") };
            assert_eq!(said(ShapeName::Cycle, n as u32, 2), format!("{n} {steps} {theorem}"));
            let crossings = format!("{n} {} ceil({} / {n})", n - 1, n * (n - 1));
            assert_eq!(said(ShapeName::Cycle, n as u32, 1), crossings);
            assert_eq!(
                said(ShapeName::Path, n as u32, 1),
                format!("{n} {} Theorem 2.2", 3 * half - u64::from(is_even))
            );
        }
    }
}
