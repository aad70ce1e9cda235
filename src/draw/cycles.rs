//! The cycles as in Meyer and Sibeyn's figures: a colour each, wrap links as stubs, supply dashed.

use super::layout::Layout;
use super::panels::{self, LegendSample};
use super::svg::{Anchor, P, Path, Svg};
use super::wires::{WireUse, wire};
use super::{DrawError, fits, palette};
use crate::net::{AxisDirection, NodeId, Port, Topology};
use crate::paths::cover::Cover;
use crate::program::Program;

/// More would not be told apart.
pub const MOST_NODES: u32 = 16_384;

/// The cycles of a program, with arrows, their starts, and the supply of nodes off them.
/// Without a cover: every link in use.
pub fn cycles(program: &Program, cover: Option<&Cover>) -> Result<String, DrawError> {
    draw(program, cover, Emphasis::Cycles)
}

/// Draws the cycles paler and the supply links stronger.
pub fn supply(program: &Program, cover: Option<&Cover>) -> Result<String, DrawError> {
    draw(program, cover, Emphasis::Supply)
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Emphasis {
    Cycles,
    Supply,
}

fn draw(program: &Program, cover: Option<&Cover>, emphasis: Emphasis) -> Result<String, DrawError> {
    let wires = |node, port| wire(program, cover, node, port);
    let picture = CyclePicture::new(program, cover, emphasis, wires)?;
    let has_supply = picture.has(|wire| matches!(wire, WireUse::Supply { .. }));
    let subtitle = match emphasis {
        Emphasis::Supply if !has_supply => {
            format!("{}; nothing is supplied", picture.subtitle())
        }
        _ => picture.subtitle(),
    };
    Ok(picture.draw(&subtitle, |_| ()))
}

pub(super) struct CyclePicture<'a> {
    pub(super) program: &'a Program,
    topology: &'a Topology,
    cover: Option<&'a Cover>,
    pub(super) layout: Layout,
    emphasis: Emphasis,
    /// One an output, at `topology.register(node, port)`.
    wires: Vec<WireUse>,
    /// Distance from a node's centre at which its links begin.
    pub(super) radius: f64,
    /// True if the nodes are drawn as discs with their crossbar in them.
    discs: bool,
}

impl<'a> CyclePicture<'a> {
    fn new(
        program: &'a Program,
        cover: Option<&'a Cover>,
        emphasis: Emphasis,
        wire: impl Fn(NodeId, Port) -> WireUse,
    ) -> Result<Self, DrawError> {
        fits(&program.topology, MOST_NODES)?;
        Ok(Self::on(Layout::new(&program.topology)?, program, cover, emphasis, wire))
    }

    pub(super) fn on(
        layout: Layout,
        program: &'a Program,
        cover: Option<&'a Cover>,
        emphasis: Emphasis,
        wire: impl Fn(NodeId, Port) -> WireUse,
    ) -> Self {
        let topology = &program.topology;
        let outputs = topology.node_ids().flat_map(|node| topology.port_ids().map(move |port| (node, port)));
        let wires = outputs.map(|(node, port)| wire(node, port)).collect();
        let discs = layout.pitch >= 26.0;
        let share = if layout.is_projected() { 0.105 } else { 0.27 };
        let radius = layout.grain() * if discs { share } else { 0.4 };
        Self { program, topology, cover, layout, emphasis, wires, radius, discs }
    }

    /// The whole picture, with what is written upon it.
    pub(super) fn draw(&self, subtitle: &str, notes: impl Fn(&mut Svg)) -> String {
        let mut svg = Svg::new();
        let title = format!("{}, {}", self.topology.describe(), self.program.title.scheme);
        panels::heading(&mut svg, &title, subtitle);
        self.coordinates(&mut svg);
        for layer in self.layout.layers() {
            self.layer(&mut svg, &layer);
        }
        notes(&mut svg);
        let width = self.layout.width.max(panels::heading_width(&title, subtitle));
        let bottom = panels::legend(&mut svg, &self.legend(), P(24.0, self.layout.height + 4.0), width - 24.0);
        svg.finish(&format!("{title}: {subtitle}"), width, bottom)
    }

    fn wire(&self, node: NodeId, port: Port) -> WireUse {
        self.wires[self.topology.register(node, port)]
    }

    fn has(&self, kind: impl Fn(WireUse) -> bool) -> bool {
        self.wires.iter().any(|&wire| kind(wire))
    }

    fn cycle_count(&self) -> usize {
        self.cover.map_or(0, Cover::cycles)
    }

