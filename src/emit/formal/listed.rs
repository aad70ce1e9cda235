//! A design with several programs: its router with the control words of one program, at a node or at all nodes together.
//!
//! Rules of a node are read off the program and its model, not off the union of routers.

mod elaboration;
mod router;
mod rules;
mod whole;

use crate::emit::boards::crossing::CrossingFacts;
use crate::emit::fabric::{self, Neutral};
use crate::emit::formal::combine_module::CombineModule;
use crate::emit::formal::{Fault, Induction, Question, crossing, receiver};
use crate::emit::node::ListDesign;
use crate::emit::shared::names;
use crate::net::{Channel, NodeId};
use crate::netlist::Own;
use crate::netlist::listed::ListNetlist;
use crate::program::{Operation, Program};

pub use elaboration::{at_board, wires};
pub use whole::{narrow, questions as whole_questions};

/// Question about one program.
pub struct ListedQuestion {
    /// Number of the program.
    pub program: usize,
    /// Nodes that the question is about.
    pub subject: ListedSubject,
    /// Question about the Verilog as generated.
    pub right: Question,
    /// Question with one arrival or own word inverted in one tick; none if nothing is sent.
    pub wrong: Option<Question>,
    /// Bits per flit.
    pub width: u32,
}

/// Nodes that a question is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ListedSubject {
    /// The router of nodes that do the same.
    Router {
        /// First of the nodes; where a root is chosen for each call, counted from it.
        node: NodeId,
        /// Number of nodes.
        nodes: u32,
    },
    /// All nodes together, with the root that the program is called for, if any node can be it.
    Whole {
        /// Root of the call.
        root: Option<NodeId>,
    },
}

/// Data is only moved, or combined by an operator of Verilog: few bits show all that many would.
const BITS: u32 = 4;
/// Bits where any function of two values is in the place of units that take ticks.
const FUNCTION_BITS: u32 = 2;

/// Combination of two values.
struct ValueCombine {
    operation: Operation,
    signed: bool,
}

/// Builds the questions about all programs of a design, in their order.
pub fn questions(design: &ListDesign<'_>, programs: &[&Program]) -> Vec<ListedQuestion> {
    let each = programs.iter().enumerate();
    each.flat_map(|(number, program)| router::of_program(design, number, program)).collect()
}

/// Questions about the buffers between the clocks of cables and boards; none if there are no such clocks.
pub fn crossings(design: &ListDesign<'_>, fault: Option<Fault>) -> Vec<Induction> {
    let facts = design.link_layer().filter(|layer| layer.form.crosses()).map(|layer| CrossingFacts::of_layer(&layer));
    facts.map_or_else(Vec::new, |facts| crossing::questions(&facts, fault))
}

/// Question about the receiver of checked links; none on one device.
pub fn receivers(design: &ListDesign<'_>, fault: Option<Fault>) -> Option<Induction> {
    Some(receiver::question(design.link_layer()?, fault))
}

impl ValueCombine {
    fn of(design: &ListDesign<'_>, program: &Program) -> Option<Self> {
        let reduction = program.reduction.as_ref()?;
        let is_signed = design.netlist.union.parts.number.is_signed();
        Some(Self { operation: reduction.operation, signed: is_signed })
    }
}

/// Neutral value of units that take ticks.
fn neutral(design: &ListDesign<'_>) -> Option<Neutral> {
    let unit = design.netlist.union.parts.unit?;
    Some(Neutral::of(unit.operation, unit.number))
}

/// Bits per flit of a question.
fn width(design: &ListDesign<'_>) -> u32 {
    if neutral(design).is_some() { FUNCTION_BITS } else { BITS }
}

/// Module in the place of the one that combines in some ticks, and the names of its instances in a router.
fn combine_module(design: &ListDesign<'_>) -> (Option<CombineModule>, Vec<String>) {
    let netlist = design.netlist;
    let Some((unit, neutral)) = netlist.union.parts.unit.zip(neutral(design)) else { return (None, Vec::new()) };
    let module = CombineModule::new(design.module("combine"), unit.ticks, neutral);
    (Some(module), fabric::units(netlist.topology.axes(), &netlist.union.router))
}

fn own(index: usize) -> Own {
    Own { packet: index as u32, through: index as u32 }
}

fn name(netlist: &ListNetlist, number: usize) -> String {
    let channel: Channel = netlist.union.parts.channel(number);
    names::channel(netlist.topology.axes(), channel)
}
