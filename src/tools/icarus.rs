//! Compiles and runs a generated testbench with Icarus Verilog.

use std::fs::{self, File};
use std::io;
use std::path::Path;

use askama::Template;
use thiserror::Error;

use crate::emit::{self, names};
use crate::files::{FilesError, NewFile};
use crate::program::Program;
use crate::tools::{Running, ToolError, finished, run, tool_in};

/// Why the testbench could not run.
#[derive(Debug, Error)]
pub enum IcarusError {
    /// Icarus is missing, or does not accept the files.
    #[error(transparent)]
    Tool(#[from] ToolError),
    /// The waveform cannot be written where it should be.
    #[error(transparent)]
    Waveform(#[from] FilesError),
    /// A run that succeeds prints one line and nothing else; this one did not.
    #[error("the testbench ended well, but printed `{}` and not `{expected}`", printed.trim_end())]
    Unexpected {
        /// Output of the testbench.
        printed: String,
        /// Output of a testbench in which every arrival matches the model.
        expected: String,
    },
    /// There is no folder to compile in.
    #[error("cannot write a temporary folder: {0}")]
    Io(#[from] io::Error),
}

impl IcarusError {
    /// Returns the cure that is shown after `help:`.
    pub fn help(&self) -> String {
        match self {
            Self::Tool(error) => error.help(),
            Self::Waveform(error) => error.help().into(),
            Self::Unexpected { .. } => "is the `vvp` in your PATH that of Icarus Verilog?".into(),
            Self::Io(_) => "set TMPDIR to a folder with space left".into(),
        }
    }
}

/// The module that records a waveform.
#[derive(Template)]
#[template(path = "tb/recorder.v", escape = "none")]
struct WaveRecorder<'n> {
    module: &'n str,
    file: &'static str,
    top: &'n str,
}

/// End of a testbench's run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ended {
    /// True if the testbench reports success, by its exit status as well.
    pub passed: bool,
    /// Output of the testbench.
    pub printed: String,
}

/// Compiled testbench in the scratch folder.
const COMPILED: &str = "testbench.vvp";
const WAVE: &str = "wave.vcd";

/// Runs the testbench of a program in a scratch folder with its files. With `vcd`, writes a waveform there.
pub fn run_testbench(folder: &Path, program: &Program, vcd: Option<&Path>) -> Result<Ended, IcarusError> {
    run_bench(folder, &program.title.name, &names::testbench(program), &emit::verdict(program), vcd)
}

/// Runs a testbench in a scratch folder with the files of a design; one that succeeds prints `expected`.
pub fn run_bench(
    folder: &Path,
    name: &str,
    top: &str,
    expected: &str,
    vcd: Option<&Path>,
) -> Result<Ended, IcarusError> {
    // an output that cannot be written is refused before anything is compiled
    let waveform = vcd.map(NewFile::create).transpose()?;
    // Icarus hands paths on to a shell: all of ours are relative, whatever the folder is called
    let mut compile = tool_in(folder, "iverilog");
    compile.args(["-g2005", "-o", COMPILED, "-s", top]);
    if waveform.is_some() {
        // a second top records the first: the testbench itself need not know
        let recorder = format!("{top}_recorder");
        let file = format!("{recorder}.v");
        let text = WaveRecorder { module: &recorder, file: WAVE, top }.render().map_err(io::Error::other)?;
        fs::write(folder.join(&file), text)?;
        compile.args(["-s", &recorder, &file]);
    }
    compile.args(["-f", &format!("{name}.f"), &format!("tb/{top}.v")]);
    run("iverilog", "iverilog", &mut compile)?;
    let mut play = tool_in(folder, "vvp");
    let output = Running::start("vvp", "iverilog", play.args(["-n", COMPILED]))?.wait()?;
    let status = output.status;
    // a testbench that fails ends with 1
    let output = if status.code() == Some(1) { output } else { finished("vvp", output)? };
    let printed = String::from_utf8_lossy(&output.stdout);
    // vvp announces the waveform on stdout: that is not the testbench's result
    let printed: String = printed.split_inclusive('\n').filter(|line| !line.starts_with("VCD info:")).collect();
    if status.success() && printed.trim_end() != expected {
        return Err(IcarusError::Unexpected { printed, expected: expected.to_owned() });
    }
    if let (Some(mut waveform), Some(path)) = (waveform, vcd) {
        io::copy(&mut File::open(folder.join(WAVE))?, &mut waveform)
            .map_err(|source| FilesError::Write { path: path.to_owned(), source })?;
        waveform.finish()?;
    }
    Ok(Ended { passed: status.success(), printed })
}
