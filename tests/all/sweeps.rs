//! All-reduces of a few words that every node combines by itself, axis after axis.

use std::sync::Arc;

use torusweave::check::{self, Violation};
use torusweave::design::Design;
use torusweave::design::config::Config;
use torusweave::program::{Entries, Operands, Program, Reduction, Source};
use torusweave::study::bounds;

use crate::fixtures::called::{PYTHON, can_call, generated, script};
use crate::fixtures::command::Place;
use crate::fixtures::judge::judged;
use crate::fixtures::node_lists::{list, played};
use crate::fixtures::ranges::sampled;
use crate::fixtures::tools::has;
use crate::reduce::is_played_right;

/// Products of cycles and paths, and whether somebody who reads program.json alone knows them by their sides.
const NETWORKS: [&str; 11] = [
    "torus: [4, 4]",
    "torus: [3, 5]",
    "torus: [2, 7]",
    "torus: [3, 2, 4]",
    "mesh: [4, 6]",
    "mesh: [3, 3, 2]",
    "cycle: 2",
    "cycle: 7",
    "path: 6",
    "torus: [4, 3], open: [x2]",
    "lattice: [[5, 0], [0, 4]]",
];

fn design(network: &str, more: &str) -> Design {
    let config = format!("{{ topology: {{ {network} }}, collective: all-reduce, {more} }}");
    let config = Config::parse(&config).unwrap();
    Design::new(config).unwrap_or_else(|error| panic!("{network}, {more}: {error}"))
}

fn sweep(network: &str, words: u32, latency: u32, operation: &str) -> Program {
    let more =
        format!("operation: {operation}, count: {words}, scheme: sweep, link: {{ latency: {latency}, width: 32 }}");
    design(network, &more).program
}

#[test]
fn a_word_takes_as_many_ticks_as_the_diameter() {
    if !has(PYTHON) {
        return;
    }
    for network in NETWORKS {
        for (words, latency) in [1, 2, 3, 5, 8].into_iter().flat_map(|words| [1, 2, 4].map(|l| (words, l))) {
            let what = format!("{network}, {words} words, links of {latency}");
            let program = sweep(network, words, latency, "sum");
            let report = check::by_execution(&program);
            assert!(report.passed(), "{what}: {:?}", report.violations.first());
            assert_eq!(report.complete_at, Some(program.ticks), "{what}");
            if words == 1 {
                assert_eq!(program.ticks, program.topology.diameter() * latency, "{what}");
            }
            let bound = bounds::of(&program);
            assert!(
                bound.ticks <= program.ticks.into() && (words > 1 || bound.ticks == u64::from(program.ticks)),
                "{what}"
            );
            assert!(is_played_right(&program), "{what}");
            assert_eq!(program.collective(), "all-reduce", "{what}");
            assert_eq!(Program::from_json(&program.json()).unwrap(), program, "{what}");
            assert_eq!(judged(&program), Ok(()), "{what}");
        }
    }
}

/// Networks, words and ticks: exact optima of small networks among them.
#[test]
fn vectors_share_the_links() {
    for (network, words, ticks) in [
        ("cycle: 4", 4, 3),
        ("cycle: 5", 5, 4),
        ("cycle: 6", 6, 5),
        ("cycle: 9", 9, 8),
        ("path: 4", 4, 6),
        ("path: 3", 6, 7),
        ("path: 5", 10, 13),
        ("path: 6", 20, 24),
        ("torus: [4, 4]", 2, 4),
        ("torus: [8, 8]", 1, 8),
        ("torus: [8, 8]", 2, 8),
        ("torus: [16, 16]", 1, 16),
        ("torus: [4, 4, 4]", 3, 6),
        ("mesh: [4, 5]", 4, 8),
    ] {
        let program = sweep(network, words, 1, "xor");
        assert_eq!(program.ticks, ticks, "{network}, {words} words");
        assert!(check::by_execution(&program).passed(), "{network}, {words} words");
    }
}

#[test]
fn auto_takes_it_where_no_other_is_as_fast() {
    for (network, words, scheme) in [
        ("torus: [8, 8]", 1, "sweep"),
        ("torus: [8, 8]", 64, "optimal"),
        ("mesh: [4, 6]", 3, "sweep"),
        ("cycle: 5", 5, "sweep"),
        ("lattice: [[4, 2], [0, 4]]", 1, "arc-trees"),
        ("torus: [4, 4], dead: { links: [\"0,1 x2+\"] }", 1, "arc-trees"),
    ] {
        let taken = design(network, &format!("operation: sum, count: {words}"));
        assert_eq!(taken.scheme.to_string(), scheme, "{network}, {words} words");
        let said = taken.reason.unwrap().to_string();
        assert_eq!(said.contains(" at every node"), scheme != "arc-trees", "{said}");
    }
    // floats have the same bits at every node
    let floats = design("torus: [8, 8]", "operation: sum, number: f32, adder: 3, count: 1");
    assert_ne!(floats.scheme.to_string(), "sweep");
    assert!(!floats.program.combines_everywhere());
}

