//! The command line as shells, `man` and browsers see it.

use std::fs;
use std::process::Command;

use torusweave::cli;
use torusweave::tools::ScratchFolder;

use crate::fixtures::command::{Place, TORUSWEAVE};
use crate::fixtures::tools::has;

fn says(arguments: &[&str]) -> String {
    let output = Command::new(TORUSWEAVE).args(arguments).output().unwrap();
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// Offsets of an exchange, and the parent of a root.
#[test]
fn values_may_begin_with_a_minus() {
    let place = Place::new();
    let exchange = "--torus 4x4 --collective exchange --lengths -1,0:8/1,0:8/0,-1:8/0,1:8";
    for arguments in
        [exchange, "--torus 4x4 --collective exchange --lengths=-1,0:8", "--path 3 --collective gather --tree -,0,1"]
    {
        let ended = place.run(&format!("check {arguments}"));
        assert_eq!(ended.code, 0, "{arguments}: {}", ended.stderr);
        let ended = place.run(&format!("generate {arguments} --out made --force"));
        assert_eq!(ended.code, 0, "{arguments}: {}", ended.stderr);
        // the command in the generated files makes them again
        let text = fs::read_dir(place.path().join("made")).unwrap().find_map(|entry| {
            let path = entry.unwrap().path();
            if path.extension().is_some_and(|end| end == "v") { fs::read_to_string(path).ok() } else { None }
        });
        let text = text.unwrap();
        let (_, command) = text.split_once("`torusweave generate ").unwrap_or_else(|| panic!("{text}"));
        let command = command.split('`').next().unwrap().replace("\n// ", " ");
        for entry in fs::read_dir(place.path().join("made")).unwrap() {
            let entry = entry.unwrap();
            if entry.path().extension().is_some_and(|end| end == "csv") {
                fs::copy(entry.path(), place.path().join(entry.file_name())).unwrap();
            }
        }
        let ended = place.run(&format!("generate {command} --out again --force"));
        assert_eq!(ended.code, 0, "{command}: {}", ended.stderr);
    }
    let ended = place.run("check --torus 4x4 --collective exchange --lengths --flits");
    assert!(ended.code == 2 && !ended.stderr.contains("unexpected argument"), "{}", ended.stderr);
}

fn commands() -> Vec<String> {
    cli::command().get_subcommands().map(|command| command.get_name().to_owned()).collect()
}

#[test]
fn bash_completes_every_command() {
    if !has("bash") {
        return;
    }
    let script = "source <(\"$0\" completions bash); COMP_WORDS=(torusweave ''); COMP_CWORD=1; \
                  _torusweave torusweave '' torusweave; echo \"${COMPREPLY[@]}\"";
    let output = Command::new("bash").args(["--norc", "-c", script, TORUSWEAVE]).output().unwrap();
    assert!(output.status.success() && output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
    let offered = String::from_utf8(output.stdout).unwrap();
    for command in commands() {
        assert!(offered.split_whitespace().any(|word| word == command), "{command} is not in {offered}");
    }
}

#[test]
fn every_shell_has_completions_of_every_command() {
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let script = says(&["completions", shell]);
        for command in commands() {
            assert!(script.contains(&command), "{shell}: {command}");
        }
    }
}

#[test]
fn every_command_has_a_manual_page() {
    let scratch = ScratchFolder::new().unwrap();
    says(&["man", scratch.path().to_str().unwrap()]);
    let main = says(&["man"]);
    assert_eq!(main, fs::read_to_string(scratch.path().join("torusweave.1")).unwrap());
    for command in commands() {
        let page = fs::read_to_string(scratch.path().join(format!("torusweave-{command}.1"))).unwrap();
        assert!(page.contains(".SH OPTIONS"), "{command}:\n{page}");
        assert!(main.contains(&format!("torusweave\\-{command}(1)")), "{command} is not in:\n{main}");
    }
}

#[test]
fn a_report_links_to_the_files_that_generate_writes() {
    let scratch = ScratchFolder::new().unwrap();
    let path = |name: &str| scratch.path().join(name).to_str().unwrap().to_owned();
    says(&["generate", "--torus", "4x4", "--out", &path("torus_4x4")]);
    says(&["report", "--torus", "4x4", "--output", &path("report.html")]);
    let page = fs::read_to_string(path("report.html")).unwrap();
    let links: Vec<&str> = page.split("<li><a href=\"").skip(1).map(|rest| rest.split('"').next().unwrap()).collect();
    assert!(links.contains(&"torus_4x4/torus_4x4.v"), "{links:?}");
    for link in links {
        assert!(scratch.path().join(link).is_file(), "{link}");
    }
}
