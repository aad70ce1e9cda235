//! Every collective on every kind of network over links of several ticks: near the bound, right by all checks, and as Verilog.

use torusweave::check::{self, CheckReport};
use torusweave::design::Design;
use torusweave::design::config::Config;
use torusweave::net::NodeId;
use torusweave::play::Machine;
use torusweave::program::{Program, Source, Title};
use torusweave::task::Collective;

use crate::fixtures::command::{Ended, Place};
use crate::fixtures::designs::{Folder, options};
use crate::fixtures::interpreter;
use crate::fixtures::ranges::sampled;
use crate::fixtures::tools::{call, equals_the_model, has, play, toolchain};

const NETWORKS: [&str; 8] = [
    "torus: [4, 4], dead: { links: [\"0,0 x2+\"], nodes: [\"2,1\"] }",
    "mesh: [3, 4]",
    "lattice: [[4, 2], [0, 5]]",
    "torus: [4, 5], open: [x2]",
    "torus: [3, 4]",
    "path: 5",
    "mesh: [2, 2, 3], dead: { links: [\"0,0,0 x3+\"] }",
    "lattice: [[1, 5], [0, 12]]",
];

fn design(network: &str, collective: Collective, flits: u32, latency: u32) -> Design {
    let operation = if collective.is_reduction() { "operation: sum\n" } else { "" };
    let text = format!(
        "topology: {{ {network} }}\ncollective: {collective}\n{operation}link: {{ flits: {flits}, latency: {latency} }}\n"
    );
    let design = Design::new(Config::parse(&text).unwrap()).unwrap_or_else(|error| panic!("{text}: {error}"));
    Design { program: Program { title: Title::new("any", "any"), ..design.program.clone() }, ..design }
}

/// Every collective on every network, with what it takes beyond the bound.
fn all(flits: u32, latency: u32) -> impl Iterator<Item = (String, Program, u64)> {
    let each = NETWORKS.into_iter().flat_map(|network| Collective::ALL.map(|collective| (network, collective)));
    each.map(move |(network, collective)| {
        let design = design(network, collective, flits, latency);
        let what = format!("{collective} on {network}, {flits} flits, latency {latency}");
        let bound = design.bound().ticks;
        let beyond = u64::from(design.program.ticks)
            .checked_sub(bound)
            .unwrap_or_else(|| panic!("{what}: below the bound {bound}"));
        (what, design.program, beyond)
    })
}

#[test]
fn every_collective_on_every_network_is_right_and_near_the_bound() {
    let mut at_bound = 0;
    for (what, program, beyond) in all(1, 3).chain(all(1, 2)).chain(all(3, 2)).chain(all(2, 5)) {
        let report = check::by_execution(&program);
        assert!(report.passed(), "{what}: {:?}", report.violations.first());
        assert!(program.latency > 1, "{what}");
        assert_eq!(report.complete_at, Some(program.ticks), "{what}: the last tick is that of the last arrival");
        if !program.collective().contains("reduce") {
            assert_eq!(report.duplicates, Some(0), "{what}");
        }
        // an all-reduce in two parts takes its latency twice, where a bound of both together does not
        let limit = match program.collective() {
            "all-reduce" => program.ticks / 2 + 1,
            _ if program.flits > 1 => 7,
            _ => 2,
        };
        assert!(beyond <= limit.into(), "{what}: {beyond} beyond the bound");
        at_bound += u32::from(beyond == 0);
    }
    println!("{at_bound} of {} at the bound", 4 * 7 * NETWORKS.len());
    assert!(at_bound >= 100, "{at_bound}");
}

#[test]
fn the_definition_moves_the_same_flits_as_the_model() {
    for (what, program, _) in all(1, 3).chain(all(2, 4)).filter(|(_, program, _)| program.reduction.is_none()) {
        let mut machine = Machine::new(&program);
        for now in interpreter::play(&program, program.ticks) {
            machine.step();
            let registers: Vec<_> = (0..now.len()).map(|index| machine.register(index).map(|flit| flit.0)).collect();
            assert_eq!(registers, now, "{what}, tick {}", machine.tick());
        }
    }
}

