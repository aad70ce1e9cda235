//! The house stands: every room imports from rooms below it only, no room has a circle inside, and what checks shares
//! nothing with what builds.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use syn::visit::{self, Visit};

use crate::fixtures::command::project;

/// The rooms, from the ground up, one a floor.
const ROOMS: [&str; 24] = [
    "threads",
    "files",
    "net",
    "program",
    "play",
    "check",
    "netlist",
    "paths",
    "protocol",
    "transform",
    "study",
    "task",
    "algorithm",
    "schedule",
    "schemes",
    "emit",
    "design",
    "export",
    "compare",
    "explain",
    "draw",
    "whole",
    "tools",
    "cli",
];

/// The rooms inside the emitter, from the ground up.
const EMITTING: [&str; 13] = [
    "shared", "fabric", "boards", "node", "host", "bench", "selftest", "lists", "listed", "formal", "vcd", "outputs",
    "fpga",
];

/// Imports that are forbidden although the floors would allow them, with reasons.
const FORBIDDEN: [(&str, &[&str], &str); 8] = [
    ("check", &["play"], "a checker that shares code with what it checks is none"),
    ("netlist", &["play", "check"], "registers follow from the program alone"),
    ("paths", &["play", "check"], "a construction that tries itself out proves nothing"),
    ("schemes", &["play", "check", "protocol"], "a construction that tries itself out proves nothing"),
    ("transform", &["play", "check"], "a construction that tries itself out proves nothing"),
    ("task", &["play", "check", "protocol"], "a task is asked before anything is built"),
    ("emit", &["check", "paths", "schemes"], "the emitter sees only the program"),
    ("study", &["play", "check"], "what is told of a program is read off it"),
];

/// The files of `emit` that may import `play`: expected values and waveforms are the model's.
const PLAYED: [&str; 11] = [
    "src/emit/bench.rs",
    "src/emit/bench/combined.rs",
    "src/emit/bench/lengths.rs",
    "src/emit/bench/patch.rs",
    "src/emit/bench/sample.rs",
    "src/emit/formal/listed/rules.rs",
    "src/emit/formal/whole.rs",
    "src/emit/selftest/partials.rs",
    "src/emit/selftest/schedule.rs",
    "src/emit/shared/call_words.rs",
    "src/emit/vcd/model.rs",
];

/// Items of `program` that `emit` may import: names and words. Behaviour and registers of a class are decided in
/// `netlist`.
const EMITTED: [&str; 11] = [
    "Program",
    "ClassId",
    "Duplex",
    "FlitId",
    "Number",
    "Operation",
    "Source",
    "Window",
    "count",
    "joined",
    "port_name",
];

/// Files of more than 400 lines, and why each is better whole.
const LONG: [(&str, &str); 0] = [];
const MOST_LINES: usize = 400;

/// A module's path from the root of the crate: `["emit", "names"]`.
type Module = Vec<String>;

struct File {
    /// from the root of the project
    path: String,
    module: Module,
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
    let root = project();
    let mut found = Vec::new();
    walk(&root.join("src"), &mut found);
    found.sort();
    let file = |path: PathBuf| {
        let inside = path.strip_prefix(root.join("src")).unwrap().with_extension("");
        File {
            path: path.strip_prefix(root).unwrap().to_str().unwrap().to_owned(),
            module: inside.iter().map(|part| part.to_str().unwrap().to_owned()).collect(),
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
        self.module.last().is_some_and(|name| name == "tests")
    }

    /// Every path it names outside its tests, in a `use` or in the middle of a line.
    fn paths(&self) -> Vec<Vec<String>> {
        let mut names = Names::default();
        names.visit_file(&syn::parse_file(&self.text).unwrap_or_else(|error| panic!("{}: {error}", self.path)));
        names.found
    }
}

/// Collects paths, with use trees spread out; what only tests see is passed over.
#[derive(Default)]
struct Names {
    prefix: Vec<String>,
    found: Vec<Vec<String>>,
}

fn is_test_only(attributes: &[syn::Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        attribute.path().is_ident("cfg") && attribute.parse_args::<syn::Ident>().is_ok_and(|name| name == "test")
    })
}

impl<'ast> Visit<'ast> for Names {
    fn visit_item_mod(&mut self, module: &'ast syn::ItemMod) {
        if !is_test_only(&module.attrs) {
            visit::visit_item_mod(self, module);
        }
    }

    fn visit_item_fn(&mut self, function: &'ast syn::ItemFn) {
        if !is_test_only(&function.attrs) {
            visit::visit_item_fn(self, function);
        }
    }