    fn subtitle(&self) -> String {
        let time = format!("{} in {} ticks", self.program.collective(), self.program.ticks);
        let Some(cover) = self.cover else { return format!("links in use; {time}") };
        let mut lengths: Vec<u32> = (0..cover.cycles()).map(|cycle| cover.length(cycle)).collect();
        let cycles = if lengths.len() == 1 { "1 cycle".to_owned() } else { format!("{} cycles", lengths.len()) };
        lengths.dedup();
        let lengths = lengths.iter().map(u32::to_string).collect::<Vec<_>>().join(", ");
        format!("{cycles} of {lengths} places; {time}")
    }

    fn line_width(&self) -> f64 {
        (self.layout.pitch * 0.058).clamp(1.2, 3.6)
    }

    fn layer(&self, svg: &mut Svg, layer: &[NodeId]) {
        let width = self.line_width();
        let across_layers = |port: Port| self.layout.is_projected() && port.axis() == 0;
        let ports = |across: bool| self.topology.port_ids().filter(move |&port| across_layers(port) == across);
        // links to farther layers, then the layer, then the stubs towards the reader
        self.links(svg, layer, &ports(true).filter(|port| *port == Port::plus(0)).collect::<Vec<_>>());
        self.links(svg, layer, &ports(false).collect::<Vec<_>>());
        if self.discs {
            svg.group(&format!("class=\"node\" stroke-width=\"{:.1}\"", width * 0.4), |svg| {
                for &node in layer.iter().filter(|&&node| self.topology.is_live(node)) {
                    svg.circle("", self.layout.at(node), self.radius);
                }
            });
            for &node in layer.iter().filter(|&&node| !self.topology.is_live(node)) {
                let size = P(self.radius, self.radius) * 0.6;
                panels::cross(svg, self.layout.at(node) - size, self.layout.at(node) + size);
            }
        }
        self.crossbars(svg, layer);
        self.links(svg, layer, &ports(true).filter(|port| *port == Port::minus(0)).collect::<Vec<_>>());
        self.marks(svg, layer);
    }

    /// The links at these ports of these nodes; a link between two nodes of them is drawn once, forwards.
    fn links(&self, svg: &mut Svg, layer: &[NodeId], ports: &[Port]) {
        if ports.is_empty() {
            return;
        }
        let mut faint = Path::default();
        let mut along: Vec<(Path, Path)> = (0..self.cycle_count()).map(|_| Default::default()).collect();
        let mut supply: Vec<(Path, Path)> = (0..self.cycle_count()).map(|_| Default::default()).collect();
        let mut other: (Path, Path) = Default::default();
        for &node in layer {
            for &port in ports {
                let Some(neighbour) = self.topology.step(node, port) else { continue };
                let there = port.opposite();
                let wraps = self.layout.wraps(node, port);
                // the farther layer is drawn already: its link is this node's, whichever way it is used
                let from_both = self.layout.is_projected() && port.axis() == 0 && !wraps;
                for (node, port, there, back) in [(node, port, neighbour, there)]
                    .into_iter()
                    .chain(from_both.then_some((neighbour, there, node, port)))
                {
                    match self.wire(node, port) {
                        WireUse::Unused => {
                            if port.way() == AxisDirection::Plus && self.wire(there, back) == WireUse::Unused {
                                self.line(&mut faint, node, port, 0.0);
                            }
                        }
                        WireUse::Along { cycle } => self.cycle_link(&mut along[cycle], cycle, node, port),
                        WireUse::Supply { cycle } => self.one_way(&mut supply[cycle], node, port),
                        WireUse::Other => self.one_way(&mut other, node, port),
                    }
                }
            }
        }
        let width = self.line_width();
        let (pale, strong) = match self.emphasis {
            Emphasis::Cycles => ("", 0.62),
            Emphasis::Supply => (" opacity=\"0.28\"", 1.0),
        };
        // in a projection supply crosses everything
        let quiet =
            if self.layout.is_projected() && self.emphasis == Emphasis::Cycles { " opacity=\"0.5\"" } else { "" };
        svg.path(&format!("class=\"line faint\" stroke-width=\"{:.1}\"", width * 0.4), &faint);
        if self.layout.is_projected() {
            for (lines, _) in &along {
                svg.path(&format!("class=\"line halo\" stroke-width=\"{:.1}\"", width * 2.4), lines);
            }
        }
        for (cycle, (lines, heads)) in along.iter().enumerate() {
            let class = palette::cycle(cycle);
            svg.path(&format!("class=\"line {class}\" stroke-width=\"{width:.1}\"{pale}"), lines);
            svg.path(&format!("class=\"{class}f\"{pale}"), heads);
        }
        for (cycle, (lines, heads)) in supply.iter().enumerate() {
            let class = palette::cycle(cycle);
            let dashes = format!("stroke-dasharray=\"{:.1} {:.1}\"", width * 0.9, width * 1.3);
            svg.path(&format!("class=\"line {class}\" stroke-width=\"{:.1}\" {dashes}{quiet}", width * strong), lines);
            svg.path(&format!("class=\"{class}f\"{quiet}"), heads);
        }
        svg.path(&format!("class=\"line n\" stroke-width=\"{:.1}\"", width * 0.6), &other.0);
        svg.path("class=\"nf\"", &other.1);
    }