#[test]
fn other_latencies_and_later_flits_are_caught() {
    let mut caught = 0;
    for (what, program, _) in all(1, 3) {
        let right = check::by_execution(&program);
        let mut mutants = vec![
            ("a tick shorter", Program { latency: program.latency - 1, ..program.clone() }),
            ("a tick longer", Program { latency: program.latency + 1, ..program.clone() }),
        ];
        let mut old = program.clone();
        let runs = old.classes.iter_mut().flat_map(|class| &mut class.outputs).flat_map(|track| &mut track.runs);
        let age = runs.into_iter().find_map(|run| match &mut run.source {
            Source::In { age, .. } => Some(age),
            _ => None,
        });
        if let Some(age) = age {
            *age += 1;
            mutants.push(("a tick older", old));
        }
        for (fault, mutant) in mutants {
            let report = check::by_execution(&mutant);
            // flits that are only passed on arrive at another time
            let arrival = |report: &CheckReport| (report.complete_at, report.duplicates);
            let is_wrong = !report.passed() || arrival(&report) != arrival(&right);
            // an operand of a sum has an age of its own, which the third fault does not touch
            assert!(is_wrong || fault == "a tick older", "{what}, {fault}");
            caught += u32::from(is_wrong);
        }
    }
    assert!(caught > 120, "{caught}");
}

#[test]
fn the_verilog_passes_its_bench_and_lint() {
    for (what, program, _) in sampled(all(1, 3), 9) {
        let folder = Folder::with(&program, 8);
        assert!(folder.path().join("any_link.v").exists(), "{what}");
        if has("iverilog") {
            let printed = play(&folder, "any");
            assert!(printed.starts_with(&format!("PASS {} ticks, ", program.ticks)), "{what}: {printed}");
        }
        if has("verilator") {
            let said = call(&folder, "verilator", &["--lint-only", "-Wall", "-f", "any.f", "--top-module", "any"]);
            assert_eq!(said, (true, String::new()), "{what}");
        }
    }
}

#[test]
fn links_of_another_length_fail_the_bench() {
    if !has("iverilog") {
        return;
    }
    for (what, program, _) in all(1, 3).step_by(8) {
        let folder = Folder::with(&program, 8);
        let path = folder.path().join("any_link.v");
        let link = std::fs::read_to_string(&path).unwrap();
        let short = link.replace("out_valid = valid_and_next[STAGES];", "out_valid = valid_and_next[STAGES-1];");
        assert_ne!(short, link);
        std::fs::write(path, short).unwrap();
        let printed = play(&folder, "any");
        assert!(printed.starts_with("FAIL "), "{what}: {printed}");
    }
}

#[test]
fn the_verilog_equals_the_model_in_lockstep() {
    let Some(tools) = toolchain() else { return };
    let step = if std::env::var_os("TORUSWEAVE_FULL").is_some() { 1 } else { 9 };
    for (what, program, _) in all(1, 3).step_by(step) {
        equals_the_model(&tools, &what, &program, &options(8));
    }
}

#[test]
fn messages_of_several_lengths_are_scattered_over_long_links() {
    for collective in [Collective::Scatter, Collective::Gather] {
        let text = format!(
            "topology: {{ mesh: [3, 3] }}\ncollective: {collective}\nroot: [1, 0]\nlengths: [1, 0, 2, 5, 1, 1, 0, 3, 4]\n\
             link: {{ latency: 4 }}\n"
        );
        let design = Design::new(Config::parse(&text).unwrap()).unwrap();
        let report = check::by_execution(&design.program);
        assert!(report.passed(), "{collective}: {:?}", report.violations.first());
        assert_eq!(u64::from(design.program.ticks), design.bound().ticks, "{collective}");
    }
}

#[test]
fn large_networks_are_scattered_over_long_links() {
    let mesh = "mesh: [20, 50]";
    for collective in [Collective::Scatter, Collective::Gather] {
        let design = design(mesh, collective, 3, 3);
        assert!(u64::from(design.program.ticks) * 1000 > 1_000_000, "it is not copied for every tick");
        let report = check::by_execution(&design.program);
        assert!(report.passed(), "{collective}: {:?}", report.violations.first());
        assert!(u64::from(design.program.ticks) <= design.bound().ticks + 2, "{collective}");
        assert_eq!(design.root(), Some(NodeId(0)));
    }
}

#[test]
fn schemes_that_send_on_at_once_are_refused_with_those_that_wait() {
    let place = Place::new();
    for (line, parts) in [
        (
            "check --torus 4x4 --scheme worm --collective broadcast --latency 2",
            &["worm requires links of one tick (link.latency is 2)", "`scheme: fork`", "`scheme: trees`"][..],
        ),
        (
            "check --torus 4x4 --scheme ports --collective scatter --latency 3",
            &["ports requires links of one tick (link.latency is 3)", "`scheme: flow`"],
        ),
        (
            "check --mesh 3x4 --scheme certification --collective gather --latency 3",
            &["certification requires links of one tick", "`scheme: flow`"],
        ),
    ] {
        let Ended { code, stderr, .. } = place.run(line);
        assert_eq!(code, 2, "{line}: {stderr}");
        assert!(parts.iter().all(|part| stderr.contains(part)), "{line}: {stderr}");
    }
}
