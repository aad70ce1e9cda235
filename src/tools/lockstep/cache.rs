//! Cache of compiled code in the user's cache folder, trusted only as far as it can be checked:
//! Verilator's run-time library and headers, our own C++ that all designs share, and whole simulators.
//!
//! An object's name has the hash of all that it was made from, and the hash of itself. What is not the user's own, what others
//! may write, and what has another hash is not loaded. Nothing depends on the cache: without one it is compiled again.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use super::toolchain::{ALWAYS, Toolchain};
use crate::files;

/// An object takes half a megabyte, the headers take sixty.
const MOST_BYTES: u64 = 128 << 20;
/// Limit on the size of kept simulators, hundreds of small fabrics; the least recently used are evicted.
const SIMULATORS_BYTES: u64 = 256 << 20;
/// Age after which an unused entry is removed: it was made for another compiler or an older version of torusweave.
const LONGEST_UNUSED: Duration = Duration::from_secs(90 * 24 * 60 * 60);
/// Age after which a half-written file of a killed run is removed; no write takes an hour.
const LONGEST_WRITTEN: Duration = Duration::from_secs(60 * 60);
const HALF_WRITTEN: &str = ".torusweave-half-";
const SIMULATOR: &str = "simulator-";

/// The objects of one toolchain.
pub(super) struct Cache {
    folder: PathBuf,
    key: String,
    /// bytes of whole simulators that are kept
    room: u64,
}

/// Cache entry: time of last use, path, and size in bytes.
type CacheEntry = (SystemTime, PathBuf, u64);

impl Cache {
    /// Cache of a toolchain; `None` if no folder belongs to the user alone.
    pub(super) fn of(tools: &Toolchain) -> Option<Self> {
        let folder = home(|name| std::env::var_os(name).map(PathBuf::from))?.join("torusweave");
        Self::within(folder, key(tools).ok()?)
    }

    fn within(folder: PathBuf, key: String) -> Option<Self> {
        create_private(&folder).ok()?;
        let metadata = fs::symlink_metadata(&folder).ok()?;
        (metadata.is_dir() && is_ours(&metadata)).then_some(Self { folder, key, room: SIMULATORS_BYTES })
    }

    /// Finds the object of a unit. Broken ones are removed, and so are duplicates: two simultaneous runs may have
    /// stored one each, and compilers need not produce the same bytes twice.
    fn find(&self, unit: &str) -> Option<PathBuf> {
        let prefix = self.prefix(unit);
        let entries = fs::read_dir(&self.folder).ok()?.flatten();
        let mut kept = entries.filter_map(|entry| {
            let name = entry.file_name().into_string().ok()?;
            let hash = name.strip_prefix(&prefix)?.strip_suffix(".o")?;
            let is_whole = hash_of(&entry.path()).is_some_and(|found| found == hash);
            if !is_whole {
                let _ = fs::remove_file(entry.path());
            }
            is_whole.then(|| entry.path())
        });
        let first = kept.next();
        kept.for_each(|other| drop(fs::remove_file(other)));
        if let Some(Ok(used)) = first.as_ref().map(fs::File::open) {
            let _ = used.set_modified(SystemTime::now());
        }
        first
    }

    /// Puts the object of a unit where it is read, if it is kept: as a link, for the headers are large.
    pub(super) fn place(&self, unit: &str, path: &Path) -> bool {
        let Some(kept) = self.find(unit) else { return false };
        // overwriting in place would also overwrite another object that is hard-linked here
        let _ = fs::remove_file(path);
        fs::hard_link(&kept, path).is_ok() || fs::copy(&kept, path).is_ok()
    }

    /// Keeps the object of a unit, and forgets what has long not been used.
    pub(super) fn put(&self, unit: &str, object: &[u8]) -> io::Result<()> {
        let name = format!("{}{}.o", self.prefix(unit), files::sha256(object));
        let mut file = tempfile::Builder::new().prefix(HALF_WRITTEN).tempfile_in(&self.folder)?;
        file.write_all(object)?;
        file.persist(self.folder.join(name))?;
        self.remove_older("", LONGEST_UNUSED)?;
        // older versions wrote under the names of the crate
        [HALF_WRITTEN, ".tmp"].iter().try_for_each(|prefix| self.remove_older(prefix, LONGEST_WRITTEN))
    }

