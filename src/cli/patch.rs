//! `torusweave patch`: words that mend a fabric with control words in memory after links or nodes have died.

use std::path::{Path, PathBuf};

use clap::Args;

use super::args::ScheduleArgs;
use super::error::CliError;
use super::progress::Progress;
use super::size_limits::executable;
use super::{CommandEnd, check, output};
use crate::design::Design;
use crate::design::config::Config;
use crate::design::support::building;
use crate::emit::{self, Options, PatchBench};
use crate::files::{FilesError, NewFolder, Shown, WrittenFiles};
use crate::net::Network;
use crate::netlist::Loadable;
use crate::program::{Program, count};
use crate::schemes::SchemeName;
use crate::schemes::general::patch::{Patch, patch};
use crate::schemes::optimal::{Optimal, StoreMode, along_shortest_ways};
use crate::study::bounds::{self, Goal};
use crate::task::Task;

/// Mend a running fabric after links or nodes have died: write the words to load, and no new RTL.
///
/// The fabric is that of the network without its dead parts, with the control words of its routers in memory. Which parts are dead does not
/// change its RTL, so it is synthesised once. `NAME_patch.hex` has the frames to shift in, one per line: the new number of ticks less
/// one, the inputs whose links are alive, and the words that are added. The testbench plays the whole network, lets the dead wires say
/// X, loads the patch and plays the damaged network.
#[derive(Debug, Args)]
pub struct PatchArgs {
    #[command(flatten)]
    design: ScheduleArgs,

    /// Output directory; `generated/NAME_patch` if left out
    #[arg(short, long, value_name = "DIR")]
    out: Option<PathBuf>,

    /// Overwrite files that were edited, or that torusweave did not write, where new ones are to go.
    #[arg(long)]
    force: bool,
}

pub fn run(args: &PatchArgs) -> Result<CommandEnd, CliError> {
    let config = args.design.config()?.as_list();
    let damaged = config.validate()?;
    let mut whole = config;
    whole.topology.dead = crate::design::config::DeadParts::default();
    if !whole.programs.is_empty() {
        // the fabric is that of the one program
        whole = args.design.built(whole)?.config;
    }
    if whole.groups.is_some() {
        return Err(building::PATCH.refusal("not supported with `groups`").into());
    }
    let whole = built(whole)?;
    let program = &whole.program;
    let refused = |what: &str| building::PATCH.refusal(what);
    let loadable = Loadable::of(program).filter(|_| is_plain(program));
    let loadable = loadable.ok_or_else(|| refused("this is not a gossip of packets of one flit"))?;
    executable(program)?;
    let least = bound(program, &damaged);
    let found = {
        let _progress = Progress::of(format!("patching the schedule of {}", program.title.name));
        patch(program, &damaged, least as u32, loadable.most_ticks())
    };
    let most = loadable.most_ticks();
    let found = found.ok_or_else(|| refused(&format!("the damaged network takes more than {most} ticks")))?;
    let report = check::checked(&found.program);
    if !report.passed() {
        output::progress(format_args!("the patched schedule is wrong: {:?}", report.violations));
        return Ok(CommandEnd::Failed);
    }
    let frames = loadable.frames(&program.topology, &damaged, found.program.ticks, &found.words);
    let name = &program.title.name;
    let folder = args.out.clone().unwrap_or_else(|| Path::new("generated").join(format!("{name}_patch")));
    let written = write(&whole, &found, &frames, &folder, args.force)?;
    output::text(describe(&whole, &found, &loadable, &frames, least, (&folder, &written)))?;
    Ok(CommandEnd::Fine)
}

/// The design of the network without its dead parts. Where all nodes are alike and no other schedule is asked for, packets take
/// shortest ways: a dead link then takes the fewest of them away, and memories that all outputs read have packets of any age.
fn built(mut config: Config) -> Result<Design, CliError> {
    let _progress = Progress::of(format!("building the schedule of {}", config.name()));
    let optimal = SchemeName::One(&Optimal);
    if config.scheme == SchemeName::default() && config.packets.is_none() {
        let topology = config.validate()?;
        let choice = config.choice(config.traffic(&topology)?);
        if optimal.fits(&Task { topology: &topology, link: config.capacity(), choice }).is_ok() {
            config.scheme = optimal;
        }
    }
    let mut design = Design::new(config)?;
    let Program { topology, title, .. } = &design.program;
    let is_open = design.config.scheme == optimal && design.config.store == StoreMode::default();
    if is_open && is_plain(&design.program) && design.program.latency == 1 {
        design.program = along_shortest_ways(topology, title).unwrap_or(design.program);
    }
    Ok(design)
}

/// Returns true for a gossip of packets of one flit over links that carry them both ways.
fn is_plain(program: &Program) -> bool {
    program.collective() == "gossip" && program.flits == 1 && program.lanes == 1 && program.duplex.is_full()
}

/// The fewest ticks of the damaged network, whatever the schedule.
fn bound(program: &Program, damaged: &Network) -> u64 {
    let flits = program.demand.most_packets().into();
    bounds::lower_bound(damaged, program.link(), Goal::Gossip { flits }).ticks
}

fn write(
    whole: &Design,
    found: &Patch,
    frames: &[Vec<bool>],
    folder: &Path,
    force: bool,
) -> Result<Vec<String>, CliError> {
    let mut new = NewFolder::begin(folder)?;
    let program = &whole.program;
    let Options { width, origin, leaves, .. } = whole.options();
    let origin = origin.replacen(" generate ", " patch ", 1);
    let options = Options { leaves, loaded: true, ..Options::plain(width, origin) };
    let bench = PatchBench { whole: program, patched: &found.program, frames };
    let mut emit = || {
        emit::write_patch(bench, &options, &mut new)?;
        std::io::Write::write_all(&mut new.file("program.json")?, found.program.json().as_bytes())
    };
    emit().map_err(|source| FilesError::Write { path: folder.to_owned(), source })?;
    let WrittenFiles { files, kept } = new.commit(force)?;
    for path in kept {
        output::progress(format_args!("kept {}, edited since it was written", Shown(&folder.join(path))));
    }
    Ok(files)
}

fn describe(
    whole: &Design,
    found: &Patch,
    loadable: &Loadable,
    frames: &[Vec<bool>],
    least: u64,
    (folder, files): (&Path, &[String]),
) -> String {
    let wrote: Vec<String> = files.iter().map(|path| format!("wrote {}\n", Shown(&folder.join(path)))).collect();
    let wrote = wrote.concat();
    let ticks = found.program.ticks;
    let all = u64::from(ticks) * whole.program.registers() as u64;
    format!(
        "{wrote}{} of {all}, in {} of {} bits; {}, the lower bound is {least}, {} before\n",
        count(found.words.len() as u64, "word"),
        count(frames.len() as u64, "frame"),
        loadable.frame_bits(),
        count(ticks.into(), "tick"),
        whole.program.ticks,
    )
}
