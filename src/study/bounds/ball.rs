//! The bound of a ball: what lies beyond some distance of a node has to come in by the links of every ball within.
//!
//! With `S_k` the nodes within distance k of a node and `c_j` the links into `S_j`, gossip takes k ticks and as many more as the
//! other flits take over the fewest links `c_0`, ..., `c_k`: a flit from outside `S_k` enters `S_j` in ticks k - j + 1 to T - j.
//! On links of l ticks the last of them arrives at the node k + 1 links later: (k + 1) l - 1 ticks.

use super::{Bound, BoundReason, Travel};
use crate::net::{Network, NodeId, OUTSIDE};

/// Searches times ports of all nodes: more take seconds.
const MOST_WORK: u64 = 1 << 25;
const NEVER: u32 = u32::MAX;

/// Returns true if the bound may say more than the ports and the diameter do. On a product it does not, unless a side
/// of 2 wraps: the first distances add as many nodes as a node has links, and the last ones fewer.
fn is_worth_it(network: &Network) -> bool {
    let wraps_at_2 = |axis: usize| network.side(axis) == 2 && !network.open().contains(&axis);
    network.as_product().is_none() || (0..network.axes()).any(wraps_at_2)
}

/// The best bound of any ball for so many flits per node over links of so many lanes; none if it would say nothing new, or
/// take long.
pub fn lower_bound(network: &Network, flits: u64, lanes: u64, latency: u32) -> Option<Bound> {
    if !is_worth_it(network) || network.registers() as u64 > MOST_WORK {
        return None;
    }
    let orbits = network.orbits();
    let mut nodes = orbits.first().to_vec();
    let work = |nodes: &[NodeId]| nodes.len() as u64 * network.registers() as u64;
    if work(&nodes) > MOST_WORK {
        // each ball is a bound of its own: those of the nodes with the fewest links say most
        let fewest = network.fewest_links() as usize;
        nodes.retain(|&node| network.linked_ports(node).count() == fewest);
        nodes.truncate((MOST_WORK / network.registers() as u64) as usize);
    }
    let mut balls = Balls::new(network);
    nodes.into_iter().flat_map(|node| balls.around(node, flits, lanes, latency)).reduce(Bound::or)
}

/// Buffers of searches from one node after the other.
struct Balls {
    ports: usize,
    live: u64,
    neighbours: Vec<NodeId>,
    distance: Vec<u32>,
    queue: Vec<NodeId>,
}

impl Balls {
    fn new(network: &Network) -> Self {
        let mut neighbours = Vec::with_capacity(network.registers());
        network.sweep(0..network.nodes(), |_, there| neighbours.extend_from_slice(there));
        Self {
            ports: network.ports(),
            live: network.live_nodes().into(),
            neighbours,
            distance: vec![NEVER; network.nodes() as usize],
            queue: Vec::with_capacity(network.nodes() as usize),
        }
    }

    /// The bounds of all balls around a node.
    fn around(&mut self, node: NodeId, flits: u64, lanes: u64, latency: u32) -> Vec<Bound> {
        self.distance.fill(NEVER);
        self.queue.clear();
        self.distance[node.index()] = 0;
        self.queue.push(node);
        let (mut bounds, mut layer, mut fewest) = (Vec::new(), 0, u64::MAX);
        for radius in 0.. {
            // all of the layer's nodes are found: those before it are within the ball
            let (begin, end) = (layer, self.queue.len());
            let mut links = 0;
            for at in begin..end {
                let node = self.queue[at];
                for port in 0..self.ports {
                    let there = self.neighbours[node.index() * self.ports + port];
                    if there == OUTSIDE {
                        continue;
                    }
                    let distance = &mut self.distance[there.index()];
                    if *distance == NEVER {
                        *distance = radius + 1;
                        self.queue.push(there);
                    }
                    links += u64::from(*distance == radius + 1);
                }
            }
            let outside = self.live - end as u64;
            if outside == 0 {
                break;
            }
            fewest = fewest.min(links * lanes);
            let way = Travel { radius, latency };
            let ticks = way.ticks() + flits.saturating_mul(outside).div_ceil(fewest);
            bounds.push(Bound { ticks, due_to: BoundReason::Ball { node, way, flits, outside, links: fewest } });
            layer = end;
        }
        bounds
    }
}
