//! Gossip on a plane in two phases, as Lau and Zhang do it: every node tells its row or its column, then what came in along
//! the one goes on along the other. Queues at the ends of every link decide who sends.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::net::{AxisDirection, NodeId, Port, Product, Topology};
use crate::paths::moves::PacketMove;

/// Priority in a queue. Ties are broken by the input port: own, x1-, x1+, x2-, x2+.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum QueueOrder {
    /// First in, first out.
    First,
    /// Last in, first out.
    Last,
    /// Shortest distance travelled in this phase first, then first in, first out.
    Nearest,
}

/// End that sends if both ends are ready in phase 2.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Favour {
    /// The lower end, everywhere (Fujita and Yamashita).
    Plus,
    /// The end that is farther from the middle of the line (Lau and Zhang).
    Outside,
}

/// Differences between the algorithms.
#[derive(Clone, Copy, Debug)]
struct GridRules {
    /// Phase 2 begins when phase 1 has ended everywhere.
    is_sequential: bool,
    order: QueueOrder,
    favour: Favour,
    /// The way round of phase 2 on the columns and on the rows of a torus.
    around: [AxisDirection; 2],
}

/// The mesh algorithm of Lau and Zhang (004, section 3).
pub fn lau_zhang_mesh(mesh: &Topology) -> Vec<PacketMove> {
    let around = [AxisDirection::Plus; 2];
    let rules = GridRules { is_sequential: false, order: QueueOrder::Last, favour: Favour::Outside, around };
    upright(mesh, rules)
}

/// The torus algorithm of Lau and Zhang (004, section 4).
pub fn lau_zhang_torus(torus: &Topology) -> Vec<PacketMove> {
    let (m, n) = (torus.side(0).min(torus.side(1)), torus.side(0).max(torus.side(1)));
    let favour = Favour::Outside;
    let rules = if m % 2 == 1 && n % 2 == 1 {
        // so that the phases, which overlap, do not compete for the links beside the delayer
        let way = |is_plus| if is_plus { AxisDirection::Plus } else { AxisDirection::Minus };
        let around = [way(m % 4 == 3), way(n % 4 == 1)];
        GridRules { is_sequential: false, order: QueueOrder::Nearest, favour, around }
    } else {
        GridRules { is_sequential: true, order: QueueOrder::First, favour, around: [AxisDirection::Plus; 2] }
    };
    upright(torus, rules)
}

/// The algorithm of Fujita and Yamashita on a mesh.
pub fn fujita_yamashita_mesh(mesh: &Topology) -> Vec<PacketMove> {
    upright(
        mesh,
        GridRules {
            is_sequential: true,
            order: QueueOrder::First,
            favour: Favour::Plus,
            around: [AxisDirection::Plus; 2],
        },
    )
}

/// The algorithm of Fujita and Yamashita on a path, their phase 2.
pub fn fujita_yamashita_path(path: &Topology) -> Vec<PacketMove> {
    let rules = GridRules {
        is_sequential: true,
        order: QueueOrder::First,
        favour: Favour::Plus,
        around: [AxisDirection::Plus; 2],
    };
    let mut queues = Queues::new(path, rules);
    for node in path.node_ids() {
        queues.distribute(0, node, QueuedPacket { token: node, arrival: 0, input: 0 });
    }
    queues.run()
}

/// The rules are for at least as many columns as rows: others are laid on their side.
fn upright(topology: &Topology, rules: GridRules) -> Vec<PacketMove> {
    let (n1, n2) = (topology.side(0), topology.side(1));
    if n1 <= n2 {
        return plane(topology, rules);
    }
    let lying = topology
        .shape()
        .and_then(|shape| Topology::new(shape, &[n2, n1]).ok())
        .expect("as many nodes as the network itself");
    let node = |node: NodeId| topology.node(&[lying.coord(node, 1), lying.coord(node, 0)]);
    let turned = plane(&lying, rules).into_iter().map(|PacketMove { tick, from, by, token }| {
        let by = Port::new(1 - by.axis(), by.way());
        PacketMove { tick, from: node(from), by, token: node(token) }
    });
    turned.collect()
}

