//! One side of a comparison: a config, a program.json, or a folder that `generate` wrote.

use std::fmt::Display;
use std::io;
use std::path::{Path, PathBuf};

use super::args::{DesignArgs, FieldArgs, ProgramArg};
use super::error::CliError;
use crate::design::Design;
use crate::design::config::{Config, ConfigError};
use crate::emit::{GENERATED_FROM, MemoryFiles, names};
use crate::explain::diff::DiffSubject;
use crate::files::{self, FilesError};
use crate::program::{ClassId, Program, is_program};

/// A node takes three bytes, so that this is eighty million of them.
const MOST_BYTES: u64 = 1 << 28;

/// Argument on the command line.
pub enum NamedOperand {
    /// A design that is still to be built.
    Config(Config),
    /// A program of which nothing else is known.
    Program(Program),
    /// Contents of a folder.
    Folder(Box<Folder>),
}

/// The program and the Verilog of a folder, and the config of the command that generated them.
pub struct Folder {
    fabric: PathBuf,
    command: String,
    config: Config,
    program: Program,
    verilog: MemoryFiles,
}

/// Side of a comparison.
pub enum OperandSide {
    /// Design with its program.
    Design(Box<Design>),
    /// A program alone.
    Program(Program),
    /// A design, with the program and the Verilog that stand in its folder.
    Folder(Box<Design>, Program, MemoryFiles),
}

impl NamedOperand {
    /// Reads what stands at a path; `-` is standard input.
    pub fn read(path: &Path) -> Result<Self, CliError> {
        if path.is_dir() {
            return folder(path);
        }
        let text = files::read_input(path, MOST_BYTES).map_err(ConfigError::from)?;
        if is_program(&text) {
            program(path, &text).map(Self::Program)
        } else {
            Ok(Self::Config(Config::of_file(path, &text)?))
        }
    }

    /// Returns true for a config, whose fields can be set.
    pub fn is_config(&self) -> bool {
        matches!(self, Self::Config(_))
    }

    /// The config, if it is known.
    pub fn config(&self) -> Option<&Config> {
        match self {
            Self::Config(config) => Some(config),
            Self::Folder(folder) => Some(&folder.config),
            Self::Program(_) => None,
        }
    }

    /// A config with some fields set; what stands on disk is as it is.
    pub fn set(self, fields: &FieldArgs) -> Result<Self, CliError> {
        match self {
            Self::Config(config) => Ok(Self::Config(fields.apply(config)?)),
            found => Ok(found),
        }
    }

    /// Builds what a config says.
    pub fn build(self, program: &ProgramArg) -> Result<OperandSide, CliError> {
        match self {
            Self::Config(config) if config.programs.is_empty() => Ok(OperandSide::Design(Design::new(config)?.into())),
            // its router is that of the list
            Self::Config(config) => Ok(OperandSide::Program(program.one_of(config)?.program)),
            Self::Program(program) => Ok(OperandSide::Program(program)),
            Self::Folder(folder) => {
                let Folder { fabric, command, config, program, verilog } = *folder;
                let design = Design::new(config).map_err(|error| refused(&fabric, &command, error))?;
                if design.program.topology != program.topology {
                    return Err(refused(&fabric, &command, "program.json has another network"));
                }
                Ok(OperandSide::Folder(design.into(), program, verilog))
            }
        }
    }
}

impl OperandSide {
    /// Subject of the comparison.
    pub fn subject(&self) -> DiffSubject<'_> {
        match self {
            Self::Design(design) => DiffSubject::of(design),
            Self::Program(program) => DiffSubject::of_program(program),
            Self::Folder(design, program, verilog) => DiffSubject::found(design, program, verilog),
        }
    }
}

fn program(path: &Path, text: &str) -> Result<Program, CliError> {
    Program::from_json(text).map_err(|source| CliError::Program { path: path.to_owned(), source })
}

/// The command that generated a folder cannot be run again; only the first line says why.
fn refused(fabric: &Path, command: &str, reason: impl Display) -> CliError {
    let reason = reason.to_string();
    let reason = reason.lines().next().unwrap_or_default().trim_start_matches("error: ").to_owned();
    CliError::Origin { path: fabric.to_owned(), command: command.to_owned(), reason }
}

/// Contents of a file; `None` if it does not exist.
fn text_of(path: &Path) -> Result<Option<String>, FilesError> {
    match files::read_text(path, MOST_BYTES) {
        Err(FilesError::Read { source, .. }) if source.kind() == io::ErrorKind::NotFound => Ok(None),
        text => text.map(Some),
    }
}

fn folder(folder: &Path) -> Result<NamedOperand, CliError> {
    let path = folder.join("program.json");
    let text = text_of(&path)?.ok_or_else(|| CliError::NoProgram { folder: folder.to_owned() })?;
    let program = program(&path, &text)?;
    let fabric = format!("{}.v", program.title.name);
    let path = folder.join(&fabric);
    // without Verilog there is nothing beside the program
    let Some(text) = text_of(&path)? else { return Ok(NamedOperand::Program(program)) };
    let command = origin(&text).ok_or_else(|| CliError::NoOrigin { path: path.clone() })?;
    let config = DesignArgs::config_of(&command).map_err(|error| refused(&path, &command, error))?;
    let config = config.resolved(folder).map_err(|error| refused(&path, &command, error))?;
    let mut verilog = MemoryFiles::default();
    for class in 0..program.classes.len() as u32 {
        let router = format!("{}.v", names::router(&program, ClassId(class)));
        // a class that sends nothing has none
        if let Some(text) = text_of(&folder.join(&router))? {
            verilog.0.insert(router, text.into_bytes());
        }
    }
    verilog.0.insert(fabric, text.into_bytes());
    Ok(NamedOperand::Folder(Box::new(Folder { fabric: path, command, config, program, verilog })))
}

/// The command in the comment that opens a file, its lines joined.
fn origin(text: &str) -> Option<String> {
    let comment = text.lines().map_while(|line| line.strip_prefix("//")).map(str::trim).collect::<Vec<_>>().join(" ");
    let (command, _) = comment.split_once(GENERATED_FROM)?.1.strip_prefix('`')?.split_once('`')?;
    Some(command.to_owned())
}
