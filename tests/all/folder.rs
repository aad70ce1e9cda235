//! The folder that `generate` writes: nothing of others in it, beside it or behind its links is ever lost.

use std::fs::{self, File, OpenOptions};
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown, symlink};
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use crate::fixtures::command::{Ended, Place, TORUSWEAVE, contents};
use crate::fixtures::tools::has;

/// First line of a manifest.
const MARK: &str = "# torusweave-manifest/1: what torusweave wrote; sha256sum --check MANIFEST verifies it";
/// SHA-256 of an empty file.
const EMPTY: &str = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
/// Manifest of a folder that a killed run has left.
const STAGED_MANIFEST: &str = ".torusweave-aaaaaaaaaaaa/torusweave-staged/MANIFEST";

/// Runs a line that has to succeed; returns what it says on stderr.
fn succeeds(place: &Place, line: &str) -> String {
    let ended = place.run(line);
    assert_eq!(ended.code, 0, "{line}: {}", ended.stderr);
    ended.stderr
}

/// A place with a 2x2 torus generated into `out`.
fn with_out() -> Place {
    let place = Place::new();
    succeeds(&place, "generate --torus 2x2 --out out");
    place
}

fn names(folder: &Path) -> Vec<String> {
    fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}

#[test]
fn a_folder_with_a_manifest_of_others_is_never_touched() {
    for manifest in ["MANIFEST\nlib/Mine.pm\n", "lib/Mine.pm\n", "", "# torusweave-manifest/1\nlib/Mine.pm\n"] {
        let place = Place::new();
        place.write("out/MANIFEST", manifest);
        place.write("out/lib/Mine.pm", "mine");
        let before = place.contents();
        for line in ["generate --torus 2x2 --out out", "generate --torus 2x2 --out out --force"] {
            assert_eq!(place.run(line).code, 2, "{line}: {manifest}");
            assert!(place.contents() == before, "{line}: {manifest}");
        }
    }
}

#[test]
fn a_listed_file_with_another_hash_is_kept_until_force() {
    let place = with_out();
    let before = place.contents();
    place.write("out/program.txt", "edited");
    let edited = place.contents();
    let refused = place.run("generate --torus 2x2 --out out");
    assert_eq!(refused.code, 2);
    assert!(
        refused.stderr.contains("`program.txt` (edited)") && refused.stderr.contains("--force"),
        "{}",
        refused.stderr
    );
    assert!(place.contents() == edited);
    assert_eq!(place.run("generate --torus 2x2 --out out --check").stdout, "differs: out/program.txt\n");
    succeeds(&place, "generate --torus 2x2 --out out --force");
    assert!(place.contents() == before);
}

#[test]
fn an_edited_file_that_no_new_one_replaces_is_named_and_kept() {
    let place = with_out();
    place.write("out/torus_2x2.v", "edited");
    let said = succeeds(&place, "generate --torus 4x4 --out out");
    assert_eq!(said, "kept out/torus_2x2.v, edited since it was written\n");
    assert_eq!(fs::read_to_string(place.path().join("out/torus_2x2.v")).unwrap(), "edited");
    assert!(!place.path().join("out/torus_2x2.f").exists(), "what was not edited goes");
    assert_eq!(succeeds(&place, "generate --torus 4x4 --out out"), "", "it is a foreign file now");
}

#[test]
fn foreign_files_stay_where_they_are() {
    let place = with_out();
    place.write("out/notes.txt", "mine");
    place.write("out/tb/wave.gtkw", "mine");
    fs::create_dir(place.path().join("out/empty")).unwrap();
    let foreign = ["out/notes.txt", "out/tb/wave.gtkw", "out/empty"].map(|path| place.path().join(path));
    let inodes = || foreign.each_ref().map(|path| fs::metadata(path).unwrap().ino());
    let before = inodes();
    succeeds(&place, "generate --torus 4x4 --out out");
    assert_eq!(inodes(), before);
    assert!(!place.path().join("out/torus_2x2.v").exists(), "what the new design does not have goes");
    succeeds(&place, "generate --torus 4x4 --out out --check");
    assert_eq!(names(place.path()), ["out"]);
}

