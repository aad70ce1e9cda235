//! The command as a newcomer meets it: its help, its refusals, its exit codes, and that a refusal writes nothing.

use std::collections::BTreeSet;
use std::io::Read;
use std::process::Stdio;

use crate::fixtures::command::{Ended, Place, contents, project};

/// Refuses every command line with exit code 2, a `help:` line, nothing on stdout and nothing written; returns what was
/// typed and said.
pub fn refusals(place: &Place, lines: &[&str]) -> String {
    let before = place.contents();
    let mut transcript = String::new();
    for line in lines {
        let Ended { code, stdout, stderr } = place.run(line);
        assert_eq!(code, 2, "{line}: {stderr}");
        assert_eq!(stdout, "", "{line}: errors go to stderr");
        let (error, help) = stderr.rsplit_once("\nhelp: ").unwrap_or_else(|| panic!("{line}: no help:\n{stderr}"));
        let error = error.strip_prefix("error: ").unwrap_or_else(|| panic!("{line}: no error:\n{stderr}"));
        assert!(error.starts_with(|c: char| c.is_ascii_lowercase() || c == '`'), "{line}: {error}");
        assert!(help.trim_end().lines().count() == 1, "{line}: {help}");
        transcript += &format!("$ torusweave {line}\n{stderr}\n");
        assert!(place.contents() == before, "{line} has written something");
    }
    transcript
}

/// Transcript of refused configs, each in a file `design.yaml`.
fn refused_configs(configs: &[&str]) -> String {
    let mut transcript = String::new();
    for config in configs {
        let place = Place::new();
        place.write("design.yaml", config);
        let said = refusals(&place, &["generate design.yaml"]);
        transcript += &said.replace("$ torusweave generate design.yaml\n", &format!("{config}---\n"));
    }
    transcript
}

/// The example, in a place of its own.
fn with_example() -> Place {
    let place = Place::new();
    place.write("torus-6x8.yaml", std::fs::read(project().join("examples/torus-6x8.yaml")).unwrap());
    place
}

/// Headings of flags that are the same in every command. One snapshot has them, so that a new field changes that one.
const SHARED: [&str; 2] = ["Network:", "Fields of the design:"];

/// A help without the sections that commands share, and these.
fn sections(help: &str) -> (String, Vec<String>) {
    let (mut own, mut shared) = (String::new(), Vec::new());
    let mut is_shared = false;
    for line in help.lines() {
        if SHARED.contains(&line) {
            is_shared = true;
            own += &format!("{line} as everywhere\n");
            shared.push(String::new());
        } else if !line.is_empty() && !line.starts_with(' ') {
            is_shared = false;
        }
        let section = if is_shared { shared.last_mut().unwrap() } else { &mut own };
        *section += &format!("{line}\n");
    }
    (own, shared.iter().map(|section| section.trim_end().to_owned()).collect())
}

#[test]
fn help_of_every_command() {
    let place = Place::new();
    let top = place.run("--help");
    assert_eq!((top.code, top.stderr.as_str()), (0, ""));
    insta::assert_snapshot!("help", top.stdout);
    let commands = torusweave::cli::command();
    let mut everywhere = BTreeSet::new();
    for command in commands.get_subcommands().map(clap::Command::get_name) {
        let help = place.run(&format!("{command} --help"));
        assert_eq!((help.code, help.stderr.as_str()), (0, ""), "{command}");
        let (own, shared) = sections(&help.stdout);
        insta::assert_snapshot!(format!("help_{command}"), own);
        everywhere.extend(shared);
    }
    assert_eq!(everywhere.len(), SHARED.len(), "a section is not the same in every command: {everywhere:#?}");
    insta::assert_snapshot!("help_design", everywhere.into_iter().collect::<Vec<_>>().join("\n\n"));
}

