//! The modules that are generated, as block diagrams: what the fabric has of its own, what is inside each router, and what
//! stands around.

mod around;

use super::panels;
use super::svg::{Anchor, P, Path, Svg, text_width};
use crate::net::Channel;
use crate::netlist::{Coding, Drive, Netlist, Output, Own, Rom, Router, Sequence};
use crate::program::{ClassId, Program, Source, count, joined};

pub use around::Around;

/// Classes beyond these are only counted.
const MOST_ROUTERS: usize = 12;
/// Different sources of an output that are named.
const MOST_SOURCES: usize = 4;
const ROW: f64 = 19.0;
const GAP: f64 = 34.0;
const INSET: f64 = 16.0;

/// A box with a heading, rows of text, and wires that come in at the left and go out at the right.
struct Block {
    heading: String,
    note: String,
    /// inputs, each beside the row of its index
    inputs: Vec<String>,
    rows: Vec<Row>,
}

/// A line of a block; an output's has an arrow.
struct Row {
    text: String,
    output: Option<String>,
}

impl Row {
    fn out(text: impl Into<String>, output: impl Into<String>) -> Self {
        Self { text: text.into(), output: Some(output.into()) }
    }

    fn plain(text: impl Into<String>) -> Self {
        Self { text: text.into(), output: None }
    }
}

/// The fabric's modules: counters and sequences that all nodes share, and a router for each class.
pub fn modules(program: &Program, netlist: &Netlist, around: &Around) -> String {
    let title = format!("{}.v: {}, {}", program.title.name, program.topology.describe(), program.title.scheme);
    let subtitle = format!(
        "the fabric has one router per node; what it is told comes through {} for its row and one of its own",
        count(netlist.leaves.into(), "register")
    );
    let mut svg = Svg::new();
    panels::heading(&mut svg, &title, &subtitle);
    let shared = shared(program, netlist);
    let built: Vec<(ClassId, &Router)> =
        netlist.driven().filter(|&(class, _)| netlist.module_of(class) == class).collect();
    let routers: Vec<Block> =
        built.iter().take(MOST_ROUTERS).map(|&(class, router)| block(program, netlist, class, router)).collect();
    let corner = P(24.0, panels::HEADING + 12.0);
    let across = if routers.len() < 3 { routers.len().max(1) } else { 3 };
    let bottom = lay_out(&mut svg, &shared, corner, shared.len().max(1));
    let right = bottom.0.max(panels::heading_width(&title, &subtitle));
    let bottom = lay_out(&mut svg, &routers, P(corner.0, bottom.1 + GAP), across);
    let (mut right, mut bottom) = (right.max(bottom.0), bottom.1);
    if built.len() > MOST_ROUTERS {
        let more = count((built.len() - MOST_ROUTERS) as u64, "router");
        svg.text("soft", P(corner.0, bottom + 24.0), Anchor::Start, &format!("and {more} more"));
        bottom += 24.0;
    }
    let around = around::blocks(program, netlist, around);
    if !around.is_empty() {
        let end = lay_out(&mut svg, &around, P(corner.0, bottom + GAP), around.len().min(3));
        (right, bottom) = (right.max(end.0), end.1);
    }
    svg.finish(&format!("{title}: {subtitle}"), right + 24.0, bottom + 24.0)
}

