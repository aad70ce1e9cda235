//! Configs and commands by chance, from fixed seeds: whatever is asked, the answer is a result or a refusal.
//!
//! `cargo test --test all fuzz:: -- --nocapture` prints the figures; `TORUSWEAVE_FUZZ=10000` tries so many, and writes what goes
//! wrong, shrunk, to tests/corpus/, whose cases are tried every time. The tests are built with overflow checks.

mod case;
mod judge;

use std::collections::BTreeMap;
use std::fs;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

use crate::fixtures::command::project;
use case::Case;
use judge::{Seen, judge};

/// Another one is another 10,000 cases.
const SEED: u64 = 1998;

fn cases() -> u64 {
    let asked = std::env::var("TORUSWEAVE_FUZZ").ok().map(|text| text.parse().expect("TORUSWEAVE_FUZZ is a number"));
    asked.unwrap_or(if std::env::var_os("TORUSWEAVE_FULL").is_some() { 600 } else { 60 })
}

/// Statistics of the runs by command and exit code.
#[derive(Default)]
struct Figures {
    runs: BTreeMap<(String, i32), u64>,
    checks: BTreeMap<&'static str, u64>,
    wrong: Vec<(Case, String)>,
}

impl Figures {
    fn add(&mut self, case: Case, seen: Result<Seen, String>) {
        match seen {
            Ok(seen) => {
                *self.runs.entry((case.command().to_owned(), seen.code)).or_default() += 1;
                for check in seen.checks {
                    *self.checks.entry(check).or_default() += 1;
                }
            }
            Err(why) => self.wrong.push((case, why)),
        }
    }

    fn print(&self) {
        println!("{:14}{:>8}{:>8}{:>8}", "command", "fine", "failed", "refused");
        let mut commands: Vec<&str> = self.runs.keys().map(|(command, _)| command.as_str()).collect();
        commands.dedup();
        let count = |command: &str, code| self.runs.get(&(command.to_owned(), code)).copied().unwrap_or_default();
        for command in commands {
            let [fine, failed, refused] = [0, 1, 2].map(|code| count(command, code));
            println!("{command:14}{fine:8}{failed:8}{refused:8}");
        }
        for (check, passed) in &self.checks {
            println!("{passed:8} {check}");
        }
        println!("{} cases, {} wrong", self.runs.values().sum::<u64>(), self.wrong.len());
    }
}

#[test]
fn random_commands_are_answered_or_refused() {
    let (next, figures) = (AtomicU64::new(0), Mutex::new(Figures::default()));
    thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    if number >= cases() {
                        break;
                    }
                    let case = Case::by_chance(SEED.wrapping_mul(1 << 32).wrapping_add(number));
                    let seen = judge(&case);
                    figures.lock().unwrap().add(case, seen);
                }
            });
        }
    });
    let figures = figures.into_inner().unwrap();
    figures.print();
    let shrunk: Vec<String> = figures.wrong.iter().take(10).map(|(case, why)| report(case, why)).collect();
    assert!(figures.wrong.is_empty(), "{}", shrunk.join("\n"));
    // a fuzz in which every case is refused tests nothing: most are answered, some refused
    let with = |code| figures.runs.iter().filter(|((_, found), _)| *found == code).map(|(_, runs)| runs).sum::<u64>();
    assert!(with(0) > cases() / 4 && with(2) > cases() / 20, "{:?}", figures.runs);
}

/// A wrong case, as small as it gets; kept if that was asked for.
fn report(case: &Case, why: &str) -> String {
    let shrunk = case.shrunk(|smaller| judge(smaller).is_err());
    if std::env::var_os("TORUSWEAVE_FUZZ").is_some() {
        let name = shrunk.args.join("-");
        let name: String = name.chars().filter(|c| c.is_ascii_alphanumeric() || *c == '-').take(60).collect();
        let path = project().join(format!("tests/corpus/{name}.json"));
        fs::write(path, shrunk.to_json()).unwrap();
    }
    format!("{why}\n{}", shrunk.to_json())
}

#[test]
fn recorded_failures_do_not_return() {
    let entries = fs::read_dir(project().join("tests/corpus")).unwrap().map(|entry| entry.unwrap().path());
    let mut paths: Vec<_> = entries.filter(|path| path.extension().is_some_and(|end| end == "json")).collect();
    paths.sort();
    for path in paths {
        let case = Case::from_json(&fs::read_to_string(&path).unwrap());
        if let Err(why) = judge(&case) {
            panic!("{}: {why}", path.display());
        }
    }
}

/// The judge is judged: each kind of wrong answer is seen.
#[test]
fn a_wrong_answer_is_seen() {
    use judge::{is_xml, of_output};
    let said = |code, stdout: &str, stderr: &str| of_output(Some(code), stdout.as_bytes(), stderr.as_bytes());
    assert!(said(0, "x", "").is_ok() && said(2, "", "error: x\nhelp: y\n").is_ok());
    for (code, stdout, stderr) in [
        (101, "", "thread 'main' panicked at src/x.rs"),
        (0, "", "thread 'x' panicked at src/x.rs"),
        (3, "", ""),
        (2, "half a result", "error: x\nhelp: y\n"),
        (2, "", "no reason\n"),
        (2, "", "error: no help\n"),
        (0, "", "error: x\nhelp: y\n"),
    ] {
        assert!(said(code, stdout, stderr).is_err(), "{code} {stdout} {stderr}");
    }
    assert!(of_output(None, b"", b"").is_err(), "killed");
    assert!(is_xml("<a b=\"<\"><c/><d>x</d></a>"));
    for bad in ["<a>", "<a></b>", "</a>", "<a", "text", "<a/><b/>"] {
        assert!(!is_xml(bad), "{bad}");
    }
}

#[test]
fn a_case_shrinks_to_what_makes_it_wrong() {
    let case =
        Case::from_json(r#"{"args":["check","--torus","12x13x5","--flits","77","--format","json"],"config":"a\nb\n"}"#);
    let has_flits = |case: &Case| case.args.iter().any(|arg| arg == "--flits");
    assert_eq!(case.shrunk(has_flits).args, ["--flits"]);
    assert_eq!(Case::from_json(&case.to_json()), case);
}