#[test]
fn wrong_sides_are_refused() {
    let lines = [
        "check --torus 0x4",
        "check --torus 1x4",
        "check --torus -2x4",
        "check --torus 4x-2",
        "check --torus six",
        "check --torus 6xeight",
        "check --torus 6X8",
        "check --torus 6,8",
        "check --torus 6x",
        "check --torus x8",
        "check --torus 6.5x8",
        "check --torus 65536x65536",
        "check --torus 5000000000x2",
        "check --torus 2000x2000x2000",
        "schemes --torus 0x4",
        "check --mesh 4x",
        "check --mesh 65536x65536",
        "check --cycle 4x5",
        "check --cycle eight",
        "check --path 1",
        "compare --mesh 4x4 --path -7",
    ];
    let said = refusals(&Place::new(), &lines);
    insta::assert_snapshot!(said);
}

#[test]
fn networks_that_are_none() {
    let lines = [
        "check --lattice 4,2/0,6,1",
        "check --lattice 4,2/8,4",
        "check --lattice 65536,0/0,65536",
        "check --lattice 1,0/0,1",
        "check --lattice 4,two/0,6",
        "check --torus 4x4 --open x3",
        "check --torus 4x4 --open y",
        "check --lattice 4,2/0,6 --open x1",
        "check --torus 4x4 --dead-node 4,0",
        "check --torus 4x4 --dead-node 1",
        "check --torus 4x4 --dead-node one",
        "check --torus 4x4 --dead-link 0,0:x3+",
        "check --torus 4x4 --dead-link 0,0",
        "check --mesh 4x4 --dead-link 0,0:x1-",
        "check --path 5 --dead-node 2",
        "check --torus 2x2 --dead-node 0,0 --dead-node 0,1 --dead-node 1,0",
        "check --open x1",
        "check --torus 8x8 --set topology.part={\"from\":[0,0],\"to\":[3,8]}",
        "check --torus 8x8 --set topology.part={\"from\":[3,0],\"to\":[0,3]}",
        "check --lattice 4,2/0,6 --set topology.part={\"from\":[0,0],\"to\":[3,3]}",
        "check --torus 4x4 --dead-node 1,1 --collective broadcast --root 1,1",
    ];
    let said = refusals(&Place::new(), &lines);
    insta::assert_snapshot!(said);
}

#[test]
fn inapplicable_schemes_are_refused() {
    let lines = [
        "generate --torus 7x7 --scheme staircase",
        "generate --torus 3x4x5 --scheme staircase",
        "generate --torus 2x3x4 --scheme hamiltonian",
        "generate --torus 2x3 --scheme hamiltonian",
        "generate --torus 4x4x4 --scheme zigzag",
        "generate --torus 3x3x4 --scheme zigzag --switching periodic",
        "generate --torus 400x400 --flits 65536",
    ];
    let said = refusals(&Place::new(), &lines);
    insta::assert_snapshot!(said);
    // the messages advise these networks
    let draws = |design: &str| Place::new().run(&format!("draw {design}")).code == 0;
    assert!(draws("--torus 2x3x5 --scheme optimal") && draws("--mesh 3x3x3 --duplex half"));
}

