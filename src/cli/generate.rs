//! `torusweave generate`: RTL, testbench, program and file lists of a design.

use std::io;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use serde::Serialize;

use super::args::{DesignArgs, Format, FormatArgs};
use super::error::CliError;
use super::folder::Compared;
use super::output;
use super::progress::Progress;
use super::simulate::executable;
use super::{Outcome, check};
use crate::design::Design;
use crate::emit::{self, Files};
use crate::files::{FilesError, NewFolder, Shown, Written};
use crate::program::count;
use crate::show::text::Text;

/// Generate the Verilog of a design: routers, fabric, testbench, program and file lists.
///
/// The schedule is checked first. The folder is written whole or not at all. Its MANIFEST tells what torusweave wrote:
/// nothing else in it is replaced or removed, and while there is anything else the files are replaced one by one.
#[derive(Debug, Args)]
pub struct GenerateArgs {
    #[command(flatten)]
    design: DesignArgs,

    /// Where to; generated/NAME if left out.
    #[arg(short, long, value_name = "DIR")]
    out: Option<PathBuf>,

    /// Only these parts; the folder then holds no others, and its lists name no others.
    #[arg(long, value_enum, value_name = "PART,...", value_delimiter = ',', default_values_t = Part::ALL, hide_default_value = true)]
    only: Vec<Part>,

    /// Write nothing, but check the schedule and name the files that would be written.
    #[arg(long, conflicts_with_all = ["check", "force"])]
    dry_run: bool,

    /// Write nothing; exit with 1 and name the files that differ from what would be written.
    #[arg(long)]
    check: bool,

    /// Overwrite files that were edited, or that torusweave did not write, where new ones are to go.
    #[arg(long, conflicts_with = "check")]
    force: bool,

    #[command(flatten)]
    format: FormatArgs,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Part {
    /// Routers and fabric.
    Rtl,
    /// Memories and streams of the nodes, where the config asks for them.
    Nodes,
    /// The testbenches, with the packets they send and what must arrive.
    Tb,
    /// Lists of the files, for simulators and build tools.
    Lists,
    /// The schedule as text and JSON.
    Program,
}

impl Part {
    const ALL: [Self; 5] = [Self::Rtl, Self::Nodes, Self::Tb, Self::Lists, Self::Program];

    /// What the emitter makes of it.
    fn emitted(self) -> Option<emit::Part> {
        match self {
            Self::Rtl => Some(emit::Part::Rtl),
            Self::Nodes => Some(emit::Part::Nodes),
            Self::Tb => Some(emit::Part::Testbench),
            Self::Lists => Some(emit::Part::Lists),
            Self::Program => None,
        }
    }
}

#[derive(Serialize)]
struct Generated<'a> {
    folder: &'a Path,
    files: &'a [String],
    /// Why `auto` took the scheme.
    auto: Option<String>,
    nodes: u32,
    classes: usize,
    ticks: u32,
    steps: u32,
    bound: u64,
    ratio: f64,
}

pub fn run(args: &GenerateArgs) -> Result<Outcome, CliError> {
    let design = args.design.design()?;
    // what must arrive in a few ticks of a large design is mostly known without playing it
    if args.only.contains(&Part::Tb) {
        executable(&design.program)
            .or_else(|refused| if emit::is_played(&design.program) { Err(refused) } else { Ok(()) })?;
    }
    let folder = args.out.clone().unwrap_or_else(|| Path::new("generated").join(&design.program.title.name));
    if args.check { compare(args, &design, &folder) } else { generate(args, &design, &folder) }
}

fn generate(args: &GenerateArgs, design: &Design, folder: &Path) -> Result<Outcome, CliError> {
    let report = check::checked(&design.program);
    if !report.passed() {
        output::progress(check::describe(design, &report).trim_end());
        return Ok(Outcome::Failed);
    }
    if args.dry_run {
        let files = paths(design, &args.only);
        match args.format.format {
            Format::Json => output::json(&files)?,
            Format::Text => {
                let line = |path: &String| format!("would write {}\n", Shown(&folder.join(path)));
                output::text(files.iter().map(line).collect::<String>())?;
            }
        }
        return Ok(Outcome::Fine);
    }
    let mut new = NewFolder::begin(folder)?;
    emit(design, &args.only, &mut new).map_err(|source| FilesError::Write { path: folder.to_owned(), source })?;
    let Written { files, kept } = new.commit(args.force)?;
    for path in kept {
        output::progress(format_args!("kept {}, edited since it was written", Shown(&folder.join(path))));
    }
    let program = &design.program;
    let generated = Generated {
        folder,
        files: &files,
        auto: design.reason.as_ref().map(ToString::to_string),
        nodes: program.topology.nodes(),
        classes: program.classes.len(),
        ticks: program.ticks,
        steps: program.steps(),
        bound: design.bound().steps,
        ratio: f64::from(program.steps()) / design.bound().steps as f64,
    };
    match args.format.format {
        Format::Json => output::json(&generated)?,
        Format::Text => output::text(describe(&generated))?,
    }
    Ok(Outcome::Fine)
}

fn compare(args: &GenerateArgs, design: &Design, folder: &Path) -> Result<Outcome, CliError> {
    let mut compared = Compared::begin(folder);
    emit(design, &args.only, &mut compared)?;
    let differing = compared.finish();
    match args.format.format {
        Format::Json => output::json(&differing)?,
        Format::Text if differing.is_empty() => output::text(format!("{} is up to date\n", Shown(folder)))?,
        Format::Text => {
            let differs = |path: &String| format!("differs: {}\n", Shown(&folder.join(path)));
            output::text(differing.iter().map(differs).collect::<String>())?;
        }
    }
    Ok(if differing.is_empty() { Outcome::Fine } else { Outcome::Failed })
}

/// Every file of some parts of a design.
fn emit(design: &Design, parts: &[Part], files: &mut dyn Files) -> io::Result<()> {
    let program = &design.program;
    let _progress = Progress::of(format!("writing {}", program.title.name));
    emit::write_parts(program, &design.options(), &emitted(parts), files)?;
    if parts.contains(&Part::Program) {
        files.file("program.txt")?.write_all(Text(program).to_string().as_bytes())?;
        files.file("program.json")?.write_all(program.json().as_bytes())?;
    }
    Ok(())
}

fn emitted(parts: &[Part]) -> Vec<emit::Part> {
    parts.iter().filter_map(|part| part.emitted()).collect()
}

/// The paths that [`emit`] writes.
fn paths(design: &Design, parts: &[Part]) -> Vec<String> {
    let mut paths = emit::paths_of_parts(&design.program, &design.options(), &emitted(parts));
    if parts.contains(&Part::Program) {
        paths.extend(["program.txt", "program.json"].map(str::to_owned));
    }
    paths
}

fn describe(generated: &Generated) -> String {
    let Generated { folder, files, auto, nodes, classes, ticks, steps, bound, ratio } = generated;
    let auto = auto.as_ref().map_or(String::new(), |reason| format!("auto: {reason}\n"));
    let wrote = files.iter().map(|path| format!("wrote {}\n", Shown(&folder.join(path)))).collect::<Vec<_>>().concat();
    let classes = if *classes == 1 { "1 class".to_owned() } else { format!("{classes} classes") };
    format!(
        "{wrote}{auto}{}, {classes}, {}; {} against a lower bound of {bound}: ratio {ratio:.3}\n",
        count((*nodes).into(), "node"),
        count((*ticks).into(), "tick"),
        count((*steps).into(), "step"),
    )
}
