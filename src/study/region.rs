//! Region of a class as a rule about coordinates: verified against the map, never assumed.

mod boxes;
mod frame;
mod pattern;
mod words;

use std::collections::BTreeSet;
use std::fmt;

use crate::net::{NodeId, Topology};
use crate::program::{ClassId, ClassMap};
use frame::{CoordinateFrame, FrameKey};
use pattern::Pattern;
use words::CoordinateStyle;

/// The grid of groups a rule is sought in has at most this many cells.
const MOST_CELLS: usize = 1024;
/// Nodes times classes beyond which verifying would take seconds: no rules then.
const MOST_WORK: usize = 1 << 28;
/// A class of more boxes than this is a list of nodes.
const MOST_TERMS: usize = 8;
/// Sums of coordinates are tried if the rules cost more than this each.
const DEAR: usize = 4;
/// A sum of coordinates is harder to see than a coordinate.
const SUM_COST: usize = 2;

/// The nodes of one class.
///
/// Shown with `{}`, a region names its coordinates as they are on this torus (`columns 0, 2, 4, 6 and 7 of every
/// row`); [`Region::pattern`] names them so that the same rule reads the same on other sides (`even columns and the
/// last`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Region {
    dims: Vec<u32>,
    size: u32,
    rule: RegionRule,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum RegionRule {
    /// The union of some boxes.
    Boxes(Vec<BoxTerm>),
    /// No short rule: the nodes themselves, ascending.
    Nodes(Vec<NodeId>),
    /// Every node that is in none of these.
    Rest(Vec<RegionRule>),
}

/// A box: a condition on each coordinate of a frame.
#[derive(Clone, Debug, PartialEq, Eq)]
struct BoxTerm {
    keys: Vec<(FrameKey, Pattern)>,
}

/// The region of every class, in the order of the classes.
///
/// The cost is a few passes over the map; a map too wild for rules yields lists of nodes.
pub fn regions(topology: &Topology, class_of: &ClassMap, classes: usize) -> Vec<Region> {
    let mut best = FrameAttempt::new(topology, class_of, classes, &CoordinateFrame::plain(topology.axes()));
    if best.cost > DEAR * classes {
        for frame in CoordinateFrame::skewed(topology.axes()) {
            let attempt = FrameAttempt::new(topology, class_of, classes, &frame);
            if attempt.cost < best.cost {
                best = attempt;
            }
        }
    }
    best.verify(topology, class_of);
    best.name_the_rest();
    let mut sizes = vec![0; classes];
    let mut unruled: Vec<Vec<NodeId>> = vec![Vec::new(); classes];
    for (class, node) in class_of.iter().zip(0..) {
        sizes[class.index()] += 1;
        if best.rules[class.index()].is_none() {
            unruled[class.index()].push(NodeId(node));
        }
    }
    let mut rules: Vec<RegionRule> =
        best.rules.into_iter().zip(unruled).map(|(rule, nodes)| rule.unwrap_or(RegionRule::Nodes(nodes))).collect();
    if let Some(rest) = best.rest {
        let others = rules.iter().enumerate().filter(|&(class, _)| class != rest);
        rules[rest] = RegionRule::Rest(others.map(|(_, rule)| rule.clone()).collect());
    }
    let dims = topology.dims();
    rules.into_iter().zip(sizes).map(|(rule, size)| Region { dims: dims.to_vec(), size, rule }).collect()
}

/// The moduli to look for, in coordinates and in sums of coordinates, ascending.
fn moduli(topology: &Topology) -> (Vec<u32>, Vec<u32>) {
    let axes = topology.axes() as u32;
    let in_axes: BTreeSet<u32> = [2, 3, 4, axes.max(2)].into();
    let in_sums = in_axes.iter().chain(&[5, 6]).chain(topology.dims()).copied().collect::<BTreeSet<_>>();
    (in_axes.into_iter().collect(), in_sums.into_iter().collect())
}

/// The rules one frame yields: `None` where there is no short one.
struct FrameAttempt {
    rules: Vec<Option<RegionRule>>,
    cost: usize,
    rest: Option<usize>,
}

