//! Waveforms, as a data sheet shows them: the clock and the ports below one another, a colour for each node that packets are from.

use super::svg::{Anchor, P, Path, Svg, text_width};
use super::{palette, panels};
use crate::draw::signals::{Value, Wave, Waves};
use crate::program::{FlitId, Program};

/// Clocks before and after a landmark that are drawn.
const BEFORE: usize = 2;
const AFTER: usize = 4;
/// Fewest clocks for which a gap is drawn instead.
const FEWEST_LEFT_OUT: usize = 3;

const ROW: f64 = 28.0;
const TALL: f64 = 17.0;
/// Width of a signal's transition, in pixels.
const SLOPE: f64 = 3.0;
const GAP: f64 = 26.0;

/// The ports of a module, clock by clock, without the clocks in which nothing begins or ends.
pub fn waves(program: &Program, waves: &Waves) -> String {
    let sheet = Sheet::new(program, waves);
    let title = format!("{}, {}", program.topology.describe(), program.title.scheme);
    let legend = sheet.legend();
    let subtitle = format!("{}; {legend}; what is grey, nobody reads", waves.about);
    let mut svg = Svg::new();
    panels::heading(&mut svg, &title, &subtitle);
    let top = panels::HEADING + 44.0;
    let bottom = top + ROW * (waves.ports.len() + 1) as f64;
    sheet.edges(&mut svg, top, bottom);
    sheet.name(&mut svg, top, "clk");
    svg.path("class=\"line n\" stroke-width=\"1.5\"", &sheet.clock(top));
    for (wave, row) in waves.ports.iter().zip(1..) {
        sheet.draw(&mut svg, wave, top + ROW * f64::from(row));
    }
    let width = (sheet.right() + 24.0).max(panels::heading_width(&title, &subtitle));
    svg.finish(&format!("{title}: {subtitle}"), width, bottom + 20.0)
}

/// Layout of the clocks.
struct Sheet<'w> {
    program: &'w Program,
    waves: &'w Waves,
    left: f64,
    width: f64,
    /// the clocks that are drawn, stretch by stretch, and where each stretch begins
    stretches: Vec<(std::ops::Range<usize>, f64)>,
}

impl<'w> Sheet<'w> {
    fn new(program: &'w Program, waves: &'w Waves) -> Self {
        let names = waves.ports.iter().map(|wave| text_width(&wave.name, 13.0));
        let left = 24.0 + names.fold(text_width("tick", 12.0), f64::max) + 12.0;
        let mut sheet = Self { program, waves, left, width: 0.0, stretches: Vec::new() };
        let stretches = stretches(waves);
        let shown =
            || waves.ports.iter().flat_map(|wave| stretches.iter().flat_map(|stretch| &wave.values[stretch.clone()]));
        let labels = shown().map(|&value| text_width(&sheet.label(value), 11.0));
        sheet.width = labels.fold(26.0, f64::max).ceil() + 10.0;
        let mut x = left;
        for stretch in stretches {
            let width = stretch.len() as f64 * sheet.width;
            sheet.stretches.push((stretch, x));
            x += width + GAP;
        }
        sheet
    }

    fn right(&self) -> f64 {
        self.stretches.last().map_or(self.left, |(stretch, x)| x + stretch.len() as f64 * self.width)
    }

    fn several_packets(&self) -> bool {
        self.program.demand.most_packets() > 1
    }

    fn several_flits(&self) -> bool {
        self.program.demand.flits() > self.program.demand.packets()
    }

    /// Explains the names of data words.
    fn legend(&self) -> String {
        let packet = if self.several_packets() { ", pN its packet N" } else { "" };
        let flit = if self.several_flits() { ", fN flit N of that" } else { "" };
        format!("data has the coordinates and the colour of the node it is from{packet}{flit}")
    }

    fn label(&self, value: Value) -> String {
        let Program { topology, demand, .. } = self.program;
        let packet = |flit: FlitId| {
            let origin = demand.origin(flit);
            let node = topology.coords(origin.node).iter().map(u32::to_string).collect::<Vec<_>>().join(",");
            if self.several_packets() { format!("{node} p{}", origin.packet) } else { node }
        };
        match value {
            Value::Anything | Value::Bit(_) => String::new(),
            Value::Number(number) => number.to_string(),
            Value::Flit(flit) if self.several_flits() => {
                let origin = demand.origin(flit);
                let first = demand.flits_of_packet(origin.node, origin.packet).start;
                format!("{} f{}", packet(flit), u64::from(flit.0) - first)
            }
            Value::Flit(flit) | Value::Origin(flit) => packet(flit),
        }
    }

