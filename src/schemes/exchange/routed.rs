//! `routed`: total exchange on any connected network, message by message; or flit by flit, if messages have lengths.

use super::graph::Graph;
use super::routes::RoutedMessage;
use super::{listed, routes, track};
use crate::net::{Network, NodeId, Port};
use crate::program::{Class, ClassNumbers, Demand, Link, Message, Pairs, Program, Sender, Source, Title, To};
use crate::study::bounds::{self, Goal};
use crate::task::{About, Claim, Collective, ConstructError, Scheme, Task, Unmet, Woven};

/// Messages that each have a way, and wait at nodes for their links.
#[derive(Clone, Copy, Debug)]
pub struct Routed;

/// Messages of all nodes: a file lists each.
const MOST_MESSAGES: u64 = 1 << 19;
/// Messages that are routed once more, each node on its own.
const MOST_AGAIN: u64 = 1 << 13;
/// Nodes times messages of all representatives: to route more takes minutes.
const MOST_WORK: u64 = 1 << 25;

impl Scheme for Routed {
    fn about(&self) -> About {
        About {
            name: "routed",
            summary: "Total exchange on any network: dimension order or shortest ways, then the message with most hops to go first",
            theorem: "list scheduling of hops; no paper's",
            condition: "any connected network of moderate size",
            packets: "P - 1",
            preference: 20,
        }
    }

    fn collectives(&self) -> &'static [Collective] {
        &[Collective::Exchange]
    }

    fn takes(&self, _network: &Network) -> bool {
        true
    }

    fn stands_in(&self) -> bool {
        true
    }

    fn applies(&self, task: &Task) -> Result<(), Unmet> {
        let network = task.topology;
        let live = u64::from(network.live_nodes());
        if let Some(pairs) = &task.choice.traffic.pairs {
            let flits = pairs.total();
            // packets of a node have numbers of 16 bits
            if sent_by_one(task.topology, pairs) > u16::MAX.into() {
                return Err(Unmet { needs: "shorter messages: at most 65535 flits from each node" });
            }
            // nodes that send and receive alike are routed as one
            let is_alike = pairs.are_translated(network);
            let routed = if is_alike { flits * network.orbit_count() / live } else { flits };
            let is_much =
                flits > MOST_MESSAGES || live * routed > MOST_WORK || !is_alike && live * live > MOST_MESSAGES;
            let needs =
                "shorter messages: at most 2^19 flits; and 2^25 flits times nodes, and 724 nodes, if nodes differ";
            return if is_much { Err(Unmet { needs }) } else { Ok(()) };
        }
        let is_long = || network.as_product().is_none() && network.orbit_count() * live * live > MOST_WORK;
        if live * live > MOST_MESSAGES || is_long() {
            return Err(Unmet { needs: "fewer messages: at most 724 nodes, or 322 if some parts are dead" });
        }
        Ok(())
    }

    fn packets(&self, task: &Task) -> u16 {
        if let Some(pairs) = &task.choice.traffic.pairs {
            return sent_by_one(task.topology, pairs).min(u16::MAX.into()) as u16;
        }
        (task.topology.live_nodes() - 1).min(u16::MAX.into()) as u16
    }

    fn weave(&self, task: &Task, title: Title) -> Result<Woven, ConstructError> {
        let pairs = task.choice.traffic.pairs.as_deref();
        Ok(Woven { program: program(task.topology, pairs, task.link.latency, title), cover: None })
    }

    fn claim(&self, _task: &Task) -> Option<Claim> {
        None
    }

    fn awaits_arrivals(&self, _task: &Task) -> bool {
        true
    }
}

/// Most flits that one node sends.
fn sent_by_one(network: &Network, pairs: &Pairs) -> u64 {
    let of_node = |node| pairs.sent(node).iter().map(|&flits| u64::from(flits)).sum::<u64>();
    network.live_ids().map(of_node).max().unwrap_or(0)
}