    fn visit_use_tree(&mut self, tree: &'ast syn::UseTree) {
        let mut leaf = |name: String| {
            let path = self.prefix.iter().cloned().chain([name]).collect();
            self.found.push(path);
        };
        match tree {
            syn::UseTree::Path(path) => {
                self.prefix.push(path.ident.to_string());
                self.visit_use_tree(&path.tree);
                self.prefix.pop();
            }
            syn::UseTree::Name(name) => leaf(name.ident.to_string()),
            syn::UseTree::Rename(rename) => leaf(rename.ident.to_string()),
            syn::UseTree::Glob(_) => leaf("*".to_owned()),
            syn::UseTree::Group(group) => group.items.iter().for_each(|item| self.visit_use_tree(item)),
        }
    }

    /// The room up to which an item is seen is no import.
    fn visit_vis_restricted(&mut self, _: &'ast syn::VisRestricted) {}

    fn visit_path(&mut self, path: &'ast syn::Path) {
        if path.segments.len() > 1 {
            self.found.push(path.segments.iter().map(|segment| segment.ident.to_string()).collect());
        }
        visit::visit_path(self, path);
    }
}

/// The modules of the crate, and in which child the names that a module re-exports are defined.
struct House {
    files: Vec<File>,
    modules: BTreeSet<Module>,
    exports: BTreeMap<(Module, String), Module>,
}

impl House {
    fn new() -> Self {
        let files: Vec<File> = files().into_iter().filter(|file| !file.is_root() && !file.is_test()).collect();
        let modules: BTreeSet<Module> = files.iter().map(|file| file.module.clone()).collect();
        let mut exports = BTreeMap::new();
        for file in &files {
            for path in file.paths() {
                let child = [&file.module[..], &path[..1]].concat();
                if path.len() > 1 && modules.contains(&child) {
                    exports.insert((file.module.clone(), path[path.len() - 1].clone()), child);
                }
            }
        }
        Self { files, modules, exports }
    }

    /// The module that a path, as written in `from`, leads to; none for other crates.
    fn resolve(&self, from: &Module, path: &[String]) -> Option<Module> {
        let (mut at, mut rest) = match path[0].as_str() {
            "crate" => (Vec::new(), &path[1..]),
            "self" => (from.clone(), &path[1..]),
            "super" => (from[..from.len() - 1].to_vec(), &path[1..]),
            child if self.modules.contains(&[&from[..], &[child.to_owned()]].concat()) => (from.clone(), path),
            _ => return None,
        };
        while let [name, beyond @ ..] = rest {
            if name == "super" {
                at.pop();
            } else if let inner = [&at[..], std::slice::from_ref(name)].concat()
                && self.modules.contains(&inner)
            {
                at = inner;
            } else {
                return Some(self.exports.get(&(at.clone(), name.clone())).cloned().unwrap_or(at));
            }
            rest = beyond;
        }
        Some(at)
    }

