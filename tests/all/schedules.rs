//! Schedules in files: those of every scheme read back as the same steps, those of papers are right, and wrong ones are refused by
//! their line.

mod damage;

use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

use torusweave::check;
use torusweave::design::Design;
use torusweave::design::config::Config;
use torusweave::net::ShapeName;
use torusweave::schedule::ScheduleCsv;
use torusweave::schemes::{SCHEMES, ScheduleFile, SchemeName};
use torusweave::task::CombinePlace;

use crate::fixtures::command::{Place, project};
use crate::fixtures::tools::{has, toolchain};

/// The lines of a design's schedule.
fn csv(design: &Design) -> String {
    ScheduleCsv::of(&design.program, design.config.collective(), None).to_string()
}

/// The design whose schedule is read from a text in place of its scheme's.
pub fn read(design: &Design, text: &str) -> Result<Design, torusweave::design::DesignError> {
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
    for (form, file) in [("csv", &text), ("json", &design.program.json())] {
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
        let Ok(design) = Design::in_blocks(Config { scheme, ..config.clone() }) else { continue };
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
    // lines do not tell what is in a sum
    let told = SCHEMES.iter().filter(|scheme| scheme.combines() != CombinePlace::Everywhere);
    let all: BTreeSet<String> = told.map(ToString::to_string).collect();
    assert_eq!(all.difference(&taken).collect::<Vec<_>>(), Vec::<&String>::new());
}

#[test]
fn reductions_of_every_scheme_read_back_as_the_same_steps() {
    let (mut taken, mut failures) = (BTreeSet::new(), Vec::new());
    for network in NETWORKS {
        for collective in ["reduce-scatter", "all-reduce", "reduce"] {
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

/// The design of a config.
fn design(yaml: &str) -> Design {
    Design::new(Config::parse(yaml).unwrap()).unwrap()
}

#[test]
fn damaged_schedules_are_refused_by_their_first_wrong_line() {
    let mut counts = BTreeMap::new();
    for (seed, yaml) in (1..).zip([
        "topology: { torus: [4, 4] }",
        "topology: { torus: [3, 3] }\nscheme: optimal",
        "topology: { mesh: [3, 4] }",
        "topology: { cycle: 6 }\ncollective: broadcast\nlink: { flits: 5 }",
        "topology: { torus: [3, 4] }\ncollective: scatter\nlengths: 2\nscheme: flow",
        "topology: { torus: [3, 4] }\ncollective: gather",
        "topology: { mesh: [2, 3] }\ncollective: exchange",
        "topology: { torus: [3, 3, 3] }\nscheme: optimal",
        "topology: { torus: [3, 4] }\ncollective: reduce-scatter\noperation: sum\nscheme: optimal",
        "topology: { mesh: [3, 3] }\ncollective: reduce-scatter\noperation: sum\nscheme: general",
        "topology: { torus: [3, 4] }\ncollective: reduce\noperation: sum\nlink: { flits: 5 }",
    ]) {
        damage::refusals(&design(yaml), seed, 80, &mut counts);
    }
    assert!(counts.values().sum::<u32>() >= 400 && counts.len() == 8 && counts.values().all(|&n| n > 20), "{counts:?}");
}

/// The error of a schedule on a network, with the cure.
fn refusal(yaml: &str, text: impl AsRef<[u8]>) -> String {
    let place = Place::new();
    place.write("mine.csv", text);
    place.write("mine.yaml", format!("{yaml}\nscheme: {{ file: mine.csv }}\n"));
    let ended = place.run("check mine.yaml");
    assert_eq!((ended.code, ended.stdout.as_str()), (2, ""), "{}", ended.stderr);
    ended.stderr
}

#[test]
fn files_that_are_no_schedule_are_refused() {
    const TORUS: &str = "topology: { torus: [2, 3] }";
    const HEAD: &str = "tick,node,port,message\n";
    let mut shown = String::new();
    for (yaml, text) in [
        (TORUS, ""),
        (TORUS, "# nothing but a remark\n\n"),
        (TORUS, HEAD),
        (TORUS, "1,0,R,0\n"),
        (TORUS, "tick,node,port\n1,0,R\n"),
        (TORUS, "tick,node,port,message\n1,0,R\n"),
        (TORUS, "tick,node,port,message\n1,0,R,0,0\n"),
        (TORUS, "tick,node,port,message\n0,0,R,0\n"),
        (TORUS, "tick,node,port,message\n4294967296,0,R,0\n"),
        (TORUS, "tick,node,port,message\n4294967295,0,R,0\n"),
        (TORUS, "tick,node,port,message\n+1,0,R,0\n"),
        (TORUS, "tick,node,port,message\n1,6,R,0\n"),
        (TORUS, "tick,node,port,message\n1,0,x3+,0\n"),
        (TORUS, "tick,node,port,message\n1,0,4,0\n"),
        (TORUS, "tick,node,port,message\n1,0,R,6\n"),
        (TORUS, "tick,node,port,message\n1,0,R,0>1\n"),
        (TORUS, "tick,node,port,message\n1,0,R,0.65535\n"),
        (TORUS, "tick,node,port,message\n1,0,R,0.4294967295\n"),
        (TORUS, "tick,node,port,message,flit\n1,0,R,0,1\n"),
        (TORUS, "tick,node,port,message\n1,0,R,\u{1b}[2J\n"),
        (TORUS, "tick,node,port,message\n1,0,R,0\n"),
        ("topology: { torus: [3, 3], dead: { nodes: [\"1,1\"] } }", "tick,node,port,message\n1,4,R,4\n"),
        ("topology: { torus: [3, 3], dead: { nodes: [\"1,1\"] } }", "tick,node,port,message\n1,3,R,3\n"),
        ("topology: { torus: [3, 3], dead: { nodes: [\"1,1\"] } }", "tick,node,port,message\n1,3,L,4\n"),
        ("topology: { mesh: [2, 3] }", "tick,node,port,message\n1,0,L,0\n"),
        ("topology: { path: 2 }\nlink: { duplex: half }", "tick,node,port,message\n1,0,x1+,0\n1,1,x1-,1\n"),
        ("topology: { path: 2 }\nlink: { latency: 2 }", "tick,node,port,message\n1,0,x1+,0\n2,1,x1-,0\n"),
        ("topology: { path: 2 }\nlink: { flits: 2 }", "tick,node,port,message,flit\n1,0,x1+,0,0\n3,0,x1+,0,1\n"),
        ("topology: { path: 2 }\nlink: { flits: 2 }", "tick,node,port,message,flit\n1,0,x1+,0,0\n"),
        ("topology: { path: 2 }\ncollective: broadcast\nroot: 1", "tick,node,port,message\n1,0,x1+,0\n"),
        ("topology: { path: 2 }\ncollective: scatter", "tick,node,port,message\n1,0,x1+,0\n"),
        ("topology: { path: 2 }\ncollective: gather\nlengths: [0, 3]", "tick,node,port,message,flit\n1,1,x1-,1,3\n"),
        ("topology: { path: 2 }\ncollective: exchange", "tick,node,port,message\n1,0,x1+,0>0\n"),
        ("topology: { path: 2 }\npackets: 2", "tick,node,port,message\n1,0,x1+,0\n1,1,x1-,1\n"),
        ("topology: { path: 3 }\ncollective: scatter\ntree: path", "tick,node,port,message\n1,0,x1+,2\n"),
        (
            "topology: { path: 2 }\ncollective: all-reduce\noperation: sum",
            "tick,node,port,message\n1,0,x1+,1\n1,1,x1-,0\n",
        ),
        (
            "topology: { path: 2 }\ncollective: all-reduce\noperation: sum",
            "tick,node,port,message\n1,0,x1+,1\n1,1,x1-,0\n2,0,x1+,0\n2,1,x1-,1\n",
        ),
        (
            "topology: { path: 2 }\ncollective: all-reduce\noperation: sum",
            "tick,node,port,message\n1,0,x1+,1\n3,0,x1+,0\n",
        ),
        (
            "topology: { path: 3 }\ncollective: all-reduce\noperation: sum",
            "tick,node,port,message\n1,0,x1+,2\n2,1,x1+,2\n1,2,x1-,0\n2,1,x1-,0\n1,0,x1+,1\n",
        ),
        (TORUS, "{ \"format\": \"torusweave-program/1\" }"),
    ] {
        shown += &format!("{}\n{}\n{}\n", yaml.replace('\n', "; "), text.escape_debug(), refusal(yaml, text));
    }
    insta::assert_snapshot!(shown);
    assert!(refusal(TORUS, b"tick,node,port,message\n1,0,R,\xff\n").contains("utf-8"));
}

#[test]
fn files_of_more_bytes_than_are_read_are_refused() {
    let place = Place::new();
    let file = std::fs::File::create(place.path().join("mine.csv")).unwrap();
    file.set_len(torusweave::schedule::MOST_BYTES + 1).unwrap();
    let ended = place.run("check --torus 4x4 --scheme mine.csv");
    assert!(ended.code == 2 && ended.stderr.contains("more than 268435456 bytes"), "{}", ended.stderr);
}

#[test]
fn programs_of_another_config_are_refused() {
    let place = Place::new();
    place.write("mine.json", design("topology: { torus: [3, 4] }\nscheme: optimal").program.json());
    assert_eq!(place.run("check --torus 3x4 --scheme mine.json").code, 0);
    for (flags, field) in [
        ("--torus 3x5", "topology"),
        ("--torus 3x4 --collective broadcast", "collective"),
        ("--torus 3x4 --flits 2", "link.flits"),
        ("--torus 3x4 --latency 2", "link"),
        ("--torus 3x4 --duplex half", "link"),
        ("--torus 3x4 --packets 2", "packets"),
    ] {
        let ended = place.run(&format!("check {flags} --scheme mine.json"));
        let names_field = ended.stderr.contains(&format!("`{field}`")) || ended.stderr.contains(&format!("{field}:"));
        assert!(ended.code == 2 && names_field, "{flags}: {}", ended.stderr);
    }
    let sums = design("topology: { torus: [3, 4] }\ncollective: reduce-scatter\noperation: sum\nscheme: optimal");
    place.write("mine.json", sums.program.json());
    let flags = "--torus 3x4 --collective reduce-scatter --scheme mine.json";
    assert_eq!(place.run(&format!("check {flags} --operation sum")).code, 0);
    assert!(place.run(&format!("check {flags} --operation max")).stderr.contains("`operation`"));
    let scattered = design("topology: { path: 3 }\ncollective: scatter\nlengths: [0, 1, 2]\nscheme: fdf");
    place.write("mine.json", scattered.program.json());
    assert_eq!(place.run("check --path 3 --collective scatter --lengths 0,1,2 --scheme mine.json").code, 0);
    let ended = place.run("check --path 3 --collective scatter --lengths 0,2,1 --scheme mine.json");
    assert!(ended.code == 2 && ended.stderr.contains("other messages"), "{}", ended.stderr);
}

/// Schedules of papers: the script, the config, and the ticks.
const PAPERS: [(&str, &str, u32); 5] = [
    ("ring", "--cycle 8 --collective all-reduce --operation sum", 15),
    ("bucket", "--torus 4x4", 15),
    ("msccl_ring", "--cycle 4", 3),
    ("swing", "--cycle 16", 21),
    ("doubling", "--torus 2x2x2 --collective all-reduce --operation sum", 15),
];

#[test]
fn schedules_of_papers_are_checked_generated_and_played() {
    if !has("python3") {
        return;
    }
    let place = Place::new();
    for (name, flags, ticks) in PAPERS {
        let script = project().join(format!("examples/schedules/{name}.py"));
        let printed = Command::new("python3").arg(&script).output().unwrap();
        assert!(printed.status.success(), "{}", String::from_utf8_lossy(&printed.stderr));
        let end = if printed.stdout.starts_with(b"<") { "xml" } else { "csv" };
        place.write(&format!("{name}.{end}"), &printed.stdout);
        if let Ok(kept) = std::fs::read(script.with_extension(end)) {
            assert!(kept == printed.stdout, "examples/schedules/{name}.{end} is not what {name}.py prints");
        }
        let checked = place.run(&format!("check {flags} --scheme {name}.{end}"));
        let steps = format!("steps       {ticks}\n");
        assert!(checked.code == 0 && checked.stdout.contains(&steps), "{}{}", checked.stdout, checked.stderr);
        if has("iverilog") {
            let played = place.run(&format!("simulate --engine icarus {flags} --scheme {name}.{end}"));
            assert!(played.code == 0 && played.stdout.starts_with("PASS"), "{}{}", played.stdout, played.stderr);
        }
    }
    let flags = "--torus 2x2x2 --collective all-reduce --operation sum --scheme doubling.csv";
    if toolchain().is_some() {
        let played = place.run(&format!("simulate --engine verilator {flags}"));
        assert!(
            played.code == 0 && played.stdout.contains("RTL and model are equal"),
            "{}{}",
            played.stdout,
            played.stderr
        );
    }
}

#[test]
fn generated_folders_name_a_copy_of_the_schedule_and_are_made_again_from_it() {
    let place = Place::new();
    for (folder, text) in [
        ("lines", csv(&design("topology: { torus: [3, 4] }\nscheme: optimal"))),
        ("program", design("topology: { torus: [3, 4] }\nscheme: optimal").program.json()),
    ] {
        place.write("any/mine.file", &text);
        place.write("any/mine.yaml", "topology: { torus: [3, 4] }\nscheme: { file: mine.file }\n");
        let ended = place.run(&format!("generate any/mine.yaml --out {folder}"));
        assert_eq!(ended.code, 0, "{}", ended.stderr);
        let end = if folder == "lines" { "csv" } else { "json" };
        let copy = place.path().join(folder).join(format!("torus_3x4_schedule.{end}"));
        assert_eq!(std::fs::read_to_string(copy).unwrap(), text);
        let fabric = std::fs::read_to_string(place.path().join(folder).join("torus_3x4.v")).unwrap();
        let command = format!("torusweave generate --torus 3x4 --scheme torus_3x4_schedule.{end}");
        assert!(fabric.replace("\n// ", " ").contains(&command), "{fabric}");
        place.write("any/mine.file", "");
        // the recorded command finds the copy beside the Verilog
        let compared = place.run(&format!("diff {folder} {folder}"));
        assert_eq!(compared.code, 0, "{}", compared.stderr);
        let mut again = place.command();
        again.current_dir(place.path().join(folder)).args(command.split(' ').skip(1)).args(["--out", "again"]);
        assert!(again.output().unwrap().status.success());
        let again = std::fs::read_to_string(place.path().join(folder).join("again/torus_3x4.v")).unwrap();
        assert_eq!(again, fabric);
    }
}

#[test]
fn lists_play_schedules_of_files_and_name_them_beside_the_verilog() {
    let place = Place::new();
    place.write("a/mine.csv", csv(&design("topology: { cycle: 5 }\nscheme: hamiltonian")));
    place.write(
        "a/list.yaml",
        "topology: { cycle: 5 }\nhost: { bus: uart }\nprograms: [{ collective: gossip, scheme: { file: mine.csv } }, \
         { collective: all-reduce, operation: sum }]\n",
    );
    let ended = place.run("generate a/list.yaml --out list");
    assert_eq!(ended.code, 0, "{}", ended.stderr);
    let contents = std::fs::read_to_string(place.path().join("list/cycle_5_programs.json")).unwrap();
    let contents: serde_json::Value = serde_json::from_str(&contents).unwrap();
    assert_eq!(contents["config"]["programs"][0]["scheme"], "programs/0_gossip.json");
    place.write("list/list.yaml", contents["config"].to_string());
    assert_eq!(place.run("check list/list.yaml").code, 0);
}

#[test]
fn a_million_sends_are_read_back() {
    let text = csv(&design("topology: { torus: [32, 32] }\nscheme: optimal"));
    assert!(text.lines().count() > 1_000_000);
    let wide = design("topology: { torus: [4, 4] }");
    let mut config = wide.config.clone();
    config.topology = torusweave::design::config::NetworkFields::of(ShapeName::Torus, vec![32, 32]);
    let again = read(&Design { config, ..wide }, &text).unwrap();
    assert_eq!((again.program.ticks, again.program.classes.len()), (256, 1));
}
