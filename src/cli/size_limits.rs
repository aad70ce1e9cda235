//! Refuses designs that would take days or more memory than there is.

use crate::check;
use crate::design::Design;
use crate::design::support::{Unsupported, building};
use crate::play::{Combiner, OwnStreams};
use crate::program::{Program, joined};

/// Refuses programs that are too large to execute.
pub fn executable(program: &Program) -> Result<(), Unsupported> {
    refuse_larger(program, check::bytes(program))
}

/// Refuses designs that are too large to be played with values of their width.
pub fn playable(design: &Design) -> Result<(), Unsupported> {
    let (program, width) = (&design.program, design.config.width());
    refuse_larger(program, check::bytes(program).saturating_add(Combiner::bytes(program, width)))
}

/// Refuses designs that are too large for a bench, which lists all inputs of the nodes.
pub fn benchable(design: &Design) -> Result<(), Unsupported> {
    playable(design)?;
    refuse_larger(&design.program, OwnStreams::bytes(&design.program, design.config.width()))
}

fn refuse_larger(program: &Program, bytes: u64) -> Result<(), Unsupported> {
    let link_ticks = program.link_ticks();
    if link_ticks <= check::MOST_EXECUTED && bytes <= check::MOST_BYTES {
        return Ok(());
    }
    let ways = [
        (program.demand.flits() > program.demand.packets(), "fewer flits"),
        // packets without reduction are played as numbers, which take no extra memory
        (program.reduction.is_some() && bytes > check::MOST_BYTES, "narrower words"),
        (true, "a smaller network"),
    ];
    let less: Vec<String> = ways.into_iter().filter(|(helps, _)| *helps).map(|(_, less)| less.to_owned()).collect();
    let problem = format!("a {} is too large to execute: {}", program.topology.describe(), excess(link_ticks, bytes));
    let less = joined(&less, "or");
    Err(building::EXECUTE
        .refusal_with(problem, format!("choose {less}; `torusweave check --structural` proves schedules of any size")))
}

/// Describes the figure that exceeds its limit.
fn excess(link_ticks: u64, bytes: u64) -> String {
    const GB: f64 = 1e9;
    let ticks = format!("{link_ticks} link-ticks of at most {}", check::MOST_EXECUTED);
    let memory = format!(
        "{:.1} GB of at most {:.1} GB for what arrived and who knows what",
        bytes as f64 / GB,
        check::MOST_BYTES as f64 / GB
    );
    match (link_ticks > check::MOST_EXECUTED, bytes > check::MOST_BYTES) {
        (true, true) => format!("{ticks}, {memory}"),
        (true, false) => ticks,
        (false, _) => memory,
    }
}
