//! A folder of generated files in the making; in the end it takes the place of the old one.
//!
//! Folders change places in one step if nothing in the old one is foreign: whoever looks, and whenever the run is
//! killed, there is the old folder or the new one. Foreign files stay where they are: beside them, and where no step can
//! exchange folders (mount points, a read-only parent, the current folder), files are replaced one by one, each whole.
//! Before the first the manifest lists old and new hashes together, so that the run after a killed one knows both.

use std::fs::{self, File};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

use super::found::FoundFiles;
use super::lock::Lock;
use super::manifest::{MANIFEST, Manifest, Recorder};
use super::obstacle::Standing;
use super::staging::{Staging, sweep};
use super::{FileObstacle, FilesError, attributes, interrupt, refuse_standard, system};

/// A folder in the making.
pub struct NewFolder {
    /// path as the user names it
    target: PathBuf,
    place: PathBuf,
    parent: PathBuf,
    staging: Staging,
    manifest: Manifest,
    written: Vec<String>,
    /// files for the user to edit
    yours: Vec<String>,
    /// why a file was not written to its end
    failed: Option<io::Error>,
}

/// A file in the making; its end is on the disk when this is dropped, or else the folder cannot be committed.
pub struct StagedFile<'f> {
    file: Option<File>,
    failed: &'f mut Option<io::Error>,
}

