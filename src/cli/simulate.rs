//! `torusweave simulate`: plays the program in the model, or the RTL in Verilator or Icarus.

mod benches;
mod lockstep;

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use serde::Serialize;

use super::args::{FormatArgs, ResultFormat, ScheduleArgs, TimeArgs};
use super::error::CliError;
use super::progress::Progress;
use super::size_limits::{benchable, playable};
use super::{CommandEnd, listed, output};
use crate::design::Design;
use crate::design::list;
use crate::design::support::{self, DesignUse, building};
use crate::emit::vcd::{self, Waveform};
use crate::files::{FilesError, NewFile};
use crate::play::{Combiner, Machine, Notes, Payloads};
use crate::program::{FlitId, Program};
use crate::tools::lockstep::By;

/// Play the program: in the built-in model, or the generated Verilog in Verilator or Icarus.
#[derive(Debug, Args)]
pub struct SimulateArgs {
    #[command(flatten)]
    design: ScheduleArgs,

    /// Engine that plays the program
    #[arg(long, value_enum, default_value_t)]
    engine: Engine,

    /// Write a waveform of the run: of the model its registers, with the tick and, for what each holds, the number of the node and
    /// of its packet; of Verilator what arrives at every node; of Icarus all there is.
    #[arg(long, value_name = "FILE")]
    vcd: Option<PathBuf>,

    /// Write a save file beside it that `GTKWave` opens it with: the clock on top, below it node after node.
    #[arg(long, value_name = "FILE", requires = "vcd")]
    gtkw: Option<PathBuf>,

    /// Another seed, other packets (engines model and verilator).
    #[arg(long, default_value_t = 1)]
    seed: u64,

    /// Unit that Verilator compiles (engine verilator) [default: the whole fabric, and each module of large fabrics]
    #[arg(long, value_enum)]
    by: Option<By>,

    /// Play so many random lengths of messages instead of those of the config (engine verilator, schemes that find lengths
    /// out while they run).
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    random_lengths: Option<u32>,

    /// Play so many calls in random order, with random roots and words (engine verilator, configs with `programs`).
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    calls: Option<u32>,

    #[command(flatten)]
    time: TimeArgs,

    /// Serve a design as its board would be: `tcp:PORT` on this machine, `pty`, or `stdio`.
    #[arg(long, value_name = "LINE", conflicts_with = "named")]
    serve: Option<String>,

    /// Take the design from this folder: the Verilog that `generate` writes, or the bitstream that build.sh of `fpga` makes (with
    /// --serve).
    #[arg(long, value_name = "DIR", requires = "serve")]
    folder: Option<PathBuf>,

    /// Simulate the folder's Verilog even if it was edited to run programs or to read files.
    #[arg(long, requires = "folder")]
    trust: bool,

    #[command(flatten)]
    format: FormatArgs,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, ValueEnum)]
#[serde(rename_all = "lowercase")]
enum Engine {
    /// The built-in cycle-accurate model; needs nothing.
    #[default]
    Model,
    /// The RTL in Verilator beside the model: every router register is compared after every tick.
    Verilator,
    /// The generated testbench in Icarus Verilog.
    Icarus,
    /// The bitstream of a design for the iCE40-HX8K-B-EVN, unpacked, behind the pins of its serial line (with --serve).
    Bitstream,
}

/// Result of a run.
#[derive(Serialize)]
struct SimulationResult {
    name: String,
    /// Number of the program in its list.
    #[serde(skip_serializing_if = "Option::is_none")]
    program: Option<u32>,
    engine: Engine,
    passed: bool,
    ticks: u32,
    /// Flits that arrived, where they are counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    arrivals: Option<u64>,
    /// The tick after which every node has what it wants, where that is watched.
    #[serde(skip_serializing_if = "Option::is_none")]
    complete_at: Option<u32>,
    /// Registers compared after every tick, in lockstep.
    #[serde(skip_serializing_if = "Option::is_none")]
    registers: Option<usize>,
    /// Ticks compared in all passes, in lockstep.
    #[serde(skip_serializing_if = "Option::is_none")]
    compared: Option<u64>,
    /// Calls of each program, where they were played.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    calls: Vec<u32>,
    /// Values compared in registers and at the far ends of links, over all ticks of all calls.
    #[serde(skip_serializing_if = "Option::is_none")]
    values: Option<u64>,
    /// Words compared that nodes gave at the ends of calls.
    #[serde(skip_serializing_if = "Option::is_none")]
    words: Option<u64>,
    /// Modules that were Verilated once each, in lockstep where that was not the whole fabric.
    #[serde(skip_serializing_if = "Option::is_none")]
    modules: Option<usize>,
    /// Output of the bench, or the first difference.
    message: String,
}

