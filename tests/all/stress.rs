//! Calls from Python while everything breaks off: on every kind of line, on one device and on boards, no result is another call's.

use std::fs;
use std::process::Command;

use crate::fixtures::called::{HALVES, PYTHON, SMALL, can_call, generated, script, served};
use crate::fixtures::command::{Ended, Place, TORUSWEAVE, project};
use crate::fixtures::tools::has;

/// Runs a part of `broken.py` on a line.
fn broken(place: &Place, at: &str, part: &str) {
    let ended = script(place, "broken.py", &[at, "calls", part]);
    assert_eq!((ended.code, ended.stdout.as_str()), (0, "right\n"), "{at} {part}: {}", ended.stderr);
}

/// Results of the stress on all lines: a few, or as many as the environment says.
#[test]
#[cfg(unix)]
fn calls_that_break_off_are_never_answered_by_other_results() {
    if !can_call() {
        return;
    }
    let calls = std::env::var("TORUSWEAVE_STRESS").unwrap_or_else(|_| "1800".to_owned());
    let [one, two] = [generated(SMALL), generated(HALVES)];
    let folder = |place: &Place| place.path().join("calls").display().to_string();
    let mut lines = vec![format!("sim:{}", folder(&one)), format!("sim:{}", folder(&two))];
    let mut servers = Vec::new();
    for (place, boards) in [(&one, 1), (&two, 2)] {
        for line in ["tcp:0", "pty"] {
            let (server, at) = served(place, &format!("{line} --folder calls"), boards);
            servers.push(server);
            lines.push(format!("{at}={}", folder(place)));
        }
    }
    let mut arguments = vec![calls.as_str(), "7"];
    arguments.extend(lines.iter().map(String::as_str));
    let ended = script(&one, "stress.py", &arguments);
    println!("{}{}", ended.stderr, ended.stdout);
    let results = ended.stdout.split(' ').next().and_then(|number| number.parse::<u64>().ok());
    assert!(ended.code == 0 && results >= calls.parse().ok(), "{}{}", ended.stdout, ended.stderr);
}

/// The script is tried: without what brings a line into step, and without the numbers of answers, it finds wrong results.
#[test]
fn the_script_sees_lines_that_are_not_brought_into_step_and_answers_without_numbers() {
    if !can_call() {
        return;
    }
    let place = generated(SMALL);
    let package = project().join("python/torusweave");
    for folder in ["torusweave", "tests"] {
        fs::create_dir(place.path().join(folder)).unwrap();
        for entry in fs::read_dir(package.join(folder)).unwrap().map(Result::unwrap) {
            if entry.file_type().unwrap().is_file() {
                fs::copy(entry.path(), place.path().join(folder).join(entry.file_name())).unwrap();
            }
        }
    }
    let stressed = || -> Ended {
        let mut command = Command::new(PYTHON);
        command.args(["tests/stress.py", "400", "3", "sim:calls"]).current_dir(place.path());
        command.env("TORUSWEAVE", TORUSWEAVE).env("PYTHONDONTWRITEBYTECODE", "1").output().unwrap().into()
    };
    let without = |file: &str, right: &str, wrong: &str| {
        let path = place.path().join("torusweave").join(file);
        let text = fs::read_to_string(&path).unwrap();
        assert!(text.contains(right), "{file}: {right}");
        fs::write(path, text.replace(right, wrong)).unwrap();
    };
    without("_board.py", "if not self._is_in_step:", "if False:");
    let ended = stressed();
    // four numbers take turns: an answer that is late by four is not seen by them alone
    let is_seen = ended.code == 1 || ended.stdout.contains("the line is out of step");
    assert!(is_seen, "{}{}", ended.stdout, ended.stderr);
    without("_board.py", "if last != (ID", "if False and last != (ID");
    without(
        "_torus.py",
        "if (status & SETTLED, played, rooted, runs) !=",
        "if False and (status & SETTLED, played, rooted, runs) !=",
    );
    let ended = stressed();
    assert!(ended.code == 1 && ended.stderr.contains("WRONG"), "{}{}", ended.stdout, ended.stderr);
}

#[test]
#[cfg(unix)]
fn a_call_that_an_exception_ends_does_no_harm_to_the_next_on_any_line() {
    if !can_call() {
        return;
    }
    for (config, boards) in [(SMALL, 1), (HALVES, 2)] {
        let place = generated(config);
        for part in ["interrupts", "signals", "nested", "processes", "several", "arrays", "ends", "stops", "kills"] {
            broken(&place, "sim:calls", part);
        }
        for line in ["tcp:0", "pty"] {
            let (_server, at) = served(&place, &format!("{line} --folder calls"), boards);
            for part in ["interrupts", "signals", "processes", "several", "ends"] {
                broken(&place, &at, part);
            }
        }
    }
}