#[test]
fn flags_out_of_range_are_refused() {
    let lines = [
        "check",
        "check torus.yaml --torus 6x8",
        "check path.yaml --path 7",
        "compare",
        "diff",
        "diff torus.yaml",
        "diff --torus 6x8",
        "diff torus.yaml --torus 6x8 --to 8x8",
        "generate --torus 6x8 --width 0",
        "generate --torus 6x8 --width 4097",
        "generate --torus 6x8 --width -1",
        "generate --torus 6x8 --width 6.0",
        "generate --torus 6x8 --width wide",
        "generate --torus 6x8 --width 8 --set link.width=9",
        "generate --torus 6x8 --set link={\"width\":9} --width 8",
        "check --mesh 42x42x42 --collective gather --scheme fdf --flits 65536",
        "generate --torus 16x16 --scheme optimal --collective all-reduce --operation sum --width 4096 --flits 512",
        "simulate --torus 600x600",
        "simulate --torus 200x200 --scheme optimal --flits 100",
        "generate --torus 6x8 --packets 0",
        "generate --torus 6x8 --packets 65536",
        "generate --torus 6x8 --scheme zigzag --packets 3",
        "generate --torus 65535x65537",
        "generate --torus 6x8 --flits 0",
        "generate --torus 6x8 --flits 65537",
        "generate --torus 6x8 --name module",
        "generate --torus 6x8 --name always_ff",
        "generate --torus 6x8 --name torus-6x8",
        "generate --torus 6x8 --name 6x8",
        "generate --torus 6x8 --name -x",
        "generate --torus 6x8 --name ../up",
        "generate --torus 6x8 --name é",
        "program --torus 6x8 --node 6,0",
        "program --torus 6x8 --node 1",
        "program --torus 6x8 --node 1,2,3",
        "program --torus 6x8 --node -1,0",
        "program --torus 6x8 --node a,b",
        "program --torus 6x8 --format json --node 0,8",
    ];
    let mut said = refusals(&Place::new(), &lines);
    said += &refusals(&Place::new(), &[&format!("generate --torus 6x8 --name {}", "a".repeat(129))]);
    insta::assert_snapshot!(said);
}

#[test]
fn values_that_clap_refuses_exit_with_2_too() {
    for line in [
        "",
        "weave",
        "check --torus 6x8 --scheme stair",
        "check --torus 6x8 --mesh 6x8",
        "schema x",
        "simulate --torus 6x8 --time-limit 0",
        "simulate --torus 6x8 --time-limit 18446744073709551615",
    ] {
        let ended = Place::new().run(line);
        assert_eq!((ended.code, ended.stdout.as_str()), (2, ""), "{line}");
        assert!(ended.stderr.contains("--help"), "{line}: {}", ended.stderr);
    }
}

#[test]
fn settings_of_fields() {
    let lines = [
        "check --torus 6x8 --set link",
        "check --torus 6x8 --set =",
        "check --torus 6x8 --set link..width=1",
        "check --torus 6x8 --set link=32",
        "check --torus 6x8 --set link.widht=32",
        "check --torus 6x8 --set link.width=",
        "check --torus 6x8 --set link.width=wide",
        "check --torus 6x8 --set link.width=1.5",
        "check --torus 6x8 --set link.width=-1",
        "check --torus 6x8 --set link.width=0",
        "check --torus 6x8 --set link.width=99999999999",
        "check --torus 6x8 --set topology.torus=4x4",
        "check --torus 6x8 --set topology.torus=[4,-4]",
        "check --torus 6x8 --set topology.torus=[]",
        "check --torus 6x8 --set topology=4",
        "check --torus 6x8 --set topology={}",
        "check --torus 6x8 --set topology={\"mesh\":[4,5],\"path\":7}",
        "check --torus 6x8 --set topology.mesh=4",
        "check --torus 6x8 --set topology.cycle=six",
        "check --torus 6x8 --set topology.ring=4",
        "check --torus 6x8 --set link.flits=2 --set link.flits=3",
        "diff --torus 6x8 --to-set link",
        "diff --torus 6x8 --to-set link.width=0",
        "check --torus 6x8 --set name.first=x",
        "check --torus 6x8 --set name=7",
        "check --torus 6x8 --set scheme=stair",
        "check --torus 6x8 --set switching=sometimes",
    ];
    let said = refusals(&Place::new(), &lines);
    insta::assert_snapshot!(said);

    let place = with_example();
    let set = place.run(
        "program torus-6x8.yaml --format json --set topology.torus=[4,4] --set link.flits=2 --set name=true --set \
         scheme=hamiltonian --width 8",
    );
    assert_eq!((set.code, set.stderr.as_str()), (0, ""));
    let json: serde_json::Value = serde_json::from_str(&set.stdout).unwrap();
    assert_eq!(json["topology"]["torus"], serde_json::json!([4, 4]));
    assert_eq!((json["flits"].as_u64(), json["name"].as_str()), (Some(2), Some("true")));
    assert_eq!(json["scheme"].as_str(), Some("hamiltonian"));
}

