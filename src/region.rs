//! Which nodes belong to a class, as a rule about coordinates: verified against the map, never assumed.

mod boxes;
mod frame;
mod pattern;

use std::collections::BTreeSet;
use std::fmt;

use crate::program::ClassId;
use crate::torus::{NodeId, Torus};
use frame::{Frame, Key};
use pattern::{Pattern, and, coordinates, list};

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
    rule: Rule,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Rule {
    /// The union of some boxes.
    Boxes(Vec<Term>),
    /// No short rule: the nodes themselves, ascending.
    Nodes(Vec<NodeId>),
    /// Every node that is in none of these.
    Rest(Vec<Rule>),
}

/// A box: a condition on each coordinate of a frame.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Term {
    keys: Vec<(Key, Pattern)>,
}

/// The region of every class, in the order of the classes.
///
/// The cost is a few passes over the map; a map too wild for rules yields lists of nodes.
pub fn regions(torus: &Torus, class_of: &[ClassId], classes: usize) -> Vec<Region> {
    let mut best = Attempt::new(torus, class_of, classes, &Frame::plain(torus.axes()));
    if best.cost > DEAR * classes {
        for frame in Frame::skewed(torus.axes()) {
            let attempt = Attempt::new(torus, class_of, classes, &frame);
            if attempt.cost < best.cost {
                best = attempt;
            }
        }
    }
    best.verify(torus, class_of);
    best.name_the_rest();
    let mut sizes = vec![0; classes];
    let mut unruled: Vec<Vec<NodeId>> = vec![Vec::new(); classes];
    for (class, node) in class_of.iter().zip(0..) {
        sizes[class.index()] += 1;
        if best.rules[class.index()].is_none() {
            unruled[class.index()].push(NodeId(node));
        }
    }
    let mut rules: Vec<Rule> =
        best.rules.into_iter().zip(unruled).map(|(rule, nodes)| rule.unwrap_or(Rule::Nodes(nodes))).collect();
    if let Some(rest) = best.rest {
        let others = rules.iter().enumerate().filter(|&(class, _)| class != rest);
        rules[rest] = Rule::Rest(others.map(|(_, rule)| rule.clone()).collect());
    }
    let dims = torus.dims();
    rules.into_iter().zip(sizes).map(|(rule, size)| Region { dims: dims.to_vec(), size, rule }).collect()
}

/// The moduli to look for, in coordinates and in sums of coordinates, ascending.
fn moduli(torus: &Torus) -> (Vec<u32>, Vec<u32>) {
    let axes = torus.axes() as u32;
    let in_axes: BTreeSet<u32> = [2, 3, 4, axes.max(2)].into();
    let in_sums = in_axes.iter().chain(&[5, 6]).chain(torus.dims()).copied().collect::<BTreeSet<_>>();
    (in_axes.into_iter().collect(), in_sums.into_iter().collect())
}

/// The rules one frame yields: `None` where there is no short one.
struct Attempt {
    rules: Vec<Option<Rule>>,
    cost: usize,
    rest: Option<usize>,
}

impl Attempt {
    fn new(torus: &Torus, class_of: &[ClassId], classes: usize, frame: &Frame) -> Self {
        const NO_RULE: usize = 100;
        let (axis_moduli, sum_moduli) = moduli(torus);
        let grid = frame.group(torus, class_of, MOST_CELLS);
        let Some(grid) = grid.filter(|_| class_of.len() * classes <= MOST_WORK) else {
            return Self { rules: vec![None; classes], cost: NO_RULE * classes, rest: None };
        };
        let term = |boxed: boxes::Boxed| {
            let keys = frame.keys.iter().zip(boxed).zip(&grid.groups).map(|((key, taken), groups)| {
                let mut members = vec![false; torus.side(key.axis()) as usize];
                for (_, group) in taken.iter().zip(groups).filter(|(taken, _)| **taken) {
                    for &value in group {
                        members[value as usize] = true;
                    }
                }
                let pattern = match key {
                    Key::Axis(_) => Pattern::fit(&members, &axis_moduli),
                    Key::Sum { .. } => Pattern::fit_sum(&members, &sum_moduli),
                };
                (key.clone(), pattern)
            });
            Term { keys: keys.collect() }
        };
        let rule = |class| {
            let boxes = boxes::cover(&grid, ClassId(class), MOST_TERMS)?;
            Some(Rule::Boxes(boxes.into_iter().map(term).collect()))
        };
        let rules: Vec<Option<Rule>> = (0..classes as u32).map(rule).collect();
        let mut attempt = Self { rules, cost: 0, rest: None };
        attempt.name_the_rest();
        let rules = attempt.rules.iter().enumerate().filter(|&(class, _)| attempt.rest != Some(class));
        attempt.cost = rules.map(|(_, rule)| rule.as_ref().map_or(NO_RULE, Rule::cost)).sum();
        attempt
    }

