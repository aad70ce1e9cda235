//! The algorithm as the interpreters of MSCCL and RCCL read it: a thread block for each output and input of a node.
//!
//! The steps of a block are done in order, so that packets cross a link in the order of the schedule; what a step needs of
//! another block it names. Reductions are in place; all others take from the input buffer and fill the output buffer.

use std::collections::HashMap;

use super::dialect::{Dialect, MOST_CHANNELS, MOST_CHILDREN, MOST_COUNT, MOST_ELEMENTS};
use super::messages::{self, Message};
use super::places::{Chunk, Places};
use crate::design::support::{Unsupported, building};
use crate::net::{Channel, NodeId};
use crate::program::Program;

/// A step by its block and its number there, both of one node.
type StepId = (usize, usize);

#[derive(Clone, Copy)]
struct Step {
    kind: &'static str,
    from: Chunk,
    to: Chunk,
    count: u32,
    after: Option<StepId>,
    is_awaited: bool,
}

/// The blocks of all ranks, and who wrote what last.
struct Blocks<'p> {
    program: &'p Program,
    dialect: Dialect,
    places: Places<'p>,
    /// by rank and block: what the outputs send, what the inputs receive, what the rank copies
    steps: Vec<Vec<Vec<Step>>>,
    written: HashMap<(u32, u32), StepId>,
    /// latest step of another block that a block has waited for, by rank and the two blocks
    waited: HashMap<(u32, usize, usize), usize>,
}

/// The algorithm as XML, for one of its readers.
pub fn msccl(program: &Program, dialect: Dialect) -> Result<String, Unsupported> {
    let Some(collective) = dialect.spelling(program.collective()) else {
        let what = format!("{} has no collective {}", dialect.name(), program.collective());
        return Err(building::EXPORT_COLLECTIVE.refusal(what));
    };
    let mut blocks = Blocks::new(program, dialect)?;
    let messages = messages::of(program)?;
    blocks.copy_own();
    for message in messages {
        blocks.add(message);
    }
    blocks.fit()?;
    Ok(blocks.xml(collective))
}

impl<'p> Blocks<'p> {
    fn new(program: &'p Program, dialect: Dialect) -> Result<Self, Unsupported> {
        let places = Places::new(program)?;
        let blocks = || (0..=2 * program.outputs()).map(|_| Vec::new()).collect();
        let steps = places.nodes.iter().map(|_| blocks()).collect();
        Ok(Self { program, dialect, places, steps, written: HashMap::new(), waited: HashMap::new() })
    }

    fn copy_own(&mut self) {
        for rank in 0..self.steps.len() as u32 {
            let Some((from, to, count)) = self.places.copied(rank) else { continue };
            for done in (0..count).step_by(MOST_COUNT) {
                let (from, to) = (('i', from + done), ('o', to + done));
                let count = (count - done).min(MOST_COUNT as u32);
                let step = Step { kind: "cpy", from, to, count, after: None, is_awaited: false };
                self.steps[rank as usize][2 * self.program.outputs()].push(step);
            }
        }
    }

    fn add(&mut self, Message { from, by, to, packet, adds }: Message) {
        let (from, to) = (self.places.rank(from), self.places.rank(to));
        let after = self.await_written(from, packet);
        // from the input: the copy in the output may not be there yet
        let source = self.places.own(from, packet).unwrap_or_else(|| self.places.kept(from, packet));
        let target = self.places.kept(to, packet);
        let output = self.program.output_index(by);
        self.push(from, output, Step { kind: "s", from: source, to: target, count: 1, after, is_awaited: false });
        // sums of one chunk one after the other
        let after = if adds { self.await_written(to, packet) } else { None };
        let block = self.program.outputs() + self.program.output_index(by.opposite());
        let kind = if adds { "rrc" } else { "r" };
        let received = Step { kind, from: target, to: target, count: 1, after, is_awaited: false };
        let step = self.push(to, block, received);
        self.written.insert((to, packet), (block, step));
    }

    fn push(&mut self, rank: u32, block: usize, step: Step) -> usize {
        // steps of a block end in order, so a wait for an earlier one says nothing new
        let after = step.after.filter(|&(other, at)| {
            other != block && self.waited.get(&(rank, block, other)).is_none_or(|&before| before < at)
        });
        if let Some((other, at)) = after {
            self.waited.insert((rank, block, other), at);
        }
        let steps = &mut self.steps[rank as usize][block];
        steps.push(Step { after, ..step });
        steps.len() - 1
    }

