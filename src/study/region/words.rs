//! Rules in words.

use super::frame::FrameKey;
use super::pattern::{Pattern, coordinates, numbers};
use super::{BoxTerm, RegionRule, members};
use crate::net::NodeId;
use crate::program::joined;

/// Style of coordinates in a rule: for this size only, or for any size.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum CoordinateStyle {
    ThisSize,
    AnySize,
}

impl RegionRule {
    pub(super) fn describe(&self, dims: &[u32], words: CoordinateStyle) -> String {
        const MOST_NODES: usize = 6;
        let all = |terms: &[BoxTerm]| {
            let parts: Vec<String> = terms.iter().map(|term| term.describe(dims, words)).collect();
            // node 0,0; node 0,3 -> nodes 0,0 and 0,3
            match parts.iter().map(|part| part.strip_prefix("node ")).collect::<Option<Vec<_>>>() {
                Some(nodes) if nodes.len() > 1 => {
                    format!("nodes {}", joined(&nodes.into_iter().map(str::to_owned).collect::<Vec<_>>(), "and"))
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
                    0 => format!("nodes {}", joined(&names, "and")),
                    more => format!("nodes {} and {more} more", names.join(", ")),
                }
            }
            Self::Rest(others) => match others.as_slice() {
                [Self::Boxes(terms)] if terms.len() < 3 => format!("every node but {}", all(terms)),
                _ => "the rest".to_owned(),
            },
        }
    }
}

impl BoxTerm {
    fn describe(&self, dims: &[u32], words: CoordinateStyle) -> String {
        let says = |(_, pattern): &&(FrameKey, Pattern)| *pattern != Pattern::All;
        if !self.keys.iter().any(|key| says(&key)) {
            return "every node".to_owned();
        }
        if let Some(node) = self.single_node(dims, words) {
            return node;
        }
        match self.keys.as_slice() {
            [(FrameKey::Axis(_), rows), (FrameKey::Axis(_), columns)] => {
                self.rows_and_columns(rows, columns, dims, words)
            }
            keys => {
                let conditions = keys.iter().filter(says).map(|(key, pattern)| condition(key, pattern, dims, words));
                joined(&conditions.collect::<Vec<_>>(), "and")
            }
        }
    }

    fn single_node(&self, dims: &[u32], words: CoordinateStyle) -> Option<String> {
        let coord = |(key, pattern): &(FrameKey, Pattern)| match key {
            FrameKey::Axis(axis) => {
                let here = pattern.single(&side_name(*axis))?;
                Some(match words {
                    CoordinateStyle::AnySize => here,
                    CoordinateStyle::ThisSize => coordinates(&members(pattern, dims[*axis]), "and"),
                })
            }
            FrameKey::Sum { .. } => None,
        };
        let coords = self.keys.iter().map(coord).collect::<Option<Vec<_>>>()?;
        Some(format!("node {}", coords.join(",")))
    }

    fn rows_and_columns(&self, rows: &Pattern, columns: &Pattern, dims: &[u32], words: CoordinateStyle) -> String {
        let lines = |pattern: &Pattern, noun: &str, axis: usize| match words {
            CoordinateStyle::AnySize => pattern.lines(noun, &side_name(axis)),
            CoordinateStyle::ThisSize => {
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
fn condition(key: &FrameKey, pattern: &Pattern, dims: &[u32], words: CoordinateStyle) -> String {
    let (name, axis) = (key.name(), key.axis());
    match (key, pattern.pure_residues()) {
        (FrameKey::Sum { .. }, Some((2, residues))) => {
            format!("{name} {}", if residues == [0] { "even" } else { "odd" })
        }
        (FrameKey::Sum { .. }, Some((modulus, residues))) => {
            format!("({name}) mod {modulus} = {}", numbers(residues, "or"))
        }
        (FrameKey::Sum { .. }, None) => {
            let side = if words == CoordinateStyle::AnySize { side_name(axis) } else { dims[axis].to_string() };
            plain_condition(&format!("({name}) mod {side}"), pattern, axis, dims, words)
        }
        (FrameKey::Axis(_), _) => plain_condition(&name, pattern, axis, dims, words),
    }
}

fn plain_condition(name: &str, pattern: &Pattern, axis: usize, dims: &[u32], words: CoordinateStyle) -> String {
    if words == CoordinateStyle::AnySize {
        return pattern.condition(name, &side_name(axis));
    }
    let coordinates = coordinates(&members(pattern, dims[axis]), "or");
    let sign = if coordinates.contains("..") { "in" } else { "=" };
    format!("{name} {sign} {coordinates}")
}

/// `n2`, the papers' name for the side along axis 1.
fn side_name(axis: usize) -> String {
    format!("n{}", axis + 1)
}
