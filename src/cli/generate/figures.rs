//! Figures of the schedules of a design, beside its files.

use serde::Serialize;

use crate::design::Design;
use crate::task::Collective;
use crate::whole::{ScheduleFigures, WholeDesign};

/// Figures of a design's schedules.
#[derive(Serialize)]
#[serde(untagged)]
pub enum Schedules {
    One(ScheduleFigures),
    Several { programs: Vec<ProgramFigures> },
}

/// Figures of one program of several.
#[derive(Serialize)]
pub struct ProgramFigures {
    program: usize,
    collective: Collective,
    #[serde(flatten)]
    schedule: ScheduleFigures,
}

impl Schedules {
    pub fn of(whole: &WholeDesign) -> Self {
        match whole {
            WholeDesign::One(design) => Self::One(ScheduleFigures::of(design)),
            WholeDesign::Several(programs) => {
                let figures = |(program, design): (usize, &Design)| ProgramFigures {
                    program,
                    collective: design.config.collective(),
                    schedule: ScheduleFigures::of(design),
                };
                Self::Several { programs: programs.designs.iter().enumerate().map(figures).collect() }
            }
        }
    }
}