#[test]
fn malformed_configs_are_refused() {
    let said = refused_configs(&[
        "",
        "# nothing but a comment\n",
        "name: a\n",
        "topology: { torus: [6, 8]\n",
        "topology: { torus: [6, 8] }\nflits: 4\n",
        "topology: { torus: [6, 8], mesh: [6, 8] }\n",
        "topology: { torus: [6, 8] }\nlink: { widht: 32 }\n",
        "topology: { torus: [6, 8] }\nname: a\nname: b\n",
        "topology: { torus: [6, 8] }\nlink: { width: 8, width: 9 }\n",
        "topology: { torus: [6, 8] }\n---\ntopology: { torus: [6, 8] }\n",
        "topology: [6, 8]\n",
        "topology: {}\n",
        "topology: { ring: 8 }\n",
        "topology: { cycle: [8], path: 8 }\n",
        "topology: { cycle: eight }\n",
        "topology: { cycle: \"8\" }\n",
        "topology: { path: 1 }\n",
        "topology: { path: { nodes: 7 } }\n",
        "topology: { mesh: 4 }\n",
        "topology:\n\ttorus: [6, 8]\n",
        "topology: { torus: 6x8 }\n",
        "topology: { torus: null }\n",
        "topology: { torus: { rows: 6 } }\n",
        "topology: { torus: [[6], 8] }\n",
        "topology: { torus: [6, true] }\n",
        "topology: { torus: [six, 8] }\n",
        "topology: { torus: [0, 8] }\n",
        "topology: { torus: [6, 1] }\n",
        "topology: { torus: [-6, 8] }\n",
        "topology: { torus: [6.5, 8] }\n",
        "topology: { torus: [6.0, 8] }\n",
        "topology: { torus: [\"6\", 8] }\n",
        "topology: { torus: [99999999999, 8] }\n",
        "topology: { path: 3 }\ncollective: gather\nroot: [x]\n",
        "topology: { path: 3 }\ncollective: gather\nlengths: [1, x]\n",
        "topology: { path: 3 }\ncollective: gather\nlengths: [1, -1, 2.5]\n",
        "topology: { path: 3 }\ncollective: gather\nlengths: [1, [2]]\n",
        "topology: { path: 3 }\ncollective: gather\ntree: { parents: [null, x, 1] }\n",
        "topology: { path: 3 }\ncollective: gather\ntree: { parents: 0 }\n",
        "topology: { torus: [6, 8] }\nlink: 32\n",
        "topology: { torus: [6, 8] }\nlink: { width: wide }\n",
        "topology: { torus: [6, 8] }\nlink: { width: -1 }\n",
        "topology: { torus: [6, 8] }\nlink: { width: 0 }\n",
        "topology: { torus: [6, 8] }\nlink: { width: 4097 }\n",
        "topology: { torus: [6, 8] }\nlink: { flits: 0 }\n",
        "topology: { torus: [6, 8] }\nlink: { flits: [4] }\n",
        "topology: { torus: [6, 8] }\nbist: \"true\"\n",
        "topology: { torus: [6, 8] }\nbist: 1\n",
        "topology: { torus: [6, 8] }\npackets: 0\n",
        "topology: { torus: [6, 8] }\npackets: 65536\n",
        "topology: { torus: [6, 8] }\nscheme: stair\n",
        "topology: { torus: [6, 8] }\nswitching: sometimes\n",
        "topology: { torus: [6, 8] }\ncollective: sctter\n",
        "topology: { torus: [6, 8] }\nname: [a]\n",
        "topology: &a { torus: [6, 8] }\nlink: *a\n",
    ]);
    insta::assert_snapshot!(said);
}

