//! `torusweave draw`: pictures of a design as SVG.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::args::ScheduleArgs;
use super::error::CliError;
use super::program::parse_live_node;
use super::size_limits::executable;
use super::{CommandEnd, listed, output};
use crate::design::Design;
use crate::design::config::Config;
use crate::design::listed::Programs;
use crate::design::support::{self, DesignUse};
use crate::draw::signals::{self, CalledProgram};
use crate::draw::{self, DrawnStart, FabricSurroundings, ListedModules};
use crate::net::NodeId;
use crate::netlist::listed::ListNetlist;
use crate::netlist::{HostStreams, NodeOptions};

/// Draw a design as SVG: its cycles, classes, supply, modules, waveforms, or how packets travel and knowledge grows.
#[derive(Debug, Args)]
pub struct DrawArgs {
    #[command(flatten)]
    design: ScheduleArgs,

    /// Picture to draw
    #[arg(long, value_enum, default_value_t)]
    what: What,

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

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum What {
    /// The cycles, with supply of off-cycle nodes dashed.
    #[default]
    Cycles,
    /// Class of every node
    Classes,
    /// Only the supply of off-cycle nodes.
    Supply,
    /// Packets that arrive along a cycle, tick by tick
    Spacetime,
    /// Links that carry a packet at a tick, with direction and origin
    Links,
    /// Number of packets that each node knows at a tick
    Progress,
    /// Tree along which one packet reaches every node, with the ticks
    Tree,
    /// The modules that are generated, and what is inside each router.
    Modules,
    /// Waveforms of the fabric's ports at a node; of the node's own ports where there are several programs
    Waves,
    /// Waveforms of the streams of a node
    Streams,
}

impl What {
    /// The most nodes it is drawn for; none if their number does not matter.
    const fn most_nodes(self) -> Option<u32> {
        match self {
            Self::Cycles | Self::Supply | Self::Links => Some(draw::MOST_FOR_CYCLES),
            Self::Classes => Some(draw::MOST_FOR_CLASSES),
            Self::Progress => Some(draw::MOST_FOR_PROGRESS),
            Self::Tree => Some(draw::MOST_FOR_TREES),
            Self::Spacetime | Self::Modules | Self::Waves | Self::Streams => None,
        }
    }
}

impl DrawArgs {
    /// The options given, and the pictures that they are for.
    fn options(&self) -> [(&'static str, bool, &'static [What]); 3] {
        use What::{Links, Progress, Spacetime, Streams, Tree, Waves};
        [
            ("--tick", self.tick.is_some(), &[Links, Progress, Spacetime]),
            ("--follow", self.follow.is_some(), &[Spacetime, Tree]),
            ("--node", self.node.is_some(), &[Progress, Streams, Tree, Waves]),
        ]
    }

    /// An option that does nothing is a misunderstanding.
    fn refuse_idle_options(&self) -> Result<(), CliError> {
        let name = |what: &What| what.to_possible_value().expect("no kind is hidden").get_name().to_owned();
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
        let is_of_ports = matches!(self.what, What::Waves | What::Streams);
        (is_of_ports && !config.programs.is_empty()).then(|| listed::built(config.clone())).transpose()
    }
}

pub fn run(args: &DrawArgs) -> Result<CommandEnd, CliError> {
    args.refuse_idle_options()?;
    let follow = args.follow.unwrap_or(0);
    let config = args.design.config()?.as_list();
    if let Some(most) = args.what.most_nodes() {
        draw::fits(&config.validate()?, most)?;
    }
    if args.what == What::Modules && !config.programs.is_empty() {
        output::to(args.out.as_deref(), &listed_modules(config)?)?;
        return Ok(CommandEnd::Fine);
    }
    let listed = args.listed(&config)?;
    let design = match &listed {
        Some(programs) => args.design.one(programs.designs.clone())?,
        None => args.design.built(config)?,
    };
    if args.what == What::Waves {
        executable(&design.program)?;
    }
    if args.what == What::Modules {
        support::check_use(&design, DesignUse::Modules)?;
    }
    if matches!(args.what, What::Spacetime | What::Progress | What::Waves) {
        support::check_use(&design, DesignUse::Picture)?;
    }
    let (program, cover) = (&design.program, design.cover());
    let node = args.node.as_deref().map(|text| parse_live_node(&program.topology, text)).transpose()?;
    let shown = design.root().unwrap_or(NodeId(0));
    let svg = match args.what {
        What::Cycles => draw::cycles(program, cover)?,
        What::Classes => draw::classes(program)?,
        What::Supply => draw::supply(program, cover)?,
        What::Spacetime => draw::spacetime(program, cover, follow as usize, args.tick.unwrap_or(1))?,
        What::Links => draw::links(program, args.tick.unwrap_or(1))?,
        What::Progress => match node {
            Some(node) => draw::heard(program, node)?,
            None => draw::progress(program, args.tick)?,
        },
        What::Tree => {
            let first = || program.topology.node_ids().find(|&node| program.demand.packets_of(node) > 0);
            draw::tree(program, node.or_else(first).unwrap_or(NodeId(0)), follow)?
        }
        What::Waves => {
            support::check_use(&design, DesignUse::Waves)?;
            let node = node.unwrap_or(shown);
            let waves = match &listed {
                Some(programs) => signals::node(&CalledProgram::new(programs, &design), node),
                None => signals::fabric(program, &design.netlist(), node),
            };
            draw::waves(program, &waves)
        }
        What::Streams => {
            support::check_use(&design, DesignUse::Streams)?;
            let node = node.unwrap_or(shown);
            let waves = match (&listed, design.config.local()) {
                (Some(programs), _) => signals::call_streams(&CalledProgram::new(programs, &design), node),
                (None, Some(local)) => signals::streams(program, &nodes(&design, local), local.order, node),
                (None, None) => unreachable!("nodes without streams are refused"),
            };
            draw::waves(program, &waves)
        }
        What::Modules => {
            let boards = design.config.link.elastic.then(|| design.blocks());
            match design.config.local() {
                Some(local) => node_modules(&design, local),
                None => draw::modules(program, &design.netlist(), &FabricSurroundings { boards }),
            }
        }
    };
    output::to(args.out.as_deref(), &svg)?;
    Ok(CommandEnd::Fine)
}

/// Nodes with streams that play one program.
fn nodes(design: &Design, local: NodeOptions) -> ListNetlist {
    ListNetlist::of_one(&design.program, local.ports()).expect("other schedules are refused")
}

/// Modules of nodes with streams that play one program.
fn node_modules(design: &Design, local: NodeOptions) -> String {
    let netlist = nodes(design, local);
    let collectives = vec![design.config.collective.to_string()];
    let begins = DrawnStart::Nodes { chain: local.host == HostStreams::Chain };
    ListedModules { name: &design.program.title.name, netlist: &netlist, collectives, begins }.draw()
}

/// Modules of a design with several programs.
fn listed_modules(config: Config) -> Result<String, CliError> {
    let begins = if config.has_streams_of_nodes() { DrawnStart::Calls } else { DrawnStart::Host };
    let programs = listed::built(config)?;
    let collectives = programs.designs.iter().map(|design| design.config.collective.to_string()).collect();
    let name = programs.name();
    Ok(ListedModules { name: &name, netlist: &programs.netlist, collectives, begins }.draw())
}
