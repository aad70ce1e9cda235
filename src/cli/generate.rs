//! `torusweave generate`: RTL, testbench, program and file lists of a design.

mod figures;

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use clap::Args;
use serde::Serialize;

use super::args::{DesignsArgs, FormatArgs, ResultFormat};
use super::error::CliError;
use super::folder::FolderComparison;
use super::output;
use super::progress::Progress;
use super::size_limits::benchable;
use super::time::DeviceTimes;
use super::{CommandEnd, check, stale};
use crate::design::config::Config;
use crate::design::listed::ProgramsError;
use crate::emit::{Files, is_played};
use crate::files::{FilesError, NewFolder, Shown, WrittenFiles, shown};
use crate::program::count;
use crate::whole::{FilePart, ScheduleFigures, WholeDesign};
use figures::Schedules;

/// Generate the Verilog of a design: routers, fabric, testbench, program and file lists.
///
/// The schedule is checked first. The folder is written whole or not at all. Its MANIFEST tells what torusweave wrote:
/// nothing else in it is replaced or removed, and while there is anything else the files are replaced one by one.
///
/// Several configs get a folder each. All are read, built and checked before the first is written; in JSON the
/// results are a list then.
#[derive(Debug, Args)]
pub struct GenerateArgs {
    #[command(flatten)]
    designs: DesignsArgs,

    /// Output directory [default: generated/NAME]. Not with several configs
    #[arg(short, long, value_name = "DIR")]
    out: Option<PathBuf>,

    /// Only these parts; the folder then holds no others, and its lists name no others.
    #[arg(long, value_enum, value_name = "PART,...", value_delimiter = ',', default_values_t = FilePart::ALL, hide_default_value = true)]
    only: Vec<FilePart>,

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

/// A design and where it goes.
struct Target {
    whole: WholeDesign,
    folder: PathBuf,
}

/// Some files of a folder.
#[derive(Serialize)]
struct ListedFiles<'a> {
    folder: &'a Path,
    files: &'a [String],
}

#[derive(Serialize)]
struct Generated<'a> {
    folder: &'a Path,
    files: Vec<String>,
    /// Files that were edited and are as they were.
    kept: Vec<String>,
    /// Kept files that were edited for another design.
    stale: Vec<String>,
    nodes: u32,
    #[serde(flatten)]
    schedules: Schedules,
}

pub fn run(args: &GenerateArgs) -> Result<CommandEnd, CliError> {
    let targets = args.targets(args.designs.each(built)?)?;
    // the arrivals in a few ticks of a large design are mostly known without playing it
    if args.only.contains(&FilePart::Tb) {
        for Target { whole, .. } in &targets {
            if let WholeDesign::One(design) = whole {
                benchable(design).or_else(|refused| if is_played(&design.program) { Err(refused) } else { Ok(()) })?;
            }
        }
    }
    if args.check {
        return compare(args, &targets);
    }
    let mut outcome = CommandEnd::Fine;
    for design in targets.iter().flat_map(|target| target.whole.designs()) {
        let report = check::checked(&design.program);
        if !report.passed() {
            output::progress(check::describe(design, &report, &DeviceTimes::default()).trim_end());
            outcome = CommandEnd::Failed;
        }
    }
    for Target { whole, .. } in &targets {
        let WholeDesign::Several(programs) = whole else { continue };
        let verdicts = programs.netlist.together.iter();
        let verdicts = verdicts.map(|together| check::TogetherVerdict::of(&whole.name(), together, &programs.designs));
        for verdict in verdicts.filter(|verdict| !verdict.passed) {
            output::progress(verdict.to_string().trim_end());
            outcome = CommandEnd::Failed;
        }
    }
    match outcome {
        CommandEnd::Failed => Ok(outcome),
        CommandEnd::Fine if args.dry_run => {
            let files: Vec<_> = targets.iter().map(|target| target.whole.paths(&args.only)).collect();
            args.list("generate-dry-run", &targets, &files, |_| String::new(), "would write ")?;
            Ok(outcome)
        }
        CommandEnd::Fine => generate(args, &targets),
    }
}

fn built(config: Config) -> Result<WholeDesign, ProgramsError> {
    let schedules = if config.programs.is_empty() { "schedule" } else { "schedules" };
    let _progress = Progress::of(format!("building the {schedules} of {}", shown(&config.name())));
    WholeDesign::of(config)
}

fn emit(whole: &WholeDesign, parts: &[FilePart], files: &mut dyn Files) -> io::Result<()> {
    let _progress = Progress::of(format!("writing {}", whole.name()));
    whole.emit(parts, files)
}

/// Files that were edited, and are for another design.
fn stale_files(whole: &WholeDesign, folder: &Path, edited: &[String]) -> Vec<String> {
    stale::of(&whole.elements(), |stubs| whole.emit(&[FilePart::Nodes], stubs), folder, edited)
}

