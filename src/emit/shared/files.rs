//! Destination of the files, and the parts of a design that are written.

use std::collections::BTreeMap;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use super::lines::LineBreaker;
use super::output::{FileType, OutputFile};

/// Destination of the files. Each is written from beginning to end before the next one is requested.
pub trait Files {
    /// Begins a file; `path` is relative to the design's folder.
    fn file(&mut self, path: &str) -> io::Result<Box<dyn Write + '_>>;
}

/// Files kept in memory, by path.
#[derive(Debug, Default)]
pub struct MemoryFiles(pub BTreeMap<String, Vec<u8>>);

impl Files for MemoryFiles {
    fn file(&mut self, path: &str) -> io::Result<Box<dyn Write + '_>> {
        Ok(Box::new(self.0.entry(path.to_owned()).or_default()))
    }
}

/// A part of what is made of a design.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum DesignPart {
    /// Modules to synthesise.
    Rtl,
    /// Memories and streams beside that, and all of it as one system; boards of their own.
    Nodes,
    /// The testbenches, and what they read.
    Testbench,
    /// Lists of the other parts' files, for tools.
    Lists,
}

impl DesignPart {
    /// All parts, in the order of the help.
    pub const ALL: [Self; 4] = [Self::Rtl, Self::Nodes, Self::Testbench, Self::Lists];

    /// Part that files of a type belong to.
    pub fn of(kind: FileType) -> Self {
        match kind {
            FileType::Rtl => Self::Rtl,
            FileType::Node | FileType::Element | FileType::Board => Self::Nodes,
            FileType::Testbench | FileType::SystemBench | FileType::BoardBench | FileType::Data | FileType::Boards => {
                Self::Testbench
            }
            FileType::List => Self::Lists,
        }
    }
}

/// Writes a file.
pub fn write(file: &OutputFile<'_>, files: &mut dyn Files) -> io::Result<()> {
    let is_verilog = Path::new(&file.path).extension().is_some_and(|end| end == "v");
    let to = files.file(&file.path)?;
    let to: Box<dyn Write + '_> = if is_verilog { Box::new(LineBreaker::new(to)) } else { to };
    let mut out = BufWriter::with_capacity(1 << 16, to);
    file.write(&mut out)?;
    out.flush()
}
