//! Waveforms, as a data sheet shows them: the clock and the ports below one another, a colour for each node that packets are from.

use std::ops::Range;

use super::svg::{Anchor, P, Path, Svg, text_width};
use super::{palette, panels};
use crate::draw::signals::{SignalValue, Wave, Waves};
use crate::net::NodeId;
use crate::program::{FlitId, Program};

/// Clocks before and after a landmark that are drawn.
const BEFORE: usize = 2;
const AFTER: usize = 4;
/// Fewest clocks for which a gap is drawn instead.
const FEWEST_LEFT_OUT: usize = 3;

/// Width of the clocks in a band: what does not fit goes on in the next band.
const MOST_WIDTH: f64 = 780.0;
/// Least width of a clock.
const LEAST_CLOCK: f64 = 24.0;

const ROW: f64 = 25.0;
const TALL: f64 = 17.0;
/// Width of a signal's transition, in pixels.
const SLOPE: f64 = 3.0;
const GAP: f64 = 26.0;

/// The ports of a module, clock by clock, without the clocks in which nothing begins or ends.
pub fn waves(program: &Program, waves: &Waves) -> String {
    let sheet = Sheet::new(program, waves);
    let title = format!("{}, {}", program.topology.describe(), program.title.scheme);
    let (subtitle, legend) = (&waves.about, sheet.legend());
    let mut svg = Svg::new();
    panels::heading(&mut svg, &title, subtitle);
    let height = ROW * (waves.ports.len() + 1) as f64;
    let mut top = panels::HEADING + 44.0;
    for band in &sheet.bands {
        sheet.edges(&mut svg, band, top, top + height);
        sheet.name(&mut svg, top, "clk");
        svg.path("class=\"line n\" stroke-width=\"1.5\"", &sheet.clock(band, top));
        for (wave, row) in waves.ports.iter().zip(1..) {
            sheet.draw(&mut svg, band, wave, top + ROW * f64::from(row));
        }
        top += height + 62.0;
    }
    svg.text("soft", P(24.0, top - 30.0), Anchor::Start, &legend);
    let width =
        (sheet.right() + 24.0).max(panels::heading_width(&title, subtitle)).max(panels::heading_width("", &legend));
    svg.finish(&format!("{title}: {subtitle}; {legend}"), width, top - 14.0)
}

/// Clocks that are drawn without a gap, and where they begin on the page.
struct ClockStretch {
    clocks: Range<usize>,
    x: f64,
}

/// Layout of the clocks.
struct Sheet<'w> {
    program: &'w Program,
    waves: &'w Waves,
    left: f64,
    /// begin of each clock, if all were drawn side by side
    begins: Vec<f64>,
    /// the clocks that are drawn, in bands below one another
    bands: Vec<Vec<ClockStretch>>,
}

impl<'w> Sheet<'w> {
    fn new(program: &'w Program, waves: &'w Waves) -> Self {
        let names = waves.ports.iter().map(|wave| text_width(&wave.name, 13.0));
        let left = 24.0 + names.fold(text_width("tick", 12.0), f64::max) + 12.0;
        let mut sheet = Self { program, waves, left, begins: Vec::new(), bands: Vec::new() };
        let stretches = stretches(waves);
        let widths = sheet.widths(&stretches);
        sheet.begins = std::iter::once(0.0)
            .chain(widths.iter().scan(0.0, |end, width| {
                *end += width;
                Some(*end)
            }))
            .collect();
        let (mut band, mut x) = (Vec::new(), left);
        for stretch in stretches {
            let mut clocks = stretch.start..stretch.start;
            for clock in stretch {
                let width = sheet.between(clocks.start, clock + 1);
                if x + width > left + MOST_WIDTH {
                    if !clocks.is_empty() {
                        band.push(ClockStretch { clocks, x });
                    }
                    sheet.bands.push(std::mem::take(&mut band));
                    (clocks, x) = (clock..clock, left);
                }
                clocks.end = clock + 1;
            }
            let width = sheet.between(clocks.start, clocks.end);
            band.push(ClockStretch { clocks, x });
            x += width + GAP;
        }
        sheet.bands.push(band);
        sheet
    }

