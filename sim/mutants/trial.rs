//! Tests that reach each mutant, and whether one of them fails with the mutant alive.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use rayon::prelude::*;
use rustix::process::{Pid, Signal, kill_process_group};
use torusweave::files::interrupt::{self, Undone};

use crate::compile::said;
use crate::list::Mutant;

/// The tests of a mutant run in rounds, each up to so many seconds of them.
const ROUNDS: [f64; 5] = [0.1, 0.5, 2.0, 5.0, 10.0];
/// Number of the tests that caught the last mutants which are run first.
const MOST_LAST: usize = 12;

/// A test that passes without mutants.
pub struct Test {
    binary: PathBuf,
    name: String,
    seconds: f64,
    reaches: BTreeSet<usize>,
}

impl Test {
    /// Number of leading rooms that the test's path shares with a file's.
    fn nearness(&self, file: &str) -> usize {
        let rooms = file.trim_start_matches("src/").trim_end_matches(".rs").split('/');
        rooms.zip(self.name.split("::")).take_while(|(room, other)| room == other).count()
    }
}

/// Outcome for a mutant.
#[derive(PartialEq, Eq)]
pub enum Fate {
    Caught,
    /// The tests never ended.
    Endless,
    Survived,
    /// No test reaches it.
    Unreached,
}

impl Fate {
    pub fn is_caught(&self) -> bool {
        matches!(self, Self::Caught | Self::Endless)
    }
}

/// Runs every test alone, in this folder, and notes what it reaches; a test that fails or takes longer is left out.
pub fn tests(folder: &Path, binaries: &[PathBuf], most: Duration) -> Result<Vec<Test>, String> {
    let mut names = Vec::new();
    for binary in binaries {
        let output = Command::new(binary).current_dir(folder).args(["--list", "--format", "terse"]).output();
        let listed = output.map_err(said(&binary.to_string_lossy()))?;
        let listed = String::from_utf8_lossy(&listed.stdout).into_owned();
        names.extend(listed.lines().filter_map(|line| Some((binary, line.strip_suffix(": test")?.to_owned()))));
    }
    let noted = |(number, (binary, name)): (usize, &(&PathBuf, String))| {
        let met = folder.with_file_name(format!("met-{number}"));
        let _ = fs::remove_file(&met);
        let start = Instant::now();
        let run = Run::start(folder, binary, [name.as_str()], |command| {
            command.env("MUTANTS_MET", &met);
        });
        let end = run.end(start + most);
        let seconds = start.elapsed().as_secs_f64();
        let reaches =
            fs::read_to_string(&met).unwrap_or_default().lines().filter_map(|line| line.parse().ok()).collect();
        let _ = fs::remove_file(&met);
        if end != End::Passed {
            eprintln!("left out: {name} ({})", if end == End::Late { "too long" } else { "fails" });
            return None;
        }
        Some(Test { binary: (*binary).clone(), name: name.clone(), seconds, reaches })
    };
    let mut tests: Vec<Test> = names.par_iter().enumerate().filter_map(noted).collect();
    // tests that see much in a short time come first
    let price = |test: &Test| test.seconds / (1 + test.reaches.len()) as f64;
    tests.sort_by(|one, other| price(one).total_cmp(&price(other)));
    Ok(tests)
}

/// Tries the mutants with these numbers; each gets as many of the tests that reach it as fit into `most` seconds.
pub fn fates(
    folder: &Path,
    tests: &[Test],
    (mutants, numbers): (&[Mutant], &[usize]),
    most: f64,
    told: impl Fn(usize, &Fate) + Sync,
) -> Vec<Fate> {
    let trials = Trials { folder, tests, mutants, most, last: Mutex::default() };
    let done = AtomicUsize::new(0);
    let find = |&number: &usize| {
        let fate = trials.fate(number);
        told(number, &fate);
        let done = done.fetch_add(1, Ordering::Relaxed) + 1;
        if done.is_multiple_of(100) {
            eprintln!("{done} of {}", numbers.len());
        }
        fate
    };
    numbers.par_iter().map(find).collect()
}

struct Trials<'t> {
    folder: &'t Path,
    tests: &'t [Test],
    mutants: &'t [Mutant],
    most: f64,
    /// the tests that caught the last mutants: they mostly catch their neighbours, too
    last: Mutex<VecDeque<usize>>,
}

