//! Space-time diagram of arrivals: places of a cycle across, ticks down, a colour for each origin.

use super::edges::edges;
use super::panels;
use super::svg::{Anchor, P, Path, Svg, text_width};
use super::{DrawError, palette};
use crate::net::{Channel, NodeId, Port, Topology};
use crate::paths::cover::Cover;
use crate::play::Machine;
use crate::program::{Demand, Message, Origin, Program, Sender, To};

/// Both streams of `cycle`, from tick `first` on; without a cover, what arrives along the first row of the last axis, or the one
/// with the root, or if links are half-duplex what they carry there.
pub fn spacetime(program: &Program, cover: Option<&Cover>, cycle: usize, first: u32) -> Result<String, DrawError> {
    const MOST_TICKS: u32 = 96;
    if !program.duplex.is_full() && cover.is_none() {
        return edges(program, first);
    }
    let last = program.ticks;
    if first == 0 || first > last {
        return Err(DrawError::Tick { tick: first, last });
    }
    let line = NodeSequence::new(program, cover, cycle)?;
    let ticks = (last - first + 1).min(MOST_TICKS);
    let longer = line.stops.len().max(ticks as usize) as f64;
    let cell = (560.0 / longer).floor().clamp(5.0, 26.0);
    let (width, height) = (line.stops.len() as f64 * cell, f64::from(ticks) * cell);
    let mut svg = Svg::new();
    let title = format!("{}, {}", program.topology.describe(), program.title.scheme);
    let shown = format!("ticks {first} to {} of {last}", first + ticks - 1);
    let subtitle = format!(
        "{}, {shown}: which packet arrives where and when, coloured by its {}",
        line.name,
        line.colours.describe()
    );
    panels::heading(&mut svg, &title, &subtitle);

    let mut panels = [0, 1].map(|_| Panel::default());
    let mut machine = Machine::new(program);
    while machine.tick() < first + ticks - 1 {
        machine.step();
        if machine.tick() < first {
            continue;
        }
        for (column, stop) in line.stops.iter().enumerate() {
            for (panel, port) in panels.iter_mut().zip(stop.ports) {
                if let Some(flit) = machine.arrival(stop.node, Channel::first(port)) {
                    let origin = line.colour(program.demand.origin(flit));
                    let corner = P(column as f64, f64::from(machine.tick() - first)) * cell;
                    panel.cells.push((corner, origin));
                }
            }
        }
    }
    let widest = line.streams.iter().map(|stream| text_width(stream, 12.0)).fold(width, f64::max);
    let beside = widest + 64.0;
    let stacked = beside * 2.0 > 1400.0;
    // above the ticks the colour of each place; messages of one node have none
    let own = line.own(cell);
    let above = if own.cells.is_empty() { 0.0 } else { cell + 4.0 };
    let top = panels::HEADING + 40.0 + above;
    for (index, (panel, stream)) in panels.iter().zip(line.streams).enumerate() {
        let at = if stacked { P(0.0, (height + 56.0) * index as f64) } else { P(beside * index as f64, 0.0) };
        let corner = at + P(56.0, top);
        svg.text("", corner + P(0.0, -22.0 - above), Anchor::Start, stream);
        axes(&mut svg, corner, above, cell, &line, first, ticks);
        own.draw(&mut svg, corner - P(0.0, above), cell, line.length);
        panel.draw(&mut svg, corner, cell, line.length);
    }
    let shape = if stacked { P(beside, 2.0 * height + 56.0) } else { P(2.0 * beside, height) };
    let width = (shape.0 + 24.0).max(panels::heading_width(&title, &subtitle));
    Ok(svg.finish(&format!("{title}: {subtitle}"), width, top + shape.1 + 24.0))
}

/// The nodes shown, in the order in which a packet passes them.
struct NodeSequence {
    name: String,
    streams: [&'static str; 2],
    stops: Vec<Stop>,
    /// the position of every node on the line, whether shown or not
    positions: Vec<Option<u32>>,
    colours: Colours,
    /// number of stops
    length: u32,
    /// heading of the axis across
    across: &'static str,
}

/// Colour scheme of the packets.
#[derive(Clone, Copy)]
enum Colours {
    /// The place of the node that it comes from.
    Origin,
    /// Number of the packet, where all come from one node.
    Message,
}

impl Colours {
    const fn describe(self) -> &'static str {
        match self {
            Self::Origin => "origin",
            Self::Message => "message",
        }
    }
}

struct Stop {
    node: NodeId,
    place: u32,
    /// Input ports of the forward and the backward stream.
    ports: [Port; 2],
}

impl NodeSequence {
    /// More would make the picture too large; the first ones tell the story.
    const MOST_STOPS: usize = 96;

    fn new(program: &Program, cover: Option<&Cover>, cycle: usize) -> Result<Self, DrawError> {
        let topology = &program.topology;
        match cover {
            Some(cover) if cycle < cover.cycles() => Ok(Self::cycle(topology, cover, cycle)),
            Some(cover) => Err(DrawError::Cycle { cycle, cycles: cover.cycles() }),
            None => Ok(Self::row(program)),
        }
    }

