//! The verdict on an algorithm: the rules of its reader, one execution, and the result that its collective promises.

use super::dialect::{Dialect, SizeLimits};
use super::error::FileFault;
use super::plan::{self, ExecutionPlan};
use super::plan_run::PlanRun;
use super::rules::{self, Buffer, RankAlgorithm};
use super::run::{RankStates, shown, value};
use super::transfers::TransferRecord;
use super::xml;

/// Figures of an algorithm that is right.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlanVerdict {
    /// Collective in the reader's spelling.
    pub collective: String,
    /// Number of ranks.
    pub ranks: usize,
    /// Thread blocks of all ranks.
    pub blocks: usize,
    /// Steps of all thread blocks.
    pub steps: usize,
    /// Output chunks that were compared.
    pub compared: usize,
    /// Root of the collective, if it has one.
    pub root: Option<usize>,
}

/// Applies the reader's rules to a file, executes it, and compares every output.
pub fn check(text: &str, dialect: Dialect) -> Result<PlanVerdict, FileFault> {
    let top = xml::read(text, SizeLimits::Reader)?;
    Ok(judged(&rules::read(&top, dialect, SizeLimits::Reader)?)?.0)
}

/// Executes an algorithm, and compares every output; returns the transfers, too.
pub(super) fn judged(algorithm: &RankAlgorithm) -> Result<(PlanVerdict, TransferRecord), FileFault> {
    let root = shape(algorithm)?;
    let mut record = TransferRecord::default();
    let mut verdict = PlanVerdict {
        collective: algorithm.collective.to_owned(),
        ranks: algorithm.ranks.len(),
        blocks: algorithm.ranks.iter().map(|rank| rank.blocks.len()).sum(),
        steps: algorithm.ranks.iter().flat_map(|rank| &rank.blocks).map(|block| block.steps.len()).sum(),
        compared: 0,
        root,
    };
    let ways = [(true, algorithm.in_place), (false, algorithm.out_of_place)];
    for (is_in_place, _) in ways.into_iter().filter(|&(_, is_supported)| is_supported) {
        let mut run = RankStates::new(algorithm, is_in_place);
        run.execute()?;
        verdict.root = root.or_else(|| root_of_broadcast(algorithm, &run));
        verdict.compared += compare(algorithm, &run, verdict.root)?;
        record = run.record;
    }
    if let ("broadcast", Some(root)) = (algorithm.collective, verdict.root) {
        only_root_reads(algorithm, root)?;
    }
    Ok((verdict, record))
}

fn rule(place: &str, what: String) -> FileFault {
    FileFault::Rule { place: place.to_owned().into(), what }
}

/// Checks the sizes of the buffers; returns the root of a gather or a scatter.
fn shape(algorithm: &RankAlgorithm) -> Result<Option<usize>, FileFault> {
    let (ranks, chunks) = (algorithm.ranks.len(), algorithm.chunks);
    let coll = algorithm.collective;
    if !matches!(coll, "allreduce" | "broadcast" | "gather" | "scatter") && !chunks.is_multiple_of(ranks) {
        return Err(rule("algo", format!("`nchunksperloop` must be a multiple of {ranks} ranks (is {chunks})")));
    }
    if matches!(coll, "gather" | "scatter" | "alltoall") && algorithm.in_place {
        return Err(rule("algo", format!("`inplace` must be 0 with {coll}")));
    }
    let share = chunks / ranks;
    let (inputs, outputs) = match coll {
        "allgather" => (share, chunks),
        "reducescatter" | "reduce_scatter" => (chunks, share),
        "gather" => (chunks, chunks * ranks),
        "scatter" => (chunks * ranks, chunks),
        _ => (chunks, chunks),
    };
    // a buffer that is a part of the other need not be declared
    let (spare_input, spare_output) = match coll {
        "allgather" => (!algorithm.out_of_place, false),
        "allreduce" | "reducescatter" | "reduce_scatter" => (false, !algorithm.out_of_place),
        "scatter" => (true, false),
        "gather" => (false, true),
        _ => (false, false),
    };
    for (id, rank) in algorithm.ranks.iter().enumerate() {
        let sizes =
            [("i_chunks", rank.chunks[0], inputs, spare_input), ("o_chunks", rank.chunks[1], outputs, spare_output)];
        for (name, size, wanted, is_spare) in sizes {
            if size != wanted && !(is_spare && size == 0) {
                return Err(rule(&format!("gpu {id}"), format!("`{name}` must be {wanted} with {coll} (is {size})")));
            }
        }
    }
    let Some(buffer) = ["scatter", "gather"].iter().position(|&name| name == coll) else { return Ok(None) };
    let mut roots = (0..ranks).filter(|&rank| algorithm.ranks[rank].chunks[buffer] > 0);
    match (roots.next(), roots.next()) {
        (Some(root), None) => Ok(Some(root)),
        _ => Err(rule("algo", format!("a {coll} requires one rank with the root's buffer"))),
    }
}

/// Finds the rank whose data the first output has.
fn root_of_broadcast(algorithm: &RankAlgorithm, run: &RankStates) -> Option<usize> {
    let first = run.output(0, 0)?;
    (0..algorithm.ranks.len()).find(|&rank| algorithm.collective == "broadcast" && first == value(rank, 0))
}

