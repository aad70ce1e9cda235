//! A design as a whole: read from YAML, checked, drawn, and written as the files that `torusweave generate` writes.
//!
//! Programs that embed torusweave need no more, and no command line:
//!
//! ```
//! use torusweave::draw::PictureKind;
//! use torusweave::whole::WholeDesign;
//!
//! let design = WholeDesign::from_yaml("topology: { torus: [6, 8] }")?;
//! assert!(design.check().iter().all(|report| report.passed()));
//! let files = design.files()?;
//! assert!(files["torus_6x8.v"].starts_with(b"// torus_6x8: "));
//! assert!(design.draw(0, PictureKind::Cycles.into())?.starts_with("<svg"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod figures;

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::Path;

use crate::check::{self, CheckReport};
use crate::design::Design;
use crate::design::config::Config;
use crate::design::listed::{Programs, ProgramsError};
use crate::draw::{DrawError, Picture};
use crate::emit::{self, Files, MemoryFiles, node};
use crate::explain::program_text::Text;
use crate::files::{MANIFEST, Manifest};

pub use figures::ScheduleFigures;

/// A part of the files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
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
    /// All parts, in the order of the help.
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
    /// Design of one collective.
    One(Box<Design>),
    /// Design of several programs, or with a host.
    Several(Box<Programs>),
}

impl WholeDesign {
    /// Builds the design that a text of YAML asks for.
    pub fn from_yaml(text: &str) -> Result<Self, ProgramsError> {
        Self::of(Config::of_file(Path::new("the config"), text)?)
    }

    /// Builds the design that a config asks for.
    pub fn of(config: Config) -> Result<Self, ProgramsError> {
        let config = config.as_list();
        if config.programs.is_empty() {
            return Ok(Self::One(Box::new(Design::new(config)?)));
        }
        Ok(Self::Several(Box::new(Programs::new(config)?)))
    }

    /// Name of the design, the prefix of its modules.
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

    /// Checks each program: that it is legal, and that every node gets what it wants.
    pub fn check(&self) -> Vec<CheckReport> {
        self.designs().iter().map(|design| check::by_either(&design.program)).collect()
    }

    /// Draws one of its programs as SVG.
    pub fn draw(&self, program: usize, picture: Picture) -> Result<String, DrawError> {
        match self {
            Self::One(design) => picture.of(design, None),
            Self::Several(programs) => picture.of(&programs.designs[program], Some(programs)),
        }
    }

    /// Every file, by its path in the design's folder, and the MANIFEST of all.
    pub fn files(&self) -> io::Result<BTreeMap<String, Vec<u8>>> {
        let mut files = MemoryFiles::default();
        self.emit(&FilePart::ALL, &mut files)?;
        let mut manifest = Manifest::default();
        for (path, bytes) in &files.0 {
            manifest.record(path, io::sink()).write_all(bytes)?;
        }
        files.0.insert(MANIFEST.to_owned(), manifest.to_string().into_bytes());
        Ok(files.0)
    }

    /// Writes every file of some parts.
    pub fn emit(&self, parts: &[FilePart], files: &mut dyn Files) -> io::Result<()> {
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
            Self::Several(programs) => programs.emitted(node::edited_paths),
        }
    }
}

fn emitted(parts: &[FilePart]) -> Vec<emit::DesignPart> {
    parts.iter().filter_map(|part| part.emitted()).collect()
}
