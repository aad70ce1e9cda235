//! Owner, group and mode of what is replaced: the new one gets them, also when root runs this in a folder of somebody else.

use std::fs::Metadata;
use std::io::{self, ErrorKind};
use std::path::Path;

/// Gives a new file or folder the owner, the group and the mode of the old one. Fails where the user may not give it away.
#[cfg(unix)]
pub fn keep(new: &Path, old: &Metadata) -> io::Result<()> {
    use std::os::unix::fs::MetadataExt;
    keep_owner(new, old)?;
    // a change of the owner takes bits of the mode away
    if std::fs::symlink_metadata(new)?.mode() == old.mode() {
        return Ok(());
    }
    std::fs::set_permissions(new, old.permissions())
}

/// Gives a new file or folder the owner and the group of another.
#[cfg(unix)]
pub fn keep_owner(new: &Path, other: &Metadata) -> io::Result<()> {
    use std::os::unix::fs::{MetadataExt, lchown};
    let of = |metadata: &Metadata| (metadata.uid(), metadata.gid());
    if of(&std::fs::symlink_metadata(new)?) == of(other) {
        return Ok(());
    }
    lchown(new, Some(other.uid()), Some(other.gid()))
}

/// Gives a new file or folder the mode of the old one.
#[cfg(not(unix))]
pub fn keep(new: &Path, old: &Metadata) -> io::Result<()> {
    std::fs::set_permissions(new, old.permissions())
}

/// Leaves the owner to the system.
#[cfg(not(unix))]
pub fn keep_owner(_: &Path, _: &Metadata) -> io::Result<()> {
    Ok(())
}

/// Turns a refusal into success: what is not root's to give away belongs to who made it.
pub fn if_allowed(kept: io::Result<()>) -> io::Result<()> {
    match kept {
        Err(error) if error.kind() == ErrorKind::PermissionDenied => Ok(()),
        kept => kept,
    }
}
