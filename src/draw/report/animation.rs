//! Data from which the page's script shows a program: a film of its registers, who wants what, and how values grow.

mod combining;
mod film;

use combining::CombinedFilm;
use film::{Camera, Film, Frame};
use serde::Serialize;

use crate::design::Design;
use crate::draw;
use crate::draw::layout::aslant;
use crate::draw::svg::P;
use crate::net::{OUTSIDE, Port, Topology};
use crate::paths::cover::Cover;
use crate::play::Machine;
use crate::program::{ClassId, Program, port_name};

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
    /// node at each port of each node, or -1; of networks that are no product of cycles and paths
    #[serde(skip_serializing_if = "Vec::is_empty")]
    neighbours: Vec<i64>,
    /// columns and rows along x1, if that leads to a node beside in the same plane
    #[serde(skip_serializing_if = "Option::is_none")]
    aslant: Option<[f64; 2]>,
    ticks: u32,
    lanes: u8,
    /// by node, the tokens that it has at first
    own: Vec<u64>,
    /// by node, the number of its group, if there are several
    #[serde(skip_serializing_if = "Option::is_none")]
    groups: Option<Vec<i64>>,
    dead: Vec<u32>,
    parts: Vec<PartData>,
    /// true if every node knows all tokens in the end
    is_for_all: bool,
    class_of: Vec<u32>,
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

/// Values that are combined, or tokens that nodes get to know.
#[derive(Serialize)]
struct PartData {
    film: Film,
    #[serde(skip_serializing_if = "Option::is_none")]
    gains: Option<Vec<Vec<i64>>>,
    /// true if every node combines all values
    everywhere: bool,
    /// tokens in a row, each with the node that wants them, or -1 if all of the group do
    wanted: Vec<[i64; 2]>,
    /// by node, how much it has at first of what it is to have, and how much there is
    has: Vec<u64>,
    goals: Vec<u64>,
}

impl PartData {
    /// The part in which values are combined.
    fn combining(program: &Program, CombinedFilm { film, gains }: CombinedFilm) -> Self {
        let Program { topology, demand, .. } = program;
        let everywhere = program.combines_everywhere();
        let own = |node| demand.own_flits(node);
        let wanted = if everywhere {
            vec![[demand.flits() as i64, -1]]
        } else {
            topology.node_ids().map(|node| [own(node) as i64, node.0.into()]).collect()
        };
        let has = |node| if topology.is_live(node) { program.results_of(node).count() as u64 } else { 0 };
        let values = |node| if topology.is_live(node) { demand.group_size(topology, node).into() } else { 0 };
        Self {
            film,
            gains: Some(gains),
            everywhere,
            wanted,
            has: topology.node_ids().map(has).collect(),
            goals: topology.node_ids().map(|node| has(node) * values(node)).collect(),
        }
    }

    /// The part in which tokens move.
    fn moving(program: &Program) -> Self {
        let Program { topology, demand, .. } = program;
        let mut machine = Machine::new(program);
        let mut camera = Camera::new(program);
        while !machine.is_done() {
            machine.step();
            camera.take(Frame::of(program, |register| machine.delivered(register)));
        }
        // tokens that a node has at first count where everybody wants everything, and not where nobody wants what it has
        let counted = |node| if demand.is_for_all() { demand.own_flits(node) } else { 0 };
        let goals = topology.node_ids().zip(demand.goals(topology));
        Self {
            film: camera.develop(),
            gains: None,
            everywhere: false,
            wanted: wanted(program),
            has: topology.node_ids().map(counted).collect(),
            goals: goals.map(|(node, goal)| goal - demand.own_flits(node) + counted(node)).collect(),
        }
    }
}

/// Tokens in a row, each with the node that wants them, or -1 if all of the group do.
fn wanted(program: &Program) -> Vec<[i64; 2]> {
    let Program { topology, demand, .. } = program;
    let mut wanted: Vec<[i64; 2]> = Vec::new();
    for node in topology.node_ids() {
        for packet in 0..demand.packets_of(node) {
            let to = demand.receiver(topology, node, packet).map_or(-1, |to| to.0.into());
            let flits = i64::from(demand.message(node, packet).flits);
            match wanted.last_mut() {
                Some([many, last]) if *last == to => *many += flits,
                _ => wanted.push([flits, to]),
            }
        }
    }
    wanted
}

impl Animation {
    /// Whole packets move, however many flits they have, if all have as many; else flits. The reason if they are too many.
    pub(super) fn new(design: &Design) -> Result<Self, String> {
        let is_whole = |program: &Program| program.demand.messages().iter().all(|message| message.flits == 1);
        // ticks of links and adders are shown, and not left out
        let is_short = design.program.reduce_latency() == 1;
        let whole = design.program.unstretched().filter(|whole| is_short && is_whole(whole));
        let (unit, unit_title) =
            if whole.is_some() && design.program.flits > 1 { ("step", "Step") } else { ("tick", "Tick") };
        let flit = (!is_whole(whole.as_ref().unwrap_or(&design.program))).then_some("flit");
        let token = flit.unwrap_or("packet");
        let program = whole.as_ref().unwrap_or(&design.program);
        let bits = program.demand.flits() * u64::from(program.topology.nodes());
        if bits > MOST_BITS {
            let nodes = program.topology.nodes();
            return Err(format!(
                "Not shown: what {nodes} nodes know is too much for a page; look at a smaller network."
            ));
        }
        let combined = CombinedFilm::of(program)?;
        let (has, have, all, counted) = match (&combined, program.demand.is_for_all()) {
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
            data: data(program, design.cover(), unit, flit, combined),
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
            format!(" Links are {latency} ticks long: a {token} is shown in the tick in which it arrives.")
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
    combined: Option<CombinedFilm>,
) -> String {
    // after values are combined their results are gathered, where that is asked for
    let gather = shown.gather_part();
    let moving = if combined.is_some() { gather.as_ref() } else { Some(shown) };
    let combining = combined.map(|combined| PartData::combining(shown, combined));
    let Program { topology, demand, .. } = shown;
    let last = topology.axes() - 1;
    let other = topology.as_product().is_none();
    let data = AnimationData {
        unit,
        token,
        sides: topology.dims(),
        wraps: (0..topology.axes()).map(|axis| !topology.open().contains(&axis)).collect(),
        neighbours: if other { neighbours(topology) } else { Vec::new() },
        aslant: aslant(topology).map(|P(columns, rows)| [columns, rows]),
        ticks: shown.ticks,
        lanes: shown.lanes,
        own: topology.node_ids().map(|node| demand.own_flits(node)).collect(),
        groups: demand
            .groups()
            .map(|groups| topology.node_ids().map(|node| groups.number(node).map_or(-1, i64::from)).collect()),
        dead: topology.node_ids().filter(|&node| !topology.is_live(node)).map(|node| node.0).collect(),
        parts: combining.into_iter().chain(moving.map(PartData::moving)).collect(),
        is_for_all: demand.is_for_all(),
        class_of: shown.class_of.iter().map(|class| class.0).collect(),
        class_names: (0..shown.classes.len()).map(|class| shown.class_name(ClassId(class as u32))).collect(),
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
