//! The program along Hamiltonian cycles, where no packet arrives anywhere twice.
//!
//! On a cycle of even length P the packet of the antipode reaches a node in step P/2 from both sides. One of them has
//! to be silent. Which one may be chosen at every node anew: we choose by a ranking of its ports, since the direction
//! of the cycle would split nodes that are alike into many more classes.
//!
//! The cycle of every link is enough to know: no cycle is walked along. Ten million nodes are a pass or two.

use crate::net::{AxisDirection, Port, Topology};
use crate::program::{ClassId, ClassMap, Demand, Program, ProgramBuilder, Run, Source, SymbolTree, Title, TrackId};
use crate::schemes::links::SharedLinks;

/// Every cycle carries one packet of every node both ways, for ceil((P-1)/2) ticks: packet 0 rides the cycle of the
/// node's first port, and so on, so that nodes that turn alike send alike. Every cycle must pass every node.
pub fn program(links: &impl SharedLinks, title: Title) -> Program {
    let topology = links.topology();
    let ticks = topology.nodes() / 2;
    let mut builder = ProgramBuilder::new(topology, ticks, Demand::gossip(topology, links.cycles() as u16));
    let tracks = Tracks::new(&mut builder, topology, links.cycles(), ticks);
    let turning = Turning::of(links);
    if topology.nodes().is_multiple_of(2) {
        let (kinds, words) = turning.with_last_steps(links);
        let outputs = words.iter().map(|word| {
            let (kind, last) = word.split_first().expect("a word begins with how the node turns");
            tracks.outputs(&turning.turns[*kind], |port| last[port.index()] == 1)
        });
        builder.finish_by_kind(title, kinds, &outputs.collect::<Vec<_>>())
    } else {
        let outputs: Vec<_> = turning.turns.iter().map(|turns| tracks.outputs(turns, |_| true)).collect();
        builder.finish_by_kind(title, turning.kinds, &outputs)
    }
}

/// An output, the output by which its cycle goes on the other way, and the cycle.
#[derive(Clone, Copy)]
struct CycleTurn {
    to: Port,
    from: Port,
    cycle: usize,
}

/// Turns of the nodes by kind; there are few kinds.
struct Turning {
    /// kind of each node
    kinds: ClassMap,
    /// by kind, in port order
    turns: Vec<Vec<CycleTurn>>,
}

impl Turning {
    fn of(links: &impl SharedLinks) -> Self {
        let topology = links.topology();
        let mut words = SymbolTree::new(links.cycles() + 1);
        let mut kinds = ClassMap::with_capacity(topology.nodes() as usize);
        let mut word = vec![0; topology.ports()];
        topology.sweep(0..topology.nodes(), |node, neighbours| {
            links.at(node, neighbours, &mut word);
            kinds.push(ClassId(words.of(&word)));
        });
        Self { kinds, turns: words.words().iter().map(|word| turns(word, links.cycles())).collect() }
    }

    /// The nodes by how they turn and, for each port, whether they send by it in the last step: what the neighbour there
    /// receives by its own ranking. The words of the kinds begin with how they turn.
    fn with_last_steps(&self, links: &impl SharedLinks) -> (ClassMap, Vec<Vec<usize>>) {
        let topology = links.topology();
        let mains = links.main_axes().unwrap_or_else(|| self.main_axes(links));
        let served: Vec<Vec<bool>> =
            self.turns.iter().map(|turns| last_arrivals(turns, &mains, topology.ports())).collect();
        let mut words = SymbolTree::new(self.turns.len().max(2));
        let mut kinds = ClassMap::with_capacity(topology.nodes() as usize);
        let mut word = vec![0; 1 + topology.ports()];
        topology.sweep(0..topology.nodes(), |node, neighbours| {
            let kind = self.kinds[node.index()].index();
            word[0] = kind;
            word[1..].fill(0);
            for turn in &self.turns[kind] {
                let neighbour = neighbours[turn.to.index()].index();
                let there = &served[self.kinds[neighbour].index()];
                word[1 + turn.to.index()] = usize::from(there[turn.to.opposite().index()]);
            }
            kinds.push(ClassId(words.of(&word)));
        });
        (kinds, words.words().to_vec())
    }

