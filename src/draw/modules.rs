//! The modules that are generated, as block diagrams: what the fabric has of its own, what is inside each router, and what
//! stands around.

mod around;
mod diagram;
mod listed;

use diagram::{BlockPin, BlockRow, DiagramBlock, DiagramColumn};

use super::panels;
use super::svg::{Anchor, P, Svg};
use crate::net::Channel;
use crate::netlist::{Coding, Drive, Netlist, Output, Own, Rom, Router, Sequence};
use crate::program::{ClassId, Program, Source, count, joined};

pub use around::FabricSurroundings;
pub use listed::{DrawnStart, ListedModules};

/// Classes beyond these are only counted.
const MOST_ROUTERS: usize = 6;
/// Different sources of an output that are named.
const MOST_SOURCES: usize = 4;

/// The fabric's modules: counters and sequences that all nodes share, and a router for each class.
pub fn modules(program: &Program, netlist: &Netlist, around: &FabricSurroundings) -> String {
    let title = format!("{}.v: {}, {}", program.title.name, program.topology.describe(), program.title.scheme);
    let subtitle = format!(
        "the fabric has one router per node; what it is told comes through {} for its row and one of its own",
        count(netlist.leaves.into(), "register")
    );
    let built: Vec<(ClassId, &Router)> =
        netlist.driven().filter(|&(class, _)| netlist.module_of(class) == class).collect();
    let mut blocks = shared(program, netlist);
    blocks.extend(around::configuration(program, netlist));
    blocks.extend(built.iter().take(MOST_ROUTERS).map(|&(class, router)| block(program, netlist, class, router)));
    let mut svg = Svg::new();
    panels::heading(&mut svg, &title, &subtitle);
    let corner = P(24.0, panels::HEADING + 12.0);
    let mut end = diagram::draw(&mut svg, &blocks, corner);
    if built.len() > MOST_ROUTERS {
        let more = count((built.len() - MOST_ROUTERS) as u64, "router");
        svg.text("soft", P(corner.0, end.1 + 24.0), Anchor::Start, &format!("and {more} more"));
        end.1 += 24.0;
    }
    if let Some(boards) = &around.boards {
        let below = diagram::draw(&mut svg, &[around::board(program, boards)], P(corner.0, end.1 + 34.0));
        end = P(end.0.max(below.0), below.1);
    }
    let right = end.0.max(panels::heading_width(&title, &subtitle) - 24.0);
    svg.finish(&format!("{title}: {subtitle}"), right + 24.0, end.1 + 24.0)
}

/// Blocks of the fabric itself.
fn shared(program: &Program, netlist: &Netlist) -> Vec<DiagramBlock> {
    let mut rows = vec![
        BlockRow::out("while it plays", BlockPin::new("go")),
        BlockRow::out(format!("counts {}", count(u64::from(netlist.ticks), "tick")), BlockPin::new("done")),
    ];
    if netlist.flits > 1 {
        rows.push(BlockRow::out(
            format!("counts {} per packet", count(u64::from(netlist.flits), "flit")),
            BlockPin::new("flit"),
        ));
    }
    let mut blocks = vec![DiagramBlock {
        column: DiagramColumn::Fabric,
        heading: "fabric".to_owned(),
        note: count(u64::from(program.topology.nodes()), "node"),
        inputs: vec![BlockPin::new("run")],
        rows,
    }];
    for (number, sequence) in netlist.sequences.iter().enumerate().filter(|_| netlist.rom == Rom::Shared) {
        let coding = match (sequence.coding, sequence.again) {
            (Coding::Plain, _) => "one per tick".to_owned(),
            (Coding::Steps | Coding::RunLength, None) => "one a stretch of ticks".to_owned(),
            (Coding::Steps | Coding::RunLength, Some(again)) => {
                format!("over and over from tick {}", sequence.entries[again].first)
            }
        };
        let heard: Vec<String> = netlist
            .driven()
            .filter(|&(class, _)| netlist.sequence_of(class) == number)
            .map(|(class, _)| program.class_name(class))
            .collect();
        let note = if heard.len() > 4 { count(heard.len() as u64, "class") } else { joined(&heard, "and") };
        blocks.push(DiagramBlock {
            column: DiagramColumn::Control,
            heading: format!("control {}", program.class_name(netlist.told_first(number))),
            note: format!("for {note}"),
            inputs: vec![BlockPin::new("go")],
            rows: vec![BlockRow::out(words(sequence), word(number)), BlockRow::plain(coding)],
        });
    }
    blocks
}

