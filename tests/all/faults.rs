//! Faults at every point of a run: whatever the system refuses, and whenever the run is killed, the target is old or new,
//! nothing of others is touched, and the next run leaves nothing behind.
//!
//! `cargo test --test all faults:: -- --nocapture` prints the tables. A sample is tried; under `TORUSWEAVE_FULL` every call, 1,000
//! kills and 1,000 concurrent runs.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crate::fixtures::command::{Ended, Place, TORUSWEAVE, contents};
use crate::fixtures::ranges::sampled;
use crate::fixtures::tools::has;

type Contents = BTreeMap<String, Vec<u8>>;

fn is_full() -> bool {
    std::env::var_os("TORUSWEAVE_FULL").is_some()
}

fn runs() -> usize {
    if is_full() { 1000 } else { 40 }
}

/// A run into a place that was prepared.
struct Scenario {
    name: &'static str,
    prepare: fn(&Place),
    /// working folder of the run
    folder: &'static str,
    line: &'static str,
    /// true if the target is old or new as a whole, or only each of its files
    is_whole: bool,
}

const SCENARIOS: [Scenario; 6] = [
    Scenario {
        name: "a new folder",
        prepare: |_| {},
        folder: ".",
        line: "generate --torus 3x2 --out out",
        is_whole: true,
    },
    Scenario {
        name: "a folder of ours",
        prepare: ours,
        folder: ".",
        line: "generate --torus 3x2 --out out",
        is_whole: true,
    },
    Scenario {
        name: "foreign files beside ours",
        prepare: ours_and_foreign,
        folder: ".",
        line: "generate --torus 3x2 --out out",
        is_whole: false,
    },
    Scenario {
        name: "the current folder",
        prepare: ours,
        folder: "out",
        line: "generate --torus 3x2 --out .",
        is_whole: false,
    },
    Scenario {
        name: "a picture",
        prepare: pictures,
        folder: ".",
        line: "draw --torus 3x2 -o out/x.svg",
        is_whole: true,
    },
    Scenario {
        name: "a waveform",
        prepare: pictures,
        folder: ".",
        line: "simulate --torus 3x2 --vcd out/x.vcd",
        is_whole: true,
    },
];

fn ours(place: &Place) {
    place.write("precious", "mine");
    place.write(".torusweave-aaaaaaaaaaaa/precious", "mine");
    assert_eq!(place.run("generate --torus 2x2 --out out").code, 0);
}

fn ours_and_foreign(place: &Place) {
    ours(place);
    place.write("out/precious", "mine");
    place.write("out/tb/precious", "mine");
}

fn pictures(place: &Place) {
    place.write("out/precious", "mine");
    place.write("out/x.svg", "old");
    place.write("out/x.vcd", "old");
}

/// Returns true for leftovers that a run may have until the next one; foreign folders with such a name are not among
/// them.
fn is_staging(path: &str) -> bool {
    path.contains(".torusweave-") && !path.contains(".torusweave-aaaaaaaaaaaa")
}

fn without_staging(mut contents: Contents) -> Contents {
    contents.retain(|path, _| !is_staging(path));
    contents
}

/// State of the target after a disturbed run.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Found {
    Old,
    /// each file old or new, where they are replaced one by one
    Mixed,
    New,
}

/// Contents before and after an undisturbed run.
struct States {
    old: Contents,
    new: Contents,
}

impl Scenario {
    fn prepared(&self) -> Place {
        let place = Place::new();
        (self.prepare)(&place);
        place
    }

    /// The run; under `strace`, if that has arguments.
    fn command(&self, place: &Place, strace: &[&str]) -> Command {
        let words =
            if strace.is_empty() { vec![] } else { [&["strace", "-f", "-qq", "-e", "signal=none"], strace].concat() };
        let words: Vec<&str> = words.into_iter().chain([TORUSWEAVE]).chain(self.line.split(' ')).collect();
        let mut command = Command::new(words[0]);
        // cargo's library path costs the loader two hundred calls that are none of ours
        command.args(&words[1..]).current_dir(place.path().join(self.folder)).env_remove("LD_LIBRARY_PATH");
        command
    }