#[test]
fn contradictory_configs_are_refused() {
    let said = refused_configs(&[
        "topology: { torus: [] }\n",
        "topology: { torus: [65536, 65536] }\n",
        "topology: { cycle: [4, 5] }\n",
        "topology: { path: [] }\n",
        "topology: { mesh: [65536, 65536] }\n",
        "topology: { torus: [5, 7] }\nscheme: staircase\n",
        "topology: { torus: [6, 8] }\nname: module\n",
        "topology: { torus: [6, 8] }\nname: torus-6x8\n",
        "topology: { torus: [6, 8] }\nname: 68\n",
    ]);
    insta::assert_snapshot!(said);
}

#[test]
fn unreadable_files_are_refused() {
    let place = Place::new();
    place.write("folder/in-it", "");
    place.write("latin1.yaml", b"name: caf\xe9\n");
    place.write("long.yaml", "#".repeat(2_000_000));
    place.write("plain", "");
    let lines = [
        "generate missing.yaml",
        "generate folder",
        "generate latin1.yaml",
        "generate long.yaml",
        "generate plain/x.yaml",
        "check -",
        "check - -",
        "diff - -",
    ];
    let said = refusals(&place, &lines);
    insta::assert_snapshot!(said);
}

#[test]
fn standard_output_is_a_file_of_text_and_no_other() {
    let place = Place::new();
    for line in ["draw --torus 4x4", "report --torus 4x4", "export --torus 4x4 --to msccl"] {
        assert_eq!(place.run(&format!("{line} --output -")), place.run(line));
    }
    let lines = [
        "export --torus 4x4 --to chakra --output -",
        "generate --torus 4x4 --out -",
        "simulate --torus 4x4 --vcd -",
        "simulate --torus 4x4 --vcd ./- --gtkw -",
        "man -",
    ];
    for line in lines {
        assert!(refusals(&place, &[line]).contains("error: `-` is standard output"), "{line}");
    }
}

#[test]
fn unwritable_folders_are_refused() {
    let place = with_example();
    place.write("file", "mine");
    std::os::unix::fs::symlink("nowhere", place.path().join("astray")).unwrap();
    for folder in ["edited", "taken", "hollow", "older", "future"] {
        let generated = place.run(&format!("generate --torus 2x2 --name torus_6x8 --out {folder}"));
        assert_eq!((generated.code, generated.stderr.as_str()), (0, ""));
    }
    place.write("edited/program.txt", "mine");
    place.write("edited/torus_6x8.v", "mine");
    place.write("taken/torus_6x8_router_b.v", "mine");
    place.write("hollow/torus_6x8_router_b.v/mine", "mine");
    place.write("older/MANIFEST", "program.txt\n");
    place.write("future/MANIFEST", "# torusweave-manifest/2\n");
    place.write("perl/MANIFEST", "MANIFEST\nlib/Mine.pm\n");
    place.write("perl/lib/Mine.pm", "mine");
    std::fs::create_dir_all(place.path().join("odd/MANIFEST")).unwrap();
    let lines = [
        "generate torus-6x8.yaml --out file",
        "generate torus-6x8.yaml --out file/below",
        "generate torus-6x8.yaml --out astray",
        "generate torus-6x8.yaml --out edited",
        "generate torus-6x8.yaml --out taken",
        "generate torus-6x8.yaml --out hollow",
        "generate torus-6x8.yaml --out hollow --force",
        "generate torus-6x8.yaml --out older",
        "generate torus-6x8.yaml --out future",
        "generate torus-6x8.yaml --out perl",
        "generate torus-6x8.yaml --out perl --force",
        "generate torus-6x8.yaml --out odd",
    ];
    let said = refusals(&place, &lines);
    insta::assert_snapshot!(said);
}

#[cfg(unix)]
#[test]
fn a_link_to_a_folder_stays_a_link() {
    let place = Place::new();
    std::fs::create_dir(place.path().join("real")).unwrap();
    std::os::unix::fs::symlink("real", place.path().join("link")).unwrap();
    for _ in 0..2 {
        assert_eq!(place.run("generate --torus 4x4 --out link").code, 0);
    }
    assert!(place.path().join("link").is_symlink());
    assert!(place.path().join("real/torus_4x4.v").is_file());
    let names: Vec<String> = place.contents().into_keys().filter(|path| path.starts_with('.')).collect();
    assert!(names.is_empty(), "left over: {names:?}");
}

