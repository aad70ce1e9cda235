//! What the generated Verilog has to do, as assertions for yosys: a class of routers, or a small fabric as a whole.
//!
//! The assertions are read off the program, not off the netlist that the routers were made from.

mod class;
mod whole;

use askama::Template;

use super::Options;
use super::design::Design;
use super::rtl::Count;
use crate::program::{ClassId, Program};

/// A question for yosys-smtbmc.
#[derive(Clone, Debug)]
pub struct Question {
    /// The module with the assertions, in `SystemVerilog`; its file has its name and ends in `.sv`.
    pub module: String,
    /// What stands in that file.
    pub text: String,
    /// What yosys has to do, with the RTL read, to put it to a solver: it ends in a file with the module's name that ends in `.smt2`.
    pub script: String,
    /// How many steps cover every run.
    pub steps: u32,
    /// How many assertions are made, each in the ticks it is about.
    pub assertions: usize,
}

/// What the router of a class has to do, configured as for a program, which need not be its own; none if it has none.
pub fn class(program: &Program, options: &Options, configured_for: &Program, class: ClassId) -> Option<Question> {
    class::question(&Design::new(program, options).configured_for(configured_for), class)
}

/// What has to arrive everywhere in every tick, with all routers configured as for a program.
pub fn whole(program: &Program, options: &Options, configured_for: &Program) -> Question {
    whole::question(&Design::new(program, options).configured_for(configured_for))
}

/// What yosys has to do, with the RTL read, to write the fabric as JSON, with a router a cell.
pub fn fabric(program: &Program) -> String {
    #[derive(Template)]
    #[template(path = "formal/fabric.ys", escape = "none")]
    struct Script<'d> {
        fabric: &'d str,
    }
    rendered(&Script { fabric: &program.title.name })
}

fn rendered(template: &impl Template) -> String {
    template.render().expect("the templates have no fault of their own") + "\n"
}

/// The fabric's output that asks for flits, if a packet has several; values that are combined are taken one by one.
fn flit(program: &Program) -> Option<Count> {
    Count::of_several(program.flits).filter(|_| program.reduction.is_none())
}
