//! Pairs the classes of two programs by behaviour and says which pairs differ.

use serde::Serialize;

use super::DiffSubject;
use super::runs::{self, OutputDifference, ResultDifference, TrackShape};
use crate::net::Channel;
use crate::program::{Class, ClassId, Operands, Program, Run, ShownChannel, Source, Track};
use crate::study::region::{Region, regions};

/// Change of a class from one design to the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Change {
    /// Equal to the tick; only the end of the program may move.
    Equal,
    /// Matched by sources or by nodes, with different runs.
    Changed,
    /// Only in the design compared from.
    OnlyFrom,
    /// Only in the design compared to.
    OnlyTo,
}

/// A class in one of the two designs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ClassSide {
    /// Letter of the class in its design.
    pub name: String,
    /// Number of nodes of this kind.
    pub nodes: u32,
    /// Region of the nodes, in words that fit other sizes.
    pub region: String,
    #[serde(skip)]
    pub(super) id: ClassId,
}

/// A class of either design, or of both.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ClassDifference {
    /// Change of the class.
    pub change: Change,
    /// Inputs that its outputs repeat, in short.
    pub rule: String,
    /// The class in the one design.
    pub from: Option<ClassSide>,
    /// The class in the other.
    pub to: Option<ClassSide>,
    /// True if one rule about coordinates, verified on both tori, names its nodes in both.
    pub same_nodes: bool,
    /// The outputs whose runs differ.
    pub outputs: Vec<OutputDifference>,
    /// Changes in the operands that complete a node's own values, for reductions.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub results: Vec<ResultDifference>,
}

/// One program's classes, ready to be compared.
struct DiffClasses<'a> {
    program: &'a Program,
    /// behaviour of the classes in each part; the end of a part may move, and the next part with it
    parts: Vec<ProgramPart>,
    regions: Vec<Region>,
    patterns: Vec<String>,
    shapes: Vec<Vec<TrackShape>>,
}