    /// Drops every rule that does not reproduce the map.
    fn verify(&mut self, torus: &Torus, class_of: &[ClassId]) {
        let dims = torus.dims();
        for (class, slot) in self.rules.iter_mut().enumerate() {
            let Some(rule) = slot else { continue };
            let check = Check::new(rule, dims);
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

    /// Chooses the class to be called "every other node": the dearest, if all others have rules and there is less to
    /// read in those rules than in its own.
    fn name_the_rest(&mut self) {
        const MANY_TERMS: usize = 4;
        let cost = |class: usize| self.rules[class].as_ref().map_or(usize::MAX, Rule::cost);
        let classes = 0..self.rules.len();
        self.rest = None;
        let Some(dearest) = classes.clone().max_by_key(|&class| (cost(class), std::cmp::Reverse(class))) else {
            return;
        };
        let others = || classes.clone().filter(|&class| class != dearest);
        let others_are_rules = others().count() > 0 && others().all(|class| self.rules[class].is_some());
        let worse = match &self.rules[dearest] {
            Some(Rule::Boxes(terms)) => {
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
struct Check<'a> {
    dims: &'a [u32],
    /// the keys of each box that say something, with their members
    boxes: Vec<Vec<(&'a Key, Vec<bool>)>>,
    rule: &'a Rule,
}

impl<'a> Check<'a> {
    fn new(rule: &'a Rule, dims: &'a [u32]) -> Self {
        let boxes = match rule {
            Rule::Boxes(terms) => terms.iter().map(|term| {
                let keys = term.keys.iter().filter(|(_, pattern)| *pattern != Pattern::All);
                keys.map(|(key, pattern)| (key, members(pattern, dims[key.axis()]))).collect()
            }),
            _ => return Self { dims, boxes: Vec::new(), rule },
        };
        Self { dims, boxes: boxes.collect(), rule }
    }

    fn contains(&self, coords: &[u32]) -> bool {
        match self.rule {
            Rule::Boxes(_) => self
                .boxes
                .iter()
                .any(|keys| keys.iter().all(|(key, members)| members[key.value(coords, self.dims) as usize])),
            rule => rule.contains(coords, self.dims),
        }
    }
}

impl Rule {
    fn cost(&self) -> usize {
        match self {
            Self::Boxes(terms) => terms.iter().map(Term::cost).sum::<usize>() + terms.len().saturating_sub(1),
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

impl Term {
    fn cost(&self) -> usize {
        let cost = |(key, pattern): &(Key, Pattern)| match (key, pattern) {
            (_, Pattern::All) => 0,
            (Key::Axis(_), pattern) => pattern.cost(),
            (Key::Sum { .. }, pattern) => pattern.cost() + SUM_COST,
        };
        self.keys.iter().map(cost).sum()
    }

    fn contains(&self, coords: &[u32], dims: &[u32]) -> bool {
        self.keys.iter().all(|(key, pattern)| match (key, pattern.pure_residues()) {
            // what the words say: the sum itself, not the sum modulo the side
            (Key::Sum { .. }, Some((modulus, residues))) => {
                residues.contains(&(key.raw(coords).rem_euclid(i64::from(modulus)) as u32))
            }
            _ => pattern.contains(key.value(coords, dims), dims[key.axis()]),
        })
    }
}

impl Region {
    /// Whether the node at these coordinates belongs to the class.
    pub fn contains(&self, coords: &[u32]) -> bool {
        self.rule.contains(coords, &self.dims)
    }

    /// How many nodes belong to the class.
    pub fn size(&self) -> u32 {
        self.size
    }

    /// Whether there is a rule, rather than a list of nodes.
    pub fn is_rule(&self) -> bool {
        !matches!(self.rule, Rule::Nodes(_))
    }

    /// Whether the same rule, read on the sides of another torus, holds exactly the nodes of `class` there.
    pub fn describes(&self, torus: &Torus, class_of: &[ClassId], class: ClassId) -> bool {
        let dims = torus.dims();
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
        self.describe(Words::AnySize)
    }

    fn describe(&self, words: Words) -> String {
        self.rule.describe(&self.dims, words)
    }
}

impl fmt::Display for Region {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.describe(Words::ThisSize))
    }
}

/// How coordinates are named.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Words {
    ThisSize,
    AnySize,
}

impl Rule {
    fn describe(&self, dims: &[u32], words: Words) -> String {
        const MOST_NODES: usize = 6;
        let all = |terms: &[Term]| {
            let parts: Vec<String> = terms.iter().map(|term| term.describe(dims, words)).collect();
            // node 0,0; node 0,3 -> nodes 0,0 and 0,3
            match parts.iter().map(|part| part.strip_prefix("node ")).collect::<Option<Vec<_>>>() {
                Some(nodes) if nodes.len() > 1 => {
                    format!("nodes {}", and(&nodes.into_iter().map(str::to_owned).collect::<Vec<_>>(), "and"))
                }
                _ => parts.join("; "),
            }
        };
        match self {
            Self::Boxes(terms) if terms.is_empty() => "no node".to_owned(),
            Self::Boxes(terms) => all(terms),
            Self::Nodes(nodes) if nodes.is_empty() => "no node".to_owned(),
            Self::Nodes(nodes) => {
                let coords = |node: &NodeId| {
                    let mut rest = node.0;
                    let mut coords: Vec<String> = dims
                        .iter()
                        .rev()
                        .map(|side| {
                            let x = rest % side;
                            rest /= side;
                            x.to_string()
                        })
                        .collect();
                    coords.reverse();
                    coords.join(",")
                };
                let names: Vec<String> = nodes.iter().take(MOST_NODES).map(coords).collect();
                match nodes.len().saturating_sub(MOST_NODES) {
                    0 if nodes.len() == 1 => format!("node {}", names[0]),
                    0 => format!("nodes {}", and(&names, "and")),
                    more => format!("nodes {} and {more} more", names.join(", ")),
                }
            }
            Self::Rest(others) => match others.as_slice() {
                [Self::Boxes(terms)] if terms.len() < 3 => format!("every node but {}", all(terms)),
                _ => "every other node".to_owned(),
            },
        }
    }
}

impl Term {
    fn describe(&self, dims: &[u32], words: Words) -> String {
        let says = |(_, pattern): &&(Key, Pattern)| *pattern != Pattern::All;
        if !self.keys.iter().any(|key| says(&key)) {
            return "every node".to_owned();
        }
        if let Some(node) = self.single_node(dims, words) {
            return node;
        }
        match self.keys.as_slice() {
            [(Key::Axis(_), rows), (Key::Axis(_), columns)] => self.rows_and_columns(rows, columns, dims, words),
            keys => {
                let conditions = keys.iter().filter(says).map(|(key, pattern)| condition(key, pattern, dims, words));
                and(&conditions.collect::<Vec<_>>(), "and")
            }
        }
    }

    fn single_node(&self, dims: &[u32], words: Words) -> Option<String> {
        let coord = |(key, pattern): &(Key, Pattern)| match key {
            Key::Axis(axis) => {
                let here = pattern.single(&side_name(*axis))?;
                Some(match words {
                    Words::AnySize => here,
                    Words::ThisSize => coordinates(&members(pattern, dims[*axis]), "and"),
                })
            }
            Key::Sum { .. } => None,
        };
        let coords = self.keys.iter().map(coord).collect::<Option<Vec<_>>>()?;
        Some(format!("node {}", coords.join(",")))
    }

    fn rows_and_columns(&self, rows: &Pattern, columns: &Pattern, dims: &[u32], words: Words) -> String {
        let lines = |pattern: &Pattern, noun: &str, axis: usize| match words {
            Words::AnySize => pattern.lines(noun, &side_name(axis)),
            Words::ThisSize => {
                let members = members(pattern, dims[axis]);
                let plural = if members.iter().filter(|&&member| member).count() == 1 { "" } else { "s" };
                format!("{noun}{plural} {}", coordinates(&members, "and"))
            }
        };
        debug_assert_eq!(self.keys.len(), 2);
        match (rows, columns) {
            (rows, Pattern::All) => lines(rows, "row", 0),
            (Pattern::All, columns) => format!("{} of every row", lines(columns, "column", 1)),
            (rows, columns) => format!("{} of {}", lines(columns, "column", 1), lines(rows, "row", 0)),
        }
    }
}

/// One condition of a box in general: `x3 in 0..2`, `(x1+x2) mod 3 = 1`, `x1+x2 even`.
fn condition(key: &Key, pattern: &Pattern, dims: &[u32], words: Words) -> String {
    let (name, axis) = (key.name(), key.axis());
    match (key, pattern.pure_residues()) {
        (Key::Sum { .. }, Some((2, residues))) => format!("{name} {}", if residues == [0] { "even" } else { "odd" }),
        (Key::Sum { .. }, Some((modulus, residues))) => format!("({name}) mod {modulus} = {}", list(residues, "or")),
        (Key::Sum { .. }, None) => {
            let side = if words == Words::AnySize { side_name(axis) } else { dims[axis].to_string() };
            plain_condition(&format!("({name}) mod {side}"), pattern, axis, dims, words)
        }
        (Key::Axis(_), _) => plain_condition(&name, pattern, axis, dims, words),
    }
}

fn plain_condition(name: &str, pattern: &Pattern, axis: usize, dims: &[u32], words: Words) -> String {
    if words == Words::AnySize {
        return pattern.condition(name, &side_name(axis));
    }
    let coordinates = coordinates(&members(pattern, dims[axis]), "or");
    let sign = if coordinates.contains("..") { "in" } else { "=" };
    format!("{name} {sign} {coordinates}")
}

fn members(pattern: &Pattern, side: u32) -> Vec<bool> {
    (0..side).map(|x| pattern.contains(x, side)).collect()
}

/// `n2`, the papers' name for the side along axis 1.
fn side_name(axis: usize) -> String {
    format!("n{}", axis + 1)
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
