//! Compiles and runs a generated testbench with Icarus Verilog.

use std::io;
use std::path::Path;
use std::process::Command;

use thiserror::Error;

use crate::tools::{ScratchFolder, ToolError, run};

/// Why the testbench could not run.
#[derive(Debug, Error)]
pub enum IcarusError {
    /// Icarus is missing, or does not accept the files.
    #[error(transparent)]
    Tool(#[from] ToolError),
    /// There is no folder to compile in.
    #[error("cannot write a temporary folder: {0}")]
    Io(#[from] io::Error),
}

impl IcarusError {
    /// What to do about it.
    pub fn help(&self) -> String {
        match self {
            Self::Tool(error) => error.help(),
            Self::Io(_) => "set TMPDIR to a folder with space left".into(),
        }
    }
}

/// Runs the testbench of the design `name` in `folder`; returns what it prints. With `vcd`, writes a waveform there.
pub fn run_testbench(folder: &Path, name: &str, vcd: Option<&Path>) -> Result<String, IcarusError> {
    let scratch = ScratchFolder::new()?;
    let compiled = scratch.path().join("testbench");
    let mut compile = Command::new("iverilog");
    compile.current_dir(folder).args(["-g2005", "-o"]).arg(&compiled);
    compile.args(["-f", &format!("{name}.f"), &format!("tb/{name}_tb.v")]);
    run("iverilog", "iverilog", &mut compile)?;
    let mut play = Command::new("vvp");
    play.current_dir(folder).arg("-n").arg(&compiled);
    if let Some(vcd) = vcd {
        play.arg(format!("+vcd={}", vcd.display()));
    }
    let output = run("vvp", "iverilog", &mut play)?;
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}
