//! Just enough SVG: paths in tenths of a pixel, a style sheet for light and dark, and tags that always close.

use std::fmt::{self, Write as _};

use super::palette;

/// A point or a vector, in pixels.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct P(pub f64, pub f64);

impl std::ops::Add for P {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self(self.0 + other.0, self.1 + other.1)
    }
}

impl std::ops::Sub for P {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Self(self.0 - other.0, self.1 - other.1)
    }
}

impl std::ops::Mul<f64> for P {
    type Output = Self;
    fn mul(self, factor: f64) -> Self {
        Self(self.0 * factor, self.1 * factor)
    }
}

impl P {
    pub(super) fn length(self) -> f64 {
        (self.0 * self.0 + self.1 * self.1).sqrt()
    }

    /// The vector of length 1 in the same direction.
    pub(super) fn unit(self) -> Self {
        self * (1.0 / self.length())
    }

    /// Turned by a quarter, clockwise on the screen.
    pub(super) fn right(self) -> Self {
        Self(-self.1, self.0)
    }
}

/// A length in tenths of a pixel, printed as short as it can be.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Tenths(i64);

impl Tenths {
    fn of(pixels: f64) -> Self {
        Self((pixels * 10.0).round() as i64)
    }
}

impl fmt::Display for Tenths {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.0 < 0 { "-" } else { "" };
        match (self.0.abs() / 10, self.0.abs() % 10) {
            (whole, 0) => write!(f, "{sign}{whole}"),
            (0, tenth) => write!(f, "{sign}.{tenth}"),
            (whole, tenth) => write!(f, "{sign}{whole}.{tenth}"),
        }
    }
}

/// The `d` of a path. Moves are relative to the last point as printed, so rounding never adds up.
#[derive(Default)]
pub(super) struct Path {
    d: String,
    at: (i64, i64),
}

impl Path {
    pub(super) fn is_empty(&self) -> bool {
        self.d.is_empty()
    }

    fn step(&mut self, to: P) -> (Tenths, Tenths) {
        let (x, y) = (Tenths::of(to.0).0, Tenths::of(to.1).0);
        let step = (Tenths(x - self.at.0), Tenths(y - self.at.1));
        self.at = (x, y);
        step
    }

    fn pair(&mut self, (x, y): (Tenths, Tenths)) {
        let separator = if y.0 < 0 { "" } else { " " };
        let _ = write!(self.d, "{x}{separator}{y}");
    }

    pub(super) fn move_to(&mut self, to: P) {
        let command = if self.d.is_empty() { 'M' } else { 'm' };
        self.d.push(command);
        let step = self.step(to);
        self.pair(step);
    }

    pub(super) fn line_to(&mut self, to: P) {
        match self.step(to) {
            (Tenths(0), Tenths(0)) => {}
            (dx, Tenths(0)) => drop(write!(self.d, "h{dx}")),
            (Tenths(0), dy) => drop(write!(self.d, "v{dy}")),
            step => {
                self.d.push('l');
                self.pair(step);
            }
        }
    }

    /// A quadratic curve.
    pub(super) fn curve_to(&mut self, control: P, to: P) {
        self.d.push('q');
        let from = self.at;
        let bend = self.step(control);
        self.pair(bend);
        self.at = from;
        let step = self.step(to);
        if step.0.0 >= 0 {
            self.d.push(' ');
        }
        self.pair(step);
    }

    /// A closed polygon.
    pub(super) fn polygon(&mut self, points: &[P]) {
        self.move_to(points[0]);
        for &point in &points[1..] {
            self.line_to(point);
        }
        self.d.push('z');
        self.at = (Tenths::of(points[0].0).0, Tenths::of(points[0].1).0);
    }

    pub(super) fn rect(&mut self, corner: P, width: f64, height: f64) {
        let across = P(width, 0.0);
        let down = P(0.0, height);
        self.polygon(&[corner, corner + across, corner + across + down, corner + down]);
    }

