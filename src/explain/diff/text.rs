//! A difference as text, line by line, each with a mark that says which side it is about.

use std::fmt;

use super::{
    Change, ClassDifference, DiffHeader, Difference, FileDifference, OutputDifference, OutputPurpose, ResultDifference,
};
use crate::program::count;

/// Side of a comparison that a line is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// A heading, or nothing.
    Heading,
    /// Equal on both sides.
    Same,
    /// On both, but different.
    Changed,
    /// On the one only.
    From,
    /// On the other only.
    To,
}

impl Mark {
    fn sign(self) -> char {
        match self {
            Self::Heading => ' ',
            Self::Same => '=',
            Self::Changed => '~',
            Self::From => '-',
            Self::To => '+',
        }
    }
}

/// A line of text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextLine {
    /// Side that the line is about.
    pub mark: Mark,
    /// Text of the line.
    pub text: String,
}

impl TextLine {
    fn new(mark: Mark, text: impl Into<String>) -> Self {
        Self { mark, text: text.into() }
    }

    fn heading(text: impl Into<String>) -> Self {
        Self::new(Mark::Heading, text)
    }
}

impl fmt::Display for TextLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.mark {
            Mark::Heading => f.write_str(&self.text),
            mark => write!(f, "{} {}", mark.sign(), self.text),
        }
    }
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.lines().iter().try_for_each(|line| writeln!(f, "{line}"))
    }
}

impl Difference {
    /// The difference for people.
    pub fn lines(&self) -> Vec<TextLine> {
        let mut lines = vec![TextLine::heading(format!("{} -> {}", self.from.name, self.to.name))];
        lines.extend(header(&self.from, &self.to));
        let unit = if self.from.flits == self.to.flits { "" } else { ", as for packets of one flit" };
        lines.extend([TextLine::heading(""), TextLine::heading(format!("classes{unit}: {}", tally(&self.classes)))]);
        for class in &self.classes {
            lines.extend(class_lines(class));
        }
        lines.extend([TextLine::heading(""), TextLine::heading("class map")]);
        for class in &self.classes {
            lines.extend(map_lines(class));
        }
        if let Some(changing) = self.nodes_that_change {
            let mark = if changing == 0 { Mark::Same } else { Mark::Changed };
            lines.push(TextLine::new(mark, format!("{changing} of {} nodes do something else", self.from.nodes)));
        }
        if self.other_messages {
            lines.push(TextLine::new(Mark::Changed, "other messages are to arrive"));
        }
        let verilog = match self.from.width {
            Some(_) => "Verilog, names and opening comments left aside",
            None => "a program alone says neither width nor Verilog: left aside",
        };
        lines.extend([TextLine::heading(""), TextLine::heading(verilog)]);
        lines.extend(self.rtl.iter().map(file_line));
        lines
    }
}

fn header(from: &DiffHeader, to: &DiffHeader) -> Vec<TextLine> {
    let row = |label: &str, unit: &str, from: String, to: String| {
        if from == to {
            TextLine::new(Mark::Same, format!("{label:<9} {from}{unit}"))
        } else {
            TextLine::new(Mark::Changed, format!("{label:<9} {from} -> {to}{unit}"))
        }
    };
    let both = |label: &str, unit: &str, show: &dyn Fn(&DiffHeader) -> String| row(label, unit, show(from), show(to));
    let mut rows = vec![
        both("network", "", &|header| header.topology.describe()),
        both("nodes", "", &|header| header.nodes.to_string()),
        both("scheme", "", &|header| header.scheme.clone()),
    ];
    if [from, to].iter().any(|header| header.collective != "gossip") {
        rows.push(both("task", "", &|header| header.collective.clone()));
    }
    // both have the same settings: those that either of them chose
    let settings = from.settings.iter().zip(&to.settings);
    rows.extend(settings.map(|((name, from), (_, to))| row(name, "", from.clone(), to.clone())));
    rows.extend([
        both("packets", " a node", &|header| header.packets.to_string()),
        both("flits", " a packet", &|header| header.flits.to_string()),
    ]);
    if let Some((from, to)) = from.width.zip(to.width) {
        rows.push(row("width", " bits", from.to_string(), to.to_string()));
    }
    rows.extend([
        both("ticks", "", &|header| header.ticks.to_string()),
        both("bound", " ticks", &|header| header.bound.to_string()),
        both("ratio", "", &|header| format!("{:.3}", f64::from(header.ticks) / header.bound as f64)),
        both("depth", "", &|header| header.depth.to_string()),
    ]);
    rows
}

