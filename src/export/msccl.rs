//! The algorithm as the interpreters of MSCCL and RCCL read it, in XML.

use super::blocks::{BlockStep, RankBlocks, StepKind};
use crate::algorithm::{Dialect, MOST_CHANNELS, MOST_CHILDREN, MOST_COUNT, MOST_ELEMENTS};
use crate::design::support::{Unsupported, building};
use crate::net::NodeId;
use crate::program::Program;

/// The algorithm as XML, for one of its readers.
pub fn msccl(program: &Program, dialect: Dialect) -> Result<String, Unsupported> {
    let Some(collective) = dialect.spelling(program.collective()) else {
        let what = format!("{} has no collective {}", dialect.name(), program.collective());
        return Err(building::EXPORT_COLLECTIVE.refusal(what));
    };
    let blocks = RankBlocks::new(program, MOST_COUNT as u32)?;
    fit(&blocks, dialect)?;
    Ok(xml(&blocks, dialect, collective))
}

/// Fails if the reader has no room for as much.
fn fit(blocks: &RankBlocks, dialect: Dialect) -> Result<(), Unsupported> {
    let ranks = blocks.steps.len();
    let used = |blocks: &Vec<Vec<BlockStep>>| {
        blocks.iter().map(Vec::len).filter(|&steps| steps > 0).map(|steps| 1 + steps).sum()
    };
    let elements = 2 + ranks + blocks.steps.iter().map(used).max().unwrap_or(0);
    let steps = blocks.steps.iter().flatten().map(Vec::len).max().unwrap_or(0);
    let sizes = [
        (steps, dialect.steps(), "steps of a thread block"),
        (elements, MOST_ELEMENTS, "elements of a rank"),
        (ranks, MOST_CHILDREN, "ranks"),
        (blocks.program.outputs(), MOST_CHANNELS, "channels"),
    ];
    match sizes.into_iter().find(|(size, most, _)| size > most) {
        Some((size, most, what)) => {
            let problem = format!("{} takes at most {most} {what} (the schedule has {size})", dialect.name());
            Err(building::EXPORT_STEPS.refusal(problem))
        }
        None => Ok(()),
    }
}

fn xml(blocks: &RankBlocks, dialect: Dialect, collective: &str) -> String {
    let RankBlocks { program, places, .. } = blocks;
    let in_place = u8::from(places.is_in_place());
    let rest = match dialect {
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
        lines
            .push(format!("  <gpu id=\"{rank}\" i_chunks=\"{inputs}\" o_chunks=\"{outputs}\" s_chunks=\"{scratch}\">"));
        of_rank(blocks, rank, node, &mut lines);
        lines.push("  </gpu>".to_owned());
    }
    lines.push("</algo>\n".to_owned());
    lines.join("\n")
}

fn of_rank(all: &RankBlocks, rank: u32, node: NodeId, lines: &mut Vec<String>) {
    let outputs = all.program.outputs();
    let blocks = &all.steps[rank as usize];
    // blocks without steps have no number
    let mut numbers = Vec::new();
    for steps in blocks {
        let before = numbers.last().map_or(0, |&(number, is_used)| number + usize::from(is_used));
        numbers.push((before, !steps.is_empty()));
    }
    for (block, steps) in blocks.iter().enumerate().filter(|(_, steps)| !steps.is_empty()) {
        // a channel for each output, so that two links to one neighbour are two connections
        let peer = all.peer(node, block).map_or(-1, i64::from);
        let (send, recv, channel) = if block < outputs {
            (peer, -1, block)
        } else if block < 2 * outputs {
            (-1, peer, all.output_of(block))
        } else {
            (-1, -1, 0)
        };
        let id = numbers[block].0;
        lines.push(format!("    <tb id=\"{id}\" send=\"{send}\" recv=\"{recv}\" chan=\"{channel}\">"));
        for (number, BlockStep { kind, from, to, count, after, is_awaited }) in steps.iter().enumerate() {
            let ((from, at), (to, there)) = (from, to);
            let kind = name(*kind);
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

/// Spelling of the readers.
fn name(kind: StepKind) -> &'static str {
    match kind {
        StepKind::Send => "s",
        StepKind::Receive => "r",
        StepKind::Combine => "rrc",
        StepKind::Copy => "cpy",
    }
}