    /// From the node's rim to its neighbour's, or, over the border, half the way; `aside` to the right of it.
    fn ends_of_line(&self, node: NodeId, port: Port, aside: f64) -> (P, P) {
        let step = self.layout.step(node, port);
        let unit = step.unit();
        let shift = unit.right() * aside;
        let radius = if self.discs || aside == 0.0 { self.radius } else { self.layout.grain() * 0.2 };
        // intersection of a chord off the middle with the rim
        let rim = (radius * radius - aside * aside).max(0.0).sqrt();
        let from = self.layout.at(node) + unit * rim + shift;
        let gap = step.length() - 2.0 * rim;
        let length = if self.layout.wraps(node, port) { gap.min(gap * 0.5 + radius * 0.6) } else { gap };
        (from, from + unit * length)
    }

    /// Draws that; returns its middle and its end.
    fn line(&self, path: &mut Path, node: NodeId, port: Port, aside: f64) -> (P, P) {
        let (from, to) = self.ends_of_line(node, port, aside);
        path.move_to(from);
        path.line_to(to);
        ((from + to) * 0.5, to)
    }

    /// A link of a cycle: both streams, one line, an arrow forwards. Both ends see it; the one it leaves draws it,
    /// but a stub is drawn by each.
    fn cycle_link(&self, (lines, heads): &mut (Path, Path), cycle: usize, node: NodeId, port: Port) {
        let Some(cover) = self.cover else { return };
        let leaves = cover.leaves(node, port);
        let wraps = self.layout.wraps(node, port);
        if !leaves && !wraps {
            return;
        }
        let (middle, end) = self.line(lines, node, port, 0.0);
        // in a projection other layers cross a stub in its middle
        let aside = if wraps && self.layout.is_projected() && port.axis() != 0 { 0.7 } else { 0.0 };
        let middle = middle + (end - middle) * aside;
        let place = cover.place(cycle, node).unwrap_or(0);
        // fine pictures have an arrow on every few links only
        let every = if self.layout.pitch >= 24.0 { 1 } else { 4 };
        if place.is_multiple_of(every) || (wraps && every == 1) {
            let forwards = if leaves { self.layout.step(node, port) } else { self.layout.step(node, port) * -1.0 };
            heads.arrow(middle, forwards, self.line_width() * 1.7);
        }
    }

    /// Offset to the right at which one direction of a link is drawn, so that the opposite direction has room.
    fn aside(&self) -> f64 {
        self.layout.grain() * if self.layout.is_projected() { 0.035 } else { 0.09 }
    }

    /// From where to where such a link is drawn.
    pub(super) fn used(&self, node: NodeId, port: Port) -> (P, P) {
        self.ends_of_line(node, port, self.aside())
    }

    /// A link that is used for itself alone.
    fn one_way(&self, (lines, heads): &mut (Path, Path), node: NodeId, port: Port) {
        let aside = self.aside();
        let (middle, end) = self.line(lines, node, port, aside);
        heads.arrow(middle + (end - middle) * 0.6, self.layout.step(node, port), self.line_width() * 1.5);
        if let Some(neighbour) = self.topology.step(node, port).filter(|_| self.layout.wraps(node, port)) {
            // the other end of a wrap link, on the same side of the link
            self.line(lines, neighbour, port.opposite(), -aside);
        }
    }

    /// Draws the path of each cycle through each node.
    fn crossbars(&self, svg: &mut Svg, layer: &[NodeId]) {
        let pale = if self.emphasis == Emphasis::Supply { " opacity=\"0.28\"" } else { "" };
        for cycle in 0..self.cycle_count() {
            let mut curves = Path::default();
            for &node in layer {
                if let Some((from, to)) = self.ends(cycle, node) {
                    curves.move_to(from);
                    curves.curve_to(self.layout.at(node), to);
                }
            }
            let class = palette::cycle(cycle);
            svg.path(&format!("class=\"line {class}\" stroke-width=\"{:.1}\"{pale}", self.line_width()), &curves);
        }
    }

    /// Points at which a cycle enters and leaves a node's disc.
    fn ends(&self, cycle: usize, node: NodeId) -> Option<(P, P)> {
        let visit = self.cover?.visit(cycle, node)?;
        let rim = |port: Port| self.layout.at(node) + self.layout.step(node, port).unit() * self.radius;
        Some((rim(visit.from), rim(visit.to)))
    }

