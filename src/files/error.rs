//! Why a file or a folder cannot be read or written, and what to do about it.

use std::io;
use std::path::PathBuf;

use thiserror::Error;

use super::obstacle::FileObstacle;
use super::shown::Shown;

/// Why a file or a folder cannot be read or written.
#[derive(Debug, Error)]
pub enum FilesError {
    /// The system refuses to read it.
    #[error("cannot read `{}`: {source}", Shown(path))]
    Read {
        /// Path of the file or folder.
        path: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
    /// Two files are to be read from one stream.
    #[error("`-`, standard input, is named twice")]
    NamedTwice,
    /// The system refuses to write it; what was there is still there.
    #[error("cannot write `{}`: {source}", Shown(path))]
    Write {
        /// Path of the file or folder.
        path: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
    /// A folder, a pipe or a device where a file is needed.
    #[error("`{}` is not a file", Shown(path))]
    NotAFile {
        /// Path of the file or folder.
        path: PathBuf,
    },
    /// Standard output (`-`) was named where a file or a folder is required.
    #[error("`-` is standard output, where this cannot go")]
    NotAPlace,
    /// A file that must not be replaced is there already.
    #[error("`{}` exists already", Shown(path))]
    Exists {
        /// Path of the file.
        path: PathBuf,
    },
    /// Something else where a folder is needed.
    #[error("`{}` is not a folder", Shown(path))]
    NotAFolder {
        /// Path of the file or folder.
        path: PathBuf,
    },
    /// A text longer than any that makes sense.
    #[error("`{}` has more than {most} bytes", Shown(path))]
    TooLarge {
        /// Path of the file or folder.
        path: PathBuf,
        /// The most there may be.
        most: u64,
    },
    /// The folder has a manifest of another program, or of another version.
    #[error("`{}` is not a list that this torusweave wrote", Shown(path))]
    ForeignManifest {
        /// Path of the file or folder.
        path: PathBuf,
    },
    /// Files that torusweave did not write, or that were edited since, are in the way.
    #[error("new files for `{}` would overwrite {}", Shown(folder), listed(obstacles))]
    InTheWay {
        /// Path of the file or folder.
        folder: PathBuf,
        /// Entries that are in the way.
        obstacles: Vec<FileObstacle>,
    },
    /// Another run does not end.
    #[error("another program holds the lock of `{}`", Shown(folder))]
    Locked {
        /// The folder that is locked.
        folder: PathBuf,
    },
    /// The system cannot say that what is written stays.
    #[error("`{}` is written, but may be lost if the machine stops now: {source}", Shown(path))]
    Unsafe {
        /// The file or the folder.
        path: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
    /// The system refuses in the middle of replacing files one by one.
    #[error("some files of `{}` are new, some old: {source}", Shown(folder))]
    Halfway {
        /// Path of the file or folder.
        folder: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
    /// The new files are there, but what they replaced cannot be removed.
    #[error("the new files are written, but `{}` cannot be removed: {source}", Shown(folder))]
    Left {
        /// Folder that has the old files.
        folder: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
}

impl FilesError {
    /// Returns the cure that is shown after `help:`.
    pub fn help(&self) -> &'static str {
        match self {
            Self::Read { .. } => "name a file you can read",
            Self::NamedTwice => "write one of the two to a file, and name that",
            Self::Write { .. } => "choose a place you can write",
            Self::NotAFile { .. } => "name a file; what a pipe brings can be written to one first",
            Self::NotAPlace => "name a file or a folder; `./-` if it is to be called that",
            Self::Exists { .. } => "name another file, or remove this one",
            Self::NotAFolder { .. } => "choose another folder with --out",
            Self::TooLarge { .. } => "is it the right file?",
            Self::ForeignManifest { .. } => {
                "choose another folder with --out, or remove this one if an older torusweave wrote it"
            }
            Self::InTheWay { obstacles, .. } if obstacles.iter().any(FileObstacle::is_folder) => {
                "move what is not torusweave's away, or choose another folder with --out"
            }
            Self::InTheWay { .. } => "--force overwrites that; or move it away, or choose another folder with --out",
            Self::Locked { .. } => "wait until it has ended, then run this again",
            Self::Unsafe { .. } => "look after the disk, then run this again",
            Self::Halfway { .. } => "run this again: it completes what is missing",
            Self::Left { .. } => "look whether it holds anything of yours, then remove it",
        }
    }
}

/// The most files an error names.
const MOST_NAMED: usize = 8;

/// `a` (edited), `b` (not torusweave's) and 3 more
fn listed(obstacles: &[FileObstacle]) -> String {
    let named: Vec<String> = obstacles.iter().take(MOST_NAMED).map(ToString::to_string).collect();
    let more = obstacles.len() - named.len();
    let named = named.join(", ");
    if more == 0 { named } else { format!("{named} and {more} more") }
}