    /// Imports of every file: the file, and the module that it imports.
    fn imports(&self) -> Vec<(&File, Module)> {
        let imports = |file| {
            let paths = File::paths(file).into_iter();
            paths.filter_map(move |path| Some((file, self.resolve(&file.module, &path)?)))
        };
        let found: Vec<_> = self.files.iter().flat_map(imports).filter(|(_, to)| !to.is_empty()).collect();
        assert!(found.len() > 300, "only {} imports found: has the way they are written changed?", found.len());
        found
    }
}

fn floor(room: &str) -> usize {
    ROOMS.iter().position(|name| *name == room).unwrap_or_else(|| {
        panic!("room `{room}` stands on no floor\nhelp: list it in ROOMS of tests/all/floors.rs, above all it imports")
    })
}

#[test]
fn every_file_imports_from_floors_below_its_own() {
    let house = House::new();
    for (file, to) in house.imports() {
        let (here, there) = (&file.module[0], &to[0]);
        assert!(
            here == there || floor(there) < floor(here),
            "{} of `{here}` imports `{}`, which is no floor below",
            file.path,
            to.join("::")
        );
    }
}

#[test]
fn every_room_of_the_emitter_stands_on_a_floor() {
    let house = House::new();
    let floor =
        |room: &String| EMITTING.iter().position(|name| name == room).unwrap_or_else(|| panic!("room emit::{room}"));
    let mut seen = BTreeSet::new();
    for (file, to) in house.imports() {
        if let ([from, here, ..], [at, there, ..]) = (&file.module[..], &to[..])
            && from == "emit"
            && at == "emit"
        {
            assert!(floor(there) <= floor(here), "{} imports `{}`, which is no floor below", file.path, to.join("::"));
            seen.insert(here.clone());
        }
    }
    let front = house
        .imports()
        .into_iter()
        .filter(|(file, to)| file.module.len() > 1 && file.module[0] == "emit" && **to == ["emit"]);
    let upward: Vec<&str> = front.map(|(file, _)| file.path.as_str()).collect();
    assert!(upward.is_empty(), "rooms of the emitter import its front: {upward:?}");
    assert_eq!(seen.len(), EMITTING.len());
}

#[test]
fn checkers_share_nothing_with_constructions() {
    let house = House::new();
    for (file, to) in house.imports() {
        for (_, foreign, why) in FORBIDDEN.iter().filter(|(room, ..)| *room == file.module[0]) {
            assert!(!foreign.contains(&to[0].as_str()), "{} imports `{}`: {why}", file.path, to.join("::"));
        }
    }
}

#[test]
fn of_the_emitter_only_testbench_and_waveform_know_the_model() {
    let house = House::new();
    for (file, to) in house.imports().iter().filter(|(file, _)| file.module[0] == "emit") {
        assert!(
            to[0] != "play" || PLAYED.contains(&file.path.as_str()),
            "{} imports `{}`: expected values belong into a testbench (PLAYED of tests/all/floors.rs)",
            file.path,
            to.join("::")
        );
    }
}

#[test]
fn the_emitter_decides_nothing() {
    for file in files().iter().filter(|file| file.module[0] == "emit") {
        for path in file.paths().iter().filter(|path| path[0] == "crate" && path[1] == "program") {
            assert!(
                EMITTED.contains(&path[2].as_str()),
                "{} imports `{}`: decide it in `netlist`, or say in EMITTED of tests/all/floors.rs why not",
                file.path,
                path.join("::")
            );
        }
    }
}

/// Children of one module do not import each other in a circle, whatever stands below them. A child may use what its
/// parent defines: the parent is the room's front.
#[test]
fn no_room_has_a_circle_inside() {
    let house = House::new();
    let mut arrows: BTreeMap<Module, BTreeSet<(String, String)>> = BTreeMap::new();
    for (file, to) in house.imports() {
        let common = file.module.iter().zip(&to).take_while(|(a, b)| a == b).count();
        if let (Some(from), Some(to)) = (file.module.get(common), to.get(common)) {
            arrows.entry(file.module[..common].to_vec()).or_default().insert((from.clone(), to.clone()));
        }
    }
    for (room, mut arrows) in arrows {
        // a child that nobody imports, or that imports nobody, lies on no circle
        loop {
            let before = arrows.len();
            let (importers, imported): (BTreeSet<_>, BTreeSet<_>) = arrows.iter().cloned().unzip();
            arrows.retain(|(from, to)| imported.contains(from) && importers.contains(to));
            if arrows.len() == before {
                break;
            }
        }
        assert!(arrows.is_empty(), "a circle in `{}`: {arrows:?}", room.join("::"));
    }
}

#[test]
fn every_room_of_the_library_stands_on_a_floor() {
    let lib = files().into_iter().find(|file| file.path == "src/lib.rs").unwrap();
    let rooms: BTreeSet<&str> =
        lib.text.lines().filter_map(|line| line.strip_prefix("pub mod ")?.strip_suffix(';')).collect();
    assert_eq!(rooms, BTreeSet::from(ROOMS));
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
            "{} has {lines} lines: split it by meaning, or say in LONG of tests/all/floors.rs why it is better whole",
            file.path
        );
        if let Some((path, _)) = reason {
            assert!(lines > MOST_LINES, "{path} has only {lines} lines now: take it off LONG of tests/all/floors.rs");
        }
    }
    let main = fs::read_to_string(project().join("src/main.rs")).unwrap();
    assert!(main.lines().count() <= 10, "main.rs only calls the library");
}

/// Names of the types that a file declares as `pub`.
#[derive(Default)]
struct PublicTypes(Vec<String>);

impl<'ast> Visit<'ast> for PublicTypes {
    fn visit_item(&mut self, item: &'ast syn::Item) {
        let (visibility, name, attributes) = match item {
            syn::Item::Struct(item) => (&item.vis, &item.ident, &item.attrs),
            syn::Item::Enum(item) => (&item.vis, &item.ident, &item.attrs),
            syn::Item::Trait(item) => (&item.vis, &item.ident, &item.attrs),
            syn::Item::Type(item) => (&item.vis, &item.ident, &item.attrs),
            _ => return visit::visit_item(self, item),
        };
        if matches!(visibility, syn::Visibility::Public(_)) && !is_test_only(attributes) {
            self.0.push(name.to_string());
        }
    }
}

/// Two types of one name can be told apart by their rooms; three cannot.
#[test]
fn no_public_type_name_has_three_meanings() {
    let mut meanings: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for file in files().iter().filter(|file| !file.is_test()) {
        let mut types = PublicTypes::default();
        types.visit_file(&syn::parse_file(&file.text).unwrap());
        for name in types.0 {
            meanings.entry(name).or_default().push(file.path.clone());
        }
    }
    assert!(meanings.len() > 300, "only {} types are found", meanings.len());
    for (name, paths) in meanings {
        assert!(paths.len() < 3, "`{name}` has {} meanings: {}", paths.len(), paths.join(", "));
    }
}
