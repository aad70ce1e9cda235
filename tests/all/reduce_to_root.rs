//! Reduce: broadcasts played backwards, flit by flit, in as many ticks; results form at the root alone.

use torusweave::check;
use torusweave::design::Design;
use torusweave::design::config::Config;
use torusweave::netlist::listed::{ListNetlist, Resident};
use torusweave::program::{Entries, Operation, Program, Source};
use torusweave::study::bounds;

use crate::fixtures::called::PYTHON;
use crate::fixtures::command::Place;
use crate::fixtures::judge::judged;
use crate::fixtures::node_lists::{list, played};
use crate::fixtures::ranges::sampled;
use crate::fixtures::tools::has;
use crate::reduce::is_played_right;

/// Networks with a root, and whether somebody who reads program.json alone knows them by their sides.
const NETWORKS: [(&str, &str); 11] = [
    ("torus: [4, 4]", "0,0"),
    ("torus: [3, 5]", "2,4"),
    ("torus: [3, 2, 4]", "1,1,3"),
    ("mesh: [4, 5]", "1,2"),
    ("mesh: [3, 3]", "0,2"),
    ("cycle: 7", "3"),
    ("path: 6", "2"),
    ("lattice: [[4, 2], [0, 4]]", "1,1"),
    ("torus: [4, 4], dead: { links: [\"0,1 x2+\"] }", "0,1"),
    ("torus: [4, 4], dead: { nodes: [\"1,1\", \"0,0\"] }", "0,2"),
    ("mesh: [3, 4], dead: { nodes: [\"0,0\"], links: [\"2,1 x2+\"] }", "2,3"),
];

fn design(network: &str, root: &str, more: &str) -> Design {
    let config = format!("{{ topology: {{ {network} }}, root: [{root}], {more} }}");
    Design::new(Config::parse(&config).unwrap()).unwrap()
}

#[test]
fn a_reduce_takes_as_many_ticks_as_the_broadcast() {
    let mut by_scheme = std::collections::BTreeMap::new();
    for (at, (network, root)) in NETWORKS.into_iter().enumerate() {
        for (step, flits) in [1, 2, 7, 20].into_iter().enumerate() {
            let operation = Operation::ALL[(at + step) % 6];
            let what = format!("{network}, {root}, {flits} flits by {operation}");
            let link = |latency: u32| format!("link: {{ flits: {flits}, latency: {latency} }}");
            for latency in [1, 3] {
                let broadcast = design(network, root, &format!("collective: broadcast, {}", link(latency)));
                let reduce =
                    design(network, root, &format!("collective: reduce, operation: {operation}, {}", link(latency)));
                let program = &reduce.program;
                *by_scheme.entry(reduce.scheme.about().name).or_insert(0) += 1;
                assert_eq!(program.collective(), "reduce", "{what}");
                assert_eq!(program.ticks, broadcast.program.ticks, "{what}");
                assert_eq!(bounds::of(program).ticks, bounds::of(&broadcast.program).ticks, "{what}");
                let report = check::by_execution(program);
                assert!(report.passed(), "{what}: {:?}", report.violations.first());
                assert!(is_played_right(program), "{what}");
                assert_eq!(Program::from_json(&program.json()).unwrap(), *program, "{what}");
                assert_eq!(judged(program), Ok(()), "{what}");
            }
        }
    }
    let schemes: Vec<_> = by_scheme.keys().copied().collect();
    assert_eq!(schemes, ["arc-trees", "fork", "opposed", "trees"], "{by_scheme:?}");
}

/// Floats are combined in a fixed order, by adders that take ticks; no schedule beats the bound.
#[test]
fn floats_are_reduced_by_adders() {
    for (network, root) in NETWORKS {
        for (number, flits, adder) in [("f32", 1, 4), ("bf16", 5, 2)] {
            let more = format!(
                "collective: reduce, operation: sum, number: {number}, adder: {adder}, link: {{ flits: {flits} }}"
            );
            let reduce = design(network, root, &more);
            let report = check::by_execution(&reduce.program);
            assert!(report.passed() && is_played_right(&reduce.program), "{network}: {:?}", report.violations.first());
            assert!(report.complete_at.unwrap() as u64 >= reduce.bound().ticks, "{network}");
        }
    }
}

/// Programs with one fault each: an entry of another packet, a send too few, and a result without one of its operands.
fn wrong(right: &Program) -> Vec<Program> {
    let root = right.topology.node_ids().find(|&node| right.demand.packets_of(node) > 0).unwrap();
    let class = right.class_of[root.index()].index();
    let mut all = Vec::new();
    let change = |of: &mut dyn FnMut(&mut Program)| {
        let mut program = right.clone();
        of(&mut program);
        program
    };
    all.push(change(&mut |program| {
        let reduction = std::sync::Arc::make_mut(program.reduction.as_mut().unwrap());
        let Entries::Nodes(lists) = &mut reduction.order.entries else { panic!("one list per node") };
        let entry = lists.iter_mut().flatten().flatten().flatten().next().unwrap();
        entry.packet = 1 - entry.packet.min(1);
    }));
    all.push(change(&mut |program| {
        let runs = program.classes.iter_mut().flat_map(|class| &mut class.outputs).flat_map(|track| &mut track.runs);
        runs.filter(|run| run.source.is_sum()).for_each(|run| {
            if matches!(run.source, Source::Sum { operands } if operands.iter().len() == 0) {
                run.source = Source::Idle;
            }
        });
    }));
    all.push(change(&mut |program| {
        let reduction = std::sync::Arc::make_mut(program.reduction.as_mut().unwrap());
        reduction.results[class][0] = torusweave::program::Operands::of([]);
    }));
    all
}

#[test]
fn faults_of_a_reduce_are_found_by_checker_and_model() {
    if !has(PYTHON) {
        return;
    }
    for (network, root) in NETWORKS {
        let right = design(network, root, "collective: reduce, operation: sum, link: { flits: 6 }").program;
        for (fault, program) in wrong(&right).into_iter().enumerate() {
            assert!(!check::by_execution(&program).passed(), "{network}: fault {fault}");
            assert!(!is_played_right(&program), "{network}: fault {fault}");
            assert!(judged(&program).is_err(), "{network}: fault {fault}");
        }
    }
}

/// Results that form one after the other share a unit: no more are there than form at once.
#[test]
fn long_vectors_take_no_more_units_than_the_root_has_ports() {
    for (network, root) in NETWORKS {
        let design = design(network, root, "collective: reduce, operation: sum, link: { flits: 40 }");
        let resident = Resident { program: &design.program, is_moved: false, roots: design.roots() };
        let netlist = ListNetlist::of(&[resident]).unwrap();
        let ports = design.program.topology.ports();
        assert!((1..=ports).contains(&netlist.union.parts.units), "{network}: {}", netlist.union.parts.units);
    }
}

/// The generated bench calls a reduce on every kind of network.
#[test]
fn benches_of_reduces_compare_every_word() {
    if !has("iverilog") {
        return;
    }
    for (network, root) in sampled(NETWORKS, 3) {
        let programs = format!(
            "{{ collective: reduce, operation: max, root: [{root}], flits: 9 }}, {{ collective: broadcast, root: [{root}], flits: 2 }}"
        );
        let place = Place::new();
        place.write("d.yaml", list(network, "link: { width: 12 },", &programs));
        let ended = place.run("generate d.yaml --out calls");
        assert_eq!(ended.code, 0, "{network}: {}", ended.stderr);
        let right = played(&place, "calls_tb");
        assert!(right.stdout.contains("PASS 4 "), "{network}: {} {}", right.stdout, right.stderr);
    }
}
