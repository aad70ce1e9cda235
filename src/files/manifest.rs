//! The list of the files that torusweave wrote into a folder, each with its SHA-256: what is on it and unchanged may be
//! replaced, and nothing else.

use std::collections::BTreeSet;
use std::fmt;
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::Path;

use super::sha256::{Hasher, digest};
use super::{FilesError, read_text};

/// The name of the list in its folder.
pub const MANIFEST: &str = "MANIFEST";
/// The first line. `sha256sum` takes it for a comment and reads the others.
const MARK: &str = "# torusweave-manifest/1: what torusweave wrote; sha256sum --check MANIFEST verifies it";
/// A line has about a hundred bytes: half a million files are more than any design has.
const MOST_BYTES: u64 = 64 << 20;
const HEX_DIGITS: usize = 64;

/// Files with their hashes. While a folder changes a file may have two: the old one and the new one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Manifest(BTreeSet<(String, String)>);

impl Manifest {
    /// Reads the manifest of a folder, if it has one; a foreign one is an error.
    pub fn read(folder: &Path) -> Result<Option<Self>, FilesError> {
        let path = folder.join(MANIFEST);
        match fs::symlink_metadata(&path) {
            Ok(metadata) if metadata.is_file() => {}
            Ok(_) => return Err(FilesError::ForeignManifest { path }),
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(source) => return Err(FilesError::Read { path, source }),
        }
        Self::parse(&read_text(&path, MOST_BYTES)?).map(Some).ok_or(FilesError::ForeignManifest { path })
    }

    fn parse(text: &str) -> Option<Self> {
        let files = text.strip_prefix(MARK)?.strip_prefix('\n')?;
        files.lines().map(entry).collect::<Option<_>>().map(Self)
    }

    /// Returns true if a file with this hash is listed.
    pub fn lists(&self, path: &str, hash: &str) -> bool {
        self.0.contains(&(path.to_owned(), hash.to_owned()))
    }

    /// Paths of the files.
    pub fn paths(&self) -> BTreeSet<&str> {
        self.0.iter().map(|(path, _)| path.as_str()).collect()
    }

    /// The folders that the files lie in: `a` and `a/b` of `a/b/c`.
    pub fn folders(&self) -> BTreeSet<&str> {
        self.0.iter().flat_map(|(path, _)| path.match_indices('/').map(|(end, _)| &path[..end])).collect()
    }

    /// Union of both lists.
    #[must_use]
    pub fn union(&self, other: &Self) -> Self {
        Self(&self.0 | &other.0)
    }

    /// Lists a file, with the hash of what is written to it.
    pub fn record<W: Write>(&mut self, path: &str, out: W) -> Recorder<'_, W> {
        Recorder { out, hash: Hasher::default(), path: path.to_owned(), manifest: self }
    }
}

impl fmt::Display for Manifest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{MARK}")?;
        self.0.iter().try_for_each(|(path, hash)| writeln!(f, "{hash}  {path}"))
    }
}

/// A line as `sha256sum` writes it: hash, two blanks, path.
fn entry(line: &str) -> Option<(String, String)> {
    let (hash, path) = line.split_once("  ")?;
    let is_hash = hash.len() == HEX_DIGITS && hash.bytes().all(|digit| matches!(digit, b'0'..=b'9' | b'a'..=b'f'));
    (is_hash && is_plain(path)).then(|| (path.to_owned(), hash.to_owned()))
}

/// Returns true if a path stays within its folder, and is written in the one way in which a manifest writes it.
fn is_plain(path: &str) -> bool {
    path.split('/').all(|part| !matches!(part, "" | "." | "..") && !part.contains(['\\', '\0']))
}

/// Writes a file of a manifest; it is listed when this is dropped.
pub struct Recorder<'a, W> {
    out: W,
    hash: Hasher,
    path: String,
    manifest: &'a mut Manifest,
}

impl<W: Write> Write for Recorder<'_, W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.out.write(bytes)?;
        self.hash.update(&bytes[..written]);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

impl<W> Drop for Recorder<'_, W> {
    fn drop(&mut self) {
        let hash = hex(std::mem::take(&mut self.hash).finish());
        self.manifest.0.insert((std::mem::take(&mut self.path), hash));
    }
}

/// Hash of a file.
pub fn hash(path: &Path) -> io::Result<String> {
    Ok(hash_while(path, |_| true)?.unwrap_or_default())
}

/// Hash of a file with contents; none if a whole block of it is zeros. Reading stops there: a file of terabytes that takes no
/// room on the disk consists of zeros.
#[cfg(feature = "cli")]
pub fn hash_of_contents(path: &Path) -> io::Result<Option<String>> {
    hash_while(path, |bytes| bytes.len() < BLOCK || bytes.iter().any(|&byte| byte != 0))
}

/// Bytes read at once.
const BLOCK: usize = 1 << 16;

/// Hash of a file of which every part is accepted.
fn hash_while(path: &Path, is_accepted: impl Fn(&[u8]) -> bool) -> io::Result<Option<String>> {
    let (mut file, mut hash) = (File::open(path)?, Hasher::default());
    let mut buffer = vec![0; BLOCK];
    loop {
        match file.read(&mut buffer) {
            Ok(0) => return Ok(Some(hex(hash.finish()))),
            Ok(read) if is_accepted(&buffer[..read]) => hash.update(&buffer[..read]),
            Ok(_) => return Ok(None),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

/// The SHA-256 of some bytes, in hexadecimal.
pub fn sha256(bytes: &[u8]) -> String {
    hex(digest(bytes))
}

fn hex(hash: impl IntoIterator<Item = u8>) -> String {
    hash.into_iter().map(|byte| format!("{byte:02x}")).collect::<Vec<_>>().concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_manifest_is_read_as_it_was_written() {
        let mut manifest = Manifest::default();
        manifest.record("tb/a b.v", io::sink()).write_all(b"abc").unwrap();
        let text = manifest.to_string();
        // the first example of FIPS 180-2
        let hash = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(text, format!("{MARK}\n{hash}  tb/a b.v\n"));
        assert_eq!(Manifest::parse(&text), Some(manifest));
    }

    #[test]
    fn a_block_of_zeros_ends_the_reading() {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), b"a\0b").unwrap();
        assert_eq!(hash_of_contents(file.path()).unwrap(), Some(sha256(b"a\0b")));
        std::fs::write(file.path(), vec![0; 2 * BLOCK]).unwrap();
        assert_eq!(hash_of_contents(file.path()).unwrap(), None);
    }

    #[test]
    fn foreign_manifests_are_not_read() {
        let hash = "0".repeat(HEX_DIGITS);
        for text in [
            "",
            "program.txt\ntorus.v\n",
            "# torusweave-manifest/2\n",
            MARK,
            &format!("{MARK}\nprogram.txt\n"),
            &format!("{MARK}\n{hash} one-blank\n"),
            &format!("{MARK}\n{hash}  \n"),
            &format!("{MARK}\n{hash}  /absolute\n"),
            &format!("{MARK}\n{hash}  ../beside\n"),
            &format!("{MARK}\n{hash}  tb/../../beside\n"),
            &format!("{MARK}\n{hash}  tb/..\n"),
            &format!("{MARK}\n{hash}  ./here\n"),
            &format!("{MARK}\n{hash}  tb//twice\n"),
            &format!("{MARK}\n{hash}  tb/\n"),
            &format!("{MARK}\n{hash}  C:\\windows\n"),
            &format!("{MARK}\n{}  short\n", &hash[1..]),
            &format!("{hash}  unmarked\n"),
        ] {
            assert_eq!(Manifest::parse(text), None, "{text}");
        }
    }
}