fn plane(topology: &Topology, rules: GridRules) -> Vec<PacketMove> {
    let mut queues = Queues::new(topology, rules);
    for node in topology.node_ids() {
        let own = QueuedPacket { token: node, arrival: 0, input: 0 };
        let is_even = (topology.coord(node, 0) + topology.coord(node, 1)).is_multiple_of(2);
        let axis = usize::from(is_even);
        queues.broadcast(axis, node, own);
        queues.distribute(1 - axis, node, own);
    }
    queues.run()
}

/// A packet that came in.
#[derive(Clone, Copy, Debug)]
struct QueuedPacket {
    token: NodeId,
    /// When, 0 for a node's own.
    arrival: u32,
    /// 0 for a node's own, else 1 and the port's index.
    input: u8,
}

/// Waiting packet at an output, ordered by priority.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Item {
    key: (u32, u32, u8),
    token: NodeId,
    /// number of hops left, including this one
    left: u32,
    hops: u32,
}

/// Queue of an output.
#[derive(Clone, Debug, Default)]
struct OutputQueue {
    /// Phase 1, each from some tick on.
    first: Vec<(u32, Item)>,
    second: BinaryHeap<Reverse<Item>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum GridPhase {
    First,
    Second,
}

struct Queues<'a> {
    topology: &'a Topology,
    product: Product<'a>,
    rules: GridRules,
    /// One an output.
    outputs: Vec<OutputQueue>,
    /// number of waiting items in each phase
    waiting: [usize; 2],
}

impl<'a> Queues<'a> {
    fn new(topology: &'a Topology, rules: GridRules) -> Self {
        let product = topology.as_product().expect("the rules are for planes and paths");
        Self { topology, product, rules, outputs: vec![OutputQueue::default(); topology.registers()], waiting: [0; 2] }
    }

    /// Phase 1 from a node: its packet goes to all of its row or column.
    fn broadcast(&mut self, axis: usize, node: NodeId, own: QueuedPacket) {
        let (at, side) = (self.topology.coord(node, axis), self.topology.side(axis));
        let half = (side - 1) / 2;
        let [back, forth] = match (self.product.wraps(axis), side % 2) {
            (false, _) => [at, side - 1 - at],
            (true, 0) => [side / 2 - 1, side / 2],
            (true, _) if at < half => [half - 1, half + 1],
            (true, _) => [half, half],
        };
        for (port, left) in [(Port::plus(axis), forth), (Port::minus(axis), back)] {
            let late = u32::from(self.is_delayed(node, port, true));
            self.put_first(node, port, 1 + late, own, left, 0);
        }
    }

    /// On an odd ring two neighbours are alike, so node 0 stands for two: what it passes on waits one tick more, and so
    /// does its own packet downwards. Its own upwards does not, or else links clash (the paper delays that one, too).
    fn is_delayed(&self, node: NodeId, port: Port, is_own: bool) -> bool {
        let axis = port.axis();
        let is_delayer = self.topology.coord(node, axis) == 0;
        let is_odd = self.product.wraps(axis) && !self.topology.side(axis).is_multiple_of(2);
        is_odd && is_delayer && (port.way() == AxisDirection::Minus || !is_own)
    }

    /// Phase 2 from a node: a packet goes to all of its row or column.
    fn distribute(&mut self, axis: usize, node: NodeId, stream: QueuedPacket) {
        let (at, side) = (self.topology.coord(node, axis), self.topology.side(axis));
        if self.product.wraps(axis) {
            self.put_second(node, Port::new(axis, self.rules.around[axis]), stream, side - 1, 0);
        } else {
            self.put_second(node, Port::plus(axis), stream, side - 1 - at, 0);
            self.put_second(node, Port::minus(axis), stream, at, 0);
        }
    }

    fn item(&self, stream: QueuedPacket, left: u32, hops: u32) -> Item {
        let QueuedPacket { token, arrival, input } = stream;
        let key = match self.rules.order {
            QueueOrder::First => (arrival, 0, input),
            QueueOrder::Last => (u32::MAX - arrival, 0, input),
            QueueOrder::Nearest => (hops, arrival, input),
        };
        Item { key, token, left, hops }
    }

    fn put_first(&mut self, node: NodeId, port: Port, from: u32, stream: QueuedPacket, left: u32, hops: u32) {
        if left > 0 {
            let item = self.item(stream, left, hops);
            self.outputs[self.topology.register(node, port)].first.push((from, item));
            self.waiting[0] += 1;
        }
    }

