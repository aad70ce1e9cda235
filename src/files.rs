//! File input and output: reads are bounded, writes are whole or not done, and files of others are kept.
//!
//! Everything new is made in a hidden staging folder and put in its place by a rename. A [`NewFile`] replaces one file, a
//! [`NewFolder`] a folder of them; its [`Manifest`] tells the files that torusweave wrote from all others, and
//! [`FoundFiles`] says what stands in the way.

#[cfg(feature = "cli")]
mod attributes;
mod error;
#[cfg(feature = "cli")]
mod found;
#[cfg(feature = "cli")]
pub mod interrupt;
#[cfg(feature = "cli")]
mod lock;
mod manifest;
#[cfg(feature = "cli")]
mod new_file;
#[cfg(feature = "cli")]
mod new_folder;
mod obstacle;
mod sha256;
mod shown;
#[cfg(feature = "cli")]
mod staging;
#[cfg(feature = "cli")]
mod system;

use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

pub use error::FilesError;
#[cfg(feature = "cli")]
pub use found::FoundFiles;
pub use manifest::{MANIFEST, Manifest, Recorder, hash, sha256};
#[cfg(feature = "cli")]
pub use new_file::{NewFile, write};
#[cfg(feature = "cli")]
pub use new_folder::{NewFolder, WrittenFiles};
pub use obstacle::{FileObstacle, Standing};
pub use sha256::digest;
pub use shown::{Shown, shown, shown_beginning, shown_lines};
#[cfg(feature = "cli")]
pub use system::{FolderEntry, close_stdout, entries, is_own, remove_tree};

/// Reads a text of at most so many bytes. What is not a file is refused: a pipe or a device may never end.
pub fn read_text(path: &Path, most: u64) -> Result<String, FilesError> {
    let failed = |source| FilesError::Read { path: path.to_owned(), source };
    if !fs::metadata(path).map_err(failed)?.is_file() {
        return Err(FilesError::NotAFile { path: path.to_owned() });
    }
    bounded(path, File::open(path).map_err(failed)?, most)
}

/// Reads a text file of at most `most` bytes; `-` is standard input.
pub fn read_input(path: &Path, most: u64) -> Result<String, FilesError> {
    if is_standard(path) { bounded(path, io::stdin().lock(), most) } else { read_text(path, most) }
}

/// Opens a text file, or standard input (`-`), to be read piece by piece.
pub fn open_input(path: &Path) -> Result<Box<dyn BufRead>, FilesError> {
    if is_standard(path) {
        return Ok(Box::new(io::stdin().lock()));
    }
    let failed = |source| FilesError::Read { path: path.to_owned(), source };
    if !fs::metadata(path).map_err(failed)?.is_file() {
        return Err(FilesError::NotAFile { path: path.to_owned() });
    }
    Ok(Box::new(BufReader::new(File::open(path).map_err(failed)?)))
}

/// Fails if standard input is named more than once: there is nothing in it when it has been read.
pub fn refuse_twice<'p>(inputs: impl IntoIterator<Item = &'p PathBuf>) -> Result<(), FilesError> {
    let named = inputs.into_iter().filter(|path| is_standard(path)).count();
    if named > 1 { Err(FilesError::NamedTwice) } else { Ok(()) }
}

/// Returns true if a path stands for standard input, or standard output.
pub fn is_standard(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// Fails if a file or a folder would be called as what stands for standard output.
pub fn refuse_standard(path: &Path) -> Result<(), FilesError> {
    if is_standard(path) { Err(FilesError::NotAPlace) } else { Ok(()) }
}

fn bounded(path: &Path, source: impl Read, most: u64) -> Result<String, FilesError> {
    let failed = |source| FilesError::Read { path: path.to_owned(), source };
    // the length is not asked for: a file may grow, and those in /proc do not know theirs
    let mut bytes = Vec::new();
    source.take(most + 1).read_to_end(&mut bytes).map_err(failed)?;
    if bytes.len() as u64 > most {
        return Err(FilesError::TooLarge { path: path.to_owned(), most });
    }
    String::from_utf8(bytes).map_err(|error| failed(io::Error::new(io::ErrorKind::InvalidData, error.utf8_error())))
}
