//! Files under `generated/` are byte for byte what the configs under `examples/` generate, wherever they are read.

use std::collections::{BTreeMap, BTreeSet};

use torusweave::design::config::Config;

use crate::fixtures::command::{Ended, Place, contents, examples, project};

/// The command that brings all of it up to date.
const UPDATE: &str = "rm -r generated; cargo run --release -- generate examples/*.yaml";

#[test]
fn generated_files_are_what_the_examples_generate() {
    let mut command = Place::new().command();
    command.current_dir(project()).args(["generate", "--check"]).args(examples());
    let ended = Ended::from(command.output().unwrap());
    assert_eq!(ended.code, 0, "{}{}\nhelp: {UPDATE}", ended.stdout, ended.stderr);
    assert_eq!(ended.stdout.matches(" is up to date\n").count(), examples().len(), "{}", ended.stdout);
}

#[test]
fn every_generated_folder_has_its_example() {
    let names: BTreeSet<String> = examples().iter().map(|path| Config::read(path).unwrap().name()).collect();
    assert_eq!(names.len(), examples().len(), "two examples have the same name");
    for entry in std::fs::read_dir(project().join("generated")).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        assert!(names.contains(&name), "generated/{name} belongs to no config in examples/");
    }
}

#[test]
fn the_bytes_depend_on_nothing_but_the_design() {
    let flags = "generate --torus 8x6 --scheme zigzag --switching memory --width 16 --flits 2 --name mine";
    let config =
        "name: mine\ntopology: { torus: [8, 6] }\nscheme: zigzag\nswitching: memory\nlink: { width: 16, flits: 2 }\n";
    let folder = |place: &Place, line: &str, folder: &str| -> BTreeMap<String, Vec<u8>> {
        let ended = place.run(line);
        assert_eq!((ended.code, ended.stderr.as_str()), (0, ""), "{line}");
        contents(&place.path().join(folder))
    };
    let here = Place::new();
    let first = folder(&here, flags, "generated/mine");
    assert!(first.len() > 8);
    assert!(first == folder(&here, flags, "generated/mine"), "a second run");
    let there = Place::new();
    there.write("deep/down/a config.yaml", config);
    there.write("design.yaml", config);
    assert!(first == folder(&there, "generate design.yaml --out out/of/here", "out/of/here"), "from a file");
    let deep = there.path().join("deep/down");
    let mut command = there.command();
    command.current_dir(&deep).args(["generate", "a config.yaml"]);
    assert_eq!(Ended::from(command.output().unwrap()).code, 0);
    assert!(first == contents(&deep.join("generated/mine")), "from another folder");
    let place = there.path().to_str().unwrap();
    let text = first.values().map(|bytes| String::from_utf8_lossy(bytes)).collect::<String>();
    assert!(!text.contains(place) && !text.contains("config.yaml"), "a path has found its way into a file");
}
