//! Assignment of nodes to the root's ports, and their order.

use std::collections::BTreeMap;

use super::flow::FlowNetwork;
use super::port_trees::allowed;
use crate::net::{Around, NodeId, Port};
use crate::program::Link;
use crate::study::bounds::{self, Goal};

/// The fewest ticks of a scatter.
fn least(around: &Around, lengths: &[u32]) -> u32 {
    let goal = Goal::Scatter { root: around.root(), lengths };
    bounds::lower_bound(around.topology(), Link::default(), goal).ticks as u32
}

/// A message on its way out of a port.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MessageSlot {
    /// Receiver of the message.
    pub node: NodeId,
    /// Length in flits, at least 1.
    pub flits: u32,
    /// Number of ticks that the port sends before it.
    pub before: u32,
}

/// Messages that each port of the root sends, back to back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Assignment {
    /// The messages of each port, in order.
    pub ports: Vec<Vec<MessageSlot>>,
    /// The tick after which everybody has his own.
    pub ticks: u32,
}

/// Deals messages of these lengths, one per node, to the ports of the root. If all that are not empty are as long it takes
/// the fewest ticks that the ports' trees can.
pub fn assign(around: &Around, lengths: &[u32]) -> Assignment {
    let wanted: Vec<NodeId> =
        around.topology().node_ids().filter(|&node| node != around.root() && lengths[node.index()] > 0).collect();
    let Some(first) = wanted.first() else {
        return Assignment { ports: vec![Vec::new(); around.topology().ports()], ticks: 0 };
    };
    let flits = lengths[first.index()];
    let port_of = if wanted.iter().all(|node| lengths[node.index()] == flits) {
        alike(around, &wanted, flits, least(around, lengths))
    } else {
        Deal::new(around, &wanted, lengths).improved()
    };
    dispatch(around, lengths, &port_of)
}

/// Every port sends farthest first.
fn dispatch(around: &Around, lengths: &[u32], port_of: &[(NodeId, Port)]) -> Assignment {
    let mut ports = vec![Vec::new(); around.topology().ports()];
    let mut ticks = 0;
    let mut order: Vec<_> = port_of.iter().map(|&(node, port)| (around.distance(node), node, port)).collect();
    order.sort_unstable_by_key(|&(distance, node, _)| (std::cmp::Reverse(distance), node));
    for (distance, node, port) in order {
        let sent: &mut Vec<MessageSlot> = &mut ports[port.index()];
        let before = sent.last().map_or(0, |slot| slot.before + slot.flits);
        let flits = lengths[node.index()];
        ticks = ticks.max(before + flits + distance - 1);
        sent.push(MessageSlot { node, flits, before });
    }
    Assignment { ports, ticks }
}

/// Nodes at one distance that the same trees may reach.
type DistanceClasses = BTreeMap<(u32, Vec<Port>), Vec<NodeId>>;

/// Messages of one length: the least number of ticks for which a flow serves all.
fn alike(around: &Around, wanted: &[NodeId], flits: u32, least: u32) -> Vec<(NodeId, Port)> {
    let mut classes = DistanceClasses::new();
    for &node in wanted {
        classes.entry((around.distance(node), allowed(around, node))).or_default().push(node);
    }
    (least..).find_map(|ticks| serve(around, &classes, flits, ticks)).expect("with time enough a port serves them all")
}