#[test]
fn generate_writes_what_it_says_and_check_names_what_differs() {
    let place = with_example();
    let wrote = place.run("generate torus-6x8.yaml");
    assert_eq!((wrote.code, wrote.stderr.as_str()), (0, ""));
    insta::assert_snapshot!("generate", wrote.stdout);
    let folder = place.path().join("generated/torus_6x8");
    let mut listed: Vec<String> = wrote
        .stdout
        .lines()
        .filter_map(|line| line.strip_prefix("wrote generated/torus_6x8/"))
        .map(str::to_owned)
        .collect();
    listed.push("MANIFEST".into());
    listed.sort();
    let found: Vec<String> = contents(&folder).into_keys().filter(|path| !path.ends_with('/')).collect();
    assert_eq!(found, listed);

    let same = place.run("generate torus-6x8.yaml --check");
    assert_eq!((same.code, same.stdout.as_str()), (0, "generated/torus_6x8 is up to date\n"));

    place.write("generated/torus_6x8/extra", "");
    place.write("generated/torus_6x8/program.txt", "changed");
    std::fs::remove_file(folder.join("torus_6x8.f")).unwrap();
    let before = place.contents();
    let differs = place.run("generate torus-6x8.yaml --check");
    assert_eq!((differs.code, differs.stderr.as_str()), (1, ""));
    insta::assert_snapshot!("check_differs", differs.stdout);
    let json = place.run("generate torus-6x8.yaml --check --format json");
    assert_eq!(json.code, 1);
    let json: serde_json::Value = serde_json::from_str(&json.stdout).unwrap();
    assert_eq!(json["files"], serde_json::json!(["program.txt", "torus_6x8.f"]));
    assert!(place.contents() == before, "--check writes nothing");
    assert_eq!(place.run("generate torus-6x8.yaml --check --out nowhere").code, 1);
    assert!(place.contents() == before, "--check writes nothing");
}

#[test]
fn generating_again_replaces_what_was_generated() {
    let place = with_example();
    assert_eq!(place.run("generate torus-6x8.yaml --out out").code, 0);
    let first = place.contents();
    assert_eq!(place.run("generate torus-6x8.yaml --out out --width 8").code, 0);
    assert!(place.contents() != first);
    assert_eq!(place.run("generate torus-6x8.yaml --out out").code, 0);
    assert!(place.contents() == first, "the same input gives the same bytes, and nothing is left over");
}

#[cfg(unix)]
#[test]
fn missing_old_and_failing_tools_are_reported() {
    let place = Place::new();
    place.write_tool("old/verilator_bin", "echo 'Verilator 4.038 2020-07-11 rev v4.036'");
    place.write_tool("odd/verilator_bin", "echo 'no version'");
    place.write_tool("sick/verilator_bin", "echo '%Error: out of memory' >&2; exit 1");
    place.write_tool("good/verilator_bin", "echo 'Verilator 5.006 2023-01-22 rev'");
    place.write_tool("good/g++", "[ \"$1\" = --version ] || { echo 'g++: fatal error: no space left' >&2; exit 1; }");
    place.write_tool("bare/verilator_bin", "echo 'Verilator 5.006 2023-01-22 rev'");
    place.write_tool("broken/iverilog", "echo 'tb.v:1: syntax error' >&2; exit 2");
    place.write("root/include/verilated.h", "");
    std::fs::create_dir(place.path().join("empty")).unwrap();
    let before = place.contents();
    let mut transcript = String::new();
    for (path, root, engine) in [
        ("empty", "root", "verilator"),
        ("old", "root", "verilator"),
        ("odd", "root", "verilator"),
        ("sick", "root", "verilator"),
        ("bare", "root", "verilator"),
        ("good", "empty", "verilator"),
        ("good", "root", "verilator"),
        ("empty", "root", "icarus"),
        ("broken", "root", "icarus"),
    ] {
        let line = format!("simulate --torus 4x4 --engine {engine}");
        let mut command = place.command();
        command.args(line.split(' ')).env("PATH", place.path().join(path)).env("VERILATOR_ROOT", root);
        let ended = Ended::from(command.output().unwrap());
        assert_eq!((ended.code, ended.stdout.as_str()), (2, ""), "{path}: {}", ended.stderr);
        assert!(ended.stderr.contains("\nhelp: "), "{path}: {}", ended.stderr);
        transcript += &format!("$ PATH={path} VERILATOR_ROOT={root} torusweave {line}\n{}\n", ended.stderr);
    }
    assert!(place.contents() == before, "nothing is written");
    insta::assert_snapshot!(transcript);
}

