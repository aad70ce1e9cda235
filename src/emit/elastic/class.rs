//! Class of a board, computed from its coordinates: one build serves all boards.

use std::cmp::Reverse;

use askama::Template;

use super::super::design::Design;
use super::super::node::Axis;
use super::super::rtl::Count;
use super::super::{names, words};
use crate::net::NodeId;
use crate::program::ClassId;

/// Returns true if boards differ.
pub fn differ(design: &Design) -> bool {
    design.program.classes.len() > 1
}

#[derive(Template)]
#[template(path = "elastic/class.v", escape = "none")]
pub struct ClassModule<'d> {
    design: &'d Design<'d>,
    module: String,
    notes: Vec<String>,
    axes: Vec<Axis>,
    class: Count,
    /// the class of most nodes
    most: ClassId,
}

/// A node that is not of that class.
struct Other {
    place: Vec<Coordinate>,
    class: u32,
}

struct Coordinate {
    bits: u32,
    at: u32,
}

impl<'d> ClassModule<'d> {
    pub fn new(design: &'d Design<'d>) -> Self {
        let program = design.program;
        let sizes = program.class_sizes();
        // the first of several
        let most = (0..).zip(&sizes).max_by_key(|&(class, size)| (size, Reverse(class))).map_or(0, |(class, _)| class);
        let class = |(class, _)| {
            let class = ClassId(class);
            format!("{} is class {}: {}", class.0, program.class_name(class), design.members(class))
        };
        let mut notes: Vec<String> = (0..).zip(&program.classes).map(class).collect();
        notes.push(design.generated());
        Self {
            design,
            module: names::class(program),
            notes: words::wrap_all(&notes),
            axes: Axis::all(&program.topology),
            class: number(design),
            most: ClassId(most),
        }
    }

    fn others(&self) -> impl Iterator<Item = Other> {
        let program = self.design.program;
        let is_other = |node: &NodeId| program.class_of[node.index()] != self.most;
        program.topology.node_ids().filter(is_other).map(|node| {
            let coordinates = self.axes.iter().zip(program.topology.coords(node));
            Other {
                place: coordinates.map(|(axis, at)| Coordinate { bits: axis.bits, at }).collect(),
                class: program.class_of[node.index()].0,
            }
        })
    }
}

/// The number of a class.
pub fn number(design: &Design) -> Count {
    Count::up_to(design.program.classes.len() as u32 - 1)
}
