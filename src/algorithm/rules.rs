//! The rules by which MSCCL and RCCL read an algorithm, and what they make of it.

use super::dialect::{ConnectionRoom, Dialect, MOST_CHANNELS, MOST_COUNT, MOST_ELEMENTS, MOST_PEERS, SizeLimits};
use super::error::FileFault;
use super::xml::Element;

/// Buffer of a rank.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Buffer {
    Input,
    Output,
    Scratch,
}

/// Action of a step: what it receives, combines, stores and sends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(clippy::struct_excessive_bools)]
pub(super) struct StepAction {
    pub receives: bool,
    pub reads: bool,
    /// true if the place that is written is read, too
    pub adds: bool,
    pub stores: bool,
    pub sends: bool,
}

#[derive(Clone, Debug)]
pub(super) struct RuleStep {
    pub line: u32,
    pub action: StepAction,
    pub source: (Buffer, usize),
    pub target: (Buffer, usize),
    pub count: usize,
    pub after: Option<(usize, usize)>,
    pub is_awaited: bool,
}

#[derive(Debug)]
pub(super) struct ThreadBlock {
    pub send: Option<usize>,
    pub recv: Option<usize>,
    pub channel: usize,
    pub steps: Vec<RuleStep>,
}

#[derive(Debug)]
pub(super) struct RuleRank {
    /// Chunks of input, output and scratch.
    pub chunks: [usize; 3],
    pub blocks: Vec<ThreadBlock>,
}

/// An algorithm that keeps the rules.
#[derive(Debug)]
pub(super) struct RankAlgorithm<'t> {
    pub collective: &'t str,
    pub channels: usize,
    pub chunks: usize,
    pub in_place: bool,
    pub out_of_place: bool,
    /// Room of each connection.
    pub room: ConnectionRoom,
    pub ranks: Vec<RuleRank>,
}

/// Reader for which an algorithm was written: RCCL's requires attributes that MSCCL's does not know.
pub(super) fn dialect(top: &Element) -> Dialect {
    let is_spelled = top.text("coll").is_ok_and(|coll| coll == "reducescatter");
    let is_rccl = is_spelled || ["outofplace", "minBytes", "maxBytes"].iter().any(|name| top.has(name));
    if is_rccl { Dialect::Rccl } else { Dialect::Msccl }
}

/// Applies the rules of its reader to an algorithm.
pub(super) fn read<'t>(
    top: &Element<'t>,
    dialect: Dialect,
    limits: SizeLimits,
) -> Result<RankAlgorithm<'t>, FileFault> {
    if top.name != "algo" {
        return Err(top.fault("the element at the top must be `algo`".into()));
    }
    top.text("name")?;
    let protocol = top.text("proto")?;
    if !["Simple", "LL", "LL128"].contains(&protocol) {
        return Err(top.fault(format!("`proto` must be Simple, LL or LL128 (`{protocol}`)")));
    }
    let collective = top.text("coll")?;
    if !dialect.collectives().contains(&collective) {
        let known = dialect.collectives().join(", ");
        return Err(top.fault(format!("`coll` must be one of {known} (`{collective}`)")));
    }
    let channels = top.count("nchannels", 1, limits.of(MOST_CHANNELS) as i64)?;
    let chunks = top.count("nchunksperloop", 1, 1 << 20)?;
    let in_place = top.number("inplace", 0, 1)? == 1;
    let (out_of_place, most_bytes) = if dialect == Dialect::Rccl {
        let least = top.count("minBytes", 0, i64::MAX)?;
        let most = top.count("maxBytes", 0, i64::MAX)?;
        if most != 0 && most < least {
            return Err(top.fault(format!("`maxBytes` must be 0 or at least `minBytes` (is {most})")));
        }
        (top.number("outofplace", 0, 1)? == 1, most)
    } else {
        (!in_place, 0)
    };
    let chunk_bytes = (most_bytes != 0).then(|| most_bytes.div_ceil(chunks));
    let room = ConnectionRoom::of(protocol, chunk_bytes, limits);
    if !in_place && !out_of_place {
        return Err(top.fault("`inplace` or `outofplace` must be 1, or it is never scheduled".into()));
    }
    let count = top.count("ngpus", 1, 1 << 20)?;
    let found = top.children.iter().filter(|child| child.name == "gpu").count();
    if found != count || found != top.children.len() {
        return Err(
            top.fault(format!("`ngpus` is {count}, but there are {found} gpu elements of {}", top.children.len()))
        );
    }
    let rank = |(id, gpu): (usize, &Element)| {
        let most = limits.of(MOST_ELEMENTS);
        if gpu.size() + count > most {
            return Err(gpu.fault(format!("a rank loads at most {most} elements (is {})", gpu.size() + count)));
        }
        rank(gpu, id, count, channels, (dialect, limits))
    };
    let ranks = top.children.iter().enumerate().map(rank).collect::<Result<Vec<_>, _>>()?;
    waits(top, &ranks)?;
    Ok(RankAlgorithm { collective, channels, chunks, in_place, out_of_place, room, ranks })
}

