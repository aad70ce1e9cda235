//! When each node of a tree sends its message to the root if the lengths are told on the way: the papers' formulas.

use crate::net::NodeId;
use crate::paths::rooted::Rooted;

/// A node's turn: the tick in which its first flit reaches its parent.
type NodeTurn = Vec<u32>;

/// Timing of a protocol.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Timing {
    /// For each node the tick in which its first flit reaches its parent, also where it has none.
    pub first: NodeTurn,
    /// The tick after which the root has everything.
    pub ticks: u32,
}

impl Timing {
    fn new(tree: &Rooted, lengths: &[u32], first: NodeTurn) -> Self {
        let sends = |node: &NodeId| *node != tree.root() && lengths[node.index()] > 0;
        let last = |node: NodeId| first[node.index()] + lengths[node.index()] + tree.depth(node) - 2;
        let ticks = tree.topology().node_ids().filter(sends).map(last).max().unwrap_or(0);
        Self { first, ticks }
    }
}

/// Shoulder-Tap on a path (Theorem 2). Tap i reaches node i in tick i and says in how many ticks its parent is free; the last node may use
/// the tick that the others need to pass the tap on.
pub fn shoulder_tap(path: &Rooted, lengths: &[u32]) -> Timing {
    let nodes = path.outwards();
    let last = nodes.len() - 1;
    let mut first = vec![0; nodes.len()];
    for ((place, node), tap) in nodes.into_iter().enumerate().zip(taps(path, lengths)).skip(1) {
        let least = if place == last { 1 } else { 2 };
        first[node.index()] = place as u32 + tap.max(least);
    }
    Timing::new(path, lengths, first)
}

/// The tap that reaches each node of a path, P0's own left at 0.
pub fn taps(path: &Rooted, lengths: &[u32]) -> Vec<u32> {
    let mut tap = 1_u32;
    let next = |node: NodeId| {
        let this = tap;
        tap = (lengths[node.index()] + tap.saturating_sub(2)).max(1);
        this
    };
    std::iter::once(0).chain(path.outwards().into_iter().skip(1).map(next)).collect()
}

/// Certificate of a node.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct NodeCertificate {
    /// after how many ticks its flits can flow without a gap
    lag: u32,
    /// number of flits
    flits: u32,
}

/// Links that a node may use in a tick.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PortChoice {
    /// One each way.
    Single,
    /// All ports at once.
    All,
}

/// Transmission-Certification on any tree (Theorem 3; section IV with all ports). Certificates come up, orders go down.
pub fn certification(tree: &Rooted, lengths: &[u32], ports: PortChoice) -> Timing {
    let nodes = tree.outwards();
    let mut certificates = vec![NodeCertificate::default(); nodes.len()];
    let mut orders: Vec<Vec<NodeId>> = vec![Vec::new(); nodes.len()];
    for &node in nodes.iter().rev() {
        let own = if node == tree.root() { 0 } else { lengths[node.index()] };
        let (certificate, order) = certified(tree, &certificates, node, own, ports);
        certificates[node.index()] = certificate;
        orders[node.index()] = order;
    }
    // the root has every certificate after the walk through the tree, or once down and up
    let begin = match ports {
        PortChoice::Single => 2 * (nodes.len() as u32 - 1),
        PortChoice::All => 2 * tree.height(),
    };
    let mut first = vec![0; nodes.len()];
    first[tree.root().index()] = begin + certificates[tree.root().index()].lag;
    for node in nodes {
        let own = if node == tree.root() { 0 } else { lengths[node.index()] };
        // a stream reaches a node one tick before it reaches its parent
        let mut next = first[node.index()] + own - 1;
        for &child in &orders[node.index()] {
            first[child.index()] = next;
            next += certificates[child.index()].flits;
        }
    }
    Timing::new(tree, lengths, first)
}

/// A node's certificate, and its children in the order of their turns: those with nothing to send last, then by lag.
fn certified(
    tree: &Rooted,
    known: &[NodeCertificate],
    node: NodeId,
    own: u32,
    ports: PortChoice,
) -> (NodeCertificate, Vec<NodeId>) {
    let mut order = tree.children(node);
    let of = |child: &NodeId| known[child.index()];
    order.sort_by_key(|child| (of(child).flits == 0, of(child).lag, *child));
    let mut flits = own;
    let mut lag = i64::from(ports == PortChoice::All);
    for child in &order {
        let NodeCertificate { lag: theirs, flits: more } = of(child);
        if more > 0 {
            let spare = if ports == PortChoice::All { 2 } else { 0 };
            lag = lag.max(i64::from(theirs) + spare - i64::from(flits));
        }
        flits += more;
    }
    let lag = match (ports, order.len()) {
        (PortChoice::Single, 0) => 1,
        (PortChoice::Single, children) => children as u32 + 1 + lag.max(0).unsigned_abs() as u32,
        (PortChoice::All, _) => lag.unsigned_abs() as u32,
    };
    (NodeCertificate { lag, flits }, order)
}
