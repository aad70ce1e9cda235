//! Any picture of a design: which one, and of what.

use super::signals::{self, CalledProgram};
use super::{DrawError, DrawnStart, FabricSurroundings, ListedModules};
use crate::design::Design;
use crate::design::listed::Programs;
use crate::design::support::{self, DesignUse};
use crate::net::NodeId;
use crate::netlist::listed::ListNetlist;
use crate::netlist::{HostStreams, NodeOptions};

/// Kind of a picture.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
pub enum PictureKind {
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

impl PictureKind {
    /// The most nodes it is drawn for; none if their number does not matter.
    pub const fn most_nodes(self) -> Option<u32> {
        match self {
            Self::Cycles | Self::Supply | Self::Links => Some(super::MOST_FOR_CYCLES),
            Self::Classes => Some(super::MOST_FOR_CLASSES),
            Self::Progress => Some(super::MOST_FOR_PROGRESS),
            Self::Tree => Some(super::MOST_FOR_TREES),
            Self::Spacetime | Self::Modules | Self::Waves | Self::Streams => None,
        }
    }

    /// Returns true if it shows ports, which all programs of a design share.
    pub const fn is_of_ports(self) -> bool {
        matches!(self, Self::Modules | Self::Waves | Self::Streams)
    }

    /// Use of a design that this picture is, if not every design has it.
    const fn needs(self) -> Option<DesignUse> {
        match self {
            Self::Modules => Some(DesignUse::Modules),
            Self::Spacetime | Self::Progress | Self::Waves => Some(DesignUse::Picture),
            _ => None,
        }
    }
}

/// A picture, and what it shows. What a kind has no use for is ignored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Picture {
    /// Kind of the picture.
    pub kind: PictureKind,
    /// Tick to draw, or the first one.
    pub tick: Option<u32>,
    /// Cycle or packet to follow, counted from 0; the first if left out.
    pub follow: Option<u32>,
    /// Node that sends, whose ports are shown, or which learns; the root or else the first one if left out.
    pub node: Option<NodeId>,
}

impl From<PictureKind> for Picture {
    fn from(kind: PictureKind) -> Self {
        Self { kind, ..Self::default() }
    }
}

impl Picture {
    /// Draws a schedule as SVG; ports are those of the list that it is in.
    pub fn of(self, design: &Design, list: Option<&Programs>) -> Result<String, DrawError> {
        let Self { kind, tick, node, .. } = self;
        let follow = self.follow.unwrap_or(0);
        if let Some(most) = kind.most_nodes() {
            super::fits(&design.program.topology, most)?;
        }
        if let (PictureKind::Modules, Some(programs)) = (kind, list) {
            return Ok(modules_of(programs));
        }
        if let Some(needs) = kind.needs() {
            support::check_use(design, needs)?;
        }
        let (program, cover) = (&design.program, design.cover());
        let shown = node.or(design.root()).unwrap_or(NodeId(0));
        match kind {
            PictureKind::Cycles => super::cycles(program, cover),
            PictureKind::Classes => super::classes(program),
            PictureKind::Supply => super::supply(program, cover),
            PictureKind::Spacetime => super::spacetime(program, cover, follow as usize, tick.unwrap_or(1)),
            PictureKind::Links => super::links(program, tick.unwrap_or(1)),
            PictureKind::Progress => match node {
                Some(node) => super::heard(program, node),
                None => super::progress(program, tick),
            },
            PictureKind::Tree => {
                let first = || program.topology.node_ids().find(|&node| program.demand.packets_of(node) > 0);
                super::tree(program, node.or_else(first).unwrap_or(NodeId(0)), follow)
            }
            PictureKind::Waves => {
                support::check_use(design, DesignUse::Waves)?;
                let waves = match list {
                    Some(programs) => signals::node(&CalledProgram::new(programs, design), shown),
                    None => signals::fabric(program, &design.netlist(), shown),
                };
                Ok(super::waves(program, &waves))
            }
            PictureKind::Streams => {
                support::check_use(design, DesignUse::Streams)?;
                let waves = match (list, design.config.local()) {
                    (Some(programs), _) => signals::call_streams(&CalledProgram::new(programs, design), shown),
                    (None, Some(local)) => signals::streams(program, &nodes(design, local), local.order, shown),
                    (None, None) => unreachable!("nodes without streams are refused"),
                };
                Ok(super::waves(program, &waves))
            }
            PictureKind::Modules => {
                let boards = design.config.link.elastic.then(|| design.blocks());
                Ok(match design.config.local() {
                    Some(local) => node_modules(design, local),
                    None => super::modules(program, &design.netlist(), &FabricSurroundings { boards }),
                })
            }
        }
    }
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

/// Modules of a list of programs.
fn modules_of(programs: &Programs) -> String {
    let begins = if programs.config.has_streams_of_nodes() { DrawnStart::Calls } else { DrawnStart::Host };
    let collectives = programs.designs.iter().map(|design| design.config.collective.to_string()).collect();
    ListedModules { name: &programs.name(), netlist: &programs.netlist, collectives, begins }.draw()
}
