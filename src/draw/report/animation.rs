//! Data from which the page's script plays the program: the program itself, not its ticks. Only where values are combined the
//! page is told what every register sends.

mod combining;

use combining::Combining;
use serde::Serialize;
use serde_json::{Value, json};

use crate::design::Design;
use crate::draw;
use crate::draw::layout::aslant;
use crate::draw::svg::P;
use crate::net::{Channel, OUTSIDE, Port, Topology};
use crate::paths::cover::Cover;
use crate::program::{Class, ClassId, Message, Program, Run, Sender, Source, To, Track, port_name};

/// One bit for every node and every packet or flit: more would need more memory than a page should take (64 MB).
const MOST_BITS: u64 = 1 << 29;

/// Animation of a program on the page.
pub(super) struct Animation {
    pub(super) about: String,
    /// unit that moves: packets or flits
    pub(super) token: &'static str,
    pub(super) unit: &'static str,
    pub(super) unit_title: &'static str,
    pub(super) ticks: u32,
    pub(super) cycles: bool,
    pub(super) deep: bool,
    /// verb for what arrives at a node, for one and for several, and the name of all there is
    pub(super) has: &'static str,
    pub(super) have: &'static str,
    pub(super) all: &'static str,
    /// heading of the table
    pub(super) counted: String,
    pub(super) gradient: String,
    pub(super) data: String,
    pub(super) scripts: [&'static str; 3],
}

/// A program as `templates/report/model.js` reads it.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct AnimationData<'a> {
    unit: &'static str,
    /// unit that moves, if not packets
    #[serde(skip_serializing_if = "Option::is_none")]
    token: Option<&'static str>,
    sides: &'a [u32],
    /// true if the last node along each axis is linked to the first
    wraps: Vec<bool>,
    /// lattice that offsets are reduced by, for networks that are no product of cycles and paths
    #[serde(skip_serializing_if = "Option::is_none")]
    lattice: Option<&'a [Vec<u32>]>,
    /// there, the node at each port of each node, or -1
    #[serde(skip_serializing_if = "Vec::is_empty")]
    neighbours: Vec<i64>,
    /// columns and rows along x1, if that leads to a node beside in the same plane
    #[serde(skip_serializing_if = "Option::is_none")]
    aslant: Option<[f64; 2]>,
    ticks: u32,
    /// the part in which values are combined, before the classes play
    #[serde(skip_serializing_if = "Option::is_none")]
    combining: Option<Combining>,
    #[serde(skip_serializing_if = "Option::is_none")]
    lanes: Option<u8>,
    /// each `[from, to]`, or `[from, to, flits]` if it has not just one
    messages: Vec<Vec<Value>>,
    /// by node, the number of its group, if there are several
    #[serde(skip_serializing_if = "Option::is_none")]
    groups: Option<Vec<i64>>,
    classes: Vec<Vec<AnimatedOutput>>,
    class_of: Vec<u32>,
    /// for each node `[first, ticks]`
    #[serde(skip_serializing_if = "Vec::is_empty")]
    windows: Vec<[u32; 2]>,
    class_names: Vec<String>,
    port_names: Vec<String>,
    /// heading of the first column of the table
    corner: String,
    /// one character a link: the colour of the cycle that owns it, or a dot
    owners: String,
    /// true if nodes beside a cycle are supplied with it
    supplies: bool,
    /// on light and on dark paper
    cycles: Vec<(&'static str, &'static str)>,
    /// from nothing known to everything
    scale: Vec<String>,
}

#[derive(Serialize)]
struct AnimatedOutput {
    runs: Vec<Vec<Value>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    repeat: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    inject: Option<u32>,
}

