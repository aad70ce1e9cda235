//! `torusweave init`: the config that it writes means the network alone, and names every field.

use torusweave::design::config::{Config, FIELDS};
use torusweave::net::ShapeName;

use crate::fixtures::command::Place;

/// A commented config with its fields uncommented: `#name: ...` becomes `name: ...`.
fn uncommented(text: &str) -> String {
    let field = |line: &str| {
        let body = line.trim_start();
        match body.strip_prefix('#').filter(|rest| rest.starts_with(|c: char| c.is_ascii_lowercase())) {
            Some(field) => format!("{}{field}\n", &line[..line.len() - body.len()]),
            None => format!("{line}\n"),
        }
    };
    text.lines().map(field).collect()
}

#[test]
fn commented_configs_mean_the_network_alone() {
    let place = Place::new();
    for (flags, shape, sides) in [
        ("", ShapeName::Torus, vec![6, 8]),
        ("--mesh 4x5", ShapeName::Mesh, vec![4, 5]),
        ("--path 7", ShapeName::Path, vec![7]),
        ("--torus 3x4x5", ShapeName::Torus, vec![3, 4, 5]),
    ] {
        let written = place.run(&format!("init {flags}"));
        assert_eq!(written.code, 0, "{}", written.stderr);
        let expected = Config::of(shape, sides);
        assert_eq!(Config::parse(&written.stdout).unwrap(), expected, "{}", written.stdout);
        let all = uncommented(&written.stdout);
        assert_eq!(Config::parse(&all).unwrap(), expected, "{all}");
        for field in FIELDS.iter() {
            let name = field.path.rsplit('.').next().unwrap();
            assert_eq!(
                all.matches(&format!("\n{name}: ")).count() + all.matches(&format!("\n  {name}: ")).count(),
                1,
                "{name}"
            );
        }
    }
}

#[test]
fn init_does_not_replace_a_file() {
    let place = Place::new();
    assert_eq!(place.run("init --cycle 5 -o design.yaml").code, 0);
    assert_eq!(place.run("check design.yaml").code, 0);
    let before = place.contents();
    let again = place.run("init --cycle 6 -o design.yaml");
    assert_eq!(
        (again.code, again.stderr.as_str()),
        (2, "error: `design.yaml` exists already\nhelp: name another file, or remove this one\n")
    );
    assert_eq!(place.contents(), before);
}

#[test]
fn quiet_commands_show_errors_and_no_progress() {
    let place = Place::new();
    let loud = place.run("draw --torus 2x2 -o a.svg");
    assert_eq!((loud.code, loud.stderr.as_str()), (0, "wrote a.svg\n"));
    for line in [
        "draw --torus 2x2 -q --out b.svg",
        "-q draw --torus 2x2 --output b.svg",
        "report --torus 2x2 --quiet -o c.html",
    ] {
        let quiet = place.run(line);
        assert_eq!((quiet.code, quiet.stdout.as_str(), quiet.stderr.as_str()), (0, "", ""), "{line}");
    }
    let wrong = place.run("draw --torus 1x2 -q");
    assert!(wrong.code == 2 && wrong.stderr.starts_with("error: "), "{}", wrong.stderr);
}

#[test]
fn switches_need_no_value() {
    let place = Place::new();
    place.write("x.yaml", "topology: { torus: [3, 4] }\n");
    for (short, long) in [
        ("check --bist x.yaml", "check x.yaml --bist true"),
        ("check --elastic --torus 3x4", "check --torus 3x4 --elastic true"),
    ] {
        let [short, long] = [short, long].map(|line| place.run(line));
        assert_eq!((short.code, &short), (0, &long));
    }
}
