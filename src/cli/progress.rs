//! Progress on a terminal, shown after one second and wiped off in the end.

use std::io::{self, IsTerminal};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::output;
use crate::files::interrupt::{self, Undo, Undone};

/// Nobody minds to wait so long without a word.
const PATIENCE: Duration = Duration::from_secs(1);
const BEAT: Duration = Duration::from_millis(100);

/// Shown while it lives, if stderr is a terminal.
pub struct Progress {
    bar: ProgressBar,
    shown: Option<(Sender<()>, JoinHandle<()>)>,
    _undone: Option<Undone>,
}

impl Progress {
    /// Progress of a task of unknown length.
    pub fn of(what: impl Into<String>) -> Self {
        Self::begin(ProgressBar::hidden(), "{spinner} {msg} ({elapsed})", what.into())
    }

    /// Progress of a task with a known number of steps.
    pub fn of_steps(what: impl Into<String>, steps: u64) -> Self {
        let bar = ProgressBar::with_draw_target(Some(steps), ProgressDrawTarget::hidden());
        Self::begin(bar, "{msg} {wide_bar} {pos} of {len}, {eta} left", what.into())
    }

    /// After so many steps.
    pub fn at(&self, step: u64) {
        self.bar.set_position(step);
    }

    fn begin(bar: ProgressBar, style: &str, what: String) -> Self {
        if output::is_quiet() || !io::stderr().is_terminal() {
            return Self { bar, shown: None, _undone: None };
        }
        bar.set_style(ProgressStyle::with_template(style).expect("a template of ours"));
        bar.set_message(what);
        let (sender, receiver) = mpsc::channel();
        let late = bar.clone();
        let shown = thread::spawn(move || {
            if receiver.recv_timeout(PATIENCE) == Err(RecvTimeoutError::Timeout) {
                late.set_draw_target(ProgressDrawTarget::stderr());
                late.enable_steady_tick(BEAT);
            }
        });
        let undo = |bar: &ProgressBar| -> Undo {
            let bar = bar.clone();
            Box::new(move || {
                bar.finish_and_clear();
                true
            })
        };
        let undone = interrupt::undone(|| Ok(bar.clone()), undo).ok().map(|(_, undone)| undone);
        Self { bar, shown: Some((sender, shown)), _undone: undone }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some((sender, shown)) = self.shown.take() {
            let _ = sender.send(());
            let _ = shown.join();
        }
        self.bar.finish_and_clear();
    }
}
