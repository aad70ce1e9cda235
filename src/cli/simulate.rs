//! `torusweave simulate`: plays the program in the model, or the RTL in Verilator or Icarus.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};

use super::args::DesignArgs;
use super::error::CliError;
use super::folder::{FolderError, Staged};
use super::{Outcome, output};
use crate::design::Design;
use crate::icarus::{self, IcarusError};
use crate::lockstep::{self, Toolchain};
use crate::model::{Knowledge, Machine};
use crate::tools::ScratchFolder;
use crate::verilog;

/// Play the program: in the built-in model, or the generated Verilog in Verilator or Icarus.
#[derive(Debug, Args)]
pub struct SimulateArgs {
    #[command(flatten)]
    design: DesignArgs,

    /// What to play it in.
    #[arg(long, value_enum, default_value_t)]
    engine: Engine,

    /// Write a waveform of the run (engine icarus).
    #[arg(long, value_name = "FILE")]
    vcd: Option<PathBuf>,

    /// Another seed, other packets (engine verilator).
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Engine {
    /// The built-in cycle-accurate model; needs nothing.
    #[default]
    Model,
    /// The RTL in Verilator beside the model: every router register is compared after every tick.
    Verilator,
    /// The generated testbench in Icarus Verilog.
    Icarus,
}

pub fn run(args: &SimulateArgs) -> Result<Outcome, CliError> {
    let design = args.design.design()?;
    match args.engine {
        Engine::Model => model(&design),
        Engine::Verilator => verilator(&design, args.seed),
        Engine::Icarus => icarus(&design, args.vcd.as_deref()),
    }
}

fn model(design: &Design) -> Result<Outcome, CliError> {
    let program = &design.program;
    let mut machine = Machine::new(program);
    let mut knowledge = Knowledge::new(program);
    let (mut arrivals, mut complete_at) = (0u64, None);
    while !machine.is_done() {
        machine.step();
        for (node, _, flit) in machine.arrivals() {
            knowledge.learn(node, flit);
            arrivals += 1;
        }
        if complete_at.is_none() && knowledge.incomplete().next().is_none() {
            complete_at = Some(machine.tick());
        }
    }
    let name = &program.title.name;
    let ticks = program.ticks;
    let lacking = knowledge.incomplete().count();
    output::text(match complete_at {
        Some(tick) => {
            format!("{name}: {ticks} ticks, {arrivals} arrivals; every node knows every packet after tick {tick}\n")
        }
        None => format!("{name}: {ticks} ticks, {arrivals} arrivals; {lacking} nodes lack packets\n"),
    })?;
    Ok(if complete_at.is_some() { Outcome::Fine } else { Outcome::Failed })
}

fn verilator(design: &Design, seed: u64) -> Result<Outcome, CliError> {
    let tools = Toolchain::find().map_err(lockstep::LockstepError::from)?;
    eprintln!("building the simulator of {} with {}", design.program.title.name, tools.version());
    let name = &design.program.title.name;
    match lockstep::run(&tools, &design.program, &design.options(), seed)? {
        Ok(agreement) => {
            output::text(format!(
                "{name}: lockstep, {} ticks, {} registers a tick: RTL and model are equal\n\
                 {} ticks compared: first pass, restart, and a reset in mid-run\n",
                design.program.ticks, agreement.registers, agreement.ticks
            ))?;
            Ok(Outcome::Fine)
        }
        Err(difference) => {
            output::text(format!("{name}: RTL and model differ: {difference}\n"))?;
            Ok(Outcome::Failed)
        }
    }
}

fn icarus(design: &Design, vcd: Option<&Path>) -> Result<Outcome, CliError> {
    let scratch = ScratchFolder::new().map_err(IcarusError::from)?;
    let folder = scratch.path().join("design");
    let mut staged = Staged::begin(&folder)?;
    let failed = |source| FolderError::Io { path: folder.clone(), source };
    verilog::emit(&design.program, &design.options(), &mut staged).map_err(failed)?;
    staged.commit()?;
    let vcd = vcd.map(std::path::absolute).transpose()?;
    let printed = icarus::run_testbench(&folder, &design.program.title.name, vcd.as_deref())?;
    output::text(&printed)?;
    Ok(if printed.lines().any(|line| line.starts_with("PASS ")) { Outcome::Fine } else { Outcome::Failed })
}