/// A copy of a program, changed.
fn changed(right: &Program, change: &dyn Fn(&mut Program)) -> Program {
    let mut program = right.clone();
    change(&mut program);
    program
}

fn reduction(program: &mut Program) -> &mut Reduction {
    Arc::make_mut(program.reduction.as_mut().unwrap())
}

/// Programs in which the n-th run of a kind is another one.
fn with_runs(right: &Program, to: impl Fn(Source) -> Option<Source>) -> Vec<Program> {
    let mut found = Vec::new();
    for (class, output) in
        (0..right.classes.len()).flat_map(|class| (0..right.outputs()).map(move |output| (class, output)))
    {
        for (run, of) in right.classes[class].outputs[output].runs.iter().enumerate() {
            found.extend(to(of.source).map(|source| {
                changed(right, &|program| program.classes[class].outputs[output].runs[run].source = source)
            }));
        }
    }
    found
}

/// Every forwarded word not forwarded, every sum without one of its operands, every result without one, with one twice, or with an
/// arrival of another word.
fn wrong(right: &Program) -> Vec<Program> {
    let less = |operands: Operands| Operands::of(operands.iter().skip(1));
    let mut all = with_runs(right, |source| matches!(source, Source::In { .. }).then_some(Source::Idle));
    all.extend(with_runs(right, |source| match source {
        Source::Sum { operands } if operands.iter().len() > 0 => Some(Source::Sum { operands: less(operands) }),
        _ => None,
    }));
    for (class, results) in right.reduction.as_ref().unwrap().results.iter().enumerate() {
        for (packet, &operands) in results.iter().enumerate() {
            let mut with = |operands| {
                all.push(changed(right, &|program| reduction(program).results[class][packet] = operands));
            };
            with(less(operands));
            with(Operands::of(operands.iter().chain(operands.iter().take(1))));
            if results.len() > 1 {
                with(results[(packet + 1) % results.len()]);
            }
        }
    }
    all
}

#[test]
fn faults_are_found_by_checker_model_and_judge() {
    if !has(PYTHON) {
        return;
    }
    for (network, words) in [("torus: [4, 4]", 2), ("cycle: 5", 5), ("mesh: [3, 4]", 3), ("torus: [2, 3]", 1)] {
        let right = sweep(network, words, 1, "sum");
        let all = wrong(&right);
        assert!(all.len() > 3, "{network}: {}", all.len());
        for (fault, program) in all.iter().enumerate() {
            assert!(!check::by_execution(program).passed(), "{network}: fault {fault}");
            assert!(!is_played_right(program), "{network}: fault {fault}");
            assert!(judged(program).is_err(), "{network}: fault {fault}");
        }
    }
    // a value that comes twice does no harm to a maximum, and one that does not come does
    let right = sweep("torus: [4, 4]", 1, 1, "max");
    let twice = changed(&right, &|program| {
        let result = &mut reduction(program).results[0][0];
        *result = Operands::of(result.iter().chain(result.iter().take(1)));
    });
    assert!(check::by_execution(&twice).passed() && judged(&twice).is_ok());
}

#[test]
fn a_program_that_does_not_say_so_combines_at_one_node() {
    let right = sweep("torus: [4, 4]", 1, 1, "sum");
    let json = right.json();
    assert!(json.contains("\"everywhere\": true") && json.contains("torusweave-program/3"), "{json}");
    let silent = json.replace(" \"everywhere\": true,", "");
    assert!(Program::from_json(&silent).is_err());
    let parts = json.replace("\"everywhere\": true,", "\"everywhere\": true, \"reduce_ticks\": 2,");
    assert!(Program::from_json(&parts).unwrap_err().to_string().starts_with("reduce_ticks: nothing is gathered"));
    // an output may forward only where every node combines
    let root = changed(&right, &|program| reduction(program).everywhere = false);
    let violations = check::by_execution(&root).violations;
    assert!(violations.iter().any(|violation| matches!(violation, Violation::Part { .. })), "{violations:?}");
    // another node than the one that has the packets may be named by nobody
    let other = changed(&right, &|program| {
        let Entries::Nodes(lists) = &mut reduction(program).order.entries else { panic!("a list per node") };
        lists.iter_mut().flatten().flatten().flatten().next().unwrap().node.0 = 5;
    });
    assert!(!check::by_execution(&other).passed());
}

