//! Every figure of a report, and every violation with its node, port and tick, is what the definition says.

use std::collections::BTreeSet;
use std::sync::Mutex;

use torusweave::check::{self, CheckReport, Method, Violation, by_execution, by_streams, by_structure};
use torusweave::net::{NodeId, Port, ShapeName, Topology};
use torusweave::program::{Class, Demand, Duplex, Message, Program, ProgramBuilder, Sender, Source, Title, To, Window};

use crate::fixtures::chance::Chance;
use crate::fixtures::damage::damaged;
use crate::fixtures::designs::{self, IDLE, OWN, design_on, late, run};
use crate::fixtures::{by_hand, ledger};

/// Small designs: shape, sides and settings.
pub const DESIGNS: [(ShapeName, &[u32], &[&str]); 25] = [
    (ShapeName::Torus, &[4, 4], &["scheme=staircase"]),
    (ShapeName::Torus, &[4, 5], &["scheme=staircase", "switching=memory"]),
    (ShapeName::Torus, &[3, 4], &["scheme=hamiltonian", "link.flits=2"]),
    (ShapeName::Torus, &[5, 4], &["scheme=zigzag"]),
    (ShapeName::Torus, &[3, 4], &["scheme=optimal"]),
    (ShapeName::Torus, &[2, 3, 2], &["scheme=optimal", "link.latency=2"]),
    (ShapeName::Mesh, &[3, 4], &["scheme=hamiltonian", "link.flits=3", "link.latency=2"]),
    (ShapeName::Mesh, &[2, 3], &["scheme=optimal", "link.duplex=half"]),
    (ShapeName::Cycle, &[9], &["scheme=hamiltonian", "link.flits=9"]),
    (ShapeName::Path, &[5], &["scheme=hamiltonian"]),
    (ShapeName::Path, &[5], &["scheme=lau-zhang", "link.duplex=half"]),
    (ShapeName::Path, &[6], &["scheme=lau-zhang", "link.duplex=half", "link.lanes=2"]),
    (ShapeName::Torus, &[3, 3], &["scheme=lau-zhang", "link.duplex=pads"]),
    (ShapeName::Cycle, &[6], &["scheme=lau-zhang", "link.duplex=pads", "link.flits=2"]),
    (ShapeName::Torus, &[3, 4], &["scheme=optimal", "link.duplex=one-way"]),
    (ShapeName::Torus, &[3, 3], &["scheme=optimal", "link.duplex=half", "link.lanes=2"]),
    (ShapeName::Torus, &[3, 4], &["scheme=optimal", "link.duplex=pads", "link.lanes=2"]),
    (ShapeName::Torus, &[3, 4], &["collective=broadcast", "root=1,2", "link.flits=4"]),
    (ShapeName::Mesh, &[3, 3], &["collective=broadcast", "root=0,1", "link.flits=3"]),
    (ShapeName::Torus, &[3, 3], &["collective=scatter", "root=1,1", "link.flits=2"]),
    (ShapeName::Path, &[5], &["collective=scatter", "root=2"]),
    (ShapeName::Torus, &[3, 3], &["collective=gather", "root=0,2", "link.flits=2"]),
    (ShapeName::Mesh, &[2, 4], &["collective=gather", "root=1,1"]),
    (ShapeName::Torus, &[3, 3], &["collective=exchange"]),
    (ShapeName::Cycle, &[5], &["collective=exchange", "link.flits=2"]),
];

/// Programs for full-duplex links too: traffic that fits half-duplex links with lanes fits these as well.
pub fn programs() -> Vec<Program> {
    let designs = DESIGNS.map(|(shape, sides, settings)| design_on(shape, sides, settings).program);
    let by_hand = by_hand::beyond_gossip().into_iter().chain([waiting(), by_hand::joined(1), by_hand::joined(2)]);
    let all = designs.into_iter().chain(by_hand).chain([designs::late_sender(), designs::repeater()]);
    let all = all.flat_map(|program| {
        let is_half = matches!(program.duplex, Duplex::Half | Duplex::Pads);
        let full = is_half.then(|| Program { duplex: Duplex::Full, ..program.clone() });
        [Some(program), full].into_iter().flatten()
    });
    all.collect()
}