impl Animation {
    /// Whole packets move, however many flits they have, if all have as many; else flits. The reason if they are too many.
    pub(super) fn new(design: &Design) -> Result<Self, String> {
        let is_whole = |program: &Program| program.demand.messages().iter().all(|message| message.flits == 1);
        let whole = design.program.unstretched().filter(is_whole);
        // a page shows packets where they have been sent, as if they were there at once
        let (unit, unit_title) =
            if whole.is_some() && design.program.flits > 1 { ("step", "Step") } else { ("tick", "Tick") };
        let flit = whole.is_none().then_some("flit");
        let token = flit.unwrap_or("packet");
        let program = whole.as_ref().unwrap_or(&design.program);
        let bits = program.demand.flits() * u64::from(program.topology.nodes());
        if bits > MOST_BITS {
            let nodes = program.topology.nodes();
            return Err(format!(
                "Not shown: what {nodes} nodes know is too much for a page; look at a smaller network."
            ));
        }
        let combining = Combining::of(program)?;
        let (has, have, all, counted) = match (&combining, program.demand.is_for_all()) {
            (Some(_), _) if program.combines_everywhere() => {
                ("has combined", "have combined", "everything", "values that a node has combined".to_owned())
            }
            (Some(_), _) => {
                let counted = "values combined in a node's own packets, then packets known".to_owned();
                ("has combined or knows", "have combined or know", "everything", counted)
            }
            (None, true) => ("knows", "know", "everything", format!("{token}s known")),
            (None, false) => {
                let counted = format!("{token}s that a node has of those it wants");
                ("has of what it wants", "have of what they want", "all that it wants", counted)
            }
        };
        Ok(Self {
            about: about(&design.program, program, token, unit),
            token,
            unit,
            unit_title,
            ticks: program.ticks,
            cycles: design.cover().is_some(),
            deep: program.topology.axes() > 2,
            has,
            have,
            all,
            counted,
            gradient: colours().join(","),
            data: data(program, design.cover(), unit, flit, combining),
            scripts: [
                include_str!("../../../templates/report/model.js"),
                include_str!("../../../templates/report/sheet.js"),
                include_str!("../../../templates/report/view.js"),
            ],
        })
    }
}

/// Explains what is played: `shown` is the program of whole packets, if there is one.
fn about(program: &Program, shown: &Program, token: &str, unit: &str) -> String {
    let whole = match (unit, program.flits) {
        ("tick", _) => String::new(),
        (_, flits) => format!(" A step moves a packet of {flits} flits over a link and takes {flits} ticks."),
    };
    let planes = match program.topology.axes() {
        0..=2 => "",
        3 if aslant(&program.topology).is_some() => "",
        _ => " Planes lie side by side; oblique lines lead from plane to plane.",
    };
    let long = match program.latency {
        1 => String::new(),
        latency => {
            format!(" Links are {latency} ticks long: a packet is shown at the end of its link as soon as it is sent.")
        }
    };
    let more = if program.demand.is_for_all() { "it knows" } else { "of what it wants it has" };
    let moves = format!(
        "An arrow is a {token} about to arrive; a square is a node, the brighter the more {more}; its number says how many \
         {token}s."
    );
    let combines = shown.reduction.as_ref().map_or(String::new(), |reduction| {
        let then = if reduction.ticks < shown.ticks {
            format!(" After {unit} {} the results are gathered. {moves}", reduction.ticks + 1)
        } else {
            String::new()
        };
        if reduction.everywhere {
            return format!(
                "Every node combines all values: an arrow is a {token} on its way, with all that its sender has combined of it; a \
                 square is the brighter the more values its node has combined, and its number says how many."
            );
        }
        format!(
            "First values are combined: an arrow is a partial on its way to the node whose {token} it becomes; a square is \
             the brighter the more values are in its node's own {token}s, and its number says how many.{then}"
        )
    });
    let moves = if combines.is_empty() { moves } else { combines };
    format!("The program of the routers, played {unit} by {unit}. {moves}{planes}{whole}{long}")
}

