//! Designs as `generate` writes them: of one collective or of several programs, in parts, with the figures of their schedules.

use std::io;
use std::path::Path;

use clap::ValueEnum;
use serde::Serialize;

use super::super::progress::Progress;
use super::super::stale;
use crate::design::Design;
use crate::design::config::Config;
use crate::design::listed::{Programs, ProgramsError};
use crate::emit::{self, Files, listed};
use crate::explain::program_text::Text;
use crate::files::shown;
use crate::task::Collective;

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum FilePart {
    /// Routers and fabric.
    Rtl,
    /// Memories and streams of the nodes, where the config asks for them.
    Nodes,
    /// The testbenches, with the packets they send and what must arrive.
    Tb,
    /// Lists of the files, for simulators and build tools.
    Lists,
    /// The schedule as text and JSON.
    Program,
}

impl FilePart {
    pub const ALL: [Self; 5] = [Self::Rtl, Self::Nodes, Self::Tb, Self::Lists, Self::Program];

    /// Part of the emitter's output, if the emitter makes it.
    fn emitted(self) -> Option<emit::DesignPart> {
        match self {
            Self::Rtl => Some(emit::DesignPart::Rtl),
            Self::Nodes => Some(emit::DesignPart::Nodes),
            Self::Tb => Some(emit::DesignPart::Testbench),
            Self::Lists => Some(emit::DesignPart::Lists),
            Self::Program => None,
        }
    }
}

/// Design of one collective, or of several programs.
pub enum WholeDesign {
    One(Box<Design>),
    Several(Box<Programs>),
}

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

impl WholeDesign {
    pub fn of(config: Config) -> Result<Self, ProgramsError> {
        let schedules = if config.programs.is_empty() { "schedule" } else { "schedules" };
        let _progress = Progress::of(format!("building the {schedules} of {}", shown(&config.name())));
        if config.programs.is_empty() {
            return Ok(Self::One(Box::new(Design::new(config)?)));
        }
        Ok(Self::Several(Box::new(Programs::new(config)?)))
    }

    pub fn name(&self) -> String {
        match self {
            Self::One(design) => design.program.title.name.clone(),
            Self::Several(programs) => programs.name(),
        }
    }

    /// Designs of its programs.
    pub fn designs(&self) -> &[Design] {
        match self {
            Self::One(design) => std::slice::from_ref(design),
            Self::Several(programs) => &programs.designs,
        }
    }

    /// Every file of some parts.
    pub fn emit(&self, parts: &[FilePart], files: &mut dyn Files) -> io::Result<()> {
        let _progress = Progress::of(format!("writing {}", self.name()));
        let is_told = parts.contains(&FilePart::Program);
        match self {
            Self::One(design) => {
                let program = &design.program;
                emit::write_parts(program, &design.options(), &emitted(parts), files)?;
                if is_told {
                    files.file("program.txt")?.write_all(Text(program).to_string().as_bytes())?;
                    files.file("program.json")?.write_all(program.json().as_bytes())?;
                }
                Ok(())
            }
            Self::Several(programs) => {
                programs.emitted(|design| design.write(&emitted(parts), files))?;
                if is_told { programs.write_schedules(files) } else { Ok(()) }
            }
        }
    }

    /// The paths that [`Self::emit`] writes.
    pub fn paths(&self, parts: &[FilePart]) -> Vec<String> {
        let (mut paths, told) = match self {
            Self::One(design) => (
                emit::paths_of_parts(&design.program, &design.options(), &emitted(parts)),
                vec!["program.txt".to_owned(), "program.json".to_owned()],
            ),
            Self::Several(programs) => (
                programs.emitted(|design| design.paths(&emitted(parts))),
                programs.schedules().map(|(path, _)| path.to_owned()).collect(),
            ),
        };
        if parts.contains(&FilePart::Program) {
            paths.extend(told);
        }
        paths
    }

    /// Files for the user to edit.
    pub fn elements(&self) -> Vec<String> {
        match self {
            Self::One(design) => emit::elements(&design.program, &design.options()),
            Self::Several(programs) => programs.emitted(listed::edited),
        }
    }

    /// Files that were edited, and are for another design.
    pub fn stale(&self, folder: &Path, edited: &[String]) -> Vec<String> {
        stale::of(&self.elements(), |stubs| self.emit(&[FilePart::Nodes], stubs), folder, edited)
    }

    pub fn schedules(&self) -> Schedules {
        match self {
            Self::One(design) => Schedules::One(ScheduleFigures::of(design)),
            Self::Several(programs) => {
                let figures = |(program, design): (usize, &Design)| ProgramFigures {
                    program,
                    collective: design.config.collective(),
                    schedule: ScheduleFigures::of(design),
                };
                Schedules::Several { programs: programs.designs.iter().enumerate().map(figures).collect() }
            }
        }
    }
}

fn emitted(parts: &[FilePart]) -> Vec<emit::DesignPart> {
    parts.iter().filter_map(|part| part.emitted()).collect()
}