/// Pin of the words that a sequence says.
fn word(number: usize) -> BlockPin {
    BlockPin { net: format!("word {number}"), ..BlockPin::new("word") }
}

fn words(sequence: &Sequence) -> String {
    format!("{} of {}", count(sequence.entries.len() as u64, "word"), count(sequence.bits.into(), "bit"))
}

/// A router: its own packets and inputs, what it keeps, and what each output chooses from.
fn block(program: &Program, netlist: &Netlist, class: ClassId, router: &Router) -> DiagramBlock {
    let axes = program.topology.axes();
    let name = |channel: Channel| channel.label(axes);
    let label = |own: Own| Source::Own { packet: own.packet, through: own.through }.describe(axes);
    let mut inputs: Vec<BlockPin> = router.packets.iter().map(|&own| BlockPin::new(label(own))).collect();
    inputs.extend(router.inputs.iter().map(|&input| BlockPin::link(name(input))));
    inputs.push(if netlist.rom == Rom::Shared { word(netlist.sequence_of(class)) } else { BlockPin::new("go") });
    inputs.extend(router.begins.map(|_| BlockPin::new("clear")));
    inputs.extend(router.is_configured().then(|| BlockPin::new("configuration")));
    let mut rows = Vec::new();
    let mut keep = |text: String| rows.push(BlockRow::plain(text));
    for line in &router.lines {
        keep(format!("{}: delay line of {}", name(line.input), count(line.stages.into(), "stage")));
    }
    for ring in &router.rings {
        keep(format!("{}: ring of {}", name(ring.input), count(ring.words.into(), "word")));
    }
    for store in &router.stores {
        keep(format!("{}: store of {}", name(store.input), count(store.words.into(), "word")));
    }
    if netlist.rom == Rom::PerNode {
        keep(format!("control: {}", words(&netlist.sequences[netlist.sequence_of(class)])));
    }
    for own in router.firsts() {
        keep(format!("{}: fetched before the first tick", label(own)));
    }
    for output in router.outputs.iter().filter(|output| output.drive.early.is_some()) {
        keep(format!("{}: fetches a tick ahead", name(output.channel)));
    }
    rows.extend(
        router.outputs.iter().map(|output| BlockRow::out(choice(output, axes), BlockPin::link(name(output.channel)))),
    );
    let sizes = program.class_sizes();
    let built_so = netlist.driven().filter(|&(other, _)| netlist.module_of(other) == class);
    let nodes: u32 = built_so.map(|(class, _)| sizes[class.index()]).sum();
    let heading = format!("router {}", program.class_name(class));
    DiagramBlock { column: DiagramColumn::Router, heading, note: count(nodes.into(), "node"), inputs, rows }
}

/// `own 0 or R`.
fn choice(output: &Output, axes: usize) -> String {
    if output.drive.choices().next().is_some() {
        return "as configured".to_owned();
    }
    let mut sources: Vec<String> = Vec::new();
    for leg in &output.course.legs {
        let source = leg.source.describe(axes);
        if !sources.contains(&source) {
            sources.push(source);
        }
    }
    if sources.len() > MOST_SOURCES {
        let more = sources.len() - (MOST_SOURCES - 1);
        sources.truncate(MOST_SOURCES - 1);
        sources.push(format!("{more} more"));
    }
    let Drive { select, early, first, .. } = &output.drive;
    let chooses = select.is_some() || early.is_some() || first.is_some();
    joined(&sources, if chooses { "or" } else { "and" })
}
