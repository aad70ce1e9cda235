//! Refuses designs that would take days or more memory than there is.

use super::error::CliError;
use crate::check;
use crate::design::Design;
use crate::play::{Combiner, Streams};
use crate::program::Program;

/// Refuses programs that are too large to execute.
pub fn executable(program: &Program) -> Result<(), CliError> {
    refuse_larger(program, check::bytes(program))
}

/// Refuses designs that are too large to be played with values of their width.
pub fn playable(design: &Design) -> Result<(), CliError> {
    let (program, width) = (&design.program, design.config.link.width.get());
    refuse_larger(program, check::bytes(program).saturating_add(Combiner::bytes(program, width)))
}

/// The same where all that nodes put in is listed, for a bench.
pub fn benchable(design: &Design) -> Result<(), CliError> {
    playable(design)?;
    refuse_larger(&design.program, Streams::bytes(&design.program, design.config.link.width.get()))
}

fn refuse_larger(program: &Program, bytes: u64) -> Result<(), CliError> {
    let link_ticks = program.link_ticks();
    if link_ticks <= check::MOST_EXECUTED && bytes <= check::MOST_BYTES {
        return Ok(());
    }
    let ways = [
        (program.demand.flits() > program.demand.packets(), "fewer flits"),
        // packets that are not combined are played as numbers
        (program.reduction.is_some() && bytes > check::MOST_BYTES, "narrower words"),
        (true, "a smaller network"),
    ];
    let less = ways.into_iter().filter(|(helps, _)| *helps).map(|(_, less)| less.to_owned()).collect();
    Err(CliError::TooLarge { network: program.topology.describe(), link_ticks, bytes, less })
}