fn data(
    shown: &Program,
    cover: Option<&Cover>,
    unit: &'static str,
    token: Option<&'static str>,
    combining: Option<Combining>,
) -> String {
    // classes play what comes after: the gather part, if there is one
    let gather = shown.gather_part();
    let program = gather.as_ref().unwrap_or(shown);
    let topology = &program.topology;
    let last = topology.axes() - 1;
    let other = topology.as_product().is_none();
    let data = AnimationData {
        unit,
        token,
        sides: topology.dims(),
        wraps: (0..topology.axes()).map(|axis| !topology.open().contains(&axis)).collect(),
        lattice: other.then(|| topology.lattice().rows()),
        neighbours: if other { neighbours(topology) } else { Vec::new() },
        aslant: aslant(topology).map(|P(columns, rows)| [columns, rows]),
        ticks: shown.ticks,
        combining,
        lanes: (program.lanes > 1).then_some(program.lanes),
        messages: program.demand.messages().iter().map(ends).collect(),
        groups: program
            .demand
            .groups()
            .map(|groups| topology.node_ids().map(|node| groups.number(node).map_or(-1, i64::from)).collect()),
        classes: program.classes.iter().map(|class| outputs(program, class)).collect(),
        class_of: program.class_of.iter().map(|class| class.0).collect(),
        windows: program.windows.iter().map(|window| [window.first, window.ticks]).collect(),
        class_names: (0..program.classes.len()).map(|class| program.class_name(ClassId(class as u32))).collect(),
        port_names: topology.port_ids().map(|port: Port| port_name(topology.axes(), port)).collect(),
        corner: (0..last).map(|axis| format!("x{}", axis + 1)).collect::<Vec<_>>().join(","),
        owners: cover.map(owners).unwrap_or_default(),
        supplies: cover.is_some_and(|cover| !cover.passes_every_node()),
        cycles: draw::CYCLE_COLOURS.to_vec(),
        scale: colours(),
    };
    // text that looks like the end of the script is escaped
    serde_json::to_string(&data).expect("plain data").replace('<', "\\u003c")
}

/// The node at each port of each node, or -1.
fn neighbours(topology: &Topology) -> Vec<i64> {
    let mut all = Vec::with_capacity(topology.registers());
    topology.sweep(0..topology.nodes(), |_, there| {
        all.extend(there.iter().map(|&node| if node == OUTSIDE { -1 } else { i64::from(node.0) }));
    });
    all
}

/// A node's number, null for every node or for everybody of the sender's group, or how far from the sender along each axis; its length.
fn ends(message: &Message) -> Vec<Value> {
    let from = match message.from {
        Sender::Every => Value::Null,
        Sender::Node(node) => json!(node.0),
    };
    let to = match &message.to {
        To::All => Value::Null,
        To::Node(node) => json!(node.0),
        To::Offset(offset) => json!(offset),
    };
    let length = (message.flits != 1).then(|| json!(message.flits));
    [from, to].into_iter().chain(length).collect()
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

fn outputs(program: &Program, class: &Class) -> Vec<AnimatedOutput> {
    let output = |track: &Track| {
        let runs = track.runs.iter().map(|run| numbers(program, run)).collect();
        AnimatedOutput { runs, repeat: track.repeat_from, inject: track.inject }
    };
    class.outputs.iter().map(output).collect()
}

/// `[ticks]` if idle, `[ticks, packet]` or `[ticks, [packet, through]]` if own, `[ticks, input, age]` or
/// `[ticks, [input, ...], age]` if it repeats an input or the one of some that brings anything.
fn numbers(program: &Program, &Run { source, ticks }: &Run) -> Vec<Value> {
    let input = |input| program.output_index(input);
    let rest = match source {
        Source::Idle | Source::Sum { .. } => Vec::new(),
        Source::Own { packet, through } if packet == through => vec![json!(packet)],
        Source::Own { packet, through } => vec![json!([packet, through])],
        Source::In { port, lane, age } => vec![json!(input(Channel { port, lane })), json!(age)],
        Source::Any { ports } => {
            let inputs: Vec<usize> = ports.iter().map(|port| input(Channel::first(port))).collect();
            vec![json!(inputs), json!(1)]
        }
    };
    std::iter::once(json!(ticks)).chain(rest).collect()
}
