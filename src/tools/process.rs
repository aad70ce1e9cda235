//! Other programs as processes: runs them to their end, or for so long, and keeps the end of what they print.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Output, Stdio};
use std::sync::OnceLock;
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::{Duration, Instant};

use thiserror::Error;

use crate::files::Shown;
use crate::files::interrupt::{self, Undo, Undone};

/// Why the tools cannot be used.
#[derive(Debug, Error)]
pub enum ToolError {
    /// Not installed, or not in the PATH.
    #[error("`{tool}` is not installed: {source}")]
    Missing {
        /// Name of the tool.
        tool: &'static str,
        /// The package that has it.
        package: &'static str,
        /// The system's reason.
        source: io::Error,
    },
    /// Older than what the emitted simulator needs.
    #[error("`{found}` is too old: Verilator 5.0 is needed")]
    TooOld {
        /// Version that was found.
        found: String,
    },
    /// Verilator's headers are not where they should be.
    #[error("Verilator's headers are not in `{}`", Shown(root))]
    NoHeaders {
        /// Folder that should have the headers.
        root: PathBuf,
    },
    /// The tool ran and failed.
    #[error("`{tool}` failed ({status}):\n{output}")]
    Failed {
        /// Name of the tool.
        tool: &'static str,
        /// Exit status of the tool.
        status: ExitStatus,
        /// The end of what it printed.
        output: String,
    },
    /// The tool did not end by itself.
    #[error("`{tool}` was stopped after {} s", limit.as_secs())]
    TimedOut {
        /// Name of the tool.
        tool: &'static str,
        /// Time limit of the run.
        limit: Duration,
    },
    /// The system lost the tool.
    #[error("cannot wait for `{tool}`: {source}")]
    Lost {
        /// Name of the tool.
        tool: &'static str,
        /// The system's reason.
        source: io::Error,
    },
}

impl ToolError {
    /// Returns the cure that is shown after `help:`.
    pub fn help(&self) -> String {
        match self {
            Self::Missing { package, .. } => {
                format!("install it with `apt-get install {package}`, or use --engine model, which needs nothing")
            }
            Self::TooOld { .. } => "install Verilator 5, or use --engine model, which needs nothing".into(),
            Self::NoHeaders { .. } => "set VERILATOR_ROOT to the folder that holds include/verilated.h".into(),
            Self::TimedOut { .. } => "give it more with --time-limit SECONDS, or take a smaller design".into(),
            Self::Lost { .. } => "run this again".into(),
            Self::Failed { .. } => "is the disk full? otherwise please report this design".into(),
        }
    }
}

/// Time limit of a tool in seconds. An hour is more than the largest designs needed that were tried.
const TIME_LIMIT: u64 = 3600;
/// The longest, a century, which every clock can still tell.
pub const LONGEST_TIME_LIMIT: u64 = u32::MAX as u64;

/// Time that all tools of this process have together, from a moment on. Without it each has [`TIME_LIMIT`].
static TOGETHER: OnceLock<(Duration, Instant)> = OnceLock::new();

/// Gives all tools together so many seconds from now on; the first call counts.
pub fn set_time_limit(seconds: u64) {
    let limit = Duration::from_secs(seconds);
    TOGETHER.get_or_init(|| (limit, Instant::now() + limit));
}

/// Time that a tool has, and its end.
fn time_limit() -> (Duration, Instant) {
    let each = Duration::from_secs(TIME_LIMIT);
    TOGETHER.get().copied().unwrap_or_else(|| (each, Instant::now() + each))
}

/// Number of bytes, at least, that are kept from the end of each output of a tool.
const KEPT_BYTES: usize = 1 << 20;
/// Number of lines shown of a failed tool's output.
const SHOWN_LINES: usize = 20;

/// A tool that works in a scratch folder: its own temporary files go there too, and with it.
pub fn tool_in(folder: &Path, tool: &str) -> Command {
    let mut command = Command::new(tool);
    command.current_dir(folder).env("TMPDIR", ".");
    command
}

/// Runs a tool to its end; a failure carries the end of what it printed.
pub fn run(tool: &'static str, package: &'static str, command: &mut Command) -> Result<Output, ToolError> {
    finished(tool, ended(tool, package, command)?)
}

/// Runs a tool to its end, in its time; its exit status may be any.
pub fn ended(tool: &'static str, package: &'static str, command: &mut Command) -> Result<Output, ToolError> {
    Running::start(tool, package, command)?.wait()
}

/// Runs a tool to its end, with what it prints in a file.
pub fn run_into(
    tool: &'static str,
    package: &'static str,
    command: &mut Command,
    file: File,
) -> Result<Output, ToolError> {
    finished(tool, Running::start_into(tool, package, command, file.into())?.wait()?)
}

/// Turns an exit status other than 0 into an error.
pub fn finished(tool: &'static str, output: Output) -> Result<Output, ToolError> {
    if output.status.success() {
        return Ok(output);
    }
    let text = [output.stdout, output.stderr].concat();
    let text = String::from_utf8_lossy(&text);
    let lines: Vec<&str> = text.lines().collect();
    let end = lines[lines.len().saturating_sub(SHOWN_LINES)..].join("\n");
    Err(ToolError::Failed { tool, status: output.status, output: end })
}

/// Runs a program that talks over what its command gives it, to its end. An interrupt ends it.
pub fn attached(tool: &'static str, command: &mut Command) -> Result<ExitStatus, ToolError> {
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(command, 0);
    let (mut child, _undone) = interrupt::undone(|| command.spawn(), group_killer)
        .map_err(|source| ToolError::Missing { tool, package: tool, source })?;
    child.wait().map_err(|source| ToolError::Lost { tool, source })
}

