//! Definition of an output: the files it makes of a design, each with its path, its kind and its writer.

use std::io::{self, Write};

use askama::Template;

use crate::emit::shared::design::EmitDesign;

/// One of the things that are made of a design: a file here, its templates, and a line in `OUTPUTS`.
pub trait EmittedPart: Sync {
    /// The files it makes, in order; `before` are those of the outputs before it.
    fn files<'d>(&self, design: &'d EmitDesign<'d>, before: &[OutputFile<'d>]) -> Vec<OutputFile<'d>>;
}

/// Type of a file, for tools.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileType {
    /// A module to synthesise.
    Rtl,
    /// A module to synthesise, beside the fabric.
    Node,
    /// A module for a user to edit, around the nodes.
    Element,
    /// A module to synthesise for a board of its own, beside the routers and their control.
    Board,
    /// A module to simulate.
    Testbench,
    /// Testbench of the fabric with everything beside it.
    SystemBench,
    /// Testbench of a network of boards.
    BoardBench,
    /// Data file for a testbench.
    Data,
    /// Boards to simulate: no tool is told of them, as some know two states only.
    Boards,
    /// A list of files.
    List,
}

type Writer<'d> = Box<dyn Fn(&mut dyn Write) -> io::Result<()> + 'd>;

/// A file that can be written.
pub struct OutputFile<'d> {
    /// Relative to the design's folder.
    pub path: String,
    pub kind: FileType,
    writer: Writer<'d>,
}

impl<'d> OutputFile<'d> {
    /// A file from a template, whose view is made when it is written.
    pub fn of<T: Template>(path: String, kind: FileType, view: impl Fn() -> T + 'd) -> Self {
        Self::streamed(path, kind, move |out| {
            Template::write_into(&view(), out)?;
            // templates drop the line end
            writeln!(out)
        })
    }

    /// A file that is written piece by piece.
    pub fn streamed(path: String, kind: FileType, writer: impl Fn(&mut dyn Write) -> io::Result<()> + 'd) -> Self {
        Self { path, kind, writer: Box::new(writer) }
    }

    /// Returns the same file as one of another kind.
    pub fn among(self, kind: FileType) -> Self {
        Self { kind, ..self }
    }

    /// A module, whose file has its name.
    pub fn module<T: Template>(module: &str, view: impl Fn() -> T + 'd) -> Self {
        Self::of(format!("{module}.v"), FileType::Rtl, view)
    }

    pub fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        (self.writer)(out)
    }
}

/// The paths of the files of one kind.
pub fn paths_of(kind: FileType, files: &[OutputFile<'_>]) -> Vec<String> {
    files.iter().filter(|file| file.kind == kind).map(|file| file.path.clone()).collect()
}
