//! Tools that hang, lie, flood or leave things behind; interrupts; and the cache of Verilator's run-time library.
#![cfg(unix)]

use std::ffi::OsStr;
use std::fs;
use std::io::Read;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

use crate::fixtures::command::{Ended, Place, TORUSWEAVE};
use crate::fixtures::tools::{has, toolchain};

/// The tools of this place before all others.
fn with_tools(place: &Place, command: &mut Command) {
    let path = std::env::var_os("PATH").unwrap();
    let bin = std::iter::once(place.path().join("bin"));
    command.env("PATH", std::env::join_paths(bin.chain(std::env::split_paths(&path))).unwrap());
}

/// `simulate` of a 2x2 torus with the tools of this place, its temporary folders in `tmp` of it.
fn simulate(place: &Place, arguments: &str) -> Ended {
    let mut command = place.command();
    with_tools(place, command.args(["simulate", "--torus", "2x2"]).args(arguments.split_whitespace()));
    command.env("TMPDIR", temporary(place)).output().unwrap().into()
}

fn temporary(place: &Place) -> PathBuf {
    let folder = place.path().join("tmp");
    fs::create_dir_all(&folder).unwrap();
    folder
}

fn is_empty(folder: &Path) -> bool {
    fs::read_dir(folder).unwrap().next().is_none()
}

#[test]
fn a_vvp_that_prints_pass_is_not_believed() {
    let place = Place::new();
    place.write_tool("bin/iverilog", "exit 0");
    for lie in
        ["PASS", "PASS 2 ticks, 31 arrivals", "PASS 1 ticks, 32 arrivals", "PASS 2 ticks, 32 arrivals, really", ""]
    {
        place.write_tool("bin/vvp", &format!("echo '{lie}'"));
        let ended = simulate(&place, "--engine icarus");
        assert_eq!((ended.code, ended.stdout.as_str()), (2, ""), "{lie}");
        assert!(ended.stderr.contains("and not `PASS 2 ticks, 32 arrivals`"), "{}", ended.stderr);
    }
    place.write_tool("bin/vvp", "echo 'PASS 2 ticks, 32 arrivals'; exit 1");
    assert_eq!(simulate(&place, "--engine icarus").code, 1, "its exit status counts too");
}

#[test]
fn tools_that_hang_end_with_all_their_children() {
    let place = Place::new();
    let hangs = "sleep 1000 & echo $! >> \"$PIDS\"; sleep 1001";
    place.write_tool("bin/vvp", hangs);
    place.write_tool("bin/iverilog", "exit 0");
    let version = "[ \"$1\" = --version ] && { echo 'Verilator 5.006 2023-01-22 rev'; exit; }";
    place.write_tool("bin/verilator_bin", &format!("{version}\n{hangs}"));
    place.write("root/include/verilated.h", "");
    let pids = place.path().join("pids");
    for (engine, tool) in [("icarus", "vvp"), ("verilator", "verilator")] {
        let mut command = place.command();
        command.args(["simulate", "--torus", "2x2", "--time-limit", "1", "--engine", engine]).env("PIDS", &pids);
        with_tools(&place, command.env("TMPDIR", temporary(&place)).env("VERILATOR_ROOT", place.path().join("root")));
        let ended = Ended::from(command.output().unwrap());
        assert_eq!(ended.code, 2);
        assert!(ended.stderr.contains(&format!("error: `{tool}` was stopped after 1 s\n")), "{}", ended.stderr);
        assert!(is_empty(&temporary(&place)));
    }
    // solvers of proofs
    place.write_tool("bin/z3", "echo 'Z3 version 4.8.12'");
    let version = "[ \"$1\" = -V ] && { echo 'Yosys 0.23'; exit; }";
    let smtbmc = format!("[ \"$1\" = -h ] && exit\n{hangs}");
    place.write_tool("bin/yosys-smtbmc", &smtbmc);
    for (part, tool, yosys) in [("crossing", "yosys", hangs), ("classes", "yosys-smtbmc", "exit 0")] {
        place.write_tool("bin/yosys", &format!("{version}\n{yosys}"));
        let line = "prove --cycle 5 --scheme optimal --elastic true --clocks cable --time-limit 1 --part";
        let mut command = place.command();
        command.args(line.split(' ')).arg(part).env("PIDS", &pids);
        with_tools(&place, command.env("TMPDIR", temporary(&place)));
        let ended = Ended::from(command.output().unwrap());
        assert!(ended.stderr.contains(&format!("`{tool}` was stopped after 1 s")), "{}", ended.stderr);
    }
    assert_eq!(running(&pids), 0);
}

