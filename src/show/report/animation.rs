//! What the page's script needs to play the program: the program itself, not its ticks.

use serde::Serialize;
use serde_json::{Value, json};

use crate::design::Design;
use crate::net::Port;
use crate::paths::cover::Cover;
use crate::program::{Class, ClassId, From, Message, Program, Run, Source, To, Track, port_name};
use crate::show::draw;

/// One bit for every node and packet: more would need more memory than a page should take (64 MB).
const MOST_BITS: u64 = 1 << 29;

/// The animation.
pub(super) struct Animation {
    pub(super) about: String,
    pub(super) unit: &'static str,
    pub(super) unit_title: &'static str,
    pub(super) ticks: u32,
    pub(super) cycles: bool,
    pub(super) deep: bool,
    pub(super) gradient: String,
    pub(super) data: String,
    pub(super) scripts: [&'static str; 3],
}

/// A program as `templates/report/model.js` reads it.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Data<'a> {
    unit: &'static str,
    sides: &'a [u32],
    /// whether the last node along each axis is linked to the first
    wraps: Vec<bool>,
    ticks: u32,
    /// each `[from, to]`
    messages: Vec<[Value; 2]>,
    classes: Vec<Vec<Output>>,
    class_of: Vec<u32>,
    class_names: Vec<String>,
    port_names: Vec<String>,
    /// heading of the first column of the table
    corner: String,
    /// one character a link: the colour of the cycle that owns it, or a dot
    owners: String,
    /// whether nodes beside a cycle are supplied with it
    supplies: bool,
    /// on light and on dark paper
    cycles: Vec<(&'static str, &'static str)>,
    /// from nothing known to everything
    scale: Vec<String>,
}

#[derive(Serialize)]
struct Output {
    runs: Vec<Vec<u32>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    repeat: Option<usize>,
}

impl Animation {
    /// Whole packets move, however many flits they have; the reason if they are too many.
    pub(super) fn new(design: &Design) -> Result<Self, String> {
        let program = &design.program;
        let bits = program.demand.packets() * u64::from(program.topology.nodes());
        if bits > MOST_BITS {
            let nodes = program.topology.nodes();
            return Err(format!(
                "Not shown: what {nodes} nodes know is too much for a page; look at a smaller network."
            ));
        }
        let Some(packets) = program.unstretched() else {
            return Err("Not shown: this program does not move whole packets.".to_owned());
        };
        let is_plain = |source| matches!(source, Source::Idle | Source::In { .. }) || is_one_packet(source);
        let sources = program.classes.iter().flat_map(Class::sources);
        if program.lanes > 1 || !program.windows.is_empty() || !sources.into_iter().all(is_plain) {
            return Err("Not shown: the animation knows neither lanes nor streams of packets.".to_owned());
        }
        let (unit, unit_title) = if program.flits > 1 { ("step", "Step") } else { ("tick", "Tick") };
        Ok(Self {
            about: about(program, unit),
            unit,
            unit_title,
            ticks: packets.ticks,
            cycles: design.cover().is_some(),
            deep: program.topology.axes() > 2,
            gradient: colours().join(","),
            data: data(&packets, design.cover(), unit),
            scripts: [
                include_str!("../../../templates/report/model.js"),
                include_str!("../../../templates/report/sheet.js"),
                include_str!("../../../templates/report/view.js"),
            ],
        })
    }
}

fn about(program: &Program, unit: &str) -> String {
    let whole = match program.flits {
        1 => String::new(),
        flits => format!(" A step moves a packet of {flits} flits over a link and takes {flits} ticks."),
    };
    let planes = match program.topology.axes() {
        0..=2 => "",
        _ => " Planes lie side by side; oblique lines lead from plane to plane.",
    };
    format!(
        "The program of the routers, played {unit} by {unit}. An arrow is a packet about to arrive; a square is a node, \
         the brighter the more it knows.{planes}{whole}"
    )
}

fn data(program: &Program, cover: Option<&Cover>, unit: &'static str) -> String {
    let topology = &program.topology;
    let last = topology.axes() - 1;
    let data = Data {
        unit,
        sides: topology.dims(),
        wraps: (0..topology.axes()).map(|axis| topology.wraps(axis)).collect(),
        ticks: program.ticks,
        messages: program.demand.messages().iter().map(ends).collect(),
        classes: program.classes.iter().map(|class| class.outputs.iter().map(Output::of).collect()).collect(),
        class_of: program.class_of.iter().map(|class| class.0).collect(),
        class_names: (0..program.classes.len()).map(|class| program.class_name(ClassId(class as u32))).collect(),
        port_names: topology.port_ids().map(|port: Port| port_name(topology.axes(), port)).collect(),
        corner: (0..last).map(|axis| format!("x{}", axis + 1)).collect::<Vec<_>>().join(","),
        owners: cover.map(owners).unwrap_or_default(),
        supplies: cover.is_some_and(|cover| !cover.passes_every_node()),
        cycles: draw::CYCLE_COLOURS.to_vec(),
        scale: colours(),
    };
    // nothing in a script may look like the end of the script
    serde_json::to_string(&data).expect("plain data").replace('<', "\\u003c")
}

/// A node's number, null for every node or for everybody, or how far from the sender along each axis.
fn ends(message: &Message) -> [Value; 2] {
    let from = match message.from {
        From::Every => Value::Null,
        From::Node(node) => json!(node.0),
    };
    let to = match &message.to {
        To::All => Value::Null,
        To::Node(node) => json!(node.0),
        To::Offset(offset) => json!(offset),
    };
    [from, to]
}

/// The colours of the pictures' heat maps.
fn colours() -> Vec<String> {
    (0..draw::LEVELS).map(draw::scale).collect()
}

fn owners(cover: &Cover) -> String {
    let topology = cover.topology();
    let links = topology.node_ids().flat_map(|node| topology.port_ids().map(move |port| (node, port)));
    let symbol = |cycle: usize| char::from_digit((cycle % draw::CYCLE_COLOURS.len()) as u32, 10).unwrap_or('.');
    links.map(|(node, port)| cover.owner(node, port).map_or('.', symbol)).collect()
}

fn is_one_packet(source: Source) -> bool {
    matches!(source, Source::Own { packet, through } if packet == through)
}

impl Output {
    fn of(track: &Track) -> Self {
        Self { runs: track.runs.iter().map(numbers).collect(), repeat: track.repeat_from }
    }
}

/// `[ticks]` if idle, `[ticks, packet]` if own, `[ticks, port, age]` if it repeats an input.
fn numbers(run: &Run) -> Vec<u32> {
    match run.source {
        Source::Idle => vec![run.ticks],
        Source::Own { packet, .. } => vec![run.ticks, packet],
        Source::In { port, age, .. } => vec![run.ticks, port.index() as u32, age],
        Source::Any { .. } => unreachable!("refused above"),
    }
}
