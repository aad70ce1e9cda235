//! The C++ behind lockstep under sanitizers of addresses and undefined behaviour, as `TORUSWEAVE_FULL` asks for.
#![cfg(target_os = "linux")]

use std::path::Path;
use std::process::Command;

use crate::fixtures::command::{Ended, Place};
use crate::fixtures::tools::toolchain;

/// The compiler with both sanitizers; on request with a read beyond the end in our C++.
const SANITIZES: &str = r#"
unset LD_PRELOAD
PATH=${PATH#*:}
for word; do case "$FAULT$word" in beyond*parts.cc) sed -i 's/copied(uint8_t{})/copied(uint64_t{})/' "$word" ;; esac; done
exec g++ -g -fsanitize=address,undefined -fno-sanitize-recover=undefined "$@"
"#;

/// Designs of all ways in which a simulator is made: as a whole, of parts, with lengths, with what sets the routers, wide and narrow.
const LINES: [&str; 8] = [
    "--torus 4x6 --width 70 --by class",
    "--torus 4x6 --width 70 --by fabric",
    "--torus 2x3 --width 1 --by class",
    "--torus 3x3 --latency 3 --by class",
    "--torus 4x4 --crossbar configurable --by class",
    "--torus 4x4 --crossbar configurable --by fabric",
    "--torus 4x4 --collective all-reduce --operation sum --by class",
    "--path 6 --collective gather --scheme certification --root 2",
];

/// The sanitizers' library, which has to be loaded before all others.
fn library() -> String {
    let output = Command::new("g++").arg("-print-file-name=libasan.so").output().unwrap();
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

fn simulate(place: &Place, cache: &Path, line: &str, fault: &str) -> Ended {
    let mut command = place.command();
    let path = std::env::var("PATH").unwrap();
    command.args(["simulate", "--engine", "verilator"]).args(line.split(' '));
    command.env("PATH", format!("{}:{path}", place.path().join("bin").display()));
    command.env("XDG_CACHE_HOME", cache).env("LD_PRELOAD", library()).env("FAULT", fault);
    // memory that other programs leave allocated does not count
    command.env("ASAN_OPTIONS", "detect_leaks=0").output().unwrap().into()
}

#[test]
fn lockstep_runs_without_undefined_behaviour_and_a_fault_is_found() {
    if std::env::var_os("TORUSWEAVE_FULL").is_none() || toolchain().is_none() {
        return;
    }
    let place = Place::new();
    place.write_tool("bin/g++", SANITIZES);
    for line in LINES {
        let ended = simulate(&place, &place.path().join("cache"), line, "");
        assert!(ended.code == 0 && ended.stdout.contains("equal"), "{line}: {}", ended.stderr);
    }
    let ended = simulate(&place, &place.path().join("other"), LINES[0], "beyond");
    assert!(ended.code != 0 && ended.stderr.contains("AddressSanitizer"), "{}", ended.stderr);
    println!("{} designs are simulated without a finding, and a read beyond the end is found", LINES.len());
}
