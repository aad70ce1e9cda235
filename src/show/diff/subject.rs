//! What a comparison needs to know of a design.

use crate::design::Design;
use crate::emit::Options;
use crate::paths::cover::Cover;
use crate::program::Program;
use crate::schemes::Scheme;

/// One of the two designs.
#[derive(Clone, Debug)]
pub struct Subject<'a> {
    /// What every node does.
    pub program: &'a Program,
    /// The cycles it does it along: they tell supplying outputs from others.
    pub cover: Option<&'a Cover>,
    /// The lower bound in steps.
    pub bound: u64,
    /// What the Verilog depends on besides the program.
    pub options: Options,
    /// What was chosen within the scheme, name and value.
    pub settings: Vec<(&'static str, String)>,
}

impl<'a> Subject<'a> {
    /// A design as one side of a comparison.
    pub fn of(design: &'a Design) -> Self {
        let Design { config, program, cover, .. } = design;
        let mut settings = Vec::new();
        if cover.as_ref().is_some_and(|cover| !cover.passes_every_node()) {
            settings.push(("switching", config.switching.to_string()));
        }
        if program.title.scheme == Scheme::Optimal.about().name {
            settings.push(("store", config.store.to_string()));
        }
        Self { program, cover: cover.as_ref(), bound: design.bound(), options: design.options(), settings }
    }
}
