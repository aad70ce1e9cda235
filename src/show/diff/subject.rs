//! What a comparison needs to know of a design.

use crate::design::Design;
use crate::design::config::Field;
use crate::emit::Options;
use crate::paths::cover::Cover;
use crate::program::Program;

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
        let Design { config, program, cover, .. } = design;
        Self {
            program,
            cover: cover.as_ref(),
            bound: design.bound(),
            options: design.options(),
            settings: config.changes(),
        }
    }
}
