//! Differences of two designs: sizes, classes, the class map as rules, and unchanged files.
//!
//! ```
//! use torusweave::design::{Design, config::Config};
//! use torusweave::net::ShapeName;
//! use torusweave::explain::diff::{self, DiffSubject};
//!
//! let [small, large] = [vec![6, 8], vec![12, 16]].map(|sides| Design::new(Config::of(ShapeName::Torus, sides)));
//! let difference = diff::diff(&DiffSubject::of(&small?), &DiffSubject::of(&large?));
//! assert!(difference.classes.iter().all(|class| class.change == diff::Change::Equal));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod classes;
mod rtl;
mod runs;
mod subject;
mod text;

use serde::{Serialize, Serializer};

use crate::design::config::{FIELDS, PlainField};
use crate::net::{Network, NodeId};
use crate::program::Program;

pub use classes::{Change, ClassDifference, ClassSide};
pub use rtl::FileDifference;
pub use runs::{OutputDifference, OutputPurpose, ResultDifference, RunChange};
pub use subject::{Choices, DiffSubject};
pub use text::{Mark, TextLine};

/// The numbers of one design.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct DiffHeader {
    /// The prefix of its modules.
    pub name: String,
    /// Network of nodes and links.
    pub topology: Network,
    /// The number of nodes.
    pub nodes: u32,
    /// Collective that is achieved.
    pub collective: String,
    /// Scheme that is used.
    pub scheme: String,
    /// Settings that either design changes from the default. If either is a program alone: what programs say of these
    /// settings.
    #[serde(serialize_with = "as_map")]
    pub settings: Vec<(&'static str, String)>,
    /// Packets per node.
    pub packets: u16,
    /// Flits per packet.
    pub flits: u32,
    /// Bits per flit; none if either design is a program alone, which does not say it.
    pub width: Option<u32>,
    /// Number of clock ticks.
    pub ticks: u32,
    /// Steps, a packet's time each.
    pub steps: u32,
    /// The fewest steps possible.
    pub bound: u64,
    /// The oldest arrival a node sends on, in ticks.
    pub depth: u32,
}

/// Changes from one design to another.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Difference {
    /// The one design.
    pub from: DiffHeader,
    /// Header of the second design.
    pub to: DiffHeader,
    /// Every class of either, those of `from` first.
    pub classes: Vec<ClassDifference>,
    /// On equal sides, how many nodes do something else.
    pub nodes_that_change: Option<u32>,
    /// On equal sides, whether other messages are to arrive.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub other_messages: bool,
    /// The routers of classes on both sides, the fabric, then the files only one side has; none if either is a program alone.
    pub rtl: Vec<FileDifference>,
}

impl Difference {
    /// Returns true if the two do the same on the same network.
    pub fn is_empty(&self) -> bool {
        let same = |class: &ClassDifference| class.change == Change::Equal && class.same_nodes;
        let renamed = DiffHeader { name: self.from.name.clone(), ..self.to.clone() };
        let letter = |side: &Option<ClassSide>| side.as_ref().map(|side| side.name.clone());
        let same_letters = self.classes.iter().all(|class| letter(&class.from) == letter(&class.to));
        let same_names = self.from.name == self.to.name && same_letters;
        // equal names mean equal Verilog, unless the files of a folder are old or edited
        let same_rtl = !same_names || self.rtl.iter().all(|file| file.equal);
        let same_nodes = self.nodes_that_change == Some(0) && self.classes.iter().all(same);
        renamed == self.from && same_nodes && same_rtl && !self.other_messages
    }
}

/// Compares two designs. Classes are matched by what they do, not by their letters.
pub fn diff(from: &DiffSubject, to: &DiffSubject) -> Difference {
    let classes = classes::compare(from, to);
    Difference {
        from: header(from, to),
        to: header(to, from),
        nodes_that_change: nodes_that_change(from.program, to.program, &classes),
        other_messages: from.program.topology == to.program.topology
            && from.program.flits == to.program.flits
            && from.program.demand != to.program.demand,
        rtl: rtl::compare(from, to, &classes),
        classes,
    }
}

