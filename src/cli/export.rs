//! `torusweave export`: the schedule in formats that others execute.

use std::io::Write;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};

use super::args::ScheduleArgs;
use super::error::CliError;
use super::progress::Progress;
use super::size_limits::executable;
use super::time::DeviceTimes;
use super::{CommandEnd, check, output};
use crate::algorithm::{self, Dialect, FileFault, PlanVerdict};
use crate::design::support::{self, DesignUse, Unsupported};
use crate::export;
use crate::files::{self, FilesError, NewFolder, Shown};
use crate::program::{Program, count};

/// Largest file that is checked.
const MOST_BYTES: u64 = 1 << 28;

/// Write the schedule for software and simulators of others, or check such a file.
///
/// The file has packets over links, in the order of the schedule, with what each has to wait for. Ticks, ages and the tick of
/// silence are lost: the library that plays it keeps its own time. With --check FILE, a file is read by the rules of its reader,
/// executed, and every output compared.
#[derive(Debug, Args)]
pub struct ExportArgs {
    #[command(flatten)]
    design: ScheduleArgs,

    /// Format to write
    #[arg(long, value_enum)]
    to: ExportFormat,

    /// Check this file by the rules of its reader, and execute it; - is standard input. Not for chakra
    #[arg(long, value_name = "FILE", conflicts_with = "out")]
    check: Option<PathBuf>,

    /// The file (msccl, rccl, mscclpp; stdout if left out or -) or the folder (chakra; named after the design if left out) to write.
    #[arg(short, long, alias = "output", value_name = "PATH")]
    out: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum ExportFormat {
    /// An algorithm for MSCCL's interpreter on GPUs, as XML: a rank per live node.
    Msccl,
    /// An algorithm for AMD's RCCL, as XML: a rank per live node.
    Rccl,
    /// An execution plan for MSCCL++ on GPUs, as JSON: a rank per live node.
    Mscclpp,
    /// Chakra execution traces for ASTRA-sim, as protobuf: a file per node.
    Chakra,
}

/// Checker of a format, by its reader's name.
type Checker = (&'static str, fn(&str) -> Result<PlanVerdict, FileFault>);

impl ExportFormat {
    fn checker(self) -> Option<Checker> {
        match self {
            Self::Msccl => Some((Dialect::Msccl.name(), |text| algorithm::check(text, Dialect::Msccl))),
            Self::Rccl => Some((Dialect::Rccl.name(), |text| algorithm::check(text, Dialect::Rccl))),
            Self::Mscclpp => Some(("MSCCL++", algorithm::check_plan)),
            Self::Chakra => None,
        }
    }

    /// Text of a program, in a format that is one text.
    fn text(self, program: &Program) -> Option<Result<String, Unsupported>> {
        match self {
            Self::Msccl => Some(export::msccl(program, Dialect::Msccl)),
            Self::Rccl => Some(export::msccl(program, Dialect::Rccl)),
            Self::Mscclpp => Some(export::mscclpp(program)),
            Self::Chakra => None,
        }
    }
}

pub fn run(args: &ExportArgs) -> Result<CommandEnd, CliError> {
    if let Some(file) = &args.check {
        return check_file(file, args.to.checker().ok_or(CliError::NoChecker)?);
    }
    let design = args.design.design_in_blocks()?;
    if args.to == ExportFormat::Chakra {
        support::check_use(&design, DesignUse::Export)?;
    }
    let program = &design.program;
    executable(program)?;
    let report = check::checked(program);
    if !report.passed() {
        output::message(check::describe(&design, &report, &DeviceTimes::default()).trim_end());
        return Ok(CommandEnd::Failed);
    }
    let name = &program.title.name;
    let progress = Progress::of(format!("exporting {name}"));
    if let Some(text) = args.to.text(program) {
        let text = text?;
        drop(progress);
        output::to(args.out.as_deref(), &text)?;
        return Ok(CommandEnd::Fine);
    }
    let traces = export::chakra(program, design.config.width())?;
    drop(progress);
    let folder = args.out.clone().unwrap_or_else(|| PathBuf::from(format!("{name}_chakra")));
    let failed = |source| FilesError::Write { path: folder.clone(), source };
    let mut new = NewFolder::begin(&folder)?;
    for (rank, trace) in traces.iter().enumerate() {
        let path = format!("{name}.{rank}.et");
        new.file(&path).and_then(|mut file| file.write_all(trace)).map_err(failed)?;
    }
    let traces = count(new.commit(false)?.files.len() as u64, "file");
    output::progress(format_args!("wrote {traces} to {}", Shown(&folder)));
    Ok(CommandEnd::Fine)
}

/// Judges a file that was exported, by us or by others.
fn check_file(file: &Path, (reader, check): Checker) -> Result<CommandEnd, CliError> {
    let text = files::read_input(file, MOST_BYTES)?;
    let _progress = Progress::of(format!("checking {}", Shown(file)));
    match check(&text) {
        Ok(verdict) => {
            let PlanVerdict { collective, ranks, blocks, steps, compared, root } = verdict;
            let root = root.map_or(String::new(), |root| format!(", root {root}"));
            output::text(format_args!(
                "{}: {collective} on {}{root}: {}, {}; no deadlock, no race, {} as promised\n",
                reader,
                count(ranks as u64, "rank"),
                count(blocks as u64, "thread block"),
                count(steps as u64, "step"),
                count(compared as u64, "output chunk"),
            ))?;
            Ok(CommandEnd::Fine)
        }
        Err(fault) => {
            output::message(format_args!("{}: `{}` fails: {fault}\nhelp: {}", reader, Shown(file), fault.help()));
            Ok(CommandEnd::Failed)
        }
    }
}
