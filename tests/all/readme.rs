//! The commands of the README and of docs/ do what they are shown to do: they run, and they succeed.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::fixtures::command::{Ended, Place, TORUSWEAVE, examples, project};
use crate::fixtures::tools::has;

/// Prefixes of commands; the part after them is run by the test.
const STARTS: [&str; 3] = ["torusweave ", "cargo run --release -- ", "target/release/torusweave "];

fn pages() -> Vec<PathBuf> {
    let mut pages = vec![project().join("README.md")];
    pages.extend(fs::read_dir(project().join("docs")).unwrap().map(|entry| entry.unwrap().path()));
    pages.retain(|page| page.extension().is_some_and(|end| end == "md"));
    pages.sort();
    pages
}

/// The commands of a page: the lines of its `sh` and `console` blocks that begin with one of [`STARTS`].
fn commands(page: &str) -> Vec<String> {
    let mut commands = Vec::new();
    let mut inside = false;
    let joined = page.replace("\\\n", " ");
    for line in joined.lines().map(str::trim) {
        match line.strip_prefix("```") {
            Some(kind) => inside = !inside && matches!(kind.trim(), "sh" | "console" | "bash" | "shell"),
            None if inside => {
                let line = line.strip_prefix("$ ").unwrap_or(line);
                let rest = STARTS.iter().find_map(|start| line.strip_prefix(start));
                commands.extend(rest.map(|rest| format!("torusweave {rest}")));
            }
            None => {}
        }
    }
    commands
}

/// Returns true if the tools are there that a command needs.
fn can_run(command: &str) -> bool {
    let needs = [
        ("--engine verilator", "verilator_bin"),
        ("--engine icarus", "iverilog"),
        ("torusweave prove", "yosys"),
        ("torusweave prove", "z3"),
        ("torusweave fpga", "yosys"),
        ("torusweave fpga", "nextpnr-ice40"),
    ];
    needs.into_iter().all(|(words, tool)| !command.contains(words) || has(tool))
}

fn with_examples() -> Place {
    let place = Place::new();
    let lists = ["torus-4x4", "torus-2x2", "torus-3x4-streams"]
        .map(|name| project().join(format!("examples/programs/{name}.yaml")));
    let schedules = ["ring.yaml", "ring.csv", "msccl_ring.yaml", "msccl_ring.xml"]
        .map(|name| project().join("examples/schedules").join(name));
    let sweep = project().join("examples/sweeps/hx1k.yaml");
    for example in examples().into_iter().chain(lists).chain(schedules).chain([sweep]) {
        let name = example.strip_prefix(project()).unwrap();
        place.write(name.to_str().unwrap(), fs::read(&example).unwrap());
    }
    place
}

#[test]
fn every_command_of_the_documentation_succeeds() {
    let bin = Path::new(TORUSWEAVE).parent().unwrap().to_owned();
    let path = std::env::join_paths(
        std::iter::once(bin).chain(std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default())),
    )
    .unwrap();
    let mut found = BTreeMap::new();
    for page in pages() {
        // the commands of a page build on one another
        let place = with_examples();
        let lines = commands(&fs::read_to_string(&page).unwrap());
        found.insert(page.file_name().unwrap().to_str().unwrap().to_owned(), lines.len());
        for line in lines {
            if !can_run(&line) {
                continue;
            }
            // a shell, for the pipes and redirections of the page
            let mut shell = Command::new("bash");
            shell.args(["-o", "pipefail", "-c", &line]).current_dir(place.path()).env("PATH", &path);
            let ended = Ended::from(shell.output().unwrap());
            let page = page.strip_prefix(project()).unwrap().display();
            assert_eq!(ended.code, 0, "{page}: {line}\n{}{}", ended.stdout, ended.stderr);
        }
    }
    assert!(found["README.md"] >= 9, "has the way they are written changed? found {found:?}");
}

#[test]
fn commands_are_found_in_blocks_for_the_shell_and_nowhere_else() {
    let page = "torusweave no\n```sh\n$ torusweave a # note\ncargo run --release -- b \\\n  --c\nls\n```\n\
                ```yaml\ntorusweave no\n```\ntorusweave no\n```console\ntorusweave d\n```\n";
    assert_eq!(commands(page), ["torusweave a # note", "torusweave b    --c", "torusweave d"]);
}