/// Fails if a rank other than the root reads an input that it need not have.
fn only_root_reads(algorithm: &RankAlgorithm, root: usize) -> Result<(), FileFault> {
    for (id, rank) in algorithm.ranks.iter().enumerate().filter(|&(id, _)| id != root) {
        for (number, block) in rank.blocks.iter().enumerate() {
            let reads = |step: &super::rules::RuleStep| step.action.reads && step.source.0 == Buffer::Input;
            if let Some(step) = block.steps.iter().position(reads)
                && !algorithm.in_place
            {
                let place = shown(block.steps[step].line, id, number, step);
                return Err(FileFault::Step { place, what: format!("reads an input that only root {root} has") });
            }
        }
    }
    Ok(())
}

/// Compares every output with what the collective promises; returns the number of chunks.
fn compare(algorithm: &RankAlgorithm, run: &RankStates, root: Option<usize>) -> Result<usize, FileFault> {
    let (ranks, chunks) = (algorithm.ranks.len(), algorithm.chunks);
    compare_all(algorithm.collective, ranks, chunks, root, |rank, chunk| run.output(rank, chunk))
}

/// Compares outputs of any kind of file; `chunks` are those of a loop.
fn compare_all(
    collective: &str,
    ranks: usize,
    chunks: usize,
    root: Option<usize>,
    output: impl Fn(usize, usize) -> Option<u64>,
) -> Result<usize, FileFault> {
    let share = (chunks / ranks).max(1);
    let sum = |chunk| (0..ranks).fold(0u64, |sum, rank| sum.wrapping_add(value(rank, chunk)));
    let root = root.unwrap_or(0);
    let mut compared = 0;
    for rank in 0..ranks {
        let expected: Vec<u64> = match collective {
            "allreduce" => (0..chunks).map(sum).collect(),
            "reducescatter" | "reduce_scatter" => (rank * share..(rank + 1) * share).map(sum).collect(),
            "allgather" => (0..chunks).map(|at| value(at / share, at % share)).collect(),
            "alltoall" => (0..chunks).map(|at| value(at / share, rank * share + at % share)).collect(),
            "broadcast" => (0..chunks).map(|at| value(root, at)).collect(),
            "scatter" => (0..chunks).map(|at| value(root, rank * chunks + at)).collect(),
            _ if rank == root => (0..chunks * ranks).map(|at| value(at / chunks, at % chunks)).collect(),
            _ => Vec::new(),
        };
        for (chunk, &expected) in expected.iter().enumerate() {
            if output(rank, chunk) != Some(expected) {
                return Err(FileFault::Wrong { rank, chunk });
            }
        }
        compared += expected.len();
    }
    Ok(compared)
}

/// Applies the rules of MSCCL++ to a plan, executes it, and compares every output.
pub fn check_plan(text: &str) -> Result<PlanVerdict, FileFault> {
    Ok(judged_plan(&plan::read(text, SizeLimits::Reader)?)?.0)
}

/// Executes a plan, and compares every output; returns the transfers, too.
pub(super) fn judged_plan(plan: &ExecutionPlan) -> Result<(PlanVerdict, TransferRecord), FileFault> {
    let (collective, ranks) = (plan.collective.as_str(), plan.ranks.len());
    let [inputs, outputs, _] = plan.ranks[0].chunks;
    let (is_sized, chunks) = match collective {
        "allreduce" | "broadcast" => (inputs == outputs, inputs),
        "alltoall" => (inputs == outputs && inputs.is_multiple_of(ranks), inputs),
        "reducescatter" => (inputs == outputs * ranks, inputs),
        "allgather" => (outputs == inputs * ranks, outputs),
        "scatter" => (inputs == outputs * ranks, outputs),
        "gather" => (outputs == inputs * ranks, inputs),
        _ => {
            let known = Dialect::Rccl.collectives().join(", ");
            return Err(rule(
                "`collective`",
                format!("must be one of {known}; others are not judged (is `{collective}`)"),
            ));
        }
    };
    if plan.in_place && matches!(collective, "gather" | "scatter" | "alltoall") {
        return Err(rule("`inplace`", format!("must be false with {collective}")));
    }
    for (id, rank) in plan.ranks.iter().enumerate() {
        if !is_sized || rank.chunks[..2] != [inputs, outputs] {
            let [inputs, outputs, _] = rank.chunks;
            let what = format!(
                "`input_chunks` {inputs} and `output_chunks` {outputs} do not fit {collective} on {ranks} ranks"
            );
            return Err(rule(&format!("`gpus[{id}]`"), what));
        }
    }
    let mut run = PlanRun::new(plan, chunks / ranks);
    run.execute()?;
    let root = match collective {
        "broadcast" | "scatter" => (0..ranks).find(|&rank| run.output(0, 0) == Some(value(rank, 0))),
        "gather" => (0..ranks).find(|&rank| run.output(rank, 0).is_some()),
        _ => None,
    };
    let compared = compare_all(collective, ranks, chunks, root, |rank, chunk| run.output(rank, chunk))?;
    let blocks = || plan.ranks.iter().flat_map(|rank| &rank.blocks);
    let verdict = PlanVerdict {
        collective: collective.to_owned(),
        ranks,
        blocks: blocks().count(),
        steps: blocks().map(Vec::len).sum(),
        compared,
        root,
    };
    Ok((verdict, run.record))
}
