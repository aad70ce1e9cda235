//! The Verilated engine as a program that talks like the board: the same bytes.

use std::io;
use std::path::PathBuf;
use std::process::{Command, ExitStatus, Stdio};

use super::LockstepError;
use super::build::Recipe;
use super::byte_ports::BytePorts;
use super::toolchain::Toolchain;
use crate::tools::{ScratchFolder, attached};

/// Simulated engine, built and ready.
pub struct Served {
    program: PathBuf,
    _folder: ScratchFolder,
}

impl Served {
    /// Builds the simulator of Verilog whose module `top` has such a line.
    pub fn build(
        tools: &Toolchain,
        top: &str,
        ports: BytePorts,
        files: Vec<(String, String)>,
    ) -> Result<Self, LockstepError> {
        let folder = ScratchFolder::new()?;
        let program = Recipe::of_engine(top, ports, files).program(tools, folder.path())?;
        Ok(Self { program, _folder: folder })
    }

    /// Simulates from a reset on for as long as there is somebody at the other end of the line.
    pub fn serve(&self, input: Stdio, output: Stdio) -> io::Result<ExitStatus> {
        let mut command = Command::new(&self.program);
        attached("engine", command.stdin(input).stdout(output)).map_err(io::Error::other)
    }
}
