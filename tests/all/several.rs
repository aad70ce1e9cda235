//! Several configs in one call: each as if it were alone, and none before all are read.

use serde_json::Value;

use crate::cli::refusals;
use crate::fixtures::command::{Ended, Place, contents};

/// Three configs, of which one leaves its name out.
fn place() -> Place {
    let place = Place::new();
    place.write("a.yaml", "topology: { torus: [4, 4] }\nname: one\n");
    place.write("b.yaml", "topology: { path: 5 }\n");
    place.write("c.yaml", "topology: { torus: [2, 3] }\nname: three\nlink: { width: 8 }\n");
    place
}

const FILES: [&str; 3] = ["a.yaml", "b.yaml", "c.yaml"];
const FOLDERS: [&str; 3] = ["generated/one", "generated/path_5", "generated/three"];

/// Output of a command for each config alone, in an otherwise empty folder.
fn alone(line: &str) -> Vec<Ended> {
    let place = place();
    FILES.map(|file| place.run(&format!("{line} {file}"))).into()
}

#[test]
fn several_configs_are_handled_as_if_alone() {
    for line in ["generate", "generate --dry-run", "generate --width 9", "check", "check --structural"] {
        let together = place();
        let said = together.run(&format!("{line} a.yaml b.yaml c.yaml"));
        let alone = alone(line);
        let all: String = alone.iter().map(|ended| ended.stdout.as_str()).collect();
        assert_eq!((said.stdout.as_str(), said.stderr.as_str()), (all.as_str(), ""), "{line}");
        // programs without streams fail the structural check, and the worst result counts
        let codes: Vec<i32> = alone.iter().map(|ended| ended.code).collect();
        assert_eq!(codes, if line == "check --structural" { [0, 1, 0] } else { [0; 3] }, "{line}");
        assert_eq!(said.code, codes.into_iter().max().unwrap(), "{line}");
        assert_eq!(place().run(&format!("{line} -c a.yaml -c b.yaml -c c.yaml")), said, "{line}");
        let apart = place();
        for file in FILES {
            apart.run(&format!("{line} {file}"));
        }
        assert!(together.contents() == apart.contents(), "{line}");
        assert_eq!(together.path().join(FOLDERS[0]).is_dir(), line.starts_with("generate") && !line.contains("dry"));
    }
}

#[test]
fn several_results_are_a_json_list() {
    let read = |text: &str| -> Value { serde_json::from_str(text).unwrap() };
    for line in ["generate --format json", "check --format json", "generate --dry-run --format json"] {
        let said = place().run(&format!("{line} a.yaml b.yaml c.yaml"));
        let list: Vec<Value> = alone(line).iter().map(|said| read(&said.stdout)).collect();
        assert_eq!(read(&said.stdout), serde_json::json!({ "format": "torusweave-list/1", "items": list }), "{line}");
    }
}

#[test]
fn a_check_names_every_folder_that_differs() {
    let place = place();
    let check = |format: &str| {
        let ended = place.run(&format!("generate --check a.yaml b.yaml c.yaml {format}"));
        assert_eq!(ended.stderr, "");
        (ended.code, ended.stdout)
    };
    assert_eq!(place.run("generate a.yaml b.yaml c.yaml").code, 0);
    let fine = FOLDERS.map(|folder| format!("{folder} is up to date\n"));
    assert_eq!(check(""), (0, fine.concat()));
    place.write("generated/one/one.f", "edited");
    std::fs::remove_file(place.path().join("generated/three/three.v")).unwrap();
    let differs = ["differs: generated/one/one.f\n", &fine[1], "differs: generated/three/three.v\n"];
    assert_eq!(check(""), (1, differs.concat()));
    let (code, json) = check("--format json");
    let item = |folder: &str, files: &[&str]| serde_json::json!({ "format": "torusweave-generate-check/1", "folder": folder, "files": files });
    let items = [item(FOLDERS[0], &["one.f"]), item(FOLDERS[1], &[]), item(FOLDERS[2], &["three.v"])];
    let expected = serde_json::json!({ "format": "torusweave-list/1", "items": items });
    assert_eq!((code, serde_json::from_str::<Value>(&json).unwrap()), (1, expected));
}

#[test]
fn nothing_is_written_unless_all_can_be_built() {
    let place = place();
    place.write("again.yaml", "topology: { torus: [6, 8] }\nname: one\n");
    place.write("odd.yaml", "topology: { torus: [5, 7] }\nname: odd\nscheme: staircase\n");
    place.write("broken.yaml", "topology: { torus: [6, 8]\n");
    let lines = [
        "generate a.yaml missing.yaml",
        "generate a.yaml broken.yaml",
        "generate a.yaml odd.yaml",
        "generate a.yaml b.yaml again.yaml",
        "generate a.yaml a.yaml",
        "generate a.yaml b.yaml --name same",
        "generate a.yaml b.yaml --out out",
        "generate a.yaml b.yaml --torus 4x4",
        "generate a.yaml -c b.yaml",
        "check a.yaml missing.yaml",
        "check a.yaml odd.yaml",
    ];
    let (last, lines) = (lines[8], [&lines[..8], &lines[9..]].concat());
    insta::assert_snapshot!(refusals(&place, &lines));
    assert_eq!(place.run(last).code, 2, "{last}");
    assert!(contents(place.path()).keys().all(|path| !path.starts_with("generated")));
}
