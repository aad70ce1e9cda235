//! `torusweave sweep`: a workflow that runs commands for many designs, and makes a table of what they find.

mod axis;
mod names;
mod step;
mod study;

use std::io::{self, Write};
use std::path::PathBuf;

use clap::Args;

use super::error::CliError;
use super::yaml::flow;
use super::{CommandEnd, output};
use crate::files::{FilesError, NewFolder, Shown, WrittenFiles};
use crate::program::count;
use step::CONFIG;
use study::{Cell, Study};

/// Write a study: a workflow for Snakemake that runs commands for many designs.
///
/// SWEEP is a YAML file. `over` has a list of values for each field that is varied, `design` has the fields that all designs
/// share, and `do` has the commands. Each design of the product is a cell of the study, with a folder of its own. `cells` lists
/// designs one by one, by the fields that differ.
///
/// `snakemake -j 2` in the study runs every command of every cell, on two cores, and then writes `table.csv`, `table.md` and
/// plots. What is done is not done again. `snakemake --profile slurm` runs the commands as jobs of Slurm.
#[derive(Debug, Args)]
pub struct SweepArgs {
    /// File with `over` or `cells`, `design` and `do`; - is standard input.
    #[arg(value_name = "SWEEP")]
    sweep: PathBuf,

    /// Folder of the study. Results that it has are kept
    #[arg(short, long, value_name = "DIR")]
    out: PathBuf,

    /// Overwrite files that were edited, or that torusweave did not write, where new ones are to go.
    #[arg(long)]
    force: bool,
}

/// Files that are the same in every study.
const FILES: [(&str, &str); 6] = [
    ("Snakefile", include_str!("../../templates/sweep/Snakefile")),
    ("run.py", include_str!("../../templates/sweep/run.py")),
    ("table.py", include_str!("../../templates/sweep/table.py")),
    ("plot.py", include_str!("../../templates/sweep/plot.py")),
    ("profiles/default/config.yaml", include_str!("../../templates/sweep/default.yaml")),
    ("slurm/status.py", include_str!("../../templates/sweep/status.py")),
];

/// File with the queue of a cluster and its limits, for the user to edit.
const SLURM: (&str, &str) = ("slurm/config.yaml", include_str!("../../templates/sweep/slurm.yaml"));

pub fn run(args: &SweepArgs) -> Result<CommandEnd, CliError> {
    let study = Study::read(&args.sweep)?;
    let mut new = NewFolder::begin(&args.out)?;
    write(&study, &mut new).map_err(|source| FilesError::Write { path: args.out.clone(), source })?;
    new.leave(vec![SLURM.0.to_owned()]);
    let WrittenFiles { kept, .. } = new.commit(args.force)?;
    for path in &kept {
        output::progress(format_args!("kept {}, edited since it was written", Shown(&args.out.join(path))));
    }
    let (cells, steps) = (count(study.cells.len() as u64, "cell"), count(study.steps.len() as u64, "command"));
    output::text(format_args!("wrote {}: {cells}, {steps} each\n", Shown(&args.out)))?;
    output::progress("`snakemake -j 2` in that folder runs them on two cores");
    Ok(CommandEnd::Fine)
}

fn write(study: &Study, new: &mut NewFolder) -> io::Result<()> {
    for (path, text) in FILES.into_iter().chain([SLURM]) {
        new.file(path)?.write_all(text.as_bytes())?;
    }
    for (name, text) in &study.schedules {
        new.file(&format!("schedules/{name}"))?.write_all(text.as_bytes())?;
    }
    for cell in &study.cells {
        new.file(&format!("cells/{}/{CONFIG}", cell.name))?.write_all(config(cell).as_bytes())?;
    }
    let mut file = new.file("study.json")?;
    serde_json::to_writer_pretty(&mut file, study)?;
    writeln!(file)
}

/// Config of a cell in YAML, a line per field.
fn config(cell: &Cell) -> String {
    let lines: Vec<String> = cell.config.iter().map(|(field, value)| format!("{field}: {}\n", flow(value))).collect();
    lines.concat()
}