impl Trials<'_> {
    fn fate(&self, number: usize) -> Fate {
        let rounds = self.rounds(number);
        if rounds.is_empty() {
            return Fate::Unreached;
        }
        for ((_, binary), tests) in rounds {
            let seconds: f64 = tests.iter().map(|&test| self.tests[test].seconds).sum();
            let names = tests.iter().map(|&test| self.tests[test].name.as_str());
            let run = Run::start(self.folder, binary, names, |command| {
                command.env("MUTANT", number.to_string());
            });
            match run.end(Instant::now() + Duration::from_secs_f64(20.0 + 5.0 * seconds)) {
                End::Passed => {}
                End::Failed(name) => {
                    if let Some(&test) = tests.iter().find(|&&test| self.tests[test].name == name) {
                        let mut last = self.last.lock().expect("no worker panics");
                        last.retain(|&other| other != test);
                        last.push_front(test);
                        last.truncate(MOST_LAST);
                    }
                    return Fate::Caught;
                }
                End::Late => return Fate::Endless,
            }
        }
        Fate::Survived
    }

    /// The tests of a mutant, by round and binary: those that caught the last mutants, those of its own room, the others.
    fn rounds(&self, number: usize) -> BTreeMap<(usize, &Path), Vec<usize>> {
        let reaches = |test: &usize| self.tests[*test].reaches.contains(&number);
        let last: Vec<usize> = self.last.lock().expect("no worker panics").iter().copied().filter(reaches).collect();
        let mut others: Vec<usize> =
            (0..self.tests.len()).filter(|test| reaches(test) && !last.contains(test)).collect();
        others.sort_by_key(|&test| Reverse(self.tests[test].nearness(&self.mutants[number].file)));
        let mut rounds: BTreeMap<(usize, &Path), Vec<usize>> = BTreeMap::new();
        let mut total = 0.0;
        for test in last.iter().copied().chain(others) {
            total += self.tests[test].seconds;
            if total > self.most && !rounds.is_empty() {
                break;
            }
            let round = ROUNDS.iter().filter(|&&seconds| total > seconds).count();
            rounds.entry((round, &self.tests[test].binary)).or_default().push(test);
        }
        rounds
    }
}

#[derive(PartialEq, Eq)]
enum End {
    Passed,
    /// The first test that failed.
    Failed(String),
    Late,
}

/// Tests of one binary in a process group of their own, so that they end with all that they started, after an interrupt, too.
struct Run {
    child: Child,
    _undone: Undone,
}

impl Run {
    fn start<'n>(
        folder: &Path,
        binary: &Path,
        names: impl IntoIterator<Item = &'n str>,
        set: impl FnOnce(&mut Command),
    ) -> Run {
        use std::os::unix::process::CommandExt;
        let mut command = Command::new(binary);
        command.args(["--exact", "--test-threads", "1"]).args(names);
        command.current_dir(folder).env("CARGO_MANIFEST_DIR", folder).env("INSTA_UPDATE", "no");
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()).process_group(0);
        set(&mut command);
        let (child, undone) = interrupt::undone(
            || command.spawn(),
            |child| {
                let group = Pid::from_child(child);
                Box::new(move || kill_process_group(group, Signal::KILL).is_ok())
            },
        )
        .expect("a test binary that was just built starts");
        Run { child, _undone: undone }
    }

    /// Waits until all pass, one fails, or it is too late.
    fn end(mut self, latest: Instant) -> End {
        let group = Pid::from_child(&self.child);
        let output = self.child.stdout.take().expect("it was piped");
        let ended = thread::scope(|scope| {
            let watch = scope.spawn(move || {
                let mut name = String::new();
                for line in BufReader::new(output).lines().map_while(Result::ok) {
                    if let Some(rest) = line.strip_prefix("test ") {
                        rest.split(" ... ").next().unwrap_or_default().clone_into(&mut name);
                    }
                    if line.ends_with("FAILED") {
                        return Some(name);
                    }
                }
                None
            });
            while !watch.is_finished() {
                if Instant::now() > latest {
                    let _ = kill_process_group(group, Signal::KILL);
                    return None;
                }
                thread::sleep(Duration::from_millis(5));
            }
            watch.join().ok()
        });
        // output left by the child, which has ended
        let _ = kill_process_group(group, Signal::KILL);
        let status = self.child.wait();
        match ended {
            None => End::Late,
            Some(Some(test)) => End::Failed(test),
            Some(None) if status.is_ok_and(|status| status.success()) => End::Passed,
            // aborted: out of stack or memory
            Some(None) => End::Failed(String::from("all")),
        }
    }
}
