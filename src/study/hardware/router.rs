//! The cells of a router.

use std::collections::BTreeSet;

use super::Cells;
use super::kept;
use super::loads::{Held, Loads};
use super::lut::{self, Timing};
use crate::netlist::{Clock, Counter, Drive, Output, Router, Value, digits};

/// The flip-flops, LUTs and blocks of a router with flits of `width` bits; its table is counted apart.
pub fn cells(router: &Router, width: u32) -> Cells {
    // whether everything is cleared, and its opposite, which enables the outputs
    let mut cells = Cells { flip_flops: 0, luts: 2, blocks: 0 };
    let late = router.lines.iter().flat_map(|line| (1..=line.stages).map(|age| Loads::Late(line.input, age)));
    let mut valid: BTreeSet<Loads> = late.collect();
    let mut data: BTreeSet<Loads> = BTreeSet::new();
    for output in &router.outputs {
        if data.insert(Loads::data(output)) {
            cells.luts += before_data(router, output, width);
        }
        if valid.insert(Loads::valid(output)) {
            cells.luts += before_valid(output);
        }
    }
    let stages: u64 = router.lines.iter().map(|line| u64::from(line.stages)).sum();
    cells.flip_flops += (data.len() as u64 + stages) * u64::from(width) + valid.len() as u64;
    for counter in &router.counters {
        cells += counts(router, counter);
    }
    cells + kept::cells(router, width)
}

/// A counter, and the comparisons with it.
fn counts(router: &Router, counter: &Counter) -> Cells {
    let stages = router.outputs.iter().filter_map(|output| match &output.drive {
        Drive::Timed { clock, stages, .. } if *clock == counter.clock => Some(stages),
        _ => None,
    });
    let changes: BTreeSet<u32> = stages.flatten().map(|stage| stage.until).collect();
    // that with the last count is the counter's own
    let compared = changes.iter().filter(|&&change| change != counter.last).count();
    let bits = digits(counter.last);
    let luts = lut::stopping_counter(bits) + lut::comparisons(bits, compared);
    Cells { flip_flops: bits.into(), luts, blocks: 0 }
}

/// The LUTs before an output's data: a multiplexer a bit, the enable if it sometimes sends nothing, the decoding of a
/// select of three bits or more.
fn before_data(router: &Router, output: &Output, width: u32) -> u64 {
    let values = output.drive.values();
    let sources: BTreeSet<Value> = values.iter().copied().filter(|value| *value != Value::Nothing).collect();
    let word = u64::from(width);
    let multiplexers = match &output.drive {
        Drive::Always(_) => 0,
        Drive::Injected { .. } => lut::multiplexer(sources.len()) * word,
        Drive::Timed { clock, stages, .. } => {
            let counter = router.counters.iter().find(|counter| counter.clock == *clock);
            let changes: Vec<u32> = stages.iter().map(|stage| stage.until).collect();
            let own = sources.iter().filter(|value| matches!(value, Value::Own(_))).count();
            // `first` is a count of one bit
            let bits = counter.map_or(1, |counter| digits(counter.last));
            Timing { bits, changes: &changes, own }.word(sources.len(), word)
        }
        Drive::Chosen { select, .. } => {
            let decoded = if select.bits > 2 { sources.len() as u64 } else { 0 };
            lut::chosen(sources.len(), select.bits) * word + decoded
        }
    };
    let enable = u64::from(values.contains(&Value::Nothing));
    multiplexers + kept::rings_in_blocks(router, &sources, width) * word + enable
}

/// The LUTs before an output's valid bit.
fn before_valid(output: &Output) -> u64 {
    let held: BTreeSet<Held> = output.drive.values().into_iter().map(Held::valid).collect();
    let inputs = held.iter().filter(|held| matches!(held, Held::Of(_))).count();
    match &output.drive {
        Drive::Always(_) => 0,
        Drive::Injected { .. } | Drive::Timed { clock: Clock::First, .. } => 1,
        Drive::Timed { .. } => inputs.max(1) as u64,
        Drive::Chosen { select, .. } => lut::chosen(inputs + usize::from(held.contains(&Held::One)), select.bits),
    }
}
