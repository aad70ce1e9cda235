//! The house stands: every module imports from its own floor or lower, and what checks shares nothing with what builds.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// The floors, from the ground up. A new module is listed here, on the lowest floor that holds all it imports.
const FLOORS: [&[&str]; 6] = [
    &["torus", "files"],
    &["cover", "program", "tree"],
    &["construct", "supply", "model", "check", "bounds", "payload", "table", "region"],
    &["verilog", "draw", "text", "diff", "lockstep", "icarus", "tools", "vcd"],
    &["config", "scheme", "design", "explain", "compare", "report"],
    &["cli"],
];

/// What must not import what, although the floors would allow it, and why.
const FORBIDDEN: [(&str, &[&str], &str); 4] = [
    ("check", &["construct", "supply", "model", "verilog"], "a checker that shares code with what it checks is none"),
    ("construct", &["model"], "a construction that tries itself out proves nothing"),
    ("supply", &["model"], "a construction that tries itself out proves nothing"),
    ("verilog", &["construct", "supply"], "the emitter sees only the program"),
];

/// The files of `verilog` that may import `model` and `payload`: the expected values of the testbench are the model's.
const BENCHES: [&str; 1] = ["src/verilog/bench.rs"];

/// Files of more than 400 lines, and why each is better whole.
const LONG: [(&str, &str); 0] = [];
const MOST_LINES: usize = 400;

struct File {
    /// from the root of the project
    path: String,
    /// the module at the top that it belongs to
    module: String,
    text: String,
}

fn files() -> Vec<File> {
    fn walk(folder: &Path, found: &mut Vec<PathBuf>) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                walk(&path, found);
            } else if path.extension().is_some_and(|end| end == "rs") {
                found.push(path);
            }
        }
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut found = Vec::new();
    walk(&root.join("src"), &mut found);
    found.sort();
    let file = |path: PathBuf| {
        let inside = path.strip_prefix(root.join("src")).unwrap();
        let first = Path::new(inside.components().next().unwrap().as_os_str()).file_stem().unwrap();
        File {
            path: path.strip_prefix(root).unwrap().to_str().unwrap().to_owned(),
            module: first.to_str().unwrap().to_owned(),
            text: fs::read_to_string(&path).unwrap(),
        }
    };
    let files: Vec<File> = found.into_iter().map(file).collect();
    assert!(files.len() > 50, "only {} files under src: looked in the wrong place?", files.len());
    files
}

impl File {
    fn is_root(&self) -> bool {
        matches!(self.path.as_str(), "src/lib.rs" | "src/main.rs")
    }

    fn is_test(&self) -> bool {
        self.path.ends_with("/tests.rs") || self.path.contains("/tests/")
    }

    /// The text without comments; without the tests too, unless they are asked for.
    fn code(&self, with_tests: bool) -> String {
        if self.is_test() && !with_tests {
            return String::new();
        }
        let text = match self.text.split_once("#[cfg(test)]\nmod tests {") {
            Some((before, _)) if !with_tests => before,
            _ => &self.text,
        };
        let lines = text.lines().filter(|line| !line.trim_start().starts_with("//"));
        lines.flat_map(|line| [line, "\n"]).collect()
    }

    /// Every module at the top that it names, in a `use` or in the middle of a line.
    fn imports(&self, with_tests: bool) -> Vec<String> {
        let code = self.code(with_tests);
        let mut found = Vec::new();
        for (at, _) in code.match_indices("crate::") {
            let rest = &code[at + "crate::".len()..];
            match rest.strip_prefix('{') {
                // use crate::{a, b::{c, d}}: the names before which no other bracket is open
                Some(list) => {
                    let (mut depth, mut name) = (0, String::new());
                    for c in list.chars() {
                        match c {
                            '{' => depth += 1,
                            '}' if depth == 0 => break,
                            '}' => depth -= 1,
                            ',' if depth == 0 => found.push(std::mem::take(&mut name)),
                            c if depth == 0 => name.push(c),
                            _ => {}
                        }
                    }
                    found.push(name);
                }
                None => found.push(rest.to_owned()),
            }
        }
        let is_letter = |c: char| c.is_alphanumeric() || c == '_';
        let first = |path: String| path.trim_start().chars().take_while(|&c| is_letter(c)).collect::<String>();
        let mut names: Vec<String> = found.into_iter().map(first).filter(|name| !name.is_empty()).collect();
        names.sort();
        names.dedup();
        names
    }
}

fn floor(module: &str) -> usize {
    FLOORS.iter().position(|floor| floor.contains(&module)).unwrap_or_else(|| {
        panic!(
            "module `{module}` stands on no floor\n\
             help: list it in FLOORS of tests/floors.rs, on the lowest floor that holds all it imports"
        )
    })
}

#[test]
fn every_file_imports_from_its_own_floor_or_lower() {
    let mut edges: BTreeMap<(String, String), String> = BTreeMap::new();
    for file in files().into_iter().filter(|file| !file.is_root()) {
        for import in file.imports(false) {
            edges.insert((file.module.clone(), import), file.path.clone());
        }
    }
    assert!(edges.len() > 30, "only {} imports found: has the way they are written changed?", edges.len());
    for ((from, to), path) in edges {
        let (above, below) = (floor(&from), floor(&to));
        assert!(below <= above, "{path} on floor {above} imports `{to}` on floor {below}");
    }
}

#[test]
fn what_checks_shares_nothing_with_what_builds() {
    for file in files() {
        for (module, foreign, why) in FORBIDDEN.iter().filter(|(module, ..)| *module == file.module) {
            for import in file.imports(false) {
                assert!(!foreign.contains(&import.as_str()), "{} of `{module}` imports `{import}`: {why}", file.path);
            }
        }
    }
}

#[test]
fn of_the_emitter_only_the_testbench_knows_the_model() {
    let emitter = files().into_iter().filter(|file| file.module == "verilog");
    for file in emitter.filter(|file| !BENCHES.contains(&file.path.as_str())) {
        for import in file.imports(false) {
            assert!(
                import != "model" && import != "payload",
                "{} imports `{import}`: expected values belong into a testbench (BENCHES of tests/floors.rs)",
                file.path
            );
        }
    }
}

#[test]
fn every_module_of_the_library_stands_on_a_floor() {
    let lib = files().into_iter().find(|file| file.path == "src/lib.rs").unwrap();
    let modules = lib.text.lines().filter_map(|line| line.strip_prefix("pub mod ")?.strip_suffix(';'));
    assert!(modules.map(floor).count() > 10);
}

#[test]
fn every_file_says_first_what_it_is_for() {
    for file in files() {
        assert!(file.text.starts_with("//! "), "{} does not open with a `//!` line", file.path);
    }
}

#[test]
fn no_file_is_longer_than_it_should_be() {
    for file in files() {
        let lines = file.text.lines().count();
        let reason = LONG.iter().find(|(path, _)| *path == file.path);
        assert!(
            lines <= MOST_LINES || reason.is_some(),
            "{} has {lines} lines: split it by meaning, or say in LONG of tests/floors.rs why it is better whole",
            file.path
        );
        if let Some((path, _)) = reason {
            assert!(lines > MOST_LINES, "{path} has only {lines} lines now: take it off LONG of tests/floors.rs");
        }
    }
    let main = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("src/main.rs")).unwrap();
    assert!(main.lines().count() <= 10, "main.rs only calls the library");
}