    /// Removes what is kept under names that begin so and has not been used for so long.
    fn remove_older(&self, prefix: &str, longest: Duration) -> io::Result<()> {
        let is_old = |used: &SystemTime| used.elapsed().is_ok_and(|unused| unused > longest);
        let mut old = self.by_use(prefix)?.into_iter().skip_while(|(used, ..)| !is_old(used));
        old.try_for_each(|(_, path, _)| fs::remove_file(path))
    }

    /// Removes all that was made with this toolchain.
    pub(super) fn forget(&self) {
        let made = format!("-{}-", self.key);
        let entries = fs::read_dir(&self.folder).into_iter().flatten().flatten();
        for entry in entries.filter(|entry| entry.file_name().to_string_lossy().contains(&made)) {
            let _ = fs::remove_file(entry.path());
        }
    }

    /// Lists the entries whose names begin with `prefix`, the last used first.
    fn by_use(&self, prefix: &str) -> io::Result<Vec<CacheEntry>> {
        let mut kept = Vec::new();
        for entry in fs::read_dir(&self.folder)? {
            let entry = entry?;
            if entry.file_name().to_string_lossy().starts_with(prefix) {
                let metadata = entry.metadata()?;
                kept.push((metadata.modified()?, entry.path(), metadata.len()));
            }
        }
        kept.sort_unstable_by(|a, b| b.cmp(a));
        Ok(kept)
    }

    /// Puts a copy of the simulator of some text there, if it is kept: the RTL and all else that it is made from, but for the
    /// toolchain. Who loads two simulators of one text loads two files.
    pub(super) fn copy_simulator(&self, text: &str, path: &Path) -> bool {
        self.find(&simulator(text)).is_some_and(|kept| fs::copy(kept, path).is_ok())
    }

    /// Keeps the simulator of some text, and forgets those that have longest not been used where there is no room.
    pub(super) fn keep_simulator(&self, text: &str, object: &[u8]) -> io::Result<()> {
        self.put(&simulator(text), object)?;
        let mut sum = 0;
        let is_beyond = |&(_, _, bytes): &CacheEntry| {
            sum += bytes;
            sum > self.room
        };
        let mut beyond = self.by_use(SIMULATOR)?.into_iter().filter(is_beyond);
        beyond.try_for_each(|(_, path, _)| fs::remove_file(path))
    }

    fn prefix(&self, unit: &str) -> String {
        format!("{unit}-{}-", self.key)
    }
}

fn simulator(text: &str) -> String {
    format!("{SIMULATOR}{}", &files::sha256(text.as_bytes())[..32])
}

/// The user's cache folder, as the XDG Base Directory Specification has it: what is empty or relative is ignored.
fn home(variable: impl Fn(&str) -> Option<PathBuf>) -> Option<PathBuf> {
    let absolute = |name: &str| variable(name).filter(|path| path.is_absolute());
    absolute("XDG_CACHE_HOME").or_else(|| Some(absolute("HOME")?.join(".cache")))
}

/// The hash of all that the objects are made from: the compiler, what it is always told, and Verilator's sources and headers.
fn key(tools: &Toolchain) -> io::Result<String> {
    let mut all = format!("{}\n{}\n{}\n", tools.version(), tools.compiler, ALWAYS.join(" "));
    for folder in ["include", "include/vltstd"] {
        let entries = fs::read_dir(tools.root.join(folder)).into_iter().flatten();
        let mut paths: Vec<PathBuf> = entries.map(|entry| Ok(entry?.path())).collect::<io::Result<_>>()?;
        paths.sort();
        for path in paths.iter().filter(|path| path.is_file()) {
            all += &format!("{} {}\n", files::sha256(&fs::read(path)?), path.display());
        }
    }
    Ok(files::sha256(all.as_bytes())[..32].to_owned())
}

/// The hash of an object that is the user's own.
fn hash_of(path: &Path) -> Option<String> {
    let metadata = fs::symlink_metadata(path).ok()?;
    if !metadata.is_file() || !is_ours(&metadata) || metadata.len() > MOST_BYTES {
        return None;
    }
    files::hash(path).ok()
}