#[test]
fn a_file_that_torusweave_did_not_write_is_not_overwritten() {
    let place = Place::new();
    place.write("out/program.txt", "mine");
    let refused = place.run("generate --torus 2x2 --out out");
    assert_eq!(refused.code, 2);
    assert!(refused.stderr.contains("`program.txt` (not torusweave's)"), "{}", refused.stderr);
    assert_eq!(names(&place.path().join("out")), ["program.txt"]);
    succeeds(&place, "generate --torus 2x2 --out out --force");
    succeeds(&place, "generate --torus 2x2 --out out --check");
}

#[test]
fn a_folder_that_others_share_keeps_their_files() {
    let place = Place::new();
    place.write("out/tb/torus_2x2_tb.v", "mine");
    let refused = place.run("generate --torus 2x2 --out out");
    assert_eq!(refused.code, 2);
    assert!(refused.stderr.contains("`tb/torus_2x2_tb.v` (not torusweave's)"), "{}", refused.stderr);
    succeeds(&place, "generate --torus 4x4 --out out");
    succeeds(&place, "generate --torus 3x4 --out out");
    assert_eq!(fs::read_to_string(place.path().join("out/tb/torus_2x2_tb.v")).unwrap(), "mine");
    fs::create_dir_all(place.path().join("empty/tb")).unwrap();
    succeeds(&place, "generate --torus 2x2 --out empty");
    succeeds(&place, "generate --torus 2x2 --out empty --check");
}

#[test]
fn links_are_never_followed_out_of_the_folder() {
    for (link, target) in [("program.txt", "mine/file"), ("tb", "mine"), ("MANIFEST", "mine/file")] {
        let place = with_out();
        place.write("mine/file", fs::read(place.path().join("out/MANIFEST")).unwrap());
        place.write("mine/torus_2x2_tb.v", "mine");
        let mine = contents(&place.path().join("mine"));
        let path = place.path().join("out").join(link);
        let _ = fs::remove_file(&path).or_else(|_| fs::remove_dir_all(&path));
        symlink(place.path().join(target), &path).unwrap();
        let before = place.contents();
        let refused = place.run("generate --torus 2x2 --out out");
        assert_eq!(refused.code, 2, "{link}");
        assert!(refused.stderr.contains(link), "{link}: {}", refused.stderr);
        assert!(place.contents() == before, "{link}");
        if link != "MANIFEST" {
            succeeds(&place, "generate --torus 2x2 --out out --force");
            assert!(!path.is_symlink(), "{link}");
        }
        assert!(contents(&place.path().join("mine")) == mine, "{link}");
    }
}

#[test]
fn a_manifest_that_lists_what_is_outside_is_refused_and_removes_nothing() {
    let outside = Place::new();
    let absolute = format!("{}/empty/f", outside.path().display());
    for listed in ["../mine", "../empty/f", "tb/../../empty/f", "./program.txt", "tb//f", absolute.as_str()] {
        let place = with_out();
        place.write("mine", "");
        for folder in [place.path(), outside.path(), &place.path().join("out")] {
            fs::create_dir_all(folder.join("empty")).unwrap();
        }
        let manifest = fs::read_to_string(place.path().join("out/MANIFEST")).unwrap();
        place.write("out/MANIFEST", format!("{manifest}{EMPTY}  {listed}\n"));
        let before = place.contents();
        for line in ["generate --torus 4x4 --out out", "generate --torus 4x4 --out out --force"] {
            let refused = place.run(line);
            assert_eq!(refused.code, 2, "{listed}");
            assert!(refused.stderr.contains("is not a list that this torusweave wrote"), "{}", refused.stderr);
        }
        assert!(place.contents() == before && outside.path().join("empty").exists(), "{listed}");
    }
}

#[test]
fn a_stale_staging_folder_that_lists_what_is_outside_removes_nothing() {
    let outside = Place::new();
    let absolute = format!("{}/empty/f", outside.path().display());
    for listed in ["../../empty/f", absolute.as_str(), "link/empty/f"] {
        let place = Place::new();
        for folder in [place.path(), outside.path()] {
            fs::create_dir_all(folder.join("empty")).unwrap();
        }
        place.write(STAGED_MANIFEST, format!("{MARK}\n{EMPTY}  {listed}\n"));
        symlink(outside.path(), place.path().join(STAGED_MANIFEST).with_file_name("link")).unwrap();
        succeeds(&place, "generate --torus 2x2 --out out");
        succeeds(&place, "draw --torus 2x2 -o picture.svg");
        assert!(place.path().join("empty").exists() && outside.path().join("empty").exists(), "{listed}");
    }
}

