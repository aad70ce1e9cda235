//! Single files: what is read never blocks and has a bound, what is written is whole or not there.

use std::fs::{self, File};
use std::os::unix::fs::{FileTypeExt, MetadataExt, PermissionsExt, symlink};
use std::path::Path;
use std::process::{Command, Stdio};

use crate::fixtures::command::{Ended, Place, TORUSWEAVE};

/// Runs a line of the shell here, for ten seconds at most; `torusweave` is the built command.
fn shell(place: &Place, line: &str) -> Ended {
    let bin = Path::new(TORUSWEAVE).parent().unwrap();
    let path = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap());
    let mut command = Command::new("timeout");
    command.args(["10", "sh", "-c", line]).current_dir(place.path()).env("PATH", path).stdin(Stdio::null());
    command.output().unwrap().into()
}

fn read(place: &Place, path: &str) -> String {
    fs::read_to_string(place.path().join(path)).unwrap()
}

#[test]
fn pipes_and_devices_are_not_read_for_ever() {
    let place = Place::new();
    shell(&place, "mkfifo pipe && torusweave generate --torus 2x2 --out out && rm out/MANIFEST && mkfifo out/MANIFEST");
    for line in [
        "torusweave check pipe",
        "torusweave check /dev/zero",
        "torusweave check /dev/tty",
        "torusweave diff pipe pipe",
        "torusweave generate --torus 2x2 --out out",
        "torusweave generate --torus 2x2 --out out --force",
    ] {
        let ended = shell(&place, line);
        assert_eq!(ended.code, 2, "{line}: {}", ended.stderr);
    }
    assert_eq!(shell(&place, "torusweave generate --torus 2x2 --out out --check").code, 1);
    // a manifest is compared, a listed file too
    shell(&place, "torusweave generate --torus 2x2 --out two && rm two/program.txt && mkfifo two/program.txt");
    assert_eq!(shell(&place, "torusweave generate --torus 2x2 --out two").code, 2);
    assert_eq!(shell(&place, "torusweave generate --torus 2x2 --out two --check").stdout, "differs: two/program.txt\n");
}

#[test]
fn a_config_has_a_bound() {
    let place = Place::new();
    place.write("long.yaml", format!("topology: {{ torus: [2, 2] }}\n#{}\n", " ".repeat(1 << 20)));
    let ended = shell(&place, "torusweave check long.yaml");
    assert_eq!(ended.code, 2);
    assert!(ended.stderr.starts_with("error: `long.yaml` has more than 1048576 bytes\n"), "{}", ended.stderr);
}

#[test]
fn an_old_file_is_replaced_not_truncated() {
    let place = Place::new();
    place.write("x.svg", "old");
    place.write("report.html", "old");
    place.write("x.vcd", "old");
    let inode = |path: &str| fs::metadata(place.path().join(path)).unwrap().ino();
    for (path, line) in [
        ("x.svg", "torusweave draw --torus 2x2 -o x.svg"),
        ("report.html", "torusweave report --torus 2x2 -o report.html"),
        ("x.vcd", "torusweave simulate --torus 2x2 --vcd x.vcd"),
    ] {
        let before = inode(path);
        let reader = File::open(place.path().join(path)).unwrap();
        assert_eq!(shell(&place, line).code, 0, "{line}");
        assert_ne!(inode(path), before, "{line}");
        assert_eq!(std::io::read_to_string(reader).unwrap(), "old", "who has it open reads on");
    }
    assert_eq!(place.contents().len(), 3, "nothing else is left");
}

#[test]
fn a_link_stays_a_link_and_what_it_points_to_is_written() {
    let place = Place::new();
    place.write("pictures/old.svg", "old");
    for (link, target) in [("link", "pictures/old.svg"), ("chain", "link"), ("new", "pictures/new.svg")] {
        symlink(target, place.path().join(link)).unwrap();
        assert_eq!(shell(&place, &format!("torusweave draw --torus 2x2 -o {link}")).code, 0, "{link}");
        assert!(place.path().join(link).is_symlink(), "{link}");
        assert!(read(&place, link).starts_with("<svg"), "{link}");
    }
    symlink("loop", place.path().join("loop")).unwrap();
    assert_eq!(shell(&place, "torusweave draw --torus 2x2 -o loop").code, 2);
}

#[test]
fn pipes_and_devices_are_written_in_place() {
    let place = Place::new();
    let drawn = shell(&place, "torusweave draw --torus 2x2").stdout;
    assert_eq!(shell(&place, "torusweave draw --torus 2x2 -o /dev/null").code, 0);
    assert!(fs::metadata("/dev/null").unwrap().file_type().is_char_device());
    assert_eq!(shell(&place, "torusweave draw --torus 2x2 -o /dev/stdout | cat").stdout, drawn);
    assert_eq!(shell(&place, "mkfifo pipe; cat pipe & torusweave draw --torus 2x2 -o pipe; wait").stdout, drawn);
    let full = shell(&place, "torusweave draw --torus 2x2 -o /dev/full");
    assert_eq!(full.code, 2);
    assert!(full.stderr.starts_with("error: cannot write `/dev/full`: No space left"), "{}", full.stderr);
    assert_eq!(shell(&place, "torusweave draw --torus 100x100 -o /dev/stdout | head -c 1").stderr, "");
}

/// `>> log` has the file open already: to replace it would lose what it holds and what follows.
#[test]
fn redirected_stdout_is_neither_replaced_nor_truncated() {
    let place = Place::new();
    place.write("log", "before\n");
    shell(&place, "torusweave simulate --torus 2x2 --vcd /dev/stdout >> log");
    let log = read(&place, "log");
    assert!(log.starts_with("before\n$timescale") && log.ends_with("every packet after tick 2\n"), "{log}");
    place.write("log", "before\n");
    shell(&place, "torusweave draw --torus 2x2 -o /dev/fd/3 3>> log");
    assert!(read(&place, "log").starts_with("before\n<svg"));
}

#[test]
fn a_file_keeps_its_mode() {
    let place = Place::new();
    place.write("x.svg", "old");
    let path = place.path().join("x.svg");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
    shell(&place, "torusweave draw --torus 2x2 -o x.svg");
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o640);
}

#[test]
fn places_that_cannot_be_written_are_refused_with_the_reason() {
    let place = Place::new();
    place.write("file", "mine");
    fs::create_dir(place.path().join("folder")).unwrap();
    let before = place.contents();
    for (path, reason) in [
        ("folder", "is not a file"),
        ("nowhere/x.svg", "No such file or directory"),
        ("file/x.svg", "Not a directory"),
        (&format!("{}.svg", "x".repeat(255)), "File name too long"),
    ] {
        for line in ["draw --torus 2x2 -o", "report --torus 2x2 -o", "simulate --torus 2x2 --vcd"] {
            let ended = shell(&place, &format!("torusweave {line} {path}"));
            assert_eq!(ended.code, 2, "{line} {path}");
            assert!(ended.stderr.contains(reason) && ended.stderr.contains(path), "{line} {path}: {}", ended.stderr);
            assert!(place.contents() == before, "{line} {path}");
        }
    }
}

#[test]
fn every_command_has_its_manual_page() {
    let place = Place::new();
    assert_eq!(shell(&place, "torusweave man pages && torusweave man pages").code, 0);
    let pages = fs::read_dir(place.path().join("pages")).unwrap().count();
    assert_eq!(pages, torusweave::cli::command().get_subcommands().count() + 1);
    assert!(read(&place, "pages/torusweave-generate.1").contains("force"));
}