impl FrameAttempt {
    fn new(topology: &Topology, class_of: &ClassMap, classes: usize, frame: &CoordinateFrame) -> Self {
        const NO_RULE: usize = 100;
        let (axis_moduli, sum_moduli) = moduli(topology);
        let grid = frame.group(topology, class_of, MOST_CELLS);
        let Some(grid) = grid.filter(|_| class_of.len() * classes <= MOST_WORK) else {
            return Self { rules: vec![None; classes], cost: NO_RULE * classes, rest: None };
        };
        let term = |boxed: boxes::Boxed| {
            let keys = frame.keys.iter().zip(boxed).zip(&grid.groups).map(|((key, taken), groups)| {
                let mut members = vec![false; topology.side(key.axis()) as usize];
                for (_, group) in taken.iter().zip(groups).filter(|(taken, _)| **taken) {
                    for &value in group {
                        members[value as usize] = true;
                    }
                }
                let pattern = match key {
                    FrameKey::Axis(_) => Pattern::fit(&members, &axis_moduli),
                    FrameKey::Sum { .. } => Pattern::fit_sum(&members, &sum_moduli),
                };
                (key.clone(), pattern)
            });
            BoxTerm { keys: keys.collect() }
        };
        let rule = |class| {
            let boxes = boxes::cover(&grid, ClassId(class), MOST_TERMS)?;
            // the part that is needed reads better, unless it takes more words
            let shorter = |choice: boxes::BoxChoice| {
                let (needed, largest) = (term(choice.needed), term(choice.largest));
                if needed.cost() <= largest.cost() { needed } else { largest }
            };
            Some(RegionRule::Boxes(boxes.into_iter().map(shorter).collect()))
        };
        let rules: Vec<Option<RegionRule>> = (0..classes as u32).map(rule).collect();
        let mut attempt = Self { rules, cost: 0, rest: None };
        attempt.name_the_rest();
        let rules = attempt.rules.iter().enumerate().filter(|&(class, _)| attempt.rest != Some(class));
        attempt.cost = rules.map(|(_, rule)| rule.as_ref().map_or(NO_RULE, RegionRule::cost)).sum();
        attempt
    }

    /// Drops every rule that does not reproduce the map.
    fn verify(&mut self, topology: &Topology, class_of: &ClassMap) {
        let dims = topology.dims();
        for (class, slot) in self.rules.iter_mut().enumerate() {
            let Some(rule) = slot else { continue };
            let check = RuleCheck::new(rule, dims);
            let mut coords = vec![0; dims.len()];
            let holds = class_of.iter().all(|at| {
                let holds = check.contains(&coords) == (at.index() == class);
                advance(&mut coords, dims);
                holds
            });
            if !holds {
                *slot = None;
            }
        }
    }

    /// Chooses the class to be called "the rest": the dearest, if all others have rules and there is less to
    /// read in those rules than in its own.
    fn name_the_rest(&mut self) {
        const MANY_TERMS: usize = 4;
        let cost = |class: usize| self.rules[class].as_ref().map_or(usize::MAX, RegionRule::cost);
        let classes = 0..self.rules.len();
        self.rest = None;
        let Some(dearest) = classes.clone().max_by_key(|&class| (cost(class), std::cmp::Reverse(class))) else {
            return;
        };
        let others = || classes.clone().filter(|&class| class != dearest);
        let others_are_rules = others().next().is_some() && others().all(|class| self.rules[class].is_some());
        let worse = match &self.rules[dearest] {
            Some(RegionRule::Boxes(terms)) => {
                terms.len() > MANY_TERMS || (terms.len() > 1 && cost(dearest) > others().map(cost).sum())
            }
            _ => true,
        };
        if others_are_rules && worse {
            self.rest = Some(dearest);
        }
    }
}

/// A rule with its patterns spelled out, to be asked about many nodes.
struct RuleCheck<'a> {
    dims: &'a [u32],
    /// the keys of each box that say something, with their members
    boxes: Vec<Vec<(&'a FrameKey, Vec<bool>)>>,
    rule: &'a RegionRule,
}

impl<'a> RuleCheck<'a> {
    fn new(rule: &'a RegionRule, dims: &'a [u32]) -> Self {
        let boxes = match rule {
            RegionRule::Boxes(terms) => terms.iter().map(|term| {
                let keys = term.keys.iter().filter(|(_, pattern)| *pattern != Pattern::All);
                keys.map(|(key, pattern)| (key, members(pattern, dims[key.axis()]))).collect()
            }),
            _ => return Self { dims, boxes: Vec::new(), rule },
        };
        Self { dims, boxes: boxes.collect(), rule }
    }

