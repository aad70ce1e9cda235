//! Algorithm Transmission-Certification of Bhatt, Pucci, Ranade and Rosenberg on any tree: certificates come up, orders go down.

use super::wire::{Event, RegisterContents};
use crate::net::NodeId;
use crate::paths::rooted::Rooted;

/// Order in which a node serves its children.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Children {
    /// One after the other: a node sends and receives one word a tick.
    Single,
    /// All at once (section IV).
    All,
}

/// State of a node's controller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CertificationState {
    /// No token yet.
    Idle,
    /// Waiting for certificates.
    Tokens,
    /// Certified, waiting for an order.
    Ready,
    /// Orders go down, flits come up.
    Run,
}

/// Certificate received from a child.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct ChildCertificate {
    lag: u32,
    flits: u32,
}

/// A node of the tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TreeNode {
    /// Number of the node.
    pub id: NodeId,
    /// The flits of its message.
    pub length: u32,
    /// State of the node's controller.
    pub state: CertificationState,
    /// The registers that its children read.
    pub down: Vec<Option<RegisterContents>>,
    /// The register that its parent reads.
    pub up: Option<RegisterContents>,
    ports: Children,
    is_root: bool,
    certificates: Vec<Option<ChildCertificate>>,
    /// children in the order of their turns
    order: Vec<usize>,
    /// number of children that have received their order
    ordered: usize,
    lag: u32,
    flits: u32,
    /// ticks until the first own flit is to be at the parent
    count: i64,
    /// ticks until the next child's first flit is to be there
    left: i64,
    /// own flits sent
    sent: u32,
}

impl TreeNode {
    /// A node of so many children before the first tick.
    pub fn new(id: NodeId, length: u32, children: usize, is_root: bool, ports: Children) -> Self {
        Self {
            id,
            length: if is_root { 0 } else { length },
            state: CertificationState::Idle,
            down: vec![None; children],
            up: None,
            ports,
            is_root,
            certificates: vec![None; children],
            order: Vec::new(),
            ordered: 0,
            lag: 1,
            flits: 0,
            count: 0,
            left: 0,
            sent: 0,
        }
    }

    /// One tick: what came from the parent and from each child in the last one.
    pub fn step(&mut self, from_parent: Option<RegisterContents>, from_children: &[Option<RegisterContents>]) {
        self.down.fill(None);
        self.up = None;
        match self.state {
            CertificationState::Idle if self.is_root || from_parent.is_some() => self.begin(),
            CertificationState::Idle => {}
            CertificationState::Tokens => self.collect(from_children),
            CertificationState::Ready => {
                if let Some(RegisterContents::Order(ticks)) = from_parent {
                    self.go(ticks);
                }
            }
            CertificationState::Run => self.run(from_children),
        }
    }

    fn begin(&mut self) {
        self.state = CertificationState::Tokens;
        match self.ports {
            _ if self.down.is_empty() => self.certify(),
            Children::Single => self.down[0] = Some(RegisterContents::Token),
            Children::All => self.down.fill(Some(RegisterContents::Token)),
        }
    }

    fn collect(&mut self, from_children: &[Option<RegisterContents>]) {
        for (child, word) in from_children.iter().enumerate() {
            if let Some(RegisterContents::Certificate { lag, flits }) = *word {
                self.certificates[child] = Some(ChildCertificate { lag, flits });
                if self.ports == Children::Single && child + 1 < self.down.len() {
                    self.down[child + 1] = Some(RegisterContents::Token);
                }
            }
        }
        if self.certificates.iter().all(Option::is_some) {
            self.certify();
        }
    }

    fn child(&self, child: usize) -> ChildCertificate {
        self.certificates[child].expect("every child has certified")
    }

    /// Sums up what the children certified; the root goes on at once.
    fn certify(&mut self) {
        let mut order: Vec<usize> = (0..self.down.len()).collect();
        order.sort_by_key(|&child| (self.child(child).flits == 0, self.child(child).lag, child));
        self.flits = self.length;
        let mut behind = 0;
        for &child in &order {
            let ChildCertificate { lag, flits } = self.child(child);
            if flits > 0 {
                behind = behind.max(i64::from(lag) - i64::from(self.flits) + i64::from(self.ports == Children::All));
            }
            self.flits += flits;
        }
        // an order takes a tick, and with one port each child's its own
        let orders = match self.ports {
            Children::Single if order.is_empty() => 0,
            Children::Single => order.len() as u32,
            Children::All => 0,
        };
        self.lag = 1 + orders + behind.unsigned_abs() as u32;
        self.order = order;
        if self.is_root {
            self.go(self.lag);
        } else {
            self.up = Some(RegisterContents::Certificate { lag: self.lag, flits: self.flits });
            self.state = CertificationState::Ready;
        }
    }

    fn go(&mut self, ticks: u32) {
        self.count = ticks.into();
        self.left = i64::from(ticks) + i64::from(self.length);
        self.state = CertificationState::Run;
        self.run(&[]);
    }

    fn run(&mut self, from_children: &[Option<RegisterContents>]) {
        self.count -= 1;
        self.left -= 1;
        let orders = match self.ports {
            Children::Single => 1,
            Children::All => self.order.len(),
        };
        for _ in 0..orders {
            let Some(&child) = self.order.get(self.ordered) else { break };
            // a child with nothing to send may get a time in the past
            self.down[child] = Some(RegisterContents::Order((self.left - 1).max(0).unsigned_abs() as u32));
            self.left += i64::from(self.child(child).flits);
            self.ordered += 1;
        }
        if self.count <= 0 && self.sent < self.length {
            self.up = Some(RegisterContents::Flit { of: self.id, flit: self.sent });
            self.sent += 1;
        } else if !self.is_root {
            self.up =
                from_children.iter().copied().flatten().find(|word| matches!(word, RegisterContents::Flit { .. }));
        }
    }
}

/// Plays the protocol until every order and every flit is there.
pub fn play(tree: &Rooted, lengths: &[u32], ports: Children) -> Vec<Event> {
    let topology = tree.topology();
    let children: Vec<Vec<NodeId>> = topology.node_ids().map(|node| tree.children(node)).collect();
    let new = |id: NodeId| TreeNode::new(id, lengths[id.index()], children[id.index()].len(), id == tree.root(), ports);
    let mut nodes: Vec<TreeNode> = topology.node_ids().map(new).collect();
    let parent = |id: NodeId| {
        let parent = tree.parent(id)?;
        Some((parent, children[parent.index()].iter().position(|&child| child == id)?))
    };
    let mut owed: u64 = nodes.iter().map(|node| u64::from(node.length)).sum();
    let mut events = Vec::new();
    let mut tick = 0;
    let at_work = |nodes: &[TreeNode]| {
        nodes.iter().any(|node| node.state != CertificationState::Run || node.ordered < node.order.len())
    };
    while owed > 0 || at_work(&nodes) {
        tick += 1;
        let before = nodes.clone();
        for node in &mut nodes {
            let id = node.id;
            let above = parent(id).and_then(|(parent, place)| before[parent.index()].down[place]);
            let below: Vec<Option<RegisterContents>> =
                children[id.index()].iter().map(|child| before[child.index()].up).collect();
            node.step(above, &below);
            for (&child, word) in children[id.index()].iter().zip(&node.down) {
                events.extend(word.map(|word| Event { tick, from: id, to: child, word }));
            }
            if let (Some(word), Some((to, _))) = (node.up, parent(id)) {
                events.push(Event { tick, from: id, to, word });
                owed -= u64::from(to == tree.root() && matches!(word, RegisterContents::Flit { .. }));
            }
        }
    }
    events
}