impl SimulationResult {
    fn new(design: &Design, engine: Engine, passed: bool, message: String) -> Self {
        Self {
            name: design.program.title.name.clone(),
            program: design.listed.map(|listed| listed.number),
            engine,
            passed,
            ticks: design.program.ticks,
            arrivals: None,
            complete_at: None,
            registers: None,
            compared: None,
            calls: Vec::new(),
            values: None,
            words: None,
            modules: None,
            message,
        }
    }
}

/// More registers and ticks take gigabytes in a waveform.
const MOST_RECORDED: u64 = 1 << 26;

pub fn run(args: &SimulateArgs) -> Result<CommandEnd, CliError> {
    if let Some(line) = &args.serve {
        args.time.apply();
        let is_bitstream = args.engine == Engine::Bitstream;
        return listed::serve(line, is_bitstream, args.folder.as_deref(), args.trust, || Ok(args.design.config()?));
    }
    if args.engine == Engine::Bitstream {
        return Err(CliError::NoServing);
    }
    let config = args.design.config()?.as_list();
    args.time.apply();
    let is_list = !config.programs.is_empty();
    if args.calls.is_some() && !(is_list && args.engine == Engine::Verilator) {
        return Err(CliError::NoCalls);
    }
    let played = if args.engine == Engine::Verilator && is_list {
        vec![lockstep::of_list(config, args)?]
    } else if args.engine == Engine::Icarus && is_list {
        vec![benches::of_list(config, args)?]
    } else {
        // a waveform has one schedule
        let designs =
            if args.vcd.is_some() { vec![args.design.built(config)?] } else { args.design.designs(config)? };
        designs.iter().map(|design| played(design, args)).collect::<Result<Vec<_>, _>>()?
    };
    match args.format.format {
        ResultFormat::Json => output::json_of_each("simulate", &played)?,
        ResultFormat::Text => played.iter().try_for_each(|played| output::text(&played.message))?,
    }
    Ok(if played.iter().all(|played| played.passed) { CommandEnd::Fine } else { CommandEnd::Failed })
}

/// Plays a design by the engine that is asked for.
fn played(design: &Design, args: &SimulateArgs) -> Result<SimulationResult, CliError> {
    if args.engine == Engine::Model { playable(design) } else { benchable(design) }?;
    refuse_recording(args, registers_and_ticks(design))?;
    if args.vcd.is_some() && args.engine == Engine::Verilator {
        support::check_use(design, DesignUse::VerilatorWaveform)?;
    }
    refuse_idle_flags(design, args)?;
    let play = || match args.engine {
        Engine::Model => model(design, args),
        Engine::Verilator => match design.protocol() {
            Some(protocol) => lockstep::run_time_lengths(design, &protocol, args),
            None => lockstep::verilator(design, args),
        },
        Engine::Icarus => benches::of_design(design, args.vcd.as_deref()),
        Engine::Bitstream => Err(CliError::NoServing),
    };
    viewed(args, |vcd| view(design, args.engine, vcd), play)
}

/// Registers of a program in all its ticks.
fn registers_and_ticks(design: &Design) -> u64 {
    (design.program.registers() as u64).saturating_mul(design.program.ticks.into())
}

/// Refuses a waveform of too many registers and ticks.
fn refuse_recording(args: &SimulateArgs, recorded: u64) -> Result<(), CliError> {
    if args.vcd.is_none() || recorded <= MOST_RECORDED {
        return Ok(());
    }
    let problem = format!("{recorded} registers and ticks are more than the {MOST_RECORDED} that a file shows");
    Err(building::WAVEFORM.refusal(problem).into())
}

/// Refuses flags that do nothing for a design or its simulator.
fn refuse_idle_flags(design: &Design, args: &SimulateArgs) -> Result<(), CliError> {
    if args.random_lengths.is_some() {
        support::check_use(design, DesignUse::RandomLengths)?;
        if args.engine != Engine::Verilator {
            return Err(CliError::NoRandomLengths);
        }
    }
    if args.by.is_some() {
        if args.by == Some(By::Class) {
            support::check_use(design, DesignUse::Parts)?;
        }
        if args.engine != Engine::Verilator {
            return Err(CliError::NoParts);
        }
    }
    Ok(())
}

/// Plays a design, and writes beside its waveform how a viewer shows it.
fn viewed(
    args: &SimulateArgs,
    text: impl FnOnce(&Path) -> String,
    play: impl FnOnce() -> Result<SimulationResult, CliError>,
) -> Result<SimulationResult, CliError> {
    let gtkw = args.gtkw.as_ref().map(|path| Ok::<_, FilesError>((NewFile::create(path)?, path))).transpose()?;
    let played = play()?;
    if let (Some((mut file, path)), Some(vcd)) = (gtkw, &args.vcd) {
        file.write_all(text(vcd).as_bytes()).map_err(|source| failed(path, source))?;
        file.finish()?;
    }
    Ok(played)
}

