//! Compiles and runs a generated testbench with Icarus Verilog.

use std::fs::{self, File};
use std::io;
use std::path::Path;
use std::process::Command;

use askama::Template;
use thiserror::Error;

use crate::files::{FilesError, NewFile};
use crate::tools::{ScratchFolder, ToolError, finished, run};

/// Why the testbench could not run.
#[derive(Debug, Error)]
pub enum IcarusError {
    /// Icarus is missing, or does not accept the files.
    #[error(transparent)]
    Tool(#[from] ToolError),
    /// The waveform cannot be written where it should be.
    #[error(transparent)]
    Waveform(#[from] FilesError),
    /// There is no folder to compile in.
    #[error("cannot write a temporary folder: {0}")]
    Io(#[from] io::Error),
}

impl IcarusError {
    /// What to do about it.
    pub fn help(&self) -> String {
        match self {
            Self::Tool(error) => error.help(),
            Self::Waveform(error) => error.help().into(),
            Self::Io(_) => "set TMPDIR to a folder with space left".into(),
        }
    }
}

/// The module that records a waveform.
#[derive(Template)]
#[template(path = "tb/recorder.v", escape = "none")]
struct Recorder<'n> {
    file: String,
    top: &'n str,
}

/// How a testbench ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ended {
    /// Whether it says so, by its exit status too.
    pub passed: bool,
    /// What it prints.
    pub printed: String,
}

/// Runs the testbench of the design `name` in `folder`. With `vcd`, writes a waveform there.
pub fn run_testbench(folder: &Path, name: &str, vcd: Option<&Path>) -> Result<Ended, IcarusError> {
    // what cannot be written is found before anything is compiled
    let waveform = vcd.map(NewFile::create).transpose()?;
    let scratch = ScratchFolder::new()?;
    let compiled = scratch.path().join("testbench");
    let wave = scratch.path().join("wave.vcd");
    let dump = scratch.path().join("recorder.v");
    let mut compile = Command::new("iverilog");
    compile.current_dir(folder).args(["-g2005", "-o"]).arg(&compiled).args(["-s", &format!("{name}_tb")]);
    if waveform.is_some() {
        // a second top records the first: the testbench itself need not know
        let recorder = Recorder { file: wave.display().to_string(), top: &format!("{name}_tb") };
        fs::write(&dump, recorder.render().map_err(io::Error::other)?)?;
        compile.args(["-s", "recorder"]).arg(&dump);
    }
    compile.args(["-f", &format!("{name}.f"), &format!("tb/{name}_tb.v")]);
    run("iverilog", "iverilog", &mut compile)?;
    let mut play = Command::new("vvp");
    play.current_dir(folder).arg("-n").arg(&compiled);
    let output = play.output().map_err(|source| ToolError::Missing { tool: "vvp", package: "iverilog", source })?;
    let passed = output.status.success();
    // a testbench that fails ends with 1
    let output = if output.status.code() == Some(1) { output } else { finished("vvp", output)? };
    if let (Some(mut waveform), Some(path)) = (waveform, vcd) {
        io::copy(&mut File::open(&wave)?, &mut waveform)
            .map_err(|source| FilesError::Write { path: path.to_owned(), source })?;
        waveform.finish()?;
    }
    let printed = String::from_utf8_lossy(&output.stdout);
    // vvp announces the waveform on stdout: that is not the testbench's result
    let printed: String = printed.split_inclusive('\n').filter(|line| !line.starts_with("VCD info:")).collect();
    Ok(Ended { passed: passed && printed.lines().any(|line| line.starts_with("PASS ")), printed })
}
