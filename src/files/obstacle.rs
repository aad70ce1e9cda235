//! Obstacles to a write: entries of a folder by owner, and files in the way of a new one.

use std::fmt;

/// Ownership of an entry in a folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// Torusweave's: listed, with the hash that it has.
    Ours,
    /// Torusweave's once: listed, with another hash.
    Edited,
    /// Not listed, or not a file.
    Foreign,
}

/// Something that stands where a file is to be written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileObstacle {
    /// Path of the entry; a folder's path ends with a slash.
    pub path: String,
    /// Owner of the entry.
    pub standing: Standing,
}

impl FileObstacle {
    /// A folder is never overwritten.
    pub fn is_folder(&self) -> bool {
        self.path.ends_with('/')
    }
}

impl fmt::Display for FileObstacle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let whose = if self.standing == Standing::Edited { "edited" } else { "not torusweave's" };
        write!(f, "`{}` ({whose})", self.path)
    }
}