/// Runs a tool like `attached` one, while `talk` has its standard input and output, and what ends it.
pub fn piped(
    tool: &'static str,
    command: &mut Command,
    talk: impl FnOnce(ChildStdin, ChildStdout, Undo) -> io::Result<()>,
) -> Result<ExitStatus, ToolError> {
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(command, 0);
    command.stdin(Stdio::piped()).stdout(Stdio::piped());
    let (mut child, _undone) = interrupt::undone(|| command.spawn(), group_killer)
        .map_err(|source| ToolError::Missing { tool, package: tool, source })?;
    let lost = |source| ToolError::Lost { tool, source };
    if let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) {
        talk(input, output, group_killer(&child)).map_err(lost)?;
    }
    child.wait().map_err(lost)
}

/// A tool at work, with nothing to read from, its own children in its group. An interrupt ends them all.
pub struct Running {
    tool: &'static str,
    child: Child,
    printed: [Receiver<Vec<u8>>; 2],
    limit: Duration,
    end: Instant,
    _undone: Undone,
}

impl Running {
    /// Starts the tool in a process group of its own.
    pub fn start(tool: &'static str, package: &'static str, command: &mut Command) -> Result<Self, ToolError> {
        Self::start_into(tool, package, command, Stdio::piped())
    }

    fn start_into(
        tool: &'static str,
        package: &'static str,
        command: &mut Command,
        stdout: Stdio,
    ) -> Result<Self, ToolError> {
        command.stdin(Stdio::null()).stdout(stdout).stderr(Stdio::piped());
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(command, 0);
        let (mut child, undone) = interrupt::undone(|| command.spawn(), group_killer)
            .map_err(|source| ToolError::Missing { tool, package, source })?;
        let stderr = child.stderr.take().expect("it is piped");
        let printed = [child.stdout.take().map_or_else(|| kept(io::empty()), kept), kept(stderr)];
        let (limit, end) = time_limit();
        Ok(Self { tool, child, printed, limit, end, _undone: undone })
    }

    /// Waits for its end, and ends it when its time is over.
    pub fn wait(mut self) -> Result<Output, ToolError> {
        // both outputs end when the tool does, unless it closes them or leaves a child behind
        let [stdout, stderr] = [0, 1].map(|which: usize| self.printed[which].recv_timeout(self.left()));
        let (Ok(stdout), Ok(stderr)) = (stdout, stderr) else { return Err(self.time_is_over()) };
        loop {
            match self.child.try_wait() {
                Ok(Some(status)) => return Ok(Output { status, stdout, stderr }),
                Ok(None) if self.left().is_zero() => return Err(self.time_is_over()),
                Ok(None) => thread::sleep(Duration::from_millis(1)),
                Err(source) => return Err(ToolError::Lost { tool: self.tool, source }),
            }
        }
    }

    fn left(&self) -> Duration {
        self.end.saturating_duration_since(Instant::now())
    }

    fn time_is_over(&self) -> ToolError {
        // the whole group: the tool may have ended and left a child that holds its outputs
        group_killer(&self.child)();
        ToolError::TimedOut { tool: self.tool, limit: self.limit }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if !matches!(self.child.try_wait(), Ok(Some(_))) {
            group_killer(&self.child)();
            let _ = self.child.wait();
        }
    }
}

/// Clean-up action that ends a tool with all its children.
#[cfg(unix)]
fn group_killer(child: &Child) -> Undo {
    use rustix::process::{Pid, Signal, kill_process_group};
    let group = Pid::from_child(child);
    Box::new(move || {
        let _ = kill_process_group(group, Signal::KILL);
        true
    })
}

/// Clean-up action that does nothing: the system ends the tool itself.
#[cfg(not(unix))]
fn group_killer(_: &Child) -> Undo {
    Box::new(|| true)
}

/// Reads to the end on a thread of its own, and keeps the last [`KEPT_BYTES`] or a few more.
fn kept(mut pipe: impl Read + Send + 'static) -> Receiver<Vec<u8>> {
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        let (mut kept, mut chunk) = (Vec::new(), vec![0; 1 << 16]);
        loop {
            match pipe.read(&mut chunk) {
                Ok(0) => break,
                Ok(read) => kept.extend_from_slice(&chunk[..read]),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(_) => break,
            }
            if kept.len() > 2 * KEPT_BYTES {
                kept.drain(..kept.len() - KEPT_BYTES);
            }
        }
        // nobody waits for it when the tool's time is over
        let _ = sender.send(kept);
    });
    receiver
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    fn shell(line: &str) -> Command {
        let mut command = Command::new("sh");
        command.args(["-c", line]);
        command
    }

    #[test]
    fn end_of_long_tool_output_is_kept() {
        let output = run("sh", "dash", &mut shell("head -c 20000000 /dev/zero; echo; echo end")).unwrap();
        assert!((KEPT_BYTES..=2 * KEPT_BYTES + (1 << 16)).contains(&output.stdout.len()), "{}", output.stdout.len());
        assert!(output.stdout.ends_with(b"\0\nend\n"));
    }

    #[test]
    fn tools_get_no_standard_input() {
        assert_eq!(run("sh", "dash", &mut shell("cat")).unwrap().stdout, b"");
    }

    #[test]
    fn a_failure_shows_its_last_lines() {
        let Err(ToolError::Failed { output, .. }) = run("sh", "dash", &mut shell("seq 100; exit 3")) else {
            panic!("it fails")
        };
        assert_eq!(output.lines().collect::<Vec<_>>(), (81..=100).map(|line| line.to_string()).collect::<Vec<_>>());
    }
}