/// Plays a reduction with random values.
fn combined(
    design: &Design,
    mut combiner: Combiner<'_>,
    mut waveform: Option<Recording<'_>>,
) -> Result<SimulationResult, FilesError> {
    let program = &design.program;
    let name = &program.title.name;
    let progress = Progress::of_steps(format!("playing {name}"), program.ticks.into());
    let mut arrivals = 0;
    while !combiner.is_done() {
        combiner.step();
        progress.at(combiner.tick().into());
        arrivals += combiner.arrivals();
        if let Some(waveform) = &mut waveform {
            let held = |register| combiner.held(register).map_or((None, &[][..]), |(flit, value)| (Some(flit), value));
            waveform.tick(combiner.tick(), held)?;
        }
    }
    waveform.map_or(Ok(()), Recording::finish)?;
    drop(progress);
    let is_right = combiner.is_right();
    let results = if is_right { "every node's values are combined" } else { "some values are combined WRONG" };
    let name = list::title(design);
    let message = format!("{name}: {} ticks, {arrivals} arrivals; {results}\n", program.ticks);
    let played = SimulationResult::new(design, Engine::Model, is_right, message);
    Ok(SimulationResult { arrivals: Some(arrivals), ..played })
}

fn model(design: &Design, args: &SimulateArgs) -> Result<SimulationResult, CliError> {
    let program = &design.program;
    let name = &program.title.name;
    let payloads = Payloads { width: design.config.width(), seed: args.seed };
    let mut waveform = args.vcd.as_deref().map(|path| Recording::new(path, program, payloads)).transpose()?;
    if let Some(combiner) = Combiner::new(program, payloads) {
        return Ok(combined(design, combiner, waveform)?);
    }
    let mut machine = Machine::new(program);
    let mut notes = Notes::new(program);
    let progress = Progress::of_steps(format!("playing {name}"), program.ticks.into());
    while !machine.is_done() {
        machine.step();
        progress.at(machine.tick().into());
        notes.tick(&machine);
        if let Some(waveform) = &mut waveform {
            waveform.tick(machine.tick(), |register| (machine.register(register), &[]))?;
        }
    }
    waveform.map_or(Ok(()), Recording::finish)?;
    drop(progress);
    let (arrivals, lacking, complete_at) = notes.finish();
    let known = match complete_at {
        Some(tick) => format!("{} after tick {tick}", program.achieved()),
        None => format!("{lacking} nodes lack packets"),
    };
    let name = list::title(design);
    let message = format!("{name}: {} ticks, {arrivals} arrivals; {known}\n", program.ticks);
    let played = SimulationResult::new(design, Engine::Model, complete_at.is_some(), message);
    Ok(SimulationResult { arrivals: Some(arrivals), complete_at, ..played })
}

/// Waveform of the model in a file.
struct Recording<'p> {
    path: &'p Path,
    waveform: Waveform<'p, NewFile>,
}

impl<'p> Recording<'p> {
    fn new(path: &'p Path, program: &'p Program, payloads: Payloads) -> Result<Self, FilesError> {
        let waveform =
            Waveform::new(NewFile::create(path)?, program, payloads).map_err(|source| failed(path, source))?;
        Ok(Self { path, waveform })
    }

    fn tick<'v>(&mut self, tick: u32, held: impl Fn(usize) -> (Option<FlitId>, &'v [u64])) -> Result<(), FilesError> {
        self.waveform.tick(tick, held).map_err(|source| failed(self.path, source))
    }

    fn finish(self) -> Result<(), FilesError> {
        self.waveform.finish().map_err(|source| failed(self.path, source))?.finish()
    }
}

fn failed(path: &Path, source: io::Error) -> FilesError {
    FilesError::Write { path: path.to_owned(), source }
}

/// `GTKWave` view of the waveform.
fn view(design: &Design, engine: Engine, vcd: &Path) -> String {
    let (program, width, vcd) = (&design.program, design.config.width(), vcd.to_string_lossy());
    match engine {
        Engine::Model => vcd::view(&vcd, &vcd::model_scopes(program, width)),
        Engine::Verilator => {
            vcd::view(&vcd, &vcd::port_scopes(program, width, std::slice::from_ref(&program.title.name)))
        }
        Engine::Icarus | Engine::Bitstream => vcd::view_of_testbench(&vcd, program, width),
    }
}
