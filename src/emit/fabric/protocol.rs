//! The modules of a gather whose lengths are found out while it runs: a state machine a node, and the fabric that links them.

use std::collections::{BTreeMap, BTreeSet};

use askama::Template;

use crate::emit::shared::design::EmitDesign;
use crate::emit::shared::output::OutputFile;
use crate::emit::shared::parts::BitRange;
use crate::emit::shared::{names, words};
use crate::net::{Channel, NodeId};
use crate::netlist::digits;
use crate::protocol::{Protocol, ProtocolKind};

/// The modules of the nodes: one for each way of being a node.
pub fn nodes<'d>(design: &'d EmitDesign<'d>, protocol: &'d Protocol) -> Vec<OutputFile<'d>> {
    let mut roles: BTreeMap<TreeRole, Vec<NodeId>> = BTreeMap::new();
    for node in protocol.tree.topology().node_ids() {
        if let Some(role) = TreeRole::of(protocol, node) {
            roles.entry(role).or_default().push(node);
        }
    }
    let file = |(role, nodes): (TreeRole, Vec<NodeId>)| {
        let module = role.module(design);
        let notes = notes(design, protocol, nodes.len());
        match role {
            TreeRole::Tap { last } => {
                let (width, count) = (design.options.width, protocol.count_bits());
                let name = module.clone();
                OutputFile::module(&module, move || Tap {
                    module: name.clone(),
                    notes: notes.clone(),
                    width,
                    count,
                    last,
                })
            }
            TreeRole::Certifier { children, root } => {
                let name = module.clone();
                let view = move || Certifier::new(design, protocol, name.clone(), notes.clone(), children, root);
                OutputFile::module(&module, view)
            }
        }
    };
    roles.into_iter().map(file).collect()
}

/// Fabric of a protocol's state machines.
pub fn fabric<'d>(design: &'d EmitDesign<'d>, protocol: &'d Protocol) -> OutputFile<'d> {
    OutputFile::module(design.name(), move || ProtocolFabric {
        design,
        protocol,
        name: design.name(),
        headline: design.headline(),
        notes: fabric_notes(design),
        width: design.options.width,
        count: protocol.count_bits(),
        taps: protocol.kind == ProtocolKind::ShoulderTap,
    })
}

/// Role of a node in its tree, as far as its module depends on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum TreeRole {
    /// A node of a path.
    Tap { last: bool },
    /// A node of a tree.
    Certifier { children: usize, root: bool },
}

impl TreeRole {
    /// Role of a node; `None` for the root of a path, which only taps its child.
    fn of(protocol: &Protocol, node: NodeId) -> Option<Self> {
        let children = protocol.tree.children(node).len();
        let root = node == protocol.tree.root();
        match protocol.kind {
            ProtocolKind::ShoulderTap => (!root).then_some(Self::Tap { last: children == 0 }),
            ProtocolKind::Certification | ProtocolKind::CertificationAllPort => {
                Some(Self::Certifier { children, root })
            }
        }
    }

    fn module(self, design: &EmitDesign) -> String {
        let name = design.name();
        match self {
            Self::Tap { last: false } => format!("{name}_tap"),
            Self::Tap { last: true } => format!("{name}_tap_last"),
            Self::Certifier { root: true, .. } => format!("{name}_certifier_root"),
            Self::Certifier { children, .. } => format!("{name}_certifier_{children}"),
        }
    }
}

fn notes(design: &EmitDesign, protocol: &Protocol, nodes: usize) -> Vec<String> {
    let all = design.program.topology.nodes();
    let who = format!("{} of {all} nodes, on a {}.", nodes, design.program.topology.describe());
    words::wrap_all(&[protocol.rule().to_owned(), who, design.generated()])
}

fn fabric_notes(design: &EmitDesign) -> Vec<String> {
    words::wrap_all(&[
        "Hold the lengths while run is high; no node needs to know the length of another. Done rises when the root has every \
         flit. One tick of run low, or of rst, makes all registers invalid."
            .to_owned(),
        "Each own input presents a flit of its message; `take` is high in a tick that sends it, and the next one must follow.".to_owned(),
        "Arrivals of a tick are at the outputs of the fabric after that tick.".to_owned(),
        design.generated(),
    ])
}

#[derive(Template)]
#[template(path = "rtl/tap.v", escape = "none")]
struct Tap {
    module: String,
    notes: Vec<String>,
    width: u32,
    count: u32,
    last: bool,
}

#[derive(Template)]
#[template(path = "rtl/certifier.v", escape = "none")]
struct Certifier {
    module: String,
    headline: String,
    notes: Vec<String>,
    width: u32,
    count: u32,
    root: bool,
    all_port: bool,
    single_port: bool,
    /// the node's own length: the root has no message
    own_length: &'static str,
    children: Vec<ChildPorts>,
    pairs: Vec<ChildPair>,
    /// the last child
    last: usize,
    /// ticks that the orders take
    orders: usize,
    turn: BitRange,
    turn_bits: u32,
}