#[test]
fn a_listed_folder_behind_a_link_is_not_removed() {
    let (place, outside) = (with_out(), Place::new());
    fs::create_dir(outside.path().join("empty")).unwrap();
    symlink(outside.path(), place.path().join("out/link")).unwrap();
    let manifest = fs::read_to_string(place.path().join("out/MANIFEST")).unwrap();
    place.write("out/MANIFEST", format!("{manifest}{EMPTY}  link/empty/f\n"));
    succeeds(&place, "generate --torus 4x4 --out out");
    assert!(outside.path().join("empty").exists());
}

/// Needs root, who alone can give a folder away; so does the attack that it repeats.
#[test]
fn a_staging_folder_of_another_user_is_left_alone() {
    const NOBODY: u32 = 65534;
    let place = Place::new();
    place.write(STAGED_MANIFEST, format!("{MARK}\n{EMPTY}  f\n"));
    place.write(".torusweave-bbbbbbbbbbbb/torusweave-staged", "half a picture");
    for folder in [".torusweave-aaaaaaaaaaaa", ".torusweave-bbbbbbbbbbbb"] {
        if chown(place.path().join(folder), Some(NOBODY), Some(NOBODY)).is_err() {
            println!("skipped: this user cannot give a folder away");
            return;
        }
    }
    let before = place.contents();
    succeeds(&place, "generate --torus 2x2 --out out");
    succeeds(&place, "draw --torus 2x2 -o picture.svg");
    let after = place.contents();
    assert!(before.iter().all(|(path, bytes)| after.get(path) == Some(bytes)), "{:?}", after.keys());
}

#[test]
fn a_file_of_terabytes_in_a_manifest_is_not_read_to_its_end() {
    let place = with_out();
    place.write("out/huge", "begins like a text");
    place.write(STAGED_MANIFEST, format!("{MARK}\n{EMPTY}  huge\n"));
    place.write(".torusweave-aaaaaaaaaaaa/torusweave-staged/huge", "");
    for huge in ["out/huge", ".torusweave-aaaaaaaaaaaa/torusweave-staged/huge"] {
        let file = OpenOptions::new().write(true).open(place.path().join(huge)).unwrap();
        file.set_len(8 << 40).unwrap();
    }
    let manifest = fs::read_to_string(place.path().join("out/MANIFEST")).unwrap();
    place.write("out/MANIFEST", format!("{manifest}{EMPTY}  huge\n"));
    let start = Instant::now();
    let said = succeeds(&place, "generate --torus 4x4 --out out");
    assert_eq!(said, "kept out/huge, edited since it was written\n");
    assert!(start.elapsed() < Duration::from_secs(60), "{:?}", start.elapsed());
}

#[test]
fn the_manifest_is_one_that_sha256sum_verifies() {
    let place = with_out();
    if has("sha256sum") {
        let mut verify = Command::new("sha256sum");
        verify.args(["--check", "--strict", "--quiet", "MANIFEST"]).current_dir(place.path().join("out"));
        assert_eq!(
            Ended::from(verify.output().unwrap()),
            Ended { code: 0, stdout: String::new(), stderr: String::new() }
        );
    }
}

#[test]
fn the_current_folder_is_written_in_place() {
    let place = Place::new();
    let here = place.path().join("here");
    fs::create_dir(&here).unwrap();
    let inode = fs::metadata(&here).unwrap().ino();
    for torus in ["2x2", "4x4"] {
        let mut command = place.command();
        command.current_dir(&here).args(["generate", "--torus", torus, "--out", "."]);
        assert_eq!(Ended::from(command.output().unwrap()).code, 0);
    }
    assert_eq!(fs::metadata(&here).unwrap().ino(), inode);
    succeeds(&place, "generate --torus 4x4 --out here --check");
    succeeds(&place, "generate --torus 4x4 --out fresh");
    assert!(contents(&here) == contents(&place.path().join("fresh")));
}