impl GenerateArgs {
    /// Destination of each design, a folder of its own.
    fn targets(&self, all: Vec<WholeDesign>) -> Result<Vec<Target>, CliError> {
        if self.out.is_some() && all.len() > 1 {
            return Err(CliError::OneFolder { designs: all.len() });
        }
        let target = |whole: WholeDesign| {
            let folder = self.out.clone().unwrap_or_else(|| Path::new("generated").join(whole.name()));
            Target { whole, folder }
        };
        let targets: Vec<Target> = all.into_iter().map(target).collect();
        let mut first = BTreeMap::new();
        for (index, Target { folder, .. }) in targets.iter().enumerate() {
            if let Some(first) = first.insert(folder, index) {
                let files = self.designs.files();
                let configs = [first, index].map(|index| files[index].clone());
                return Err(CliError::SameFolder { configs, folder: folder.clone() });
            }
        }
        Ok(targets)
    }

    /// Prints some files of each folder, in JSON as documents of this name; `done` is what is said of a folder without any.
    fn list(
        &self,
        name: &str,
        targets: &[Target],
        files: &[Vec<String>],
        done: impl Fn(&Path) -> String,
        label: &str,
    ) -> io::Result<()> {
        let listed = targets.iter().zip(files).map(|(target, files)| ListedFiles { folder: &target.folder, files });
        let text = |ListedFiles { folder, files }: ListedFiles| {
            let line = |path: &String| format!("{label}{}\n", Shown(&folder.join(path)));
            if files.is_empty() { done(folder) } else { files.iter().map(line).collect() }
        };
        match self.format.format {
            ResultFormat::Text => output::text(listed.map(text).collect::<String>()),
            ResultFormat::Json => output::json_of_each(name, &listed.collect::<Vec<_>>()),
        }
    }
}

fn generate(args: &GenerateArgs, targets: &[Target]) -> Result<CommandEnd, CliError> {
    let mut all = Vec::new();
    for target in targets {
        let generated = write(args, target)?;
        if args.format.format == ResultFormat::Text {
            output::text(describe(&generated))?;
        }
        all.push(generated);
    }
    if args.format.format == ResultFormat::Json {
        output::json_of_each("generate", &all)?;
    }
    Ok(CommandEnd::Fine)
}

/// Bytes of the fabric's text per register of an output, measured on 8x8, 6x8 and 3x3x3: from 305 to 340.
const TEXT_OF_AN_OUTPUT: u64 = 320;
/// More bytes than this are announced before they are written.
const MOST_UNANNOUNCED: u64 = 1 << 28;

/// Says how large the fabric's text becomes, where that is worth knowing before it stands on the disk.
fn announce(args: &GenerateArgs, whole: &WholeDesign) {
    let bytes = whole.designs()[0].program.registers() as u64 * TEXT_OF_AN_OUTPUT;
    if args.only.contains(&FilePart::Rtl) && bytes > MOST_UNANNOUNCED {
        let name = whole.name();
        output::progress(format_args!("{name}: writing about {:.1} GB of Verilog", bytes as f64 / 1e9));
    }
}

fn write<'a>(args: &GenerateArgs, Target { whole, folder }: &'a Target) -> Result<Generated<'a>, CliError> {
    announce(args, whole);
    let mut new = NewFolder::begin(folder)?;
    emit(whole, &args.only, &mut new).map_err(|source| FilesError::Write { path: folder.to_owned(), source })?;
    new.leave(whole.elements());
    let WrittenFiles { files, kept } = new.commit(args.force)?;
    let stale = stale_files(whole, folder, &kept);
    for path in &kept {
        let why = if stale.contains(path) { ", for a design with other ports or constants" } else { "" };
        output::progress(format_args!("kept {}, edited since it was written{why}", Shown(&folder.join(path))));
    }
    let nodes = whole.designs()[0].program.topology.live_nodes();
    Ok(Generated { folder, files, kept, stale, nodes, schedules: Schedules::of(whole) })
}

fn compare(args: &GenerateArgs, targets: &[Target]) -> Result<CommandEnd, CliError> {
    let mut differing = Vec::new();
    for Target { whole, folder } in targets {
        let mut compared = FolderComparison::begin(folder);
        emit(whole, &args.only, &mut compared)?;
        compared.leave(whole.elements());
        let (mut files, edited) = compared.finish();
        files.extend(stale_files(whole, folder, &edited));
        files.sort();
        differing.push(files);
    }
    args.list(
        "generate-check",
        targets,
        &differing,
        |folder| format!("{} is up to date\n", Shown(folder)),
        "differs: ",
    )?;
    Ok(if differing.iter().all(Vec::is_empty) { CommandEnd::Fine } else { CommandEnd::Failed })
}

fn describe(generated: &Generated) -> String {
    let Generated { folder, files, nodes, schedules, .. } = generated;
    let wrote = files.iter().map(|path| format!("wrote {}\n", Shown(&folder.join(path)))).collect::<Vec<_>>().concat();
    let nodes = count((*nodes).into(), "node");
    let figures = match schedules {
        Schedules::Several { programs } => {
            return format!("{wrote}{nodes}, {}\n", count(programs.len() as u64, "program"));
        }
        Schedules::One(figures) => figures,
    };
    let ScheduleFigures { auto, classes, ticks, steps, bound, ratio } = figures;
    let auto = auto.as_ref().map_or(String::new(), |reason| format!("auto: {reason}\n"));
    let classes = if *classes == 1 { "1 class".to_owned() } else { format!("{classes} classes") };
    format!(
        "{wrote}{auto}{nodes}, {classes}, {}; {} against a lower bound of {bound}: ratio {ratio:.3}\n",
        count((*steps).into(), "step"),
        count((*ticks).into(), "tick"),
    )
}
