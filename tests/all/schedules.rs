//! Schedules in files: those of every scheme read back as the same steps, those of papers are right, and wrong ones are refused by
//! their line.

use std::collections::BTreeSet;

use torusweave::check;
use torusweave::design::Design;
use torusweave::design::config::Config;
use torusweave::schedule::ScheduleCsv;
use torusweave::schemes::{SCHEMES, ScheduleFile, SchemeName};

use crate::fixtures::command::Place;

/// The lines of a design's schedule.
fn csv(design: &Design) -> String {
    ScheduleCsv::of(&design.program, design.config.collective, None).to_string()
}

/// The design whose schedule is read from a text in place of its scheme's.
fn read(design: &Design, text: &str) -> Result<Design, torusweave::design::DesignError> {
    let place = Place::new();
    place.write("mine", text);
    let file = SchemeName::File(ScheduleFile::of(&place.path().join("mine")));
    let mut config = Config { scheme: file, packets: None, tree: None, ..design.config.clone() };
    config.link.duplex = Some(design.program.duplex);
    Design::new(config)
}

/// Compares the steps of a design with those of its schedule's lines and of its program's JSON, and has both judged.
fn round_trip(design: &Design) -> Result<(), String> {
    let text = csv(design);
    for (form, file) in [("csv", &text), ("json", &design.program.json().to_string())] {
        let again = read(design, file).map_err(|error| format!("{form}: {error}"))?;
        let report = check::by_execution(&again.program);
        if !report.passed() {
            return Err(format!("{form}: {:?}", report.violations));
        }
        if csv(&again) != text || again.bound() != design.bound() {
            return Err(format!("{form}: other steps, or another bound"));
        }
        if again.program.ticks != design.program.ticks {
            return Err(format!("{form}: {} ticks, not {}", again.program.ticks, design.program.ticks));
        }
    }
    Ok(())
}

/// Takes the round trip of every scheme that applies to a config; those that fail are returned with the reason.
fn of_every_scheme(yaml: &str, taken: &mut BTreeSet<String>) -> Vec<String> {
    let config = Config::parse(yaml).unwrap();
    let picks = SCHEMES.iter().copied().map(SchemeName::One).chain([SchemeName::Auto]);
    let mut failures = Vec::new();
    for scheme in picks {
        let Ok(design) = Design::new(Config { scheme, ..config.clone() }) else { continue };
        let name = design.program.title.scheme.clone();
        if let Err(failure) = round_trip(&design) {
            failures.push(format!("{name} of {}: {failure}", yaml.replace('\n', "; ")));
        }
        taken.insert(name);
    }
    failures
}

const NETWORKS: [&str; 8] = [
    "torus: [4, 4]",
    "torus: [3, 5]",
    "mesh: [3, 4]",
    "cycle: 7",
    "path: 6",
    "torus: [3, 3, 4]",
    "torus: [4, 5], dead: { nodes: [\"1,2\"], links: [\"0,0:x2+\"] }",
    "lattice: [[4, 2], [0, 6]]",
];

#[test]
fn packets_of_every_scheme_read_back_as_the_same_steps() {
    let (mut taken, mut failures) = (BTreeSet::new(), Vec::new());
    for network in NETWORKS {
        for more in [
            "collective: gossip",
            "collective: gossip\nlink: { flits: 3 }",
            "collective: gossip\nlink: { flits: 3, latency: 2 }",
            "collective: gossip\nlink: { duplex: half }",
            "collective: gossip\nlink: { duplex: half, lanes: 2 }",
            "collective: gossip\nlink: { duplex: pads }",
            "collective: broadcast\nlink: { flits: 7 }",
            "collective: broadcast\nroot: 3\nlink: { flits: 12 }",
            "collective: scatter\nroot: 1\nlink: { flits: 2 }",
            "collective: gather\nlink: { flits: 3 }",
            "collective: exchange",
            "collective: exchange\nlink: { flits: 2 }",
            "collective: exchange\nlengths: 2",
        ] {
            let yaml = format!("topology: {{ {network} }}\n{more}\n");
            failures.extend(of_every_scheme(&yaml, &mut taken));
        }
    }
    failures.extend(of_every_scheme(
        "topology: { path: 4 }\ncollective: exchange\nlengths: \"0,2,0,1/0,0,3,0/1,0,0,0/0,0,4,0\"",
        &mut taken,
    ));
    failures.extend(of_every_scheme("topology: { path: 5 }\ncollective: gather\nlengths: [0, 2, 0, 1, 5]", &mut taken));
    failures.extend(of_every_scheme(
        "topology: { torus: [2, 3] }\ncollective: scatter\nlengths: [0, 2, 0, 1, 5, 4]",
        &mut taken,
    ));
    assert_eq!(failures, Vec::<String>::new());
    let all: BTreeSet<String> = SCHEMES.iter().map(|scheme| scheme.to_string()).collect();
    assert_eq!(all.difference(&taken).collect::<Vec<_>>(), Vec::<&String>::new());
}

#[test]
fn reductions_of_every_scheme_read_back_as_the_same_steps() {
    let (mut taken, mut failures) = (BTreeSet::new(), Vec::new());
    for network in NETWORKS {
        for collective in ["reduce-scatter", "all-reduce"] {
            for more in [
                "operation: sum",
                "operation: max",
                "operation: sum\nlink: { flits: 3 }",
                "operation: sum\nlink: { flits: 2, latency: 2 }",
                "operation: sum\nnumber: f32\nlink: { flits: 8 }",
                "operation: max\nnumber: bf16",
            ] {
                let yaml = format!("topology: {{ {network} }}\ncollective: {collective}\n{more}\n");
                failures.extend(of_every_scheme(&yaml, &mut taken));
            }
        }
    }
    assert_eq!(failures, Vec::<String>::new());
    assert!(taken.len() > 3, "{taken:?}");
}
