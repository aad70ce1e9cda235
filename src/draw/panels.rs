//! Parts common to all pictures: the heading, the legend, and maps with one cell per node.

use super::svg::{Anchor, P, Path, Svg, text_width};
use super::{DrawError, palette};
use crate::net::{NodeId, Topology};

/// The height of the two lines above a picture.
pub(super) const HEADING: f64 = 56.0;
const LEFT: f64 = 24.0;

pub(super) fn heading(svg: &mut Svg, title: &str, subtitle: &str) {
    svg.text("title", P(LEFT, 30.0), Anchor::Start, title);
    svg.text("soft", P(LEFT, 49.0), Anchor::Start, subtitle);
}

/// Width that a heading needs.
pub(super) fn heading_width(title: &str, subtitle: &str) -> f64 {
    // bold letters are wider, and a long name may have capitals
    const BOLD: f64 = 1.4;
    2.0 * LEFT + (BOLD * text_width(title, 15.0)).max(text_width(subtitle, 12.0))
}

/// Coordinates are named every so many, so that the names do not touch.
pub(super) fn label_step(pixels_each: f64) -> u32 {
    [1, 2, 4, 8, 16, 32, 64].into_iter().find(|&step| pixels_each * f64::from(step) >= 26.0).unwrap_or(128)
}

/// Sample beside a line of the legend.
pub(super) enum LegendSample {
    Line {
        class: String,
    },
    Dashed {
        class: String,
    },
    Dot {
        class: String,
    },
    Arrow,
    Ring,
    Cross,
    Patch {
        fill: String,
    },
    /// Area between two curves.
    Band {
        class: String,
    },
    /// Continuation of the line above, without a sample.
    Blank,
}

/// Draws a cross between two corners.
pub(super) fn cross(svg: &mut Svg, from: P, to: P) {
    let mut lines = Path::default();
    lines.move_to(from);
    lines.line_to(to);
    lines.move_to(P(from.0, to.1));
    lines.line_to(P(to.0, from.1));
    svg.path("class=\"line n\" stroke-width=\"2\"", &lines);
}

/// Draws the legend in as many lines as it takes and returns where the picture ends.
pub(super) fn legend(svg: &mut Svg, items: &[(LegendSample, String)], corner: P, right: f64) -> f64 {
    const LINE: f64 = 22.0;
    const SAMPLE: f64 = 30.0;
    let mut at = corner;
    for (sample, text) in items {
        let width = SAMPLE + text_width(text, 12.0) + 20.0;
        if at.0 > corner.0 && at.0 + width > right {
            at = P(corner.0, at.1 + LINE);
        }
        draw_sample(svg, sample, at + P(0.0, 8.0));
        svg.text("", at + P(SAMPLE, 12.0), Anchor::Start, text);
        at = at + P(width, 0.0);
    }
    at.1 + LINE + 12.0
}

/// Draws a [`legend`] with one item per line.
pub(super) fn list(svg: &mut Svg, items: &[(LegendSample, String)], corner: P) -> f64 {
    items.iter().fold(corner.1, |y, item| legend(svg, std::slice::from_ref(item), P(corner.0, y), 0.0) - 12.0) + 12.0
}

/// Breaks the texts of a list between words, so that no line is longer than `width` pixels if that can be.
pub(super) fn wrapped(items: Vec<(LegendSample, String)>, width: f64) -> Vec<(LegendSample, String)> {
    let room = width - 2.0 * LEFT - 30.0;
    let mut lines: Vec<(LegendSample, String)> = Vec::new();
    for (sample, text) in items {
        lines.push((sample, String::new()));
        for word in text.split(' ') {
            let line = &mut lines.last_mut().expect("a line was begun").1;
            let longer = if line.is_empty() { word.to_owned() } else { format!("{line} {word}") };
            if !line.is_empty() && text_width(&longer, 12.0) > room {
                lines.push((LegendSample::Blank, word.to_owned()));
            } else {
                *line = longer;
            }
        }
    }
    lines
}

/// Width of a legend with one item per line.
pub(super) fn list_width(items: &[(LegendSample, String)]) -> f64 {
    items.iter().map(|(_, text)| text_width(text, 12.0)).fold(0.0, f64::max) + 2.0 * LEFT + 30.0
}

fn draw_sample(svg: &mut Svg, sample: &LegendSample, at: P) {
    let mut line = Path::default();
    line.move_to(at);
    line.line_to(at + P(22.0, 0.0));
    match sample {
        LegendSample::Line { class } => svg.path(&format!("class=\"line {class}\" stroke-width=\"3\""), &line),
        LegendSample::Dashed { class } => {
            svg.path(&format!("class=\"line {class}\" stroke-width=\"2\" stroke-dasharray=\"3 4\""), &line);
        }
        LegendSample::Dot { class } => svg.circle(class, at + P(11.0, 0.0), 4.5),
        LegendSample::Band { class } => {
            svg.rect(&format!("class=\"{class}\" opacity=\"0.22\""), at + P(0.0, -7.0), 22.0, 14.0);
        }
        LegendSample::Blank => {}
        LegendSample::Cross => cross(svg, at + P(6.0, -5.0), at + P(16.0, 5.0)),
        LegendSample::Ring => svg.circle("line n", at + P(11.0, 0.0), 6.0),
        LegendSample::Patch { fill } => {
            svg.rect(&format!("fill=\"{fill}\" rx=\"2\""), at + P(3.0, -7.0), 16.0, 14.0);
        }
        LegendSample::Arrow => {
            let mut head = Path::default();
            head.arrow(at + P(16.0, 0.0), P(1.0, 0.0), 5.0);
            svg.path("class=\"line n\" stroke-width=\"2\"", &line);
            svg.path("class=\"nf\"", &head);
        }
    }
}

