//! The Verilated design as a program that talks like the board: the same bytes.

use std::io::{self, Read, Write};
use std::path::PathBuf;
use std::process::{ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex, PoisonError, TryLockError};
use std::thread;
use std::time::Duration;

use super::LockstepError;
use super::build::Recipe;
use super::byte_ports::BytePorts;
use super::toolchain::Toolchain;
use crate::files::interrupt::Undo;
use crate::tools::{FreshFolder, ScratchFolder, attached, piped};

/// Simulated design, built and ready.
pub struct Served {
    program: PathBuf,
    lines: u32,
    /// A server may live for weeks.
    _kept: FreshFolder,
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
        let program = Recipe::of_host(top, ports, files).program(tools, folder.path())?;
        Ok(Self { program, lines: ports.lines(), _kept: folder.keep(), _folder: folder })
    }

    /// Number of lines: one for each board.
    pub fn lines(&self) -> usize {
        self.lines as usize
    }

    /// Simulates from a reset on for as long as there is somebody at the other end of the line. Several lines share one: the number
    /// of its board goes before each byte.
    pub fn serve(&self, input: Stdio, output: Stdio) -> io::Result<ExitStatus> {
        let mut command = Command::new(&self.program);
        attached("simulator", command.stdin(input).stdout(output)).map_err(io::Error::other)
    }

    /// Simulates from a reset on until the first of the lines ends. Each is what comes in and what goes out of a board.
    pub fn serve_all<R, W>(&self, lines: Vec<(R, W)>) -> io::Result<ExitStatus>
    where
        R: Read + Send + 'static,
        W: Write,
    {
        let mut command = Command::new(&self.program);
        let (inputs, outputs): (Vec<R>, Vec<W>) = lines.into_iter().unzip();
        let talk = |to: ChildStdin, from: ChildStdout, end: Undo| {
            let to = Arc::new(Mutex::new(Some(to)));
            let end = Arc::new(Mutex::new(end));
            for (board, input) in (0..).zip(inputs) {
                let (to, end) = (Arc::clone(&to), Arc::clone(&end));
                thread::spawn(move || {
                    bring(board, input, &to);
                    if !is_closed(&to) {
                        end.lock().unwrap_or_else(PoisonError::into_inner)();
                    }
                });
            }
            // a client that has gone ends the simulation
            let _ = hand_out(from, outputs);
            if !is_closed(&to) {
                end.lock().unwrap_or_else(PoisonError::into_inner)();
            }
            Ok(())
        };
        piped("simulator", &mut command, talk).map_err(io::Error::other)
    }
}

/// Pauses for the standard input of a simulation: a second in total.
const PAUSES: u32 = 100;
const PAUSE: Duration = Duration::from_millis(10);

/// Closes the standard input of the simulation, which ends it. Returns false if it takes no bytes: another line's are being written.
fn is_closed(to: &Mutex<Option<ChildStdin>>) -> bool {
    for _ in 0..PAUSES {
        match to.try_lock() {
            Err(TryLockError::WouldBlock) => thread::sleep(PAUSE),
            Err(TryLockError::Poisoned(error)) => {
                *error.into_inner() = None;
                return true;
            }
            Ok(mut to) => {
                *to = None;
                return true;
            }
        }
    }
    false
}

/// Brings the bytes of a board's line to the simulation, until either ends.
fn bring(board: u8, mut from: impl Read, to: &Mutex<Option<ChildStdin>>) {
    let mut bytes = [0; 4096];
    loop {
        let got = from.read(&mut bytes).unwrap_or(0);
        let pairs: Vec<u8> = bytes[..got].iter().flat_map(|&byte| [board, byte]).collect();
        // bytes of a line that has ended may still be on their way
        if got == 0 {
            return;
        }
        let mut to = to.lock().unwrap_or_else(PoisonError::into_inner);
        if to.as_mut().is_none_or(|to| to.write_all(&pairs).is_err()) {
            return;
        }
    }
}

/// Hands the bytes of the simulation to the lines of their boards, until it ends.
fn hand_out(mut from: impl Read, mut to: Vec<impl Write>) -> io::Result<()> {
    let mut bytes = [0; 4096];
    let mut board = None;
    loop {
        let got = from.read(&mut bytes)?;
        if got == 0 {
            return Ok(());
        }
        for &byte in &bytes[..got] {
            match board.take() {
                None => board = Some(usize::from(byte)),
                Some(board) => {
                    if let Some(to) = to.get_mut(board) {
                        to.write_all(&[byte])?;
                    }
                }
            }
        }
    }
}
