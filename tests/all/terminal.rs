//! Printed output steers no terminal, and a full device makes no run panic or lie.
#![cfg(target_os = "linux")]

use std::ffi::OsStr;
use std::fs::OpenOptions;
use std::os::unix::ffi::OsStrExt;
use std::process::Stdio;

use crate::fixtures::command::{Ended, Place};

fn full() -> Stdio {
    OpenOptions::new().write(true).open("/dev/full").unwrap().into()
}

#[test]
fn a_full_device_is_no_panic_and_no_success() {
    for (line, code) in [
        ("check", 2),
        ("check --torus 2x2 --name clk", 2),
        ("weave", 2),
        ("--help", 2),
        ("--version", 2),
        ("check --help", 2),
        ("check --torus 4x4", 2),
        ("schemes", 2),
        ("man", 2),
        ("completions bash", 2),
        ("schema", 2),
        ("generate --torus 2x2 --out out", 2),
    ] {
        let place = Place::new();
        let ended = place.command().args(line.split(' ')).stdout(full()).stderr(full()).status().unwrap();
        assert_eq!(ended.code(), Some(code), "{line}: both are full");
        let ended = place.command().args(line.split(' ')).stdout(full()).stderr(Stdio::piped()).output().unwrap();
        let said = String::from_utf8(ended.stderr).unwrap();
        assert_eq!(ended.status.code(), Some(code), "{line}: {said}");
        assert!(said.starts_with("error: ") && !said.contains("panicked"), "{line}: {said}");
    }
    // progress messages need no reader
    let place = Place::new();
    let drawn = place.command().args(["draw", "--torus", "2x2", "-o", "x.svg"]).stderr(full()).status().unwrap();
    assert_eq!(drawn.code(), Some(0));
}

/// Returns true if a terminal would obey something in it.
fn steers(text: &str) -> bool {
    text.chars().any(|c| (c.is_control() && c != '\n') || ('\u{202a}'..='\u{202e}').contains(&c))
}

#[test]
fn nothing_that_was_typed_steers_the_terminal() {
    let place = Place::new();
    place.write("good.yaml", "topology: { torus: [2, 2] }\n");
    place.write("\x1b[31m.yaml", "topology: { torus: [2, 1] }\n");
    place.write("bad.yaml", "topology: { torus: [2, 2] }\nname: \"\\e[31m\\u202E\"\n");
    place.write("key.yaml", "topology: { torus: [2, 2] }\n\"\\e[31m\": 1\n");
    let evil = "\x1b]0;owned\x07\n\u{202e}";
    let lines: [&[&str]; 13] = [
        &["check", "\x1b[31m.yaml"],
        &["check", evil],
        &["check", "bad.yaml"],
        &["check", "key.yaml"],
        &["check", "--torus", evil],
        &["check", "--torus", "2x2", "--name", evil],
        &["check", "--torus", "2x2", "--set", evil],
        &["check", "--torus", "2x2", "--set", "name=\x1b"],
        &["check", "--torus", "2x2", "--scheme", evil],
        &["program", "--torus", "2x2", "--node", evil],
        &["explain", "--torus", "2x2", "--node", "0,0", "--port", evil],
        &["report", "--torus", "2x2", "--rtl", "\x1b:x"],
        &[evil],
    ];
    for line in lines {
        let ended = Ended::from(place.command().args(line).output().unwrap());
        assert_eq!(ended.code, 2, "{line:?}: {}", ended.stderr);
        assert!(!steers(&ended.stderr), "{line:?}: {:?}", ended.stderr);
    }
    // results too
    for line in [&["generate", "good.yaml", "--out", evil][..], &["draw", "good.yaml", "-o", "\x1b.svg"]] {
        let ended = Ended::from(place.command().args(line).output().unwrap());
        assert_eq!(ended.code, 0, "{}", ended.stderr);
        assert!(!steers(&(ended.stdout + &ended.stderr)), "{line:?}");
    }
    let latin = place.command().arg("check").arg(OsStr::from_bytes(b"caf\xe9\x1b.yaml")).output().unwrap();
    assert_eq!(latin.status.code(), Some(2));
    assert!(!steers(&String::from_utf8(latin.stderr).unwrap()));
}

#[test]
fn user_input_is_echoed_in_short() {
    let place = Place::new();
    let long = "x".repeat(36_000);
    for line in [
        vec!["check", "--torus", "2x2", "--set", &format!("link.width={long}")],
        vec!["check", "--torus", "2x2", "--set", &long],
        vec!["check", "--torus", "2x2", "--name", &long],
        vec!["check", "--torus", &long],
        vec!["check", "--torus", "2x2", "--scheme", &long],
    ] {
        let ended = Ended::from(place.command().args(&line).output().unwrap());
        assert_eq!(ended.code, 2);
        assert!(ended.stderr.len() < 2_000, "{}: {} bytes", line[1], ended.stderr.len());
        assert!(ended.stderr.contains("help: ") || ended.stderr.contains("--help"), "{}", ended.stderr);
    }
}

/// The reason is said before anything large is built; the limit is ten times what is needed.
#[test]
fn refusals_need_little_memory() {
    let place = Place::new();
    for line in [
        "check --torus 3163x3163 --scheme staircase",
        "check --torus 1000x1000 --flits 65536",
        "generate --torus 1000x1000 --scheme hamiltonian --flits 65536",
        "draw --torus 8192x8192",
        "draw --torus 8192x8192 --what classes",
        "draw --torus 8192x8192 --what progress",
        "draw --torus 60x60x60x60 --what supply",
    ] {
        let script = format!("ulimit -v 200000; exec \"$0\" {line}");
        let mut command = std::process::Command::new("bash");
        let output =
            command.args(["-c", &script, crate::fixtures::command::TORUSWEAVE]).current_dir(place.path()).output();
        let ended = Ended::from(output.unwrap());
        assert_eq!(ended.code, 2, "{line}: {}", ended.stderr);
        assert!(ended.stderr.starts_with("error: ") && ended.stderr.contains("\nhelp: "), "{line}: {}", ended.stderr);
    }
}
