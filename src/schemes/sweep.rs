//! `sweep`: sums of short vectors sweep along one axis after the other, and every node adds up all that comes by.
//!
//! Each node sends its sum along an axis both ways and forwards what comes, on a cycle until the two ways meet. What it has then added
//! up is what it sends along the next axis: a word takes as many ticks as the diameter. Or a sum starts at each end of a path, and each
//! node that it passes adds its own, which sends less in as many ticks; for that a cycle is cut, for each word at another place. Words
//! share the links: each begins with the axis, and in the tick, in which its links are free first.

use std::collections::HashSet;
use std::sync::Arc;

use indexmap::IndexSet;

use crate::net::{Network, NodeId, Port, Product};
use crate::program::{
    ClassId, ClassMap, Demand, Entries, Message, Operand, Operands, Operation, Partial, PartialOrder, Program,
    ProgramBuilder, Reduction, Run, Sender, Source, Title, To,
};
use crate::task::{About, Claim, Collective, ConstructError, Scheme, Task, Unmet, Woven};

/// Scheme `sweep`: an all-reduce of short vectors, axis by axis.
#[derive(Clone, Copy, Debug)]
pub struct Sweep;

/// Words times outputs: more take seconds to place.
const MOST_PLACED: u64 = 1 << 15;

impl Scheme for Sweep {
    fn about(&self) -> About {
        About {
            name: "sweep",
            summary: "All-reduce of a few words: every node adds up what sweeps by, axis after axis",
            theorem: "the diameter, for one word; no paper's",
            condition: "a product of cycles and paths",
            packets: "one per word",
            preference: 22,
        }
    }

    fn collectives(&self) -> &'static [Collective] {
        &[Collective::AllReduce]
    }

    fn takes(&self, network: &Network) -> bool {
        network.as_product().is_some()
    }

    fn applies(&self, task: &Task) -> Result<(), Unmet> {
        if task.choice.is_ordered {
            return Err(Unmet { needs: "values that may be combined in any order: words or integers" });
        }
        let outputs = task.topology.registers() as u64;
        if outputs * u64::from(task.choice.traffic.flits) > MOST_PLACED {
            return Err(Unmet { needs: "fewer nodes, or fewer words" });
        }
        Ok(())
    }

    fn packets(&self, task: &Task) -> u16 {
        task.choice.traffic.flits as u16
    }

    fn weave(&self, task: &Task, title: Title) -> Result<Woven, ConstructError> {
        let product = task.topology.as_product().ok_or(Unmet { needs: "a product of cycles and paths" })?;
        Ok(Woven { program: Plan::of(product, task).program(title), cover: None })
    }

    fn claim(&self, _task: &Task) -> Option<Claim> {
        None
    }

    fn awaits_arrivals(&self, _task: &Task) -> bool {
        true
    }

    fn why(&self, task: &Task, node: NodeId) -> Vec<String> {
        let Some(product) = task.topology.as_product() else { return Vec::new() };
        let way = Plan::of(product, task).words[0];
        let along = |axis: usize| {
            let (name, last) = (format!("x{}", axis + 1), task.topology.side(axis) - 1);
            match task.topology.coord(node, axis) {
                _ if way.forwards(product.wraps(axis)) => {
                    format!("along {name} it sends its sum both ways, and forwards what comes")
                }
                0 => format!("along {name} it begins a sum at one end, and the other end's reaches it last"),
                at if at == last => {
                    format!("along {name} it begins a sum at the end, and the first node's reaches it last")
                }
                _ => format!("along {name} it adds its own to the sums that pass in both directions"),
            }
        };
        (0..task.topology.axes()).map(along).collect()
    }
}

/// Way of a word: in which order it takes the axes, and when.
#[derive(Clone, Copy)]
struct WordWay {
    /// Axis that it takes first; the others follow, and after the last one the first.
    first: usize,
    round: RoundWay,
    /// True if nodes of a path forward what comes, and add nothing to it.
    forwards: bool,
    /// Ticks before it.
    before: u32,
}