fn as_map<S: Serializer>(settings: &[(&'static str, String)], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_map(settings.iter().map(|(name, value)| (name, value)))
}

/// Fields that a header shows anyway, as the program has them.
const SHOWN: [&str; 6] = ["name", "collective", "scheme", "packets", "link.width", "link.flits"];

/// The fields that one of two designs does not leave at its default, and what they are in the first.
fn settings(one: &Choices, other: &Choices) -> Vec<(&'static str, String)> {
    let is_changed = |field: &&PlainField| {
        let mut changes = one.settings.iter().chain(&other.settings);
        changes.any(|(changed, _)| changed.path == field.path) && !SHOWN.contains(&field.path.as_str())
    };
    let value = |field: &'static PlainField| {
        let changed = one.settings.iter().find(|(changed, _)| changed.path == field.path);
        (field.path.as_str(), changed.map_or_else(|| field.default_text(), |(_, value)| value.clone()))
    };
    FIELDS.iter().filter(is_changed).map(value).collect()
}

/// Settings as recorded in programs, if either has another than the default; from the first program.
fn said(program: &Program, other: &Program) -> Vec<(&'static str, String)> {
    let operation = |program: &Program| program.reduction.as_ref().map(|reduction| reduction.operation.to_string());
    let of_reduction =
        |program: &Program| program.reduction.as_ref().map(|it| (it.number, it.flush)).unwrap_or_default();
    let adder =
        |program: &Program| Some(program.adder_ticks()).filter(|&ticks| ticks > 0).map(|ticks| ticks.to_string());
    let fields = |program: &Program| {
        let (number, flush) = of_reduction(program);
        [
            ("operation", operation(program).unwrap_or_else(|| "null".into()), "null"),
            ("number", number.to_string(), "word"),
            ("flush", flush.to_string(), "false"),
            ("adder", adder(program).unwrap_or_else(|| "null".into()), "null"),
            ("link.duplex", program.duplex.to_string(), "full"),
            ("link.lanes", program.lanes.to_string(), "1"),
            ("link.latency", program.latency.to_string(), "1"),
        ]
    };
    let both = fields(program).into_iter().zip(fields(other));
    let unusual = both.filter(|((_, one, most), (_, other, _))| one != most || other != most);
    unusual.map(|((field, value, _), _)| (field, value)).collect()
}

fn header(subject: &DiffSubject, other: &DiffSubject) -> DiffHeader {
    let DiffSubject { program, bound, .. } = *subject;
    let choices = subject.choices.as_ref().zip(other.choices.as_ref());
    DiffHeader {
        name: program.title.name.clone(),
        topology: program.topology.clone(),
        nodes: program.topology.nodes(),
        collective: program.collective().to_owned(),
        scheme: program.title.scheme.clone(),
        settings: choices.map_or_else(|| said(program, other.program), |(one, other)| settings(one, other)),
        packets: program.packets(),
        flits: program.flits,
        width: choices.map(|(choices, _)| choices.options.width),
        ticks: program.ticks,
        steps: program.steps(),
        bound,
        depth: program.depth(),
    }
}

fn nodes_that_change(from: &Program, to: &Program, classes: &[ClassDifference]) -> Option<u32> {
    let mut counterparts = vec![None; from.classes.len()];
    for class in classes.iter().filter(|class| class.change == Change::Equal) {
        if let (Some(from), Some(to)) = (&class.from, &class.to) {
            counterparts[from.id.index()] = Some(to.id);
        }
    }
    let changes = |node: NodeId| {
        let [before, after] = [from, to].map(|program| program.class_of[node.index()]);
        let window = |program: &Program| Some(program.window(node)).filter(|window| window.ticks > 0);
        let is_timed_alike = from.flits != to.flits || window(from) == window(to);
        counterparts[before.index()] != Some(after) || !is_ordered_alike(from, to, node) || !is_timed_alike
    };
    (from.topology == to.topology).then(|| from.topology.node_ids().filter(|&node| changes(node)).count() as u32)
}

/// Returns true if a node sends the same partials in the same order, where any are sent.
fn is_ordered_alike(from: &Program, to: &Program, node: NodeId) -> bool {
    let (Some(one), Some(other)) = (&from.reduction, &to.reduction) else { return true };
    let (one, other) = (&one.order, &other.order);
    let is_alike = |output: usize| {
        let entries = one.len(node, output);
        let entry = |n: usize| one.entry(&from.topology, node, output, n) == other.entry(&to.topology, node, output, n);
        entries == other.len(node, output) && (0..entries).all(entry)
    };
    one.starts == other.starts && (0..from.outputs()).all(is_alike)
}

#[cfg(test)]
mod tests;