    /// Width of each clock that is drawn: a value that stays for several has their width together.
    fn widths(&self, stretches: &[Range<usize>]) -> Vec<f64> {
        let mut widths = vec![LEAST_CLOCK; self.waves.ticks.len()];
        for stretch in stretches {
            for wave in &self.waves.ports {
                for (part, value) in parts(&wave.values[stretch.clone()]) {
                    let label = self.label(value);
                    if label.is_empty() {
                        continue;
                    }
                    let each = ((text_width(&label, 11.0) + 10.0) / part.len() as f64).ceil();
                    for width in &mut widths[stretch.start + part.start..stretch.start + part.end] {
                        *width = width.max(each);
                    }
                }
            }
        }
        widths
    }

    /// Width of the clocks from one to before another.
    fn between(&self, from: usize, to: usize) -> f64 {
        self.begins[to] - self.begins[from]
    }

    fn right(&self) -> f64 {
        let ends = self.bands.iter().flatten();
        ends.map(|ClockStretch { clocks, x }| x + self.between(clocks.start, clocks.end)).fold(self.left, f64::max)
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
        let of = if self.program.reduction.is_some() { "whose result it is for" } else { "it is from" };
        format!(
            "a word is named and coloured by the node {of}{packet}{flit}; nobody reads what is grey; a clock is as wide as what it shows"
        )
    }

    fn label(&self, value: SignalValue) -> String {
        let Program { topology, demand, .. } = self.program;
        let place = |node: NodeId| topology.coords(node).iter().map(u32::to_string).collect::<Vec<_>>().join(",");
        let packet = |flit: FlitId| {
            let origin = demand.origin(flit);
            let node = place(origin.node);
            if self.several_packets() { format!("{node} p{}", origin.packet) } else { node }
        };
        match value {
            SignalValue::Anything | SignalValue::Bit(_) => String::new(),
            SignalValue::Number(number) => number.to_string(),
            SignalValue::Flit(flit) if self.several_flits() => {
                let origin = demand.origin(flit);
                let first = demand.flits_of_packet(origin.node, origin.packet).start;
                format!("{} f{}", packet(flit), u64::from(flit.0) - first)
            }
            SignalValue::Flit(flit) | SignalValue::Origin(flit) => packet(flit),
            SignalValue::OfItself(node, index) if self.several_flits() => format!("{} f{index}", place(node)),
            SignalValue::OfItself(node, _) => place(node),
        }
    }

    /// A line at every rising edge, its number above, and between two the tick whose arrivals stand there.
    fn edges(&self, svg: &mut Svg, band: &[ClockStretch], top: f64, bottom: f64) {
        let mut lines = Path::default();
        for ClockStretch { clocks, x } in band {
            for clock in clocks.clone() {
                let at = P(x + self.between(clocks.start, clock), top - 8.0);
                lines.move_to(at);
                lines.line_to(P(at.0, bottom));
                let edge = clock as i64 - self.waves.zero as i64;
                svg.text("small soft", at - P(0.0, 20.0), Anchor::Middle, &edge.to_string());
                if let Some(tick) = self.waves.ticks[clock] {
                    let middle = P(self.between(clock, clock + 1) * 0.5, -4.0);
                    svg.text("small", at + middle, Anchor::Middle, &tick.to_string());
                }
            }
        }
        svg.path("class=\"line faint\" stroke-width=\"1\"", &lines);
        svg.text("small soft", P(self.left - 12.0, top - 28.0), Anchor::End, "edge");
        svg.text("small", P(self.left - 12.0, top - 12.0), Anchor::End, "tick");
        for ClockStretch { x, .. } in band.iter().skip(1) {
            svg.text("small soft", P(x - GAP * 0.5, top - 12.0), Anchor::Middle, "...");
        }
    }

    fn name(&self, svg: &mut Svg, y: f64, name: &str) {
        svg.text("", P(self.left - 12.0, y + TALL - 4.0), Anchor::End, name);
    }

    fn clock(&self, band: &[ClockStretch], y: f64) -> Path {
        let mut path = Path::default();
        for ClockStretch { clocks, x } in band {
            path.move_to(P(*x, y + TALL));
            for clock in clocks.clone() {
                let rise = x + self.between(clocks.start, clock);
                let fall = rise + self.between(clock, clock + 1) * 0.5;
                for (at, height) in [(rise, TALL), (rise, 0.0), (fall, 0.0), (fall, TALL)] {
                    path.line_to(P(at, y + height));
                }
            }
            path.line_to(P(x + self.between(clocks.start, clocks.end), y + TALL));
        }
        path
    }

