//! Line that a self-test sends at its end, step by step.

use askama::Template;

use crate::emit::selftest::BistCommon;
use crate::emit::shared::names;
use crate::emit::shared::parts::{BitRange, UpCounter};
use crate::net::{Channel, Topology};
use crate::netlist::digits;
use crate::program::Program;

/// A coordinate of a node.
pub struct AxisCount {
    pub name: String,
    pub range: BitRange,
    pub gap: String,
    pub bits: u32,
    pub last: u32,
    /// the step of the report that says it, and what stands behind it
    pub step: u32,
    pub after: &'static str,
    /// inner axes, which must be at their last node before this one counts
    pub inner: Vec<(String, u32, u32)>,
}

#[derive(Template)]
#[template(path = "bist/report.v", escape = "none")]
pub struct BistReport {
    common: BistCommon,
    axes: Vec<AxisCount>,
    /// the number of a node's port
    port: UpCounter,
    /// the letters of the ports' labels
    labels: Vec<Letters>,
    /// the letters of `done`, with the step that says each
    letters: Vec<(u32, char)>,
    /// the letters of `reported` and `compared`, with the step that says either
    counted: Vec<(u32, char, char)>,
    /// range of the number of checkers
    checked: UpCounter,
    /// number of the first step of a failure report
    fail_start: u32,
    words: u32,
    done_start: u32,
    count_start: u32,
}

/// The n-th letters of the labels, with the step that says them.
struct Letters {
    step: u32,
    by_port: Vec<(usize, char)>,
}

/// The step that begins to say where: before it stand `FAIL run tick `, or `PASS runs ticks arrivals checkers`, a line end and
/// the end.
const WHERE: u32 = 14;
/// Words before the number of a wrong count: in a proof, and in a run.
const COUNTED: [&str; 2] = ["reported", "compared"];

impl BistReport {
    /// Line that names a node's ports by these labels, and says in four letters what went wrong beside the arrivals.
    pub fn new(
        common: BistCommon,
        topology: &Topology,
        labels: &[Vec<char>],
        checkers: u32,
        wrong: &'static str,
    ) -> Self {
        let axes = axes(topology.dims(), names::coordinate);
        let letters = labels.iter().map(Vec::len).max().unwrap_or(0);
        let first = WHERE + 2 * axes.len() as u32;
        let letter = |place: usize| Letters {
            step: first + place as u32,
            by_port: (0..).zip(labels).filter_map(|(port, label)| Some((port, *label.get(place)?))).collect(),
        };
        let words = first + letters as u32 + 1;
        // two words with a blank between them, a line end and the end
        let done_start = words + 5;
        // `done`, a line end and the end
        let count_start = done_start + 6;
        let [proof, run] = COUNTED;
        Self {
            common,
            axes,
            port: UpCounter::up_to(labels.len() as u32 - 1),
            labels: (0..letters).map(letter).collect(),
            letters: (done_start..).zip(wrong.chars()).collect(),
            counted: (count_start..)
                .zip(proof.chars().zip(run.chars()))
                .map(|(step, (proof, run))| (step, proof, run))
                .collect(),
            checked: UpCounter::up_to(checkers),
            fail_start: WHERE,
            words,
            done_start,
            count_start,
        }
    }
}

/// Coordinates by the nodes along each axis, with their names.
pub fn axes(dims: &[u32], named: impl Fn(usize) -> String) -> Vec<AxisCount> {
    let axis = |axis: usize| {
        let last = dims[axis] - 1;
        let name = named(axis);
        let inner = (axis + 1..dims.len()).map(|inner| (named(inner), digits(dims[inner] - 1), dims[inner] - 1));
        let range = BitRange::up_to(last);
        AxisCount {
            gap: range.gap(),
            range,
            bits: digits(last),
            last,
            step: WHERE + 2 * axis as u32,
            after: if axis + 1 == dims.len() { " " } else { "," },
            inner: inner.collect(),
            name,
        }
    };
    (0..dims.len()).map(axis).collect()
}

/// Name of a port on the serial line: `T`, with lanes `T0`.
pub fn label(program: &Program, Channel { port, lane }: Channel) -> Vec<char> {
    let port = port.label(program.topology.axes());
    if program.lanes == 1 { port.chars().collect() } else { format!("{port}{lane}").chars().collect() }
}
