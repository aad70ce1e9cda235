//! A program as text for people: classes, their outputs in words, and the class map.

use std::fmt;

use super::{Class, ClassId, Program, Source, Track};
use crate::torus::{NodeId, Port};

/// The name of a class: a, b, ..., z, aa, ab, ...
pub fn class_symbol(class: ClassId) -> String {
    let mut letters = Vec::new();
    let mut rest = class.0 + 1;
    while rest > 0 {
        rest -= 1;
        letters.push((b'a' + (rest % 26) as u8) as char);
        rest /= 26;
    }
    letters.iter().rev().collect()
}

/// A port for people: `x1-`, with the paper's letter in two dimensions, `T x1-`.
pub fn port_name(axes: usize, port: Port) -> String {
    if axes == 2 { format!("{} {port}", port.letter()) } else { port.to_string() }
}

/// A port as short as it can be said: `T` in two dimensions, `x1-` otherwise.
fn short(axes: usize, port: Port) -> String {
    if axes == 2 { port.letter().to_string() } else { port.to_string() }
}

impl Source {
    /// The source in words: `own 0`, `R`, `R 3 ticks late`, `idle`.
    pub fn describe(self, axes: usize) -> String {
        match self {
            Source::Idle => "idle".to_owned(),
            Source::Own { packet } => format!("own {packet}"),
            Source::In { port, age: 1 } => short(axes, port),
            Source::In { port, age: 2 } => format!("{} 1 tick late", short(axes, port)),
            Source::In { port, age } => format!("{} {} ticks late", short(axes, port), age - 1),
        }
    }
}

impl Track {
    /// The track in words: `own 0 for 1, R for 23`.
    pub fn describe(&self, axes: usize) -> String {
        if self.is_idle() {
            return "idle".to_owned();
        }
        let runs: Vec<String> =
            self.runs.iter().map(|run| format!("{} for {}", run.source.describe(axes), run.ticks)).collect();
        match self.repeat_from {
            None => runs.join(", "),
            Some(from) => {
                let rounds = format!("over and over: {}", runs[from..].join(", "));
                [&runs[..from], &[rounds]].concat().join(", ")
            }
        }
    }
}

impl Track {
    /// The track by its changes, its end left out: `own 0, L from tick 2, R 7 ticks late from tick 9`.
    pub fn describe_changes(&self, axes: usize) -> String {
        const MOST_RUNS: usize = 8;
        let once = self.repeat_from.unwrap_or(self.runs.len());
        let mut tick = 1;
        let mut parts = Vec::new();
        for run in self.runs[..once].iter().take(MOST_RUNS) {
            let source = run.source.describe(axes);
            parts.push(if tick == 1 { source } else { format!("{source} from tick {tick}") });
            tick += run.ticks;
        }
        if once > MOST_RUNS {
            parts.push(format!("and {} more runs", once - MOST_RUNS));
        }
        let rounds = self.runs[once..].iter().map(|run| format!("{} for {}", run.source.describe(axes), run.ticks));
        let rounds: Vec<String> = rounds.collect();
        if !rounds.is_empty() {
            parts.push(format!("over and over {}", rounds.join(", ")));
        }
        parts.join(", ")
    }
}

impl Class {
    /// Writes one line an output.
    pub(super) fn write(&self, f: &mut impl fmt::Write, axes: usize) -> fmt::Result {
        for (index, track) in self.outputs.iter().enumerate() {
            writeln!(f, "  {}  {}", port_name(axes, Port::from_index(index)), track.describe(axes))?;
        }
        Ok(())
    }
}

impl fmt::Display for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { title, torus, ticks, flits, packets, .. } = self;
        writeln!(f, "{}: {} on a {torus} torus, scheme {}", title.name, title.collective, title.scheme)?;
        writeln!(
            f,
            "{} nodes, {} a node of {}, {}, {}",
            torus.nodes(),
            count(u64::from(*packets), "packet"),
            count(u64::from(*flits), "flit"),
            count(u64::from(*ticks), "tick"),
            if self.classes.len() == 1 { "1 class".into() } else { format!("{} classes", self.classes.len()) },
        )?;
        let axes = torus.axes();
        for (index, (class, size)) in self.classes.iter().zip(self.class_sizes()).enumerate() {
            let name = class_symbol(ClassId(index as u32));
            writeln!(f, "\nclass {name}, {}", count(u64::from(size), "node"))?;
            class.write(f, axes)?;
        }
        self.write_map(f)
    }
}

impl Program {
    /// What one node does, in words.
    pub fn show_node(&self, node: NodeId) -> String {
        let class = self.class_of[node.index()];
        let mut text = format!("node {}, class {}\n", self.torus.show(node), self.class_name(class));
        self.class(node).write(&mut text, self.torus.axes()).expect("a string takes all text");
        text
    }

    /// Writes the class of every node, a line for each row of the last axis.
    fn write_map(&self, f: &mut impl fmt::Write) -> fmt::Result {
        let torus = &self.torus;
        let wide = class_symbol(ClassId(self.classes.len() as u32 - 1)).len();
        let row = torus.side(torus.axes() - 1) as usize;
        writeln!(f, "\nclass of each node, x{} from left to right", torus.axes())?;
        let starts = torus.node_ids().step_by(row);
        for (start, classes) in starts.zip(self.class_of.chunks(row)) {
            let place: Vec<String> = (0..torus.axes() - 1).map(|axis| torus.coord(start, axis).to_string()).collect();
            let cells: Vec<String> = classes.iter().map(|&class| format!("{:wide$}", class_symbol(class))).collect();
            writeln!(f, "  {:>5}  {}", place.join(","), cells.join(" ").trim_end())?;
        }
        Ok(())
    }
}

/// `1 node`, `2 nodes`.
fn count(n: u64, what: &str) -> String {
    if n == 1 { format!("1 {what}") } else { format!("{n} {what}s") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn class_names_go_on_after_z() {
        let names: Vec<_> = [0, 1, 25, 26, 27, 701, 702].map(|n| class_symbol(ClassId(n))).into();
        assert_eq!(names, ["a", "b", "z", "aa", "ab", "zz", "aaa"]);
    }
}