    /// Dots where cycles start, rings round double nodes.
    fn marks(&self, svg: &mut Svg, layer: &[NodeId]) {
        let Some(cover) = self.cover else { return };
        for cycle in 0..cover.cycles() {
            let class = palette::cycle(cycle);
            let start = cover.start(cycle);
            if let (true, Some((_, to))) = (layer.contains(&start), self.ends(cycle, start)) {
                svg.circle(&format!("{class}f"), to, self.line_width() * 1.6);
            }
            if self.discs {
                let doubles = layer.iter().filter(|&&node| cover.visit(cycle, node).is_some_and(|visit| visit.double));
                for &node in doubles {
                    svg.circle(&format!("line {class}"), self.layout.at(node), self.radius + self.line_width());
                }
            }
        }
    }

    /// Coordinates along the border, fewer of them on fine pictures.
    fn coordinates(&self, svg: &mut Svg) {
        let (axes, layout) = (self.topology.axes(), &self.layout);
        let out = self.radius + layout.stub + 4.0;
        let rows = (P(-out, 4.0), Anchor::End);
        let columns = (P(0.0, -out), Anchor::Middle);
        if layout.has_planes() {
            for plane in 0..self.topology.side(0) {
                let first = [plane, 0, 0];
                let corner = layout.at(self.topology.node(&first)) + P(-out, -out - 18.0);
                svg.text("small", corner, Anchor::Start, &format!("x1 = {plane}"));
                self.along(svg, &first, 1, rows);
                self.along(svg, &first, 2, columns);
            }
        } else if layout.is_projected() {
            // the front's left and bottom edges, and the edge that leads from there into the depth
            let bottom = self.topology.side(1) - 1;
            self.along(svg, &[0, 0, 0], 1, rows);
            self.along(svg, &[0, bottom, 0], 2, (P(0.0, out + 12.0), Anchor::Middle));
            self.along(svg, &[0, bottom, self.topology.side(2) - 1], 0, (P(out, 10.0), Anchor::Start));
        } else {
            let first = vec![0; axes];
            if layout.outwards(NodeId(0)).is_some() {
                return self.round(svg);
            }
            self.along(svg, &first, axes - 1, columns);
            if axes > 1 {
                self.along(svg, &first, axes - 2, rows);
            }
        }
    }

    /// Names the nodes of a ring, outside of it.
    fn round(&self, svg: &mut Svg) {
        for node in self.topology.node_ids().step_by(panels::label_step(self.layout.pitch) as usize) {
            let Some(outwards) = self.layout.outwards(node) else { continue };
            let label = if node.0 == 0 { "x1 = 0".to_owned() } else { node.0.to_string() };
            let at = self.layout.at(node) + outwards * (self.radius + 14.0) + P(0.0, 4.0);
            svg.text("small soft", at, Anchor::Middle, &label);
        }
    }

    /// Names the coordinates of `axis` on the line of nodes through `first`.
    fn along(&self, svg: &mut Svg, first: &[u32], axis: usize, (edge, anchor): (P, Anchor)) {
        let pixels = self.layout.step(self.topology.node(first), Port::plus(axis)).length();
        let roomy = self.layout.pitch >= 44.0 || matches!(anchor, Anchor::End if !self.layout.has_planes());
        for x in (0..self.topology.side(axis)).step_by(panels::label_step(pixels) as usize) {
            let mut coords = first.to_vec();
            coords[axis] = x;
            let label = if x == 0 && roomy { format!("x{} = 0", axis + 1) } else { x.to_string() };
            svg.text("small soft", self.layout.at(self.topology.node(&coords)) + edge, anchor, &label);
        }
    }

    fn legend(&self) -> Vec<(LegendSample, String)> {
        let mut items: Vec<(LegendSample, String)> = Vec::new();
        for cycle in 0..self.cycle_count() {
            items.push((LegendSample::Line { class: palette::cycle(cycle) }, format!("cycle {cycle}")));
        }
        if self.cycle_count() > 0 {
            items.push((LegendSample::Dot { class: "nf".into() }, "a cycle's start".to_owned()));
            if self.program.duplex.is_full() {
                items.push((LegendSample::Arrow, "forwards; packets run backwards, too".to_owned()));
            }
        }
        if self.has(|wire| matches!(wire, WireUse::Supply { .. })) {
            items.push((LegendSample::Dashed { class: "n".into() }, "supply of nodes off the cycle".to_owned()));
        }
        if self.has(|wire| wire == WireUse::Other) {
            items.push((LegendSample::Arrow, "a link in use".to_owned()));
        }
        if self.topology.live_ids().count() < self.topology.nodes() as usize {
            items.push((LegendSample::Cross, "a dead node".to_owned()));
        }
        let double = |cover: &Cover, node| {
            (0..cover.cycles()).any(|cycle| cover.visit(cycle, node).is_some_and(|visit| visit.double))
        };
        if self.cover.is_some_and(|cover| self.topology.node_ids().any(|node| double(cover, node))) {
            items.push((LegendSample::Ring, "double node: two places".to_owned()));
        }
        items
    }
}
