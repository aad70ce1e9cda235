//! Block diagram of a design with several programs: what calls them, their stores, the memories of a node and the router of all.

use std::collections::BTreeSet;

use super::super::panels;
use super::super::svg::{P, Svg};
use super::diagram::{self, BlockPin, BlockRow, DiagramBlock, DiagramColumn};
use crate::netlist::LoadedValue;
use crate::netlist::listed::ListNetlist;
use crate::program::{count, joined};

/// Design with several programs.
pub struct ListedModules<'d> {
    /// Name of the design.
    pub name: &'d str,
    /// Routers, stores and tables.
    pub netlist: &'d ListNetlist,
    /// Collectives by the number of their program.
    pub collectives: Vec<String>,
    /// Start of a program.
    pub begins: DrawnStart,
}

/// Room for calls that follow one another.
const BANKS: &str = "two banks at each node";

/// Start of a program, and the way of words to nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DrawnStart {
    /// A host, over the ring.
    Host,
    /// Calls, for nodes with streams.
    Calls,
    /// The nodes of one collective, as soon as all are filled; their streams are on a ring if there is a chain.
    Nodes {
        /// True if there is a ring.
        chain: bool,
    },
}

impl DrawnStart {
    /// Returns true if there is one program, which is not called.
    fn is_of_nodes(self) -> bool {
        matches!(self, Self::Nodes { .. })
    }
}

