//! Usual command lines: a config from a pipe, `-c` and `-o`, parts of a design, a dry run.

use std::collections::BTreeSet;
use std::io::Write;
use std::process::Stdio;

use crate::fixtures::command::{Ended, Place, contents};

const CONFIG: &str = "topology: { torus: [4, 4] }\nname: ours\n";

#[test]
fn a_config_may_come_from_a_pipe() {
    let place = Place::new();
    place.write("design.yaml", CONFIG);
    let from_file = place.run("check design.yaml --format json");
    let mut command = place.command();
    command
        .args(["check", "-", "--format", "json"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    child.stdin.take().unwrap().write_all(CONFIG.as_bytes()).unwrap();
    assert_eq!(Ended::from(child.wait_with_output().unwrap()), from_file);
    assert_eq!(place.run("check -c design.yaml --format json"), from_file);
    assert_eq!(place.run("check -c design.yaml design.yaml").code, 2);
}

/// The files below a folder.
fn files(place: &Place, folder: &str) -> BTreeSet<String> {
    contents(&place.path().join(folder)).into_keys().filter(|path| !path.ends_with('/')).collect()
}

#[test]
fn a_dry_run_names_what_is_written_and_writes_nothing() {
    let place = Place::new();
    place.write("design.yaml", CONFIG);
    let before = place.contents();
    let dry = place.run("generate -c design.yaml -o out --dry-run");
    assert_eq!((dry.code, dry.stderr.as_str()), (0, ""));
    assert!(place.contents() == before);
    let wrote = place.run("generate -c design.yaml -o out");
    let named = |said: &str, start: &str| {
        said.lines().filter_map(|line| line.strip_prefix(start)).map(str::to_owned).collect::<Vec<_>>()
    };
    let would = named(&dry.stdout, "would write ");
    assert!(would.len() > 8);
    assert_eq!(would, named(&wrote.stdout, "wrote "));
}

#[test]
fn parts_are_written_alone_and_lists_name_no_others() {
    let place = Place::new();
    let generate = |parts: &str| {
        let ended = place.run(&format!("generate --torus 4x4 --out out {parts}"));
        assert_eq!((ended.code, ended.stderr.as_str()), (0, ""));
        assert_eq!(place.run(&format!("generate --torus 4x4 --out out --check {parts}")).code, 0, "{parts}");
        files(&place, "out")
    };
    let all = generate("");
    let parts = ["rtl", "tb", "lists", "program"].map(|part| generate(&format!("--only {part}")));
    let mut union: BTreeSet<String> = parts.iter().flatten().cloned().collect();
    assert_eq!(union, all, "every file is of a part");
    let manifest = |files: &BTreeSet<String>| usize::from(files.contains("MANIFEST"));
    assert_eq!(parts.iter().map(|files| files.len() - manifest(files)).sum::<usize>(), all.len() - 1, "and of one");
    let modules = parts[0].iter().filter(|path| *path != "MANIFEST");
    assert!(modules.clone().count() == 5 && modules.clone().all(|path| !path.contains("tb")), "{:?}", parts[0]);
    // without the testbench nothing speaks of it
    union = generate("--only rtl,lists");
    assert!(!union.iter().any(|path| path.contains("tb")));
    for path in ["out/torus_4x4.core", "out/Bender.yml", "out/torus_4x4.f"] {
        let text = std::fs::read_to_string(place.path().join(path)).unwrap();
        assert!(!text.contains("tb"), "{path}: {text}");
        let _: serde_json::Value = serde_yaml::from_str(&text).unwrap();
    }
}

#[test]
fn the_manual_page_tells_of_environment_and_files() {
    let page = Place::new().run("man").stdout;
    for word in ["ENVIRONMENT", "TMPDIR", "VERILATOR_ROOT", "XDG_CACHE_HOME", "FILES", "MANIFEST", "EXIT STATUS"] {
        assert!(page.contains(word), "{word}");
    }
}
