//! The program along Hamiltonian cycles, where no packet arrives anywhere twice.
//!
//! On a cycle of even length P the packet of the antipode reaches a node in step P/2 from both sides. One of them has
//! to be silent. Which one may be chosen at every node anew: we choose by a ranking of its ports, since the direction
//! of the cycle would split nodes that are alike into many more classes.

use bitvec::vec::BitVec;

use crate::net::{NodeId, Port, Topology, Way};
use crate::paths::cover::Cover;
use crate::program::{Builder, Demand, Program, Run, Source, Title, TrackId};

/// Every cycle carries one packet of every node both ways, for ceil((P-1)/2) ticks: packet 0 rides the cycle of the
/// node's first port, and so on, so that nodes that turn alike send alike. Every cycle must pass every node.
pub fn program(cover: &Cover, title: Title) -> Program {
    let topology = cover.topology();
    let ticks = topology.nodes() / 2;
    let mut builder = Builder::new(topology, ticks, Demand::gossip(topology, cover.cycles() as u16));
    let tracks = Tracks::new(&mut builder, topology, cover.cycles(), ticks);
    let served = topology.nodes().is_multiple_of(2).then(|| last_arrivals(cover));
    let mut packet_of = vec![None; cover.cycles()];
    for node in topology.node_ids() {
        packet_of.fill(None);
        let mut packets = 0..;
        for (to, from, cycle) in turns(cover, node) {
            let packet = *packet_of[cycle].get_or_insert_with(|| packets.next().expect("fewer packets than numbers"));
            let last = served
                .as_ref()
                .is_none_or(|served| served[topology.arriving(node, to).expect("a cycle runs along links")]);
            builder.set(node, to, tracks.get(packet, from, last));
        }
    }
    builder.finish(title)
}

/// For every output, the output port by which its cycle goes on the other way, and the cycle.
fn turns(cover: &Cover, node: NodeId) -> impl Iterator<Item = (Port, Port, usize)> + '_ {
    cover.topology().port_ids().filter_map(move |port| {
        let cycle = cover.owner(node, port)?;
        let mut others = cover.topology().port_ids().filter(|&other| other != port);
        let other = others.find(|&other| cover.owner(node, other) == Some(cycle))?;
        Some((port, other, cycle))
    })
}

/// By which ports the nodes receive in the last step, at [`Topology::register`]: by one of the two of every cycle, the one
/// of the smaller rank.
fn last_arrivals(cover: &Cover) -> BitVec {
    let topology = cover.topology();
    let mains = main_axes(cover).into_iter();
    let ranks: Vec<_> = mains.flat_map(|main| topology.port_ids().map(move |port| rank(port, main))).collect();
    let mut served = BitVec::repeat(false, topology.registers());
    for node in topology.node_ids() {
        for (port, other, cycle) in turns(cover, node) {
            let ranks = &ranks[cycle * topology.ports()..];
            served.set(topology.register(node, port), ranks[port.index()] < ranks[other.index()]);
        }
    }
    served
}

/// The ranking of ports that gave the fewest classes of all that were tried: where the cycle runs straight along its
/// main axis, all its nodes agree, and where it turns, the other axes' minus ports come before their plus ports. A
/// cycle that turns at every node agrees best if it always receives along the first of its two axes.
fn rank(port: Port, main: Option<usize>) -> (u8, Port) {
    let group = match (main, port.way()) {
        (None, _) => 0,
        (Some(main), Way::Plus) if main == port.axis() => 0,
        (Some(main), Way::Minus) if main == port.axis() => 3,
        (_, Way::Minus) => 1,
        (_, Way::Plus) => 2,
    };
    (group, port)
}

/// The axis along which each cycle has more links than along any other, if there is one.
fn main_axes(cover: &Cover) -> Vec<Option<usize>> {
    let topology = cover.topology();
    let mut links = vec![vec![0u32; topology.axes()]; cover.cycles()];
    for node in topology.node_ids() {
        for port in (0..topology.axes()).map(Port::plus) {
            if let Some(cycle) = cover.owner(node, port) {
                links[cycle][port.axis()] += 1;
            }
        }
    }
    let main = |links: &Vec<u32>| {
        let most = *links.iter().max()?;
        let mut axes = (0..links.len()).filter(|&axis| links[axis] == most);
        axes.next().filter(|_| axes.next().is_none())
    };
    links.iter().map(main).collect()
}

/// The few different tracks, made once.
struct Tracks {
    ports: usize,
    ids: Vec<TrackId>,
}

impl Tracks {
    fn new(builder: &mut Builder, topology: &Topology, packets: usize, ticks: u32) -> Self {
        let mut ids = Vec::new();
        for packet in 0..packets {
            for port in topology.port_ids() {
                let own = Run { source: Source::own(packet as u32), ticks: 1 };
                let forward = Source::input(port, 1);
                // a single step is the first and the last
                let until_last = match ticks {
                    0 | 1 => vec![],
                    _ => vec![own, Run { source: forward, ticks: ticks - 2 }],
                };
                ids.push(builder.track(&until_last, Source::Idle));
                ids.push(builder.track(&[own], forward));
            }
        }
        Self { ports: topology.ports(), ids }
    }

    /// The track that sends a packet and forwards what comes in at `from`, in the last tick too or not.
    fn get(&self, packet: usize, from: Port, last: bool) -> TrackId {
        self.ids[(packet * self.ports + from.index()) * 2 + usize::from(last)]
    }
}
