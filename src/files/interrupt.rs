//! Cleanup on an interrupt (Ctrl-C, SIGTERM, a closed terminal): temporary folders and child processes.

use std::collections::BTreeMap;
use std::io;
use std::process;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

/// The exit code of an interrupted run: what shells say of one that SIGINT ended.
pub const INTERRUPTED: i32 = 130;

/// Undoes something; says whether that is done. It is tried again while it is not.
pub type Undo = Box<dyn Fn() -> bool + Send>;

/// The main thread still runs and may write what is being removed: so many tries, so far apart.
const TRIES: u32 = 200;
const PAUSE: Duration = Duration::from_millis(2);

/// Registered clean-up actions by number.
struct Open {
    next: u64,
    undo: BTreeMap<u64, Undo>,
}

static OPEN: Mutex<Open> = Mutex::new(Open { next: 0, undo: BTreeMap::new() });

/// Something that an interrupt undoes while this lives.
pub struct Undone(u64);

impl Drop for Undone {
    fn drop(&mut self) {
        open().undo.remove(&self.0);
    }
}

/// Makes something that an interrupt must undo, and says how. There is no moment in which it is there and not undone.
pub fn undone<T>(make: impl FnOnce() -> io::Result<T>, undo: impl FnOnce(&T) -> Undo) -> io::Result<(T, Undone)> {
    let mut open = open();
    let made = make()?;
    let number = open.next;
    open.next += 1;
    open.undo.insert(number, undo(&made));
    Ok((made, Undone(number)))
}

/// Until what it returns is dropped an interrupt waits.
pub fn wait() -> Waiting {
    Waiting { _open: open() }
}

/// Guard of a wait, see [`wait`].
pub struct Waiting {
    _open: MutexGuard<'static, Open>,
}

/// From now on an interrupt undoes what is open and ends the process. To be called once, at the start.
pub fn listen() {
    // without a handler the system's own way of ending is left: nothing is undone, as after a kill
    let _ = ctrlc::set_handler(|| {
        // never unlocked: other threads that make or end something wait for the end of the process
        let mut open = open();
        for _ in 0..TRIES {
            open.undo.retain(|_, undo| !undo());
            if open.undo.is_empty() {
                break;
            }
            thread::sleep(PAUSE);
        }
        process::exit(INTERRUPTED);
    });
}

fn open() -> MutexGuard<'static, Open> {
    OPEN.lock().unwrap_or_else(PoisonError::into_inner)
}