/// `2 equal, 1 changed`.
fn tally(classes: &[ClassDifference]) -> String {
    let words =
        [(Change::Equal, "equal"), (Change::Changed, "changed"), (Change::OnlyFrom, "gone"), (Change::OnlyTo, "new")];
    let count = |change| classes.iter().filter(|class| class.change == change).count();
    let parts = words.into_iter().map(|(change, word)| (count(change), word)).filter(|(count, _)| *count > 0);
    parts.map(|(count, word)| format!("{count} {word}")).collect::<Vec<_>>().join(", ")
}

fn mark(change: Change) -> Mark {
    match change {
        Change::Equal => Mark::Same,
        Change::Changed => Mark::Changed,
        Change::OnlyFrom => Mark::From,
        Change::OnlyTo => Mark::To,
    }
}

/// `a`, or `a -> c` if the letters differ.
fn names(class: &ClassDifference) -> String {
    match (&class.from, &class.to) {
        (Some(from), Some(to)) if from.name != to.name => format!("{} -> {}", from.name, to.name),
        (Some(side), _) | (None, Some(side)) => side.name.clone(),
        (None, None) => String::new(),
    }
}

fn class_lines(class: &ClassDifference) -> Vec<TextLine> {
    let mark = mark(class.change);
    let nodes = match (&class.from, &class.to) {
        (Some(from), Some(to)) if from.nodes != to.nodes => format!("{} -> {} nodes", from.nodes, to.nodes),
        (Some(side), _) | (None, Some(side)) => count(side.nodes.into(), "node"),
        (None, None) => String::new(),
    };
    let head = TextLine::new(mark, format!("class {}, {nodes}: {}", names(class), class.rule));
    let output = |output: &OutputDifference| {
        let role = match output.role {
            OutputPurpose::Supplies => "supplies",
            OutputPurpose::Forwards => "output",
        };
        let changes: Vec<String> = output.changes.iter().map(ToString::to_string).collect();
        let part = output.part.map_or(String::new(), |part| format!("{part} part, "));
        TextLine::new(mark, format!("  {part}{role} {}: {}", output.port, changes.join(", ")))
    };
    let result = |ResultDifference { packet, from, to }: &ResultDifference| {
        TextLine::new(mark, format!("  result {packet}: {from} -> {to}"))
    };
    [head].into_iter().chain(class.outputs.iter().map(output)).chain(class.results.iter().map(result)).collect()
}

fn map_lines(class: &ClassDifference) -> Vec<TextLine> {
    match (&class.from, &class.to) {
        (Some(from), Some(_)) if class.same_nodes => {
            vec![TextLine::new(Mark::Same, format!("{}: class {} on both", from.region, names(class)))]
        }
        (from, to) => {
            let line =
                |mark, side: &super::ClassSide| TextLine::new(mark, format!("{}: class {}", side.region, side.name));
            let lines =
                [from.as_ref().map(|side| line(Mark::From, side)), to.as_ref().map(|side| line(Mark::To, side))];
            lines.into_iter().flatten().collect()
        }
    }
}

fn file_line(file: &FileDifference) -> TextLine {
    match (&file.from, &file.to) {
        (Some(from), Some(to)) => {
            let (mark, word) = if file.equal { (Mark::Same, "identical") } else { (Mark::Changed, "different") };
            let both = if from == to { from.clone() } else { format!("{from} and {to}") };
            TextLine::new(mark, format!("{both} {word}"))
        }
        (Some(from), None) => TextLine::new(Mark::From, from),
        (None, Some(to)) => TextLine::new(Mark::To, to),
        (None, None) => TextLine::heading(""),
    }
}