impl Write for StagedFile<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.as_mut().map_or(Ok(0), |file| file.write(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Drop for StagedFile<'_> {
    fn drop(&mut self) {
        if let Some(Err(error)) = self.file.take().map(system::finish) {
            self.failed.get_or_insert(error);
        }
    }
}

/// Summary of what was written.
#[derive(Debug)]
pub struct WrittenFiles {
    /// The files that were written, in the order in which they were made.
    pub files: Vec<String>,
    /// Files that were edited since and kept: those for the user to edit, and those that this run did not write.
    pub kept: Vec<String>,
}

impl NewFolder {
    /// Begins, unless the folder cannot be written or is another program's.
    pub fn begin(target: &Path) -> Result<Self, FilesError> {
        refuse_standard(target)?;
        let (parent, place) = resolve(target)?;
        Manifest::read(target)?;
        let failed = |source| FilesError::Write { path: target.to_owned(), source };
        sweep(&place);
        let staging = stage(&parent, &place).map_err(failed)?;
        fs::create_dir(staging.staged()).map_err(failed)?;
        let target = target.to_owned();
        Ok(Self {
            target,
            place,
            parent,
            staging,
            manifest: Manifest::default(),
            written: Vec::new(),
            yours: Vec::new(),
            failed: None,
        })
    }

    /// Begins a file; its path is relative to the folder.
    pub fn file(&mut self, path: &str) -> io::Result<Recorder<'_, StagedFile<'_>>> {
        let staged = self.staging.staged();
        let mut folder = staged.clone();
        // not the staged one itself: an interrupt may just have removed it
        for part in Path::new(path).parent().into_iter().flat_map(Path::components) {
            folder.push(part);
            match fs::create_dir(&folder) {
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
                made => made?,
            }
        }
        self.written.push(path.to_owned());
        let file = Some(File::create(staged.join(path))?);
        Ok(self.manifest.record(path, StagedFile { file, failed: &mut self.failed }))
    }

    /// Leaves files as they are if the user has edited them.
    pub fn leave(&mut self, paths: Vec<String>) {
        self.yours = paths;
    }

    /// Puts the new files in the place of the old ones, unless what torusweave did not write is in the way; `force`
    /// overwrites that too, but for folders. Files for the user to edit are not in the way, and without `force` left as they are.
    pub fn commit(mut self, force: bool) -> Result<WrittenFiles, FilesError> {
        if let Some(source) = self.failed.take() {
            return Err(FilesError::Write { path: self.target, source });
        }
        let _lock = Lock::take(&self.parent, &self.place)?;
        let old = Manifest::read(&self.place)?;
        let known = old.clone().unwrap_or_default();
        let found = FoundFiles::scan(&self.place, &known, &self.manifest)
            .map_err(|source| FilesError::Read { path: self.target.clone(), source })?;
        let (left, obstacles): (Vec<_>, Vec<_>) = found
            .obstacles(&self.manifest)
            .into_iter()
            .partition(|obstacle| !force && !obstacle.is_folder() && self.yours.contains(&obstacle.path));
        if obstacles.iter().any(|obstacle| obstacle.is_folder() || !force) {
            return Err(FilesError::InTheWay { folder: self.target, obstacles });
        }
        let left: Vec<String> = left.into_iter().map(|obstacle| obstacle.path).collect();
        self.put(old.as_ref(), &found, &obstacles, &left)?;
        let paths = self.manifest.paths();
        let kept = found.all(Standing::Edited).filter(|path| !paths.contains(path)).map(str::to_owned);
        let is_new = |path: &String| !left.contains(path);
        let files = self.written.into_iter().filter(is_new).collect();
        let kept = kept.chain(left.iter().cloned()).collect();
        let folder = self.staging.folder().to_owned();
        self.staging.close().map_err(|source| FilesError::Left { folder, source })?;
        Ok(WrittenFiles { files, kept })
    }

    /// Puts the new files in the place of the old ones; an interrupt waits until that is done.
    fn put(
        &self,
        old: Option<&Manifest>,
        found: &FoundFiles,
        obstacles: &[FileObstacle],
        left: &[String],
    ) -> Result<(), FilesError> {
        let _waiting = interrupt::wait();
        if found.is_ours() && self.in_one_step(old.is_some(), found)? {
            return Ok(());
        }
        self.one_by_one(&old.cloned().unwrap_or_default(), found, obstacles, left)
    }

    /// Puts the new folder in the place of the old one, if the system can.
    fn in_one_step(&self, has_old: bool, found: &FoundFiles) -> Result<bool, FilesError> {
        let failed = |source| FilesError::Write { path: self.target.clone(), source };
        let new = self.staging.staged();
        if new.starts_with(&self.place) {
            return Ok(false);
        }
        self.put_manifest(&self.manifest, &new).map_err(failed)?;
        self.sync(&new).map_err(failed)?;
        let without_manifest = || fs::remove_file(new.join(MANIFEST)).map_err(failed);
        match self.keep_all(&new, found) {
            Ok(()) => {}
            // a folder of somebody else stays theirs
            Err(error) if error.kind() == ErrorKind::PermissionDenied => return without_manifest().map(|()| false),
            Err(error) => return Err(failed(error)),
        }
        // a rename replaces an empty folder, and one that is not there
        let done = if has_old { system::exchange(&new, &self.place) } else { fs::rename(&new, &self.place) };
        match done {
            Ok(()) => match system::sync_folder(&self.parent) {
                Ok(()) => Ok(true),
                Err(source) => Err(FilesError::Unsafe { path: self.target.clone(), source }),
            },
            Err(error) if NOT_IN_ONE_STEP.contains(&error.kind()) => {
                // leftovers of the new folder must not be taken for an old one
                without_manifest().map(|()| false)
            }
            Err(error) => Err(failed(error)),
        }
    }

    /// Replaces the files one by one.
    fn one_by_one(
        &self,
        old: &Manifest,
        found: &FoundFiles,
        obstacles: &[FileObstacle],
        left: &[String],
    ) -> Result<(), FilesError> {
        self.put_manifest(&old.union(&self.manifest), &self.place)
            .and_then(|()| system::sync_folder(&self.place))
            .map_err(|source| FilesError::Write { path: self.target.clone(), source })?;
        self.put_files(found, obstacles, left)
            .and_then(|()| self.put_manifest(&self.manifest, &self.place))
            .and_then(|()| self.sync(&self.place))
            .map_err(|source| FilesError::Halfway { folder: self.target.clone(), source })
    }

    /// Puts a manifest into a folder, whole.
    fn put_manifest(&self, manifest: &Manifest, folder: &Path) -> io::Result<()> {
        let new = self.staging.staged().join(HALF_MANIFEST);
        let mut file = File::create(&new)?;
        file.write_all(manifest.to_string().as_bytes())?;
        system::finish(file)?;
        self.keep_file(&new, MANIFEST)?;
        fs::rename(new, folder.join(MANIFEST))
    }

    /// Makes the names of the new files safe on the disk: their contents are.
    fn sync(&self, folder: &Path) -> io::Result<()> {
        self.manifest.folders().into_iter().try_for_each(|path| system::sync_folder(&folder.join(path)))?;
        system::sync_folder(folder)
    }

    /// Gives the new files and folders the owners, groups and modes of the old ones.
    fn keep_all(&self, new: &Path, found: &FoundFiles) -> io::Result<()> {
        let Ok(old) = fs::metadata(&self.place) else { return Ok(()) };
        for path in self.manifest.paths() {
            self.keep_file(&new.join(path), path)?;
        }
        for path in self.manifest.folders() {
            self.keep_folder(&new.join(path), path, found)?;
        }
        attributes::keep(new, &old)
    }

    /// Gives a new file what the old one of that path has, or else the owner and the group of the folder.
    fn keep_file(&self, new: &Path, path: &str) -> io::Result<()> {
        let Ok(folder) = fs::metadata(&self.place) else { return Ok(()) };
        attributes::if_allowed(match fs::symlink_metadata(self.place.join(path)) {
            Ok(old) if old.is_file() => attributes::keep(new, &old),
            _ => attributes::keep_owner(new, &folder),
        })
    }

    /// Owner, group and mode of a folder, which has to stay a folder.
    fn keep_folder(&self, new: &Path, path: &str, found: &FoundFiles) -> io::Result<()> {
        let old = if found.folders().contains(path) {
            fs::symlink_metadata(self.place.join(path))
        } else {
            return self.keep_file(new, path);
        };
        attributes::keep(new, &old?)
    }

    fn put_files(&self, found: &FoundFiles, obstacles: &[FileObstacle], left: &[String]) -> io::Result<()> {
        let (paths, folders) = (self.manifest.paths(), self.manifest.folders());
        // a link or a file where a folder is to be; where a file is to be the rename replaces it
        for obstacle in obstacles.iter().filter(|obstacle| folders.contains(obstacle.path.as_str())) {
            fs::remove_file(self.place.join(&obstacle.path))?;
        }
        for folder in folders {
            let new = self.place.join(folder);
            if !new.is_dir() {
                fs::create_dir(&new)?;
                self.keep_file(&new, folder)?;
            }
        }
        for path in paths.iter().filter(|path| !left.iter().any(|left| left == *path)) {
            self.keep_file(&self.staging.staged().join(path), path)?;
            fs::rename(self.staging.staged().join(path), self.place.join(path))?;
        }
        for path in found.all(Standing::Ours).filter(|path| !paths.contains(path)) {
            fs::remove_file(self.place.join(path))?;
        }
        found.remove_empty_folders(&self.place);
        Ok(())
    }
}

/// A manifest that is still being written.
const HALF_MANIFEST: &str = ".MANIFEST";

/// Answers of systems that cannot put a folder in the place of another: the files can still be replaced one by one.
const NOT_IN_ONE_STEP: [ErrorKind; 6] = [
    ErrorKind::Unsupported,
    ErrorKind::InvalidInput,
    ErrorKind::CrossesDevices,
    ErrorKind::ResourceBusy,
    ErrorKind::PermissionDenied,
    ErrorKind::DirectoryNotEmpty,
];

/// The folder that a target lies in, and its place: a link to a folder stays a link.
fn resolve(target: &Path) -> Result<(PathBuf, PathBuf), FilesError> {
    let failed = |source| FilesError::Write { path: target.to_owned(), source };
    let not_a_folder = || FilesError::NotAFolder { path: target.to_owned() };
    match fs::metadata(target) {
        Ok(metadata) if metadata.is_dir() => {
            let place = fs::canonicalize(target).map_err(failed)?;
            Ok((place.parent().unwrap_or(&place).to_owned(), place))
        }
        Ok(_) => Err(not_a_folder()),
        // a link to nothing
        Err(_) if target.is_symlink() => Err(not_a_folder()),
        Err(error) if error.kind() == ErrorKind::NotFound => {
            let name = target.file_name().ok_or_else(not_a_folder)?;
            let parent = Path::new(".").join(target.parent().unwrap_or(target));
            fs::create_dir_all(&parent).map_err(failed)?;
            let parent = fs::canonicalize(parent).map_err(failed)?;
            Ok((parent.clone(), parent.join(name)))
        }
        Err(error) => Err(failed(error)),
    }
}

/// Stages beside the place if the two can be exchanged, else in it.
fn stage(parent: &Path, place: &Path) -> io::Result<Staging> {
    if !place.exists() {
        return Staging::within(parent);
    }
    // exchanged under the feet of the caller, the current folder would be the old one
    let is_current = std::env::current_dir().is_ok_and(|here| here.starts_with(place));
    if !is_current
        && system::same_mount(parent, place)?
        && let Ok(staging) = Staging::within(parent)
    {
        return Ok(staging);
    }
    Staging::within(place)
}
