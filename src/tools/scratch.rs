//! A folder for what tools leave behind, removed in the end, also when the run is interrupted.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::files::interrupt::{self, Undo, Undone};

/// A folder of its own, with a name that nobody can guess, for nobody else to look into.
pub struct ScratchFolder {
    path: PathBuf,
    _undone: Undone,
}

impl ScratchFolder {
    /// Makes it among the system's temporary folders.
    pub fn new() -> io::Result<Self> {
        let mut builder = tempfile::Builder::new();
        builder.prefix("torusweave-").rand_bytes(12);
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o700));
        let undo = |path: &PathBuf| -> Undo {
            let path = path.clone();
            Box::new(move || fs::remove_dir_all(&path).is_ok() || !path.exists())
        };
        let make = || Ok(builder.tempdir_in(temporary())?.keep());
        let (path, undone) = interrupt::undone(make, undo)?;
        Ok(Self { path, _undone: undone })
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for ScratchFolder {
    fn drop(&mut self) {
        // nothing depends on it: what is left of it is in the system's folder for such things
        let _ = fs::remove_dir_all(&self.path);
    }
}

/// The system's temporary folder. Tools run in folders of their own, where a relative `TMPDIR` is another place.
fn temporary() -> PathBuf {
    let folder = std::env::temp_dir();
    if folder.is_absolute() { folder } else { PathBuf::from("/tmp") }
}