#[test]
fn the_model_needs_no_tool() {
    let place = Place::new();
    for line in ["simulate --torus 4x4", "check --torus 4x4", "program --torus 4x4", "generate --torus 4x4", "schemes"]
    {
        let mut command = place.command();
        let ended = Ended::from(command.args(line.split(' ')).env("PATH", "").output().unwrap());
        assert_eq!((ended.code, ended.stderr.as_str()), (0, ""), "{line}");
    }
}

/// `torusweave program ... | head -1`
#[test]
fn a_reader_that_goes_is_no_error() {
    for line in [
        "program --torus 6x8",
        "program --torus 100x100",
        "program --torus 100x100 --format json",
        "check --torus 6x8 --format json",
        "schemes",
        "schema",
        "--help",
    ] {
        let place = Place::new();
        let mut command = place.command();
        let mut child = command.args(line.split(' ')).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut first = [0];
        child.stdout.take().unwrap().read_exact(&mut first).unwrap();
        let ended = Ended::from(child.wait_with_output().unwrap());
        assert_eq!((ended.code, ended.stderr.as_str()), (0, ""), "{line}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_an_error() {
    for line in ["program --torus 6x8", "program --torus 6x8 --format json", "check --torus 6x8"] {
        let place = Place::new();
        let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let ended = Ended::from(place.command().args(line.split(' ')).stdout(full).output().unwrap());
        assert_eq!(ended.code, 2, "{line}");
        assert!(ended.stderr.starts_with("error: cannot print the result: "), "{}", ended.stderr);
    }
}

#[test]
fn networks_by_flag_and_by_file_are_the_same() {
    let place = Place::new();
    for (flag, sides, json) in [
        ("--torus 3x4", "{ torus: [3, 4] }", serde_json::json!({ "torus": [3, 4] })),
        ("--cycle 8", "{ cycle: 8 }", serde_json::json!({ "cycle": 8 })),
        ("--cycle 8", "{ cycle: [8] }", serde_json::json!({ "cycle": 8 })),
    ] {
        place.write("design.yaml", format!("topology: {sides}\nscheme: optimal\n"));
        let by_flag = place.run(&format!("check {flag} --scheme optimal --format json"));
        assert_eq!((by_flag.code, by_flag.stderr.as_str()), (0, ""));
        assert_eq!(by_flag, place.run("check design.yaml --format json"));
        let verdict: serde_json::Value = serde_json::from_str(&by_flag.stdout).unwrap();
        assert_eq!(verdict["topology"], json);
        let set = place.run(&format!("check --torus 6x8 --scheme optimal --format json --set topology={json}"));
        assert_eq!(set, by_flag);
    }
}

#[test]
fn every_field_with_a_flag_is_in_the_command_that_generates_the_design() {
    let place = Place::new();
    let line = "--torus 4x6 --scheme optimal --store few --rom per-node --width 8 --flits 2 --name ours";
    let wrote = place.run(&format!("generate {line} --out out"));
    assert_eq!((wrote.code, wrote.stderr.as_str()), (0, ""));
    let core = std::fs::read_to_string(place.path().join("out/ours.core")).unwrap();
    assert!(core.contains(&format!("`torusweave generate {line}`")), "{core}");
}
