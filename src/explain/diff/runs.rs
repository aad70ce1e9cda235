//! Differences of two tracks, run by run, in words.

use std::fmt;

use serde::Serialize;

use super::DiffSubject;
use crate::net::{Channel, NodeId, Port, Ports};
use crate::program::{ClassId, Operand, Operands, Program, Run, ShownChannel, Source, Track};

/// More runs than this are a table: only its first difference is told.
const MOST_RUNS: usize = 6;

/// Source of a run without ticks and ages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunSource {
    Nothing,
    Own { packet: u32, through: u32 },
    Inputs { ports: Ports, lane: u8 },
    Sum { operands: Operands },
}

/// Sources of a track's runs in order, without ticks and ages, and the run that it repeats from.
type RunOrder = (Vec<RunSource>, Option<usize>);

/// Sources of a track without ticks and ages, and the packet that it injects.
pub type TrackShape = (RunOrder, Option<u32>);

/// The shape of a track.
pub fn shape(track: &Track) -> TrackShape {
    (order(track), track.inject)
}

fn order(track: &Track) -> RunOrder {
    let sent = |source| match source {
        Source::Idle => RunSource::Nothing,
        Source::Own { packet, through } => RunSource::Own { packet, through },
        Source::In { port, lane, .. } => RunSource::Inputs { ports: Ports::of([port]), lane },
        Source::Any { ports } => RunSource::Inputs { ports, lane: 0 },
        Source::Sum { operands } => RunSource::Sum { operands: without_ages(operands) },
    };
    (track.runs.iter().map(|run| sent(run.source)).collect(), track.repeat_from)
}

fn without_ages(operands: Operands) -> Operands {
    Operands::of(operands.iter().map(|operand| Operand { age: 1, ..operand }))
}

/// Purpose of an output.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum OutputPurpose {
    /// Supplies a node that is off a cycle.
    Supplies,
    /// Forwards along a cycle, or the program has no cycles.
    Forwards,
}

/// Purpose of the output `port` of a class.
pub fn role(subject: &DiffSubject, class: ClassId, port: Port) -> OutputPurpose {
    let Some(cover) = subject.cover else { return OutputPurpose::Forwards };
    let program = subject.program;
    let member = program.class_of.iter().position(|&at| at == class).expect("a class has nodes");
    if cover.owner(NodeId(member as u32), port).is_some() { OutputPurpose::Forwards } else { OutputPurpose::Supplies }
}

/// One output that differs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct OutputDifference {
    /// In which part of an all-reduce, whose ticks are counted from its first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub part: Option<&'static str>,
    /// The output's port and lane.
    #[serde(flatten)]
    pub port: ShownChannel,
    /// Purpose of the output.
    pub role: OutputPurpose,
    /// Changes of the output.
    pub changes: Vec<RunChange>,
}

/// Change in the operands that complete a node's own value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ResultDifference {
    /// Index among the packets of its node.
    pub packet: usize,
    /// Operands in the first design.
    pub from: String,
    /// Operands in the second design.
    pub to: String,
}

/// The results of two classes that differ.
pub fn results(from: &[Operands], to: &[Operands], axes: usize) -> Vec<ResultDifference> {
    let describe = |result: Option<&Operands>| {
        result.map_or("none".to_owned(), |&operands| Source::Sum { operands }.describe(axes))
    };
    let packets = (0..from.len().max(to.len())).filter(|&packet| from.get(packet) != to.get(packet));
    let result = |packet| ResultDifference { packet, from: describe(from.get(packet)), to: describe(to.get(packet)) };
    packets.map(result).collect()
}

