//! The folder a design is generated into: written whole or not at all, and nothing foreign in it is touched.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{self, BufReader, Read, Write};
use std::path::{Path, PathBuf};

use thiserror::Error;

use crate::emit::Files;

/// Lists the files that torusweave wrote, so that it can tell them from others.
const MANIFEST: &str = "MANIFEST";

/// Why a folder cannot be written.
#[derive(Debug, Error)]
pub enum FolderError {
    /// Something in it was not written by torusweave.
    #[error("`{}` holds {} that torusweave did not write", folder.display(), files(strangers))]
    Foreign {
        /// The folder.
        folder: PathBuf,
        /// What is foreign, relative to it.
        strangers: Vec<String>,
    },
    /// It is not a folder.
    #[error("`{}` is not a folder", path.display())]
    NotAFolder {
        /// What it is.
        path: PathBuf,
    },
    /// It is where the command runs, or holds that: a new folder in its place would leave the caller in the old one.
    #[error("`{}` is the current folder or holds it", path.display())]
    Current {
        /// The folder.
        path: PathBuf,
    },
    /// The system refuses.
    #[error("cannot write `{}`: {source}", path.display())]
    Io {
        /// Where.
        path: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
}

impl FolderError {
    /// What to do about it.
    pub fn help(&self) -> &'static str {
        match self {
            Self::Foreign { strangers, .. } if strangers.len() == 1 => {
                "move it away, or choose another folder with --out"
            }
            Self::Foreign { .. } => "move them away, or choose another folder with --out",
            Self::Current { .. } => "choose another folder with --out",
            Self::NotAFolder { .. } | Self::Io { .. } => "choose a folder you can write with --out",
        }
    }
}

fn files(paths: &[String]) -> String {
    match paths {
        [one] => format!("`{one}`"),
        [one, rest @ ..] => format!("`{one}` and {} more", rest.len()),
        [] => "nothing".to_owned(),
    }
}

/// A folder in the making: everything goes to a temporary one beside it, which takes its place in the end.
pub struct Staged {
    target: PathBuf,
    staging: PathBuf,
    written: Vec<String>,
}

impl Staged {
    /// Begins, unless the folder holds foreign files or cannot be written.
    pub fn begin(target: &Path) -> Result<Self, FolderError> {
        let strangers = strangers(target)?;
        if !strangers.is_empty() {
            return Err(FolderError::Foreign { folder: target.to_owned(), strangers });
        }
        let failed = |source| FolderError::Io { path: target.to_owned(), source };
        // a link to a folder stays a link
        let place = if target.exists() { fs::canonicalize(target).map_err(failed)? } else { target.to_owned() };
        if std::env::current_dir().is_ok_and(|here| here.starts_with(&place)) {
            return Err(FolderError::Current { path: target.to_owned() });
        }
        let staging = beside(&place, "new");
        fs::create_dir_all(&staging).map_err(failed)?;
        Ok(Self { target: place, staging, written: Vec::new() })
    }

    /// Puts the new folder in the place of the old one; returns the files written, in order.
    pub fn commit(mut self) -> Result<Vec<String>, FolderError> {
        let written = std::mem::take(&mut self.written);
        let failed = |source| FolderError::Io { path: self.target.clone(), source };
        fs::write(self.staging.join(MANIFEST), manifest(&written)).map_err(failed)?;
        let old = beside(&self.target, "old");
        let replaces = self.target.exists();
        if replaces {
            fs::rename(&self.target, &old).map_err(failed)?;
        }
        if let Err(source) = fs::rename(&self.staging, &self.target) {
            if replaces {
                // put back what was there; if even that fails the old files stay beside their place
                let _ = fs::rename(&old, &self.target);
            }
            return Err(failed(source));
        }
        if replaces {
            // all of it was ours: `begin` looked
            fs::remove_dir_all(&old).map_err(failed)?;
        }
        Ok(written)
    }
}

impl Drop for Staged {
    fn drop(&mut self) {
        // after a commit it is gone; after a failure nothing half-written stays
        let _ = fs::remove_dir_all(&self.staging);
    }
}

impl Files for Staged {
    fn file(&mut self, path: &str) -> io::Result<Box<dyn Write + '_>> {
        let place = self.staging.join(path);
        if let Some(parent) = place.parent() {
            fs::create_dir_all(parent)?;
        }
        self.written.push(path.to_owned());
        Ok(Box::new(File::create(place)?))
    }
}

