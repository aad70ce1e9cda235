//! A file in the making; in the end it takes the place of the old one, whole.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, ErrorKind, Stdout, Write};
use std::path::{Path, PathBuf};

use super::staging::Staging;
use super::{FilesError, attributes, refuse_standard, system};

/// A file in the making.
///
/// A link stays a link: what it points to is replaced. A pipe or a device cannot be replaced: it is written as it goes.
pub struct NewFile {
    path: PathBuf,
    out: BufWriter<FileTarget>,
    /// staging folder and destination, unless the file is written in place
    staged: Option<(Staging, PathBuf)>,
}

/// Destination of a written file.
enum FileTarget {
    Stdout(Stdout),
    File(File),
}

impl Write for FileTarget {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Stdout(out) => out.write(bytes),
            Self::File(out) => out.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Stdout(out) => out.flush(),
            Self::File(out) => out.flush(),
        }
    }
}

/// Names of files that this process has open: to replace one would part it from those who write to it too.
const OPEN: [&str; 4] = ["/dev/fd", "/dev/stdout", "/dev/stderr", "/proc"];

impl NewFile {
    /// Begins; the old file stays until [`NewFile::finish`].
    pub fn create(path: &Path) -> Result<Self, FilesError> {
        refuse_standard(path)?;
        let (out, staged) = match fs::metadata(path) {
            Ok(metadata) if metadata.is_dir() => return Err(FilesError::NotAFile { path: path.to_owned() }),
            Ok(metadata) if !metadata.is_file() || OPEN.iter().any(|open| path.starts_with(open)) => in_place(path),
            Err(error) if error.kind() != ErrorKind::NotFound => Err(error),
            _ => stage(path),
        }
        .map_err(|source| FilesError::Write { path: path.to_owned(), source })?;
        Ok(Self { path: path.to_owned(), out: BufWriter::new(out), staged })
    }

    /// Puts it in its place.
    pub fn finish(mut self) -> Result<(), FilesError> {
        let path = self.path;
        let failed = |source| FilesError::Write { path: path.clone(), source };
        self.out.flush().map_err(failed)?;
        // the buffer is empty now
        if let (FileTarget::File(file), _) = self.out.into_parts() {
            system::finish(file).map_err(failed)?;
        }
        if let Some((staging, place)) = self.staged {
            fs::rename(staging.staged(), &place).map_err(failed)?;
            system::sync_folder(&folder_of(&place)).map_err(|source| FilesError::Unsafe { path, source })?;
        }
        Ok(())
    }
}

impl Write for NewFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.out.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// Writes a whole file.
pub fn write(path: &Path, bytes: impl AsRef<[u8]>) -> Result<(), FilesError> {
    let mut file = NewFile::create(path)?;
    file.write_all(bytes.as_ref()).map_err(|source| FilesError::Write { path: path.to_owned(), source })?;
    file.finish()
}

type BegunFile = (FileTarget, Option<(Staging, PathBuf)>);

fn in_place(path: &Path) -> io::Result<BegunFile> {
    // opened a second time it would have a position of its own, and the results overwrite it
    if path == Path::new("/dev/stdout") {
        return Ok((FileTarget::Stdout(io::stdout()), None));
    }
    Ok((FileTarget::File(OpenOptions::new().append(true).open(path)?), None))
}

fn stage(path: &Path) -> io::Result<BegunFile> {
    let mut place = path.to_owned();
    while let Ok(target) = fs::read_link(&place) {
        place = folder_of(&place).join(target);
    }
    // a folder that is not there is refused by the system's own words, without the name of a staging folder
    fs::metadata(folder_of(&place))?;
    let staging = Staging::within(&folder_of(&place))?;
    let file = File::create(staging.staged())?;
    match OpenOptions::new().write(true).open(&place) {
        // the owner may have made the file read-only, which a rename would ignore
        Ok(old) => {
            let old = old.metadata()?;
            attributes::if_allowed(attributes::keep_owner(&staging.staged(), &old))?;
            file.set_permissions(old.permissions())?;
        }
        Err(error) if error.kind() == ErrorKind::NotFound => {}
        Err(error) => return Err(error),
    }
    Ok((FileTarget::File(file), Some((staging, place))))
}

fn folder_of(path: &Path) -> PathBuf {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent.to_owned(),
        _ => PathBuf::from("."),
    }
}
