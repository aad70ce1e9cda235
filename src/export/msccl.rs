//! The algorithm as the interpreter of MSCCL reads it: a thread block for each output and input of a node.
//!
//! The steps of a block are done in order, so that packets cross a link in the order of the schedule; what a step needs of
//! another block it names. Gossip gathers from the input buffer into the output buffer; reductions are in place.

use std::collections::HashMap;

use super::messages::{self, Message};
use crate::design::support::{Unsupported, building};
use crate::net::{Channel, NodeId};
use crate::program::Program;

/// The most steps of a thread block, `MSCCL_MAX_NUM_STEPS`.
const MOST_STEPS: usize = 256;

/// A chunk: which buffer, which place in it.
type Chunk = (char, u32);

/// A step by its block and its number there, both of one node.
type StepId = (usize, usize);

#[derive(Clone, Copy)]
struct Step {
    kind: &'static str,
    from: Chunk,
    to: Chunk,
    after: Option<StepId>,
    is_awaited: bool,
}

/// The blocks of all nodes, and who wrote what last.
struct Blocks<'p> {
    program: &'p Program,
    /// by node and block: what the outputs send, what the inputs receive, what the node copies
    steps: Vec<Vec<Vec<Step>>>,
    written: HashMap<(NodeId, u32), StepId>,
}

/// The algorithm as XML.
pub fn msccl(program: &Program) -> Result<String, Unsupported> {
    let messages = messages::of(program)?;
    let mut blocks = Blocks::new(program);
    if program.reduction.is_none() {
        blocks.copy_own();
    }
    for message in messages {
        blocks.add(message);
    }
    let steps = blocks.steps.iter().flatten().map(Vec::len).max().unwrap_or(0);
    if steps > MOST_STEPS {
        let problem = format!("a thread block takes {steps} steps, and MSCCL takes at most {MOST_STEPS}");
        return Err(building::EXPORT_STEPS.refusal(problem));
    }
    Ok(blocks.xml())
}

impl<'p> Blocks<'p> {
    fn new(program: &'p Program) -> Self {
        let blocks = || (0..=2 * program.outputs()).map(|_| Vec::new()).collect();
        let steps = program.topology.node_ids().map(|_| blocks()).collect();
        Self { program, steps, written: HashMap::new() }
    }

    /// Buffer and index at which a node keeps a packet.
    fn chunk(&self, packet: u32) -> Chunk {
        (if self.program.reduction.is_some() { 'i' } else { 'o' }, packet)
    }

    fn copy_own(&mut self) {
        let packets = self.program.demand.most_packets();
        for (node, own) in self.program.topology.node_ids().flat_map(|node| (0..packets).map(move |own| (node, own))) {
            let to = self.chunk(node.0 * packets + own);
            let step = Step { kind: "cpy", from: ('i', own), to, after: None, is_awaited: false };
            self.steps[node.index()][2 * self.program.outputs()].push(step);
        }
    }

    fn add(&mut self, Message { from, by, to, packet, adds }: Message) {
        let packets = self.program.demand.most_packets();
        let chunk = self.chunk(packet);
        let after = self.await_written(from, packet);
        // before the node has copied its own
        let is_own = packet / packets == from.0 && self.program.reduction.is_none();
        let source = if is_own { ('i', packet % packets) } else { chunk };
        let output = self.program.output_index(by);
        self.push(from, output, Step { kind: "s", from: source, to: chunk, after, is_awaited: false });
        // sums of one chunk one after the other
        let after = if adds { self.await_written(to, packet) } else { None };
        let block = self.program.outputs() + self.program.output_index(by.opposite());
        let kind = if adds { "rrc" } else { "r" };
        let step = self.push(to, block, Step { kind, from: chunk, to: chunk, after, is_awaited: false });
        self.written.insert((to, packet), (block, step));
    }

    fn push(&mut self, node: NodeId, block: usize, step: Step) -> usize {
        let steps = &mut self.steps[node.index()][block];
        steps.push(Step { after: step.after.filter(|&(other, _)| other != block), ..step });
        steps.len() - 1
    }

    fn await_written(&mut self, node: NodeId, packet: u32) -> Option<StepId> {
        let (block, step) = *self.written.get(&(node, packet))?;
        self.steps[node.index()][block][step].is_awaited = true;
        Some((block, step))
    }

    fn xml(&self) -> String {
        let Self { program, .. } = self;
        let (nodes, packets) = (program.topology.nodes(), program.demand.most_packets());
        let (chunks, name) = (nodes * packets, &program.title.name);
        let (coll, in_place, inputs, outputs) = match program.collective() {
            "reduce-scatter" => ("reduce_scatter", 1, chunks, 0),
            "all-reduce" => ("allreduce", 1, chunks, 0),
            _ => ("allgather", 0, packets, chunks),
        };
        let channels = program.outputs();
        let mut lines = vec![format!(
            "<algo name=\"{name}\" proto=\"Simple\" nchannels=\"{channels}\" nchunksperloop=\"{chunks}\" ngpus=\"{nodes}\" \
             coll=\"{coll}\" inplace=\"{in_place}\">"
        )];
        for node in program.topology.node_ids() {
            lines
                .push(format!("  <gpu id=\"{}\" i_chunks=\"{inputs}\" o_chunks=\"{outputs}\" s_chunks=\"0\">", node.0));
            self.of_node(node, &mut lines);
            lines.push("  </gpu>".to_owned());
        }
        lines.push("</algo>\n".to_owned());
        lines.join("\n")
    }

    fn of_node(&self, node: NodeId, lines: &mut Vec<String>) {
        let Self { program, .. } = self;
        let outputs = program.outputs();
        let blocks = &self.steps[node.index()];
        // blocks without steps have no number
        let mut numbers = Vec::new();
        for steps in blocks {
            let before = numbers.last().map_or(0, |&(number, is_used)| number + usize::from(is_used));
            numbers.push((before, !steps.is_empty()));
        }
        for (block, steps) in blocks.iter().enumerate().filter(|(_, steps)| !steps.is_empty()) {
            let beyond =
                |channel: Channel| program.topology.step(node, channel.port).map_or(-1, |node| i64::from(node.0));
            // a channel for each output, so that two links to one neighbour are two connections
            let (send, recv, channel) = if block < outputs {
                (beyond(program.output(block)), -1, block)
            } else if block < 2 * outputs {
                let input = program.output(block - outputs);
                (-1, beyond(input), program.output_index(input.opposite()))
            } else {
                (-1, -1, 0)
            };
            let id = numbers[block].0;
            lines.push(format!("    <tb id=\"{id}\" send=\"{send}\" recv=\"{recv}\" chan=\"{channel}\">"));
            for (number, Step { kind, from, to, after, is_awaited }) in steps.iter().enumerate() {
                let ((from, at), (to, there)) = (from, to);
                let (block, step) = after.map_or((-1, -1), |(block, step)| (numbers[block].0 as i64, step as i64));
                lines.push(format!(
                    "      <step s=\"{number}\" type=\"{kind}\" srcbuf=\"{from}\" srcoff=\"{at}\" dstbuf=\"{to}\" dstoff=\"{there}\" \
                     cnt=\"1\" depid=\"{block}\" deps=\"{step}\" hasdep=\"{}\"/>",
                    u8::from(*is_awaited)
                ));
            }
            lines.push("    </tb>".to_owned());
        }
    }
}