#[cfg(unix)]
fn create_private(folder: &Path) -> io::Result<()> {
    use std::os::unix::fs::DirBuilderExt;
    fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)
}

#[cfg(not(unix))]
fn create_private(folder: &Path) -> io::Result<()> {
    fs::create_dir_all(folder)
}

/// Returns true if the folder belongs to the user and nobody else may write to it.
#[cfg(unix)]
fn is_ours(metadata: &fs::Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    metadata.uid() == rustix::process::geteuid().as_raw() && metadata.mode() & 0o022 == 0
}

/// The system keeps users apart in its own way.
#[cfg(not(unix))]
fn is_ours(_: &fs::Metadata) -> bool {
    true
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;
    use crate::tools::ScratchFolder;

    fn cache(scratch: &ScratchFolder) -> Option<Cache> {
        Cache::within(scratch.path().join("cache/torusweave"), "key".into())
    }

    fn placed(cache: &Cache, unit: &str) -> Option<Vec<u8>> {
        let scratch = ScratchFolder::new().unwrap();
        let path = scratch.path().join("object");
        cache.place(unit, &path).then(|| fs::read(path).unwrap())
    }

    fn mode(path: &Path, mode: u32) {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    }

    #[test]
    fn cache_finds_whole_entries_and_skips_broken_ones() {
        let scratch = ScratchFolder::new().unwrap();
        let kept = cache(&scratch).unwrap();
        assert_eq!(placed(&kept, "a"), None);
        kept.put("a", b"object").unwrap();
        assert_eq!((placed(&kept, "a"), placed(&kept, "b")), (Some(b"object".to_vec()), None));
        let other = Cache { key: "other".into(), ..cache(&scratch).unwrap() };
        assert_eq!(placed(&other, "a"), None, "another compiler");

        let path = fs::read_dir(&kept.folder).unwrap().next().unwrap().unwrap().path();
        mode(&path, 0o622);
        assert_eq!(placed(&kept, "a"), None, "others may write it");
        assert!(!path.exists(), "it is compiled anew");
        kept.put("a", b"object").unwrap();
        fs::write(&path, b"0bject").unwrap();
        assert_eq!(placed(&kept, "a"), None, "another hash");
        fs::write(scratch.path().join("elsewhere"), b"object").unwrap();
        symlink(scratch.path().join("elsewhere"), &path).unwrap();
        assert_eq!(placed(&kept, "a"), None, "a link");
    }

    #[test]
    fn later_entries_leave_earlier_ones_unchanged() {
        let scratch = ScratchFolder::new().unwrap();
        let kept = cache(&scratch).unwrap();
        let path = scratch.path().join("object");
        for unit in ["a", "b"] {
            kept.put(unit, unit.as_bytes()).unwrap();
        }
        for unit in ["a", "b", "a", "b"] {
            assert!(kept.place(unit, &path), "{unit} is gone");
            assert_eq!(fs::read(&path).unwrap(), unit.as_bytes());
        }
    }

    #[test]
    fn one_of_two_simultaneous_entries_stays() {
        let scratch = ScratchFolder::new().unwrap();
        let kept = cache(&scratch).unwrap();
        for (unit, object) in [("a", b"one"), ("a", b"two"), ("b", b"one")] {
            kept.put(unit, object).unwrap();
        }
        let found = placed(&kept, "a").unwrap();
        assert!(found == b"one" || found == b"two");
        assert_eq!(fs::read_dir(&kept.folder).unwrap().count(), 2);
        assert_eq!((placed(&kept, "a"), placed(&kept, "b")), (Some(found), Some(b"one".to_vec())));
    }

    /// Sets the time of last use to some days ago.
    fn age(path: &Path, days: u64) {
        let then = SystemTime::now() - Duration::from_secs(days * 24 * 60 * 60);
        fs::File::open(path).unwrap().set_modified(then).unwrap();
    }

    #[test]
    fn cache_evicts_the_least_recently_used() {
        let scratch = ScratchFolder::new().unwrap();
        let simulator = b"simulator";
        let kept = Cache { room: 3 * simulator.len() as u64, ..cache(&scratch).unwrap() };
        let other = Cache { key: "other".into(), ..cache(&scratch).unwrap() };
        for text in 0..3 {
            kept.keep_simulator(&text.to_string(), simulator).unwrap();
        }
        other.put("headers", b"headers").unwrap();
        for path in kept.by_use("").unwrap().into_iter().map(|(_, path, _)| path) {
            age(&path, 89);
        }
        let copied = |text: usize| kept.copy_simulator(&text.to_string(), &scratch.path().join("copy"));
        // used once more, the first is not the one that goes
        assert!(copied(0));
        kept.keep_simulator("one more", simulator).unwrap();
        assert!(copied(0));
        assert_eq!(kept.by_use(SIMULATOR).unwrap().len(), 3);
        assert_eq!(placed(&other, "headers"), Some(b"headers".to_vec()));

        age(&other.find("headers").unwrap(), 91);
        kept.put("a", b"object").unwrap();
        assert_eq!(placed(&other, "headers"), None, "of a compiler that is gone");
        assert!(copied(0));
    }

    #[test]
    fn half_written_objects_are_removed_after_an_hour() {
        let scratch = ScratchFolder::new().unwrap();
        let kept = cache(&scratch).unwrap();
        kept.put("a", b"object").unwrap();
        let paths = [".tmpAbCdEf", ".tmpGhIjKl", ".torusweave-half-AbCdEf"].map(|name| kept.folder.join(name));
        for path in &paths {
            fs::write(path, b"half").unwrap();
        }
        for path in [&paths[0], &paths[2]] {
            let then = SystemTime::now() - LONGEST_WRITTEN - Duration::from_secs(1);
            fs::File::open(path).unwrap().set_modified(then).unwrap();
        }
        kept.put("b", b"object").unwrap();
        assert_eq!(
            paths.each_ref().map(|path| path.exists()),
            [false, true, false],
            "another run may write the new one"
        );
        assert!(placed(&kept, "a").is_some());
    }

    #[test]
    fn another_toolchain_or_header_is_another_key() {
        let scratch = ScratchFolder::new().unwrap();
        let root = scratch.path().to_owned();
        fs::create_dir_all(root.join("include/vltstd")).unwrap();
        let with = |version: &str, compiler: &str| {
            key(&Toolchain { root: root.clone(), version: version.into(), compiler: compiler.into() }).unwrap()
        };
        let mut keys = vec![with("5.006", "12"), with("5.020", "12"), with("5.006", "14")];
        for (path, text) in [
            ("include/verilated.h", "a"),
            ("include/verilated.h", "b"),
            ("include/vltstd/svdpi.h", "a"),
            ("include/vltstd/svdpi.h", "b"),
            ("include/verilated.cpp", ""),
        ] {
            fs::write(root.join(path), text).unwrap();
            assert_eq!(with("5.006", "12"), with("5.006", "12"));
            keys.push(with("5.006", "12"));
        }
        let different: std::collections::BTreeSet<&String> = keys.iter().collect();
        assert_eq!(different.len(), keys.len(), "{keys:?}");
    }

    #[test]
    fn a_folder_that_others_may_write_is_no_cache() {
        let scratch = ScratchFolder::new().unwrap();
        let folder = cache(&scratch).unwrap().folder;
        assert_eq!(fs::metadata(&folder).unwrap().permissions().mode() & 0o777, 0o700);
        mode(&folder, 0o777);
        assert!(cache(&scratch).is_none());
        fs::remove_dir(&folder).unwrap();
        symlink(scratch.path(), &folder).unwrap();
        assert!(cache(&scratch).is_none(), "a link");
    }

    #[test]
    fn empty_and_relative_variables_are_ignored() {
        let home = |xdg: Option<&str>, user: Option<&str>| {
            home(|name| (if name == "HOME" { user } else { xdg }).map(PathBuf::from))
        };
        assert_eq!(home(Some("/x"), Some("/h")), Some("/x".into()));
        for xdg in [None, Some(""), Some("x"), Some("./x")] {
            assert_eq!(home(xdg, Some("/h")), Some("/h/.cache".into()));
            for user in [None, Some(""), Some("h")] {
                assert_eq!(home(xdg, user), None);
            }
        }
    }
}