    fn undisturbed(&self, place: &Place) {
        let ended = Ended::from(self.command(place, &[]).output().unwrap());
        assert_eq!(ended.code, 0, "{}: {}", self.name, ended.stderr);
    }

    fn states(&self) -> States {
        let place = self.prepared();
        let old = place.contents();
        self.undisturbed(&place);
        States { old, new: place.contents() }
    }

    /// Checks that the state after a disturbed run is allowed, and that the next run repairs everything.
    fn judge(&self, States { old, new }: &States, place: &Place, what: &str) -> Found {
        let found = without_staging(place.contents());
        let is = match () {
            () if found == *old => Found::Old,
            () if found == *new => Found::New,
            () => Found::Mixed,
        };
        if is == Found::Mixed {
            assert!(!self.is_whole, "{}, {what}: {:?}", self.name, found.keys());
            for (path, bytes) in &found {
                let is_one = [old, new].iter().any(|state| state.get(path) == Some(bytes));
                assert!(is_one || path == "out/MANIFEST", "{}, {what}: {path}", self.name);
            }
            for path in old.keys().filter(|path| new.contains_key(*path)) {
                assert!(found.contains_key(path), "{}, {what}: no {path}", self.name);
            }
        }
        self.undisturbed(place);
        assert!(place.contents() == *new, "{}, {what}: the next run", self.name);
        is
    }
}

/// Faults at each system call: the run is killed, or the call fails.
const FAULTS: [(&str, &[&str]); 12] = [
    ("mkdir", &["signal=KILL", "error=EIO", "error=ENOSPC", "error=EACCES"]),
    ("rename", &["signal=KILL", "error=EIO", "error=ENOSPC"]),
    ("renameat2", &["signal=KILL", "error=EIO", "error=EINVAL", "error=ENOSYS"]),
    ("unlink", &["signal=KILL", "error=EIO"]),
    ("unlinkat", &["signal=KILL", "error=EIO"]),
    ("rmdir", &["signal=KILL", "error=EIO"]),
    ("fchmod", &["signal=KILL", "error=EIO"]),
    ("chmod", &["signal=KILL", "error=EIO"]),
    ("flock", &["signal=KILL", "error=EBADF"]),
    ("statx", &["signal=KILL", "error=EIO"]),
    ("openat", &["signal=KILL", "error=EIO", "error=ENOSPC", "error=EMFILE"]),
    ("write", &["signal=KILL", "error=EIO", "error=ENOSPC"]),
];

/// Number of calls of one kind above which only a sample is tried.
const SAMPLE: usize = 2;

/// Errors that every call is answered with, besides.
const ERRORS: [&str; 3] = ["error=EIO", "error=ENOSPC", "error=EINTR"];

/// Calls whose names an undisturbed run makes with files, folders and what is open.
fn names(scenario: &Scenario) -> BTreeSet<String> {
    let classes = ["-e", "trace=%file,%desc"];
    let traced = scenario.command(&scenario.prepared(), &classes).output().unwrap();
    let said = String::from_utf8_lossy(&traced.stderr).into_owned();
    let names = said.lines().filter_map(|line| {
        // a call of another thread: `[pid 123] read(`
        let line = line.strip_prefix("[pid").map_or(line, |line| line.split_once("] ").map_or("", |(_, line)| line));
        let (name, _) = line.split_once('(')?;
        name.bytes().all(|letter| letter.is_ascii_alphanumeric() || letter == b'_').then(|| name.to_owned())
    });
    // the run itself; without memory the runtime gives up before the program begins
    names.filter(|name| !["execve", "mmap"].contains(&name.as_str())).collect()
}

/// Number of times an undisturbed run makes a call.
fn calls(scenario: &Scenario, call: &str) -> usize {
    let traced = scenario.command(&scenario.prepared(), &["-e", &format!("trace={call}")]).output().unwrap();
    let lines = String::from_utf8_lossy(&traced.stderr).into_owned();
    lines.lines().filter(|line| line.contains(&format!("{call}(")) && !line.contains("resumed")).count()
}

