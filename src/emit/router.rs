//! The router of a class: decides what its module says; `templates/rtl/router.v` says it.

use askama::Template;

use super::course::{Clock, Course, Courses, Leg};
use super::playback::{Playback, slot_range};
use super::rom::word_range;
use super::state::{Counter, Counters, Delays, Line, Ring, Wires};
use super::words::{count, list};
use super::{Design, Rom, names, words};
use crate::net::Port;
use crate::program::{ClassId, Source};

#[derive(Template)]
#[template(path = "rtl/router.v", escape = "none")]
pub struct Router {
    module: String,
    headline: String,
    notes: Vec<String>,
    width: u32,
    signals: Vec<Signal>,
    counters: Vec<Counter>,
    lines: Vec<Line>,
    rings: Vec<Ring>,
    /// outputs that counters steer
    outputs: Vec<Output>,
    /// outputs that a table steers
    playback: Playback,
    driven: Vec<String>,
}

struct Signal {
    kind: &'static str,
    range: String,
    name: String,
    comma: &'static str,
    note: String,
}

struct Output {
    rule: String,
    chained: bool,
    legs: Vec<LegView>,
}

struct LegView {
    chained: bool,
    head: String,
    loads: Vec<String>,
}

impl Router {
    /// The module of a class that sends something.
    pub fn new(design: &Design, class: ClassId, courses: &Courses) -> Self {
        let Design { program, options, .. } = *design;
        let axes = program.topology.axes();
        let counters = Counters::of(courses);
        let delays = Delays::of(courses, axes);
        let outputs = courses.outputs.iter();
        let driven = outputs.clone().map(|(port, _)| names::port(axes, *port)).collect();
        let own_table = options.rom == Rom::PerNode;
        Self {
            driven,
            playback: Playback::new(program, class, courses, own_table),
            module: names::router(program, class),
            headline: words::headline(courses, axes),
            notes: notes(design, class, courses),
            width: options.width,
            signals: signals(courses, axes, own_table),
            outputs: outputs
                .filter(|(_, course)| course.clock != Clock::Table || course.legs.len() == 1)
                .map(|(port, course)| Output::new(axes, *port, course, courses.flits, &counters, &delays))
                .collect(),
            counters: counters.views(),
            lines: delays.lines(),
            rings: delays.rings(),
        }
    }
}

/// What stands above the module: the rules, who follows them, where it comes from.
fn notes(design: &Design, class: ClassId, courses: &Courses) -> Vec<String> {
    let program = design.program;
    let title = &program.title;
    let mut notes = words::details(courses, program.topology.axes());
    notes.push(words::sentence(&design.members(class)));
    notes.push(format!(
        "Scheme {}, {} on a {}, {}.",
        title.scheme,
        title.collective,
        program.topology.describe(),
        count(u64::from(program.ticks), "tick")
    ));
    notes.push(design.options.generated());
    notes.iter().flat_map(|note| words::wrap(note)).collect()
}

fn signals(courses: &Courses, axes: usize, own_table: bool) -> Vec<Signal> {
    const WORD: &str = "[WIDTH-1:0]";
    const BIT: &str = "           ";
    let signal = |kind, range: &str, name: &str, note: &str| Signal {
        kind,
        range: range.to_owned(),
        name: name.to_owned(),
        comma: ",",
        note: note.to_owned(),
    };
    let mut signals = vec![
        signal("input  wire", BIT, "clk", ""),
        signal("input  wire", BIT, "rst", ""),
        signal("input  wire", BIT, "run", "high while the program plays"),
    ];
    if courses.uses_first() {
        signals.push(signal("input  wire", BIT, "first", "high while the first packet goes out"));
    }
    if let Some(table) = courses.table.as_ref().filter(|_| !own_table) {
        if table.store.is_some() {
            signals.push(signal("input  wire", &padded(&slot_range(table)), "slot", "where to store what came in"));
        }
        signals.push(signal("input  wire", &padded(&word_range(table)), "word", "what each output sends"));
    }
    for packet in courses.packets.iter().copied() {
        let sends = |course: &Course| course.legs.iter().any(|leg| leg.source == Source::Own { packet });
        let ports: Vec<String> = courses
            .outputs
            .iter()
            .filter(|(_, course)| sends(course))
            .map(|(port, _)| names::label(axes, *port))
            .collect();
        let note = format!("goes out at {}", list(&ports));
        signals.push(signal("input  wire", WORD, &format!("own_{packet}"), &note));
    }
    let mut pair = |kind, port, way| {
        let port = names::port(axes, port);
        signals.push(signal(kind, WORD, &format!("{port}_{way}_data"), ""));
        signals.push(signal(kind, BIT, &format!("{port}_{way}_valid"), ""));
    };
    for &(port, _) in &courses.inputs {
        pair("input  wire", port, "in");
    }
    for &(port, _) in &courses.outputs {
        pair("output reg ", port, "out");
    }
    if let Some(last) = signals.last_mut() {
        last.comma = "";
    }
    let widest = signals.iter().map(|signal| signal.name.len()).max().unwrap_or(0);
    for signal in signals.iter_mut().filter(|signal| !signal.note.is_empty()) {
        signal.note = format!("{:gap$}  // {}", "", signal.note, gap = widest - signal.name.len());
    }
    signals
}

/// A range as wide as the widest in the list of signals.
fn padded(range: &str) -> String {
    format!("{:<11}", range.trim_end())
}

impl Output {
    fn new(axes: usize, port: Port, course: &Course, flits: u32, counters: &Counters, delays: &Delays) -> Self {
        let name = names::port(axes, port);
        let load = |wires: Wires| wires.loads(&name);
        let legs = match (course.clock, course.legs.as_slice()) {
            (_, [only]) => {
                vec![LegView { chained: false, head: String::new(), loads: load(delays.wires(only.source)) }]
            }
            (Clock::First, [Leg { source: own @ Source::Own { .. }, .. }, then]) if then.source != Source::Idle => {
                let wires = injected(&delays.wires(*own), &delays.wires(then.source));
                vec![LegView { chained: false, head: String::new(), loads: load(wires) }]
            }
            (clock, legs) => {
                let head = |index: usize, leg: &Leg| match (index, leg.until) {
                    (0, Some(until)) => format!("if ({}) begin", counters.below(clock, until)),
                    (_, Some(until)) => format!("end else if ({}) begin", counters.below(clock, until)),
                    (_, None) => "end else begin".to_owned(),
                };
                let view = |(index, leg): (usize, &Leg)| LegView {
                    chained: true,
                    head: head(index, leg),
                    loads: load(delays.wires(leg.source)),
                };
                legs.iter().enumerate().map(view).collect()
            }
        };
        let rule = words::brief(port, course, axes, flits);
        Self { chained: legs.iter().any(|leg| leg.chained), legs, rule }
    }
}

/// An own packet while `first` is high, another source after that.
fn injected(own: &Wires, then: &Wires) -> Wires {
    let data = own.data.as_ref().zip(then.data.as_ref()).map(|(own, then)| format!("first ? {own} : {then}"));
    Wires { data, valid: format!("first | {}", then.valid) }
}