struct ChildPorts {
    number: usize,
    others: Vec<usize>,
}

/// Two children, the lower number first.
struct ChildPair {
    one: usize,
    other: usize,
}

impl Certifier {
    fn new(
        design: &EmitDesign,
        protocol: &Protocol,
        module: String,
        notes: Vec<String>,
        children: usize,
        root: bool,
    ) -> Self {
        let all_port = protocol.kind == ProtocolKind::CertificationAllPort;
        let child = |number| ChildPorts { number, others: (0..children).filter(|&other| other != number).collect() };
        let pairs = (0..children).flat_map(|one| (one + 1..children).map(move |other| ChildPair { one, other }));
        let what = if children == 1 { "1 child".to_owned() } else { format!("{children} children") };
        Self {
            module,
            headline: format!("{} with {what}", if root { "the root" } else { "a node" }),
            notes,
            width: design.options.width,
            count: protocol.count_bits(),
            root,
            all_port,
            single_port: !all_port,
            own_length: if root { "none" } else { "length" },
            children: (0..children).map(child).collect(),
            pairs: pairs.collect(),
            last: children.saturating_sub(1),
            orders: 1 + if all_port { 0 } else { children },
            turn: BitRange::up_to(children as u32),
            turn_bits: digits(children as u32),
        }
    }
}

#[derive(Template)]
#[template(path = "rtl/protocol.v", escape = "none")]
struct ProtocolFabric<'d> {
    design: &'d EmitDesign<'d>,
    protocol: &'d Protocol,
    name: &'d str,
    headline: String,
    notes: Vec<String>,
    width: u32,
    count: u32,
    /// the nodes pass taps on, not certificates and orders
    taps: bool,
}

struct ProtocolNode {
    name: String,
    place: String,
    instance: String,
    module: String,
    is_root: bool,
    /// true if it has a state machine, which reports when it is done
    has_sent: bool,
    arrivals: Vec<TreeInput>,
    tied: Vec<TreeInput>,
    /// arrival at its parent
    up: Option<String>,
    /// source of its tap
    tap: String,
    /// the wires between it and its parent
    certifies: Option<String>,
    /// the wire to its child
    taps: Option<String>,
    children: Vec<Child>,
}

#[derive(Clone)]
struct TreeInput {
    name: String,
    comma: &'static str,
}

struct Child {
    number: usize,
    name: String,
    /// arrival from the child
    arrival: String,
}

impl ProtocolFabric<'_> {
    fn nodes(&self) -> impl Iterator<Item = ProtocolNode> {
        self.protocol.tree.topology().node_ids().map(|node| self.node(node))
    }

    fn node(&self, node: NodeId) -> ProtocolNode {
        let tree = &self.protocol.tree;
        let topology = tree.topology();
        let name = names::node(topology, node);
        let ports: Vec<_> = topology.linked_ports(node).collect();
        let is_last_node = node.0 + 1 == topology.nodes();
        let downs = tree.downs(node);
        let below: BTreeSet<_> = downs.iter().map(|&(_, port)| port).collect();
        let arrival = |&port: &_| TreeInput {
            name: self.arrival(node, port),
            comma: if is_last_node && Some(&port) == ports.last() { "" } else { "," },
        };
        let role = TreeRole::of(self.protocol, node);
        let is_root = node == tree.root();
        let child = |(number, &(child, port)): (usize, &(NodeId, _))| Child {
            number,
            name: names::node(topology, child),
            arrival: self.arrival(node, port),
        };
        let parent = tree.parent(node);
        let up = tree.up(node).zip(parent).map(|(port, parent)| self.arrival(parent, port.opposite()));
        let tap = match parent {
            Some(parent) if parent != tree.root() => format!("{}_tap", names::node(topology, parent)),
            _ => "tap_root".to_owned(),
        };
        ProtocolNode {
            place: topology.show(node),
            instance: names::instance(topology, node),
            module: role.map_or(String::new(), |role| role.module(self.design)),
            is_root,
            has_sent: role.is_some(),
            arrivals: ports.iter().map(arrival).collect(),
            tied: ports.iter().filter(|port| !below.contains(port)).map(arrival).collect(),
            up,
            tap,
            certifies: (!self.taps && !is_root).then(|| name.clone()),
            taps: (self.taps && !is_root && !downs.is_empty()).then(|| name.clone()),
            children: downs.iter().enumerate().map(child).collect(),
            name,
        }
    }

    fn arrival(&self, node: NodeId, port: crate::net::Port) -> String {
        let topology = self.protocol.tree.topology();
        let input = names::channel(topology.axes(), Channel::first(port));
        format!("{}_{input}_in", names::node(topology, node))
    }
}
