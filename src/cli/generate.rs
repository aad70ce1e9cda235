//! `torusweave generate`: RTL, testbench, program and file lists of a design.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use serde::Serialize;

use super::args::{DesignsArgs, Format, FormatArgs};
use super::error::CliError;
use super::folder::Compared;
use super::output;
use super::progress::Progress;
use super::size_limits::benchable;
use super::time::Times;
use super::{Outcome, check, stale};
use crate::design::Design;
use crate::design::config::Config;
use crate::design::engine::{EngineError, Programs};
use crate::emit::{self, Files};
use crate::explain::program_text::Text;
use crate::files::{FilesError, NewFolder, Shown, Written, shown};
use crate::program::count;
use crate::task::Collective;

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

    /// Part of the emitter's output, if the emitter makes it.
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

/// Design of one collective, or of several programs.
enum Subject {
    One(Box<Design>),
    Several(Box<Programs>),
}

/// A design and where it goes.
struct Target {
    subject: Subject,
    folder: PathBuf,
}

/// Some files of a folder.
#[derive(Serialize)]
struct Listed<'a> {
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

/// Figures of a design's schedules.
#[derive(Serialize)]
#[serde(untagged)]
enum Schedules {
    One(ScheduleFigures),
    Several { programs: Vec<ProgramFigures> },
}

/// Figures of a schedule.
#[derive(Serialize)]
struct ScheduleFigures {
    /// Why `auto` took the scheme.
    auto: Option<String>,
    classes: usize,
    ticks: u32,
    steps: u32,
    bound: u64,
    ratio: f64,
}

/// Figures of one program of several.
#[derive(Serialize)]
struct ProgramFigures {
    program: usize,
    collective: Collective,
    #[serde(flatten)]
    schedule: ScheduleFigures,
}

impl ScheduleFigures {
    fn of(design: &Design) -> Self {
        let Design { program, reason, .. } = design;
        let bound = design.bound().ticks;
        Self {
            auto: reason.as_ref().map(ToString::to_string),
            classes: program.live_classes(),
            ticks: program.ticks,
            steps: program.steps(),
            bound,
            ratio: f64::from(program.ticks) / bound as f64,
        }
    }
}

impl Subject {
    fn of(config: Config) -> Result<Self, EngineError> {
        let _progress = Progress::of(format!("building the schedules of {}", shown(&config.name())));
        Ok(match config.programs.is_empty() {
            true => Self::One(Box::new(Design::new(config)?)),
            false => Self::Several(Box::new(Programs::new(config)?)),
        })
    }

    fn name(&self) -> String {
        match self {
            Self::One(design) => design.program.title.name.clone(),
            Self::Several(programs) => programs.name(),
        }
    }

    /// Designs of its programs.
    fn designs(&self) -> &[Design] {
        match self {
            Self::One(design) => std::slice::from_ref(design),
            Self::Several(programs) => &programs.designs,
        }
    }

    /// Every file of some parts.
    fn emit(&self, parts: &[Part], files: &mut dyn Files) -> io::Result<()> {
        let _progress = Progress::of(format!("writing {}", self.name()));
        let is_told = parts.contains(&Part::Program);
        match self {
            Self::One(design) => {
                let program = &design.program;
                emit::write_parts(program, &design.options(), &emitted(parts), files)?;
                if is_told {
                    files.file("program.txt")?.write_all(Text(program).to_string().as_bytes())?;
                    files.file("program.json")?.write_all(program.json().as_bytes())?;
                }
                Ok(())
            }
            Self::Several(programs) => {
                programs.emitted(|design| design.write(&emitted(parts), files))?;
                if is_told { programs.write_schedules(files) } else { Ok(()) }
            }
        }
    }

    /// The paths that [`Self::emit`] writes.
    fn paths(&self, parts: &[Part]) -> Vec<String> {
        let (mut paths, told) = match self {
            Self::One(design) => (
                emit::paths_of_parts(&design.program, &design.options(), &emitted(parts)),
                vec!["program.txt".to_owned(), "program.json".to_owned()],
            ),
            Self::Several(programs) => (
                programs.emitted(|design| design.paths(&emitted(parts))),
                programs.schedules().map(|(path, _)| path.to_owned()).collect(),
            ),
        };
        if parts.contains(&Part::Program) {
            paths.extend(told);
        }
        paths
    }

    /// Files for the user to edit.
    fn elements(&self) -> Vec<String> {
        match self {
            Self::One(design) => emit::elements(&design.program, &design.options()),
            Self::Several(_) => Vec::new(),
        }
    }

    /// Files that were edited, and are for another design.
    fn stale(&self, folder: &Path, edited: &[String]) -> Vec<String> {
        match self {
            Self::One(design) => stale::of(design, folder, edited),
            Self::Several(_) => Vec::new(),
        }
    }

    fn schedules(&self) -> Schedules {
        match self {
            Self::One(design) => Schedules::One(ScheduleFigures::of(design)),
            Self::Several(programs) => {
                let figures = |(program, design): (usize, &Design)| ProgramFigures {
                    program,
                    collective: design.config.collective,
                    schedule: ScheduleFigures::of(design),
                };
                Schedules::Several { programs: programs.designs.iter().enumerate().map(figures).collect() }
            }
        }
    }
}

