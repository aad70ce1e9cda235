//! Generated testbenches, played by Icarus Verilog.

use std::path::Path;

use super::super::error::CliError;
use super::super::listed;
use super::super::progress::Progress;
use super::{Engine, SimulateArgs, SimulationResult, refuse_idle_flags, refuse_recording, registers_and_ticks, viewed};
use crate::design::Design;
use crate::design::config::Config;
use crate::design::support::lists;
use crate::emit;
use crate::emit::node::ListDesign;
use crate::emit::vcd;
use crate::files::{FilesError, NewFolder};
use crate::tools::ScratchFolder;
use crate::tools::icarus::{self, IcarusError};

/// Calls the programs of a list in the bench of their Verilog: all, or the one that is named.
pub fn of_list(config: Config, args: &SimulateArgs) -> Result<SimulationResult, CliError> {
    let programs = listed::built(config)?;
    programs.designs.iter().try_for_each(|design| refuse_idle_flags(design, args))?;
    let number = match args.design.named_together(&programs) {
        Some(together) => Some(together.number),
        None if args.design.is_named() => args.design.one(programs.designs.clone())?.listed.map(|listed| listed.number),
        None => None,
    };
    let programs = programs.calling(number);
    let parts = number.map(|number| programs.netlist.parts(number));
    let is_called = |design: &&Design| {
        let is_of = |number: u32| parts.as_ref().is_none_or(|parts| parts.iter().any(|part| part.program == number));
        design.listed.is_none_or(|listed| is_of(listed.number))
    };
    let each = || programs.designs.iter().filter(is_called);
    refuse_recording(args, each().map(registers_and_ticks).fold(0, u64::saturating_add))?;
    let bench = programs.emitted(ListedBench::of).ok_or_else(|| {
        lists::HOSTS_OF_BOARDS.refusal("no testbench plays the hosts of boards (`link.elastic: true`)")
    })?;
    let text = |vcd: &Path| {
        programs.emitted(|design| vcd::view(&vcd.to_string_lossy(), &vcd::call_bench_scopes(design, bench.top.clone())))
    };
    viewed(args, text, || {
        let name = programs.name();
        let _progress = Progress::of(format!("compiling the testbench of {name}, and playing it"));
        let scratch = ScratchFolder::new().map_err(IcarusError::from)?;
        let folder = scratch.path().join("design");
        let mut new = NewFolder::begin(&folder)?;
        programs.write(&mut new).map_err(|source| FilesError::Write { path: folder.clone(), source })?;
        new.commit(false)?;
        let ListedBench { top, expected } = &bench;
        let icarus::Ended { passed, printed } = icarus::run_bench(&folder, &name, top, expected, args.vcd.as_deref())?;
        let ticks = each().map(|design| design.program.ticks).sum();
        let first = SimulationResult::new(&programs.designs[0], Engine::Icarus, passed, printed);
        Ok(SimulationResult { name, program: number, ticks, ..first })
    })
}

/// Testbench of a list.
struct ListedBench {
    top: String,
    /// Output of a testbench in which every word is right.
    expected: String,
}

impl ListedBench {
    /// Testbench of a design; none of boards with hosts.
    fn of(design: &ListDesign) -> Option<Self> {
        let (top, expected) = design.verdict(None)?;
        Some(Self { top, expected })
    }
}

/// Plays the bench of a design.
pub fn of_design(design: &Design, vcd: Option<&Path>) -> Result<SimulationResult, CliError> {
    let _progress = Progress::of(format!("compiling the testbench of {}, and playing it", design.program.title.name));
    let scratch = ScratchFolder::new().map_err(IcarusError::from)?;
    let folder = scratch.path().join("design");
    let mut new = NewFolder::begin(&folder)?;
    let failed = |source| FilesError::Write { path: folder.clone(), source };
    emit::write_all(&design.program, &design.options(), &mut new).map_err(failed)?;
    new.commit(false)?;
    let icarus::Ended { passed, printed } = icarus::run_testbench(&folder, &design.program, vcd)?;
    Ok(SimulationResult::new(design, Engine::Icarus, passed, printed))
}
