//! A folder for what tools leave behind, removed in the end, also when the run is interrupted.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Once;
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread;
use std::time::{Duration, SystemTime};

use crate::files::interrupt::{self, Undo, Undone};
use crate::files::{self, FolderEntry, is_own};

const PREFIX: &str = "torusweave-";
const LETTERS: usize = 12;
/// Age after which leftovers of a killed run are removed. Age is all that tells them from files in use: tools write
/// into the folder, and none works for three days. Whoever does keeps the folder.
const LONGEST_LEFT: Duration = Duration::from_secs(3 * 24 * 60 * 60);

static SWEPT: Once = Once::new();

/// A folder of its own, with a name that nobody can guess, for nobody else to look into.
pub struct ScratchFolder {
    path: PathBuf,
    _undone: Undone,
}

impl ScratchFolder {
    /// Makes it among the system's temporary folders. The first of a process removes those that killed runs have left.
    pub fn new() -> io::Result<Self> {
        SWEPT.call_once(|| sweep(&temporary()));
        let mut builder = tempfile::Builder::new();
        builder.prefix(PREFIX).rand_bytes(LETTERS);
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o700));
        let undo = |path: &PathBuf| -> Undo {
            let path = path.clone();
            Box::new(move || files::remove_tree(&path).is_ok() || !path.exists())
        };
        let make = || Ok(builder.tempdir_in(temporary())?.keep());
        let (path, undone) = interrupt::undone(make, undo)?;
        Ok(Self { path, _undone: undone })
    }

    /// Path of the folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Makes it look new again and again, for as long as the result lives.
    pub fn keep(&self) -> FreshFolder {
        fresh(self.path.clone(), BETWEEN)
    }
}

/// Time between two moments at which a kept folder is made to look new.
const BETWEEN: Duration = Duration::from_secs(60 * 60);

/// Keeps a scratch folder from being removed as a leftover.
pub struct FreshFolder {
    /// The thread ends when this is dropped.
    _end: Sender<()>,
}

fn fresh(path: PathBuf, between: Duration) -> FreshFolder {
    let (end, ended) = mpsc::channel();
    thread::spawn(move || {
        while ended.recv_timeout(between) == Err(RecvTimeoutError::Timeout) {
            // a folder that cannot be changed is as safe as before
            let _ = File::open(&path).and_then(|folder| folder.set_modified(SystemTime::now()));
        }
    });
    FreshFolder { _end: end }
}

impl Drop for ScratchFolder {
    fn drop(&mut self) {
        // no result depends on this folder: leftovers stay in the system's temporary folder
        let _ = files::remove_tree(&self.path);
    }
}

/// The system's temporary folder. Tools run in folders of their own, where a relative `TMPDIR` is another place.
fn temporary() -> PathBuf {
    let folder = std::env::temp_dir();
    if folder.is_absolute() { folder } else { PathBuf::from("/tmp") }
}

/// Removes the folders in a folder that are this user's and old.
fn sweep(folder: &Path) {
    let entries = files::entries(folder).into_iter().flatten();
    for stale in entries.filter(is_scratch).map(|entry| entry.path) {
        let is_old = |metadata: &fs::Metadata| {
            metadata.modified().is_ok_and(|then| then.elapsed().is_ok_and(|left| left > LONGEST_LEFT))
        };
        if fs::symlink_metadata(&stale).is_ok_and(|metadata| is_own(&metadata) && is_old(&metadata)) {
            let _ = files::remove_tree(&stale);
        }
    }
}

fn is_scratch(entry: &FolderEntry) -> bool {
    let letters = entry.name.to_str().and_then(|name| name.strip_prefix(PREFIX));
    letters.is_some_and(|letters| letters.len() == LETTERS && letters.bytes().all(|byte| byte.is_ascii_alphanumeric()))
        && entry.kind.is_dir()
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn a_folder_that_is_kept_is_never_swept_and_an_old_one_is() {
        let all = tempfile::tempdir().unwrap();
        let made = |name: &str| {
            let path = all.path().join(format!("{PREFIX}{name}"));
            fs::create_dir(&path).unwrap();
            File::open(&path).unwrap().set_modified(SystemTime::now() - 2 * LONGEST_LEFT).unwrap();
            path
        };
        let [used, left] = ["abcdefghijkl", "abcdefghijkm"].map(made);
        let kept = fresh(used.clone(), Duration::from_millis(1));
        let is_old = || fs::metadata(&used).unwrap().modified().unwrap().elapsed().unwrap() > LONGEST_LEFT;
        while is_old() {
            thread::sleep(Duration::from_millis(1));
        }
        sweep(all.path());
        assert_eq!((used.exists(), left.exists()), (true, false));
        drop(kept);
    }
}
