//! Deliveries to users: the wheel, the files of the crate, and the script for their CI.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::fixtures::command::{Ended, Place, TORUSWEAVE, contents, project};
use crate::fixtures::tools::has;

const PYTHON: &str = "torusweave-python";

/// Runs a command to its end and returns what it printed.
fn run(command: &mut Command) -> String {
    let output = command.output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}\n{said}");
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

/// The command that packs a program into a wheel.
fn pack(program: &Path, out: &Path) -> Command {
    let mut command = Command::new("python3");
    command.arg(project().join("python/wheel.py")).arg("--program").arg(program).arg("--out").arg(out);
    command
}

/// Reads a wheel: every file has the hash that RECORD says, the program may be executed, and the package is whole.
const READ: &str = r"
import base64, csv, hashlib, io, sys, zipfile
wheel = zipfile.ZipFile(sys.argv[1])
names = wheel.namelist()
info = next(name.split('/')[0] for name in names if name.endswith('.dist-info/METADATA'))
rows = list(csv.reader(io.StringIO(wheel.read(f'{info}/RECORD').decode())))
assert sorted(row[0] for row in rows) == sorted(names) and len(set(names)) == len(names)
for name, digest, size in rows:
    if name.endswith('/RECORD'):
        continue
    content = wheel.read(name)
    assert digest == 'sha256=' + base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b'=').decode(), name
    assert int(size) == len(content), name
    assert wheel.getinfo(name).external_attr >> 16 == (0o100755 if '/scripts/' in name else 0o100644), name
print(sys.argv[1].rsplit('/', 1)[1])
print(*sorted(name for name in names if '.dist-info' not in name))
print(wheel.read(f'{info}/METADATA').decode().split('\n\n')[0])
";

#[test]
fn the_wheel_has_the_program_and_the_package_with_their_hashes() {
    if !has("python3") {
        return;
    }
    let place = Place::new();
    place.write("program", b"\x7fELF and GLIBC_2.17, GLIBC_2.34");
    let program = place.path().join("program");
    let [one, other] = ["a", "b"].map(|folder| run(&mut pack(&program, &place.path().join(folder))));
    assert!(fs::read(&one).unwrap() == fs::read(other).unwrap(), "the same program gives another wheel");
    let read = run(Command::new("python3").args(["-c", READ, &one]));
    let lines: Vec<&str> = read.lines().collect();
    let version = env!("CARGO_PKG_VERSION");
    let machine = std::env::consts::ARCH;
    assert_eq!(lines[0], format!("torusweave-{version}-py3-none-manylinux_2_34_{machine}.whl"));
    let package = contents(&project().join("python/torusweave/torusweave"));
    let mut files: Vec<String> = package
        .into_keys()
        .filter(|name| !name.contains('/'))
        .map(|name| format!("torusweave/{name}"))
        .chain([format!("torusweave-{version}.data/scripts/torusweave")])
        .collect();
    files.sort();
    assert_eq!(lines[1].split(' ').collect::<Vec<_>>(), files);
    for field in ["Name: torusweave", &format!("Version: {version}"), "Requires-Dist: numpy>=1.22"] {
        assert!(lines[2..].contains(&field), "{field} is missing:\n{read}");
    }
    assert!(!read.contains("://"), "the metadata has an address: {read}");
}

#[test]
fn a_program_that_is_too_large_makes_no_wheel() {
    if !has("python3") {
        return;
    }
    let place = Place::new();
    place.write("program", [b"\x7fELF".as_slice(), &[0; 100]].concat());
    let output = pack(&place.path().join("program"), &place.path().join("w")).args(["--most-bytes", "50"]).output();
    let ended = Ended::from(output.unwrap());
    assert!(ended.code == 1 && ended.stderr.contains("must have at most 50 bytes (has 104)"), "{}", ended.stderr);
    assert!(!place.path().join("w").exists());
}

/// Runs for half a minute, so on request only.
#[test]
fn a_bare_environment_runs_the_first_example_and_the_package() {
    if std::env::var_os("TORUSWEAVE_FULL").is_none() || !has(PYTHON) || !has("strip") || !has("verilator_bin") {
        return;
    }
    let place = Place::new();
    // a program for tests is larger than one for users
    let program = place.path().join("program");
    run(Command::new("strip").arg("-o").arg(&program).arg(TORUSWEAVE));
    let wheel = run(pack(&program, place.path()).args(["--most-bytes", "2000000000"]));
    let bare = place.path().join("bare");
    run(Command::new("python3").args(["-m", "venv"]).arg(&bare));
    let install = ["install", "--quiet", "--disable-pip-version-check", "--no-index", "--no-deps"];
    run(Command::new(bare.join("bin/pip")).args(install).arg(&wheel));
    let torusweave = || Command::new(bare.join("bin/torusweave"));
    let out = place.path().join("out");
    run(torusweave().arg("generate").arg("examples/torus-6x8.yaml").arg("--out").arg(&out).current_dir(project()));
    assert!(contents(&out) == contents(&project().join("generated/torus_6x8")), "other files");
    run(torusweave().arg("generate").arg(project().join("examples/programs/torus-4x4.yaml")).current_dir(place.path()));
    place.write("where.py", "import numpy, os; print(os.path.dirname(os.path.dirname(numpy.__file__)))");
    let numpy = run(Command::new(PYTHON).arg(place.path().join("where.py")));
    let script = "import numpy as np, torusweave\n\
                  assert '/bare/' in torusweave.__file__, torusweave.__file__\n\
                  with torusweave.connect('sim:generated/calls_4x4') as t:\n\
                  \x20   x = np.arange(256, dtype=np.uint32).reshape(16, 16)\n\
                  \x20   assert (t.allreduce(x) == x.sum(0)).all()\n\
                  \x20   print('right')\n";
    let path = format!("{}:{}", bare.join("bin").display(), std::env::var("PATH").unwrap());
    let mut command = Command::new(bare.join("bin/python"));
    command.args(["-c", script]).current_dir(place.path()).env("PYTHONPATH", numpy).env("PATH", path);
    assert_eq!(run(command.env_remove("TORUSWEAVE")), "right");
}