    fn cycle(topology: &Topology, cover: &Cover, cycle: usize) -> Self {
        let mut positions = vec![None; topology.nodes() as usize];
        let mut stops = Vec::new();
        for (node, to) in cover.nodes(cycle) {
            let place = cover.place(cycle, node);
            positions[node.index()] = place;
            if let (Some(place), Some(visit), true) = (place, cover.visit(cycle, node), stops.len() < Self::MOST_STOPS)
            {
                stops.push(Stop { node, place, ports: [visit.from, to] });
            }
        }
        let length = cover.length(cycle);
        let shown = match stops.last() {
            Some(last) if last.place + 2 < length => format!("places 0 to {} of {length}", last.place),
            _ => format!("{length} places"),
        };
        let streams = ["the stream that runs forwards", "the stream that runs backwards"];
        let name = format!("cycle {cycle}, {shown}");
        Self { name, streams, stops, positions, colours: Colours::Origin, length, across: "place" }
    }

    fn row(program: &Program) -> Self {
        let Program { topology, demand, .. } = program;
        let axis = topology.axes() - 1;
        let side = topology.side(axis);
        let positions = topology.node_ids().map(|node| Some(topology.coord(node, axis))).collect();
        let ports = [Port::minus(axis), Port::plus(axis)];
        let (sender, receiver) = (the_same(demand, sender), the_same(demand, receiver));
        // nodes are numbered row after row
        let first = sender.or(receiver).map_or(0, |root| root.0 / side * side);
        let stop = |place| Stop { node: NodeId(first + place), place, ports };
        let (colours, length) = match sender {
            Some(root) => (Colours::Message, demand.packets_of(root)),
            None => (Colours::Origin, side),
        };
        let which = if first == 0 { "first line" } else { "line with the root" };
        Self {
            name: format!("the {which} along x{}", axis + 1),
            streams: ["comes in from the smaller coordinate", "comes in from the larger coordinate"],
            stops: (0..side).take(Self::MOST_STOPS).map(stop).collect(),
            positions,
            colours,
            length,
            across: "node",
        }
    }

    /// Colours of each stop's own packet, if colours stand for places.
    fn own(&self, cell: f64) -> Panel {
        let stops = self.stops.iter().filter(|_| matches!(self.colours, Colours::Origin)).enumerate();
        Panel { cells: stops.map(|(column, stop)| (P(column as f64, 0.0) * cell, Some(stop.place))).collect() }
    }

    fn colour(&self, origin: Origin) -> Option<u32> {
        match self.colours {
            Colours::Origin => self.positions[origin.node.index()],
            Colours::Message => Some(origin.packet),
        }
    }
}

/// The node that every message has at one of its ends, if there is one.
fn the_same(demand: &Demand, end: impl Fn(&Message) -> Option<NodeId>) -> Option<NodeId> {
    let mut ends = demand.messages().iter().map(end);
    let first = ends.next().flatten()?;
    ends.all(|end| end == Some(first)).then_some(first)
}

fn sender(message: &Message) -> Option<NodeId> {
    if let Sender::Node(node) = message.from { Some(node) } else { None }
}

fn receiver(message: &Message) -> Option<NodeId> {
    if let To::Node(node) = message.to { Some(node) } else { None }
}

/// The cells of one stream: the corner, and the origin's place if it lies on the line.
#[derive(Default)]
struct Panel {
    cells: Vec<(P, Option<u32>)>,
}

impl Panel {
    fn draw(&self, svg: &mut Svg, corner: P, cell: f64, length: u32) {
        let gap = if cell >= 12.0 { 1.0 } else { 0.0 };
        // on a long cycle the wheel turns more than once
        let turn = length.min(NodeSequence::MOST_STOPS as u32);
        let mut paths: Vec<Path> = (0..=palette::WHEEL).map(|_| Path::default()).collect();
        for &(at, origin) in &self.cells {
            let part = origin.map_or(palette::WHEEL, |place| (place % turn) as usize * palette::WHEEL / turn as usize);
            paths[part].rect(corner + at, cell - gap, cell - gap);
        }
        for (part, path) in paths.iter().enumerate() {
            let fill = if part == palette::WHEEL { "#9aa3ad".to_owned() } else { palette::wheel(part) };
            svg.path(&format!("fill=\"{fill}\""), path);
        }
        if cell >= 18.0 {
            for &(at, origin) in &self.cells {
                let name = origin.map_or("-".to_owned(), |place| place.to_string());
                svg.text("small ink", corner + at + P(cell * 0.5 - 0.5, cell * 0.5 + 3.5), Anchor::Middle, &name);
            }
        }
    }
}

/// Places above the rows, ticks beside them; `above` is what stands between.
fn axes(svg: &mut Svg, corner: P, above: f64, cell: f64, line: &NodeSequence, first: u32, ticks: u32) {
    let every = panels::label_step(cell) as usize;
    svg.text("small soft", corner + P(-6.0, -5.0 - above), Anchor::End, line.across);
    if above > 0.0 {
        svg.text("small soft", corner + P(-6.0, 4.0 + cell * 0.5 - above), Anchor::End, "own");
    }
    for (column, stop) in line.stops.iter().enumerate().step_by(every) {
        let at = corner + P((column as f64 + 0.5) * cell, -5.0 - above);
        svg.text("small soft", at, Anchor::Middle, &stop.place.to_string());
    }
    for row in (0..ticks).step_by(every) {
        let label = if row == 0 { format!("tick {first}") } else { (first + row).to_string() };
        svg.text("small soft", corner + P(-6.0, (f64::from(row) + 0.5) * cell + 4.0), Anchor::End, &label);
    }
}