impl ListedModules<'_> {
    /// Draws the modules.
    pub fn draw(&self) -> String {
        let network = self.netlist.topology.describe();
        let programs = count(self.collectives.len() as u64, "program");
        let what = if self.begins.is_of_nodes() { &self.collectives[0] } else { &programs };
        let title = format!("{}: {what} on a {network}", self.name);
        let subtitle = "all nodes have one module: its router selects among all that nodes need";
        let mut svg = Svg::new();
        panels::heading(&mut svg, &title, subtitle);
        let chain = (self.begins == DrawnStart::Nodes { chain: true }).then(|| self.chain());
        let blocks = [self.calls(), self.place(), self.sequencer(), self.memories(), self.router()];
        let blocks: Vec<DiagramBlock> = blocks.into_iter().chain(chain).collect();
        let end = diagram::draw(&mut svg, &blocks, P(24.0, panels::HEADING + 12.0));
        let right = end.0.max(panels::heading_width(&title, subtitle) - 24.0);
        svg.finish(&format!("{title}: {subtitle}"), right + 24.0, end.1 + 24.0)
    }

    fn nodes(&self) -> String {
        count(self.netlist.nodes().into(), "node")
    }

    /// Label of an input or output, or of a unit.
    fn label(&self, number: usize) -> String {
        match number.checked_sub(self.netlist.union.parts.outputs) {
            Some(unit) => format!("unit {unit}"),
            None => self.netlist.union.parts.channel(number).label(self.netlist.topology.axes()),
        }
    }

    fn calls(&self) -> DiagramBlock {
        let is_one = self.begins.is_of_nodes();
        let (heading, note) = match self.begins {
            DrawnStart::Host => ("host", "registers"),
            DrawnStart::Calls => ("caller", BANKS),
            DrawnStart::Nodes { .. } => ("start", BANKS),
        };
        let called = if is_one { &["start"][..] } else { &["start", "program", "root"] };
        let mut rows = vec![
            BlockRow::out("when all nodes have their words", BlockPin::new("begins")),
            BlockRow::out("after the last tick", BlockPin::link("done")),
        ];
        if !is_one {
            rows.insert(0, BlockRow::out("what is called", BlockPin::new("program")));
        }
        DiagramBlock {
            column: DiagramColumn::Fabric,
            heading: heading.to_owned(),
            note: note.to_owned(),
            inputs: called.iter().map(|&name| BlockPin::link(name)).collect(),
            rows,
        }
    }

    fn chain(&self) -> DiagramBlock {
        DiagramBlock {
            column: DiagramColumn::Fabric,
            heading: "ring".to_owned(),
            note: "a register per node".to_owned(),
            inputs: vec![
                BlockPin::link("s_axis"),
                BlockPin { net: "out of a node".into(), ..BlockPin::new("m_axis of each") },
            ],
            rows: vec![
                BlockRow::out(format!("{}, one after the other", self.nodes()), BlockPin::link("m_axis")),
                BlockRow::out(
                    "to the node whose turn it is",
                    BlockPin { net: "into a node".into(), ..BlockPin::new("s_axis of each") },
                ),
            ],
        }
    }

    /// Number of the program, where there are several.
    fn program(&self) -> Option<BlockPin> {
        (!self.begins.is_of_nodes()).then(|| BlockPin::new("program"))
    }

    fn place(&self) -> DiagramBlock {
        let netlist = self.netlist;
        DiagramBlock {
            column: DiagramColumn::Fabric,
            heading: "place".to_owned(),
            note: "tells nodes of a program".to_owned(),
            inputs: self.program().into_iter().collect(),
            rows: vec![BlockRow::out(count(netlist.records.len() as u64, "record"), BlockPin::new("records"))],
        }
    }

    fn sequencer(&self) -> DiagramBlock {
        let netlist = self.netlist;
        let words = count(netlist.words.len() as u64, "control word");
        let mut rows = vec![BlockRow::out(words, BlockPin::new("word"))];
        let each = self.collectives.iter().zip(&netlist.programs).enumerate();
        rows.extend(each.map(|(number, (collective, placed))| {
            let ticks = count(placed.ticks.into(), "tick");
            let whose = if placed.shared.is_some() { "" } else { ", words of the nodes" };
            BlockRow::plain(format!("{number}: {collective}, {ticks}{whose}"))
        }));
        DiagramBlock {
            column: DiagramColumn::Fabric,
            heading: "sequencer".to_owned(),
            note: "counts ticks".to_owned(),
            inputs: self.program().into_iter().chain([BlockPin::new("begins")]).collect(),
            rows,
        }
    }

    /// Words of a node's own in a bank.
    fn own(&self, bank: usize) -> String {
        let labels: Vec<String> =
            self.netlist.union.parts.senders(bank).iter().map(|&sender| self.label(sender)).collect();
        format!("own at {}", joined(&labels, "and"))
    }

    fn memories(&self) -> DiagramBlock {
        let netlist = self.netlist;
        let has_streams = self.begins != DrawnStart::Host;
        let port = |stream: &str, ring: &str| match self.begins {
            DrawnStart::Host => BlockPin::link(ring),
            DrawnStart::Nodes { chain: true } => {
                let net = if stream == "s_axis" { "into a node" } else { "out of a node" };
                BlockPin { net: net.into(), ..BlockPin::new(stream) }
            }
            DrawnStart::Calls | DrawnStart::Nodes { .. } => BlockPin::link(stream),
        };
        let links = (0..netlist.union.parts.outputs).map(|input| BlockPin::link(self.label(input)));
        let depth = |bank: usize| {
            let addresses = netlist.taken.iter().filter_map(|taken| taken.addresses[bank]);
            addresses.max().map(|address| u64::from(address) + 1)
        };
        let sends = |bank: usize| {
            let words = count(depth(bank)?, "word");
            let banks = if has_streams { "two banks" } else { "bank" };
            Some(BlockRow::out(format!("{banks} of {words}"), BlockPin::new(self.own(bank))))
        };
        let mut rows: Vec<BlockRow> = (0..netlist.inputs()).filter_map(sends).collect();
        rows.extend(
            depth(netlist.inputs()).map(|words| BlockRow::plain(format!("{} that pass", count(words, "word")))),
        );
        rows.push(BlockRow::plain(format!("places of words in: {}", netlist.taken.len())));
        rows.push(BlockRow::plain(format!("places of words out: {}", netlist.given.len())));
        rows.push(BlockRow::out("blocks in the order of the nodes", port("m_axis", "ring")));
        DiagramBlock {
            column: DiagramColumn::Control,
            heading: "memories of a node".to_owned(),
            note: self.nodes(),
            inputs: [port("s_axis", "ring"), BlockPin::new("records")].into_iter().chain(links).collect(),
            rows,
        }
    }

    fn router(&self) -> DiagramBlock {
        let (netlist, router) = (self.netlist, &self.netlist.union.router);
        let number = |channel| (0..netlist.inputs()).find(|&number| netlist.union.parts.channel(number) == channel);
        let label = |channel| number(channel).map_or_else(String::new, |number| self.label(number));
        let own = |own: &crate::netlist::Own| BlockPin::new(self.own(own.packet as usize));
        let mut inputs: Vec<BlockPin> = router.packets.iter().map(own).collect();
        inputs.extend(router.inputs.iter().map(|&input| BlockPin::link(label(input))));
        inputs.push(BlockPin::new("word"));
        let rows = router.outputs.iter().map(|output| {
            // all that is older is of one age
            let ages = output.drive.values.iter().filter_map(|value| match *value {
                LoadedValue::Wire { .. } => Some(1),
                LoadedValue::Line { age, .. } => Some(age),
                _ => None,
            });
            let ages: BTreeSet<u32> = ages.collect();
            let age = ages.first().copied().filter(|&age| age > 1 && ages.len() == 1);
            let sources = output.drive.values.iter().filter_map(|value| match *value {
                LoadedValue::Own(_) => Some("own".to_owned()),
                LoadedValue::Wire { input } => Some(label(input)),
                LoadedValue::Line { input, .. } if age.is_some() => Some(label(input)),
                LoadedValue::Line { input, age } => Some(format!("{} {age} ticks ago", label(input))),
                _ => None,
            });
            let sources: Vec<String> = sources.collect();
            let adders = output.drive.combine.as_ref().and_then(|combine| combine.adders.as_ref());
            let text = match adders.map_or(1, |adders| adders.slots.len()) {
                1 => joined(&sources, "or"),
                most => format!("up to {most} of {}", joined(&sources, "and")),
            };
            let text = age.map_or_else(|| text.clone(), |age| format!("{text} {age} ticks ago"));
            BlockRow::out(text, BlockPin::link(label(output.channel)))
        });
        let rows = rows.collect();
        DiagramBlock { column: DiagramColumn::Router, heading: "router".to_owned(), note: self.nodes(), inputs, rows }
    }
}