/// Way round a cycle.
#[derive(Clone, Copy)]
enum RoundWay {
    /// Both ways, until they meet; of an even cycle one way is longer.
    Both { is_mirrored: bool },
    /// From both ends of a path that begins at this node.
    Cut { at: u32 },
}

impl WordWay {
    /// Returns true if nodes of a cycle, or of a path, forward what comes.
    fn forwards(self, wraps: bool) -> bool {
        if wraps { matches!(self.round, RoundWay::Both { .. }) } else { self.forwards }
    }
}

/// Sends and arrivals of a node for a word, in the order of time.
#[derive(Default)]
struct NodeWay {
    sends: Vec<WordSend>,
    arrivals: Vec<WordArrival>,
    /// Ticks after which its sum is complete.
    ticks: u32,
}

struct WordSend {
    port: Port,
    tick: u32,
    /// Number of arrivals that are in the sum; none for a word that is forwarded.
    added: Option<usize>,
    /// Arrival of the same axis that is added to them, or forwarded.
    input: Option<Port>,
}

struct WordArrival {
    port: Port,
    tick: u32,
}

/// Ways of all words over a network.
struct Plan<'a> {
    product: Product<'a>,
    /// Ticks from a node to the next.
    hop: u32,
    words: Vec<WordWay>,
}

impl<'a> Plan<'a> {
    /// The fastest of several ways to place words: both ways round a cycle or cut, each word first along another axis or all along one.
    fn of(product: Product<'a>, task: &Task) -> Self {
        let axes = product.network().axes();
        let most = product.network().dims().iter().copied().max().unwrap_or(1);
        let both: Vec<_> = [false, true].map(|is_mirrored| RoundWay::Both { is_mirrored }).into();
        let cuts: Vec<_> = (0..most).map(|at| RoundWay::Cut { at }).collect();
        let rounds = if product.is_open() { vec![both] } else { vec![both, cuts] };
        let on_paths = if product.is_closed() { &[true][..] } else { &[true, false] };
        let ways: Vec<(&Vec<RoundWay>, bool)> =
            rounds.iter().flat_map(|rounds| on_paths.iter().map(move |&forwards| (rounds, forwards))).collect();
        let orders = [(0..axes).collect()].into_iter().chain((0..axes).map(|axis| vec![axis]));
        let plans = orders.flat_map(|firsts: Vec<usize>| {
            ways.iter().map(move |way| Self::placed(product, task, &firsts, *way)).collect::<Vec<_>>()
        });
        plans.min_by_key(Self::last).expect("there is an axis")
    }

    /// Ways on which no two words meet: each word takes the one of these that is free first, and looks at the next one first.
    fn placed(product: Product<'a>, task: &Task, firsts: &[usize], (rounds, forwards): (&Vec<RoundWay>, bool)) -> Self {
        let mut plan = Self { product, hop: task.link.latency, words: Vec::new() };
        let mut taken = HashSet::new();
        for word in 0..task.choice.traffic.flits as usize {
            let ways = (0..rounds.len()).flat_map(|round| {
                let round = rounds[(word + round) % rounds.len()];
                (0..firsts.len()).map(move |first| WordWay {
                    first: firsts[(word + first) % firsts.len()],
                    round,
                    forwards,
                    before: 0,
                })
            });
            let way = ways.map(|way| plan.first_free(way, &taken)).min_by_key(|way| way.before);
            let way = way.expect("there is an axis");
            taken.extend(plan.uses(way));
            plan.words.push(way);
        }
        plan
    }

    /// Last tick in which a sum is complete, counted as if its next use were a hop later.
    fn last(&self) -> u32 {
        let nodes = self.product.network().node_ids();
        nodes.flat_map(|node| self.words.iter().map(move |&way| self.node(way, node).ticks)).max().unwrap_or(self.hop)
    }

