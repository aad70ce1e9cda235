//! Contenders of a survey, their ticks, and what the columns mean.

use std::fmt;

use serde::Serialize;

use crate::check::TrafficFigures as Seen;
use crate::study::hardware::ModuleCells;
use crate::study::rounds::Algorithm;
use crate::task::Scheme;

/// Row of a survey: a scheme or a known algorithm.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Contender {
    /// A scheme of ours, by its program.
    Scheme(&'static dyn Scheme),
    /// An algorithm of others, by its formula.
    Algorithm(Algorithm),
}

/// One scheme, or algorithm.
#[derive(Clone, Debug)]
pub struct ContenderRow {
    pub contender: Contender,
    /// for each length, unless there is no program for it
    pub ticks: Vec<Option<u64>>,
    /// the messages that a node sends one after the other
    pub rounds: u64,
    /// figures of the program
    pub shown: Option<Example>,
}

/// Figures of the program for the first length.
#[derive(Clone, Copy, Debug)]
pub struct Example {
    pub ticks: u64,
    pub packets: u16,
    pub classes: usize,
    /// unknown where what every node receives was not counted
    pub seen: Option<Seen>,
    /// cost as RTL, for reductions
    pub cells: Option<ModuleCells>,
}

impl fmt::Display for Contender {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Scheme(scheme) => scheme.fmt(f),
            Self::Algorithm(algorithm) => algorithm.fmt(f),
        }
    }
}

/// Meaning of the columns.
pub const LEGEND: [(&str, &str); 6] = [
    ("*", "the fewest ticks"),
    ("L=...", "ticks of the program for messages of L flits; - if there is none"),
    ("classes", "different behaviours of nodes, for the first L"),
    (
        "held",
        "the most ticks that a flit waits in a node, 0 if none ever does; - where so many flits are not moved one by one",
    ),
    ("sends", "the most flits that a node sends in a tick"),
    ("receives", "the most flits that a node receives in a tick"),
];
