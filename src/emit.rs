//! A program as files: the RTL, a testbench, and the lists that tools read.
//!
//! What the hardware is, [`netlist`](crate::netlist) decides; how the files say it stands in `templates/`. Here typed views
//! of the one are handed to the other.

mod bench;
mod design;
mod lists;
pub mod names;
mod output;
mod own;
mod rtl;
pub mod vcd;
mod words;

use std::collections::BTreeMap;
use std::io::{self, BufWriter, Write};

use crate::netlist::Rom;
use crate::program::Program;
use design::Design;
use output::{File, Kind, Output};
pub use own::{OwnInput, own_inputs};

/// Every output; one may list what those before it make.
const OUTPUTS: [&dyn Output; 6] =
    [&rtl::Tables, &rtl::Routers, &rtl::Fabric, &bench::Testbench, &lists::FileList, &lists::FuseSoc];

/// What the files depend on besides the program.
#[derive(Clone, Debug)]
pub struct Options {
    /// Bits a flit.
    pub width: u32,
    /// What the files were made from, for their header: `examples/torus-6x8.yaml` or a command.
    pub origin: String,
    /// Where the tables of classes that need one are.
    pub rom: Rom,
}

/// Where files go. Each is written from beginning to end before the next one is asked for.
pub trait Files {
    /// Begins a file; `path` is relative to the design's folder.
    fn file(&mut self, path: &str) -> io::Result<Box<dyn Write + '_>>;
}

/// Files kept in memory, by path.
#[derive(Debug, Default)]
pub struct Memory(pub BTreeMap<String, Vec<u8>>);

impl Files for Memory {
    fn file(&mut self, path: &str) -> io::Result<Box<dyn Write + '_>> {
        Ok(Box::new(self.0.entry(path.to_owned()).or_default()))
    }
}

/// The paths of all files that [`write_all`] writes, in that order.
pub fn paths(program: &Program, options: &Options) -> Vec<String> {
    files_of(&Design::new(program, options)).into_iter().map(|file| file.path).collect()
}

/// Writes the design.
pub fn write_all(program: &Program, options: &Options, files: &mut dyn Files) -> io::Result<()> {
    let design = Design::new(program, options);
    files_of(&design).iter().try_for_each(|file| write(file, files))
}

/// Writes the routers and the fabric only, each module after those it uses.
pub fn write_rtl(program: &Program, options: &Options, files: &mut dyn Files) -> io::Result<()> {
    let design = Design::new(program, options);
    files_of(&design).iter().filter(|file| file.kind == Kind::Rtl).try_for_each(|file| write(file, files))
}

fn files_of<'d>(design: &'d Design<'d>) -> Vec<File<'d>> {
    let mut files = Vec::new();
    for output in OUTPUTS {
        let made = output.files(design, &files);
        files.extend(made);
    }
    files
}

fn write(file: &File<'_>, files: &mut dyn Files) -> io::Result<()> {
    let mut out = BufWriter::with_capacity(1 << 16, files.file(&file.path)?);
    file.write(&mut out)?;
    out.flush()
}
