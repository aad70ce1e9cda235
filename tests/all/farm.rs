//! Farm of combinations: every collective on every network in every way of use is accepted and checked, or refused by the
//! table of limits.

use std::collections::BTreeMap;

use torusweave::check;
use torusweave::design::config::{Config, Setting};
use torusweave::design::listed::ProgramsError;
use torusweave::design::support::{self, DesignUse, Unsupported};
use torusweave::design::{Design, DesignError, list};
use torusweave::emit::formal;
use torusweave::program::ClassId;

use crate::fixtures::designs::Folder;
use crate::fixtures::tools::{call, has};

/// Every collective with what it requires.
pub const COLLECTIVES: [&[&str]; 7] = [
    &["collective=gossip"],
    &["collective=broadcast"],
    &["collective=scatter"],
    &["collective=gather"],
    &["collective=exchange"],
    &["collective=reduce-scatter", "operation=sum"],
    &["collective=all-reduce", "operation=sum"],
];

/// The short form of an exchange, with what tells its messages apart.
const HALO: &[&str] = &["collective=halo", "count=2"];

/// Every kind of network that a config can ask for.
pub const NETWORKS: [&str; 15] = [
    "torus: [4, 4]",
    "torus: [3, 5]",
    "torus: [2, 3]",
    "torus: [2, 3, 3]",
    "mesh: [3, 4]",
    "mesh: [3, 3]",
    "mesh: [2, 2, 3]",
    "cycle: 5",
    "path: 4",
    "path: 2",
    "lattice: [[4, 2], [0, 6]]",
    "torus: [4, 4], open: [x2]",
    "torus: [4, 4], dead: { links: ['0,0 x2+'] }",
    "torus: [3, 4], dead: { nodes: ['1,1'] }",
    "torus: [5, 5], part: { from: [0, 0], to: [2, 3] }",
];

/// Networks of a check that is not asked to be full: those that few tests try otherwise.
const SAMPLE: [usize; 5] = [2, 6, 10, 12, 14];

/// Settings of each way of use, and what a command asks for beyond them.
pub const WAYS: [(&str, &[&str], Option<DesignUse>); 8] = [
    ("fabric", &[], None),
    ("nodes", &["local.order=origin"], None),
    ("ring", &["host=chain"], None),
    ("self-test", &["bist=true"], None),
    ("pads", &["link.duplex=pads"], None),
    ("crossbar", &["crossbar=configurable"], None),
    ("proof", &[], Some(DesignUse::Proof)),
    ("elastic boards", &["link.elastic=true"], None),
];

/// Reads a config of a network with settings.
pub fn config(network: &str, settings: &[&[&str]]) -> Config {
    let config = Config::parse(&format!("topology: {{ {network} }}")).unwrap();
    settings.concat().iter().fold(config, |config, setting| setting.parse::<Setting>().unwrap().apply(&config).unwrap())
}

/// Builds a design, the first of a list, or returns the refusal: there is no other than that of the table.
pub fn built(config: Config) -> Result<Design, Unsupported> {
    let refusal = match list::schedules(config) {
        Ok(mut designs) => return Ok(designs.remove(0)),
        Err(ProgramsError::Unsupported(refusal) | ProgramsError::Design(DesignError::Unsupported(refusal))) => refusal,
        Err(ProgramsError::Program { source, .. }) => match *source {
            DesignError::Unsupported(refusal) => refusal,
            DesignError::Config(error) => panic!("refused, and not by the table: {error}"),
        },
        Err(error) => panic!("refused, and not by the table: {error}"),
    };
    let violations = refusal.violations();
    assert!(!violations.is_empty() && violations.iter().all(|it| !it.help.is_empty()), "{refusal}");
    Err(refusal)
}

