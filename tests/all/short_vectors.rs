//! All-reduces of few words: combined at one root, which broadcasts the results, or in blocks, whichever is faster.

use std::fs;
use std::sync::Arc;

use torusweave::check;
use torusweave::design::Design;
use torusweave::design::config::Config;
use torusweave::program::{Entries, Program, Source};
use torusweave::schedule::ScheduleCsv;
use torusweave::schemes::{ScheduleFile, SchemeName};
use torusweave::study::bounds::{self, Goal};

use crate::fixtures::called::{PYTHON, can_call, generated, script};
use crate::fixtures::command::Place;
use crate::fixtures::judge::judged;
use crate::fixtures::node_lists::{list, played};
use crate::fixtures::ranges::sampled;
use crate::fixtures::tools::has;
use crate::reduce::is_played_right;

/// Networks with a scheme that broadcasts there, and whether somebody who reads program.json alone knows them by their sides.
const NETWORKS: [(&str, &str); 13] = [
    ("torus: [4, 4]", "fork"),
    ("torus: [3, 5]", "trees"),
    ("torus: [3, 2, 4]", "fork"),
    ("mesh: [4, 6]", "fork"),
    ("mesh: [3, 3]", "fork"),
    ("mesh: [2, 5]", "arc-trees"),
    ("cycle: 7", "opposed"),
    ("path: 6", "fork"),
    ("torus: [4, 3], open: [x2]", "arc-trees"),
    ("lattice: [[4, 2], [0, 4]]", "arc-trees"),
    ("torus: [4, 4], dead: { links: [\"0,1 x2+\"] }", "arc-trees"),
    ("torus: [4, 4], dead: { nodes: [\"1,1\", \"0,0\"] }", "arc-trees"),
    ("mesh: [3, 4], dead: { nodes: [\"0,0\"], links: [\"2,1 x2+\"] }", "arc-trees"),
];
const WORDS: [u32; 6] = [1, 2, 3, 5, 8, 17];

fn config(network: &str, more: &str) -> Config {
    Config::parse(&format!("{{ topology: {{ {network} }}, {more} }}")).unwrap()
}

fn design(network: &str, more: &str) -> Design {
    Design::new(config(network, more)).unwrap_or_else(|error| panic!("{network}, {more}: {error}"))
}

fn sum(words: u32) -> String {
    format!("collective: all-reduce, operation: sum, count: {words}")
}

#[test]
fn one_root_takes_twice_the_ticks_of_a_broadcast_and_one() {
    if !has(PYTHON) {
        return;
    }
    for (network, scheme) in NETWORKS {
        for (words, latency) in WORDS.into_iter().flat_map(|words| [1, 4].map(|latency| (words, latency))) {
            let what = format!("{network}, {words} words, links of {latency}");
            let reduced = design(network, &format!("{}, scheme: {scheme}, link: {{ latency: {latency} }}", sum(words)));
            let program = &reduced.program;
            let root = reduced.task().root();
            let coordinates = program.topology.coords(root);
            let more = format!(
                "collective: broadcast, scheme: {scheme}, root: {coordinates:?}, link: {{ flits: {words}, latency: {latency} }}"
            );
            let broadcast = design(network, &more).program;
            assert_eq!(program.ticks, 2 * broadcast.ticks + 1, "{what}");
            assert_eq!((program.collective(), program.demand.flits()), ("all-reduce", words.into()), "{what}");
            let report = check::by_execution(program);
            assert!(report.passed(), "{what}: {:?}", report.violations.first());
            assert!(is_played_right(program), "{what}");
            assert!(reduced.bound().ticks <= report.complete_at.unwrap().into(), "{what}: {:?}", reduced.bound());
            assert_eq!(reduced.bound(), bounds::of(program), "{what}");
            assert_eq!(Program::from_json(&program.json()).unwrap(), *program, "{what}");
            assert_eq!(judged(program), Ok(()), "{what}");
        }
    }
}