/// On a path of three, node 1 sends a packet of its own, then what it got four ticks ago, then another one in its window.
fn waiting() -> Program {
    let path = Topology::new(ShapeName::Path, &[3]).unwrap();
    let message = |node, flits| Message { from: Sender::Node(NodeId(node)), to: To::Node(NodeId(0)), flits };
    let demand = Demand::new(&path, vec![message(2, 2), message(1, 2), message(1, 3)]);
    let mut builder = ProgramBuilder::new(&path, 8, demand);
    let relay = builder.injecting_track(0, &[run(IDLE, 1), run(Source::own(1), 3)], late(1, 4));
    let last = builder.injecting_track(0, &[], IDLE);
    builder.set(NodeId(1), by_hand::LEFT, relay);
    builder.set(NodeId(2), by_hand::LEFT, last);
    builder.set_windows([(0, 0), (7, 2), (1, 2)].map(|(first, ticks)| Window { first, ticks }).to_vec());
    builder.finish(Title::new("waiting_3", "by hand"))
}

/// Until two flits are to leave at once: which of them does is nobody's concern.
fn until_a_clash(violations: &[Violation]) -> &[Violation] {
    let is_clash = |it: &Violation| matches!(it, Violation::Clash { .. } | Violation::RunOver { .. });
    let clash = violations.iter().position(is_clash);
    clash.map_or(violations, |clash| &violations[..=clash])
}

/// Executes, and compares; what streams can tell they tell in the same words.
fn is_by_the_definition(what: &str, program: &Program) -> CheckReport {
    let (executed, expected) = (by_execution(program), ledger::report(program));
    let first = until_a_clash(&expected.violations);
    assert_eq!(until_a_clash(&executed.violations), first, "{what}");
    if first.len() == expected.violations.len() {
        assert_eq!(executed, expected, "{what}");
    }
    let is_right = expected.violations.is_empty() && expected.complete_at.is_some();
    assert_eq!(executed.passed(), is_right, "{what}");
    let streams = by_streams(program);
    if streams.is_undecided() {
        let joins = |source| matches!(source, Source::Any { .. });
        let is_joined = program.classes.iter().flat_map(Class::sources).any(joins);
        assert!(!program.duplex.is_full() || !program.windows.is_empty() || is_joined, "{what}");
    } else {
        assert_eq!(streams, CheckReport { method: Method::Streams, traffic: None, ..executed.clone() }, "{what}");
    }
    executed
}

#[test]
fn execution_matches_the_definition() {
    for program in programs() {
        let report = is_by_the_definition(&program.title.name, &program);
        let is_design = program.title.scheme != "by hand";
        assert!(report.passed() || !is_design, "{:?}: {:?}", program.title, report.violations);
    }
}

#[test]
fn execution_of_damaged_programs_matches_the_definition() {
    let mut chance = Chance(11);
    let mut kinds = BTreeSet::new();
    for program in programs() {
        for time in 0..25 {
            let mutant = damaged(&program, &mut chance);
            let what = format!("{:?} damaged for the {time}th time", program.title);
            // a malformed program is not executed and has no figures
            if by_execution(&mutant).duplicates.is_some() {
                let found = is_by_the_definition(&what, &mutant).violations;
                kinds.extend(found.iter().map(|it| format!("{it:?}").split(' ').next().unwrap().to_owned()));
            }
        }
    }
    let all = ["Backwards", "BothWays", "Clash", "Missing", "NoSilence", "RunOver", "Torn"];
    assert!(kinds.iter().map(String::as_str).eq(all), "{kinds:?}");
}

