//! What a comparison needs to know of a design.

use crate::design::Design;
use crate::emit::Options;
use crate::paths::cover::Cover;
use crate::program::Program;
use crate::schemes::Knob;

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
        let Design { config, program, cover, scheme, .. } = design;
        let value = |knob| match knob {
            Knob::Switching => config.switching.to_string(),
            Knob::Store => config.store.to_string(),
            Knob::Rom => config.rom.to_string(),
        };
        let settings = scheme.knobs(&design.task()).iter().map(|&knob| (knob.name(), value(knob))).collect();
        Self { program, cover: cover.as_ref(), bound: design.bound().steps, options: design.options(), settings }
    }
}
