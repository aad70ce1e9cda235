//! Lines that an engine is served on: standard input and output, ports, pseudo-terminals; one for each board.

use std::fs::File;
use std::io;
use std::net::{Ipv4Addr, Shutdown, TcpListener, TcpStream};
#[cfg(unix)]
use std::os::fd::OwnedFd;
use std::path::PathBuf;
use std::process::Stdio;

use super::super::error::CliError;
use super::super::output;
use crate::tools::lockstep::Served;

/// Line that an engine is served on.
pub enum At {
    Stdio,
    Tcp(u16),
    Pty,
}

impl At {
    pub fn parse(text: &str) -> Result<Self, CliError> {
        let port = |port: &str| port.parse().ok().map(Self::Tcp);
        let line = match text {
            "stdio" => Some(Self::Stdio),
            "pty" => Some(Self::Pty),
            _ => text.strip_prefix("tcp:").and_then(port),
        };
        line.ok_or_else(|| CliError::Line { line: text.to_owned() })
    }

    pub fn serve(&self, served: &Served) -> io::Result<()> {
        match self {
            Self::Stdio => served.serve(Stdio::inherit(), Stdio::inherit()).map(drop),
            Self::Tcp(port) => {
                // port 0 is any free one, for each board
                let port_of = |board: u16| if *port == 0 { 0 } else { port.saturating_add(board) };
                let boards = 0..u16::try_from(served.lines()).unwrap_or(u16::MAX);
                let bind = |board| TcpListener::bind((Ipv4Addr::LOCALHOST, port_of(board)));
                let listeners: Vec<TcpListener> = boards.map(bind).collect::<io::Result<_>>()?;
                for listener in &listeners {
                    output::text(format!("tcp:{}\n", listener.local_addr()?))?;
                }
                loop {
                    let mut streams = Vec::new();
                    for listener in &listeners {
                        let (stream, _) = listener.accept()?;
                        stream.set_nodelay(true)?;
                        streams.push(stream);
                    }
                    sockets(served, streams)?;
                }
            }
            Self::Pty => pseudo_terminals(served),
        }
    }
}

/// Serves a connection for each board.
fn sockets(served: &Served, mut streams: Vec<TcpStream>) -> io::Result<()> {
    if streams.len() == 1 {
        let stream = streams.remove(0);
        return served.serve(stdio(stream.try_clone()?), stdio(stream)).map(drop);
    }
    let both = |stream: &TcpStream| Ok((stream.try_clone()?, stream.try_clone()?));
    let lines = streams.iter().map(both).collect::<io::Result<Vec<_>>>()?;
    // the next session goes on without whoever has gone
    let _ = served.serve_all(lines);
    for stream in streams {
        let _ = stream.shutdown(Shutdown::Both);
    }
    Ok(())
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
fn pseudo_terminals(served: &Served) -> io::Result<()> {
    let mut lines = (0..served.lines()).map(|_| pseudo_terminal()).collect::<io::Result<Vec<_>>>()?;
    for line in &lines {
        output::text(format!("serial:{}\n", line.path.display()))?;
    }
    if lines.len() == 1 {
        let Terminal { line, _other, .. } = lines.remove(0);
        return served.serve(line.try_clone()?.into(), line.into()).map(drop);
    }
    let both =
        |terminal: &Terminal| Ok((File::from(terminal.line.try_clone()?), File::from(terminal.line.try_clone()?)));
    served.serve_all(lines.iter().map(both).collect::<io::Result<Vec<_>>>()?).map(drop)
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
fn pseudo_terminals(_: &Served) -> io::Result<()> {
    Err(io::Error::from(io::ErrorKind::Unsupported))
}
