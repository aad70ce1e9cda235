//! The lists of files do what they are for: each tool finds every file through them, from any folder, and a failing testbench
//! fails there too.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use crate::fixtures::command::{Place, contents, project};
use crate::fixtures::tools::{built_for_a_moment, has, said};

fn generated() -> Place {
    let place = Place::new();
    assert_eq!(place.run("generate --torus 4x4 --width 8 --out far/off/torus_4x4").code, 0);
    place
}

fn run(place: &Place, tool: &str, line: &str) -> Output {
    let mut command = Command::new(tool);
    command.args(line.split(' ')).current_dir(place.path()).env("torus_4x4", "far/off/torus_4x4").output().unwrap()
}

fn is_silent(place: &Place, tool: &str, line: &str) {
    let output = run(place, tool, line);
    let said = said(&output);
    assert!(output.status.success() && said.is_empty(), "{tool} {line}: {said}");
}

#[test]
fn the_files_are_found_from_any_folder() {
    if !has("iverilog") || !has("verilator") {
        return;
    }
    let place = generated();
    let list = "far/off/torus_4x4/torus_4x4";
    is_silent(&place, "verilator", &format!("--lint-only -Wall --top-module torus_4x4 -F {list}.f"));
    is_silent(&place, "verilator", &format!("--lint-only -Wall --top-module torus_4x4 -f {list}.anywhere.f"));
    is_silent(&place, "iverilog", &format!("-g2005 -Wall -o sim -s torus_4x4 -f {list}.anywhere.f"));
    assert!(
        !run(&place, "iverilog", &format!("-o sim -f {list}.f")).status.success(),
        "the plain list is for its folder"
    );
}

/// Yosys has a Tcl to run the script in; what it reads is looked at, and read.
#[test]
fn the_script_for_vivado_reads_every_file() {
    if !has("yosys") {
        return;
    }
    let place = generated();
    place.write(
        "top.tcl",
        "proc read_verilog {path} { puts \"read $path\" }\nsource far/off/torus_4x4/torus_4x4.vivado.tcl\n",
    );
    let Output { stdout, .. } = run(&place, "yosys", "-Q -T -c top.tcl");
    let printed = String::from_utf8(stdout).unwrap();
    let read: Vec<&str> = printed.lines().filter_map(|line| line.strip_prefix("read ")).collect();
    let folder = fs::canonicalize(place.path().join("far/off/torus_4x4")).unwrap();
    let listed = fs::read_to_string(folder.join("torus_4x4.f")).unwrap();
    let expected: Vec<String> = listed.lines().map(|path| folder.join(path).display().to_string()).collect();
    assert_eq!(read, expected, "{printed}");
}