#[test]
fn a_folder_keeps_its_mode_and_a_new_one_gets_the_usual() {
    let place = with_out();
    let mode = |path: &str| fs::metadata(place.path().join(path)).unwrap().permissions().mode() & 0o777;
    fs::create_dir(place.path().join("usual")).unwrap();
    assert_eq!(mode("out"), mode("usual"));
    fs::set_permissions(place.path().join("out"), fs::Permissions::from_mode(0o750)).unwrap();
    succeeds(&place, "generate --torus 4x4 --out out");
    assert_eq!(mode("out"), 0o750);
}

/// Generating as root in another user's folder leaves the folder to that user.
#[test]
fn owner_group_and_mode_stay_when_root_regenerates() {
    const NOBODY: u32 = 65534;
    for has_foreign in [false, true] {
        let place = with_out();
        let out = place.path().join("out");
        if chown(&out, Some(NOBODY), Some(NOBODY)).is_err() {
            println!("skipped: this user cannot give a folder away");
            return;
        }
        for path in ["tb", "program.txt"] {
            chown(out.join(path), Some(NOBODY), Some(NOBODY)).unwrap();
        }
        for (path, mode) in [("", 0o750), ("tb", 0o700), ("program.txt", 0o640)] {
            fs::set_permissions(out.join(path), fs::Permissions::from_mode(mode)).unwrap();
        }
        if has_foreign {
            place.write("out/mine", "mine");
        }
        place.write("picture.svg", "old");
        chown(place.path().join("picture.svg"), Some(NOBODY), Some(NOBODY)).unwrap();
        succeeds(&place, "generate --torus 4x4 --out out");
        succeeds(&place, "draw --torus 4x4 -o picture.svg");
        let of = |path: &str| {
            let metadata = fs::metadata(place.path().join(path)).unwrap();
            (metadata.uid(), metadata.gid(), metadata.mode() & 0o777)
        };
        assert_eq!(of("out"), (NOBODY, NOBODY, 0o750), "{has_foreign}");
        assert_eq!(of("out/tb"), (NOBODY, NOBODY, 0o700), "{has_foreign}");
        assert_eq!(of("out/program.txt"), (NOBODY, NOBODY, 0o640), "{has_foreign}");
        for path in ["out/torus_4x4.v", "picture.svg"] {
            let (user, group, _) = of(path);
            assert_eq!((user, group), (NOBODY, NOBODY), "{path}, {has_foreign}");
        }
    }
}

#[test]
fn names_as_long_as_a_name_can_be() {
    let place = Place::new();
    let longest = "x".repeat(255);
    for torus in ["2x2", "4x4"] {
        succeeds(&place, &format!("generate --torus {torus} --out {longest}"));
    }
    let longer = place.run(&format!("generate --torus 2x2 --out {longest}x"));
    assert_eq!(longer.code, 2);
    assert!(longer.stderr.contains("File name too long"), "{}", longer.stderr);
    assert_eq!(names(place.path()), [longest]);
}

/// A bind mount: of the same device as its parent, but no rename goes from one to the other. Its parent is read-only.
#[test]
fn a_mount_point_in_a_read_only_folder() {
    let place = with_out();
    let unshare = |line: &str| {
        let mut command = Command::new("unshare");
        command.args(["-rm", "sh", "-c", line]).current_dir(place.path());
        command.output().map(|output| (output.status.success(), String::from_utf8(output.stderr).unwrap()))
    };
    if !matches!(unshare("mount --bind out out"), Ok((true, _))) {
        println!("skipped: this user cannot mount");
        return;
    }
    let line = format!("mount --bind out out && {TORUSWEAVE} generate --torus 4x4 --out out");
    assert_eq!(unshare(&line).unwrap(), (true, String::new()));
    succeeds(&place, "generate --torus 4x4 --out out --check");
    // mounted over, the current folder has to be entered again
    let here = place.path().display();
    let line = format!(
        "mount --bind {here} {here} && mount --bind {here}/out {here}/out && mount -o remount,ro,bind {here} && \
         cd {here} && {TORUSWEAVE} generate --torus 2x2 --out out && ! {TORUSWEAVE} generate --torus 2x2 --out new"
    );
    let (refused, said) = unshare(&line).unwrap();
    assert!(refused && said.contains("Read-only file system"), "{said}");
    succeeds(&place, "generate --torus 2x2 --out out --check");
    assert_eq!(names(place.path()), ["out"]);
}

