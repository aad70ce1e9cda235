//! Contents of an existing folder, judged by its manifest: ours, edited, or foreign. Links are never followed.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::path::Path;

use super::manifest::{self, MANIFEST, Manifest};
use super::obstacle::{FileObstacle, Standing};
use super::system::{self, FolderEntry};

/// Everything in a folder by its path; a foreign folder counts as one, ends in `/` and is not entered.
#[derive(Debug, Default)]
pub struct FoundFiles {
    things: BTreeMap<String, Standing>,
    /// folders that were entered; a link to a folder is none
    folders: BTreeSet<String>,
}

impl FoundFiles {
    /// Looks into a folder, if it is there, and into those below it that hold listed files or are to hold new ones. The
    /// manifest itself is not in the result.
    pub fn scan(folder: &Path, listed: &Manifest, new: &Manifest) -> io::Result<Self> {
        let entries = match system::entries(folder) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Self::default()),
            entries => entries?,
        };
        let folders = &listed.folders() | &new.folders();
        let mut scan = Scan { listed, paths: listed.paths(), folders, is_lenient: false, found: Self::default() };
        scan.enter(entries, "")?;
        Ok(scan.found)
    }

    /// Looks into a folder that holds listed files: what cannot be read is not ours.
    pub fn look(folder: &Path, listed: &Manifest) -> Self {
        let mut scan =
            Scan { listed, paths: listed.paths(), folders: listed.folders(), is_lenient: true, found: Self::default() };
        let _ = system::entries(folder).and_then(|entries| scan.enter(entries, ""));
        scan.found
    }

    /// Owner of the entry at a path.
    pub fn standing(&self, path: &str) -> Option<Standing> {
        self.things.get(path).copied()
    }

    /// Paths of the entries with one standing.
    pub fn all(&self, standing: Standing) -> impl Iterator<Item = &str> {
        self.things.iter().filter(move |(_, found)| **found == standing).map(|(path, _)| path.as_str())
    }

    /// Returns true if everything in the folder is ours.
    pub fn is_ours(&self) -> bool {
        self.things.values().all(|standing| *standing == Standing::Ours)
    }

    /// Lists the entries in the way of a manifest's files or of their folders.
    pub fn obstacles(&self, manifest: &Manifest) -> Vec<FileObstacle> {
        let files = manifest.paths().into_iter().flat_map(|path| [path.to_owned(), format!("{path}/")]);
        let folders = manifest.folders().into_iter().map(str::to_owned);
        let not_ours = |path: String| match self.standing(&path) {
            None | Some(Standing::Ours) => None,
            Some(standing) => Some(FileObstacle { path, standing }),
        };
        folders.chain(files).filter_map(not_ours).collect()
    }

    /// The folders that were entered.
    pub fn folders(&self) -> &BTreeSet<String> {
        &self.folders
    }

    /// Removes the folders that were entered and in which nothing is left. A manifest may name others, behind links.
    pub fn remove_empty_folders(&self, folder: &Path) {
        // the deepest first; the system refuses those that are not empty
        for path in self.folders.iter().rev() {
            let _ = fs::remove_dir(folder.join(path));
        }
    }
}

struct Scan<'a> {
    listed: &'a Manifest,
    paths: BTreeSet<&'a str>,
    folders: BTreeSet<&'a str>,
    /// True if an entry that cannot be read is passed over.
    is_lenient: bool,
    found: FoundFiles,
}

impl Scan<'_> {
    fn enter(&mut self, entries: Vec<FolderEntry>, prefix: &str) -> io::Result<()> {
        for entry in entries {
            let path = format!("{prefix}{}", entry.name.to_string_lossy());
            let kind = entry.kind;
            if kind.is_dir() && self.folders.contains(path.as_str()) {
                match system::entries(&entry.path) {
                    Err(_) if self.is_lenient => continue,
                    entries => self.enter(entries?, &format!("{path}/"))?,
                }
                self.found.folders.insert(path);
            } else if kind.is_dir() {
                self.found.things.insert(path + "/", Standing::Foreign);
            } else if kind.is_file() && self.paths.contains(path.as_str()) {
                let hash = match manifest::hash_of_contents(&entry.path) {
                    Err(_) if self.is_lenient => None,
                    hash => hash?,
                };
                let same = hash.is_some_and(|hash| self.listed.lists(&path, &hash));
                self.found.things.insert(path, if same { Standing::Ours } else { Standing::Edited });
            } else if path != MANIFEST {
                self.found.things.insert(path, Standing::Foreign);
            }
        }
        Ok(())
    }
}
