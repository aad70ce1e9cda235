//! Partials that leave in a tick, output by output, at all nodes of a class at once.

use super::{ReduceExecution, fill_with, unite};
use crate::check::Violation;
use crate::check::receive::NOTHING;
use crate::net::{NodeId, Port};
use crate::program::{Away, Entries, Operand, Operands, Partial, Program, Source};

/// Room for what is found in a tick.
#[derive(Default)]
pub(super) struct SendScratch {
    /// by node, what it sends or receives
    pub counts: Vec<u8>,
    /// nodes, places among what is looked at there, and what is wrong
    pub wrong: Vec<(u32, usize, Violation)>,
    /// flits that meet in an output, for each node of a class
    arrived: Vec<u32>,
    /// the nodes so far away from each node, and the output and the entry of its order that this is of
    away: Vec<u32>,
    away_of: Option<(usize, usize)>,
    set: Vec<u64>,
}

/// An output of all nodes of a class.
#[derive(Clone, Copy)]
struct ClassOutput<'a> {
    nodes: &'a [u32],
    port: Port,
    operands: Operands,
    tick: u32,
}

impl ReduceExecution<'_> {
    /// An output of a class sends what arrived together with the own values.
    pub(super) fn send(&mut self, class: usize, port: Port, tick: u32) {
        let program = self.program;
        let at = class * program.topology.ports() + port.index();
        let operands = match self.sources[at][tick as usize - 1] {
            Source::Sum { operands } => operands,
            Source::In { port: input, age, .. } => {
                return self.forward(class, port, Operand { port: input, age }, tick);
            }
            _ => return,
        };
        let nodes = std::mem::take(&mut self.members[class]);
        let output = ClassOutput { nodes: &nodes, port, operands, tick };
        let mut is_fine = self.meet(output);
        let flit = self.sums[at] % program.flits;
        self.sums[at] += 1;
        if flit == 0 {
            self.name(output);
        }
        is_fine &= self.leave(output, flit);
        if !is_fine || self.words > 0 {
            for &node in &nodes {
                self.examine(NodeId(node), output, flit);
            }
        }
        self.members[class] = nodes;
    }

    /// An output of a class sends on what arrived, as it is.
    fn forward(&mut self, class: usize, port: Port, input: Operand, tick: u32) {
        let Self { nodes, words, .. } = *self;
        let Some(then) = tick.checked_sub(input.age) else { return };
        let slots = self.inboxes.len();
        let to = (tick + self.program.reduce_latency() - 1) as usize % slots;
        let mut is_any = false;
        for &node in &self.members[class] {
            let from = input.port.index() * nodes + node as usize;
            let inbox = &self.inboxes[then as usize % slots];
            let flit = inbox.flits[from];
            if flit == NOTHING {
                continue;
            }
            is_any = true;
            let set = inbox.sets[from * words..][..words].to_vec();
            // a well-formed program sends nothing out of the grid
            let there =
                port.opposite().index() * nodes + self.neighbours[port.index() * nodes + node as usize] as usize;
            self.inboxes[to].flits[there] = flit;
            self.inboxes[to].sets[there * words..][..words].copy_from_slice(&set);
            self.carried[there] += 1;
            self.scratch.counts[node as usize] += 1;
        }
        if is_any && input.age > 1 {
            self.traffic.held = self.traffic.held.max(input.age);
        }
    }

    /// Notes the flits that meet; false if some differ, or one is missing where an order leaves no gaps.
    fn meet(&mut self, ClassOutput { nodes, operands, tick, .. }: ClassOutput<'_>) -> bool {
        let slots = self.inboxes.len();
        let arrived = &mut self.scratch.arrived;
        arrived.clear();
        arrived.resize(nodes.len(), NOTHING);
        let (mut is_mixed, mut is_missing) = (false, false);
        for operand in operands.iter() {
            // nothing has arrived in the slots of ticks before the first
            let Some(then) = tick.checked_sub(operand.age) else { continue };
            let inbox = &mut self.inboxes[then as usize % slots];
            let port = operand.port.index() * self.nodes..(operand.port.index() + 1) * self.nodes;
            let (flits, uses) = (&inbox.flits[port.clone()], &mut inbox.uses[port]);
            let mut is_any = false;
            for (met, &node) in arrived.iter_mut().zip(nodes) {
                let flit = flits[node as usize];
                let (is_here, was_met) = (flit != NOTHING, *met != NOTHING);
                uses[node as usize] = uses[node as usize].saturating_add(u8::from(is_here));
                is_mixed |= is_here && was_met && flit != *met;
                is_missing |= !is_here;
                is_any |= is_here;
                *met = if is_here { flit } else { *met };
            }
            if is_any && operand.age > 1 {
                self.traffic.held = self.traffic.held.max(operand.age);
            }
        }
        !(is_mixed || is_missing && self.reduction.arithmetic().is_ordered())
    }

    /// Finds the packets whose partials begin to leave.
    fn name(&mut self, ClassOutput { nodes, port, .. }: ClassOutput<'_>) {
        let Self { program, reduction, nodes: all, .. } = *self;
        let of_port = port.index() * all..(port.index() + 1) * all;
        let (packets, entries) = (&mut self.packets[of_port.clone()], &mut self.entries[of_port]);
        let packet_of = |Partial { node, packet }: Partial| program.demand.packet(node, packet) as u32;
        match &reduction.order.entries {
            // every node is at the same entry
            Entries::Offsets(lists) if !reduction.order.starts => {
                let place = nodes.first().map_or(0, |&node| entries[node as usize] as usize);
                let entry = lists.get(port.index()).and_then(|list| list.get(place)?.as_ref());
                if let Some(Away { offset, .. }) = entry
                    && self.scratch.away_of != Some((port.index(), place))
                {
                    program.topology.away_from_all(offset, &mut self.scratch.away);
                    self.scratch.away_of = Some((port.index(), place));
                }
                for &node in nodes {
                    entries[node as usize] += 1;
                    let partial = entry
                        .map(|Away { packet, .. }| (NodeId(self.scratch.away[node as usize]), *packet))
                        .map(|(node, packet)| Partial { node, packet });
                    packets[node as usize] =
                        partial.filter(|&partial| exists(program, partial)).map_or(NOTHING, packet_of);
                }
            }
            _ => {
                for (&node, &arrived) in nodes.iter().zip(&self.scratch.arrived) {
                    let packet = &mut packets[node as usize];
                    if arrived != NOTHING && reduction.order.starts {
                        *packet = arrived / program.flits;
                        continue;
                    }
                    let place = &mut entries[node as usize];
                    let entry =
                        reduction.order.entry(&program.topology, NodeId(node), port.index(), *place as usize).flatten();
                    *place += 1;
                    *packet = entry.filter(|&entry| exists(program, entry)).map_or(NOTHING, packet_of);
                }
            }
        }
        for &node in nodes {
            let packet = packets[node as usize];
            if packet != NOTHING {
                self.sent.note(NodeId(node), packet);
            }
        }
    }

    /// Partials go to the neighbours; false if one is another than what arrived.
    fn leave(&mut self, ClassOutput { nodes, port, tick, .. }: ClassOutput<'_>, flit: u32) -> bool {
        let (all, flits, slots) = (self.nodes, self.program.flits, self.inboxes.len());
        let inbox = &mut self.inboxes[(tick + self.program.reduce_latency() - 1) as usize % slots];
        let (here, there) = (port.index() * all, port.opposite().index() * all);
        let neighbours = &self.neighbours[here..here + all];
        let (inbox, carried) = (&mut inbox.flits[there..there + all], &mut self.carried[there..there + all]);
        let mut is_fine = true;
        for (&node, &arrived) in nodes.iter().zip(&self.scratch.arrived) {
            let packet = self.packets[here + node as usize];
            let sends = if packet == NOTHING { NOTHING } else { packet * flits + flit };
            is_fine &= arrived == NOTHING || arrived == sends;
            if sends != NOTHING {
                // a well-formed program sends nothing out of the grid
                let to = neighbours[node as usize] as usize;
                inbox[to] = sends;
                carried[to] += 1;
                self.scratch.counts[node as usize] += 1;
            }
        }
        is_fine
    }

    /// Looks at one node's output: whose values leave, and what is wrong with them.
    fn examine(&mut self, node: NodeId, ClassOutput { port, operands, tick, .. }: ClassOutput<'_>, flit: u32) {
        let Self { program, reduction, nodes, words, .. } = *self;
        let coords = || (program.topology.coords(node), port.to_string());
        let at = port.index();
        let set = &mut self.scratch.set;
        set.clear();
        set.resize(words, 0);
        fill_with(set, node);
        let slots = self.inboxes.len();
        let (mut arrived, mut is_mixed, mut twice) = (None, false, false);
        for operand in operands.iter() {
            let Some(then) = tick.checked_sub(operand.age) else { continue };
            let (inbox, from) = (&self.inboxes[then as usize % slots], operand.port.index() * nodes + node.index());
            let flit = inbox.flits[from];
            if flit == NOTHING {
                // an order leaves no gaps
                if reduction.arithmetic().is_ordered() {
                    let (coords, port) = (program.topology.coords(node), operand.port.to_string());
                    self.scratch.wrong.push((node.0, at, Violation::Absent { node: coords, port, tick }));
                }
                continue;
            }
            is_mixed |= arrived.is_some_and(|arrived| arrived != flit);
            arrived = Some(flit);
            twice |= unite(set, &inbox.sets[from * words..][..words]);
        }
        let packet = self.packets[at * nodes + node.index()];
        let sends = (packet != NOTHING).then(|| packet * program.flits + flit);
        if is_mixed || arrived.is_some_and(|arrived| sends != Some(arrived)) {
            let (coords, port) = coords();
            self.scratch.wrong.push((node.0, at, Violation::Mixed { node: coords, port, tick }));
        } else if twice && !reduction.operation.is_idempotent() {
            let (coords, port) = coords();
            self.scratch.wrong.push((node.0, at, Violation::Twice { node: coords, port, tick }));
        }
        if sends.is_some() && words > 0 {
            let to = port.opposite().index() * nodes + self.neighbours[at * nodes + node.index()] as usize;
            let inbox = &mut self.inboxes[(tick + program.reduce_latency() - 1) as usize % slots];
            inbox.sets[to * words..][..words].copy_from_slice(set);
        }
    }
}

fn exists(program: &Program, Partial { node, packet }: Partial) -> bool {
    node.0 < program.topology.nodes() && packet < program.demand.packets_of(node)
}