/// Compares what would be written with what is there, without writing.
pub struct Compared {
    target: PathBuf,
    written: Vec<String>,
    differing: BTreeSet<String>,
}

impl Compared {
    /// Begins to compare with a folder.
    pub fn begin(target: &Path) -> Self {
        Self { target: target.to_owned(), written: Vec::new(), differing: BTreeSet::new() }
    }

    /// The files that differ, are missing or are left over.
    pub fn finish(mut self) -> Vec<String> {
        let manifest = manifest(&self.written);
        if fs::read_to_string(self.target.join(MANIFEST)).ok().as_ref() != Some(&manifest) {
            self.differing.insert(MANIFEST.to_owned());
        }
        let expected: BTreeSet<&str> = manifest.lines().chain([MANIFEST]).collect();
        let found = contents(&self.target).unwrap_or_default();
        self.differing.extend(found.into_iter().filter(|path| !expected.contains(path.as_str())));
        self.differing.into_iter().collect()
    }
}

impl Files for Compared {
    fn file(&mut self, path: &str) -> io::Result<Box<dyn Write + '_>> {
        self.written.push(path.to_owned());
        let existing = File::open(self.target.join(path)).ok().map(BufReader::new);
        Ok(Box::new(Comparison { existing, path: path.to_owned(), differing: &mut self.differing }))
    }
}

/// Reads along in the existing file while a new one is written.
struct Comparison<'a> {
    existing: Option<BufReader<File>>,
    path: String,
    differing: &'a mut BTreeSet<String>,
}

impl Write for Comparison<'_> {
    fn write(&mut self, new: &[u8]) -> io::Result<usize> {
        let mut old = vec![0; new.len()];
        let same = self.existing.as_mut().is_some_and(|file| file.read_exact(&mut old).is_ok() && old == new);
        if !same {
            self.existing = None;
        }
        Ok(new.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Drop for Comparison<'_> {
    fn drop(&mut self) {
        let ends = self.existing.as_mut().is_some_and(|file| matches!(file.read(&mut [0]), Ok(0)));
        if !ends {
            self.differing.insert(std::mem::take(&mut self.path));
        }
    }
}

fn manifest(written: &[String]) -> String {
    let paths: BTreeSet<&String> = written.iter().collect();
    paths.into_iter().map(|path| format!("{path}\n")).collect::<Vec<_>>().concat()
}

/// A hidden name beside a folder.
fn beside(target: &Path, what: &str) -> PathBuf {
    let name = target.file_name().unwrap_or_default().to_string_lossy();
    target.with_file_name(format!(".{name}.{what}-{}", std::process::id()))
}

/// What a folder holds that its manifest does not list.
fn strangers(target: &Path) -> Result<Vec<String>, FolderError> {
    if !target.exists() {
        return Ok(Vec::new());
    }
    if !target.is_dir() {
        return Err(FolderError::NotAFolder { path: target.to_owned() });
    }
    let listed = fs::read_to_string(target.join(MANIFEST)).unwrap_or_default();
    let ours: BTreeSet<&str> = listed.lines().chain((!listed.is_empty()).then_some(MANIFEST)).collect();
    let found = contents(target).map_err(|source| FolderError::Io { path: target.to_owned(), source })?;
    Ok(found.into_iter().filter(|path| !ours.contains(path.as_str())).collect())
}

/// Every file below a folder, relative to it, sorted. An empty folder counts as a file of its own: it is not ours.
fn contents(folder: &Path) -> io::Result<Vec<String>> {
    fn walk(folder: &Path, prefix: &str, found: &mut Vec<String>) -> io::Result<usize> {
        let mut entries = 0;
        for entry in fs::read_dir(folder)? {
            let entry = entry?;
            entries += 1;
            let path = format!("{prefix}{}", entry.file_name().to_string_lossy());
            if entry.file_type()?.is_dir() {
                if walk(&entry.path(), &format!("{path}/"), found)? == 0 {
                    found.push(format!("{path}/"));
                }
            } else {
                found.push(path);
            }
        }
        Ok(entries)
    }
    let mut found = Vec::new();
    walk(folder, "", &mut found)?;
    found.sort_unstable();
    Ok(found)
}