#[test]
fn auto_takes_the_faster_of_one_root_and_blocks() {
    let mut taken = [0, 0];
    for (network, scheme) in NETWORKS {
        for words in WORDS {
            let what = format!("{network}, {words} words");
            let best = design(network, &sum(words));
            let reason = best.reason.as_ref().unwrap();
            let by_root = design(network, &format!("{}, scheme: {scheme}", sum(words)));
            assert!(best.program.ticks <= by_root.program.ticks, "{what}");
            let fewest = reason.compared.iter().map(|candidate| candidate.ticks).min();
            assert_eq!(fewest, Some(best.program.ticks.into()), "{what}: {reason}");
            let said = reason.to_string();
            assert!(said.contains(" by one root") && said.contains(" in blocks"), "{what}: {said}");
            let report = check::by_execution(&best.program);
            assert!(report.passed() && is_played_right(&best.program), "{what}: {:?}", report.violations.first());
            assert!(best.bound().ticks <= report.complete_at.unwrap().into(), "{what}: {:?}", best.bound());
            // blocks are padded, and one root takes no word more
            let (all, asked) = (best.program.demand.flits(), u64::from(words));
            let is_at_root = best.program.combines_at_root();
            assert!(if is_at_root { all == asked } else { all >= asked }, "{what}: {all}");
            taken[usize::from(is_at_root)] += 1;
        }
    }
    assert!(taken.iter().all(|&times| times > 10), "{taken:?}");
}

/// Floats pass adders, and partials take longer than results; the bound knows which of them a value is.
#[test]
fn floats_are_combined_at_one_root() {
    for (network, scheme) in NETWORKS {
        for (number, words, adder) in [("f32", 1, 4), ("bf16", 5, 2)] {
            let more = format!("{}, scheme: {scheme}, number: {number}, adder: {adder}", sum(words));
            let reduced = design(network, &more);
            let report = check::by_execution(&reduced.program);
            assert!(report.passed() && is_played_right(&reduced.program), "{network}: {:?}", report.violations.first());
            assert!(reduced.bound().ticks <= report.complete_at.unwrap().into(), "{network}: {:?}", reduced.bound());
        }
    }
}

/// One function bounds vectors of any length: of as many words as there are in all blocks it is the bound of the blocks.
#[test]
fn the_bound_grows_with_the_words() {
    for (network, _) in NETWORKS {
        let blocks = design(network, "collective: all-reduce, operation: sum").program;
        let bound =
            |words| bounds::lower_bound(&blocks.topology, blocks.link(), Goal::AllReduce { words, latency: 1 }).ticks;
        let ticks: Vec<u64> = (1..=2 * blocks.demand.flits()).map(bound).collect();
        assert!(ticks.is_sorted() && ticks[0] >= u64::from(blocks.topology.diameter()), "{network}: {ticks:?}");
        assert_eq!(bounds::of(&blocks).ticks, bound(blocks.demand.flits()), "{network}");
    }
}

/// Lines and JSON of a schedule are read back as the same steps.
#[test]
fn schedules_of_one_root_read_back() {
    for (network, scheme) in NETWORKS {
        for (words, latency) in [(1, 1), (3, 4), (8, 1)] {
            let more = format!("{}, scheme: {scheme}, link: {{ latency: {latency} }}", sum(words));
            let right = design(network, &more);
            let csv = |design: &Design| ScheduleCsv::of(&design.program, design.config.collective(), None).to_string();
            for text in [csv(&right), right.program.json()] {
                let place = Place::new();
                place.write("mine", text);
                let file = SchemeName::File(ScheduleFile::of(&place.path().join("mine")));
                let again = Design::new(Config { scheme: file, ..right.config.clone() }).unwrap();
                assert_eq!(csv(&again), csv(&right), "{network}");
                assert_eq!((again.program.ticks, again.bound()), (right.program.ticks, right.bound()), "{network}");
                assert!(check::by_execution(&again.program).passed(), "{network}");
            }
        }
    }
}

/// Programs with one fault each: a partial of another word, no value of one node, a result without an operand, a result that is
/// sent in place of another one, and a node that sends no result on.
fn wrong(right: &Program) -> Vec<Program> {
    let root = right.topology.node_ids().find(|&node| right.demand.packets_of(node) > 0).unwrap();
    let class = right.class_of[root.index()].index();
    let change = |of: &dyn Fn(&mut Program)| {
        let mut program = right.clone();
        of(&mut program);
        program
    };
    let reduction = |program: &mut Program, of: &dyn Fn(&mut torusweave::program::Reduction)| {
        of(Arc::make_mut(program.reduction.as_mut().unwrap()));
    };
    let set_first = |program: &mut Program, is: fn(Source) -> bool, to: fn(Source) -> Source| {
        let tracks = program.classes.iter_mut().flat_map(|class| &mut class.outputs);
        let run = tracks.flat_map(|track| &mut track.runs).find(|run| is(run.source)).unwrap();
        run.source = to(run.source);
    };
    vec![
        change(&|program| {
            reduction(program, &|reduction| {
                let Entries::Nodes(lists) = &mut reduction.order.entries else { panic!("one list per node") };
                let entry = lists.iter_mut().flatten().flatten().flatten().next().unwrap();
                entry.packet = 1 - entry.packet.min(1);
            });
        }),
        change(&|program| {
            set_first(
                program,
                |source| matches!(source, Source::Sum { operands } if operands.iter().len() == 0),
                |_| Source::Idle,
            );
        }),
        change(&|program| {
            reduction(program, &|reduction| reduction.results[class][0] = torusweave::program::Operands::of([]));
        }),
        change(&|program| {
            set_first(program, |source| matches!(source, Source::Own { .. }), |_| Source::own(0));
        }),
        change(&|program| {
            set_first(program, |source| matches!(source, Source::In { .. }), |_| Source::Idle);
        }),
    ]
}

