//! The folder a design is generated into, written or compared.

use std::collections::BTreeSet;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::emit::Files;
use crate::files::{FoundFiles, MANIFEST, Manifest, NewFolder, Standing};

impl Files for NewFolder {
    fn file(&mut self, path: &str) -> io::Result<Box<dyn Write + '_>> {
        Ok(Box::new(NewFolder::file(self, path)?))
    }
}

/// Writes files into a folder for tools alone.
pub struct ToolFolder<'f>(pub &'f Path);

impl Files for ToolFolder<'_> {
    fn file(&mut self, path: &str) -> io::Result<Box<dyn Write + '_>> {
        let path = self.0.join(path);
        path.parent().map_or(Ok(()), fs::create_dir_all)?;
        Ok(Box::new(fs::File::create(path)?))
    }
}

/// Compares what would be written with what is there, without writing.
pub struct FolderComparison {
    target: PathBuf,
    manifest: Manifest,
    /// files for the user to edit
    yours: Vec<String>,
}

impl FolderComparison {
    /// Begins to compare with a folder.
    pub fn begin(target: &Path) -> Self {
        Self { target: target.to_owned(), manifest: Manifest::default(), yours: Vec::new() }
    }

    /// Takes files as they are if the user has edited them.
    pub fn leave(&mut self, paths: Vec<String>) {
        self.yours = paths;
    }

    /// The files that differ, are missing or are left over, and those that the user has edited and may; foreign files are nobody's
    /// business.
    pub fn finish(self) -> (Vec<String>, Vec<String>) {
        let new = &self.manifest;
        // an unreadable file counts as different
        let old = Manifest::read(&self.target).ok().flatten();
        let found = FoundFiles::look(&self.target, new);
        let changed = new.paths().into_iter().filter(|path| found.standing(path) != Some(Standing::Ours));
        let mut differing: BTreeSet<&str> = changed.collect();
        if old.as_ref() != Some(new) {
            differing.insert(MANIFEST);
        }
        let listed = old.iter().flat_map(Manifest::paths).filter(|path| !new.paths().contains(path));
        differing.extend(listed.filter(|path| fs::symlink_metadata(self.target.join(path)).is_ok()));
        let is_yours = |path: &&str| {
            self.yours.iter().any(|yours| yours == path) && found.standing(path) == Some(Standing::Edited)
        };
        let (edited, differing): (Vec<&str>, Vec<&str>) = differing.into_iter().partition(is_yours);
        let owned = |paths: Vec<&str>| paths.into_iter().map(str::to_owned).collect();
        (owned(differing), owned(edited))
    }
}

impl Files for FolderComparison {
    fn file(&mut self, path: &str) -> io::Result<Box<dyn Write + '_>> {
        Ok(Box::new(self.manifest.record(path, io::sink())))
    }
}