#[test]
fn the_manifest_for_bender_names_every_file() {
    let place = generated();
    let folder = place.path().join("far/off/torus_4x4");
    let text = fs::read_to_string(folder.join("Bender.yml")).unwrap();
    let manifest: serde_json::Value = serde_yaml::from_str(&text).unwrap();
    assert_eq!(manifest["package"]["name"], "torus_4x4");
    let files = |source: usize| {
        let list = manifest["sources"][source]["files"].as_array().unwrap();
        list.iter().map(|path| path.as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    let listed = fs::read_to_string(folder.join("torus_4x4.f")).unwrap();
    assert_eq!(files(0), listed.lines().collect::<Vec<_>>());
    assert_eq!((files(1), &manifest["sources"][1]["target"]), (vec!["tb/torus_4x4_tb.v".into()], &"simulation".into()));
    assert!(files(0).iter().chain(&files(1)).all(|path| folder.join(path).is_file()));
}

/// Runs a target from scratch: whether it succeeded, and all that was said.
fn fusesoc(place: &Place, target: &str) -> (bool, String) {
    let build = place.path().join("build/torusweave_generated_torus_4x4_0.1.0").join(target);
    if build.exists() {
        fs::remove_dir_all(&build).unwrap();
    }
    let run = |more: &[&str]| {
        let mut command = Command::new("fusesoc");
        command.args(["--cores-root", "far", "run", "--target", target, "torusweave:generated:torus_4x4"]).args(more);
        // FuseSoC keeps its settings below these folders
        command.current_dir(place.path()).env("HOME", place.path()).env("XDG_CONFIG_HOME", place.path());
        let output = command.output().unwrap();
        (output.status.success(), said(&output))
    };
    // options beside those that the target has
    let for_a_moment = || built_for_a_moment(&build, |how| run(&[&format!("--verilator_options={how}")]));
    if target == "sim_verilator" { for_a_moment() } else { run(&[]) }
}

#[test]
fn fusesoc_runs_every_target_and_hears_a_failure() {
    if !has("fusesoc") || !has("verilator") || !has("iverilog") || !has("yosys") || !has("make") {
        return;
    }
    let place = generated();
    for target in ["lint", "sim", "sim_verilator", "icestorm"] {
        let (passed, said) = fusesoc(&place, target);
        assert!(passed, "{target}: {said}");
        assert!(!target.starts_with("sim") || said.contains("PASS 8 ticks, 512 arrivals"), "{target}: {said}");
    }
    wrong(&place.path().join("far/off/torus_4x4/torus_4x4_router_a.v"));
    for target in ["sim", "sim_verilator"] {
        let (passed, said) = fusesoc(&place, target);
        assert!(!passed && said.contains("FAIL tick"), "{target}: {said}");
    }
}

/// A core of somebody else that names the generated one in `depend` gets its default target.
#[test]
fn a_core_that_depends_on_a_design_can_instantiate_its_system_and_its_board() {
    if !has("fusesoc") || !has("iverilog") || !has("make") {
        return;
    }
    let place = Place::new();
    let generate = |options: &str, name: &str| {
        assert_eq!(
            place.run(&format!("generate --torus 4x4 --width 8 {options} --name {name} --out cores/{name}")).code,
            0
        );
    };
    generate("--order origin", "nodes");
    generate("--elastic true", "boards");
    let mine = "CAPI=2:\nname: ::mine:0\nfilesets:\n  rtl:\n    files: [mine.v: {file_type: verilogSource-2005}]\n    \
                depend: ['torusweave:generated:nodes', 'torusweave:generated:boards']\ntargets:\n  default:\n    \
                filesets: [rtl]\n    toplevel: mine\n    flow: sim\n    flow_options: {tool: icarus}\n";
    place.write("cores/mine/mine.core", mine);
    place.write("cores/mine/mine.v", "module mine;\n  nodes_system system();\n  boards_board board();\nendmodule\n");
    let mut command = Command::new("fusesoc");
    command.args(["--cores-root", "cores", "run", "--setup", "--build", "::mine"]);
    command.current_dir(place.path()).env("HOME", place.path()).env("XDG_CONFIG_HOME", place.path());
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", said(&output));
}

/// An output that sends the wrong packet first.
fn wrong(router: &Path) {
    let text = fs::read_to_string(router).unwrap();
    let changed = text.replacen(": own_0;", ": own_1;", 1);
    assert_ne!(text, changed);
    fs::write(router, changed).unwrap();
}

/// Modules beside the fabric are listed as well.
#[test]
fn every_module_is_in_every_description() {
    for folder in fs::read_dir(project().join("generated")).unwrap().map(|entry| entry.unwrap().path()) {
        let name = folder.file_name().unwrap().to_str().unwrap();
        let read = |file: &str| fs::read_to_string(folder.join(file)).unwrap();
        let lists = ["Bender.yml", &format!("{name}.vivado.tcl"), &format!("{name}.core")].map(read);
        for path in contents(&folder).into_keys().filter(|path| path.rsplit('.').next() == Some("v")) {
            let is_in = |list: &String| list.split([' ', '\n']).any(|word| word == path);
            assert!(path.starts_with("tb/") || lists.iter().all(is_in), "{name}: {path}");
        }
    }
}
