//! What the standard library has no word for.

use std::fs::Metadata;
use std::io;
use std::path::Path;

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

/// Whether two folders are of one mount, so that a rename may go from one to the other.
#[cfg(target_os = "linux")]
pub fn same_mount(one: &Path, other: &Path) -> io::Result<bool> {
    use rustix::fs::{AtFlags, CWD, StatxFlags, statx};
    // bind mounts share the device: the mount has a number of its own
    let mount = |path: &Path| statx(CWD, path, AtFlags::empty(), StatxFlags::MNT_ID);
    let (one, other) = (mount(one)?, mount(other)?);
    let device = |stat: rustix::fs::Statx| (stat.stx_dev_major, stat.stx_dev_minor, stat.stx_mnt_id);
    Ok(device(one) == device(other))
}

/// Whether two folders are of one mount: taken for granted where nobody can tell.
#[cfg(not(target_os = "linux"))]
pub fn same_mount(_: &Path, _: &Path) -> io::Result<bool> {
    Ok(true)
}

/// Whether a file or a folder belongs to the user who runs this.
#[cfg(unix)]
pub fn is_own(metadata: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    metadata.uid() == rustix::process::geteuid().as_raw()
}

/// Whether a file or a folder belongs to the user who runs this: taken for granted where the system has other rules.
#[cfg(not(unix))]
pub fn is_own(_: &Metadata) -> bool {
    true
}