#[test]
fn staging_folders_are_swept_only_if_ours_and_unused() {
    let place = with_out();
    let planted = |letters: &str| format!(".torusweave-{letters}");
    place.write(&planted("shortname/mine"), "mine");
    place.write(&planted("aaaaaaaaaaaa/mine"), "mine");
    place.write(&planted("bbbbbbbbbbbb"), "mine");
    place.write("mine/torusweave-staged", "mine");
    symlink("mine", place.path().join(planted("cccccccccccc"))).unwrap();
    // an old folder of a killed run, into which somebody wrote at the last moment
    fs::create_dir(place.path().join(planted("dddddddddddd"))).unwrap();
    fs::rename(place.path().join("out"), place.path().join(planted("dddddddddddd/torusweave-staged"))).unwrap();
    place.write(&planted("dddddddddddd/torusweave-staged/mine"), "mine");
    // a run that is alive
    place.write(&planted("eeeeeeeeeeee/torusweave-staged"), "half a picture");
    let alive = File::open(place.path().join(planted("eeeeeeeeeeee"))).unwrap();
    alive.lock().unwrap();
    let kept = place.contents();
    // stale ones of killed runs
    fs::create_dir(place.path().join(planted("ffffffffffff"))).unwrap();
    place.write(&planted("gggggggggggg/torusweave-staged/tb/half.v"), "half");
    place.write(&planted("hhhhhhhhhhhh/torusweave-staged"), "half a picture");

    succeeds(&place, "generate --torus 2x2 --out out");
    let mut after = place.contents();
    after.retain(|path, _| !path.starts_with("out/"));
    let is_mine = |path: &&String| !path.starts_with(".torusweave-dddddddddddd/") || path.ends_with("/mine");
    for path in kept.keys().filter(is_mine).filter(|path| !path.ends_with('/')) {
        assert_eq!(after.get(path), kept.get(path), "{path}");
    }
    assert!(after.keys().all(|path| !["ffff", "gggg", "hhhh"].iter().any(|stale| path.contains(stale))));
}

#[test]
fn a_folder_that_another_program_has_locked_is_left_alone() {
    let place = with_out();
    let before = place.contents();
    let other = File::open(place.path()).unwrap();
    other.lock().unwrap();
    // with sleeps that return at once nobody waits ten seconds
    let awake = "-o /dev/null -e trace=nanosleep,clock_nanosleep -e inject=nanosleep,clock_nanosleep:retval=0";
    let awake = if has("strace") { format!("strace {awake} {TORUSWEAVE}") } else { TORUSWEAVE.to_owned() };
    let line = format!("{awake} generate --torus 4x4 --out out");
    let words: Vec<&str> = line.split(' ').collect();
    let output = Command::new(words[0]).args(&words[1..]).current_dir(place.path()).output().unwrap();
    let refused = Ended::from(output);
    assert_eq!(refused.code, 2);
    assert!(refused.stderr.contains("another program holds the lock of"), "{}", refused.stderr);
    assert!(place.contents() == before);
    drop(other);
    succeeds(&place, "generate --torus 4x4 --out out");
}

/// The system refuses to open one file.
#[test]
fn an_unreadable_file_differs_and_no_other_does() {
    if !has("strace") {
        return;
    }
    let place = with_out();
    // strace knows the path by which it is opened
    let out = place.path().join("out").display().to_string();
    let path = format!("{out}/torus_2x2.v");
    let mut command = Command::new("strace");
    command.args([
        "-f",
        "-qq",
        "-o",
        "/dev/null",
        "-P",
        &path,
        "-e",
        "trace=openat",
        "-e",
        "inject=openat:error=EACCES",
    ]);
    command.arg(TORUSWEAVE).args(["generate", "--torus", "2x2", "--out", &out, "--check"]);
    let ended = Ended::from(command.output().unwrap());
    assert_eq!((ended.code, ended.stdout.as_str()), (1, format!("differs: {path}\n").as_str()), "{}", ended.stderr);
}