#[test]
fn faults_are_found_by_checker_and_judge() {
    if !has(PYTHON) {
        return;
    }
    for (network, scheme) in NETWORKS {
        let right = design(network, &format!("{}, scheme: {scheme}", sum(6))).program;
        for (fault, program) in wrong(&right).into_iter().enumerate() {
            assert!(!check::by_execution(&program).passed(), "{network}: fault {fault}");
            assert!(fault > 2 || !is_played_right(&program), "{network}: fault {fault}");
            assert!(fault > 2 || judged(&program).is_err(), "{network}: fault {fault}");
        }
    }
}

/// Nobody sees the padding of blocks: a node has three values, and three results come back.
#[test]
fn values_are_as_many_as_words() {
    let place = Place::new();
    place.write("values.txt", "1 2 3  10 20 30  100 200 300  1000 2000 3000");
    for scheme in ["optimal", "fork"] {
        let run = format!("reduce --torus 2x2 --collective all-reduce --operation sum --count 3 --scheme {scheme}");
        let ended = place.run(&format!("{run} --values values.txt"));
        let numbers: Vec<&str> = ended.stdout.lines().filter_map(|line| line.split(' ').nth(1)).collect();
        assert_eq!(numbers, ["1111", "2222", "3333"], "{scheme}: {}", ended.stderr);
        place.write("few.txt", "1 2 3 4");
        let ended = place.run(&format!("{run} --values few.txt"));
        assert!(ended.code == 2 && ended.stderr.contains("give 12 values, 3 of each node\n"), "{}", ended.stderr);
    }
}

#[test]
fn wrong_counts_are_refused_by_name() {
    let refused = |config: &str| {
        let place = Place::new();
        place.write("d.yaml", config);
        let ended = place.run("check d.yaml");
        assert_eq!(ended.code, 2, "{config}: {}", ended.stdout);
        ended.stderr
    };
    let torus = "topology: { torus: [4, 4] }";
    let reduce = "collective: all-reduce, operation: sum";
    for (config, error) in [
        (format!("{{ {torus}, count: 3 }}"), "count: not supported with `collective: gossip` (3)"),
        (format!("{{ {torus}, {reduce}, count: 0 }}"), "is not a whole number from 1 to 16777216"),
        (
            format!("{{ {torus}, {reduce}, count: 3, link: {{ flits: 2 }} }}"),
            "link.flits: not supported with `count: 3` (2)",
        ),
        (format!("{{ {torus}, {reduce}, count: 3, packets: 2 }}"), "count: not supported with `packets: 2` (3)"),
        (
            format!("{{ {torus}, {reduce}, count: 65, scheme: fork }}"),
            "count: 65 words are more than the 64 that fork combines",
        ),
        (format!("{{ {torus}, {reduce}, scheme: fork }}"), "scheme: fork needs `collective: broadcast`"),
        (
            format!("{{ {torus}, programs: [{{ {reduce}, count: 3, flits: 2 }}] }}"),
            "programs[0]: link.flits: not supported with `count: 3`",
        ),
        (
            format!("{{ {torus}, programs: [{{ collective: gossip, count: 3 }}] }}"),
            "programs[0]: count: not supported with `collective: gossip` (3)",
        ),
        (
            format!("{{ {torus}, count: 3, programs: [{{ collective: gossip }}] }}"),
            "count: not supported with `programs` (3)",
        ),
    ] {
        let said = refused(&config);
        assert!(said.contains(error) && said.contains("help: "), "{config}: {said}");
    }
}

/// The generated bench calls vectors of several lengths on every kind of network.
#[test]
fn benches_of_short_vectors_compare_every_word() {
    if !has("iverilog") {
        return;
    }
    for (network, scheme) in sampled(NETWORKS, 5) {
        let programs = format!(
            "{{ collective: all-reduce, operation: max, count: 1, scheme: {scheme} }}, \
             {{ collective: all-reduce, operation: max, count: 5, scheme: {scheme} }}, \
             {{ collective: all-reduce, operation: max, count: 19 }}"
        );
        let place = Place::new();
        place.write("d.yaml", list(network, "link: { width: 12 },", &programs));
        let ended = place.run("generate d.yaml --out calls");
        assert_eq!(ended.code, 0, "{network}: {}", ended.stderr);
        let right = played(&place, "calls_tb");
        assert!(right.stdout.contains("PASS 6 "), "{network}: {} {}", right.stdout, right.stderr);
    }
}

