//! The built command, run in folders of its own.
#![allow(dead_code)] // each test file uses some of it

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};

/// The built command.
pub const TORUSWEAVE: &str = env!("CARGO_BIN_EXE_torusweave");

/// The folder of the project.
pub fn project() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The configs of `examples/`, sorted.
pub fn examples() -> Vec<PathBuf> {
    let entries = fs::read_dir(project().join("examples")).unwrap().map(|entry| entry.unwrap().path());
    let mut found: Vec<PathBuf> = entries.filter(|path| path.extension().is_some_and(|end| end == "yaml")).collect();
    found.sort();
    assert!(!found.is_empty(), "no examples");
    found
}

/// How a command ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ended {
    pub code: i32,
    pub stdout: String,
    pub stderr: String,
}

impl From<std::process::Output> for Ended {
    fn from(output: std::process::Output) -> Self {
        Self {
            code: output.status.code().expect("it exits, it is not killed"),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }
}

/// A folder to run in, removed with its contents.
pub struct Place(PathBuf);

impl Place {
    pub fn new() -> Self {
        static MADE: AtomicU32 = AtomicU32::new(0);
        let made = MADE.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("torusweave-place-{}-{made}", std::process::id()));
        fs::create_dir(&path).unwrap();
        Self(path)
    }

    pub fn path(&self) -> &Path {
        &self.0
    }

    pub fn write(&self, path: &str, bytes: impl AsRef<[u8]>) {
        let path = self.0.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }

    /// Writes a program for the shell to find, in place of a tool.
    #[cfg(unix)]
    pub fn write_tool(&self, path: &str, script: &str) {
        use std::os::unix::fs::PermissionsExt;
        self.write(path, format!("#!/bin/sh\n{script}\n"));
        fs::set_permissions(self.0.join(path), fs::Permissions::from_mode(0o755)).unwrap();
    }

    /// The command, to be run here, in the language and the width of the snapshots.
    pub fn command(&self) -> Command {
        let mut command = Command::new(TORUSWEAVE);
        command.current_dir(&self.0).env("COLUMNS", "100").env("LC_ALL", "C").env_remove("RUST_BACKTRACE");
        command
    }

    /// Runs the command here, its arguments separated by blanks.
    pub fn run(&self, arguments: &str) -> Ended {
        self.command().args(arguments.split_whitespace()).output().unwrap().into()
    }

    /// Every file below, and what is in it; folders with nothing.
    pub fn contents(&self) -> BTreeMap<String, Vec<u8>> {
        contents(&self.0)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Every file below a folder, and what is in it; folders with nothing.
pub fn contents(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    fn walk(folder: &Path, prefix: &str, found: &mut BTreeMap<String, Vec<u8>>) {
        for entry in fs::read_dir(folder).unwrap() {
            let entry = entry.unwrap();
            let path = format!("{prefix}{}", entry.file_name().to_str().unwrap());
            if entry.file_type().unwrap().is_dir() {
                found.insert(format!("{path}/"), Vec::new());
                walk(&entry.path(), &format!("{path}/"), found);
            } else if entry.file_type().unwrap().is_symlink() {
                found.insert(path, fs::read_link(entry.path()).unwrap().into_os_string().into_encoded_bytes());
            } else if entry.file_type().unwrap().is_file() {
                found.insert(path, fs::read(entry.path()).unwrap());
            } else {
                found.insert(path, b"neither file nor folder".to_vec());
            }
        }
    }
    let mut found = BTreeMap::new();
    walk(folder, "", &mut found);
    found
}
