//! A copy of the project with its mutants in it, and which of them compile.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::list::Mutant;
use crate::{marks, rewrite};

/// Result of the compiler.
enum Build {
    Tests(Vec<PathBuf>),
    /// file and line of every error
    Faults(BTreeSet<(String, usize)>),
}

/// The copy: what git knows of the project, as it stands in the folder.
pub struct Tree<'m> {
    pub folder: PathBuf,
    project: PathBuf,
    mutants: &'m [Mutant],
}

impl<'m> Tree<'m> {
    pub fn of(project: &Path, folder: &Path, mutants: &'m [Mutant]) -> Result<Self, String> {
        let listed = Command::new("git").current_dir(project).args(["ls-files", "-z"]).output().map_err(said("git"))?;
        let listed = String::from_utf8_lossy(&listed.stdout).into_owned();
        for path in listed.split('\0').filter(|path| !path.is_empty()) {
            let (from, to) = (project.join(path), folder.join(path));
            let Ok(bytes) = fs::read(&from) else { continue };
            // a file that is the same keeps its time, and what was built of it
            if fs::read(&to).is_ok_and(|old| old == bytes) {
                continue;
            }
            fs::create_dir_all(to.parent().expect("below the folder")).map_err(said(path))?;
            fs::copy(&from, &to).map_err(said(path))?;
        }
        Ok(Self { folder: folder.to_owned(), project: project.to_owned(), mutants })
    }

    /// Writes the mutants, without those that do not compile: the numbers that stand, and the test binaries.
    pub fn built(&self) -> Result<(BTreeSet<usize>, Vec<PathBuf>), String> {
        let mut standing: BTreeSet<usize> = (0..self.mutants.len()).collect();
        loop {
            let written = self.write(&standing)?;
            let faults = match self.build()? {
                Build::Tests(binaries) => return Ok((written, binaries)),
                Build::Faults(faults) => faults,
            };
            let before = standing.len();
            for (file, line) in &faults {
                let text = fs::read_to_string(self.folder.join(file)).map_err(said(file))?;
                for number in marks::blamed(&text, *line) {
                    standing.remove(&number);
                }
            }
            if standing.len() == before {
                return Err(format!("what does not compile is no mutant: {faults:?}"));
            }
            eprintln!(
                "{} mutants that do not compile are left out, {} lines with errors",
                before - standing.len(),
                faults.len()
            );
        }
    }

    /// Writes these mutants; those that found a place.
    fn write(&self, standing: &BTreeSet<usize>) -> Result<BTreeSet<usize>, String> {
        let mut files: BTreeMap<&str, rewrite::Numbered> = BTreeMap::new();
        for (number, mutant) in self.mutants.iter().enumerate() {
            let file = files.entry(&mutant.file).or_default();
            if standing.contains(&number) {
                file.push((number, mutant));
            }
        }
        let mut written = BTreeSet::new();
        for (file, mutants) in files {
            let text = fs::read_to_string(self.project.join(file)).map_err(said(file))?;
            let text = rewrite::rewritten(&text, &mutants).map_err(said(file))?;
            written.extend(marks::written(&text));
            put(&self.folder.join(file), &text)?;
        }
        let library = "src/lib.rs";
        let text = fs::read_to_string(self.project.join(library)).map_err(said(library))?;
        put(&self.folder.join(library), &(text + "\n#[doc(hidden)]\npub mod mutation;\n"))?;
        put(&self.folder.join("src/mutation.rs"), include_str!("switch.rs"))?;
        Ok(written)
    }

    /// The test binaries, or file and line of every error of the compiler.
    fn build(&self) -> Result<Build, String> {
        let output = Command::new("cargo")
            .current_dir(&self.folder)
            .args(["test", "--quiet", "--lib", "--test", "all", "--no-run", "--message-format=json"])
            .env("CARGO_TARGET_DIR", self.folder.with_file_name("target"))
            .output()
            .map_err(said("cargo test"))?;
        let mut binaries = Vec::new();
        let mut faults = BTreeSet::new();
        for line in String::from_utf8_lossy(&output.stdout).lines() {
            let Ok(said) = serde_json::from_str::<serde_json::Value>(line) else { continue };
            if said["profile"]["test"] == true {
                binaries.extend(said["executable"].as_str().map(PathBuf::from));
            }
            let message = &said["message"];
            if message["level"] != "error" {
                continue;
            }
            for span in message["spans"].as_array().into_iter().flatten().filter(|span| span["is_primary"] == true) {
                let file = span["file_name"].as_str().unwrap_or_default().to_owned();
                faults.insert((file, span["line_start"].as_u64().unwrap_or_default() as usize));
            }
        }
        if output.status.success() {
            Ok(Build::Tests(binaries))
        } else if faults.is_empty() {
            Err(format!("cargo test fails:\n{}", String::from_utf8_lossy(&output.stderr)))
        } else {
            Ok(Build::Faults(faults))
        }
    }
}

fn put(path: &Path, text: &str) -> Result<(), String> {
    if fs::read_to_string(path).is_ok_and(|old| old == text) {
        return Ok(());
    }
    fs::write(path, text).map_err(said(&path.to_string_lossy()))
}

/// An error with what it is about.
pub fn said<E: std::fmt::Display>(about: &str) -> impl FnOnce(E) -> String + use<E> {
    let about = about.to_owned();
    move |error| format!("{about}: {error}")
}