    fn contains(&self, coords: &[u32]) -> bool {
        match self.rule {
            RegionRule::Boxes(_) => self
                .boxes
                .iter()
                .any(|keys| keys.iter().all(|(key, members)| members[key.value(coords, self.dims) as usize])),
            rule => rule.contains(coords, self.dims),
        }
    }
}

impl RegionRule {
    fn cost(&self) -> usize {
        match self {
            Self::Boxes(terms) => terms.iter().map(BoxTerm::cost).sum::<usize>() + terms.len().saturating_sub(1),
            Self::Nodes(nodes) => nodes.len(),
            Self::Rest(_) => 0,
        }
    }

    fn contains(&self, coords: &[u32], dims: &[u32]) -> bool {
        match self {
            Self::Boxes(terms) => terms.iter().any(|term| term.contains(coords, dims)),
            Self::Nodes(nodes) => {
                let index = coords.iter().zip(dims).fold(0, |index, (x, side)| index * side + x);
                nodes.binary_search(&NodeId(index)).is_ok()
            }
            Self::Rest(others) => !others.iter().any(|other| other.contains(coords, dims)),
        }
    }
}

impl BoxTerm {
    fn cost(&self) -> usize {
        let cost = |(key, pattern): &(FrameKey, Pattern)| match (key, pattern) {
            (_, Pattern::All) => 0,
            (FrameKey::Axis(_), pattern) => pattern.cost(),
            (FrameKey::Sum { .. }, pattern) => pattern.cost() + SUM_COST,
        };
        self.keys.iter().map(cost).sum()
    }

    fn contains(&self, coords: &[u32], dims: &[u32]) -> bool {
        self.keys.iter().all(|(key, pattern)| match (key, pattern.pure_residues()) {
            // the words refer to the sum itself, not to the sum modulo the side
            (FrameKey::Sum { .. }, Some((modulus, residues))) => {
                residues.contains(&(key.raw(coords).rem_euclid(i64::from(modulus)) as u32))
            }
            _ => pattern.contains(key.value(coords, dims), dims[key.axis()]),
        })
    }
}

impl Region {
    /// Returns true if the node at these coordinates belongs to the class.
    pub fn contains(&self, coords: &[u32]) -> bool {
        self.rule.contains(coords, &self.dims)
    }

    /// Number of nodes in the class.
    pub fn size(&self) -> u32 {
        self.size
    }

    /// Returns true if there is a rule, rather than a list of nodes.
    pub fn is_rule(&self) -> bool {
        !matches!(self.rule, RegionRule::Nodes(_))
    }

    /// Returns true if the same rule, read on the sides of another torus, holds exactly the nodes of `class` there.
    pub fn describes(&self, topology: &Topology, class_of: &ClassMap, class: ClassId) -> bool {
        let dims = topology.dims();
        let mut coords = vec![0; dims.len()];
        self.is_rule()
            && dims.len() == self.dims.len()
            && class_of.iter().all(|&at| {
                let same = self.rule.contains(&coords, dims) == (at == class);
                advance(&mut coords, dims);
                same
            })
    }

    /// The rule in words that fit every size: coordinates near the end of a side are counted from there.
    pub fn pattern(&self) -> String {
        self.describe(CoordinateStyle::AnySize)
    }

    fn describe(&self, words: CoordinateStyle) -> String {
        self.rule.describe(&self.dims, words)
    }
}

impl fmt::Display for Region {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.describe(CoordinateStyle::ThisSize))
    }
}

fn members(pattern: &Pattern, side: u32) -> Vec<bool> {
    (0..side).map(|x| pattern.contains(x, side)).collect()
}

/// The next node's coordinates, row-major; after the last node the first comes again.
fn advance(coords: &mut [u32], dims: &[u32]) {
    for (x, &side) in coords.iter_mut().zip(dims).rev() {
        *x += 1;
        if *x < side {
            return;
        }
        *x = 0;
    }
}

#[cfg(test)]
mod tests;