#[test]
fn descriptions_and_lines_of_every_wrong_kind_are_refused_with_a_reason_in_time() {
    if !can_call() {
        return;
    }
    let [one, two] = [generated(SMALL), generated(HALVES)];
    let other = two.path().join("calls").display().to_string();
    let ended = script(&one, "refusals.py", &["calls", &other]);
    let count = ended.stdout.split(' ').next().and_then(|number| number.parse::<u32>().ok());
    assert!(ended.code == 0 && count > Some(2000), "{}{}", ended.stdout, ended.stderr);
}

/// Two designs that differ in one setting alone.
#[test]
#[cfg(unix)]
fn a_design_of_another_width_layout_or_root_is_refused_by_its_hash() {
    if !can_call() {
        return;
    }
    let gossip = |link: &str| {
        format!(
            "{{ name: calls, topology: {{ torus: [4, 2] }}, link: {{ {link} }}, programs: [{{ collective: gossip }}] }}"
        )
    };
    let boards = |sides: &str| gossip(&format!("width: 8, elastic: true, checksum: crc16, boards: {sides}"));
    let rooted = |root: &str| {
        format!(
            "{{ name: calls, topology: {{ torus: [4, 2] }}, programs: [{{ collective: gossip }}, {{ collective: gather, root: {root} }}] }}"
        )
    };
    for (served_one, named, count) in [
        (gossip("width: 8"), gossip("width: 32"), 1),
        (boards("[2, 1]"), boards("[1, 2]"), 2),
        (rooted("any"), rooted("[0, 0]"), 1),
    ] {
        let [place, other] = [generated(&served_one), generated(&named)];
        let hash = |place: &Place| {
            let about = fs::read_to_string(place.path().join("calls/calls_programs.json")).unwrap();
            serde_json::from_str::<serde_json::Value>(&about).unwrap()["hash"].as_u64().unwrap()
        };
        assert_ne!(hash(&place), hash(&other), "{served_one} {named}");
        let (_server, at) = served(&place, "tcp:0 --folder calls", count);
        let ended = script(&other, "broken.py", &[&at, "calls", "ends"]);
        assert!(ended.code != 0 && ended.stderr.contains("another design answers: hash"), "{}", ended.stderr);
        // the hash finds the right one of both descriptions
        fs::create_dir_all(other.path().join("generated/here")).unwrap();
        fs::create_dir_all(other.path().join("generated/also")).unwrap();
        for (from, to) in [(&place, "here"), (&other, "also")] {
            let about = fs::read(from.path().join("calls/calls_programs.json")).unwrap();
            fs::write(other.path().join(format!("generated/{to}/calls_programs.json")), about).unwrap();
        }
        let ended = script(&other, "broken.py", &[&at, "", "ends"]);
        assert_eq!((ended.code, ended.stdout.as_str()), (0, "right\n"), "{}", ended.stderr);
    }
}

#[test]
fn damaged_programs_are_refused_by_the_reference_or_combine_every_value_once() {
    if !has(PYTHON) {
        return;
    }
    let place = Place::new();
    let mut programs = Vec::new();
    for (name, setting) in [
        ("one", "topology: { torus: [3, 4] }, collective: all-reduce, operation: sum"),
        ("two", "topology: { mesh: [2, 3] }, collective: reduce-scatter, operation: xor, link: { flits: 2 }"),
        (
            "three",
            "topology: { torus: [2, 4] }, collective: all-reduce, operation: sum, number: f32, adder: 2, link: { width: 32 }",
        ),
        ("four", "topology: { torus: [3, 3] }, collective: reduce-scatter, operation: max"),
    ] {
        place.write(&format!("{name}.yaml"), format!("{{ name: {name}, {setting} }}"));
        let ended = place.run(&format!("program {name}.yaml --format json"));
        assert_eq!(ended.code, 0, "{}", ended.stderr);
        place.write(&format!("{name}.json"), ended.stdout);
        programs.push(format!("{name}.json"));
    }
    let mut arguments = vec!["1500"];
    arguments.extend(programs.iter().map(String::as_str));
    let ended = script(&place, "damage.py", &arguments);
    let refused = ended.stdout.split(' ').next().and_then(|number| number.parse::<u32>().ok());
    assert!(ended.code == 0 && refused > Some(500), "{}{}", ended.stdout, ended.stderr);
}