/// One difference between two tracks, from the one to the other.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum RunChange {
    /// The run begins after another number of ticks.
    Switch {
        /// Source of the run.
        source: String,
        /// Ticks before it in the one.
        from: u32,
        /// Ticks before it in the other.
        to: u32,
    },
    /// The run reads another age.
    Delay {
        /// Source of the run.
        source: String,
        /// Ticks its source is late in the one.
        from: u32,
        /// Ticks its source is late in the other.
        to: u32,
    },
    /// A run that comes round again has another length.
    Length {
        /// Source of the run.
        source: String,
        /// Ticks in the first design.
        from: u32,
        /// Ticks in the second design.
        to: u32,
    },
    /// Other sources in another order.
    Rule {
        /// Rule in the first design.
        from: String,
        /// Rule in the second design.
        to: String,
    },
    /// Another packet is sent in the node's window, or none of its own.
    Inject {
        /// The packet in the one.
        from: Option<u32>,
        /// The packet in the other.
        to: Option<u32>,
    },
    /// Tables that differ.
    Table {
        /// Runs in the one.
        from: usize,
        /// Runs in the other.
        to: usize,
        /// The first tick at which they send something else.
        first_tick: u32,
    },
}

/// Changes between two tracks; empty if only the end of the program moves.
pub fn changes(from: &Track, to: &Track, axes: usize, flits: u32) -> Vec<RunChange> {
    let injects = RunChange::Inject { from: from.inject, to: to.inject };
    let injects = (from.inject != to.inject).then_some(injects);
    injects.into_iter().chain(changes_of_runs(from, to, axes, flits)).collect()
}

fn changes_of_runs(from: &Track, to: &Track, axes: usize, flits: u32) -> Vec<RunChange> {
    let is_table = from.runs.len().max(to.runs.len()) > MOST_RUNS;
    if order(from) == order(to) && !is_table {
        return same_shape(from, to, axes, flits);
    }
    let first_tick = first_difference(from, to);
    match first_tick {
        None => Vec::new(),
        Some(first_tick) if is_table => {
            vec![RunChange::Table { from: from.runs.len(), to: to.runs.len(), first_tick }]
        }
        Some(_) => vec![RunChange::Rule { from: from.describe_changes(axes), to: to.describe_changes(axes) }],
    }
}

/// The first tick at which two tracks of different runs send something else, up to the end of the shorter one. A run that
/// is cut off by the end differs only if what the other sends next does.
fn first_difference(from: &Track, to: &Track) -> Option<u32> {
    let ticks = |track: &Track| track.repeat_from.map_or(track.runs.iter().map(|run| run.ticks).sum(), |_| u32::MAX);
    let played = |track: &Track| track.runs.iter().map(|run| run.ticks).sum::<u32>();
    // beyond two rounds of the longer one nothing new is to be seen
    let end = ticks(from).min(ticks(to)).min(played(from).max(played(to)).saturating_mul(2));
    first_other_source(&joined(from), &joined(to), end)
        .or_else(|| (order(from) != order(to)).then_some(end.saturating_add(1)))
}

/// Returns true if a run begins anew what it sends, so that two of them in a row are not one.
fn begins_anew(source: Source) -> bool {
    matches!(source, Source::Own { .. })
}

/// The track with neighbouring runs of one source in one, and a round of one source as one run to the end: then no short round
/// is walked through again and again beside one long run.
fn joined(track: &Track) -> Track {
    let alike = |runs: &[Run]| Run { source: runs[0].source, ticks: runs.iter().map(|run| run.ticks).sum() };
    let is_one = |run: &Run, next: &Run| run.source == next.source && !begins_anew(run.source);
    let join = |runs: &[Run]| runs.chunk_by(is_one).map(alike).collect::<Vec<_>>();
    let (once, round) = track.runs.split_at(track.repeat_from.unwrap_or(track.runs.len()));
    let (once, mut round) = (join(once), join(round));
    if let [run] = &mut round[..]
        && !begins_anew(run.source)
    {
        run.ticks = u32::MAX;
    }
    Track { repeat_from: track.repeat_from.map(|_| once.len()), runs: [once, round].concat(), inject: None }
}

/// The first tick up to `end` at which two tracks have different sources, or began one at different ticks that begins anew.
/// A span may be of billions of ticks.
fn first_other_source(from: &Track, to: &Track, end: u32) -> Option<u32> {
    let (mut from, mut to) = (from.spans(end).peekable(), to.spans(end).peekable());
    while let (Some(&one), Some(&other)) = (from.peek(), to.peek()) {
        if one.source != other.source || begins_anew(one.source) && one.first != other.first {
            return Some(one.first.max(other.first));
        }
        from.next_if(|span| span.last <= other.last);
        to.next_if(|span| span.last <= one.last);
    }
    None
}