/// Blocks of the fabric itself.
fn shared(program: &Program, netlist: &Netlist) -> Vec<Block> {
    let mut rows = vec![
        Row::out("while it plays", "go"),
        Row::out(format!("counts {}", count(u64::from(netlist.ticks), "tick")), "done"),
    ];
    if netlist.flits > 1 {
        rows.push(Row::out(format!("counts {} per packet", count(u64::from(netlist.flits), "flit")), "flit"));
    }
    let mut blocks = vec![Block {
        heading: "fabric".to_owned(),
        note: count(u64::from(program.topology.nodes()), "node"),
        inputs: vec!["run".to_owned()],
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
        blocks.push(Block {
            heading: format!("control {}", program.class_name(netlist.told_first(number))),
            note: format!("for {note}"),
            inputs: vec!["go".to_owned()],
            rows: vec![Row::out(words(sequence), "word"), Row::plain(coding)],
        });
    }
    blocks
}

fn words(sequence: &Sequence) -> String {
    format!("{} of {}", count(sequence.entries.len() as u64, "word"), count(sequence.bits.into(), "bit"))
}

/// A router: its own packets and inputs, what it keeps, and what each output chooses from.
fn block(program: &Program, netlist: &Netlist, class: ClassId, router: &Router) -> Block {
    let axes = program.topology.axes();
    let name = |channel: Channel| channel.label(axes);
    let label = |own: Own| Source::Own { packet: own.packet, through: own.through }.describe(axes);
    let mut inputs: Vec<String> = router.packets.iter().copied().map(label).collect();
    inputs.extend(router.inputs.iter().map(|&input| name(input)));
    inputs.push(if netlist.rom == Rom::Shared { "word" } else { "go" }.to_owned());
    inputs.extend(router.begins.map(|_| "clear".to_owned()));
    inputs.extend(router.is_configured().then(|| "configuration".to_owned()));
    let mut rows = Vec::new();
    let mut keep = |text: String| rows.push(Row::plain(text));
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
    rows.extend(router.outputs.iter().map(|output| Row::out(choice(output, axes), name(output.channel))));
    let sizes = program.class_sizes();
    let built_so = netlist.driven().filter(|&(other, _)| netlist.module_of(other) == class);
    let nodes: u32 = built_so.map(|(class, _)| sizes[class.index()]).sum();
    Block { heading: format!("router {}", program.class_name(class)), note: count(nodes.into(), "node"), inputs, rows }
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

impl Block {
    /// Room for the names of what comes in, the text, and the names of what goes out.
    fn sides(&self) -> [f64; 3] {
        let widest =
            |texts: &mut dyn Iterator<Item = &String>| texts.map(|text| text_width(text, 12.0)).fold(0.0, f64::max);
        let heading = text_width(&self.heading, 12.0) + text_width(&self.note, 12.0) + 40.0;
        let inside = widest(&mut self.rows.iter().map(|row| &row.text)).max(heading) + 2.0 * INSET;
        let arrow = 26.0;
        [
            widest(&mut self.inputs.iter()) + arrow,
            inside,
            widest(&mut self.rows.iter().filter_map(|row| row.output.as_ref())) + arrow,
        ]
    }

    fn height(&self) -> f64 {
        ROW * (self.rows.len().max(self.inputs.len()) as f64 + 1.0) + 14.0
    }

    fn draw(&self, svg: &mut Svg, corner: P, [left, inside, _]: [f64; 3]) {
        let at = corner + P(left, 0.0);
        svg.rect("class=\"node\" rx=\"4\"", at, inside, self.height());
        svg.text("", at + P(INSET, 18.0), Anchor::Start, &self.heading);
        svg.text("soft", at + P(inside - INSET, 18.0), Anchor::End, &self.note);
        let row = |index: usize| 18.0 + ROW * (index as f64 + 1.0);
        for (index, input) in self.inputs.iter().enumerate() {
            wire(svg, at + P(-20.0, row(index) - 4.0));
            svg.text("", at + P(-26.0, row(index)), Anchor::End, input);
        }
        for (index, Row { text, output }) in self.rows.iter().enumerate() {
            svg.text(if output.is_some() { "" } else { "soft" }, at + P(INSET, row(index)), Anchor::Start, text);
            if let Some(output) = output {
                wire(svg, at + P(inside, row(index) - 4.0));
                svg.text("", at + P(inside + 26.0, row(index)), Anchor::Start, output);
            }
        }
    }
}

/// Twenty pixels of wire and an arrow head.
fn wire(svg: &mut Svg, from: P) {
    let (mut line, mut head) = (Path::default(), Path::default());
    line.move_to(from);
    line.line_to(from + P(15.0, 0.0));
    head.arrow(from + P(16.0, 0.0), P(1.0, 0.0), 4.5);
    svg.path("class=\"line n\" stroke-width=\"1.2\"", &line);
    svg.path("class=\"nf\"", &head);
}

/// Draws blocks in rows of `across`, all columns as wide as the widest block; returns the lower right corner.
fn lay_out(svg: &mut Svg, blocks: &[Block], corner: P, across: usize) -> P {
    let widest = |side: usize| blocks.iter().map(|block| block.sides()[side]).fold(0.0, f64::max);
    let sides = [widest(0), widest(1), widest(2)];
    let pitch = sides.iter().sum::<f64>() + GAP;
    let mut at = corner;
    let mut end = corner;
    for row in blocks.chunks(across) {
        for block in row {
            block.draw(svg, at, sides);
            at = at + P(pitch, 0.0);
            end = P(end.0.max(at.0 - GAP), end.1);
        }
        let height = row.iter().map(Block::height).fold(0.0, f64::max);
        end = P(end.0, at.1 + height);
        at = P(corner.0, at.1 + height + GAP);
    }
    end
}
