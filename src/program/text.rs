//! The parts of a program in words: sources, tracks, classes.

use std::fmt;

use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

use super::{Class, ClassId, Operand, Source, Track};
use crate::net::{Channel, Port};

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

/// An output for people: its port, and its lane where there are others.
pub fn output_name(axes: usize, lanes: u8, Channel { port, lane }: Channel) -> String {
    let port = port_name(axes, port);
    if lanes > 1 { format!("{port} lane {lane}") } else { port }
}

/// A port that is `T x1-` for people and `x1-` in JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ShownPort {
    /// Number of axes of the network.
    pub axes: usize,
    /// Port of the node.
    pub port: Port,
}

impl fmt::Display for ShownPort {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&port_name(self.axes, self.port))
    }
}

impl Serialize for ShownPort {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&self.port)
    }
}

/// A port and lane that are `T x1- lane 1` for people, and in JSON two fields: `port`, and `lane` unless it is 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ShownChannel {
    /// Number of axes of the network.
    pub axes: usize,
    /// Number of lanes of each link.
    pub lanes: u8,
    /// The port and its lane.
    pub channel: Channel,
}

impl fmt::Display for ShownChannel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&output_name(self.axes, self.lanes, self.channel))
    }
}

impl Serialize for ShownChannel {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Channel { port, lane } = self.channel;
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("port", &port.to_string())?;
        if lane > 0 {
            map.serialize_entry("lane", &lane)?;
        }
        map.end()
    }
}

impl Source {
    /// The source in words: `own 0`, `own 0 to 7`, `R`, `R lane 1`, `R 3 ticks late`, `any of T, B and L`, `idle`.
    pub fn describe(self, axes: usize) -> String {
        let late = |age| match age {
            1 => String::new(),
            2 => " 1 tick late".to_owned(),
            age => format!(" {} ticks late", age - 1),
        };
        match self {
            Source::Idle => "idle".to_owned(),
            Source::Own { packet, through } if packet == through => format!("own {packet}"),
            Source::Own { packet, through } => format!("own {packet} to {through}"),
            Source::In { port, lane: 0, age } => format!("{}{}", port.label(axes), late(age)),
            Source::In { port, lane, age } => format!("{} lane {lane}{}", port.label(axes), late(age)),
            Source::Any { ports } => {
                let ports: Vec<String> = ports.iter().map(|port| port.label(axes)).collect();
                format!("any of {}", joined(&ports, "and"))
            }
            Source::Sum { operands } if operands.iter().len() == 0 => "own alone".to_owned(),
            Source::Sum { operands } => {
                let inputs = operands.iter().map(|Operand { port, age }| format!("{}{}", port.label(axes), late(age)));
                format!("own with {}", joined(&inputs.collect::<Vec<_>>(), "and"))
            }
        }
    }
}

impl Track {
    /// The track in words: `own 0 for 1, R for 23`.
    pub fn describe(&self, axes: usize) -> String {
        let runs = self.describe_runs(axes);
        self.inject.map_or(runs.clone(), |packet| format!("own {packet} in the node's window, else {runs}"))
    }

    fn describe_runs(&self, axes: usize) -> String {
        if self.runs.iter().all(|run| run.source == Source::Idle) {
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
        let mut tick: u32 = 1;
        let mut parts = Vec::new();
        for run in self.runs[..once].iter().take(MOST_RUNS) {
            let source = run.source.describe(axes);
            parts.push(if tick == 1 { source } else { format!("{source} from tick {tick}") });
            // a run that ends with the last countable tick has no successor
            tick = tick.saturating_add(run.ticks);
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
    /// One line per output.
    pub fn describe(&self, axes: usize) -> String {
        let lanes = (self.outputs.len() / (2 * axes)) as u8;
        let line = |(index, track): (usize, &Track)| {
            let output = output_name(axes, lanes, Channel::from_index(index, lanes));
            format!("  {output}  {}\n", track.describe(axes))
        };
        self.outputs.iter().enumerate().map(line).collect()
    }
}

/// `1 node`, `2 nodes`, `2 classes`.
pub fn count(n: u64, what: &str) -> String {
    if n == 1 {
        return format!("1 {what}");
    }
    let is_vowel = |letter: char| "aeiou".contains(letter);
    match what.strip_suffix('y') {
        Some(stem) if !stem.ends_with(is_vowel) => format!("{n} {stem}ies"),
        _ if what.ends_with('s') => format!("{n} {what}es"),
        _ => format!("{n} {what}s"),
    }
}

/// `a`, `a and b`, `a, b and c`, for the word `and`.
pub fn joined(parts: &[String], word: &str) -> String {
    match parts {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} {word} {last}", first.join(", ")),
    }
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