    fn await_written(&mut self, rank: u32, packet: u32) -> Option<StepId> {
        let (block, step) = *self.written.get(&(rank, packet))?;
        self.steps[rank as usize][block][step].is_awaited = true;
        Some((block, step))
    }

    /// Fails if the reader has no room for as much.
    fn fit(&self) -> Result<(), Unsupported> {
        let ranks = self.steps.len();
        let used = |blocks: &Vec<Vec<Step>>| {
            blocks.iter().map(Vec::len).filter(|&steps| steps > 0).map(|steps| 1 + steps).sum()
        };
        let elements = 2 + ranks + self.steps.iter().map(used).max().unwrap_or(0);
        let steps = self.steps.iter().flatten().map(Vec::len).max().unwrap_or(0);
        let sizes = [
            (steps, self.dialect.steps(), "steps of a thread block"),
            (elements, MOST_ELEMENTS, "elements of a rank"),
            (ranks, MOST_CHILDREN, "ranks"),
            (self.program.outputs(), MOST_CHANNELS, "channels"),
        ];
        match sizes.into_iter().find(|(size, most, _)| size > most) {
            Some((size, most, what)) => {
                let problem = format!("{} takes at most {most} {what} (the schedule has {size})", self.dialect.name());
                Err(building::EXPORT_STEPS.refusal(problem))
            }
            None => Ok(()),
        }
    }

    fn xml(&self, collective: &str) -> String {
        let Self { program, places, .. } = self;
        let in_place = u8::from(places.is_in_place());
        let rest = match self.dialect {
            Dialect::Msccl => String::new(),
            Dialect::Rccl => format!(" outofplace=\"{}\" minBytes=\"0\" maxBytes=\"0\"", 1 - in_place),
        };
        let mut lines = vec![format!(
            "<algo name=\"{}\" proto=\"Simple\" nchannels=\"{}\" nchunksperloop=\"{}\" ngpus=\"{}\" coll=\"{collective}\" \
             inplace=\"{in_place}\"{rest}>",
            program.title.name,
            program.outputs(),
            places.loop_chunks(),
            places.nodes.len()
        )];
        for (rank, &node) in (0..).zip(&places.nodes) {
            let [inputs, outputs, scratch] = places.sizes(rank);
            lines.push(format!(
                "  <gpu id=\"{rank}\" i_chunks=\"{inputs}\" o_chunks=\"{outputs}\" s_chunks=\"{scratch}\">"
            ));
            self.of_rank(rank, node, &mut lines);
            lines.push("  </gpu>".to_owned());
        }
        lines.push("</algo>\n".to_owned());
        lines.join("\n")
    }

    fn of_rank(&self, rank: u32, node: NodeId, lines: &mut Vec<String>) {
        let Self { program, .. } = self;
        let outputs = program.outputs();
        let blocks = &self.steps[rank as usize];
        // blocks without steps have no number
        let mut numbers = Vec::new();
        for steps in blocks {
            let before = numbers.last().map_or(0, |&(number, is_used)| number + usize::from(is_used));
            numbers.push((before, !steps.is_empty()));
        }
        for (block, steps) in blocks.iter().enumerate().filter(|(_, steps)| !steps.is_empty()) {
            let beyond = |channel: Channel| {
                program.topology.step(node, channel.port).map_or(-1, |node| i64::from(self.places.rank(node)))
            };
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
            for (number, Step { kind, from, to, count, after, is_awaited }) in steps.iter().enumerate() {
                let ((from, at), (to, there)) = (from, to);
                let (block, step) = after.map_or((-1, -1), |(block, step)| (numbers[block].0 as i64, step as i64));
                lines.push(format!(
                    "      <step s=\"{number}\" type=\"{kind}\" srcbuf=\"{from}\" srcoff=\"{at}\" dstbuf=\"{to}\" dstoff=\"{there}\" \
                     cnt=\"{count}\" depid=\"{block}\" deps=\"{step}\" hasdep=\"{}\"/>",
                    u8::from(*is_awaited)
                ));
            }
            lines.push("    </tb>".to_owned());
        }
    }
}
