//! Subject of a comparison: a design, or its program alone.

use crate::design::Design;
use crate::design::config::PlainField;
use crate::emit::{MemoryFiles, Options};
use crate::paths::cover::Cover;
use crate::program::Program;
use crate::study::bounds;
use crate::task::Knob;

/// One of the two designs.
#[derive(Clone, Debug)]
pub struct DiffSubject<'a> {
    /// Program of the design.
    pub program: &'a Program,
    /// The cycles it does it along: they tell supplying outputs from others.
    pub cover: Option<&'a Cover>,
    /// The lower bound in ticks.
    pub bound: u64,
    /// Choices that the program does not record; `None` if it stands alone.
    pub choices: Option<Choices<'a>>,
}

/// Choices of a design that its program does not record.
#[derive(Clone, Debug)]
pub struct Choices<'a> {
    /// Options of the emitted Verilog.
    pub options: Options,
    /// The fields of its config that are not left at their defaults.
    pub settings: Vec<(&'static PlainField, String)>,
    /// The Verilog that stands there already, by path, in place of what would be written.
    pub found: Option<&'a MemoryFiles>,
}

impl<'a> DiffSubject<'a> {
    /// A design as one side of a comparison.
    pub fn of(design: &'a Design) -> Self {
        let Design { config, program, scheme, .. } = design;
        let knobs = scheme.knobs(&design.task());
        let mut settings = config.changes();
        // settings that the scheme ignores make no difference
        settings.retain(|(field, _)| Knob::of(&field.path).is_none_or(|knob| knobs.contains(&knob)));
        // a reduction collects in one part from the nodes that it supplies in the other
        let cover = design.cover().filter(|_| program.reduction.is_none());
        let choices = Choices { options: design.options(), settings, found: None };
        Self { program, cover, bound: design.bound().ticks, choices: Some(choices) }
    }

    /// A program of which nothing else is known.
    pub fn of_program(program: &'a Program) -> Self {
        Self { program, cover: None, bound: bounds::of(program).ticks, choices: None }
    }

    /// A design as it stands in a folder: with the program and the Verilog that are there.
    pub fn found(design: &'a Design, program: &'a Program, found: &'a MemoryFiles) -> Self {
        let Self { cover, choices, .. } = Self::of(design);
        let choices = choices.map(|choices| Choices { found: Some(found), ..choices });
        Self { cover, choices, ..Self::of_program(program) }
    }
}