/// Files outside of `src/` that the sources include, by their path in the project.
fn included() -> Vec<String> {
    let sources = contents(&project().join("src"));
    let texts = sources.into_iter().filter(|(path, _)| Path::new(path).extension().is_some_and(|end| end == "rs"));
    let texts: Vec<String> = texts.map(|(_, bytes)| String::from_utf8(bytes).unwrap()).collect();
    let paths = texts.iter().flat_map(|text| text.split("include_str!(\"").chain(text.split("include_bytes!(\"")));
    let paths = paths.filter_map(|rest| rest.split_once("\")")).filter(|(path, _)| path.starts_with("../"));
    paths.map(|(path, _)| path.trim_start_matches("../").to_owned()).collect()
}

#[test]
fn the_crate_has_every_file_that_it_is_built_from_and_no_other_kind() {
    let mut command = Command::new(env!("CARGO"));
    command.args(["package", "--list", "--allow-dirty", "--offline", "--locked"]).current_dir(project());
    let listed = run(&mut command);
    let listed: Vec<&str> = listed.lines().collect();
    let built_from = ["src", "templates"].into_iter().flat_map(|folder| {
        let files = contents(&project().join(folder)).into_keys().filter(|path| !path.ends_with('/'));
        files.map(move |path| format!("{folder}/{path}"))
    });
    let others =
        ["Cargo.lock", "README.md", "CHANGELOG.md", "LICENSE-MIT", "LICENSE-APACHE", "examples/torus-6x8.yaml"];
    let included = included();
    assert!(included.len() > 10, "only {} files are included: has the way they are named changed?", included.len());
    for file in built_from.chain(included).chain(others.map(str::to_owned)) {
        assert!(listed.contains(&file.as_str()), "{file} is not in the crate");
    }
    for file in &listed {
        let is_kept = ["tests/", "generated/", "target/", "benches/", "sim/mutants", "python/"];
        assert!(!is_kept.iter().any(|folder| file.starts_with(folder)), "{file} is in the crate");
    }
    let manifest = fs::read_to_string(project().join("Cargo.toml")).unwrap();
    for field in ["description", "license", "readme", "keywords", "categories", "include", "rust-version"] {
        assert!(manifest.contains(&format!("\n{field} = ")), "Cargo.toml has no {field}");
    }
}

/// Runs the script for CI in a repository with a config, with the program of the tests in the PATH.
fn ci(place: &Place, base: &str) -> Ended {
    let folder = Path::new(TORUSWEAVE).parent().unwrap();
    let path = format!("{}:{}", folder.display(), std::env::var("PATH").unwrap());
    let mut command = Command::new("sh");
    command.arg(project().join("examples/ci/torusweave.sh")).arg("designs/one.yaml").current_dir(place.path());
    command.env("PATH", path).env("BASE", base).output().unwrap().into()
}

#[test]
fn the_script_for_ci_finds_files_that_are_out_of_date_and_shows_changes() {
    if !has("git") {
        return;
    }
    let git = |place: &Place, arguments: &[&str]| {
        let mut command = Command::new("git");
        command.args(["-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false"]);
        run(command.args(arguments).current_dir(place.path()));
    };
    let place = Place::new();
    place.write("designs/one.yaml", "name: one\ntopology: { torus: [4, 4] }\nscheme: staircase\n");
    assert_eq!(place.run("generate designs/one.yaml").code, 0);
    git(&place, &["init", "--quiet"]);
    git(&place, &["add", "."]);
    git(&place, &["commit", "--quiet", "-m", "one"]);
    let fine = ci(&place, "HEAD");
    assert_eq!(fine.code, 0, "{}{}", fine.stdout, fine.stderr);
    place.write("designs/one.yaml", "name: one\ntopology: { torus: [4, 6] }\nscheme: staircase\n");
    let stale = ci(&place, "HEAD");
    assert_eq!(stale.code, 1, "{}{}", stale.stdout, stale.stderr);
    assert!(stale.stdout.lines().any(|line| line.starts_with("~ nodes") || line.contains("16") && line.contains("24")));
    assert_eq!(place.run("generate designs/one.yaml").code, 0);
    assert_eq!(ci(&place, "HEAD").code, 0);
    // without a base, and with a config that the base does not have
    assert_eq!((ci(&place, "").code, ci(&place, "no-such-commit").code), (0, 0));
    place.write("generated/one/one.v", "module one; endmodule\n");
    assert_eq!(ci(&place, "").code, 1);
}
