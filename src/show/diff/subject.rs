//! What a comparison needs to know of a design.

use crate::design::Design;
use crate::design::config::Field;
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
    /// The fields of its config that are not left at their defaults.
    pub settings: Vec<(&'static Field, String)>,
}

impl<'a> Subject<'a> {
    /// A design as one side of a comparison.
    pub fn of(design: &'a Design) -> Self {
        let Design { config, program, scheme, .. } = design;
        let knobs = scheme.knobs(&design.task());
        let mut settings = config.changes();
        // what the scheme does not look at makes no difference
        settings.retain(|(field, _)| Knob::of(&field.path).is_none_or(|knob| knobs.contains(&knob)));
        // whom a reduction supplies in one part it collects from in the other
        let cover = design.cover().filter(|_| program.reduction.is_none());
        Self { program, cover, bound: design.bound().steps, options: design.options(), settings }
    }
}