    fn draw(&self, svg: &mut Svg, band: &[ClockStretch], wave: &Wave, y: f64) {
        self.name(svg, y, &wave.name);
        let mut wires = Path::default();
        for ClockStretch { clocks, x } in band {
            let mut before = None;
            for (part, value) in parts(&wave.values[clocks.clone()]) {
                let (start, end) = (clocks.start + part.start, clocks.start + part.end);
                let from = P(x + self.between(clocks.start, start), y);
                let width = self.between(start, end);
                match value {
                    SignalValue::Bit(is_high) => {
                        let height = if is_high { 0.0 } else { TALL };
                        let level = P(0.0, height);
                        match before {
                            Some(SignalValue::Bit(_)) => wires.line_to(from + P(SLOPE, height)),
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
    fn bus(&self, svg: &mut Svg, from: P, width: f64, value: SignalValue) {
        let mut shape = Path::default();
        let middle = TALL * 0.5;
        let corners =
            [(0.0, middle), (SLOPE, 0.0), (width - SLOPE, 0.0), (width, middle), (width - SLOPE, TALL), (SLOPE, TALL)];
        shape.polygon(&corners.map(|(x, y)| from + P(x, y)));
        let origin = match value {
            SignalValue::Flit(flit) | SignalValue::Origin(flit) => Some(self.program.demand.origin(flit).node),
            SignalValue::OfItself(node, _) => Some(node),
            SignalValue::Anything | SignalValue::Bit(_) | SignalValue::Number(_) => None,
        };
        let fill = match origin {
            Some(node) => {
                let part = node.index() * palette::WHEEL / self.program.topology.nodes() as usize;
                format!("fill=\"{}\"", palette::wheel(part))
            }
            None => "class=\"node\"".to_owned(),
        };
        svg.path(&fill, &shape);
        let class = if fill.starts_with("fill") { "small ink" } else { "small" };
        svg.text(class, from + P(width * 0.5, middle + 4.0), Anchor::Middle, &self.label(value));
    }
}

/// The clocks near a landmark, in stretches.
fn stretches(waves: &Waves) -> Vec<Range<usize>> {
    let mut landmarks = waves.landmarks.clone();
    landmarks.sort_unstable();
    let mut stretches: Vec<Range<usize>> = Vec::new();
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
fn parts(values: &[SignalValue]) -> Vec<(Range<usize>, SignalValue)> {
    let mut parts: Vec<(Range<usize>, SignalValue)> = Vec::new();
    for (clock, &value) in values.iter().enumerate() {
        match parts.last_mut() {
            Some((part, before)) if *before == value => part.end = clock + 1,
            _ => parts.push((clock..clock + 1, value)),
        }
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::design::Design;
    use crate::design::config::Config;
    use crate::draw::signals;
    use crate::netlist::BlockOrder;
    use crate::netlist::listed::ListNetlist;

    /// A clock that is left out is one between landmarks, whatever band its neighbours lie in.
    #[test]
    fn bands_have_every_clock_near_a_landmark_once() {
        let config =
            Config::parse("topology: { torus: [4, 4] }\nlink: { flits: 2 }\nlocal: { order: origin }").unwrap();
        let design = Design::new(config).unwrap();
        let ports = design.config.local().expect("nodes have streams").ports();
        let nodes = ListNetlist::of_one(&design.program, ports).unwrap();
        let shown = signals::streams(&design.program, &nodes, BlockOrder::Origin, NodeId(6));
        let sheet = Sheet::new(&design.program, &shown);
        assert!(sheet.bands.len() > 1, "one band is no test");
        let drawn: Vec<usize> = sheet.bands.iter().flatten().flat_map(|stretch| stretch.clocks.clone()).collect();
        assert_eq!(drawn, stretches(&shown).into_iter().flatten().collect::<Vec<_>>());
        assert!(sheet.right() <= sheet.left + MOST_WIDTH, "{}", sheet.right());
    }
}
