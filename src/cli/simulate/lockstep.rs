//! Verilated RTL beside the model: of one collective, of a protocol, or of calls of several programs.

use std::io;
use std::path::Path;

use super::super::error::CliError;
use super::super::listed;
use super::super::output;
use super::super::progress::Progress;
use super::super::size_limits::benchable;
use super::{Engine, SimulateArgs, SimulationResult, refuse_idle_flags, refuse_recording, registers_and_ticks, viewed};
use crate::design::Design;
use crate::design::config::Config;
use crate::design::listed::Programs;
use crate::design::support::lists;
use crate::emit::node::ListDesign;
use crate::emit::vcd::{self, CallWaveform, PortWaveform};
use crate::files::{FilesError, NewFile};
use crate::program::count;
use crate::protocol::Protocol;
use crate::tools::lockstep::{
    self, CallAgreement, CallSimulator, CallWatch, LockstepError, RegisterDifference, Simulator, Toolchain, Verilated,
};

/// Plays the RTL of a design beside the model.
pub fn verilator(design: &Design, args: &SimulateArgs) -> Result<SimulationResult, CliError> {
    let tools = Toolchain::find().map_err(LockstepError::from)?;
    let name = &design.program.title.name;
    output::progress(format_args!("building the simulator of {name} with {}", tools.version()));
    let _progress = Progress::of(format!("compiling {name}, and playing it beside the model"));
    // an output that cannot be written is refused before anything is compiled
    let file = args.vcd.as_deref().map(NewFile::create).transpose()?;
    let simulator = Simulator::build(&tools, &design.program, &design.options(), args.by)?;
    let outcome = match (file, &args.vcd) {
        (Some(file), Some(path)) => recorded(design, &simulator, file, path, args.seed)?,
        _ => simulator.play(args.seed)?,
    };
    Ok(match outcome {
        Ok(agreement) => {
            let message = format!(
                "{name}: lockstep, {} ticks, {} registers per tick: RTL and model are equal\n\
                 {} ticks compared: a first pass, a restart, a pass cut short by reset, and one after it\n\
                 {}\n",
                design.program.ticks, agreement.registers, agreement.ticks, agreement.verilated
            );
            let played = SimulationResult::new(design, Engine::Verilator, true, message);
            let modules = match agreement.verilated {
                Verilated::Fabric => None,
                Verilated::Modules { modules, .. } => Some(modules),
            };
            SimulationResult {
                registers: Some(agreement.registers),
                compared: Some(agreement.ticks),
                modules,
                ..played
            }
        }
        Err(difference) => {
            let message = format!("{name}: RTL and model differ: {difference}\n");
            SimulationResult::new(design, Engine::Verilator, false, message)
        }
    })
}

/// Plays it with a waveform, which ends where RTL and model differ.
fn recorded(
    design: &Design,
    simulator: &Simulator<'_>,
    file: NewFile,
    path: &Path,
    seed: u64,
) -> Result<lockstep::LockstepOutcome, CliError> {
    let failed = |source| FilesError::Write { path: path.to_owned(), source };
    let mut ports = PortWaveform::new(file, &design.program, design.config.width()).map_err(failed)?;
    let mut written = Ok(());
    let outcome = simulator.play_watched(seed, &mut |seen| {
        if written.is_ok() {
            written = ports.clock(seen.inputs, seen.tick, seen.arrived());
        }
    })?;
    written.map_err(failed)?;
    ports.finish().map_err(failed)?.finish()?;
    Ok(outcome)
}

/// The state machines of a protocol beside its RTL, for the lengths of the config or for random ones.
pub fn run_time_lengths(
    design: &Design,
    protocol: &Protocol,
    args: &SimulateArgs,
) -> Result<SimulationResult, CliError> {
    let tools = Toolchain::find().map_err(LockstepError::from)?;
    let name = &design.program.title.name;
    output::progress(format_args!("building the simulator of {name} with {}", tools.version()));
    let _progress = Progress::of(format!("compiling {name}, and playing it beside the state machines"));
    let lengths = match args.random_lengths {
        Some(rounds) => lockstep::random_lengths(protocol, rounds, args.seed),
        None => vec![protocol.lengths.clone()],
    };
    let played = lockstep::play_protocol(&tools, &design.program, &design.options(), protocol, &lengths, args.seed)?;
    Ok(match played {
        Ok(agreement) => {
            let message = format!(
                "{name}: lockstep, {} {} of lengths, {} registers per tick: RTL and state machines are equal\n\
                 {} ticks compared\n",
                lengths.len(),
                if lengths.len() == 1 { "set" } else { "sets" },
                agreement.registers,
                agreement.ticks
            );
            let played = SimulationResult::new(design, Engine::Verilator, true, message);
            SimulationResult { registers: Some(agreement.registers), compared: Some(agreement.ticks), ..played }
        }
        Err(difference) => {
            let message = format!("{name}: RTL and state machines differ: {difference}\n");
            SimulationResult::new(design, Engine::Verilator, false, message)
        }
    })
}