fn same_shape(from: &Track, to: &Track, axes: usize, flits: u32) -> Vec<RunChange> {
    let mut changes = Vec::new();
    let (mut before, mut after) = (0, 0);
    let last = from.runs.len() - 1;
    let rounds = from.repeat_from.unwrap_or(last);
    for (index, (one, other)) in from.runs.iter().zip(&to.runs).enumerate() {
        let source = plainly(one.source, axes);
        // the first of the runs that come round again begins when those before it end
        if index <= rounds && before != after {
            changes.push(RunChange::Switch { source: source.clone(), from: before, to: after });
        }
        if from.repeat_from.is_some() && index >= rounds && one.ticks != other.ticks {
            changes.push(RunChange::Length { source: source.clone(), from: one.ticks, to: other.ticks });
        }
        let ages = read(one.source, axes).into_iter().zip(read(other.source, axes));
        for ((source, one), (_, other)) in ages.filter(|((_, one), (_, other))| one != other) {
            let late = |age: u32| age.saturating_sub(flits);
            changes.push(RunChange::Delay { source, from: late(one), to: late(other) });
        }
        if index < last {
            before += one.ticks;
            after += other.ticks;
        }
    }
    changes
}

/// Inputs that a source reads, with their ages.
fn read(source: Source, axes: usize) -> Vec<(String, u32)> {
    match source {
        Source::In { age, .. } => vec![(plainly(source, axes), age)],
        Source::Sum { operands } => operands.iter().map(|it| (it.port.label(axes), it.age)).collect(),
        Source::Idle | Source::Own { .. } | Source::Any { .. } => Vec::new(),
    }
}

/// A source without its age: `own 0`, `R`, `own with R`.
fn plainly(source: Source, axes: usize) -> String {
    match source {
        Source::In { port, lane, .. } => Source::In { port, lane, age: 1 }.describe(axes),
        Source::Sum { operands } => Source::Sum { operands: without_ages(operands) }.describe(axes),
        other => other.describe(axes),
    }
}

impl fmt::Display for RunChange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Switch { source, from, to } if source == "idle" => {
                write!(f, "falls silent after {from} -> {to} ticks")
            }
            Self::Switch { source, from, to } => write!(f, "switches to {source} after {from} -> {to} ticks"),
            Self::Delay { source, from, to } => write!(f, "delay of {source} {from} -> {to}"),
            Self::Length { source, from, to } => write!(f, "{source} for {from} -> {to} ticks in every round"),
            Self::Rule { from, to } => write!(f, "{from} -> {to}"),
            Self::Inject { from, to } => {
                let injected =
                    |packet: Option<u32>| packet.map_or("nothing".to_owned(), |packet| format!("own {packet}"));
                write!(f, "injects {} -> {} in the node's window", injected(*from), injected(*to))
            }
            Self::Table { from, to, first_tick } => {
                write!(f, "table of {from} -> {to} runs, different from tick {first_tick} on")
            }
        }
    }
}

/// Short form of the inputs that outputs repeat: `T <- R, B <- L`.
pub fn headline(program: &Program, class: usize) -> String {
    let axes = program.topology.axes();
    let output = |(channel, track): (Channel, &Track)| {
        if track.is_idle() {
            return None;
        }
        let port = channel.label(axes);
        if track.runs.len() > MOST_RUNS {
            return Some(format!("{port} by a table of {} runs", track.runs.len()));
        }
        let mut inputs: Vec<String> = Vec::new();
        for run in track.runs.iter().filter(|run| run.source.age().is_some()) {
            let input = plainly(run.source, axes);
            if inputs.last() != Some(&input) {
                inputs.push(input);
            }
        }
        let inputs = if inputs.is_empty() { "own".to_owned() } else { inputs.join(" then ") };
        Some(format!("{port} <- {inputs}"))
    };
    let tracks = program.channels().zip(&program.classes[class].outputs);
    let outputs: Vec<String> = tracks.filter_map(output).collect();
    if outputs.is_empty() { "sends nothing".to_owned() } else { outputs.join(", ") }
}
