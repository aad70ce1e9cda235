//! `torusweave draw`: pictures of a design as SVG.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::args::ScheduleArgs;
use super::error::CliError;
use super::program::parse_live_node;
use super::size_limits::executable;
use super::{CommandEnd, listed, output};
use crate::design::config::Config;
use crate::design::listed::Programs;
use crate::draw::{self, Picture, PictureKind};

/// Draw a design as SVG: its cycles, classes, supply, modules, waveforms, or how packets travel and knowledge grows.
#[derive(Debug, Args)]
pub struct DrawArgs {
    #[command(flatten)]
    design: ScheduleArgs,

    /// Picture to draw
    #[arg(long, value_enum, default_value_t)]
    what: PictureKind,

    /// The tick to draw (links, progress), or the first one (spacetime).
    #[arg(long)]
    tick: Option<u32>,

    /// The cycle (spacetime) or the packet (tree) to follow, counted from 0; the first if left out.
    #[arg(long, value_name = "NUMBER")]
    follow: Option<u32>,

    /// The node that sends (tree), or whose ports are shown (waves, streams), at these coordinates, counted from 0; the root or
    /// else the first one if left out; or that one alone which learns (progress).
    #[arg(long, value_name = "X1,X2,...", allow_hyphen_values = true)]
    node: Option<String>,

    /// The file to write; stdout if left out or -.
    #[arg(short, long, alias = "output", value_name = "FILE")]
    out: Option<PathBuf>,
}

impl DrawArgs {
    /// The options given, and the pictures that they are for.
    fn options(&self) -> [(&'static str, bool, &'static [PictureKind]); 3] {
        use PictureKind::{Links, Progress, Spacetime, Streams, Tree, Waves};
        [
            ("--tick", self.tick.is_some(), &[Links, Progress, Spacetime]),
            ("--follow", self.follow.is_some(), &[Spacetime, Tree]),
            ("--node", self.node.is_some(), &[Progress, Streams, Tree, Waves]),
        ]
    }

    /// An option that does nothing is a misunderstanding.
    fn refuse_idle_options(&self) -> Result<(), CliError> {
        let name = |what: &PictureKind| what.to_possible_value().expect("no kind is hidden").get_name().to_owned();
        for (option, is_given, kinds) in self.options() {
            if is_given && !kinds.contains(&self.what) {
                let kinds = kinds.iter().map(name).collect();
                return Err(CliError::IdleOption { option, what: name(&self.what), kinds });
            }
        }
        match (self.tick, &self.node) {
            (Some(_), Some(_)) => Err(CliError::IdleOption {
                option: "--tick",
                what: "what one node learns".into(),
                kinds: vec!["progress".into()],
            }),
            _ => Ok(()),
        }
    }
}

impl DrawArgs {
    /// Builds all programs of a list whose ports are drawn.
    fn listed(&self, config: &Config) -> Result<Option<Programs>, CliError> {
        (self.what.is_of_ports() && !config.programs.is_empty()).then(|| listed::built(config.clone())).transpose()
    }
}

pub fn run(args: &DrawArgs) -> Result<CommandEnd, CliError> {
    args.refuse_idle_options()?;
    let config = args.design.config()?.as_list();
    if let Some(most) = args.what.most_nodes() {
        draw::fits(&config.validate()?, most)?;
    }
    let list = args.listed(&config)?;
    let design = match &list {
        // one picture shows the modules of all programs
        Some(programs) if args.what == PictureKind::Modules => programs.designs[0].clone(),
        Some(programs) => args.design.one(programs.designs.clone())?,
        None => args.design.built(config)?,
    };
    if args.what == PictureKind::Waves {
        executable(&design.program)?;
    }
    let node = args.node.as_deref().map(|text| parse_live_node(&design.program.topology, text)).transpose()?;
    let picture = Picture { kind: args.what, tick: args.tick, follow: args.follow, node };
    output::to(args.out.as_deref(), &picture.of(&design, list.as_ref())?)?;
    Ok(CommandEnd::Fine)
}
