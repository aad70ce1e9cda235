//! Messages over links and their dependencies, read off a program.

use std::collections::HashSet;

use crate::design::support::{Unsupported, building};
use crate::net::{Channel, NodeId};
use crate::play::Machine;
use crate::program::{Program, Reduction, Source};

/// A gossip or a reduction of more has files of gigabytes; each takes some two kilobytes on the way.
const MOST_MESSAGES: u64 = 1 << 21;

/// One packet over one link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct LinkMessage {
    pub from: NodeId,
    /// by which output of the sender
    pub by: Channel,
    pub to: NodeId,
    /// by its number, node after node; of collectives other than gossip and reductions a flit
    pub packet: u32,
    /// true if the packet is combined with the receiver's value; otherwise it replaces that value
    pub adds: bool,
}

/// All messages in the order in which they are sent. What arrives where it is known already is left out.
pub(super) fn of(program: &Program) -> Result<Vec<LinkMessage>, Unsupported> {
    if program.demand.groups().is_some() {
        return Err(building::EXPORT_COLLECTIVE.refusal("groups of nodes have the collective each for itself"));
    }
    // every packet arrives at every node but its own, or its partials leave them
    let is_whole = program.reduction.is_some() || program.demand.is_gossip();
    let items = if is_whole { program.demand.packets() } else { program.demand.flits() };
    let messages = u64::from(program.topology.nodes() - 1).saturating_mul(items);
    if messages > MOST_MESSAGES {
        let problem = format!("{messages} packets over links are more than the {MOST_MESSAGES} that are exported");
        return Err(building::EXPORT_MESSAGES.refusal(problem));
    }
    let whole = |part: &Program| {
        part.unstretched().ok_or_else(|| {
            building::EXPORT_TORN.refusal(format!("scheme {} does not send whole packets", program.title.scheme))
        })
    };
    let Some(reduce) = program.reduce_part() else {
        // messages of other collectives differ in length: each of their flits is sent on its own
        return Ok(if program.demand.is_gossip() { gathered(&whole(program)?) } else { gathered(program) });
    };
    if program.combines_everywhere() {
        let problem = format!("scheme {} combines all values at every node", program.title.scheme);
        let help = "leave `scheme` out, or `count`: the blocks of a longer vector are each combined once";
        return Err(building::EXPORT_TWICE.refusal_with(problem, help));
    }
    let reduce = whole(&reduce)?;
    let reduction = reduce.reduction.as_deref().expect("it is the part that combines");
    let mut messages = reduced(&reduce, reduction)?;
    if let Some(gather) = program.gather_part() {
        messages.extend(gathered(&whole(&gather)?));
    }
    Ok(messages)
}

/// Lists the messages of a collective without reduction.
fn gathered(program: &Program) -> Vec<LinkMessage> {
    let Program { topology, demand, .. } = program;
    let mut messages = Vec::new();
    let own = |node| demand.flits_of(node).map(move |packet| (node, packet as u32));
    let mut known: HashSet<(NodeId, u32)> = topology.node_ids().flat_map(own).collect();
    let mut machine = Machine::new(program);
    while !machine.is_done() {
        machine.step();
        for (to, input, flit) in machine.arrivals() {
            if known.insert((to, flit.0)) {
                let from = topology.step(to, input.port).expect("what arrives comes over a link");
                messages.push(LinkMessage { from, by: input.opposite(), to, packet: flit.0, adds: false });
            }
        }
    }
    messages
}

/// Lists the messages of a reduction in which every node sends each partial once.
fn reduced(program: &Program, reduction: &Reduction) -> Result<Vec<LinkMessage>, Unsupported> {
    let Program { topology, demand, class_of, .. } = program;
    let tracks = program.classes.iter().flat_map(|class| &class.outputs);
    let sources: Vec<Vec<Source>> = tracks.map(|track| track.sources(program.ticks).collect()).collect();
    let mut sent: Vec<Vec<Option<u32>>> = Vec::with_capacity(program.ticks as usize);
    let mut entries = vec![0; program.registers()];
    let (mut messages, mut all) = (Vec::new(), HashSet::new());
    for tick in 1..=program.ticks {
        let mut now = vec![None; program.registers()];
        for (from, port) in topology.node_ids().flat_map(|node| topology.port_ids().map(move |port| (node, port))) {
            let class = class_of[from.index()].index();
            let source = sources[class * topology.ports() + port.index()][tick as usize - 1];
            let Source::Sum { operands } = source else { continue };
            let arrived = operands.iter().find_map(|operand| {
                let then = tick.checked_sub(operand.age).filter(|&then| then > 0)?;
                sent[then as usize - 1][topology.arriving(from, operand.port)?]
            });
            let register = topology.register(from, port);
            if arrived.is_none() || !reduction.order.starts {
                entries[register] += 1;
            }
            let entry = || reduction.order.entry(topology, from, port.index(), entries[register] - 1).flatten();
            let packet = arrived.or_else(|| entry().map(|entry| demand.packet(entry.node, entry.packet) as u32));
            now[register] = packet;
            let (Some(packet), Some(to)) = (packet, topology.step(from, port)) else { continue };
            if !all.insert((from, packet)) {
                return Err(building::EXPORT_TWICE.refusal("nodes combine some values twice, which others do not do"));
            }
            messages.push(LinkMessage { from, by: Channel::first(port), to, packet, adds: true });
        }
        sent.push(now);
    }
    Ok(messages)
}