/// Tries a fault at some of a run's calls of a name: at all of them on request, else at about so many.
fn try_fault(scenario: &Scenario, states: &States, call: &str, fault: &str, calls: usize, sample: usize) {
    let step = if is_full() { 1 } else { calls.div_ceil(sample).max(1) };
    let mut counts = [0; 3];
    for when in (1..=calls).rev().step_by(step) {
        let place = scenario.prepared();
        let inject = format!("inject={call}:{fault}:when={when}");
        let trace = format!("trace={call}");
        let disturbed = scenario.command(&place, &["-e", &trace, "-e", &inject]).output().unwrap();
        let said = String::from_utf8_lossy(&disturbed.stderr);
        assert!(!said.contains("panicked"), "{}, {inject}: {said}", scenario.name);
        assert_ne!(disturbed.status.code(), Some(101), "{}, {inject}: {said}", scenario.name);
        let found = scenario.judge(states, &place, &inject);
        assert!(found == Found::New || !disturbed.status.success(), "{}, {inject}: a lie", scenario.name);
        counts[found as usize] += 1;
    }
    let ([old, mixed, new], points) = (counts, counts.iter().sum::<u32>());
    if points > 0 {
        println!("{:28}{call:12}{fault:14}{points:8}{old:8}{mixed:8}{new:8}", scenario.name);
    }
}

#[test]
fn a_fault_at_any_call_leaves_old_or_new() {
    if !has("strace") {
        return;
    }
    println!("{:28}{:12}{:14}{:>8}{:>8}{:>8}{:>8}", "", "call", "fault", "points", "old", "mixed", "new");
    for scenario in &SCENARIOS {
        let states = scenario.states();
        for (call, faults) in FAULTS {
            let calls = calls(scenario, call);
            for fault in faults {
                try_fault(scenario, &states, call, fault, calls, SAMPLE);
            }
        }
    }
}

/// Calls with stdout of an undisturbed run, by their place among all calls of that name.
fn calls_with_stdout(place: &Place, line: &str, call: &str) -> Vec<usize> {
    let mut command = Command::new("strace");
    command.args(["-f", "-qq", "-e", "signal=none", "-e", &format!("trace={call}"), TORUSWEAVE]);
    let traced = command.args(line.split(' ')).current_dir(place.path()).output().unwrap();
    let said = String::from_utf8_lossy(&traced.stderr).into_owned();
    let made = said.lines().filter(|line| line.contains(&format!("{call}(")) && !line.contains("resumed"));
    let of_stdout = |line: &str| [",", ")"].iter().any(|end| line.contains(&format!("{call}(1{end}")));
    (1..).zip(made).filter(|(_, line)| of_stdout(line)).map(|(at, _)| at).collect()
}

#[test]
fn result_that_is_lost_when_stdout_is_written_or_closed_is_no_success() {
    if !has("strace") {
        return;
    }
    let place = Place::new();
    let lines = [
        "check --torus 3x2",
        "schemes --format json",
        "program --torus 3x2",
        "generate --torus 3x2 --out out",
        "--help",
    ];
    let mut points = 0;
    for (line, call) in lines.iter().flat_map(|line| ["write", "close"].map(|call| (line, call))) {
        let calls = calls_with_stdout(&place, line, call);
        assert!(!calls.is_empty(), "{line} never makes {call}(1)");
        for (when, fault) in calls.iter().flat_map(|&when| ERRORS.map(|fault| (when, fault))) {
            let inject = format!("inject={call}:{fault}:when={when}");
            let mut command = Command::new("strace");
            command.args(["-f", "-qq", "-e", "signal=none", "-e", &format!("trace={call}"), "-e", &inject, TORUSWEAVE]);
            let disturbed = command.args(line.split(' ')).current_dir(place.path()).output().unwrap();
            let said = String::from_utf8_lossy(&disturbed.stderr);
            // a write that was interrupted is made again, and what was interrupted when it was closed is closed
            let code = if fault == "error=EINTR" { 0 } else { 2 };
            assert_eq!(disturbed.status.code(), Some(code), "{line}, {inject}: {said}");
            assert_eq!(said.contains("error: "), code == 2, "{line}, {inject}: {said}");
            points += 1;
        }
    }
    println!("{points} faults of stdout");
}

