//! Assertions about the generated Verilog for yosys: a class of routers, or a small fabric as a whole.
//!
//! The assertions are read off the program, not off the netlist that the routers were made from.

mod class;
mod combine_module;
mod crossing;
pub mod listed;
mod receiver;
mod term;
mod whole;

use askama::Template;

use crate::emit::boards::crossing::CrossingFacts;
use crate::emit::boards::layer::LinkLayer;
use crate::emit::shared::design::EmitDesign;
use crate::emit::shared::options::Options;
use crate::emit::shared::parts::UpCounter;
use crate::program::{ClassId, Program, Source};

pub use crossing::{Fault, Induction};

/// A question for yosys-smtbmc.
#[derive(Clone, Debug)]
pub struct Question {
    /// The module with the assertions, in `SystemVerilog`; its file has its name and ends in `.sv`.
    pub module: String,
    /// Contents of that file.
    pub text: String,
    /// Script for yosys that turns the RTL into a question for a solver; it writes a file named after the module that
    /// ends in `.smt2`.
    pub script: String,
    /// Number of steps that cover every run.
    pub steps: u32,
    /// Number of assertions, each about certain ticks.
    pub assertions: usize,
    /// True if a solver is faster when it is asked about one step after the other.
    pub one_by_one: bool,
}

/// Reason for which a program has no assertions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unasserted {
    /// Several inputs are joined.
    Joined,
    /// Nodes send in windows of their own.
    Windows,
}

/// Returns the reason for which a program has no assertions.
pub fn unasserted(program: &Program) -> Option<Unasserted> {
    let joins = |source: &Source| matches!(source, Source::Any { .. });
    match () {
        () if program.classes.iter().any(|class| class.sources().iter().any(joins)) => Some(Unasserted::Joined),
        () if !program.windows.is_empty() => Some(Unasserted::Windows),
        () => None,
    }
}

/// Question about the router of a class: does it do what `program` says? It is asked about the Verilog of `built`, which need not
/// be that of `program`: ports that `built` lacks stay unconnected. None for a class that never sends.
pub fn class(program: &Program, options: &Options, built: &Program, class: ClassId) -> Option<Question> {
    let routers = super::netlist(built, options).routers;
    class::question(&EmitDesign::new(program, options).configured_for(built), built, &routers[class.index()], class)
}

/// Question about the fabric of `built`: does everything arrive everywhere, in every tick, as `program` says?
pub fn whole(program: &Program, options: &Options, built: &Program) -> Question {
    whole::question(&EmitDesign::new(program, options).configured_for(built), built)
}

/// Questions about the buffers between clocks of boards: none if ports have the clock of their board. A fault changes the Verilog
/// first; then the questions are about a few steps only, so that what fails is a run and not the induction.
pub fn crossing(program: &Program, options: &Options, fault: Option<Fault>) -> Vec<Induction> {
    let facts = options.form.crosses().then(|| CrossingFacts::of(&EmitDesign::new(program, options)));
    facts.map_or_else(Vec::new, |facts| crossing::questions(&facts, fault))
}

/// Question about the receiver of checked links; none if links are trusted.
pub fn receiver(program: &Program, options: &Options, fault: Option<Fault>) -> Option<Induction> {
    Some(receiver::question(LinkLayer::of(&EmitDesign::new(program, options))?, fault))
}

/// Takes a later number for the next one.
pub fn later_numbers(rtl: &str) -> String {
    rtl.replace("== awaited", ">= awaited")
}

/// Takes the pointer of what was read for that of what was written, in one place.
pub fn exchanged_pointers(rtl: &str) -> String {
    rtl.replace("put_next[", "got_next[")
}

/// Script for yosys that writes the fabric's netlist as JSON, with one cell per router.
pub fn fabric(program: &Program) -> String {
    #[derive(Template)]
    #[template(path = "formal/fabric.ys", escape = "none")]
    struct ProofScript<'d> {
        fabric: &'d str,
    }
    rendered(&ProofScript { fabric: &program.title.name })
}

/// Number of steps that cover a run: the step before it, the way from `run` to tick 1, the program, and as long as that way again
/// with `run` held. Whatever the control tells routers after the end has reached them by then.
fn steps(design: &EmitDesign) -> u32 {
    design.program.ticks + 2 * design.start_delay() + 3
}

fn rendered(template: &impl Template) -> String {
    template.render().expect("the templates have no fault of their own") + "\n"
}

/// The fabric's output that asks for flits, if a packet has several; those of streams are taken one by one.
fn flit(design: &EmitDesign) -> Option<UpCounter> {
    UpCounter::of_several(design.program.flits).filter(|_| !design.netlist.streams)
}