fn rank(
    gpu: &Element,
    id: usize,
    ranks: usize,
    channels: usize,
    (dialect, limits): (Dialect, SizeLimits),
) -> Result<RuleRank, FileFault> {
    gpu.number("id", id as i64, id as i64)?;
    let mut chunks = [0; 3];
    for (chunks, name) in chunks.iter_mut().zip(["i_chunks", "o_chunks", "s_chunks"]) {
        *chunks = gpu.count(name, 0, 1 << 20)?;
    }
    let most = limits.of(dialect.blocks());
    if gpu.children.len() > most {
        let what = format!("a rank has at most {most} thread blocks (has {})", gpu.children.len());
        return Err(gpu.fault(what));
    }
    let mut blocks: Vec<ThreadBlock> = Vec::new();
    for (number, tb) in gpu.children.iter().enumerate() {
        if tb.name != "tb" {
            return Err(tb.fault("a rank must consist of `tb` elements".into()));
        }
        tb.number("id", number as i64, number as i64)?;
        let peer = |name: &str| -> Result<Option<usize>, FileFault> {
            let peer = tb.number(name, -1, ranks as i64 - 1)?;
            if peer == id as i64 {
                return Err(tb.fault(format!("`{name}` must be another rank (is {peer})")));
            }
            Ok(usize::try_from(peer).ok())
        };
        let (send, recv) = (peer("send")?, peer("recv")?);
        let channel = tb.count("chan", 0, channels as i64 - 1)?;
        for other in &blocks {
            let is_shared = |mine: Option<usize>, theirs| mine.is_some() && mine == theirs;
            if other.channel == channel && (is_shared(send, other.send) || is_shared(recv, other.recv)) {
                return Err(tb.fault("two thread blocks share a connection: peer and `chan` must differ".into()));
            }
        }
        let step = |(number, step): (usize, &Element)| step_of(step, number, (send, recv), chunks, (dialect, limits));
        let steps = tb.children.iter().enumerate().map(step).collect::<Result<Vec<_>, _>>()?;
        if limits == SizeLimits::Reader {
            fused(tb, &steps)?;
            let shares = blocks.iter().filter(|other| other.channel == channel);
            let [sends, receives] = shares.fold([0; 2], |[sends, receives], other| {
                [sends + usize::from(other.send.is_some()), receives + usize::from(other.recv.is_some())]
            });
            for (count, peer, name) in [(sends, send, "send"), (receives, recv, "receive")] {
                if peer.is_some() && count >= MOST_PEERS {
                    let what = format!("at most {MOST_PEERS} thread blocks {name} on a channel (channel {channel})");
                    return Err(tb.fault(what));
                }
            }
        }
        blocks.push(ThreadBlock { send, recv, channel, steps });
    }
    Ok(RuleRank { chunks, blocks })
}

/// Fails where a reader makes something else of steps that it fuses. A `nop` is a second wait of the step behind it, and a `re`
/// into the place of the one before it is a part of that one; others wait for steps by their numbers in the file.
fn fused(tb: &Element, steps: &[RuleStep]) -> Result<(), FileFault> {
    let mut before: Option<&RuleStep> = None;
    let mut is_waiting = false;
    for (element, step) in tb.children.iter().zip(steps) {
        if step.action == StepAction::default() {
            if step.after.is_none() || step.is_awaited {
                return Err(element.fault("a `nop` must wait for a step, and have `hasdep` 0".into()));
            }
            is_waiting = true;
            continue;
        }
        if is_waiting && step.after.is_none() {
            return Err(element.fault("a step behind a `nop` must wait for a step, too".into()));
        }
        let is_fused = |before: &RuleStep| {
            let places = (before.target, before.source.0) == (step.target, step.source.0);
            before.action.adds && step.action.adds && places && !before.is_awaited && step.after.is_none()
        };
        if before.is_some_and(|before| is_fused(before) && before.count != step.count) {
            return Err(element.fault(format!("`cnt` must be that of the `re` before it (is {})", step.count)));
        }
        (before, is_waiting) = (Some(step), false);
    }
    Ok(())
}

