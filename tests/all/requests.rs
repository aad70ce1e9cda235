//! Requests that users met trouble with: done as asked, or refused by the name of the field.

use crate::fixtures::command::{Place, project};
use crate::fixtures::tools::has;

/// Runs a command that must be refused: exit code 2, nothing on stdout, and this in its message.
fn refused(line: &str, expected: &[&str]) {
    let ended = Place::new().run(line);
    assert_eq!((ended.code, ended.stdout.as_str()), (2, ""), "{line}: {}", ended.stderr);
    for text in expected {
        assert!(ended.stderr.contains(text), "{line}: {}", ended.stderr);
    }
}

fn printed(line: &str) -> String {
    let ended = Place::new().run(line);
    assert_eq!(ended.code, 0, "{line}: {}", ended.stderr);
    ended.stdout
}

#[test]
fn waves_of_a_rooted_collective_show_the_root() {
    for collective in ["scatter", "broadcast", "gather"] {
        let design = format!("draw --torus 4x5 --collective {collective} --root 1,2 --what waves");
        let shown = printed(&design);
        assert_eq!(shown, printed(&format!("{design} --node 1,2")), "{collective}");
        assert_ne!(shown, printed(&format!("{design} --node 0,0")), "{collective}");
    }
}

#[test]
fn auto_tells_the_ticks_of_the_collective_that_was_asked_for() {
    for collective in ["reduce-scatter", "all-reduce"] {
        let line =
            format!("generate --torus 4x4 --scheme auto --operation sum --collective {collective} --format json");
        let said: serde_json::Value = serde_json::from_str(&printed(&line)).unwrap();
        let reason = said["auto"].as_str().unwrap();
        assert!(reason.contains(&format!("staircase {}", said["ticks"])), "{collective}: {reason}, {}", said["ticks"]);
    }
}

#[test]
fn collectives_have_the_names_that_other_libraries_give_them() {
    let names = [
        ("all-gather", "gossip", ""),
        ("allgather", "gossip", ""),
        ("all-to-all", "exchange", ""),
        ("alltoall", "exchange", ""),
        ("reducescatter", "reduce-scatter", " --operation sum"),
        ("allreduce", "all-reduce", " --operation sum"),
    ];
    for (alias, name, more) in names {
        let program = |name: &str| printed(&format!("program --torus 4x4 --collective {name}{more}"));
        assert_eq!(program(alias), program(name));
        let set = printed(&format!("program --torus 4x4 --set collective={alias}{more}"));
        assert_eq!(set, program(name));
        let place = Place::new();
        let operation = if more.is_empty() { "" } else { "operation: sum\n" };
        place.write("a.yaml", format!("topology: {{ torus: [4, 4] }}\ncollective: {alias}\n{operation}"));
        assert_eq!(place.run("check a.yaml").code, 0, "{alias}");
    }
}

#[test]
fn a_ring_of_all_nodes_and_links_without_checksums_are_refused_on_boards_with_memories() {
    refused("generate --torus 4x4 --elastic true --order origin", &["link.checksum: ", "help: say `checksum: crc8`"]);
    refused("generate --torus 4x4 --elastic true --host chain", &["host: ", "help: leave `host` out"]);
}

#[test]
fn a_root_by_its_number_is_told_by_its_coordinates() {
    assert!(printed("check --torus 4x4 --collective broadcast --root 6").contains("root 1,2"));
    refused("check --torus 4x4 --collective broadcast --root 16", &["root: `16` is no node of a 4x4 torus", "help: "]);
    assert!(printed("check --cycle 5 --collective broadcast --root 2").contains("cycle_5"));
}

#[test]
fn a_dead_node_is_not_explained_and_is_no_root() {
    for command in ["explain --node 0,0", "draw --what tree --node 0,0", "compare --collective broadcast --root 0,0"] {
        let line = format!("{command} --torus 3x4 --dead-node 0,0");
        refused(&line, &["error: node `0,0` is dead", "help: choose a node that is alive, like 0,1"]);
    }
}

#[test]
fn help_of_a_command_is_understood_both_ways() {
    assert_eq!(printed("help generate"), printed("generate --help"));
}

#[test]
fn a_picture_for_a_folder_that_is_not_there_is_refused_by_its_own_name() {
    let ended = Place::new().run("draw --torus 4x4 -o /nonexistent/a.svg");
    let expected = "error: cannot write `/nonexistent/a.svg`: No such file or directory (os error 2)\n";
    assert!(ended.code == 2 && ended.stderr.starts_with(expected), "{}", ended.stderr);
    assert!(!ended.stderr.contains(".torusweave-"), "{}", ended.stderr);
}

#[test]
fn designs_too_large_for_a_device_are_refused_before_a_tool_starts() {
    if !(has("yosys") && has("nextpnr-ice40")) {
        return;
    }
    // every output has a register per bit: 40,000 outputs of 32 bits
    let expected = ["device: hx8k has 7680 flip-flops, and the routers' outputs take 1280000", "help: choose a larger"];
    refused("fpga --torus 100x100 --scheme staircase --width 32 --device hx8k", &expected);
    refused("fpga --torus 100x100 --scheme staircase --width 32 --device hx8k --format json", &expected);
}

#[test]
fn networks_that_are_too_large_to_compare_are_refused() {
    let nodes = "nodes are more than 262144";
    refused("compare --torus 16777216x3", &["a 16777216x3 torus is too large to compare: 50331648", nodes]);
    refused("compare --mesh 16777216 --collective broadcast", &["too large to compare: 16777216", nodes]);
}

#[test]
fn sides_with_a_leading_zero_are_refused_by_what_to_write() {
    let place = Place::new();
    place.write("a.yaml", "topology: { torus: [04, 010] }\n");
    let ended = place.run("check a.yaml");
    assert_eq!(ended.code, 2);
    assert!(ended.stderr.contains("written without a point and leading zeros"), "{}", ended.stderr);
}

#[test]
fn a_large_design_says_how_much_it_writes() {
    let place = Place::new();
    let ended = place.run("generate --torus 500x500 --scheme staircase --only rtl --out a");
    assert_eq!(ended.code, 0, "{}", ended.stderr);
    let said = ended.stderr.lines().find_map(|line| line.strip_prefix("torus_500x500: writing about ")).unwrap();
    let told: f64 = said.split(' ').next().unwrap().parse().unwrap();
    let written: u64 = place.path().join("a").read_dir().unwrap().map(|it| it.unwrap().metadata().unwrap().len()).sum();
    let ratio = told * 1e9 / written as f64;
    assert!((0.5..2.0).contains(&ratio), "{said}: {written} bytes");
}

#[test]
fn the_page_of_exports_says_what_rccl_requires() {
    let page = std::fs::read_to_string(project().join("docs/export.md")).unwrap();
    let attributes = ["`minBytes`", "`maxBytes`", "`inplace`", "`outofplace`", "`reducescatter`"];
    assert!(page.contains("RCCL") && attributes.iter().all(|attribute| page.contains(attribute)));
}
