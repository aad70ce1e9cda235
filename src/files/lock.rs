//! One run at a time puts files into a folder.

use std::fs::{File, TryLockError};
use std::path::Path;
use std::thread;
use std::time::Duration;

use super::{FilesError, system};

/// Number of pauses for the lock, ten seconds in total. Another run holds it only while it compares and renames.
const PAUSES: u32 = 1000;
const PAUSE: Duration = Duration::from_millis(10);

/// Held while it lives; the system frees it when the run is killed.
pub struct Lock {
    _file: File,
}

impl Lock {
    /// Takes the lock of the parent of a folder: the folder itself may not be there yet, or change places. Those who cannot
    /// read the parent cannot exchange anything in it either, and lock the folder.
    pub fn take(parent: &Path, folder: &Path) -> Result<Self, FilesError> {
        let failed = |source| FilesError::Write { path: folder.to_owned(), source };
        let file = File::open(parent).or_else(|_| File::open(folder)).map_err(failed)?;
        for _ in 0..PAUSES {
            match system::try_lock(&file) {
                Err(TryLockError::WouldBlock) => thread::sleep(PAUSE),
                // NFS locks no folders: better to go on without, as cargo does, than not at all
                Ok(()) | Err(TryLockError::Error(_)) => return Ok(Self { _file: file }),
            }
        }
        Err(FilesError::Locked { folder: parent.to_owned() })
    }
}