    fn put_second(&mut self, node: NodeId, port: Port, stream: QueuedPacket, left: u32, hops: u32) {
        if left > 0 {
            let item = self.item(stream, left, hops);
            self.outputs[self.topology.register(node, port)].second.push(Reverse(item));
            self.waiting[1] += 1;
        }
    }

    /// Plays until all queues are empty.
    fn run(mut self) -> Vec<PacketMove> {
        let mut moves = Vec::new();
        let mut sent: Vec<(NodeId, Port, NodeId, GridPhase, Item)> = Vec::new();
        for tick in 1.. {
            if self.waiting == [0; 2] {
                break;
            }
            for node in self.topology.node_ids() {
                for port in (0..self.topology.axes()).map(Port::plus) {
                    let Some(there) = self.topology.step(node, port) else { continue };
                    if let Some((from, by, to, phase)) = self.sender(tick, node, port, there) {
                        let item = self.take(tick, from, by, phase);
                        moves.push(PacketMove { tick, from, by, token: item.token });
                        sent.push((to, by, from, phase, item));
                    }
                }
            }
            for (_, _, _, phase, _) in &sent {
                self.waiting[*phase as usize] -= 1;
            }
            for (node, by, _, phase, item) in sent.drain(..) {
                self.arrive(tick, node, by, phase, item);
            }
        }
        moves
    }

    /// Sender on the link from `node` out of `port`, a plus port, to `there`.
    fn sender(&self, tick: u32, node: NodeId, port: Port, there: NodeId) -> Option<(NodeId, Port, NodeId, GridPhase)> {
        let plus = (node, port, there);
        let minus = (there, port.opposite(), node);
        let [forth, back] = [plus, minus].map(|(node, port, _)| self.ready(tick, node, port));
        let is_forth = match (forth, back) {
            (None, None) => return None,
            (forth, None) => forth.is_some(),
            (None, Some(_)) => false,
            (Some(GridPhase::First), Some(GridPhase::First)) => {
                unreachable!("phase 1 never wants a link from both ends")
            }
            (Some(forth), Some(back)) if forth != back => forth < back,
            _ => {
                let axis = port.axis();
                let is_low = self.topology.coord(node, axis) < self.topology.side(axis) / 2;
                self.rules.favour == Favour::Plus || is_low
            }
        };
        let ((from, by, to), phase) = if is_forth { (plus, forth) } else { (minus, back) };
        phase.map(|phase| (from, by, to, phase))
    }

    /// Phase of the next item at an output that is ready.
    fn ready(&self, tick: u32, node: NodeId, port: Port) -> Option<GridPhase> {
        let queue = &self.outputs[self.topology.register(node, port)];
        if queue.first.iter().any(|(from, _)| *from <= tick) {
            return Some(GridPhase::First);
        }
        let waits = self.rules.is_sequential && self.waiting[0] > 0;
        (!waits && !queue.second.is_empty()).then_some(GridPhase::Second)
    }

    fn take(&mut self, tick: u32, node: NodeId, port: Port, phase: GridPhase) -> Item {
        let queue = &mut self.outputs[self.topology.register(node, port)];
        match phase {
            GridPhase::Second => queue.second.pop().expect("what is ready").0,
            GridPhase::First => {
                let ready = queue.first.iter().enumerate().filter(|(_, (from, _))| *from <= tick);
                let (index, _) = ready.min_by_key(|(_, (_, item))| *item).expect("what is ready");
                queue.first.swap_remove(index).1
            }
        }
    }

    fn arrive(&mut self, tick: u32, node: NodeId, by: Port, phase: GridPhase, item: Item) {
        let input = 1 + by.opposite().index() as u8;
        let stream = QueuedPacket { token: item.token, arrival: tick, input };
        let (left, hops) = (item.left - 1, item.hops + 1);
        match phase {
            GridPhase::First => {
                let late = u32::from(self.is_delayed(node, by, false));
                self.put_first(node, by, tick + 1 + late, stream, left, hops);
                self.distribute(1 - by.axis(), node, stream);
            }
            GridPhase::Second => self.put_second(node, by, stream, left, hops),
        }
    }
}
