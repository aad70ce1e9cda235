//! From a cover to a program: what the nodes on the cycles send along them.

use crate::net::{NodeId, Port};
use crate::paths::cover::{Cover, Visit};
use crate::program::{ClassId, ClassMap, Demand, Program, ProgramBuilder, Run, Source, SymbolTree, Title, TrackId};

/// Assignment of a node's packets to its cycles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Packets {
    /// Each cycle through the node carries one packet (section 3: as many packets per node as there are cycles), packet 0
    /// the cycle of its first port and so on: nodes that turn alike then send alike, whichever cycles they lie on.
    /// A double node lies on one cycle of two and sends packets 0 and 1 on it.
    PerCycle,
    /// Each way round each cycle carries a packet of its own, the first of them by the earlier of the cycle's two ports. No node is
    /// double.
    PerWay,
    /// The one packet rides every cycle through the node (section 4).
    Shared,
}

impl Packets {
    /// Number of packets each node contributes.
    pub fn per_node(self, cover: &Cover) -> u16 {
        match self {
            Self::PerCycle => cover.cycles() as u16,
            Self::PerWay => 2 * cover.cycles() as u16,
            Self::Shared => 1,
        }
    }

    /// Gossip of so many packets.
    pub fn demand(self, cover: &Cover) -> Demand {
        Demand::gossip(cover.topology(), self.per_node(cover))
    }
}

/// The program in which every node forwards both streams of each of its cycles, each for `ticks` ticks:
/// what comes in by one port of a cycle goes out by the other, after the node's own packet.
pub fn along_cycles(cover: &Cover, packets: Packets, ticks: u32, title: Title) -> Program {
    let mut builder = ProgramBuilder::new(cover.topology(), ticks, packets.demand(cover));
    let Passes { kinds, of_kind } = Passes::of(cover, packets);
    let outputs: Vec<_> = of_kind.iter().map(|passes| along(&mut builder, passes)).collect();
    builder.finish_by_kind(title, kinds, &outputs)
}

/// Passage of one cycle through a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CyclePassage {
    /// Index of the cycle.
    pub cycle: usize,
    /// The port it comes in by.
    pub from: Port,
    /// The port it goes out by.
    pub to: Port,
    /// True if the node counts as two places.
    pub double: bool,
    /// The packets the node sends from its first and from its last place: by `from` and by `to`, unless it is double.
    pub own: [u16; 2],
}

/// Passages of the cycles through every node. Few kinds differ.
pub struct Passes {
    /// Kind of every node, by node.
    pub kinds: ClassMap,
    /// By kind, in the order of the first ports.
    pub of_kind: Vec<Vec<CyclePassage>>,
}

impl Passes {
    /// In one sweep over the links.
    pub fn of(cover: &Cover, packets: Packets) -> Self {
        let topology = cover.topology();
        let mut words = SymbolTree::new(2 + 2 * cover.cycles());
        let mut kinds = ClassMap::with_capacity(topology.nodes() as usize);
        let mut word = vec![0; 1 + topology.ports()];
        for node in topology.node_ids() {
            word[0] = usize::from(cover.is_double(node));
            for (symbol, port) in word[1..].iter_mut().zip(topology.port_ids()) {
                let leaves = || usize::from(cover.leaves(node, port));
                *symbol = cover.owner(node, port).map_or(0, |cycle| 2 + 2 * cycle + leaves());
            }
            kinds.push(ClassId(words.of(&word)));
        }
        Self { kinds, of_kind: words.words().iter().map(|word| passes(word, packets)).collect() }
    }
}

/// The passes of a node, told by whether it is double and, for each port, by no cycle (0) or by 2 + twice the cycle, and one
/// more if it leaves by that port.
fn passes(word: &[usize], packets: Packets) -> Vec<CyclePassage> {
    let double = word[0] == 1;
    let ports = || word[1..].iter().enumerate().map(|(port, &symbol)| (Port::from_index(port), symbol));
    let mut passes: Vec<CyclePassage> = Vec::new();
    for (port, symbol) in ports() {
        let Some((other, _)) = ports().find(|&(_, other)| other == symbol ^ 1) else { continue };
        if port < other {
            let is_ascending = symbol % 2 == 0;
            let (from, to) = if is_ascending { (port, other) } else { (other, port) };
            let own = packets_on(packets, passes.len(), double, is_ascending);
            passes.push(CyclePassage { cycle: symbol / 2 - 1, from, to, double, own });
        }
    }
    passes
}

/// The tracks of a node that cycles pass so: both streams of each of them.
pub fn along(builder: &mut ProgramBuilder, passes: &[CyclePassage]) -> Vec<TrackId> {
    let mut outputs = vec![builder.track(&[], Source::Idle); builder.topology().ports()];
    for pass in passes {
        let [to, from] = both_ways(builder, *pass);
        outputs[pass.to.index()] = to;
        outputs[pass.from.index()] = from;
    }
    outputs
}

/// Returns the visits of the cycles at a node, in the order of their first ports.
fn visits(cover: &Cover, node: NodeId) -> impl Iterator<Item = Visit> {
    cover.topology().port_ids().filter_map(move |port| {
        let visit = cover.visit(cover.owner(node, port)?, node)?;
        (visit.from.min(visit.to) == port).then_some(visit)
    })
}

/// The packets a node sends from its first and from its last place on a cycle; backward and forward, unless it is a double node.
pub fn own_packets(cover: &Cover, packets: Packets, node: NodeId, visit: Visit) -> [u16; 2] {
    let index = visits(cover, node).take_while(|other| *other != visit).count();
    packets_on(packets, index, visit.double, visit.from < visit.to)
}

/// Returns the first and the last packet on the `index`-th cycle through a node; `is_ascending` if the cycle enters by
/// the earlier port.
fn packets_on(packets: Packets, index: usize, double: bool, is_ascending: bool) -> [u16; 2] {
    match packets {
        Packets::PerCycle if !double => [index as u16; 2],
        Packets::PerCycle if is_ascending => [0, 1],
        Packets::PerCycle => [1, 0],
        Packets::PerWay => {
            let first = 2 * index as u16;
            if is_ascending { [first, first + 1] } else { [first + 1, first] }
        }
        Packets::Shared => [0; 2],
    }
}

/// The tracks forward and backward: a node passes its own places on first, the one next to the output before the
/// other, then what came in. A double node has two places, so what it forwards is one tick older (section 3.2).
fn both_ways(
    builder: &mut ProgramBuilder,
    CyclePassage { from, to, double, own: [first, last], .. }: CyclePassage,
) -> [TrackId; 2] {
    let age = 1 + u32::from(double);
    [(from, last, first), (to, first, last)].map(|(port, near, far)| {
        let own = [near, far].map(|packet| Run { source: Source::own(packet.into()), ticks: 1 });
        builder.track(&own[..age as usize], Source::input(port, age))
    })
}