#[test]
fn an_error_of_any_call_with_files_leaves_old_or_new_and_is_never_a_panic() {
    if !has("strace") {
        return;
    }
    println!("{:28}{:12}{:14}{:>8}{:>8}{:>8}{:>8}", "", "call", "fault", "points", "old", "mixed", "new");
    for (turn, scenario) in SCENARIOS.iter().enumerate() {
        let states = scenario.states();
        let names = names(scenario);
        assert!(["fsync", "close", "renameat2"].iter().filter(|call| names.contains(**call)).count() >= 2, "{names:?}");
        for (at, call) in names.iter().enumerate() {
            let calls = calls(scenario, call);
            let faults = ERRORS.into_iter().filter(|fault| !is_tried(call, fault));
            // in a quick run one error per call, another one for the next call and in the next scenario
            for fault in sampled(faults.cycle().skip(at + turn).take(ERRORS.len()), ERRORS.len()) {
                try_fault(scenario, &states, call, fault, calls, 1);
            }
        }
    }
}

/// Returns true if the other table has it.
fn is_tried(call: &str, fault: &str) -> bool {
    FAULTS.iter().any(|(name, faults)| *name == call && faults.contains(&fault))
}

/// Random numbers, the same in every run of the tests.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        // xorshift64: Marsaglia, 2003
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % bound
    }
}

#[test]
fn a_kill_at_any_time_leaves_old_or_new() {
    let mut random = Random(1998);
    println!("{:28}{:>8}{:>8}{:>8}{:>8}", "", "kills", "old", "mixed", "new");
    for scenario in &SCENARIOS[..4] {
        let states = scenario.states();
        // the quickest of a few: a kill after the end shows nothing
        let time = |_| {
            let place = scenario.prepared();
            let start = Instant::now();
            scenario.undisturbed(&place);
            start.elapsed().as_micros() as u64
        };
        let longest = (0..5).map(time).min().unwrap();
        let (kills, mut counts) = (runs() / 4, [0; 3]);
        for kill in 0..kills {
            let place = scenario.prepared();
            let mut command = scenario.command(&place, &[]);
            let mut child = command.stdout(Stdio::null()).spawn().unwrap();
            thread::sleep(Duration::from_micros(random.below(longest)));
            child.kill().unwrap();
            child.wait().unwrap();
            counts[scenario.judge(&states, &place, &format!("kill {kill}")) as usize] += 1;
        }
        let [old, mixed, new] = counts;
        println!("{:28}{kills:8}{old:8}{mixed:8}{new:8}", scenario.name);
    }
}

#[test]
fn concurrent_runs_leave_one_of_them_whole() {
    const AT_ONCE: usize = 5;
    const LINES: [&str; 2] = ["generate --torus 2x2 --out out", "generate --torus 3x2 --out out"];
    let designs = LINES.map(|line| {
        let place = Place::new();
        assert_eq!(place.run(line).code, 0);
        contents(&place.path().join("out"))
    });
    for (name, has_foreign) in [("a folder of ours", false), ("foreign files beside ours", true)] {
        let place = Place::new();
        let (runs, mut refused) = (runs() / 2, 0);
        for round in 0..runs / AT_ONCE {
            if has_foreign {
                place.write("out/precious", "mine");
            }
            let spawn = |run: usize| {
                let mut command = place.command();
                command.args(LINES[run % 2].split(' ')).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap()
            };
            let children: Vec<Child> = (0..AT_ONCE).map(spawn).collect();
            for child in children {
                let ended = Ended::from(child.wait_with_output().unwrap());
                assert!(ended.code == 0 || ended.stderr.contains("another program holds the lock"), "{}", ended.stderr);
                refused += usize::from(ended.code != 0);
            }
            let mut found = contents(&place.path().join("out"));
            assert_eq!(found.remove("precious").is_some(), has_foreign);
            assert!(designs.contains(&found), "{name}: {:?}", found.keys());
            assert!(!place.contents().into_keys().any(|path| is_staging(&path)), "{name}: something is left");
            if !has_foreign && round % 2 == 0 {
                // the first of the next finds none
                fs::remove_dir_all(place.path().join("out")).unwrap();
            }
        }
        println!("{name:28}{runs:8} concurrent runs, {AT_ONCE} at once: {refused} refused");
    }
}