/// Enough nodes for several threads to share.
#[test]
fn many_nodes_are_executed_as_few_are() {
    let cycle = Topology::new(ShapeName::Cycle, &[2100]).unwrap();
    let mut builder = ProgramBuilder::new(&cycle, 3, Demand::gossip(&cycle, 1));
    for node in cycle.node_ids() {
        let after = run(IDLE, node.0 % 3);
        for port in [0, 1] {
            let track = builder.track(&[after, run(OWN, 1)], late(1 - port, 1));
            builder.set(node, Port::from_index(port), track);
        }
    }
    is_by_the_definition("2100 nodes", &builder.finish(Title::new("many", "by hand")));
}

#[test]
fn knowledge_at_each_tick_equals_the_arrivals() {
    for program in programs().into_iter().filter(|program| !by_hand_clashes(program)) {
        let ticks: Vec<u32> = [0, 1, 2, 3, 7, 31, 32, 33, 34, 99, 1000].into_iter().collect();
        let (report, known) = check::by_execution_seen(&program, &ticks, &|_| {});
        assert_eq!(report, by_execution(&program), "{:?}", program.title);
        let played = ticks.iter().filter(|&&tick| tick <= program.ticks);
        let expected: Vec<Vec<u64>> = played.map(|&tick| ledger::known(&program, tick)).collect();
        assert_eq!(known, expected, "{:?}", program.title);
    }
    let malformed = Program { ticks: 1, ..designs::staircase(4, 4) };
    assert_eq!(check::by_execution_seen(&malformed, &[1], &|_| {}).1, Vec::<Vec<u64>>::new());
    let combines = design_on(ShapeName::Torus, &[3, 3], &["collective=all-reduce", "operation=sum"]).program;
    let (report, known) = check::by_execution_seen(&combines, &[1], &|_| {});
    assert!(report.passed() && known.is_empty(), "nodes that combine do not know packets");
}

fn by_hand_clashes(program: &Program) -> bool {
    until_a_clash(&ledger::report(program).violations).last().is_some_and(|it| matches!(it, Violation::Clash { .. }))
}

/// Ticks one after the other, though not each by itself, or nodes in any order; the last is all there is to do.
#[test]
fn progress_is_told_until_all_is_done() {
    let mut programs = programs();
    for settings in [["collective=all-reduce", "operation=sum"], ["collective=reduce-scatter", "operation=max"]] {
        programs.push(design_on(ShapeName::Torus, &[4, 4], &settings).program);
    }
    for program in programs {
        for method in [Method::Execution, Method::Streams] {
            let done = Mutex::new(Vec::new());
            let report = check::by(&program, method, &|now| done.lock().unwrap().push(now));
            if report.is_undecided() {
                continue;
            }
            let mut done = done.into_inner().unwrap();
            done.sort_unstable();
            let all = check::amount(&program, method);
            assert_eq!(done.last().copied(), all, "{:?} {method:?}", program.title);
            assert!(done.windows(2).all(|pair| pair[0] < pair[1]), "{:?} {method:?}: {done:?}", program.title);
            let expected = if method == Method::Streams { program.topology.nodes() } else { program.ticks };
            assert_eq!(all, Some(expected.into()));
        }
        assert_eq!(check::amount(&program, Method::Structure), None, "it is done at once");
    }
}

#[test]
fn programs_without_ticks_are_not_complete() {
    let torus = Topology::new(ShapeName::Torus, &[3, 3]).unwrap();
    let program = ProgramBuilder::new(&torus, 0, Demand::new(&torus, Vec::new())).finish(Title::new("none", "by hand"));
    for report in [by_execution(&program), by_streams(&program), by_structure(&program)] {
        assert_eq!((report.complete_at, report.violations.len(), report.passed()), (None, 0, false), "{report:?}");
    }
    let program = ProgramBuilder::new(&torus, 2, Demand::new(&torus, Vec::new())).finish(Title::new("none", "by hand"));
    for report in [by_execution(&program), by_streams(&program)] {
        assert_eq!((report.complete_at, report.passed()), (Some(1), true), "{report:?}");
    }
}