    /// A small arrow head with its middle at `at`.
    pub(super) fn arrow(&mut self, at: P, towards: P, size: f64) {
        let ahead = towards.unit() * size;
        let aside = ahead.right() * 0.75;
        self.polygon(&[at + ahead * 0.9, at - ahead * 0.7 + aside, at - ahead * 0.7 - aside]);
    }
}

/// Anchor of a text.
#[derive(Clone, Copy)]
pub(super) enum Anchor {
    Start,
    Middle,
    End,
}

/// A picture being drawn.
pub(super) struct Svg {
    body: String,
    open: usize,
}

impl Svg {
    pub(super) fn new() -> Self {
        Self { body: String::new(), open: 0 }
    }

    fn indent(&mut self) {
        for _ in 0..=self.open {
            self.body.push_str("  ");
        }
    }

    /// Draws with `class` and further attributes whatever `inside` draws.
    pub(super) fn group(&mut self, attributes: &str, inside: impl FnOnce(&mut Self)) {
        self.indent();
        let _ = writeln!(self.body, "<g {attributes}>");
        self.open += 1;
        inside(self);
        self.open -= 1;
        self.indent();
        self.body.push_str("</g>\n");
    }

    /// Draws a path, unless there is nothing in it.
    pub(super) fn path(&mut self, attributes: &str, path: &Path) {
        if !path.is_empty() {
            self.indent();
            let _ = writeln!(self.body, "<path {attributes} d=\"{}\"/>", path.d);
        }
    }

    pub(super) fn circle(&mut self, class: &str, at: P, radius: f64) {
        let (x, y, r) = (Tenths::of(at.0), Tenths::of(at.1), Tenths::of(radius));
        self.indent();
        let _ = writeln!(self.body, "<circle{} cx=\"{x}\" cy=\"{y}\" r=\"{r}\"/>", class_attribute(class));
    }

    pub(super) fn rect(&mut self, attributes: &str, corner: P, width: f64, height: f64) {
        let (x, y) = (Tenths::of(corner.0), Tenths::of(corner.1));
        let (w, h) = (Tenths::of(width), Tenths::of(height));
        self.indent();
        let _ = writeln!(self.body, "<rect {attributes} x=\"{x}\" y=\"{y}\" width=\"{w}\" height=\"{h}\"/>");
    }

    pub(super) fn text(&mut self, class: &str, at: P, anchor: Anchor, text: &str) {
        let (x, y) = (Tenths::of(at.0), Tenths::of(at.1));
        let anchor = match anchor {
            Anchor::Start => "",
            Anchor::Middle => " text-anchor=\"middle\"",
            Anchor::End => " text-anchor=\"end\"",
        };
        self.indent();
        let (class, text) = (class_attribute(class), escape(text));
        let _ = writeln!(self.body, "<text{class} x=\"{x}\" y=\"{y}\"{anchor}>{text}</text>");
    }

    /// The whole file.
    pub(super) fn finish(self, title: &str, width: f64, height: f64) -> String {
        debug_assert_eq!(self.open, 0, "every group is closed");
        let (w, h) = (Tenths::of(width.ceil()), Tenths::of(height.ceil()));
        let title = escape(title);
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"weave\" width=\"{w}\" height=\"{h}\" viewBox=\"0 0 {w} {h}\" role=\"img\">\n  \
             <title>{title}</title>\n  <style>\n{}  </style>\n  \
             <rect class=\"paper\" width=\"{w}\" height=\"{h}\"/>\n{}</svg>\n",
            palette::style_sheet(),
            self.body
        )
    }
}

/// Approximate width of a text at a font size; system fonts differ.
pub(super) fn text_width(text: &str, size: f64) -> f64 {
    text.chars().count() as f64 * size * 0.56
}

fn class_attribute(class: &str) -> String {
    if class.is_empty() { String::new() } else { format!(" class=\"{class}\"") }
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
