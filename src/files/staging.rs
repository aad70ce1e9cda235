//! Hidden folders in which new things are made before they take their place; those of killed runs are swept.
//!
//! A staging folder is `.torusweave-` and twelve random letters, and holds one thing, `torusweave-staged`. The run that made
//! it holds its lock, so one of this user that is not locked is stale.

use std::fs::{self, File, TryLockError};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use super::found::FoundFiles;
use super::interrupt::{self, Undo, Undone};
use super::manifest::{MANIFEST, Manifest};
use super::obstacle::Standing;
use super::system::{self, FolderEntry};

const PREFIX: &str = ".torusweave-";
const LETTERS: usize = 12;
const STAGED: &str = "torusweave-staged";

/// A staging folder; what is still in it in the end goes with it.
pub struct Staging {
    folder: PathBuf,
    _lock: File,
    _undone: Undone,
}

impl Staging {
    /// Makes one in a folder, after sweeping out those that are stale.
    pub fn within(folder: &Path) -> io::Result<Self> {
        sweep(folder);
        loop {
            let undo = |new: &PathBuf| -> Undo {
                let new = new.clone();
                Box::new(move || clear(&new).is_ok() || !new.exists())
            };
            let (new, undone) = interrupt::undone(|| new_folder(folder), undo)?;
            match hold(&new) {
                Ok(Some(lock)) => return Ok(Self { folder: new, _lock: lock, _undone: undone }),
                // another run has swept it before it was locked
                Ok(None) => {}
                Err(error) => {
                    let _ = fs::remove_dir(&new);
                    return Err(error);
                }
            }
        }
    }

    /// Path at which the new file or folder is made.
    pub fn staged(&self) -> PathBuf {
        self.folder.join(STAGED)
    }

    /// The folder itself.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Removes it. What is not torusweave's stays, and is an error.
    pub fn close(self) -> io::Result<()> {
        clear(&self.folder)
    }
}

impl Drop for Staging {
    fn drop(&mut self) {
        // a later run sweeps folders that cannot be removed now
        let _ = clear(&self.folder);
    }
}

/// Makes a folder with a name that nobody has had, for nobody else to look into.
fn new_folder(folder: &Path) -> io::Result<PathBuf> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(PREFIX).rand_bytes(LETTERS);
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o700));
    Ok(builder.tempdir_in(folder)?.keep())
}

/// Locks a new staging folder, unless another run has taken it for a stale one.
fn hold(folder: &Path) -> io::Result<Option<File>> {
    let lock = match File::open(folder) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        opened => opened?,
    };
    match system::try_lock(&lock) {
        Err(TryLockError::WouldBlock) => Ok(None),
        // without locks nothing is swept either
        Ok(()) | Err(TryLockError::Error(_)) => Ok(folder.exists().then_some(lock)),
    }
}

/// Removes the stale staging folders in a folder. Those of other users stay: what is in them is theirs.
pub fn sweep(folder: &Path) {
    let entries = system::entries(folder).into_iter().flatten();
    for stale in entries.filter(is_staging).map(|entry| entry.path) {
        if let Ok(lock) = File::open(&stale)
            && lock.metadata().is_ok_and(|metadata| system::is_own(&metadata))
            && system::try_lock(&lock).is_ok()
        {
            // a folder that cannot be removed does no harm
            let _ = clear(&stale);
        }
    }
}

fn is_staging(entry: &FolderEntry) -> bool {
    let letters = entry.name.to_str().and_then(|name| name.strip_prefix(PREFIX));
    letters.is_some_and(|letters| letters.len() == LETTERS && letters.bytes().all(|byte| byte.is_ascii_alphanumeric()))
        && entry.kind.is_dir()
}

/// Removes a staging folder with what is staged in it, and fails if there is anything else.
fn clear(folder: &Path) -> io::Result<()> {
    let staged = folder.join(STAGED);
    match fs::symlink_metadata(&staged) {
        Err(error) if error.kind() == ErrorKind::NotFound => {}
        Err(error) => return Err(error),
        Ok(metadata) if metadata.is_dir() => match Manifest::read(&staged).map_err(io::Error::other)? {
            // after the exchange this may be the old folder, into which others may have written at the last moment
            Some(manifest) => remove_listed(&staged, &manifest)?,
            // the manifest comes last: nobody has seen this folder yet
            None => system::remove_tree(&staged)?,
        },
        Ok(_) => fs::remove_file(&staged)?,
    }
    fs::remove_dir(folder)
}

/// Removes what a manifest lists, then the manifest, then the folder; fails if there is anything else.
fn remove_listed(folder: &Path, manifest: &Manifest) -> io::Result<()> {
    let found = FoundFiles::scan(folder, manifest, manifest)?;
    for path in found.all(Standing::Ours) {
        fs::remove_file(folder.join(path))?;
    }
    found.remove_empty_folders(folder);
    if system::entries(folder)?.len() > 1 {
        return Err(ErrorKind::DirectoryNotEmpty.into());
    }
    fs::remove_file(folder.join(MANIFEST))?;
    fs::remove_dir(folder)
}