#[test]
fn routers_of_short_vectors_are_proved() {
    if !has("yosys") || !has("z3") {
        return;
    }
    let place = Place::new();
    let ended = place.run("prove --mesh 2x2 --collective all-reduce --operation sum --count 2 --scheme fork");
    assert!(
        ended.code == 0 && ended.stdout.contains("proved: run high for 7 ticks"),
        "{}{}",
        ended.stdout,
        ended.stderr
    );
}

/// Python takes and gives a row of words per node, of whatever length its program has.
#[test]
fn python_calls_short_vectors() {
    if !can_call() {
        return;
    }
    let programs = "{ collective: all-reduce, operation: sum, count: 1 }, { collective: all-reduce, operation: sum, count: 30 }, \
                    { collective: all-reduce, operation: max, count: 5, scheme: fork }, \
                    { collective: broadcast, root: [0, 1], flits: 1 }";
    let config =
        format!("{{ name: calls, topology: {{ mesh: [2, 3] }}, host: {{ bus: uart }}, programs: [{programs}] }}");
    let place = generated(&config);
    let ended = script(&place, "vectors.py", &["sim:calls"]);
    assert_eq!(ended.code, 0, "{}{}", ended.stdout, ended.stderr);
    assert!(ended.stdout.contains("vectors of 1, 30 and 5 words are right"), "{}", ended.stdout);
}

/// Without `count` a short all-reduce is one vector where that takes fewer ticks: the optima of small cycles and paths.
#[test]
fn an_all_reduce_of_blocks_is_a_vector_where_that_is_faster() {
    for (network, flits, ticks, in_blocks) in [
        ("cycle: 3", 1, 2, 3),
        ("cycle: 4", 1, 3, 5),
        ("cycle: 5", 1, 4, 5),
        ("cycle: 4", 2, 6, 9),
        ("path: 4", 1, 6, 7),
        ("torus: [4, 4]", 1, 17, 17),
    ] {
        let more = format!("collective: all-reduce, operation: sum, link: {{ flits: {flits} }}");
        let (fast, blocks) = (design(network, &more), Design::in_blocks(config(network, &more)).unwrap());
        assert_eq!((fast.program.ticks, blocks.program.ticks), (ticks, in_blocks), "{network}, {flits} flits");
        assert!(is_played_right(&fast.program), "{network}");
        assert_eq!(fast.config.count.is_some(), ticks < in_blocks, "{network}");
        // both combine as many words
        let words = fast.program.demand.flits();
        assert!(words <= blocks.program.demand.flits() && words >= u64::from(blocks.program.topology.nodes() * flits));
    }
    // nodes take their words in blocks, and formats that know blocks alone get them
    let nodes = design("cycle: 4", "collective: all-reduce, operation: sum, local: { order: origin }");
    assert_eq!((nodes.program.ticks, nodes.config.count), (5, None));
    let place = Place::new();
    for command in ["export --to msccl", "program --format csv"] {
        let ended = place.run(&format!("{command} --cycle 4 --collective all-reduce --operation sum"));
        assert_eq!(ended.code, 0, "{command}: {}", ended.stderr);
    }
}

/// Results of one unit go out in the order in which they form, also where rows have several words.
#[test]
fn rows_have_results_in_the_order_in_which_they_form() {
    if !has("iverilog") {
        return;
    }
    for (network, count) in [("cycle: 4", 2), ("cycle: 4", 3), ("cycle: 6", 5), ("path: 5", 4)] {
        let place = Place::new();
        place.write(
            "d.yaml",
            format!(
                "{{ name: calls, topology: {{ {network} }}, collective: all-reduce, operation: max, count: {count}, \
                 scheme: sweep, local: {{ words: 2 }} }}"
            ),
        );
        let ended = place.run("generate d.yaml --out calls");
        assert_eq!(ended.code, 0, "{network}, {count}: {}", ended.stderr);
        fs::copy(place.path().join("calls/calls_system.f"), place.path().join("calls/calls.f")).unwrap();
        let ended = played(&place, "calls_system_tb");
        assert!(ended.stdout.starts_with("PASS 21 collectives, "), "{network}, {count}: {}", ended.stdout);
    }
}