    /// A line at every rising edge, its number above, and between two the tick whose arrivals stand there.
    fn edges(&self, svg: &mut Svg, top: f64, bottom: f64) {
        let mut lines = Path::default();
        for (stretch, x) in &self.stretches {
            for clock in stretch.clone() {
                let at = P(x + (clock - stretch.start) as f64 * self.width, top - 8.0);
                lines.move_to(at);
                lines.line_to(P(at.0, bottom));
                let edge = clock as i64 - self.waves.zero as i64;
                svg.text("small soft", at - P(0.0, 20.0), Anchor::Middle, &edge.to_string());
                if let Some(tick) = self.waves.ticks[clock] {
                    svg.text("small", at + P(self.width * 0.5, -4.0), Anchor::Middle, &tick.to_string());
                }
            }
        }
        svg.path("class=\"line faint\" stroke-width=\"1\"", &lines);
        svg.text("small soft", P(self.left - 12.0, top - 28.0), Anchor::End, "edge");
        svg.text("small", P(self.left - 12.0, top - 12.0), Anchor::End, "tick");
        for pair in self.stretches.windows(2) {
            let middle = P(pair[1].1 - GAP * 0.5, top - 12.0);
            svg.text("small soft", middle, Anchor::Middle, "...");
        }
    }

    fn name(&self, svg: &mut Svg, y: f64, name: &str) {
        svg.text("", P(self.left - 12.0, y + TALL - 4.0), Anchor::End, name);
    }

    fn clock(&self, y: f64) -> Path {
        let mut path = Path::default();
        for (stretch, x) in &self.stretches {
            path.move_to(P(*x, y + TALL));
            for clock in 0..stretch.len() {
                let rise = x + clock as f64 * self.width;
                for (at, height) in
                    [(rise, TALL), (rise, 0.0), (rise + self.width * 0.5, 0.0), (rise + self.width * 0.5, TALL)]
                {
                    path.line_to(P(at, y + height));
                }
            }
            path.line_to(P(x + stretch.len() as f64 * self.width, y + TALL));
        }
        path
    }

    fn draw(&self, svg: &mut Svg, wave: &Wave, y: f64) {
        self.name(svg, y, &wave.name);
        let mut wires = Path::default();
        for (stretch, x) in &self.stretches {
            let mut before = None;
            for (part, value) in parts(&wave.values[stretch.clone()]) {
                let from = P(x + part.start as f64 * self.width, y);
                let width = part.len() as f64 * self.width;
                match value {
                    Value::Bit(is_high) => {
                        let height = if is_high { 0.0 } else { TALL };
                        let level = P(0.0, height);
                        match before {
                            Some(Value::Bit(_)) => wires.line_to(from + P(SLOPE, height)),
                            _ => wires.move_to(from + level),
                        }
                        wires.line_to(from + P(width, height));
                    }
                    _ => self.bus(svg, from, width, value),
                }
                before = Some(value);
            }
        }
        svg.path("class=\"line n\" stroke-width=\"1.5\"", &wires);
    }

    /// A word, from one edge to another.
    fn bus(&self, svg: &mut Svg, from: P, width: f64, value: Value) {
        let mut shape = Path::default();
        let middle = TALL * 0.5;
        let corners =
            [(0.0, middle), (SLOPE, 0.0), (width - SLOPE, 0.0), (width, middle), (width - SLOPE, TALL), (SLOPE, TALL)];
        shape.polygon(&corners.map(|(x, y)| from + P(x, y)));
        let fill = match value {
            Value::Flit(flit) | Value::Origin(flit) => {
                let node = self.program.demand.origin(flit).node.index();
                let part = node * palette::WHEEL / self.program.topology.nodes() as usize;
                format!("fill=\"{}\"", palette::wheel(part))
            }
            _ => "class=\"node\"".to_owned(),
        };
        svg.path(&fill, &shape);
        let class = if fill.starts_with("fill") { "small ink" } else { "small" };
        svg.text(class, from + P(width * 0.5, middle + 4.0), Anchor::Middle, &self.label(value));
    }
}

/// The clocks near a landmark, in stretches.
fn stretches(waves: &Waves) -> Vec<std::ops::Range<usize>> {
    let mut landmarks = waves.landmarks.clone();
    landmarks.sort_unstable();
    let mut stretches: Vec<std::ops::Range<usize>> = Vec::new();
    for landmark in landmarks {
        let near = landmark.saturating_sub(BEFORE)..(landmark + AFTER).min(waves.ticks.len());
        match stretches.last_mut() {
            Some(last) if near.start < last.end + FEWEST_LEFT_OUT => last.end = last.end.max(near.end),
            _ => stretches.push(near),
        }
    }
    stretches
}

/// Clocks in which a value stays the same.
fn parts(values: &[Value]) -> Vec<(std::ops::Range<usize>, Value)> {
    let mut parts: Vec<(std::ops::Range<usize>, Value)> = Vec::new();
    for (clock, &value) in values.iter().enumerate() {
        match parts.last_mut() {
            Some((part, before)) if *before == value => part.end = clock + 1,
            _ => parts.push((clock..clock + 1, value)),
        }
    }
    parts
}