    /// The axis along which each cycle has more links than along any other, if there is one.
    fn main_axes(&self, links: &impl SharedLinks) -> Vec<Option<usize>> {
        let mut counts = vec![vec![0u32; links.topology().axes()]; links.cycles()];
        let mut sizes = vec![0; self.turns.len()];
        self.kinds.iter().for_each(|kind| sizes[kind.index()] += 1);
        for (turns, size) in self.turns.iter().zip(sizes) {
            for turn in turns.iter().filter(|turn| turn.to.way() == AxisDirection::Plus) {
                counts[turn.cycle][turn.to.axis()] += size;
            }
        }
        let main = |counts: &Vec<u32>| {
            let most = *counts.iter().max()?;
            let mut axes = (0..counts.len()).filter(|&axis| counts[axis] == most);
            axes.next().filter(|_| axes.next().is_none())
        };
        counts.iter().map(main).collect()
    }
}

/// For every output that is on a cycle, the output by which the cycle goes on the other way.
fn turns(word: &[usize], cycles: usize) -> Vec<CycleTurn> {
    let ports = || word.iter().enumerate().filter(|&(_, &cycle)| cycle < cycles);
    let turn = |(to, &cycle): (usize, &usize)| {
        let (from, _) = ports().find(|&(port, &other)| port != to && other == cycle)?;
        Some(CycleTurn { to: Port::from_index(to), from: Port::from_index(from), cycle })
    };
    ports().filter_map(turn).collect()
}

/// By which ports a node receives in the last step: by one of the two of every cycle, the one of the smaller rank.
fn last_arrivals(turns: &[CycleTurn], mains: &[Option<usize>], ports: usize) -> Vec<bool> {
    let mut served = vec![false; ports];
    for &CycleTurn { to, from, cycle } in turns {
        served[to.index()] = rank(to, mains[cycle]) < rank(from, mains[cycle]);
    }
    served
}

/// The ranking of ports that gave the fewest classes of all that were tried: where the cycle runs straight along its
/// main axis, all its nodes agree, and where it turns, the other axes' minus ports come before their plus ports. A
/// cycle that turns at every node agrees best if it always receives along the first of its two axes.
fn rank(port: Port, main: Option<usize>) -> (u8, Port) {
    let group = match (main, port.way()) {
        (None, _) => 0,
        (Some(main), AxisDirection::Plus) if main == port.axis() => 0,
        (Some(main), AxisDirection::Minus) if main == port.axis() => 3,
        (_, AxisDirection::Minus) => 1,
        (_, AxisDirection::Plus) => 2,
    };
    (group, port)
}

/// The few different tracks, made once.
struct Tracks {
    ports: usize,
    cycles: usize,
    idle: TrackId,
    ids: Vec<TrackId>,
}

impl Tracks {
    fn new(builder: &mut ProgramBuilder, topology: &Topology, cycles: usize, ticks: u32) -> Self {
        let mut ids = Vec::new();
        for packet in 0..cycles {
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
        Self { ports: topology.ports(), cycles, idle: builder.track(&[], Source::Idle), ids }
    }

    /// The tracks of a node that turns so: each sends a packet and forwards what comes in, in the last tick too or not.
    fn outputs(&self, turns: &[CycleTurn], last: impl Fn(Port) -> bool) -> Vec<TrackId> {
        let mut outputs = vec![self.idle; self.ports];
        let mut packet_of = vec![None; self.cycles];
        let mut packets = 0..;
        for &CycleTurn { to, from, cycle } in turns {
            let packet = *packet_of[cycle].get_or_insert_with(|| packets.next().expect("fewer packets than numbers"));
            outputs[to.index()] = self.ids[(packet * self.ports + from.index()) * 2 + usize::from(last(to))];
        }
        outputs
    }
}