#[test]
fn a_time_limit_is_of_all_tools_of_a_command_together() {
    let place = Place::new();
    place.write_tool("bin/iverilog", "exec sleep 1.5");
    place.write_tool("bin/vvp", "exec sleep 1.5");
    let mut command = place.command();
    command.args(["simulate", "--torus", "2x2", "--time-limit", "2", "--engine", "icarus"]);
    with_tools(&place, command.env("TMPDIR", temporary(&place)));
    let ended = Ended::from(command.output().unwrap());
    assert!(ended.code == 2 && ended.stderr.contains("`vvp` was stopped after 2 s"), "{}", ended.stderr);
}

/// Number of the listed processes that still run a moment later.
fn running(pids: &Path) -> usize {
    let pids = fs::read_to_string(pids).unwrap();
    assert!(!pids.is_empty(), "no tool has run");
    let is_there = |pid: &str| {
        let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        !stat.is_empty() && !stat.contains(") Z ")
    };
    let end = Instant::now() + Duration::from_secs(10);
    loop {
        let left = pids.lines().filter(|pid| is_there(pid)).count();
        if left == 0 || Instant::now() > end {
            return left;
        }
        thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn an_interrupt_ends_children_and_removes_temporary_folders() {
    for signal in [Signal::INT, Signal::TERM, Signal::HUP] {
        let place = Place::new();
        place.write_tool("bin/iverilog", "sleep 1000 & echo $! > \"$PIDS\"; echo compiled > left; sleep 1001");
        let pids = place.path().join("pids");
        let mut command = place.command();
        command.args(["simulate", "--torus", "2x2", "--engine", "icarus"]).env("PIDS", &pids);
        with_tools(&place, command.env("TMPDIR", temporary(&place)).stdout(Stdio::piped()).stderr(Stdio::piped()));
        let child = command.spawn().unwrap();
        while fs::read_to_string(&pids).unwrap_or_default().is_empty() {
            thread::sleep(Duration::from_millis(5));
        }
        assert!(!is_empty(&temporary(&place)));
        send(signal, child.id());
        let ended = Ended::from(child.wait_with_output().unwrap());
        assert_eq!((ended.code, ended.stdout.as_str(), ended.stderr.as_str()), (130, "", ""), "{signal:?}");
        assert!(is_empty(&temporary(&place)), "{signal:?}");
        assert_eq!(running(&pids), 0, "{signal:?}");
    }
}

fn send(signal: Signal, process: u32) {
    kill_process(Pid::from_raw(process.cast_signed()).unwrap(), signal).unwrap();
}

/// Whenever it comes: the old folder or the new one, and nothing beside it.
#[test]
fn an_interrupted_run_leaves_old_or_new_and_nothing_else() {
    let fresh = |line: &str| {
        let place = Place::new();
        assert_eq!(place.run(line).code, 0);
        place.contents()
    };
    let (old, new) = (fresh("generate --torus 4x4 --out out"), fresh("generate --torus 24x24 --out out"));
    let mut counts = [0, 0];
    for delay in (0..12).map(|step| Duration::from_millis(9 * step)) {
        let place = Place::new();
        assert_eq!(place.run("generate --torus 4x4 --out out").code, 0);
        let mut command = place.command();
        command.args(["generate", "--torus", "24x24", "--out", "out"]).stdout(Stdio::null()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        // the handler is installed once output has begun
        let end = Instant::now() + Duration::from_secs(20);
        while fs::read_dir(place.path()).unwrap().count() == 1
            && Instant::now() < end
            && child.try_wait().unwrap().is_none()
        {
            thread::sleep(Duration::from_micros(200));
        }
        thread::sleep(delay);
        send(Signal::INT, child.id());
        let mut said = String::new();
        child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
        let code = child.wait().unwrap().code();
        let found = place.contents();
        assert!(found == old || found == new, "{code:?} {:?}", found.keys());
        assert!(code == Some(130) || found == new, "{code:?}: {said}");
        assert_eq!(said, "");
        counts[usize::from(found == new)] += 1;
    }
    println!("interrupts: {} old, {} new", counts[0], counts[1]);
    assert!(counts[0] > 0);
}

/// Without a terminal there is none; with one it comes after a second, and is wiped off.
#[test]
fn progress_is_shown_on_terminals_only() {
    if !has("script") {
        return;
    }
    let place = Place::new();
    place.write_tool("bin/iverilog", "sleep 2");
    place.write_tool("bin/vvp", "echo 'PASS 2 ticks, 32 arrivals'");
    assert_eq!(simulate(&place, "--engine icarus").stderr, "");
    let mut command = Command::new("script");
    let line = format!("{TORUSWEAVE} simulate --torus 2x2 --engine icarus");
    with_tools(&place, command.args(["-qefc", &line, "/dev/null"]).current_dir(place.path()).env("TERM", "xterm"));
    let seen = String::from_utf8(command.stdin(Stdio::null()).output().unwrap().stdout).unwrap();
    let (progress, result) = seen.rsplit_once("compiling the testbench of torus_2x2, and playing it").unwrap();
    assert!(!progress.is_empty() && result.contains("\u{1b}[2K"), "{seen:?}");
    assert!(result.ends_with("PASS 2 ticks, 32 arrivals\r\n"), "{seen:?}");
}

#[test]
fn a_flood_of_words_is_cut() {
    let place = Place::new();
    place.write_tool("bin/iverilog", "yes 'tb.v:1: error' | head -c 50000000; exit 1");
    let ended = simulate(&place, "--engine icarus");
    assert_eq!(ended.code, 2);
    assert!(ended.stderr.lines().count() < 30 && ended.stderr.len() < 4_000, "{}", ended.stderr.len());
    place.write_tool("bin/iverilog", "head -c 50000000 /dev/zero | tr '\\0' x; exit 1");
    assert!(simulate(&place, "--engine icarus").stderr.len() < 4_000);
}

/// Quotes, blanks, dollars, backslashes, bytes that are no UTF-8; and what is empty or relative.
#[test]
fn temporary_folders_may_have_any_name() {
    if !has("iverilog") {
        return;
    }
    let names = [b"a \"b\" 'c'".as_slice(), b"$(touch pwned) `x`; &", b"back\\slash\\", b"caf\xe9 \x1b[31m"];
    for name in names {
        let place = Place::new();
        let folder = place.path().join(OsStr::from_bytes(name));
        fs::create_dir(&folder).unwrap();
        let mut command = place.command();
        command.args(["simulate", "--torus", "2x2", "--engine", "icarus", "--vcd", "x.vcd"]).env("TMPDIR", &folder);
        let ended = Ended::from(command.output().unwrap());
        assert_eq!((ended.code, ended.stdout.as_str()), (0, "PASS 2 ticks, 32 arrivals\n"), "{}", ended.stderr);
        assert!(is_empty(&folder));
        assert_eq!(fs::read_dir(place.path()).unwrap().count(), 2, "the folder and the waveform");
    }
    for odd in ["", "here", "./here"] {
        let place = Place::new();
        fs::create_dir(place.path().join("here")).unwrap();
        let mut command = place.command();
        command.args(["simulate", "--torus", "2x2", "--engine", "icarus"]).env("TMPDIR", odd);
        assert_eq!(Ended::from(command.output().unwrap()).code, 0, "{odd:?}");
        assert!(is_empty(&place.path().join("here")));
    }
}

fn lockstep(place: &Place, cache: &Path) -> Ended {
    let mut command = place.command();
    command.args(["simulate", "--torus", "2x2", "--width", "8", "--engine", "verilator"]);
    with_tools(place, &mut command);
    command.env("XDG_CACHE_HOME", cache).env("TMPDIR", temporary(place)).output().unwrap().into()
}

/// A compiler that is asked the same again, in another temporary folder, and answers with what it has made: to make it takes seconds.
const COMPILES_ONCE: &str = r#"
here=$(dirname "$0")
PATH=${PATH#*:}
case "$1" in --version | -shared) exec g++ "$@" ;; esac
for word; do [ "$before" = -o ] && object=$word; before=$word; done
kept=$here/$(echo "$*" | sed 's/torusweave-[^/]*//g' | cksum | tr ' ' -)
[ -e "$kept" ] || { g++ "$@" && mv "$object" "$kept"; } && cp "$kept" "$object"
"#;

/// The objects in a cache.
fn objects(cache: &Path) -> Vec<PathBuf> {
    let folder = fs::read_dir(cache.join("torusweave"));
    let mut found: Vec<PathBuf> = folder.into_iter().flatten().map(|entry| entry.unwrap().path()).collect();
    found.sort();
    found
}

#[test]
fn a_broken_cache_is_made_anew_and_none_is_needed() {
    if toolchain().is_none() {
        return;
    }
    let place = Place::new();
    place.write_tool("bin/g++", COMPILES_ONCE);
    let cache = place.path().join("cache");
    assert_eq!(lockstep(&place, &cache).code, 0);
    let kept = objects(&cache);
    // the headers, two objects of Verilator itself, what is exported by all, the simulator
    assert_eq!(kept.len(), 5, "{kept:?}");
    for object in &kept {
        fs::write(object, "no object").unwrap();
    }
    assert_eq!(lockstep(&place, &cache).code, 0);
    // compilers need not write the same bytes again, which the last part of a name is the hash of
    let made_from = |object: &PathBuf| object.to_str().unwrap().rsplit_once('-').unwrap().0.to_owned();
    let anew = objects(&cache);
    assert!(kept.iter().map(made_from).eq(anew.iter().map(made_from)), "{kept:?} and {anew:?}");
    assert!(anew.iter().all(|object| fs::read(object).unwrap() != b"no object"));
    // a cache that others may write is not read, and not written
    fs::set_permissions(cache.join("torusweave"), fs::Permissions::from_mode(0o777)).unwrap();
    fs::write(&anew[0], "no object").unwrap();
    assert_eq!(lockstep(&place, &cache).code, 0);
    assert_eq!(fs::read(&anew[0]).unwrap(), b"no object");
    // a file where the folder would be
    fs::write(place.path().join("file"), "").unwrap();
    assert_eq!(lockstep(&place, &place.path().join("file")).code, 0);
    assert!(is_empty(&temporary(&place)));
}

/// A compiler that adds a sanitizer makes objects that load only where its library is.
const SANITIZES: &str = r#"
PATH=${PATH#*:}
exec g++ -fsanitize=address "$@"
"#;

#[test]
fn a_kept_object_that_does_not_load_is_made_anew() {
    if toolchain().is_none() {
        return;
    }
    let place = Place::new();
    let cache = place.path().join("cache");
    place.write_tool("bin/g++", SANITIZES);
    lockstep(&place, &cache);
    let made = objects(&cache);
    assert!(made.len() >= 4, "{made:?}");
    fs::remove_file(place.path().join("bin/g++")).unwrap();
    let ended = lockstep(&place, &cache);
    assert_eq!(ended.code, 0, "{}", ended.stderr);
    let anew = objects(&cache);
    assert_eq!(anew.len(), 5, "{anew:?}");
    assert!(made.iter().all(|object| !anew.contains(object)), "{made:?} and {anew:?}");

    // a whole simulator that does not load, its hash right: as kept by an older version
    let simulator = anew.iter().find(|path| path.to_str().unwrap().contains("/simulator-")).unwrap();
    fs::remove_file(simulator).unwrap();
    let (unit, _) = simulator.to_str().unwrap().rsplit_once('-').unwrap();
    let wrong = format!("{unit}-{}.o", torusweave::files::sha256(b"no simulator"));
    fs::write(&wrong, b"no simulator").unwrap();
    let ended = lockstep(&place, &cache);
    assert_eq!(ended.code, 0, "{}", ended.stderr);
    assert_eq!(objects(&cache).len(), 5);
    assert!(!Path::new(&wrong).exists());
}

/// Age and owner as a killed run leaves them, and otherwise.
#[test]
fn scratch_folders_of_killed_runs_are_removed_after_three_days() {
    if !has("iverilog") {
        return;
    }
    let place = Place::new();
    let temporary = temporary(&place);
    let days = |days: u64| std::time::SystemTime::now() - Duration::from_secs(days * 24 * 60 * 60 + 60);
    let planted = |name: &str, age: u64| {
        let folder = temporary.join(name);
        fs::create_dir_all(folder.join("obj_dir")).unwrap();
        fs::write(folder.join("obj_dir/half.o"), "half").unwrap();
        fs::File::open(&folder).unwrap().set_modified(days(age)).unwrap();
        folder
    };
    let stale = planted("torusweave-aaaaaaaaaaaa", 3);
    let fresh = planted("torusweave-bbbbbbbbbbbb", 2);
    let other = planted("torusweave-notes", 9);
    let foreign = planted("torusweave-dddddddddddd", 9);
    let is_given = std::os::unix::fs::chown(&foreign, Some(65534), None).is_ok();
    let linked = planted("mine", 9);
    let link = temporary.join("torusweave-eeeeeeeeeeee");
    std::os::unix::fs::symlink(&linked, &link).unwrap();
    assert_eq!(simulate(&place, "--engine icarus").code, 0);
    assert!(!stale.exists());
    for kept in [fresh, other, linked.join("obj_dir/half.o"), link] {
        assert!(kept.exists(), "{}", kept.display());
    }
    assert_eq!(foreign.exists(), is_given, "a folder of another user");
}
