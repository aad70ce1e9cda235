//! A folder for what tools leave behind, removed in the end, also when the run is interrupted.

use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Once;
use std::time::Duration;

use crate::files::interrupt::{self, Undo, Undone};
use crate::files::{self, FolderEntry, is_own};

const PREFIX: &str = "torusweave-";
const LETTERS: usize = 12;
/// Age after which leftovers of a killed run are removed. A folder in use is locked; not every system locks folders, and tools do not
/// work for three days.
const LONGEST_LEFT: Duration = Duration::from_secs(3 * 24 * 60 * 60);

static SWEPT: Once = Once::new();

/// A folder of its own, with a name that nobody can guess, for nobody else to look into.
pub struct ScratchFolder {
    path: PathBuf,
    /// Held while it lives, if the system locks folders: a server lives for longer than leftovers are kept.
    _lock: Option<File>,
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
        let lock = File::open(&path).ok().filter(|folder| files::try_lock(folder).is_ok());
        Ok(Self { path, _lock: lock, _undone: undone })
    }

    /// Path of the folder.
    pub fn path(&self) -> &Path {
        &self.path
    }
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
        let is_in_use = || File::open(&stale).is_ok_and(|folder| is_locked(&folder));
        if fs::symlink_metadata(&stale).is_ok_and(|metadata| is_own(&metadata) && is_old(&metadata)) && !is_in_use() {
            let _ = files::remove_tree(&stale);
        }
    }
}

fn is_locked(folder: &File) -> bool {
    matches!(files::try_lock(folder), Err(TryLockError::WouldBlock))
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
    fn a_folder_in_use_is_never_swept_however_old_it_is() {
        let all = tempfile::tempdir().unwrap();
        let made = |name: &str| {
            let path = all.path().join(format!("{PREFIX}{name}"));
            fs::create_dir(&path).unwrap();
            let folder = File::open(&path).unwrap();
            folder.set_modified(std::time::SystemTime::now() - 2 * LONGEST_LEFT).unwrap();
            (path, folder)
        };
        let (used, lock) = made("abcdefghijkl");
        let (left, _) = made("abcdefghijkm");
        files::try_lock(&lock).unwrap();
        sweep(all.path());
        assert_eq!((used.exists(), left.exists()), (true, false));
        drop(lock);
        sweep(all.path());
        assert!(!used.exists());
    }

    #[test]
    fn a_scratch_folder_is_locked_while_it_lives() {
        let scratch = ScratchFolder::new().unwrap();
        assert!(is_locked(&File::open(scratch.path()).unwrap()));
    }
}