#[test]
fn impossible_sweeps_are_refused_with_a_cure() {
    let place = Place::new();
    for (command, problem, cure) in [
        ("check --scheme sweep --torus 4x4", "sweep needs `collective: all-reduce` and a `count`", "help: "),
        ("check --scheme sweep --count 2 --lattice 4,2/0,4", "sweep needs a torus, mesh, cycle or path", "help: "),
        (
            "check --scheme sweep --count 2 --torus 4x4 --number f32",
            "sweep needs values that may be combined in any order",
            "help: ",
        ),
        (
            "check --scheme sweep --count 65 --torus 4x4",
            "count: 65 words are more than the 64 that sweep combines",
            "take `scheme: auto`",
        ),
        (
            "program --format csv --count 1 --torus 4x4",
            "--format csv: scheme sweep combines all values at every node",
            "say --format json",
        ),
        (
            "export --to rccl --count 1 --torus 4x4 --out out",
            "--to: scheme sweep combines all values",
            "leave `scheme` out",
        ),
    ] {
        let ended = place.run(&format!("{command} --collective all-reduce --operation sum"));
        assert!(ended.code == 2 && ended.stderr.contains(problem), "{command}: {}", ended.stderr);
        assert!(ended.stderr.contains(cure), "{command}: {}", ended.stderr);
    }
}

/// A schedule of one's own may combine at every node, as program.json.
#[test]
fn programs_of_sweeps_are_read_as_files() {
    let place = Place::new();
    let asked = "--torus 3x4 --collective all-reduce --operation sum --count 2";
    let json = place.run(&format!("program {asked} --scheme sweep --format json")).stdout;
    place.write("mine.json", &json);
    let ended = place.run(&format!("check {asked} --scheme mine.json"));
    assert!(
        ended.stdout.starts_with("torus_3x4: file all-reduce on a 3x4 torus, correct"),
        "{}{}",
        ended.stdout,
        ended.stderr
    );
    // an arrival is never forwarded so late, and nothing that old is kept in memory
    place.write("late.json", json.replacen("\"age\": 1, \"ticks\"", "\"age\": 4294967295, \"ticks\"", 1));
    let ended = place.run(&format!("check {asked} --scheme late.json"));
    assert_eq!((ended.code, ended.stdout.contains("WRONG")), (1, true), "{}{}", ended.stdout, ended.stderr);
    // a maximum may be told twice, also by what is older than the program: nothing
    let json = place.run("program --torus 3x4 --collective all-reduce --operation max --count 1 --format json").stdout;
    let older = json.replacen("[[{\"in\"", "[[{\"in\": \"x1-\", \"age\": 400000}, {\"in\"", 1);
    assert_ne!(older, json);
    place.write("old.json", older.replace("torus_3x4", "calls"));
    let program = "{ collective: all-reduce, operation: max, count: 1, scheme: { file: old.json } }";
    place.write("old.yaml", list("torus: [3, 4]", "", program));
    let ended = place.run("generate old.yaml --out old");
    assert_eq!(ended.code, 0, "{}", ended.stderr);
    for (other, problem) in [
        ("--operation sum --count 3", "has other messages in it"),
        ("--count 2 --operation max", "has sum of word, and the config says max"),
    ] {
        let ended = place.run(&format!("check --torus 3x4 --collective all-reduce {other} --scheme mine.json"));
        assert!(ended.code == 2 && ended.stderr.contains(problem), "{other}: {}{}", ended.stdout, ended.stderr);
    }
}

#[test]
fn values_that_are_given_come_out_combined() {
    let place = Place::new();
    place.write("values.txt", "1 2 3  10 20 30  100 200 300  1000 2000 3000");
    let ended = place
        .run("reduce --torus 2x2 --collective all-reduce --operation sum --count 3 --scheme sweep --values values.txt");
    let numbers: Vec<&str> = ended.stdout.lines().filter_map(|line| line.split(' ').nth(1)).collect();
    assert_eq!(numbers, ["1111", "2222", "3333"], "{}", ended.stderr);
}

#[test]
fn a_node_is_explained_by_what_it_adds_up() {
    let place = Place::new();
    let ended = place.run("explain --torus 4x4 --collective all-reduce --operation sum --count 1 --node 0,1 --tick 4");
    for line in [
        "  B x1+  own alone, T from tick 2, idle from tick 3",
        "  along x2 it sends its sum both ways, and forwards what comes",
        "  L x2-  partial for 0,0, of 4 values",
        "    tick 3   0,3 sends it by R x2+, with what came by T x1-, T x1- and B x1+",
    ] {
        assert!(ended.stdout.contains(line), "{line}: {}{}", ended.stdout, ended.stderr);
    }
    assert!(!ended.stdout.contains("played backwards"), "{}", ended.stdout);
}

