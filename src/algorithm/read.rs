//! An algorithm of any format, told apart by its text, judged, and with what its ranks send.

use super::dialect::SizeLimits;
use super::error::FileFault;
use super::judge::{self, PlanVerdict};
use super::transfers::TransferRecord;
use super::{plan, rules, xml};

/// Thread blocks times steps and blocks of an algorithm that is executed: each keeps the time of every block.
const MOST_CLOCKS: usize = 1 << 29;
/// Chunks of the buffers of all ranks.
const MOST_CHUNKS: usize = 1 << 24;

/// An algorithm that is right.
#[derive(Debug)]
pub struct JudgedAlgorithm {
    /// Collective, sizes, and the number of outputs that were compared.
    pub verdict: PlanVerdict,
    /// Chunks of a loop.
    pub chunks: usize,
    /// Number of channels, if they are numbers of the whole file.
    pub channels: Option<usize>,
    /// Chunks that ranks send.
    pub record: TransferRecord,
}

/// Returns true for a text that is an algorithm and no other form of a schedule: XML, or a plan in JSON.
pub fn is_algorithm(text: &str) -> bool {
    let text = trimmed(text);
    text.starts_with('<') || text.starts_with('{') && text.contains("\"gpus\"")
}

fn trimmed(text: &str) -> &str {
    text.trim_start_matches('\u{feff}').trim_start()
}

/// Reads an algorithm and judges it. The sizes that readers have room for are not required.
pub fn read(text: &str) -> Result<JudgedAlgorithm, FileFault> {
    if trimmed(text).starts_with('<') {
        // the reader knows no mark of the byte order
        let top = xml::read(text.trim_start_matches('\u{feff}'), SizeLimits::Lifted)?;
        let algorithm = rules::read(&top, rules::dialect(&top), SizeLimits::Lifted)?;
        let blocks = algorithm.ranks.iter().flat_map(|rank| &rank.blocks).map(|block| block.steps.len());
        fit(blocks, algorithm.ranks.iter().map(|rank| (rank.chunks[0] + rank.chunks[1]).max(algorithm.chunks)))?;
        let (verdict, record) = judge::judged(&algorithm)?;
        let (chunks, channels) = (algorithm.chunks, Some(algorithm.channels));
        return Ok(JudgedAlgorithm { verdict, chunks, channels, record });
    }
    let plan = plan::read(text.trim_start_matches('\u{feff}'), SizeLimits::Lifted)?;
    let blocks = plan.ranks.iter().flat_map(|rank| &rank.blocks).map(Vec::len);
    fit(blocks, plan.ranks.iter().map(|rank| rank.chunks[0] + rank.chunks[1]))?;
    let (verdict, record) = judge::judged_plan(&plan)?;
    let chunks = plan.loop_chunks();
    Ok(JudgedAlgorithm { verdict, chunks, channels: None, record })
}

/// Fails if an execution takes too long, or too much memory.
fn fit(blocks: impl Iterator<Item = usize>, chunks: impl Iterator<Item = usize>) -> Result<(), FileFault> {
    let (count, steps) = blocks.fold((0usize, 0usize), |(count, steps), block| (count + 1, steps + block));
    let chunks = chunks.fold(0, usize::saturating_add);
    let sizes = [
        (count.saturating_mul(steps + 2 * count), MOST_CLOCKS, "thread blocks times steps and blocks"),
        (chunks, MOST_CHUNKS, "chunks of all buffers"),
    ];
    match sizes.into_iter().find(|(size, most, _)| size > most) {
        None => Ok(()),
        Some((size, most, what)) => {
            let what = format!("{size} {what} are more than the {most} that are executed");
            Err(FileFault::Rule { place: "the algorithm".to_owned().into(), what })
        }
    }
}
