//! Lines that a design is served on: standard input and output, ports, pseudo-terminals; one for each board.

use std::fs::File;
use std::io;
use std::net::{Shutdown, TcpStream};
#[cfg(unix)]
use std::os::fd::OwnedFd;
use std::path::PathBuf;
use std::process::{ExitStatus, Stdio};

use super::super::error::CliError;
use super::super::output;
use super::ports::Clients;
use crate::tools::lockstep::Served;

/// Line that a design is served on.
pub enum ServedLine {
    Stdio,
    Tcp(u16),
    Pty,
}

impl ServedLine {
    pub fn parse(text: &str) -> Result<Self, CliError> {
        let port = |port: &str| port.parse().ok().map(Self::Tcp);
        let line = match text {
            "stdio" => Some(Self::Stdio),
            "pty" => Some(Self::Pty),
            _ => text.strip_prefix("tcp:").and_then(port),
        };
        line.ok_or_else(|| CliError::Line { line: text.to_owned() })
    }

    /// Serves until nobody is at the other end, and returns how the simulation ended; a port for ever.
    pub fn serve(&self, served: &Served) -> io::Result<ExitStatus> {
        match self {
            Self::Stdio => served.serve(Stdio::inherit(), Stdio::inherit()),
            Self::Tcp(port) => {
                let mut ports = Clients::bind(*port, served.lines())?;
                for address in ports.addresses()? {
                    output::text(format!("tcp:{address}\n"))?;
                }
                loop {
                    let streams = ports.clients()?;
                    let ended = ports.during(|| sockets(served, streams))?;
                    // the next session has a simulation of its own
                    if !ended.success() {
                        output::progress(format_args!("the simulation ended: {ended}"));
                    }
                }
            }
            Self::Pty => pseudo_terminals(served),
        }
    }
}

/// Serves a connection for each board.
fn sockets(served: &Served, mut streams: Vec<TcpStream>) -> io::Result<ExitStatus> {
    if streams.len() == 1 {
        let stream = streams.remove(0);
        return served.serve(stdio(stream.try_clone()?), stdio(stream));
    }
    let both = |stream: &TcpStream| Ok((stream.try_clone()?, stream.try_clone()?));
    let lines = streams.iter().map(both).collect::<io::Result<Vec<_>>>()?;
    let ended = served.serve_all(lines);
    for stream in streams {
        let _ = stream.shutdown(Shutdown::Both);
    }
    ended
}

#[cfg(unix)]
fn stdio(stream: TcpStream) -> Stdio {
    OwnedFd::from(stream).into()
}

#[cfg(not(unix))]
fn stdio(stream: TcpStream) -> Stdio {
    std::os::windows::io::OwnedSocket::from(stream).into()
}

/// Serial lines as any program opens them. They stay open while nobody uses them.
#[cfg(unix)]
fn pseudo_terminals(served: &Served) -> io::Result<ExitStatus> {
    let mut lines = (0..served.lines()).map(|_| pseudo_terminal()).collect::<io::Result<Vec<_>>>()?;
    for line in &lines {
        output::text(format!("serial:{}\n", line.path.display()))?;
    }
    if lines.len() == 1 {
        let Terminal { line, _other, .. } = lines.remove(0);
        return served.serve(line.try_clone()?.into(), line.into());
    }
    let both =
        |terminal: &Terminal| Ok((File::from(terminal.line.try_clone()?), File::from(terminal.line.try_clone()?)));
    served.serve_all(lines.iter().map(both).collect::<io::Result<Vec<_>>>()?)
}

/// End of a serial line, with the other end, so that it stays open.
#[cfg(unix)]
struct Terminal {
    line: OwnedFd,
    path: PathBuf,
    _other: OwnedFd,
}

#[cfg(unix)]
fn pseudo_terminal() -> io::Result<Terminal> {
    use rustix::fs::{Mode, OFlags};
    use rustix::{pty, termios};
    let line = pty::openpt(pty::OpenptFlags::RDWR | pty::OpenptFlags::NOCTTY)?;
    pty::grantpt(&line)?;
    pty::unlockpt(&line)?;
    let path = PathBuf::from(pty::ptsname(&line, Vec::new())?.into_string().map_err(io::Error::other)?);
    let other = rustix::fs::open(&path, OFlags::RDWR | OFlags::NOCTTY, Mode::empty())?;
    let mut settings = termios::tcgetattr(&other)?;
    settings.make_raw();
    termios::tcsetattr(&other, termios::OptionalActions::Now, &settings)?;
    Ok(Terminal { line, path, _other: other })
}

#[cfg(not(unix))]
fn pseudo_terminals(_: &Served) -> io::Result<ExitStatus> {
    Err(io::Error::from(io::ErrorKind::Unsupported))
}