/// A part of a program: which, if there are two, and what each class does in it.
type ProgramPart = (Option<&'static str>, Vec<Class>);

impl<'a> DiffClasses<'a> {
    fn new(program: &'a Program, parts: Vec<ProgramPart>) -> Self {
        let regions = regions(&program.topology, &program.class_of, program.classes.len());
        let shapes = |class: usize| {
            parts.iter().flat_map(|(_, classes)| classes[class].outputs.iter().map(runs::shape)).collect()
        };
        let shapes = (0..program.classes.len()).map(shapes).collect();
        Self { program, patterns: regions.iter().map(Region::pattern).collect(), regions, shapes, parts }
    }

    /// Both, part by part if both have two.
    fn of_both(one: &'a Program, other: &'a Program) -> (Self, Self) {
        let halves = |program: &Program| {
            // parts have no windows
            let injects = program.classes.iter().flat_map(|class| &class.outputs).any(|track| track.inject.is_some());
            let [reduce, gather] = program.parts().filter(|_| !injects)?;
            Some(vec![(Some("reduce"), reduce.classes), (Some("gather"), gather.classes)])
        };
        let whole = |program: &Program| vec![(None, program.classes.clone())];
        let (before, after) = halves(one).zip(halves(other)).unwrap_or_else(|| (whole(one), whole(other)));
        (Self::new(one, before), Self::new(other, after))
    }

    /// Operands that complete a class's own values, by packet.
    fn results(&self, class: usize) -> &[Operands] {
        self.program.reduction.as_deref().map_or(&[], |reduction| &reduction.results[class])
    }

    fn side(&self, class: usize) -> ClassSide {
        let id = ClassId(class as u32);
        let name = self.program.class_name(id);
        ClassSide { name, nodes: self.regions[class].size(), region: self.patterns[class].clone(), id }
    }
}

/// Pairs the classes of both designs for [`super::diff`].
pub fn compare(from: &DiffSubject, to: &DiffSubject) -> Vec<ClassDifference> {
    // packets of other lengths stretch every run: then steps are compared, not ticks
    let whole = |subject: &DiffSubject| (from.program.flits != to.program.flits).then(|| subject.program.unstretched());
    let unstretched = (whole(from).flatten(), whole(to).flatten());
    let (one, other) = match &unstretched {
        (Some(one), Some(other)) => (one, other),
        _ => (from.program, to.program),
    };
    let (one, other) = DiffClasses::of_both(one, other);
    let partners = partners(&one, &other);
    let mut differences: Vec<ClassDifference> = partners
        .iter()
        .enumerate()
        .map(|(class, partner)| match partner {
            Some(partner) => both(from, &one, class, &other, *partner),
            None => alone(&one, class, Change::OnlyFrom),
        })
        .collect();
    let new = (0..other.regions.len()).filter(|class| !partners.contains(&Some(*class)));
    differences.extend(new.map(|class| alone(&other, class, Change::OnlyTo)));
    differences
}

/// For each class of the one its counterpart in the other: by behaviour with all numbers of ticks left aside, then by its
/// nodes, last by most of its outputs. Among several the one whose numbers agree too, or whose nodes do.
fn partners(one: &DiffClasses, other: &DiffClasses) -> Vec<Option<usize>> {
    let mut partners = vec![None; one.regions.len()];
    if one.program.topology.axes() != other.program.topology.axes() {
        return partners;
    }
    let mut taken = vec![false; other.regions.len()];
    let same_rule = |a: usize, b: usize| runs_differ(one, a, other, b).is_empty() && one.results(a) == other.results(b);
    let same_shape = |a: usize, b: usize| one.shapes[a] == other.shapes[b];
    let same_nodes = |a: usize, b: usize| one.patterns[a] == other.patterns[b];
    let alike = |a: usize, b: usize| one.shapes[a].iter().zip(&other.shapes[b]).filter(|(from, to)| from == to).count();
    let most_alike = |a: usize, b: usize| 2 * alike(a, b) > one.shapes[a].len();
    let passes: [&dyn Fn(usize, usize) -> bool; 6] = [
        &|a, b| same_nodes(a, b) && same_shape(a, b) && same_rule(a, b),
        &|a, b| same_shape(a, b) && same_rule(a, b),
        &|a, b| same_nodes(a, b) && same_shape(a, b),
        &same_shape,
        &same_nodes,
        &most_alike,
    ];
    for fits in passes {
        for (class, partner) in partners.iter_mut().enumerate().filter(|(_, partner)| partner.is_none()) {
            *partner = (0..taken.len()).find(|&candidate| !taken[candidate] && fits(class, candidate));
            if let Some(partner) = *partner {
                taken[partner] = true;
            }
        }
    }
    partners
}

/// The outputs of two classes that differ, and in which part. A lane that only one of them has sends nothing in the other.
fn runs_differ(
    one: &DiffClasses,
    a: usize,
    other: &DiffClasses,
    b: usize,
) -> Vec<(Option<&'static str>, Channel, Vec<runs::RunChange>)> {
    let (axes, flits) = (one.program.topology.axes(), one.program.flits);
    let ports = one.program.topology.ports().min(other.program.topology.ports());
    let lanes = one.program.lanes.max(other.program.lanes);
    let nothing = Track { runs: vec![Run { source: Source::Idle, ticks: 1 }], repeat_from: Some(0), inject: None };
    let parts = one.parts.iter().zip(&other.parts);
    let mut differ = Vec::new();
    for ((part, before), (_, after)) in parts {
        for channel in (0..ports * usize::from(lanes)).map(|index| Channel::from_index(index, lanes)) {
            let [from, to] = [(one.program, &before[a]), (other.program, &after[b])].map(|(program, class)| {
                if channel.lane < program.lanes { &class.outputs[program.output_index(channel)] } else { &nothing }
            });
            differ.push((*part, channel, runs::changes(from, to, axes, flits)));
        }
    }
    differ.retain(|(.., changes)| !changes.is_empty());
    differ
}

fn both(subject: &DiffSubject, one: &DiffClasses, a: usize, other: &DiffClasses, b: usize) -> ClassDifference {
    let axes = one.program.topology.axes();
    let lanes = one.program.lanes.max(other.program.lanes);
    let output = |(part, channel, changes): (_, Channel, _)| OutputDifference {
        part,
        role: runs::role(subject, ClassId(a as u32), channel.port),
        port: ShownChannel { axes, lanes, channel },
        changes,
    };
    let outputs: Vec<OutputDifference> = runs_differ(one, a, other, b).into_iter().map(output).collect();
    let results = runs::results(one.results(a), other.results(b), axes);
    let mut from = one.side(a);
    let mut to = other.side(b);
    let carries_over = one.regions[a].describes(&other.program.topology, &other.program.class_of, to.id);
    let carries_back = other.regions[b].describes(&one.program.topology, &one.program.class_of, from.id);
    // one rule in the words of the side that found it
    if carries_over {
        to.region.clone_from(&from.region);
    } else if carries_back {
        from.region.clone_from(&to.region);
    }
    let same_map = || {
        let (one, other) = (one.program, other.program);
        let member =
            |program: &Program, class: usize| program.class_of.iter().map(|at| at.index() == class).collect::<Vec<_>>();
        one.topology == other.topology && member(one, a) == member(other, b)
    };
    ClassDifference {
        change: if outputs.is_empty() && results.is_empty() { Change::Equal } else { Change::Changed },
        rule: runs::headline(one.program, a),
        same_nodes: carries_over || carries_back || same_map(),
        from: Some(from),
        to: Some(to),
        outputs,
        results,
    }
}

fn alone(classes: &DiffClasses, class: usize, change: Change) -> ClassDifference {
    let side = Some(classes.side(class));
    let (from, to) = if change == Change::OnlyFrom { (side, None) } else { (None, side) };
    let rule = runs::headline(classes.program, class);
    ClassDifference { change, rule, from, to, same_nodes: false, outputs: Vec::new(), results: Vec::new() }
}