/// Fabrics, nodes with streams, boards and the self-test play what the model does.
#[test]
fn the_verilog_passes_its_benches() {
    if !has("iverilog") {
        return;
    }
    let designs = [
        ("--torus 4x4 --count 2", ""),
        ("--torus 3x5 --count 3", "--order origin"),
        ("--mesh 3x4 --count 3", "--order origin --width 12"),
        ("--cycle 5 --count 5", "--order arrival --latency 3"),
        ("--torus 4x4 --count 2", "--elastic true"),
        ("--torus 4x3 --count 1", "--elastic true --boards 2x3 --order origin --checksum crc8"),
        ("--torus 4x4 --count 2", "--bist true"),
        ("--path 5 --count 4", "--bist true --operation xor"),
    ];
    for (network, more) in sampled(designs, 3) {
        let place = Place::new();
        let operation = if more.contains("--operation") { "" } else { "--operation sum" };
        let ended = place.run(&format!(
            "simulate {network} {more} --collective all-reduce {operation} --scheme sweep --engine icarus"
        ));
        assert!(
            ended.code == 0 && ended.stdout.contains("PASS "),
            "{network} {more}: {}{}",
            ended.stdout,
            ended.stderr
        );
    }
}

#[test]
fn the_verilog_equals_the_model_in_every_tick() {
    if !has("verilator") {
        return;
    }
    for (network, more) in [("--torus 5x4 --count 3", "--latency 2"), ("--mesh 3x3 --count 2", "--order origin")] {
        let place = Place::new();
        let ended = place.run(&format!(
            "simulate {network} {more} --collective all-reduce --operation sum --scheme sweep --engine verilator"
        ));
        assert!(ended.stdout.contains("RTL and model are equal"), "{network} {more}: {}{}", ended.stdout, ended.stderr);
    }
}

/// One router sweeps, gossips and reduces by turns.
#[test]
fn lists_of_programs_sweep_among_others() {
    if !has("iverilog") {
        return;
    }
    let networks =
        [("torus: [4, 4]", "link: { width: 16 },"), ("mesh: [2, 5]", "link: { elastic: true, checksum: crc8 },")];
    for (network, link) in sampled(networks, 2) {
        let programs = "{ collective: all-reduce, operation: max, count: 1 }, { collective: gossip }, \
                        { collective: all-reduce, operation: sum, count: 2, scheme: sweep }, \
                        { collective: all-reduce, operation: sum, count: 40 }";
        let place = Place::new();
        place.write("d.yaml", list(network, link, programs));
        let ended = place.run("generate d.yaml --out calls");
        assert_eq!(ended.code, 0, "{network}: {}", ended.stderr);
        let right = played(&place, "calls_tb");
        assert!(right.stdout.contains("PASS 8 "), "{network}: {} {}", right.stdout, right.stderr);
    }
}

#[test]
fn routers_that_forward_and_combine_are_proved() {
    if !has("yosys") || !has("z3") {
        return;
    }
    let place = Place::new();
    for (network, ticks) in [("--torus 4x4 --count 2", 4), ("--cycle 4 --count 4", 3)] {
        let ended =
            place.run(&format!("prove {network} --collective all-reduce --operation sum --scheme sweep --width 3"));
        let proved = format!("proved: run high for {ticks} ticks");
        assert!(ended.code == 0 && ended.stdout.contains(&proved), "{network}: {}{}", ended.stdout, ended.stderr);
    }
}

/// Python adds up a number per node in as many clocks as the diameter has links, and so does its reference.
#[test]
fn python_calls_sweeps() {
    if !can_call() {
        return;
    }
    let programs = "{ collective: all-reduce, operation: sum, count: 1, scheme: sweep }, \
                    { collective: all-reduce, operation: sum, count: 30 }, \
                    { collective: all-reduce, operation: max, count: 5, scheme: sweep }";
    for network in ["mesh: [2, 3]", "torus: [3, 4]"] {
        let config =
            format!("{{ name: calls, topology: {{ {network} }}, host: {{ bus: uart }}, programs: [{programs}] }}");
        let place = generated(&config);
        let ended = script(&place, "vectors.py", &["sim:calls"]);
        assert_eq!(ended.code, 0, "{network}: {}{}", ended.stdout, ended.stderr);
        assert!(ended.stdout.contains("vectors of 1, 30 and 5 words are right"), "{}", ended.stdout);
    }
}
