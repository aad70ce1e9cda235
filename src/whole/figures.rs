//! Figures of a schedule, beside its files.

use serde::Serialize;

use crate::design::Design;

/// Figures of a schedule.
#[derive(Serialize)]
pub struct ScheduleFigures {
    /// Why `auto` took the scheme.
    pub auto: Option<String>,
    /// Number of classes of live nodes.
    pub classes: usize,
    /// Ticks that it lasts.
    pub ticks: u32,
    /// Steps of one packet.
    pub steps: u32,
    /// Lower bound in ticks.
    pub bound: u64,
    /// Ticks in units of the bound.
    pub ratio: f64,
}

impl ScheduleFigures {
    /// Figures of a design's schedule.
    pub fn of(design: &Design) -> Self {
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
