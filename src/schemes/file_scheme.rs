//! A schedule of a file in the place of a scheme: nothing is built, and nothing claimed.

use std::collections::HashSet;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{LazyLock, Mutex};

use crate::net::Network;
use crate::program::Title;
use crate::schedule::FILE;
use crate::task::{About, Claim, Collective, ConstructError, Knob, Scheme, Task, Unmet, Woven};

/// File of a schedule by its path.
// A config is copied everywhere, and few files are named: each path is kept once, as long as the process lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScheduleFile(&'static Path);

impl ScheduleFile {
    /// Interns a path.
    pub fn of(path: &Path) -> Self {
        static KNOWN: LazyLock<Mutex<HashSet<&'static Path>>> = LazyLock::new(Mutex::default);
        // a name is told from a scheme's by a dot or a slash
        let is_plain = path.to_str().is_some_and(|name| !Self::is_named(name));
        let path: PathBuf = if is_plain { Path::new(".").join(path) } else { path.to_owned() };
        let mut known = KNOWN.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if let Some(path) = known.get(path.as_path()) {
            return Self(path);
        }
        let kept: &'static Path = Box::leak(path.into_boxed_path());
        known.insert(kept);
        Self(kept)
    }

    /// Pattern of names that are files', as in [`ScheduleFile::is_named`].
    pub const PATTERN: &str = r"/|\..*[^-+.0-9eE]|[^-+.0-9eE].*\.";

    /// Returns true for a name that is a file's: no scheme has a dot or a slash in its name, and no number is meant as a file.
    pub fn is_named(name: &str) -> bool {
        let is_of_numbers = |c: char| c.is_ascii_digit() || matches!(c, '-' | '+' | '.' | 'e' | 'E');
        name.contains(['/', std::path::MAIN_SEPARATOR]) || name.contains('.') && !name.chars().all(is_of_numbers)
    }

    /// Path of the file.
    pub fn path(self) -> &'static Path {
        self.0
    }

    /// Copies the file for a path that is relative to a folder.
    #[must_use]
    pub fn within(self, folder: &Path) -> Self {
        Self::of(&folder.join(self.0))
    }
}

impl fmt::Display for ScheduleFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.display().fmt(f)
    }
}

/// Scheme of a design whose schedule is a file's; it is in no list.
#[derive(Clone, Copy, Debug)]
pub struct FileScheme;

impl Scheme for FileScheme {
    fn about(&self) -> About {
        About {
            name: FILE,
            summary: "The schedule of a file",
            theorem: "a schedule from a file",
            condition: "a file with the schedule",
            packets: "those of the file",
            preference: u8::MAX,
        }
    }

    fn collectives(&self) -> &'static [Collective] {
        &Collective::ALL
    }

    fn takes(&self, _network: &Network) -> bool {
        true
    }

    fn applies(&self, _task: &Task) -> Result<(), Unmet> {
        Err(Unmet { needs: "a file" })
    }

    fn never_turns(&self, _task: &Task) -> bool {
        true
    }

    fn packets(&self, _task: &Task) -> u16 {
        1
    }

    fn weave(&self, _task: &Task, _title: Title) -> Result<Woven, ConstructError> {
        Err(Unmet { needs: "a file" }.into())
    }

    fn claim(&self, _task: &Task) -> Option<Claim> {
        None
    }

    fn knobs(&self, _task: &Task) -> &'static [Knob] {
        &[Knob::Rom]
    }
}