/// The shades from least to most, with what they mean at either end.
pub(super) fn scale_bar(svg: &mut Svg, corner: P, least: &str, most: &str) {
    const STEP: f64 = 7.0;
    for level in 0..palette::LEVELS {
        let fill = format!("fill=\"{}\"", palette::scale(level));
        svg.rect(&fill, corner + P(level as f64 * STEP, 0.0), STEP + 0.3, 10.0);
    }
    let width = palette::LEVELS as f64 * STEP;
    svg.text("small soft", corner + P(0.0, 23.0), Anchor::Start, least);
    svg.text("small soft", corner + P(width, 23.0), Anchor::End, most);
}

/// One cell per node: a network of three axes is laid out plane after plane.
pub(super) struct Map {
    rows: u32,
    columns: u32,
    planes: u32,
    across: u32,
    axes: usize,
    pub(super) cell: f64,
}

impl Map {
    /// Cells as large as fit into `largest` pixels.
    pub(super) fn new(topology: &Topology, largest: f64) -> Result<Self, DrawError> {
        let (planes, rows, columns) = match *topology.dims() {
            [n1] => (1, 1, n1),
            [n1, n2] => (1, n1, n2),
            [n1, n2, n3] => (n1, n2, n3),
            _ => return Err(DrawError::axes(topology.axes())),
        };
        // the planes, arranged as close to a square as possible
        let shape = |across: &u32| (across * (columns + 1)).max(planes.div_ceil(*across) * (rows + 2));
        let across = (1..=planes).min_by_key(shape).unwrap_or(1);
        let longest = (across * (columns + 1)).max(planes.div_ceil(across) * (rows + 1));
        let cell = (largest / f64::from(longest)).floor().clamp(3.0, 40.0);
        Ok(Self { rows, columns, planes, across, axes: topology.axes(), cell })
    }

    pub(super) const BESIDE: f64 = 44.0;

    /// Above each plane: its coordinates and, if there are several, its name.
    fn above(&self) -> f64 {
        if self.planes > 1 { 40.0 } else { 20.0 }
    }

    fn plane_size(&self) -> P {
        P(f64::from(self.columns) * self.cell + Self::BESIDE, f64::from(self.rows) * self.cell + self.above())
    }

    pub(super) fn size(&self) -> P {
        let plane = self.plane_size();
        P(plane.0 * f64::from(self.across), plane.1 * f64::from(self.planes.div_ceil(self.across)))
    }

    /// The upper left corner of a node's cell.
    pub(super) fn corner(&self, map: P, node: NodeId) -> P {
        let (plane, within) = (node.0 / (self.rows * self.columns), node.0 % (self.rows * self.columns));
        let (row, column) = (within / self.columns, within % self.columns);
        let size = self.plane_size();
        let plane = P(f64::from(plane % self.across) * size.0, f64::from(plane / self.across) * size.1);
        map + plane + P(Self::BESIDE, self.above()) + P(f64::from(column), f64::from(row)) * self.cell
    }

    /// Writes a word into a node's cell.
    pub(super) fn write(&self, svg: &mut Svg, map: P, node: NodeId, class: &str, word: &str) {
        let middle = P(self.cell * 0.5 - 0.75, self.cell * 0.5 + 3.5);
        svg.text(class, self.corner(map, node) + middle, Anchor::Middle, word);
    }

    /// Coordinates along rows and columns, and the name of each plane.
    pub(super) fn labels(&self, svg: &mut Svg, map: P, names: bool) {
        let every = label_step(self.cell) as usize;
        for plane in 0..self.planes {
            let first = self.corner(map, NodeId(plane * self.rows * self.columns));
            if self.planes > 1 {
                svg.text("small", first + P(0.0, -20.0), Anchor::Start, &format!("x1 = {plane}"));
            }
            if !names {
                continue;
            }
            let label = |axis: usize, at: u32| if at == 0 { format!("x{axis} = 0") } else { at.to_string() };
            for column in (0..self.columns).step_by(every) {
                let at = first + P((f64::from(column) + 0.5) * self.cell, -5.0);
                svg.text("small soft", at, Anchor::Middle, &label(self.axes, column));
            }
            for row in (0..self.rows).step_by(every).filter(|_| self.rows > 1) {
                let at = first + P(-6.0, (f64::from(row) + 0.5) * self.cell + 4.0);
                svg.text("small soft", at, Anchor::End, &label(self.axes - 1, row));
            }
        }
    }

    /// Fills every node's cell by its shade: one path a shade, one rectangle for neighbours of one shade in a row.
    pub(super) fn fill(
        &self,
        svg: &mut Svg,
        map: P,
        shades: usize,
        shade_of: impl Fn(NodeId) -> usize,
        colour: impl Fn(usize) -> String,
    ) {
        let nodes = self.planes * self.rows * self.columns;
        let gap = if self.cell >= 12.0 { 1.5 } else { 0.0 };
        let mut paths: Vec<Path> = (0..shades).map(|_| Path::default()).collect();
        let mut node = 0;
        while node < nodes {
            let shade = shade_of(NodeId(node));
            let mut cells = 1;
            while gap == 0.0 && (node + cells) % self.columns != 0 && shade_of(NodeId(node + cells)) == shade {
                cells += 1;
            }
            let corner = self.corner(map, NodeId(node));
            paths[shade].rect(corner, f64::from(cells) * self.cell - gap, self.cell - gap);
            node += cells;
        }
        for (shade, path) in paths.iter().enumerate() {
            svg.path(&format!("fill=\"{}\"", colour(shade)), path);
        }
    }
}
