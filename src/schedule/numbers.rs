//! Messages of a file, and the numbers of their flits.

use super::ScheduleTask;
use super::error::ScheduleError;
use super::lines::{ScheduleLines, SendLine};
use super::messages::{MessageName, MessageNotation};
use crate::files::shown_beginning;
use crate::net::NodeId;
use crate::program::{Demand, Message, Sender, To};
use crate::task::Collective;

/// Messages of the largest exchange for which a file is read.
const MOST_MESSAGES: u64 = 1 << 24;

/// Numbers of the flits of messages.
pub(super) struct FlitNumbers<'a> {
    task: &'a ScheduleTask<'a>,
    notation: MessageNotation,
    demand: &'a Demand,
    lengths: Vec<u32>,
    /// by pair of nodes, flits of the messages before
    before: Vec<u32>,
}

/// Names of the messages of all lines.
pub(super) fn names(notation: MessageNotation, lines: &ScheduleLines) -> Result<Vec<MessageName>, ScheduleError> {
    let name = |line: &SendLine| {
        notation.parse(line.message).ok_or_else(|| {
            let problem = format!("`{}` is not a message", shown_beginning(line.message));
            ScheduleError::at(line.line, problem, format!("write {}", notation.example()))
        })
    };
    lines.sends.iter().map(name).collect()
}

/// Messages of a collective: packets of a node where all are of one length, else a message of one flit for each flit.
pub(super) fn demand(task: &ScheduleTask, packets: u16) -> Result<Demand, ScheduleError> {
    let ScheduleTask { topology, traffic, flits, .. } = *task;
    let root = traffic.root(topology);
    let between = |from: NodeId, to: NodeId, flits: u32| Message { from: Sender::Node(from), to: To::Node(to), flits };
    let each = |lengths: Vec<u32>, message: &dyn Fn(NodeId) -> Message| -> Vec<Message> {
        let of_node = |node: NodeId| std::iter::repeat_n(message(node), lengths[node.index()] as usize);
        topology.node_ids().flat_map(of_node).collect()
    };
    let messages = match traffic.woven() {
        Collective::Gossip | Collective::ReduceScatter | Collective::AllReduce => {
            vec![Message { from: Sender::Every, to: To::All, flits }; packets.into()]
        }
        Collective::Broadcast | Collective::Reduce => {
            vec![Message { from: Sender::Node(root), to: To::All, flits: 1 }; traffic.flits as usize]
        }
        Collective::Scatter | Collective::Gather | Collective::Exchange if flits_of(task) > MOST_MESSAGES => {
            let problem = format!(
                "{} flits of all messages are more than the {MOST_MESSAGES} that a file is read for",
                flits_of(task)
            );
            return Err(ScheduleError::whole(problem, "choose a smaller network, or shorter messages"));
        }
        Collective::Scatter => each(traffic.lengths(topology), &|to| between(root, to, 1)),
        Collective::Gather => each(traffic.lengths(topology), &|from| between(from, root, 1)),
        Collective::Exchange => traffic.pairs.as_ref().map_or_else(
            || {
                let others = |from| topology.live_ids().filter(move |&to| to != from);
                topology.live_ids().flat_map(|from| others(from).map(move |to| between(from, to, flits))).collect()
            },
            |pairs| pairs.messages(),
        ),
    };
    let demand = Demand::new(topology, messages);
    if demand.most_packets() > u16::MAX.into() {
        let problem = format!(
            "a node sends {} flits of its own, more than the {} that are numbered",
            demand.most_packets(),
            u16::MAX
        );
        return Err(ScheduleError::whole(problem, "choose shorter messages, or fewer nodes"));
    }
    if demand.flits() >= u64::from(u32::MAX) {
        let problem = format!("{} flits of all nodes are more than can be numbered", demand.flits());
        return Err(ScheduleError::whole(problem, "choose a smaller network, or shorter packets"));
    }
    Ok(demand)
}

/// Flits of all messages between two nodes.
fn flits_of(task: &ScheduleTask) -> u64 {
    let ScheduleTask { topology, traffic, flits, .. } = *task;
    let live = u64::from(topology.live_nodes());
    match (&traffic.pairs, traffic.collective) {
        (Some(pairs), _) => pairs.total(),
        (None, Collective::Exchange) => live * (live - 1) * u64::from(flits),
        (None, _) => traffic.lengths(topology).iter().map(|&flits| u64::from(flits)).sum(),
    }
}

impl<'a> FlitNumbers<'a> {
    pub(super) fn new(task: &'a ScheduleTask<'a>, notation: MessageNotation, demand: &'a Demand) -> Self {
        let ScheduleTask { topology, traffic, .. } = *task;
        let lengths = if traffic.collective.has_lengths() { traffic.lengths(topology) } else { Vec::new() };
        let running = |lengths: &[u32]| -> Vec<u32> {
            let begun = lengths.iter().scan(0, |end, &length| Some(std::mem::replace(end, *end + length)));
            begun.collect()
        };
        let before = match &traffic.pairs {
            Some(pairs) => topology.node_ids().flat_map(|from| running(pairs.sent(from))).collect(),
            None if notation == MessageNotation::Receiver => running(&lengths),
            None => Vec::new(),
        };
        Self { task, notation, demand, lengths, before }
    }

    /// Number of a message's first flit, and its length; or what is wrong with the message.
    pub(super) fn flits(&self, name: MessageName) -> Result<(u32, u32), String> {
        let ScheduleTask { topology, traffic, flits, .. } = *self.task;
        let root = traffic.root(topology);
        let MessageName { first, second } = name;
        let nodes = match self.notation {
            MessageNotation::Pair => [first, second],
            _ => [first, first],
        };
        if let Some(node) = nodes.into_iter().find(|&node| node >= topology.nodes() || !topology.is_live(NodeId(node)))
        {
            return Err(format!("there is no node {node}"));
        }
        let (from, other) = (NodeId(first), NodeId(second));
        let start = |node: NodeId, packet: u32| self.demand.flits_of_packet(node, packet).start as u32;
        let (at, length) = match traffic.woven() {
            Collective::Gossip | Collective::ReduceScatter | Collective::AllReduce => (start(from, second), flits),
            Collective::Broadcast | Collective::Reduce if from != root => {
                return Err(format!("the root is node {}", root.0));
            }
            Collective::Broadcast | Collective::Reduce => (start(from, 0), traffic.flits),
            Collective::Scatter | Collective::Gather if from == root => {
                return Err("the root has none for itself".into());
            }
            Collective::Scatter => (self.before[from.index()], self.lengths[from.index()]),
            Collective::Gather => (self.demand.flits_of(from).start as u32, self.lengths[from.index()]),
            Collective::Exchange if from == other => return Err("a node has none for itself".into()),
            Collective::Exchange => {
                if let Some(pairs) = &traffic.pairs {
                    let before = self.before[from.index() * topology.nodes() as usize + other.index()];
                    (self.demand.flits_of(from).start as u32 + before, pairs.flits(from, other))
                } else {
                    let (rank, own) = (topology.rank(other), topology.rank(from));
                    (start(from, (rank - usize::from(rank > own)) as u32), flits)
                }
            }
        };
        if length == 0 { Err("it has no flits".into()) } else { Ok((at, length)) }
    }
}
