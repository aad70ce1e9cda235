//! `torusweave export`: the schedule in formats that others execute.

use std::io::Write;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};

use super::args::DesignArgs;
use super::error::CliError;
use super::progress::Progress;
use super::size_limits::executable;
use super::{Outcome, check, output};
use crate::design::support::{self, Use};
use crate::export::{self, Dialect, Verdict};
use crate::files::{self, FilesError, NewFolder, Shown};
use crate::program::count;

/// Largest file that is checked.
const MOST_BYTES: u64 = 1 << 28;

/// Write the schedule for software and simulators of others, or check such a file.
///
/// What is exported are packets over links, in the order of the schedule, with what each has to wait for. Ticks, ages and the
/// tick of silence are lost: whoever plays it keeps his own time. With --check FILE, a file is read by the rules of its reader,
/// executed, and every output compared.
#[derive(Debug, Args)]
pub struct ExportArgs {
    #[command(flatten)]
    design: DesignArgs,

    /// Format to write
    #[arg(long, value_enum)]
    to: Format,

    /// Check this file by the rules of its reader, and execute it; - is standard input. Not for chakra
    #[arg(long, value_name = "FILE", conflicts_with = "out")]
    check: Option<PathBuf>,

    /// The file (msccl, rccl; stdout if left out or -) or the folder (chakra; named after the design if left out) to write.
    #[arg(short, long, alias = "output", value_name = "PATH")]
    out: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// An algorithm for MSCCL's interpreter on GPUs, as XML: a rank per live node.
    Msccl,
    /// An algorithm for AMD's RCCL, as XML: a rank per live node.
    Rccl,
    /// Chakra execution traces for ASTRA-sim, as protobuf: a file per node.
    Chakra,
}

impl Format {
    /// Reader of the format's XML, if it is XML.
    fn dialect(self) -> Option<Dialect> {
        match self {
            Self::Msccl => Some(Dialect::Msccl),
            Self::Rccl => Some(Dialect::Rccl),
            Self::Chakra => None,
        }
    }
}

pub fn run(args: &ExportArgs) -> Result<Outcome, CliError> {
    if let Some(file) = &args.check {
        return check_file(file, args.to.dialect().ok_or(CliError::NoChecker)?);
    }
    let design = args.design.design()?;
    if args.to == Format::Chakra {
        support::check_use(&design, Use::Export)?;
    }
    let program = &design.program;
    executable(program)?;
    let report = check::checked(program);
    if !report.passed() {
        output::message(check::describe(&design, &report).trim_end());
        return Ok(Outcome::Failed);
    }
    let name = &program.title.name;
    let progress = Progress::of(format!("exporting {name}"));
    if let Some(dialect) = args.to.dialect() {
        let text = export::msccl(program, dialect)?;
        drop(progress);
        output::to(args.out.as_deref(), &text)?;
        return Ok(Outcome::Fine);
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
    Ok(Outcome::Fine)
}

/// Judges a file that was exported, by us or by others.
fn check_file(file: &Path, dialect: Dialect) -> Result<Outcome, CliError> {
    let text = files::read_input(file, MOST_BYTES)?;
    let _progress = Progress::of(format!("checking {}", Shown(file)));
    match export::check(&text, dialect) {
        Ok(verdict) => {
            let Verdict { collective, ranks, blocks, steps, compared, root } = verdict;
            let root = root.map_or(String::new(), |root| format!(", root {root}"));
            output::text(format_args!(
                "{}: {collective} on {}{root}: {}, {}; no deadlock, no race, {} as promised\n",
                dialect.name(),
                count(ranks as u64, "rank"),
                count(blocks as u64, "thread block"),
                count(steps as u64, "step"),
                count(compared as u64, "output chunk"),
            ))?;
            Ok(Outcome::Fine)
        }
        Err(fault) => {
            output::message(format_args!(
                "{}: `{}` fails: {fault}\nhelp: {}",
                dialect.name(),
                Shown(file),
                fault.help()
            ));
            Ok(Outcome::Failed)
        }
    }
}
