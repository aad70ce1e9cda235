//! Figures of the schedules of a design, beside its files.

use serde::Serialize;

use crate::design::Design;
use crate::task::Collective;
use crate::whole::WholeDesign;

/// Figures of a design's schedules.
#[derive(Serialize)]
#[serde(untagged)]
pub enum Schedules {
    One(ScheduleFigures),
    Several { programs: Vec<ProgramFigures> },
}

/// Figures of a schedule.
#[derive(Serialize)]
pub struct ScheduleFigures {
    /// Why `auto` took the scheme.
    pub auto: Option<String>,
    pub classes: usize,
    pub ticks: u32,
    pub steps: u32,
    pub bound: u64,
    pub ratio: f64,
}

/// Figures of one program of several.
#[derive(Serialize)]
pub struct ProgramFigures {
    program: usize,
    collective: Collective,
    #[serde(flatten)]
    schedule: ScheduleFigures,
}

impl ScheduleFigures {
    fn of(design: &Design) -> Self {
        let Design { program, reason, .. } = design;
        let bound = design.bound().ticks;
        Self {
            auto: reason.as_ref().map(ToString::to_string),
            classes: program.live_classes(),
            ticks: program.ticks,
            steps: program.steps(),
            bound,
            ratio: f64::from(program.ticks) / bound as f64,
        }
    }
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