fn step_of(
    step: &Element,
    number: usize,
    (send, recv): (Option<usize>, Option<usize>),
    chunks: [usize; 3],
    (dialect, limits): (Dialect, SizeLimits),
) -> Result<RuleStep, FileFault> {
    if step.name != "step" {
        return Err(step.fault("a thread block must consist of `step` elements".into()));
    }
    let most = limits.of(dialect.steps());
    if number >= most {
        return Err(step.fault(format!("a thread block has at most {most} steps")));
    }
    step.number("s", number as i64, number as i64)?;
    let kind = step.text("type")?;
    let [receives, reads, stores, sends] = match kind {
        "s" => [false, true, false, true],
        "r" => [true, false, true, false],
        "rcs" => [true, false, true, true],
        "rrs" => [true, true, false, true],
        "rrc" => [true, true, true, false],
        "rrcs" => [true, true, true, true],
        "cpy" | "re" => [false, true, true, false],
        "nop" => [false; 4],
        _ => return Err(step.fault(format!("`type` must be s, r, rcs, rrs, rrc, rrcs, cpy, re or nop (`{kind}`)"))),
    };
    if sends && send.is_none() || receives && recv.is_none() {
        return Err(step.fault(format!("a step of type {kind} requires a peer in its thread block")));
    }
    let count = step.count("cnt", i64::from(kind != "nop"), limits.of(MOST_COUNT) as i64)?;
    let place = |buffer: &str, offset: &str, is_used: bool| -> Result<(Buffer, usize), FileFault> {
        let name = step.text(buffer)?;
        let (kind, size) = match name {
            "i" => (Buffer::Input, chunks[0]),
            "o" => (Buffer::Output, chunks[1]),
            "s" => (Buffer::Scratch, chunks[2]),
            _ => return Err(step.fault(format!("`{buffer}` must be i, o or s (`{name}`)"))),
        };
        let at = step.number(offset, -1, 1 << 20)?;
        if is_used && usize::try_from(at).ok().is_none_or(|at| at + count > size) {
            return Err(step.fault(format!("`{offset}` must lie within the {size} chunks of buffer {name} (is {at})")));
        }
        Ok((kind, usize::try_from(at).unwrap_or(0)))
    };
    let (source, target) = (place("srcbuf", "srcoff", reads)?, place("dstbuf", "dstoff", stores)?);
    let block = step.number("depid", -1, 1 << 20)?;
    let deps = step.number("deps", -1, 1 << 20)?;
    let after = match (usize::try_from(block), usize::try_from(deps)) {
        (Ok(block), Ok(step)) => Some((block, step)),
        (Err(_), Err(_)) => None,
        _ => return Err(step.fault("`depid` and `deps` must both name a step, or both be -1".into())),
    };
    let is_awaited = step.number("hasdep", 0, 1)? == 1;
    let action = StepAction { receives, reads, adds: kind == "re", stores, sends };
    let line = step.line as u32;
    Ok(RuleStep { line, action, source, target, count, after, is_awaited })
}

/// Fails if a step waits for one that is not there, or that does not announce its end.
fn waits(top: &Element, ranks: &[RuleRank]) -> Result<(), FileFault> {
    for (gpu, rank) in top.children.iter().zip(ranks) {
        for (tb, block) in gpu.children.iter().zip(&rank.blocks) {
            for (element, step) in tb.children.iter().zip(&block.steps) {
                let Some((other, at)) = step.after else { continue };
                let awaited = rank.blocks.get(other).and_then(|block| block.steps.get(at));
                match awaited {
                    None => return Err(element.fault(format!("there is no step {at} of thread block {other}"))),
                    Some(step) if !step.is_awaited => {
                        let what = format!("step {at} of thread block {other} must have `hasdep` 1");
                        return Err(element.fault(what));
                    }
                    Some(_) => {}
                }
            }
        }
    }
    Ok(())
}
