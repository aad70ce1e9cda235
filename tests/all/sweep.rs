//! Studies of many designs: Snakemake runs the cells, and the table is made of what the commands print.
#![cfg(unix)]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use rustix::process::{Pid, Signal, kill_process_group};
use serde_json::Value;

use crate::fixtures::command::{Ended, Place, TORUSWEAVE, project};
use crate::fixtures::tools::has;

/// A study in a place, with the results of its commands.
struct Study(Place);

impl Study {
    fn new(sweep: &str) -> Self {
        let place = Place::new();
        place.write("sweep.yaml", sweep);
        let ended = place.run("sweep sweep.yaml --out study");
        assert_eq!(ended.code, 0, "{}", ended.stderr);
        Self(place)
    }

    fn folder(&self) -> PathBuf {
        self.0.path().join("study")
    }

    fn read(&self, path: &str) -> String {
        fs::read_to_string(self.folder().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
    }

    /// A command in the folder of the study, without what a home folder may set.
    fn command(&self, program: &str, arguments: &str) -> Command {
        let mut command = Command::new(program);
        command.args(arguments.split_whitespace()).current_dir(self.folder());
        command.env("HOME", self.0.path()).env("XDG_CACHE_HOME", self.0.path().join("cache")).env("LC_ALL", "C.UTF-8");
        command.env_remove("SNAKEMAKE_PROFILE");
        command
    }

    fn snakemake(&self, arguments: &str) -> Command {
        // Ctrl-C is heard in the background of a shell, too, which ignores it
        self.command("env", &format!("--default-signal=INT snakemake {arguments} --config torusweave={TORUSWEAVE}"))
    }

    fn run(&self, arguments: &str) -> String {
        let output = self.snakemake(arguments).output().unwrap();
        let said = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{said}");
        said
    }

    /// Records of the commands that have ended, and when each was written.
    fn ends(&self) -> BTreeMap<PathBuf, SystemTime> {
        let cells = fs::read_dir(self.folder().join("cells")).unwrap().map(|cell| cell.unwrap().path());
        let files = cells.flat_map(|cell| fs::read_dir(cell).unwrap()).map(|file| file.unwrap().path());
        let ends = files.filter(|path| path.to_string_lossy().ends_with(".end.json"));
        ends.map(|path| (path.clone(), fs::metadata(path).unwrap().modified().unwrap())).collect()
    }

    /// Starts Snakemake, and kills it with all its commands once so many commands have ended.
    fn kill_after(&self, ended: usize, signal: Signal) -> BTreeMap<PathBuf, SystemTime> {
        let mut command = self.snakemake("-j 2");
        let mut child: Child = command.process_group(0).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        let limit = Instant::now() + Duration::from_secs(60);
        while self.ends().len() < ended {
            assert!(Instant::now() < limit, "{} commands have ended", self.ends().len());
            assert!(child.try_wait().unwrap().is_none(), "it ended before it was killed");
            thread::sleep(Duration::from_millis(5));
        }
        let group = Pid::from_raw(child.id().cast_signed()).unwrap();
        kill_process_group(group, signal).unwrap();
        // it may wait for ever for a command that the signal has ended, too
        let limit = Instant::now() + Duration::from_secs(5);
        while child.try_wait().unwrap().is_none() {
            if Instant::now() > limit {
                kill_process_group(group, Signal::KILL).unwrap();
            }
            thread::sleep(Duration::from_millis(5));
        }
        self.ends()
    }

    /// Rows of table.csv by the names of its columns.
    fn rows(&self) -> Vec<BTreeMap<String, String>> {
        let text = self.read("table.csv");
        let mut lines = text.lines().map(fields);
        let head = lines.next().unwrap();
        lines.map(|row| head.iter().cloned().zip(row).collect()).collect()
    }
}

/// Fields of a line of comma-separated values.
fn fields(line: &str) -> Vec<String> {
    let mut fields = vec![String::new()];
    let mut is_quoted = false;
    for c in line.chars() {
        match c {
            '"' => is_quoted = !is_quoted,
            ',' if !is_quoted => fields.push(String::new()),
            c => fields.last_mut().unwrap().push(c),
        }
    }
    fields
}

/// 24 cells, each with two commands.
const MANY: &str = "
over: { topology: [{ torus: [4, 4] }, { torus: [6, 8] }, { mesh: [5, 5] }], scheme: [auto, optimal], link.width: [8, 16, 24, 32] }
design: { collective: all-reduce, operation: sum, local: { order: origin } }
do: [check, simulate]
";

#[test]
fn a_study_killed_twice_has_the_table_of_one_run() {
    if !has("snakemake") {
        return;
    }
    let [whole, killed] = [Study::new(MANY), Study::new(MANY)];
    whole.run("-j 2");
    assert_eq!((whole.rows().len(), whole.ends().len()), (24, 48));
    let mut done: BTreeMap<PathBuf, SystemTime> = BTreeMap::new();
    // two commands run at once, and those that Snakemake has not seen end are run again
    let assert_kept = |done: &BTreeMap<PathBuf, SystemTime>, ends: &BTreeMap<PathBuf, SystemTime>| {
        let again = done.iter().filter(|(path, time)| ends.get(*path) != Some(time)).count();
        assert!(again <= 2, "{again} commands were run again");
    };
    for (after, signal) in [(6, Signal::INT), (20, Signal::KILL)] {
        let ends = killed.kill_after(after, signal);
        // Snakemake takes away what was written while it was killed
        assert!((after - 4..44).contains(&ends.len()), "killed after {} of 48 commands", ends.len());
        assert_kept(&done, &ends);
        assert!(!killed.folder().join("table.csv").exists());
        done = ends;
        // one that was killed at once leaves its lock
        assert!(killed.snakemake("-j 2 --unlock").output().unwrap().status.success());
    }
    killed.run("-j 2");
    assert_kept(&done, &killed.ends());
    for table in ["table.csv", "table.md"] {
        assert!(killed.read(table) == whole.read(table), "{table} differs:\n{}", killed.read(table));
    }
    assert!(killed.run("-j 2").contains("Nothing to be done"));
    for row in whole.rows() {
        let expected =
            if (&*row["topology"], &*row["scheme"]) == ("mesh 5x5", "optimal") { "refused" } else { "passed" };
        assert_eq!((&*row["result"], row["simulate.passed"] == "true"), (expected, expected == "passed"));
    }
}

/// The study of docs/sweeps.md.
const SHOWN: &str = "examples/sweeps/hx1k.yaml";

#[test]
fn cells_that_are_refused_or_do_not_fit_are_rows_with_the_reason() {
    if !has("snakemake") || !has("nextpnr-ice40") || !has("z3") {
        return;
    }
    let study = Study::new(&fs::read_to_string(project().join(SHOWN)).unwrap());
    study.run("-j 2");
    let rows = study.rows();
    let row = |topology: &str, scheme: &str, width: &str| {
        let is_it = |row: &&BTreeMap<String, String>| {
            (&*row["topology"], &*row["scheme"], &*row["link.width"]) == (topology, scheme, width)
        };
        let found = rows.iter().find(is_it).unwrap();
        (found["result"].as_str(), found["reason"].as_str(), found["fpga.fmax_mhz"].is_empty())
    };
    assert_eq!((rows.len(), row("torus 2x2", "optimal", "4")), (12, ("passed", "", false)));
    let refused = "check, simulate, fpga, prove: scheme: staircase needs two axes, n1 or n2 even; the cycle is 5";
    assert_eq!(row("cycle 5", "staircase", "8"), ("refused", refused, true));
    let (result, reason, has_no_clock) = row("torus 2x2", "optimal", "24");
    assert!(result == "does not fit" && has_no_clock, "{result}: {reason}");
    let flip_flops = reason.strip_prefix("fpga: ").and_then(|reason| reason.strip_suffix(" ff of 1280"));
    assert!(flip_flops.is_some_and(|number| number.parse::<u32>().is_ok_and(|number| number > 1280)), "{reason}");
    // people see the same
    let page = study.read("table.md");
    let fails =
        "| `torus_2x2-optimal-width_24` | `torusweave fpga config.yaml --format json --device hx1k` | does not fit | ";
    assert!(page.contains(fails) && page.contains("(plots/fpga.svg)"), "{page}");
    let plot = study.read("plots/fpga.svg");
    assert!(plot.contains("<title>cycle_5-optimal-width_4: ") && !plot.contains("width_24"), "{plot}");
    assert!(plot.contains("prefers-color-scheme:dark"));
    assert_eq!(study.read("seconds.csv").lines().count(), 49);
    // docs show what the tools of Debian 12 say
    let version = Command::new("yosys").arg("-V").output().unwrap().stdout;
    if version.starts_with(b"Yosys 0.23 ") {
        let picture = project().join("docs/sweeps/fpga.svg");
        if std::env::var("INSTA_UPDATE").is_ok_and(|value| value == "always") {
            fs::create_dir_all(picture.parent().unwrap()).unwrap();
            fs::write(&picture, &plot).unwrap();
        }
        assert!(fs::read_to_string(picture).unwrap() == plot, "docs/sweeps/fpga.svg is out of date");
        let table = page.lines().filter(|line| line.starts_with("| "));
        let docs = fs::read_to_string(project().join("docs/sweeps.md")).unwrap();
        for line in table {
            assert!(docs.contains(&format!("\n{line}\n")), "docs/sweeps.md does not have this line:\n{line}");
        }
    }
}

/// Answers of Slurm: a job has ended when `sbatch` comes back, and every command line is kept.
const SBATCH: &str = r#"
echo "$*" >> "$ASKED"
for script; do :; done
sh "$script" > "$ASKED.log" 2>&1 || { cat "$ASKED.log" >&2; exit 1; }
wc -l < "$ASKED""#;

#[test]
fn slurm_gets_one_job_per_command() {
    if !has("snakemake") {
        return;
    }
    let study = Study::new(
        "over: { link.width: [8, 16] }\ndesign: { topology: { cycle: 4 } }\ndo: [check, draw --out picture.svg]\n",
    );
    study.0.write_tool("bin/sbatch", SBATCH);
    study.0.write_tool("bin/sacct", "echo \"$*\" >> \"$ASKED.status\"; echo COMPLETED");
    let bin = std::iter::once(study.0.path().join("bin"));
    let path = std::env::var_os("PATH").unwrap();
    let asked = study.0.path().join("asked");
    let mut command = study.snakemake("--profile slurm --latency-wait 5 --seconds-between-status-checks 1");
    command.env("PATH", std::env::join_paths(bin.chain(std::env::split_paths(&path))).unwrap()).env("ASKED", &asked);
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let lines = fs::read_to_string(&asked).unwrap();
    let lines: BTreeSet<&str> = lines.lines().map(|line| line.rsplit_once(' ').unwrap().0).collect();
    let line = |job: &str| {
        format!(
            "--parsable --job-name=torusweave --output=.snakemake/slurm-%j.log --comment={job} --cpus-per-task=1 \
             --mem=4000M --time=120"
        )
    };
    let jobs = ["width_16/check", "width_16/draw", "width_8/check", "width_8/draw"].map(line);
    assert_eq!(lines, jobs.iter().map(String::as_str).collect());
    let status = fs::read_to_string(asked.with_extension("status")).unwrap();
    let query = "--jobs 1 --allocations --noheader --parsable2 --format State";
    assert!(status.lines().any(|line| line == query), "{status}");
    assert_eq!(study.rows().len(), 2);
    assert!(study.read("cells/width_8/picture.svg").starts_with("<svg"));
}

#[test]
fn states_of_slurm_are_understood() {
    if !has("python3") {
        return;
    }
    let study = Study::new(MANY);
    for (state, status) in [
        ("COMPLETED", "success"),
        ("CANCELLED by 1000", "failed"),
        ("TIMEOUT", "failed"),
        ("OUT_OF_MEMORY", "failed"),
        ("PENDING", "running"),
        ("", "running"),
    ] {
        study.0.write_tool("bin/sacct", &format!("echo '{state}'"));
        let path = format!("{}:{}", study.0.path().join("bin").display(), std::env::var("PATH").unwrap());
        let ended = Ended::from(study.command("python3", "slurm/status.py 7").env("PATH", path).output().unwrap());
        assert_eq!((ended.code, ended.stdout.trim()), (0, status), "{state}");
    }
}

#[test]
fn a_command_without_its_tool_or_killed_is_no_result_and_is_named() {
    if !has("python3") {
        return;
    }
    let study = Study::new("over: { topology: [{ cycle: 3 }] }\ndo: [check, fpga --device hx1k]\n");
    // the interpreter itself: what the PATH names may be a script that needs the PATH
    let python = Command::new("python3").args(["-c", "import sys; print(sys.executable)"]).output().unwrap().stdout;
    let python = String::from_utf8(python).unwrap();
    let called = |program: &str, command: &str, path: &str| {
        let mut run = study.command(python.trim(), &format!("run.py {program} cycle_3 {command}"));
        if !path.is_empty() {
            run.env("PATH", path);
        }
        Ended::from(run.output().unwrap())
    };
    let named = "`torusweave fpga config.yaml --format json --device hx1k` in cells/cycle_3";
    let ended = called(TORUSWEAVE, "fpga", "/nowhere");
    assert_eq!(ended.code, 1);
    assert!(ended.stderr.contains(&format!("{named} needs a tool that this machine does not have")), "{ended:?}");
    for (script, how) in [("kill -9 $$", "was ended by signal 9"), ("exit 101", "ended with exit code 101")] {
        study.0.write_tool("study/broken", script);
        let ended = called("./broken", "fpga", "");
        assert_eq!((ended.code, ended.stderr.trim()), (1, format!("{named} {how}").as_str()));
        assert!(study.read("cells/cycle_3/fpga.log").ends_with(&format!("{how}\n")));
    }
    let ended = called("no-such-torusweave", "fpga", "");
    assert!(ended.code == 1 && ended.stderr.contains("--config torusweave=PATH"), "{ended:?}");
    assert!(study.ends().is_empty());
    // the table says so, in the middle of a study as well
    assert_eq!(called(TORUSWEAVE, "check", "").code, 0);
    assert_eq!(Ended::from(study.command("python3", "table.py").output().unwrap()).stderr, "");
    let rows = study.rows();
    assert_eq!((rows[0]["result"].as_str(), rows[0]["reason"].as_str()), ("not run", "fpga: has not run yet"));
    assert_eq!(rows[0]["check.ticks"], "1");
}

/// Clocks of four seeds with what limits them; the second slowest is the median.
const LIMITS: &str = r#"
    { "seed": 1, "mhz": 30.0, "limit": { "from": "c", "to": "d" } }, { "seed": 2, "mhz": 20.0, "limit": { "from": "a", "to": "b" } },
    { "seed": 3, "mhz": 10.0, "limit": { "from": "e", "to": "f" } }, { "seed": 4, "mhz": 40.0, "limit": { "from": "g", "to": "h" } }
"#;

/// Areas and clocks of four designs with the same ticks, and whether one is on the front of its network.
const PLACED: [(&str, &str, u32, f64, bool); 6] = [
    ("path_3", "width_8", 100, 100.0, true),
    ("path_3", "width_16", 200, 200.0, true),
    ("path_3", "width_24", 200, 150.0, false),
    ("path_3", "width_32", 300, 200.0, false),
    ("path_4", "width_8", 400, 50.0, true),
    ("path_4", "width_16", 500, 40.0, false),
];

#[test]
fn the_front_has_the_designs_that_no_other_beats() {
    if !has("python3") {
        return;
    }
    let study = Study::new(
        "over: { topology: [{ path: 3 }, { path: 4 }], link.width: [8, 16, 24, 32] }\ndo: [check, fpga --device hx1k]\n",
    );
    for (network, width, luts, clock, _) in PLACED {
        let cell = format!("study/cells/{network}-{width}");
        let end = r#"{ "command": [], "exit": 0, "seconds": 1.0 }"#;
        for (step, document) in [
            ("check", r#"{ "ticks": 10, "passed": true }"#.to_owned()),
            ("fpga", format!(r#"{{ "fmax_mhz": {clock}, "design": {{ "lut": {luts} }}, "timings": [{LIMITS}] }}"#)),
        ] {
            study.0.write(&format!("{cell}/{step}.end.json"), end);
            study.0.write(&format!("{cell}/{step}.log"), "");
            study.0.write(&format!("{cell}/{step}.json"), document);
        }
    }
    let ended = Ended::from(study.command("python3", "table.py").output().unwrap());
    assert_eq!((ended.code, ended.stderr.as_str()), (0, ""));
    let rows = study.rows();
    for (network, width, luts, clock, is_front) in PLACED {
        let (network, width) = (network.replace('_', " "), width.strip_prefix("width_").unwrap());
        let row = rows.iter().find(|row| row["topology"] == network && row["link.width"] == width).unwrap();
        let expected = [luts.to_string(), format!("{:?}", (100_000.0 / clock).round() / 10.0), is_front.to_string()];
        let found = ["fpga.design.lut", "fpga.time_ns", "fpga.front"].map(|column| row[column].clone());
        assert_eq!(found, expected, "{network} {width}");
        assert_eq!([&row["fpga.limit.from"], &row["fpga.limit.to"]], ["a", "b"]);
    }
    // full marks and names on the fronts, open marks elsewhere
    let plot = study.read("plots/fpga.svg");
    let marks = |class: &str| plot.matches(&format!("class=\"{class}\"")).count();
    assert_eq!((marks("c0 open"), marks("c1 open"), marks("line c0"), marks("line c1")), (2, 1, 1, 1), "{plot}");
}

/// Sweeps that are wrong, with the error and the cure.
const WRONG: [(&str, &str, &str); 26] = [
    ("", "sweep `sweep.yaml` is empty", "a sweep has `over:"),
    (
        "over: { scheme: [auto] }\ndo: [check]",
        "topology: must stand in `over`, in `design` or in each of `cells`",
        "`design: { topology:",
    ),
    (
        "cells: [{ topology: { path: 3 } }, { scheme: auto }]\ndo: [check]",
        "topology: must stand in `over`, in `design` or in each of `cells`",
        "`design: { topology:",
    ),
    (
        "design: { topology: { path: 3 } }\ndo: [check]",
        "over: must name at least one field",
        "or list designs in `cells`",
    ),
    (
        "cells: { topology: { path: 3 } }\ndo: [check]",
        "cells: must be a list with one design at least",
        "write it like `cells: [{ scheme: auto }",
    ),
    (
        "cells: []\ndo: [check]",
        "cells: must be a list with one design at least",
        "write it like `cells: [{ scheme: auto }",
    ),
    (
        "cells: [{ topology: { path: 3 } }, path-4.yaml]\ndo: [check]",
        "cells.1: must be a map of fields (is \"path-4.yaml\")",
        "write it like `{ scheme: optimal",
    ),
    (
        "cells: [{ topology: { path: 3 } }, { topology: { path: 3 } }]\ndo: [check]",
        "cells.1: sets the same fields as cells.0",
        "leave one of them out",
    ),
    (
        "cells: [{ name: a, topology: { path: 3 } }, { name: a, topology: { path: 4 } }]\ndo: [check]",
        "cells: two have the name \"a\"",
        "a name of its own",
    ),
    (
        "cells: [{ topology: { path: 3 } }, { topology: { path: 3 }, link.widht: 8 }]\ndo: [check]",
        "`cells.1.link.widht: 8`: unknown field `widht`, expected one of `width`",
        "`torusweave schema`",
    ),
    (
        "cells: [{ topology: { path: 3 }, link.width: 8 }]\nover: { link.width: [8] }\ndo: [check]",
        "`cells.0.link.width` and `over.link.width` set the same field",
        "leave one of them out",
    ),
    (
        "over: {}\ndesign: { topology: { path: 3 } }\ndo: [check]",
        "over: must name at least one field",
        "link.width: [8",
    ),
    (
        "over: { topology: { torus: [4, 4] } }\ndo: [check]",
        "over.topology: must be a list of values (is { torus: [4, 4] })",
        "write it like `over: { topology: [{ torus: [4, 4] }] }`",
    ),
    ("over: { topology: [] }\ndo: [check]", "over.topology: must be a list of values (is [])", "one value at least"),
    (
        "over: { topology: [{ path: 3 }], link.width: [8, 8] }\ndo: [check]",
        "over.link.width: has 8 twice",
        "leave one of them out",
    ),
    (
        "over: { topology: [{ path: 3 }], link.widht: [8] }\ndo: [check]",
        "`over.link.widht: 8`: unknown field `widht`, expected one of `width`",
        "`torusweave schema`",
    ),
    (
        "over: { topology: [{ path: 3 }], link.width: [8, wide] }\ndo: [check]",
        "`over.link.width: wide`: `wide` is not a whole number from 1 to 4096",
        "`torusweave schema`",
    ),
    (
        "over: { topology: [{ path: 3 }], link: [{ width: 8 }], link.width: [9] }\ndo: [check]",
        "`over.link` and `over.link.width` set the same field",
        "leave one of them out",
    ),
    (
        "over: { topology: [{ path: 3 }] }\ndesign: { colective: gossip }\ndo: [check]",
        "design: unknown field `colective`",
        "`torusweave schema`",
    ),
    (
        "over: { topology: [{ path: 3 }] }\ndesign: { scheme: missing.csv }\ndo: [check]",
        "scheme: cannot read `missing.csv`",
        "",
    ),
    ("over: { topology: [{ path: 3 }] }\ndo: []", "do: must name at least one command", "`do: [check]`"),
    ("over: { topology: [{ path: 3 }] }\ndo: [chekc]", "do: `chekc`: is no command of one design", "check, simulate"),
    (
        "over: { topology: [{ path: 3 }] }\ndo: [simulate --enigne icarus]",
        "do: `simulate --enigne icarus`: unexpected argument '--enigne' found",
        "`--engine` is near",
    ),
    (
        "over: { topology: [{ path: 3 }] }\ndo: [check --width 8]",
        "do: `check --width 8`: --width is a field of the design",
        "set the field in `design`, or vary it in `over`",
    ),
    (
        "over: { topology: [{ path: 3 }] }\ndo: [check --format text]",
        "do: `check --format text`: --format is set for every command",
        "leave it out",
    ),
    ("over: { topology: [{ path: 3 }] }\ndo: [check]\nmore: 1", "sweep `sweep.yaml`, line 3", "a sweep has `over:"),
];

#[test]
fn wrong_sweeps_are_refused_by_field_with_a_cure_and_write_nothing() {
    for (text, error, cure) in WRONG {
        let place = Place::new();
        place.write("sweep.yaml", text);
        let ended = place.run("sweep sweep.yaml --out study");
        assert_eq!((ended.code, ended.stdout.as_str()), (2, ""), "{text}");
        let (said, help) = ended.stderr.split_once("\nhelp: ").unwrap_or_else(|| panic!("{}", ended.stderr));
        assert!(said.starts_with(&format!("error: {error}")) && help.contains(cure), "{text}\n{}", ended.stderr);
        assert_eq!(place.contents().len(), 1, "{text}");
    }
    let place = Place::new();
    let numbers: Vec<String> = (1..=101).map(|number| number.to_string()).collect();
    let numbers = numbers.join(", ");
    place.write("sweep.yaml", format!("over: {{ link.width: [{numbers}], link.flits: [{numbers}] }}\ndesign: {{ topology: {{ path: 3 }} }}\ndo: [check]"));
    let ended = place.run("sweep sweep.yaml --out study");
    assert!(ended.stderr.contains("cells, over: the lists make 10201 designs, 10000 is the most"), "{}", ended.stderr);
}

#[test]
fn a_study_has_the_same_bytes_everywhere_and_takes_its_files_along() {
    let place = Place::new();
    let written = place.run("program --cycle 4 --collective all-reduce --operation sum --format csv");
    place.write("home/mine.csv", written.stdout);
    place.write(
        "home/sweep.yaml",
        "over: { scheme: [auto, { file: mine.csv }] }\n\
         design: { topology: { cycle: 4 }, collective: all-reduce, operation: sum }\ndo: [check, check --structural]\n",
    );
    let studies = ["one", "two"].map(|out| {
        let ended = place.run(&format!("sweep home/sweep.yaml --out {out}"));
        assert_eq!((ended.code, ended.stdout), (0, format!("wrote {out}: 2 cells, 2 commands each\n")));
        crate::fixtures::command::contents(&place.path().join(out))
    });
    assert_eq!(studies[0], studies[1]);
    for (path, bytes) in &studies[0] {
        let text = String::from_utf8_lossy(bytes);
        for ours in [place.path(), project()] {
            assert!(!text.contains(ours.to_str().unwrap()), "{path} names {}", ours.display());
        }
    }
    let study: Value = serde_json::from_slice(&studies[0]["study.json"]).unwrap();
    let names = |key: &str| -> Vec<String> {
        study[key].as_array().unwrap().iter().map(|one| one["name"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(
        (names("steps"), names("cells")),
        (vec!["check".into(), "check-2".into()], vec!["auto".into(), "file_mine_csv".into()])
    );
    // the folder has all that a cell needs
    fs::remove_dir_all(place.path().join("home")).unwrap();
    let ended = place.run("check one/cells/file_mine_csv/config.yaml");
    assert_eq!(ended.code, 0, "{}", ended.stderr);
}

/// Designs that differ in several fields at once, one of them with a name.
const CELLS: &str = "
cells:
  - { topology: { torus: [4, 4] }, scheme: staircase }
  - { topology: { mesh: [4, 5] }, scheme: hamiltonian, link.flits: 2 }
  - { name: ring_5, topology: { cycle: 5 } }
over: { link.width: [8, 16] }
do: [check]
";

#[test]
fn cells_set_several_fields_at_once_and_are_combined_with_over() {
    if !has("snakemake") {
        return;
    }
    let study = Study::new(CELLS);
    study.run("-j 2");
    let header = study.read("table.csv").lines().next().unwrap().to_owned();
    assert!(header.starts_with("topology,scheme,link.flits,name,link.width,result,"), "{header}");
    let rows: Vec<[String; 7]> = study
        .rows()
        .iter()
        .map(|row| {
            ["topology", "scheme", "link.flits", "name", "link.width", "result", "check.ticks"]
                .map(|name| row[name].clone())
        })
        .collect();
    let expected = [
        ["torus 4x4", "staircase", "", "", "8", "passed", "8"],
        ["torus 4x4", "staircase", "", "", "16", "passed", "8"],
        ["mesh 4x5", "hamiltonian", "2", "", "8", "passed", "20"],
        ["mesh 4x5", "hamiltonian", "2", "", "16", "passed", "20"],
        ["cycle 5", "", "", "ring_5", "8", "passed", "2"],
        ["cycle 5", "", "", "ring_5", "16", "passed", "2"],
    ];
    assert_eq!(rows, expected.map(|row| row.map(str::to_owned)));
    let folders = ["torus_4x4-staircase-width_8", "mesh_4x5-hamiltonian-flits_2-width_16", "ring_5-width_8"];
    for folder in folders {
        assert!(study.folder().join("cells").join(folder).join("check.json").exists(), "{folder}");
    }
    assert!(study.read("cells/ring_5-width_8/config.yaml").contains("name: \"ring_5\"\n"));
}

/// Flags of a design as docs/tables/fpga-cost.md has them: the field's last word, and its value.
fn flags(study: &Value, cell: &Value) -> String {
    let texts = |value: &Value| -> Vec<String> {
        value.as_array().unwrap().iter().map(|text| text.as_str().unwrap().to_owned()).collect()
    };
    let set = texts(&study["fields"]).into_iter().zip(texts(&cell["values"])).filter(|(_, value)| !value.is_empty());
    let flags = set.map(|(field, value)| match field.rsplit('.').next() {
        Some("topology") => format!("--{value}"),
        last => format!("--{} {value}", last.unwrap()),
    });
    flags.collect::<Vec<_>>().join(" ")
}

#[test]
fn designs_on_the_page_of_fpgas_are_the_cells_of_its_studies() {
    let place = Place::new();
    let page = fs::read_to_string(project().join("docs/tables/fpga-cost.md")).unwrap();
    let rows: Vec<&str> = page.lines().filter(|line| line.starts_with("| `--")).collect();
    let mut expected = Vec::new();
    for device in ["hx8k", "ecp5-25k", "ecp5-85k"] {
        place.write("sweep.yaml", fs::read_to_string(project().join(format!("sim/fpga/{device}.yaml"))).unwrap());
        let ended = place.run(&format!("sweep sweep.yaml --out {device}"));
        assert_eq!(ended.code, 0, "{}", ended.stderr);
        let study = fs::read_to_string(place.path().join(device).join("study.json")).unwrap();
        let study: Value = serde_json::from_str(&study).unwrap();
        let cells = study["cells"].as_array().unwrap();
        expected.extend(cells.iter().map(|cell| format!("| `{}` | {device} |", flags(&study, cell))));
    }
    assert_eq!(rows.len(), expected.len());
    for (row, expected) in rows.iter().zip(expected) {
        assert!(row.starts_with(&expected), "{row}, not {expected}");
    }
}

#[test]
fn lengths_of_a_file_stand_in_the_cells() {
    let study = {
        let place = Place::new();
        place.write("rows.txt", "0 1\n2 0\n");
        place.write(
            "sweep.yaml",
            "over: { topology: [{ path: 2 }] }\ndesign: { collective: exchange, lengths: rows.txt }\ndo: [check]\n",
        );
        let ended = place.run("sweep sweep.yaml --out study");
        assert_eq!(ended.code, 0, "{}", ended.stderr);
        Study(place)
    };
    assert!(study.read("cells/path_2/config.yaml").contains("lengths: \"0,1/2,0\"\n"));
    assert_eq!(study.0.run("check study/cells/path_2/config.yaml").code, 0);
}

#[test]
fn a_study_written_again_keeps_results_and_edited_queues() {
    let study = Study::new("over: { link.width: [8, 16] }\ndesign: { topology: { path: 3 } }\ndo: [check]\n");
    study.0.write("study/cells/width_8/check.end.json", "{}");
    study.0.write("study/slurm/config.yaml", "jobs: 1\n");
    study.0.write("sweep.yaml", "over: { link.width: [8, 24] }\ndesign: { topology: { path: 3 } }\ndo: [check]\n");
    let ended = study.0.run("sweep sweep.yaml --out study");
    assert_eq!(ended.code, 0, "{}", ended.stderr);
    assert!(
        ended.stderr.starts_with("kept study/slurm/config.yaml, edited since it was written\n"),
        "{}",
        ended.stderr
    );
    assert_eq!(study.read("cells/width_8/check.end.json"), "{}");
    assert_eq!(study.read("slurm/config.yaml"), "jobs: 1\n");
    assert!(study.folder().join("cells/width_24/config.yaml").exists());
    assert!(!study.folder().join("cells/width_16").exists());
    // a script that was edited is in the way
    study.0.write("study/run.py", "pass\n");
    let ended = study.0.run("sweep sweep.yaml --out study");
    assert!(ended.code == 2 && ended.stderr.contains("run.py"), "{}", ended.stderr);
    assert_eq!(study.0.run("sweep sweep.yaml --out study --force").code, 0);
}
