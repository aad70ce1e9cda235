//! `torusweave draw`: pictures of a design as SVG.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::args::DesignArgs;
use super::error::CliError;
use super::{Outcome, output};
use crate::files;
use crate::show::draw;

/// Draw a design as SVG: its cycles, classes, supply, modules, or how packets travel and knowledge grows.
#[derive(Debug, Args)]
pub struct DrawArgs {
    #[command(flatten)]
    design: DesignArgs,

    /// What to draw.
    #[arg(long, value_enum, default_value_t)]
    what: What,

    /// The tick to draw (progress), or the first one (spacetime).
    #[arg(long)]
    tick: Option<u32>,

    /// The cycle to follow, counted from 0 (spacetime).
    #[arg(long, value_name = "CYCLE", default_value_t)]
    follow: usize,

    /// The file to write; stdout if left out.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum What {
    /// The cycles, with supply of off-cycle nodes dashed.
    #[default]
    Cycles,
    /// Which node behaves like which.
    Classes,
    /// Only the supply of off-cycle nodes.
    Supply,
    /// Which packet arrives where at which tick, along a cycle.
    Spacetime,
    /// How many packets each node knows at a tick.
    Progress,
    /// The modules that are generated, and what is inside each router.
    Modules,
}

pub fn run(args: &DrawArgs) -> Result<Outcome, CliError> {
    let design = args.design.design()?;
    let (program, cover) = (&design.program, design.cover());
    let svg = match args.what {
        What::Cycles => draw::cycles(program, cover)?,
        What::Classes => draw::classes(program)?,
        What::Supply => draw::supply(program, cover)?,
        What::Spacetime => draw::spacetime(program, cover, args.follow, args.tick.unwrap_or(1))?,
        What::Progress => draw::progress(program, args.tick)?,
        What::Modules => draw::modules(program, design.config.rom),
    };
    match &args.output {
        Some(path) => {
            files::write(path, svg)?;
            output::progress(format_args!("wrote {}", path.display()));
        }
        None => output::text(svg)?,
    }
    Ok(Outcome::Fine)
}
