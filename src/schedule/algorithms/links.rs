//! Outputs by which ranks send: channels between two ranks are links between two nodes.

use std::collections::{BTreeSet, HashMap};

use super::refused;
use crate::algorithm::{ChunkTransfer, JudgedAlgorithm};
use crate::net::{Channel, NodeId};
use crate::schedule::ScheduleTask;
use crate::schedule::error::ScheduleError;

/// Connections of an algorithm: sender, receiver, and channel.
pub(super) struct Connections {
    /// by connection, registers of the outputs by which it may send
    pub outputs: Vec<Vec<u32>>,
    numbers: HashMap<(usize, usize, usize), u32>,
}

impl Connections {
    /// Finds a link for each connection.
    pub fn of(task: &ScheduleTask, judged: &JudgedAlgorithm, nodes: &[NodeId]) -> Result<Self, ScheduleError> {
        let mut channels: HashMap<(usize, usize), BTreeSet<usize>> = HashMap::new();
        for transfer in &judged.record.transfers {
            let known = channels.entry((transfer.from, transfer.to)).or_default();
            if known.is_empty() && linked(task, nodes, transfer).is_empty() {
                return Err(no_link(task, nodes, transfer));
            }
            known.insert(transfer.channel);
        }
        let mut connections = Self { outputs: Vec::new(), numbers: HashMap::new() };
        for transfer in &judged.record.transfers {
            let ChunkTransfer { from, to, channel, .. } = *transfer;
            if connections.numbers.contains_key(&(from, to, channel)) {
                continue;
            }
            let linked = linked(task, nodes, transfer);
            let outputs = task.topology.ports() * usize::from(task.link.lanes);
            let first = nodes[from].0 * outputs as u32;
            let known = &channels[&(from, to)];
            // channels are numbers of outputs, as we write them; or one for each link; or they say nothing
            let is_output = |&channel: &usize| channel < outputs && linked.contains(&(first + channel as u32));
            let chosen = if judged.channels.is_some_and(|count| count > 1) && known.iter().all(is_output) {
                vec![first + channel as u32]
            } else if known.len() == linked.len() {
                let number = known.iter().position(|&known| known == channel).unwrap_or(0);
                vec![linked[number]]
            } else {
                linked
            };
            connections.numbers.insert((from, to, channel), connections.outputs.len() as u32);
            connections.outputs.push(chosen);
        }
        Ok(connections)
    }

    /// Number of the connection of a transfer.
    pub fn number(&self, transfer: &ChunkTransfer) -> u32 {
        self.numbers[&(transfer.from, transfer.to, transfer.channel)]
    }
}

/// Registers of the outputs of a sender that lead to the receiver.
fn linked(task: &ScheduleTask, nodes: &[NodeId], transfer: &ChunkTransfer) -> Vec<u32> {
    let (from, to) = (nodes[transfer.from], nodes[transfer.to]);
    let (ports, lanes) = (task.topology.ports(), usize::from(task.link.lanes));
    let leads = |&output: &usize| {
        task.topology.step(from, Channel::from_index(output, task.link.lanes).port).is_some_and(|there| there == to)
    };
    (0..ports * lanes).filter(leads).map(|output| (from.index() * ports * lanes + output) as u32).collect()
}

fn no_link(task: &ScheduleTask, nodes: &[NodeId], transfer: &ChunkTransfer) -> ScheduleError {
    let (from, to) = (nodes[transfer.from], nodes[transfer.to]);
    let shown = |rank: usize, node: NodeId| format!("rank {rank} (node {} at {})", node.0, task.topology.show(node));
    let problem = format!(
        "{} sends to {}, and there is no link between them",
        shown(transfer.from, from),
        shown(transfer.to, to)
    );
    let rank = |node: NodeId| nodes.binary_search(&node).unwrap_or_default();
    let mut near: Vec<usize> = task
        .topology
        .linked_ports(from)
        .filter_map(|port| task.topology.step(from, port))
        .filter(|&there| there != from)
        .map(rank)
        .collect();
    near.sort_unstable();
    near.dedup();
    let near: Vec<String> = near.iter().map(usize::to_string).collect();
    let help = format!("send it by way of other ranks: rank {} has links to {}", transfer.from, near.join(", "));
    refused(transfer.step, problem, help)
}