pub fn run(args: &GenerateArgs) -> Result<Outcome, CliError> {
    let targets = args.targets(args.designs.each(Subject::of)?)?;
    // the arrivals in a few ticks of a large design are mostly known without playing it
    if args.only.contains(&Part::Tb) {
        for Target { subject, .. } in &targets {
            if let Subject::One(design) = subject {
                benchable(design)
                    .or_else(|refused| if emit::is_played(&design.program) { Err(refused) } else { Ok(()) })?;
            }
        }
    }
    if args.check {
        return compare(args, &targets);
    }
    let mut outcome = Outcome::Fine;
    for design in targets.iter().flat_map(|target| target.subject.designs()) {
        let report = check::checked(&design.program);
        if !report.passed() {
            output::progress(check::describe(design, &report, &Times::default()).trim_end());
            outcome = Outcome::Failed;
        }
    }
    match outcome {
        Outcome::Failed => Ok(outcome),
        Outcome::Fine if args.dry_run => {
            let files: Vec<_> = targets.iter().map(|target| target.subject.paths(&args.only)).collect();
            args.list("generate-dry-run", &targets, &files, |_| String::new(), "would write ")?;
            Ok(outcome)
        }
        Outcome::Fine => generate(args, &targets),
    }
}

impl GenerateArgs {
    /// Destination of each design, a folder of its own.
    fn targets(&self, subjects: Vec<Subject>) -> Result<Vec<Target>, CliError> {
        if self.out.is_some() && subjects.len() > 1 {
            return Err(CliError::OneFolder { designs: subjects.len() });
        }
        let target = |subject: Subject| {
            let folder = self.out.clone().unwrap_or_else(|| Path::new("generated").join(subject.name()));
            Target { subject, folder }
        };
        let targets: Vec<Target> = subjects.into_iter().map(target).collect();
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
        let listed = targets.iter().zip(files).map(|(target, files)| Listed { folder: &target.folder, files });
        let text = |Listed { folder, files }: Listed| {
            let line = |path: &String| format!("{label}{}\n", Shown(&folder.join(path)));
            if files.is_empty() { done(folder) } else { files.iter().map(line).collect() }
        };
        match self.format.format {
            Format::Text => output::text(listed.map(text).collect::<String>()),
            Format::Json => output::json_of_each(name, &listed.collect::<Vec<_>>()),
        }
    }
}

fn generate(args: &GenerateArgs, targets: &[Target]) -> Result<Outcome, CliError> {
    let mut all = Vec::new();
    for target in targets {
        let generated = write(args, target)?;
        if args.format.format == Format::Text {
            output::text(describe(&generated))?;
        }
        all.push(generated);
    }
    if args.format.format == Format::Json {
        output::json_of_each("generate", &all)?;
    }
    Ok(Outcome::Fine)
}

/// Bytes of the fabric's text per register of an output, measured on 8x8, 6x8 and 3x3x3: from 305 to 340.
const TEXT_OF_AN_OUTPUT: u64 = 320;
/// More bytes than this are announced before they are written.
const MOST_UNANNOUNCED: u64 = 1 << 28;

/// Says how large the fabric's text becomes, where that is worth knowing before it stands on the disk.
fn announce(args: &GenerateArgs, subject: &Subject) {
    let bytes = subject.designs()[0].program.registers() as u64 * TEXT_OF_AN_OUTPUT;
    if args.only.contains(&Part::Rtl) && bytes > MOST_UNANNOUNCED {
        let name = subject.name();
        output::progress(format_args!("{name}: writing about {:.1} GB of Verilog", bytes as f64 / 1e9));
    }
}

fn write<'a>(args: &GenerateArgs, Target { subject, folder }: &'a Target) -> Result<Generated<'a>, CliError> {
    announce(args, subject);
    let mut new = NewFolder::begin(folder)?;
    subject.emit(&args.only, &mut new).map_err(|source| FilesError::Write { path: folder.to_owned(), source })?;
    new.leave(subject.elements());
    let Written { files, kept } = new.commit(args.force)?;
    let stale = subject.stale(folder, &kept);
    for path in &kept {
        let why = if stale.contains(path) { ", for a design with other ports or constants" } else { "" };
        output::progress(format_args!("kept {}, edited since it was written{why}", Shown(&folder.join(path))));
    }
    let nodes = subject.designs()[0].program.topology.live_nodes();
    Ok(Generated { folder, files, kept, stale, nodes, schedules: subject.schedules() })
}

fn compare(args: &GenerateArgs, targets: &[Target]) -> Result<Outcome, CliError> {
    let mut differing = Vec::new();
    for Target { subject, folder } in targets {
        let mut compared = Compared::begin(folder);
        subject.emit(&args.only, &mut compared)?;
        compared.leave(subject.elements());
        let (mut files, edited) = compared.finish();
        files.extend(subject.stale(folder, &edited));
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
    Ok(if differing.iter().all(Vec::is_empty) { Outcome::Fine } else { Outcome::Failed })
}

fn emitted(parts: &[Part]) -> Vec<emit::Part> {
    parts.iter().filter_map(|part| part.emitted()).collect()
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