/// A flow from classes of nodes to ports: of messages for nodes at distance d or more a port can send as many as leave
/// before tick `ticks - d + 1`.
fn serve(around: &Around, classes: &DistanceClasses, flits: u32, ticks: u32) -> Option<Vec<(NodeId, Port)>> {
    let mut flow = FlowNetwork::default();
    let (source, sink) = (flow.place(), flow.place());
    let depth = around.depth();
    let ladder = |flow: &mut FlowNetwork| {
        let mut below = sink;
        let rung = |distance| {
            let here = flow.place();
            let room = (ticks + 1).saturating_sub(distance) / flits;
            flow.arc(here, below, room.into());
            below = here;
            here
        };
        (1..=depth).map(rung).collect::<Vec<_>>()
    };
    let ladders: Vec<Vec<usize>> = around.topology().port_ids().map(|_| ladder(&mut flow)).collect();
    let mut arcs = Vec::new();
    let mut all = 0;
    for ((distance, ports), nodes) in classes {
        let class = flow.place();
        all += nodes.len() as u64;
        flow.arc(source, class, nodes.len() as u64);
        let rung = |port: &Port| ladders[port.index()][*distance as usize - 1];
        arcs.push(
            ports.iter().map(|port| (*port, flow.arc(class, rung(port), nodes.len() as u64))).collect::<Vec<_>>(),
        );
    }
    if flow.fill(source, sink) < all {
        return None;
    }
    let mut port_of = Vec::new();
    for (nodes, arcs) in classes.values().zip(arcs) {
        let ports = arcs.into_iter().flat_map(|(port, arc)| std::iter::repeat_n(port, flow.along(arc) as usize));
        port_of.extend(nodes.iter().copied().zip(ports));
    }
    Some(port_of)
}

/// Messages of different lengths, dealt one by one, the longest first, and moved for as long as that helps.
struct Deal<'a> {
    around: &'a Around<'a>,
    lengths: &'a [u32],
    allowed: Vec<(NodeId, Vec<Port>)>,
    port_of: Vec<Port>,
    /// flits of each port at each distance
    load: Vec<Vec<u32>>,
}

/// More messages are left where they were dealt to.
const MOST_MESSAGES: usize = 4096;
/// Limit on the moves of a message.
const MOST_MOVES: u32 = 2000;

impl<'a> Deal<'a> {
    fn new(around: &'a Around, wanted: &[NodeId], lengths: &'a [u32]) -> Self {
        let mut order = wanted.to_vec();
        order.sort_by_key(|&node| std::cmp::Reverse((lengths[node.index()], around.distance(node))));
        let allowed = order.into_iter().map(|node| (node, allowed(around, node))).collect();
        let load = vec![vec![0; around.depth() as usize + 1]; around.topology().ports()];
        let mut deal = Self { around, lengths, allowed, port_of: Vec::new(), load };
        for index in 0..deal.allowed.len() {
            let ports = deal.allowed[index].1.clone();
            let port = ports.into_iter().min_by_key(|&port| deal.with(index, port)).expect("some tree reaches a node");
            deal.add(index, port);
            deal.port_of.push(port);
        }
        deal
    }

    fn distance(&self, index: usize) -> usize {
        self.around.distance(self.allowed[index].0) as usize
    }

    fn flits(&self, index: usize) -> u32 {
        self.lengths[self.allowed[index].0.index()]
    }

    fn add(&mut self, index: usize, port: Port) {
        let (distance, flits) = (self.distance(index), self.flits(index));
        self.load[port.index()][distance] += flits;
    }

    fn take(&mut self, index: usize, port: Port) {
        let (distance, flits) = (self.distance(index), self.flits(index));
        self.load[port.index()][distance] -= flits;
    }

    /// When a port's last message is there, and how much it sends.
    fn last(&self, port: Port) -> (u32, u32) {
        let (mut sent, mut last) = (0, 0);
        for (distance, &flits) in self.load[port.index()].iter().enumerate().rev() {
            if flits > 0 {
                sent += flits;
                last = last.max(sent + distance as u32 - 1);
            }
        }
        (last, sent)
    }

    fn with(&mut self, index: usize, port: Port) -> (u32, u32) {
        self.add(index, port);
        let last = self.last(port);
        self.take(index, port);
        last
    }

    /// Moves a message from the port that is last to another, or lets it change places with one of another port, for as long
    /// as the later of the two gets earlier.
    fn improved(mut self) -> Vec<(NodeId, Port)> {
        let moves = if self.allowed.len() > MOST_MESSAGES { 0 } else { MOST_MOVES };
        for _ in 0..moves {
            let ports = self.around.topology().port_ids();
            let worst = ports.max_by_key(|&port| self.last(port)).expect("a root has ports");
            if !self.relieve(worst) {
                break;
            }
        }
        self.allowed.iter().map(|(node, _)| *node).zip(self.port_of).collect()
    }

