//! Ports that boards are served on: clients come and go, and a session begins when every board has one.

use std::io::{self, ErrorKind};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// Pause between two looks at the ports.
const PAUSE: Duration = Duration::from_millis(10);
/// Time that a client waits for the end of a session before it is sent away.
const PATIENCE: Duration = Duration::from_secs(1);

/// Clients of all boards: who comes to the ports, and who waits for the others.
pub struct Clients {
    listeners: Vec<TcpListener>,
    waiting: Vec<Option<TcpStream>>,
}

impl Clients {
    /// Listens on as many ports, one after the other from `first` on, or on any if it is 0.
    pub fn bind(first: u16, boards: usize) -> io::Result<Self> {
        let bind = |board: u16| {
            let port = if first == 0 { Some(0) } else { first.checked_add(board) };
            let port = port.ok_or_else(|| io::Error::other("there are fewer ports above it than boards"))?;
            let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port))?;
            listener.set_nonblocking(true)?;
            Ok(listener)
        };
        let boards = 0..u16::try_from(boards).unwrap_or(u16::MAX);
        let listeners = boards.map(bind).collect::<io::Result<Vec<_>>>()?;
        let waiting = listeners.iter().map(|_| None).collect();
        Ok(Self { listeners, waiting })
    }

    /// Addresses of the ports.
    pub fn addresses(&self) -> io::Result<Vec<SocketAddr>> {
        self.listeners.iter().map(TcpListener::local_addr).collect()
    }

    /// Waits until every port has a client, and returns them. Whoever has gone counts for nothing, and who came last takes the place
    /// of who waited.
    pub fn clients(&mut self) -> io::Result<Vec<TcpStream>> {
        loop {
            for (listener, waiting) in self.listeners.iter().zip(&mut self.waiting) {
                waiting.take_if(|stream| has_gone(stream));
                while let Some(stream) = accepted(listener)? {
                    *waiting = Some(stream);
                }
            }
            if self.waiting.iter().all(Option::is_some) {
                let streams: Vec<TcpStream> = self.waiting.iter_mut().filter_map(Option::take).collect();
                streams.iter().try_for_each(|stream| stream.set_nonblocking(false))?;
                return Ok(streams);
            }
            thread::sleep(PAUSE);
        }
    }

    /// Does the work of a session. Clients who come meanwhile are sent away, but for those who come shortly before its end.
    pub fn during<T>(&mut self, session: impl FnOnce() -> T) -> T {
        let is_over = AtomicBool::new(false);
        thread::scope(|scope| {
            let others = scope.spawn(|| self.send_away(&is_over));
            let done = session();
            is_over.store(true, Ordering::Relaxed);
            let _ = others.join();
            done
        })
    }

    fn send_away(&mut self, is_over: &AtomicBool) {
        let mut since: Vec<Instant> = self.listeners.iter().map(|_| Instant::now()).collect();
        while !is_over.load(Ordering::Relaxed) {
            for ((listener, waiting), since) in self.listeners.iter().zip(&mut self.waiting).zip(&mut since) {
                waiting.take_if(|stream| since.elapsed() > PATIENCE || has_gone(stream));
                if waiting.is_none() {
                    *since = Instant::now();
                    // an error of the port is met by the next session, too
                    *waiting = accepted(listener).unwrap_or(None);
                }
            }
            thread::sleep(PAUSE);
        }
    }
}

/// The next client of a port, if there is one.
fn accepted(listener: &TcpListener) -> io::Result<Option<TcpStream>> {
    match listener.accept() {
        Ok((stream, _)) => {
            stream.set_nonblocking(true)?;
            stream.set_nodelay(true)?;
            Ok(Some(stream))
        }
        Err(error) => match error.kind() {
            ErrorKind::WouldBlock | ErrorKind::Interrupted | ErrorKind::ConnectionAborted => Ok(None),
            _ => Err(error),
        },
    }
}

/// Returns true if nobody is at the other end of a stream that does not block.
fn has_gone(stream: &TcpStream) -> bool {
    match stream.peek(&mut [0]) {
        Ok(bytes) => bytes == 0,
        Err(error) => !matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted),
    }
}