    /// Way that begins as soon as its links are free.
    fn first_free(&self, way: WordWay, taken: &HashSet<(usize, u32)>) -> WordWay {
        let uses: Vec<_> = self.uses(way).collect();
        let is_free = |before: &u32| !uses.iter().any(|&(register, tick)| taken.contains(&(register, tick + before)));
        WordWay { before: (0..u32::MAX).find(is_free).expect("words end"), ..way }
    }

    /// Registers and ticks that a word takes.
    fn uses(&self, way: WordWay) -> impl Iterator<Item = (usize, u32)> + '_ {
        let network = self.product.network();
        network.node_ids().flat_map(move |node| {
            let sends = self.node(way, node).sends;
            sends.into_iter().map(move |send| (network.register(node, send.port), send.tick))
        })
    }

    /// Sends and arrivals of a node for a word.
    fn node(&self, way: WordWay, node: NodeId) -> NodeWay {
        let axes = self.product.network().axes();
        let mut all = NodeWay { ticks: way.before, ..NodeWay::default() };
        for axis in (0..axes).map(|axis| (way.first + axis) % axes) {
            let (at, side) = (self.product.network().coord(node, axis), self.product.network().side(axis));
            match way.round {
                _ if !self.product.wraps(axis) && way.forwards => self.across(axis, at, &mut all),
                _ if !self.product.wraps(axis) => self.along(axis, at, &mut all),
                RoundWay::Both { is_mirrored } => self.both_ways(axis, is_mirrored, &mut all),
                RoundWay::Cut { at: begins } => self.along(axis, (at + side - begins % side) % side, &mut all),
            }
        }
        all
    }

    /// A cycle: both ways round, until the two ways meet.
    fn both_ways(&self, axis: usize, is_mirrored: bool, all: &mut NodeWay) {
        let side = self.product.network().side(axis);
        let (far, near) = (side / 2, (side - 1) / 2);
        let (begins, added) = (all.ticks, all.arrivals.len());
        let (up, down) = if is_mirrored { (near, far) } else { (far, near) };
        for (port, hops) in [(Port::plus(axis), up), (Port::minus(axis), down)] {
            let from = port.opposite();
            for hop in 0..hops {
                let tick = begins + hop * self.hop + 1;
                let is_first = hop == 0;
                let (added, input) = (is_first.then_some(added), (!is_first).then_some(from));
                all.sends.push(WordSend { port, tick, added, input });
                all.arrivals.push(WordArrival { port: from, tick });
            }
        }
        all.ticks += far * self.hop;
    }

    /// A path: both ways from every node.
    fn across(&self, axis: usize, at: u32, all: &mut NodeWay) {
        let last = self.product.network().side(axis) - 1;
        let (begins, added) = (all.ticks, all.arrivals.len());
        for (port, before, after) in [(Port::plus(axis), at, last - at), (Port::minus(axis), last - at, at)] {
            let (from, tick) = (port.opposite(), |hop: u32| begins + hop * self.hop + 1);
            if after > 0 {
                all.sends.push(WordSend { port, tick: tick(0), added: Some(added), input: None });
                let forwarded = |hop| WordSend { port, tick: tick(hop), added: None, input: Some(from) };
                all.sends.extend((1..=before).map(forwarded));
            }
            all.arrivals.extend((0..before).map(|hop| WordArrival { port: from, tick: tick(hop) }));
        }
        all.ticks += at.max(last - at) * self.hop;
    }

    /// A path: a sum from each end, which the node at this place adds its own to.
    fn along(&self, axis: usize, at: u32, all: &mut NodeWay) {
        let last = self.product.network().side(axis) - 1;
        let (begins, added) = (all.ticks, all.arrivals.len());
        for (port, before, after) in [(Port::plus(axis), at, last - at), (Port::minus(axis), last - at, at)] {
            let (from, tick) = (port.opposite(), begins + before * self.hop + 1);
            if after > 0 {
                let input = (before > 0).then_some(from);
                all.sends.push(WordSend { port, tick, added: Some(added), input });
            }
            if before > 0 {
                all.arrivals.push(WordArrival { port: from, tick: tick - self.hop });
            }
        }
        all.ticks += at.max(last - at) * self.hop;
    }

    fn program(&self, title: Title) -> Program {
        let network = self.product.network();
        let root = network.first_live();
        let ways: Vec<Vec<NodeWay>> =
            network.node_ids().map(|node| self.words.iter().map(|&way| self.node(way, node)).collect()).collect();
        // nothing is sent on after the last arrival
        let ticks = self.last() + 1 - self.hop;
        let message = Message { from: Sender::Node(root), to: To::All, flits: 1 };
        let mut builder = ProgramBuilder::new(network, ticks, Demand::new(network, vec![message; self.words.len()]));
        let mut order = Vec::with_capacity(ways.len());
        for (node, ways) in network.node_ids().zip(&ways) {
            let mut partials = vec![Vec::new(); network.ports()];
            for port in network.linked_ports(node) {
                let mut sends: Vec<(u32, &NodeWay, &WordSend)> = (0..)
                    .zip(ways)
                    .flat_map(|(word, way)| way.sends.iter().map(move |send| (word, way, send)))
                    .filter(|(_, _, send)| send.port == port)
                    .collect();
                sends.sort_by_key(|(_, _, send)| send.tick);
                let mut runs = Vec::new();
                let mut done = 0;
                for (word, way, send) in sends {
                    runs.push(Run { source: Source::Idle, ticks: send.tick - 1 - done });
                    runs.push(Run { source: self.source(way, send), ticks: 1 });
                    done = send.tick;
                    if send.added.is_some() {
                        partials[port.index()].push(Some(Partial { node: root, packet: word }));
                    }
                }
                let track = builder.track(&runs, Source::Idle);
                builder.set(node, port, track);
            }
            order.push(partials);
        }
        let program = builder.finish(title);
        // nodes that send alike may do it for other words
        let (mut kinds, mut class_of) = (IndexSet::new(), ClassMap::with_capacity(ways.len()));
        for (ways, class) in ways.iter().zip(program.class_of.iter().copied()) {
            let results: Vec<Operands> = ways.iter().map(|way| way.result(ticks)).collect();
            class_of.push(ClassId(kinds.insert_full((class, results)).0 as u32));
        }
        let classes = kinds.iter().map(|(class, _)| program.classes[class.index()].clone()).collect();
        let results = kinds.into_iter().map(|(_, results)| results).collect();
        let order = PartialOrder { entries: Entries::Nodes(order), starts: false };
        let reduction = Reduction::of_words(Operation::Sum, ticks, order, results);
        Program { reduction: Some(Arc::new(Reduction { everywhere: true, ..reduction })), classes, class_of, ..program }
    }

    fn source(&self, way: &NodeWay, send: &WordSend) -> Source {
        let Some(added) = send.added else {
            let input = send.input.expect("what is forwarded comes by a port");
            return Source::input(input, self.hop);
        };
        let before = way.arrivals[..added].iter().map(|arrival| arrival.operand(send.tick));
        let same = send.input.map(|port| Operand { port, age: self.hop });
        Source::Sum { operands: Operands::of(before.chain(same)) }
    }
}

impl NodeWay {
    /// Operands that complete a node's own value after so many ticks.
    fn result(&self, ticks: u32) -> Operands {
        Operands::of(self.arrivals.iter().map(|arrival| arrival.operand(ticks + 1)))
    }
}

impl WordArrival {
    /// The arrival as it is read in a tick.
    fn operand(&self, tick: u32) -> Operand {
        Operand { port: self.port, age: tick - self.tick }
    }
}
