//! `torusweave export`: the schedule in formats that others execute.

use std::io::Write;
use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::args::DesignArgs;
use super::error::CliError;
use super::progress::Progress;
use super::size_limits::executable;
use super::{Outcome, check, output};
use crate::design::support::{self, Use};
use crate::export;
use crate::files::{FilesError, NewFolder, Shown};
use crate::program::count;

/// Write the schedule of a gossip or a reduction for software and simulators of others.
///
/// What is exported are packets over links, in the order of the schedule, with what each has to wait for. Ticks, ages and the
/// tick of silence are lost: whoever plays it keeps his own time.
#[derive(Debug, Args)]
pub struct ExportArgs {
    #[command(flatten)]
    design: DesignArgs,

    /// Format to write
    #[arg(long, value_enum)]
    to: Format,

    /// The file (msccl; stdout if left out or -) or the folder (chakra; named after the design if left out) to write.
    #[arg(short, long, alias = "output", value_name = "PATH")]
    out: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// An algorithm for MSCCL's interpreter on GPUs, as XML: a rank per node.
    Msccl,
    /// Chakra execution traces for ASTRA-sim, as protobuf: a file per node.
    Chakra,
}

pub fn run(args: &ExportArgs) -> Result<Outcome, CliError> {
    let design = args.design.design()?;
    support::check_use(&design, Use::Export)?;
    let program = &design.program;
    executable(program)?;
    let report = check::checked(program);
    if !report.passed() {
        output::message(check::describe(&design, &report).trim_end());
        return Ok(Outcome::Failed);
    }
    let name = &program.title.name;
    let progress = Progress::of(format!("exporting {name}"));
    match args.to {
        Format::Msccl => {
            let text = export::msccl(program)?;
            drop(progress);
            output::to(args.out.as_deref(), &text)?;
        }
        Format::Chakra => {
            let traces = export::chakra(program, design.config.link.width.get())?;
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
        }
    }
    Ok(Outcome::Fine)
}