/// Calls of a list that are played if none are asked for.
const CALLS: u32 = 50;

/// Calls the programs of a list in random order, or the one that is named.
pub fn of_list(config: Config, args: &SimulateArgs) -> Result<SimulationResult, CliError> {
    let programs = listed::built(config)?;
    programs.designs.iter().try_for_each(|design| refuse_idle_flags(design, args))?;
    if programs.config.link.elastic && !programs.config.has_streams_of_nodes() {
        return Err(lists::HOSTS_OF_BOARDS.refusal("nothing plays the hosts of boards (`link.elastic: true`)").into());
    }
    programs.designs.iter().try_for_each(benchable)?;
    let tools = Toolchain::find().map_err(LockstepError::from)?;
    let name = programs.name();
    let calls = args.calls.unwrap_or(CALLS);
    let named = args.design.named_together(&programs);
    let listed =
        if named.is_some() { programs.designs.clone() } else { args.design.named_of(programs.designs.clone())? };
    let longest = listed.iter().map(registers_and_ticks).max().unwrap_or(0);
    refuse_recording(args, longest.saturating_mul(calls.into()))?;
    let numbers = listed.iter().filter_map(|design| Some(design.listed?.number)).filter(|_| named.is_none());
    let together = programs.netlist.together.iter();
    let together = together.filter(|&it| named == Some(it) || !args.design.is_named()).map(|it| it.number);
    let numbers: Vec<usize> = numbers.chain(together).map(|number| number as usize).collect();
    let text = |vcd: &Path| {
        programs
            .emitted(|design| vcd::view(&vcd.to_string_lossy(), &vcd::call_scopes(design, &[design.with_all_nodes()])))
    };
    viewed(args, text, || {
        output::progress(format_args!("building the simulator of {name} with {}", tools.version()));
        let _progress = Progress::of(format!("compiling {name}, and calling it beside the model"));
        let file = args.vcd.as_deref().map(NewFile::create).transpose()?;
        let each = || programs.designs.iter().map(|design| &design.program);
        let simulator = programs.emitted(|design: &ListDesign| CallSimulator::build(&tools, design, each()))?;
        let outcome = match (file, &args.vcd) {
            (Some(file), Some(path)) => {
                let recording = programs.emitted(|design| CallWaveform::new(file, design));
                recorded_calls(recording, path, |watch| simulator.play_watched(&numbers, calls, args.seed, watch))?
            }
            _ => simulator.play(&numbers, calls, args.seed)?,
        };
        Ok(played_calls(&programs, outcome))
    })
}

/// Plays calls with a waveform, which ends where RTL and model differ.
fn recorded_calls<T>(
    recording: io::Result<CallWaveform<NewFile>>,
    path: &Path,
    play: impl FnOnce(CallWatch<'_>) -> Result<T, LockstepError>,
) -> Result<T, CliError> {
    let failed = |source| FilesError::Write { path: path.to_owned(), source };
    let mut recording = recording.map_err(failed)?;
    let mut written = Ok(());
    let outcome = play(&mut |seen| {
        if written.is_ok() {
            written = recording.clock(seen.values());
        }
    })?;
    written.map_err(failed)?;
    recording.finish().map_err(failed)?.finish()?;
    Ok(outcome)
}

/// Result of calls.
fn played_calls(programs: &Programs, outcome: Result<CallAgreement, Box<RegisterDifference>>) -> SimulationResult {
    let name = programs.name();
    let played = SimulationResult::new(&programs.designs[0], Engine::Verilator, outcome.is_ok(), String::new());
    let ticks = programs.designs.iter().map(|design| design.program.ticks).sum();
    let played = SimulationResult { name: name.clone(), program: None, ticks, ..played };
    match outcome {
        Ok(agreement) => {
            let message = called(&name, &agreement);
            let CallAgreement { calls, ticks, registers, values, words } = agreement;
            let (registers, compared) = (Some(registers), Some(ticks));
            SimulationResult { message, registers, compared, calls, values: Some(values), words: Some(words), ..played }
        }
        Err(difference) => {
            SimulationResult { message: format!("{name}: RTL and model differ: {difference}\n"), ..played }
        }
    }
}

/// Report of calls in which everything was equal.
fn called(name: &str, agreement: &CallAgreement) -> String {
    let CallAgreement { calls, ticks, registers, values, words } = agreement;
    let of_program = |(program, calls): (usize, &u32)| format!("program {program} {calls} times");
    let each: Vec<String> = calls.iter().enumerate().map(of_program).collect();
    format!(
        "{name}: lockstep over {} with {} in random order: RTL and model are equal\n\
         {} compared: {} in {registers} registers and arrivals, and {} that nodes gave\n\
         {}\n",
        count(calls.len() as u64, "program"),
        count(calls.iter().map(|&calls| u64::from(calls)).sum(), "call"),
        count(*ticks, "tick"),
        count(*values, "value"),
        count(*words, "word"),
        each.join(", ")
    )
}