    fn relieve(&mut self, worst: Port) -> bool {
        let before = self.last(worst);
        for index in (0..self.port_of.len()).filter(|&index| self.port_of[index] == worst).collect::<Vec<_>>() {
            for port in self.allowed[index].1.clone() {
                if port == worst {
                    continue;
                }
                self.shift(index, port);
                if self.last(worst).max(self.last(port)) < before {
                    return true;
                }
                for other in 0..self.port_of.len() {
                    if self.port_of[other] == port && other != index && self.allowed[other].1.contains(&worst) {
                        self.shift(other, worst);
                        if self.last(worst).max(self.last(port)) < before {
                            return true;
                        }
                        self.shift(other, port);
                    }
                }
                self.shift(index, worst);
            }
        }
        false
    }

    fn shift(&mut self, index: usize, to: Port) {
        self.take(index, self.port_of[index]);
        self.add(index, to);
        self.port_of[index] = to;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::net::{ShapeName, Topology};

    fn ticks(dims: &[u32], flits: u32) -> (u32, u32) {
        let torus = Topology::new(ShapeName::Torus, dims).unwrap();
        let around = Around::new(&torus, NodeId(torus.nodes() / 3));
        let lengths = vec![flits; torus.nodes() as usize];
        (assign(&around, &lengths).ticks, least(&around, &lengths))
    }

    #[test]
    fn messages_of_one_length_take_the_fewest_ticks() {
        let cases: [(&[u32], u32, u32); 9] = [
            (&[9, 14], 1, 32),
            (&[11, 11], 1, 30),
            (&[20, 20], 1, 100),
            (&[6, 7, 5], 1, 35),
            (&[4, 4, 4, 3], 1, 24),
            (&[17], 1, 8),
            (&[13, 7], 3, 69),
            (&[8, 8], 1, 16),
            (&[16, 16], 1, 64),
        ];
        for (dims, flits, expected) in cases {
            assert_eq!(ticks(dims, flits).0, expected, "{dims:?}");
        }
    }

    #[test]
    fn the_bound_is_met_unless_several_sides_are_2() {
        let lines = (2..=20).map(|n| vec![n]);
        let planes = (2..=12).flat_map(|n1| (2..=12).map(move |n2| vec![n1, n2]));
        let spaces = (3..=5).flat_map(|n1| (3..=5).map(move |n2| vec![n1, n2, 4]));
        for dims in lines.chain(planes).chain(spaces) {
            let (ticks, bound) = ticks(&dims, 1);
            assert_eq!(ticks, bound, "{dims:?}");
        }
        assert_eq!([ticks(&[2, 2, 10], 1), ticks(&[2, 2, 2, 4], 1), ticks(&[2; 5], 1)], [(8, 7), (6, 5), (7, 5)]);
    }

    #[test]
    fn messages_of_different_lengths_are_all_sent_back_to_back() {
        let torus = Topology::new(ShapeName::Torus, &[6, 7]).unwrap();
        let around = Around::new(&torus, NodeId(8));
        for seed in 1..20u32 {
            let lengths: Vec<u32> = (0..42).map(|node| (node * 7919 * seed + seed) / 13 % 5).collect();
            let Assignment { ports, ticks } = assign(&around, &lengths);
            let mut served: Vec<NodeId> = ports.iter().flatten().map(|slot| slot.node).collect();
            served.sort_unstable();
            let wanted = torus.node_ids().filter(|&node| node != NodeId(8) && lengths[node.index()] > 0);
            assert!(served.into_iter().eq(wanted));
            for (port, slots) in torus.port_ids().zip(&ports) {
                let mut before = 0;
                for slot in slots {
                    assert!(allowed(&around, slot.node).contains(&port));
                    assert_eq!(slot.before, before);
                    before += slot.flits;
                }
            }
            let bound = least(&around, &lengths);
            assert!((bound..=bound + 3).contains(&ticks), "{ticks} for {bound}");
        }
    }
}