fn program(network: &Network, pairs: Option<&Pairs>, latency: u32, title: Title) -> Program {
    let is_alike = pairs.is_none_or(|pairs| pairs.are_translated(network));
    let goal = match pairs {
        Some(pairs) => Goal::Pairs(pairs),
        None => Goal::Exchange { flits: 1 },
    };
    let least = bounds::lower_bound(network, Link::default(), goal).ticks;
    let schedule = |graph: Graph| {
        let messages = routes::messages(network, &graph, pairs, least);
        let (when, ticks) = listed::schedule(&graph, &messages, latency, least as u32);
        (graph, messages, when, ticks)
    };
    let live = u64::from(network.live_nodes());
    let one_by_one = || schedule(Graph::by_node(network));
    let (graph, messages, when, ticks) = if is_alike {
        let found = schedule(Graph::new(network));
        // nodes that look alike need not send alike, if that is faster
        let may_be_faster = u64::from(found.3) > least && found.0.first.len() as u64 != live;
        let is_short = live * live <= MOST_AGAIN && latency == 1;
        let again = (may_be_faster && is_short).then(one_by_one);
        again.filter(|again| again.3 < found.3).unwrap_or(found)
    } else {
        one_by_one()
    };
    let (messages, when) = if pairs.is_some() { in_order(messages, when) } else { by_output(messages, when) };
    let mut sources = vec![vec![Source::Idle; ticks as usize]; graph.links()];
    let mut packets = vec![0; graph.first.len()];
    for (message, when) in messages.iter().zip(&when) {
        let (mut node, mut before) = (message.from, None);
        let packet = &mut packets[graph.orbit(message.from)];
        for (&port, &tick) in message.way.iter().zip(when) {
            let source = match before {
                None => Source::own(*packet),
                Some((port, sent)) => Source::input(Port::from_index(port).opposite(), tick - sent),
            };
            sources[graph.link(node, port.into())][tick as usize - 1] = source;
            before = Some((usize::from(port), tick));
            node = graph.step(node, port.into()).expect("a way keeps to links");
        }
        *packet += 1;
    }
    let kinds: Vec<Class> = sources
        .chunks(graph.ports)
        .map(|outputs| Class { outputs: outputs.iter().map(|sources| track(sources)).collect() })
        .collect();
    let demand = demand(network, &messages, &graph);
    let mut classes = ClassNumbers::default();
    // a dead node has no orbit, and gets its class below
    let kind = |node| if network.is_live(node) { graph.orbit(node) } else { 0 };
    network.node_ids().for_each(|node| classes.push(&kinds[kind(node)]));
    let (classes, class_of) = classes.finish();
    let classes: Vec<Class> = classes.into_iter().cloned().collect();
    let program = Program::uniform(network, ticks, demand, classes[0].outputs.clone(), title);
    Program { classes, class_of, ..program }.with_dead_class()
}

/// Messages with their ways, and ticks of their hops.
type Scheduled = (Vec<RoutedMessage>, Vec<Vec<u32>>);

/// Numbers the messages of a node so that each output sends them in the order of their numbers.
fn by_output(messages: Vec<RoutedMessage>, when: Vec<Vec<u32>>) -> Scheduled {
    let mut scheduled: Vec<_> = messages.into_iter().zip(when).collect();
    scheduled.sort_by_key(|(message, when)| (message.from, message.way[0], when[0]));
    scheduled.into_iter().unzip()
}

/// Numbers the flits between two nodes, which stand one after the other, in the order in which they arrive: which of them takes
/// which way makes no difference.
fn in_order(messages: Vec<RoutedMessage>, when: Vec<Vec<u32>>) -> Scheduled {
    let mut flits: Vec<_> = messages.into_iter().zip(when).collect();
    let arrival = |(message, when): &(RoutedMessage, Vec<u32>)| {
        // order of ports decides between two in one tick
        let port = message.way.last().map(|&port| Port::from_index(port.into()).opposite().index());
        (when.last().copied(), port)
    };
    for pair in flits.chunk_by_mut(|(one, _), (other, _)| (one.from, one.to) == (other.from, other.to)) {
        pair.sort_by_key(arrival);
    }
    flits.into_iter().unzip()
}

/// Every node's messages in the order of those of the first node of its kind.
fn demand(network: &Network, messages: &[RoutedMessage], graph: &Graph) -> Demand {
    let mut of_kind: Vec<Vec<NodeId>> = vec![Vec::new(); graph.first.len()];
    for message in messages {
        of_kind[graph.orbit(message.from)].push(message.to);
    }
    let orbits = (graph.first.len() as u64 != u64::from(network.live_nodes())).then(|| network.orbits());
    let all = network.live_ids().flat_map(|node| {
        // a translation takes the first node of a kind to the others
        let by = orbits.as_ref().map(|orbits| orbits.by(node));
        let to = of_kind[graph.orbit(node)].iter();
        let to = to.map(move |&to| by.map_or(to, |by| network.translated(to, by)));
        to.map(move |to| Message { from: Sender::Node(node), to: To::Node(to), flits: 1 })
    });
    Demand::new(network, all.collect())
}
