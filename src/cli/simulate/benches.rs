//! Generated testbenches, played by Icarus Verilog.

use std::path::Path;

use super::super::error::CliError;
use super::super::listed;
use super::super::progress::Progress;
use super::{Engine, Played, SimulateArgs};
use crate::design::Design;
use crate::design::config::Config;
use crate::design::support::lists;
use crate::emit;
use crate::emit::listed::ListDesign;
use crate::files::{FilesError, NewFolder};
use crate::tools::ScratchFolder;
use crate::tools::icarus::{self, IcarusError};

/// Calls all programs of a list in the bench of their Verilog.
pub fn of_list(config: Config, args: &SimulateArgs) -> Result<Played, CliError> {
    if args.vcd.is_some() {
        return Err(lists::ONE_COLLECTIVE.refusal("no waveforms of the bench of a list").into());
    }
    let programs = listed::built(config)?;
    let name = programs.name();
    let beside = |design: &ListDesign| design.boards.as_ref().map(|_| emit::listed::boards_path(design.name));
    let (top, expected, beside) = programs
        .emitted(|design: &ListDesign| design.verdict().map(|(top, expected)| (top, expected, beside(design))))
        .ok_or_else(|| lists::ONE_COLLECTIVE.refusal("boards with hosts have no bench: Python calls them"))?;
    let _progress = Progress::of(format!("compiling the testbench of {name}, and playing it"));
    let scratch = ScratchFolder::new().map_err(IcarusError::from)?;
    let folder = scratch.path().join("design");
    let mut new = NewFolder::begin(&folder)?;
    programs.write(&mut new).map_err(|source| FilesError::Write { path: folder.clone(), source })?;
    new.commit(false)?;
    let icarus::Ended { passed, printed } =
        icarus::run_bench(&folder, &name, &top, &expected, beside.as_slice(), None)?;
    let ticks = programs.designs.iter().map(|design| design.program.ticks).sum();
    let first = Played::new(&programs.designs[0], Engine::Icarus, passed, printed);
    Ok(Played { name, program: None, ticks, ..first })
}

/// Plays the bench of a design.
pub fn of_design(design: &Design, vcd: Option<&Path>) -> Result<Played, CliError> {
    let _progress = Progress::of(format!("compiling the testbench of {}, and playing it", design.program.title.name));
    let scratch = ScratchFolder::new().map_err(IcarusError::from)?;
    let folder = scratch.path().join("design");
    let mut new = NewFolder::begin(&folder)?;
    let failed = |source| FilesError::Write { path: folder.clone(), source };
    emit::write_all(&design.program, &design.options(), &mut new).map_err(failed)?;
    new.commit(false)?;
    let icarus::Ended { passed, printed } = icarus::run_testbench(&folder, &design.program, vcd)?;
    Ok(Played::new(design, Engine::Icarus, passed, printed))
}