/// Plays every testbench that a design comes with, and returns how many there are.
pub fn play(design: &Design) -> usize {
    let folder = Folder::with_options(&design.program, &design.options());
    let tb = folder.path().join("tb");
    let mut benches = 0;
    let files: Vec<String> =
        tb.read_dir().unwrap().map(|file| file.unwrap().file_name().into_string().unwrap()).collect();
    let (names, parts): (Vec<&str>, Vec<&str>) =
        files.iter().filter_map(|file| file.strip_suffix(".v")).partition(|name| name.ends_with("_tb"));
    let beside: Vec<String> = parts.iter().map(|name| format!("tb/{name}.v")).collect();
    for bench in names {
        let top = bench.strip_suffix("_tb").unwrap();
        let list = if folder.path().join(format!("{top}.f")).exists() { top } else { &design.program.title.name };
        let line = format!("-g2005 -o {bench} -s {bench} -f {list}.f tb/{bench}.v");
        let words: Vec<&str> = line.split(' ').chain(beside.iter().map(String::as_str)).collect();
        let (is_compiled, said) = call(&folder, "iverilog", &words);
        assert!(is_compiled, "{bench}: {said}");
        let (_, printed) = call(&folder, "vvp", &["-n", bench]);
        assert!(printed.starts_with("PASS"), "{bench}: {printed}");
        benches += 1;
    }
    benches
}

/// Checks what a design is accepted for.
fn check_accepted(design: &Design, way: Option<DesignUse>, is_played: bool) {
    let Design { program, .. } = design;
    let report = check::by_either(program);
    assert!(report.passed(), "{} {:?}", program.title.name, report.violations);
    if way == Some(DesignUse::Proof) {
        let options = design.options();
        let asked = (0..program.classes.len() as u32)
            .filter(|&class| formal::class(program, &options, program, ClassId(class)).is_some());
        assert!(asked.count() > 0, "{}: nothing to prove", program.title.name);
    } else if is_played {
        assert!(play(design) > 0, "{} has no testbench", program.title.name);
    }
}

#[test]
fn every_combination_is_accepted_and_checked_or_refused_by_the_table() {
    let is_full = std::env::var_os("TORUSWEAVE_FULL").is_some();
    let has_icarus = has("iverilog");
    let networks = (0..NETWORKS.len()).filter(|at| is_full || SAMPLE.contains(at)).map(|at| NETWORKS[at]);
    let mut counts: BTreeMap<&str, [usize; 2]> = BTreeMap::new();
    let mut fields: BTreeMap<String, usize> = BTreeMap::new();
    let mut cell = 0;
    for (network, collective) in
        networks.flat_map(|network| COLLECTIVES.into_iter().chain([HALO]).map(move |it| (network, it)))
    {
        for (way, settings, of) in WAYS {
            let design = built(config(network, &[collective, settings]))
                .and_then(|design| of.map_or(Ok(()), |of| support::check_use(&design, of)).map(|()| design));
            let [accepted, refused] = counts.entry(way).or_default();
            match design {
                Ok(design) => {
                    *accepted += 1;
                    cell += 1;
                    check_accepted(&design, of, has_icarus && (is_full || cell % 28 == 0));
                }
                Err(refusal) => {
                    *refused += 1;
                    for violation in refusal.violations() {
                        *fields.entry(violation.field.to_string()).or_default() += 1;
                    }
                }
            }
        }
    }
    let all = |which: usize| counts.values().map(|it| it[which]).sum::<usize>();
    println!("{} of {} accepted, {} refused", all(0), all(0) + all(1), all(1));
    for (way, [accepted, refused]) in &counts {
        println!("  {way}: {accepted} of {}", accepted + refused);
    }
    println!("  refused by field: {fields:?}");
    // every collective on every network
    for way in ["fabric", "nodes", "ring", "self-test"] {
        assert_eq!(counts[way][1], 0, "{way}: {fields:?}");
    }
    assert!(all(0) > all(1) / 2, "fewer than a third are accepted");
}

/// The farm would see a design that is wrong.
#[test]
#[should_panic(expected = "torus_4x4")]
fn farm_sees_a_program_that_is_not_complete() {
    let mut design = built(config(NETWORKS[0], &[])).unwrap();
    design.program.ticks -= 1;
    check_accepted(&design, None, false);
}
