//! System calls that the standard library lacks.

use std::ffi::OsString;
use std::fs::{self, File, FileType, Metadata, TryLockError};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

/// Two folders change places in one step; not every file system can do it.
#[cfg(any(target_os = "linux", target_vendor = "apple"))]
pub fn exchange(one: &Path, other: &Path) -> io::Result<()> {
    use rustix::fs::{CWD, RenameFlags, renameat_with};
    Ok(renameat_with(CWD, one, CWD, other, RenameFlags::EXCHANGE)?)
}

/// Two folders change places in one step; not every system can do it.
#[cfg(not(any(target_os = "linux", target_vendor = "apple")))]
pub fn exchange(_: &Path, _: &Path) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

/// Returns true if two folders are on one mount, so that a rename between them works.
#[cfg(target_os = "linux")]
pub fn same_mount(one: &Path, other: &Path) -> io::Result<bool> {
    use rustix::fs::{AtFlags, CWD, StatxFlags, statx};
    // bind mounts share the device: the mount has a number of its own
    let mount = |path: &Path| statx(CWD, path, AtFlags::empty(), StatxFlags::MNT_ID);
    let (one, other) = (mount(one)?, mount(other)?);
    let device = |stat: rustix::fs::Statx| (stat.stx_dev_major, stat.stx_dev_minor, stat.stx_mnt_id);
    Ok(device(one) == device(other))
}

/// Returns true if two folders are on one mount; assumed on systems that cannot tell.
#[cfg(not(target_os = "linux"))]
pub fn same_mount(_: &Path, _: &Path) -> io::Result<bool> {
    Ok(true)
}

/// Returns true if a file or a folder belongs to the user who runs this.
#[cfg(unix)]
pub fn is_own(metadata: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    metadata.uid() == rustix::process::geteuid().as_raw()
}

/// Returns true if a file or a folder belongs to the user who runs this: taken for granted where the system has other
/// rules.
#[cfg(not(unix))]
pub fn is_own(_: &Metadata) -> bool {
    true
}

/// Something in a folder.
pub struct FolderEntry {
    /// Name in the folder.
    pub name: OsString,
    /// Folder and name.
    pub path: PathBuf,
    /// File, folder or link.
    pub kind: FileType,
}

/// Lists a folder. The standard library panics where the system fails to close one.
pub fn entries(folder: &Path) -> io::Result<Vec<FolderEntry>> {
    let mut entries = Vec::new();
    for name in names(folder)? {
        let path = folder.join(&name);
        match fs::symlink_metadata(&path) {
            Ok(metadata) => entries.push(FolderEntry { name, path, kind: metadata.file_type() }),
            // somebody else has removed it
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
    }
    Ok(entries)
}

#[cfg(unix)]
fn names(folder: &Path) -> io::Result<Vec<OsString>> {
    use std::os::unix::ffi::OsStringExt;
    use std::os::unix::fs::OpenOptionsExt;
    let flags = rustix::fs::OFlags::DIRECTORY.bits() as i32;
    let opened = File::options().read(true).custom_flags(flags).open(folder)?;
    let mut names = Vec::new();
    for entry in rustix::fs::Dir::new(opened)? {
        let name = entry?.file_name().to_bytes().to_vec();
        if name != b"." && name != b".." {
            names.push(OsString::from_vec(name));
        }
    }
    Ok(names)
}

#[cfg(not(unix))]
fn names(folder: &Path) -> io::Result<Vec<OsString>> {
    fs::read_dir(folder)?.map(|entry| Ok(entry?.file_name())).collect()
}

/// Removes a folder with all that is in it. Links are not followed.
pub fn remove_tree(folder: &Path) -> io::Result<()> {
    for entry in entries(folder)? {
        if entry.kind.is_dir() { remove_tree(&entry.path)? } else { fs::remove_file(&entry.path)? }
    }
    fs::remove_dir(folder)
}

/// Takes a lock if nobody else holds it; a signal at that moment is no answer.
pub fn try_lock(file: &File) -> Result<(), TryLockError> {
    loop {
        match file.try_lock() {
            Err(TryLockError::Error(error)) if error.kind() == ErrorKind::Interrupted => {}
            answer => return answer,
        }
    }
}

/// Closes a new file that is safe on the disk: whatever could not be written is an error of this.
pub fn finish(file: File) -> io::Result<()> {
    if_supported(file.sync_all())?;
    close(file)
}

/// Closes stdout: whatever could not be written is an error of this. Nothing may be printed after it.
#[cfg(unix)]
pub fn close_stdout() -> io::Result<()> {
    close(nix::libc::STDOUT_FILENO)
}

/// Leaves stdout to the end of the process.
#[cfg(not(unix))]
pub fn close_stdout() -> io::Result<()> {
    Ok(())
}

#[cfg(unix)]
fn close(file: impl std::os::fd::IntoRawFd) -> io::Result<()> {
    match nix::unistd::close(file) {
        // Linux has closed it all the same
        Ok(()) | Err(nix::errno::Errno::EINTR) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

#[cfg(not(unix))]
fn close(_: File) -> io::Result<()> {
    Ok(())
}

/// Makes names in a folder safe on the disk, where the system can.
#[cfg(unix)]
pub fn sync_folder(folder: &Path) -> io::Result<()> {
    match File::open(folder) {
        Ok(opened) => if_supported(opened.sync_all()),
        // a folder that may be written and not read
        Err(error) if error.kind() == ErrorKind::PermissionDenied => Ok(()),
        Err(error) => Err(error),
    }
}

/// Leaves names in a folder to the system.
#[cfg(not(unix))]
pub fn sync_folder(_: &Path) -> io::Result<()> {
    Ok(())
}

fn if_supported(synced: io::Result<()>) -> io::Result<()> {
    match synced {
        Err(error) if matches!(error.kind(), ErrorKind::InvalidInput | ErrorKind::Unsupported) => Ok(()),
        synced => synced,
    }
}
