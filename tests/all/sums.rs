//! Figures and violations of reductions follow the definition, with node, port and tick.

use std::collections::BTreeSet;
use std::sync::Arc;

use torusweave::check::{CheckReport, Method, Violation, by_execution, by_structure};
use torusweave::net::{ShapeName, Topology};
use torusweave::program::{Away, Demand, Entries, Operands, Operation, Program, Run, Source, Title};
use torusweave::transform::reverse::{self, KeptPartials};

use crate::fixtures::by_hand::track;
use crate::fixtures::chance::Chance;
use crate::fixtures::contributors;
use crate::fixtures::damage::damaged_reduction;
use crate::fixtures::designs::{OWN, late};
use crate::reduce::design;

/// On a cycle, each node's packets go all the way round: all of them both ways, or one each way. All nodes are alike.
fn round(nodes: u32, packets: u16) -> Program {
    let cycle = Topology::new(ShapeName::Cycle, &[nodes]).unwrap();
    let other = Source::own(u32::from(packets) - 1);
    let outputs = [(other, late(1, 1)), (OWN, late(0, 1))].map(|(own, input)| track(&[(own, 1), (input, nodes - 2)]));
    Program::uniform(&cycle, nodes - 1, Demand::gossip(&cycle, packets), outputs.into(), Title::new("round", "by hand"))
}

fn long(program: &Program, flits: u32, latency: u32) -> Program {
    program.stretched(flits).unwrap().on_links_of_latency(latency).unwrap()
}

/// Programs in which all nodes are alike.
fn alike() -> Vec<Program> {
    let designs = [
        (ShapeName::Torus, &[3, 4][..], "optimal none reduce-scatter sum"),
        (ShapeName::Torus, &[4, 4], "optimal none all-reduce max"),
        (ShapeName::Torus, &[2, 3, 2], "optimal none all-reduce xor"),
        (ShapeName::Torus, &[2, 4], "optimal none reduce-scatter min 1 3"),
        (ShapeName::Cycle, &[6], "hamiltonian none all-reduce sum 2"),
    ];
    let designs = designs.map(|(shape, sides, config)| design(shape, sides, config).program);
    let kept = [
        (1, Operation::Sum, KeptPartials::One),
        (1, Operation::Max, KeptPartials::Every),
        (2, Operation::Xor, KeptPartials::One),
    ];
    let by_hand = kept.into_iter().flat_map(|(packets, operation, kept)| {
        let gather = round(5, packets);
        let reduced = reverse::reversed(&gather, operation, kept);
        let both = reduced.followed_by(&gather).unwrap();
        let long = long(&reduced, 2, 2).followed_by(&long(&gather, 2, 2)).unwrap();
        [reduced, both, long]
    });
    designs.into_iter().chain(by_hand).collect()
}

/// Programs of several classes.
fn apart() -> Vec<Program> {
    let designs = [
        (ShapeName::Torus, &[4, 4][..], "staircase none all-reduce sum"),
        (ShapeName::Torus, &[3, 4], "hamiltonian none reduce-scatter max 2"),
        (ShapeName::Torus, &[4, 5], "staircase memory reduce-scatter sum"),
        (ShapeName::Torus, &[5, 4], "zigzag none all-reduce or"),
        (ShapeName::Mesh, &[3, 4], "hamiltonian none reduce-scatter xor 2 2"),
        (ShapeName::Path, &[5], "hamiltonian none all-reduce sum"),
        // reduces
        (ShapeName::Torus, &[3, 4], "fork none reduce sum 2"),
        (ShapeName::Torus, &[4, 4], "trees none reduce xor 5"),
        (ShapeName::Mesh, &[2, 4], "arc-trees none reduce max 3"),
        (ShapeName::Cycle, &[6], "opposed none reduce sum 3 2"),
    ];
    designs.map(|(shape, sides, config)| design(shape, sides, config).program).into()
}

fn at_first(report: &CheckReport) -> Vec<Violation> {
    let is_first = |violation: &&Violation| match violation {
        Violation::Entries { node, .. } | Violation::Sent { node, .. } | Violation::NotCombined { node, .. } => {
            node.iter().all(|&x| x == 0)
        }
        _ => false,
    };
    report.violations.iter().filter(is_first).cloned().collect()
}

#[test]
fn reductions_are_executed_by_the_definition() {
    for program in alike().into_iter().chain(apart()) {
        let report = by_execution(&program);
        assert!(report.passed(), "{:?}: {:?}", program.title, report.violations);
        assert_eq!(report, contributors::report(&program), "{:?}", program.title);
    }
}

/// The shortcut for nodes that are all alike passes the same programs as full execution, and finds the same at the
/// first node.
#[test]
fn damaged_reductions_are_executed_by_the_definition() {
    let mut chance = Chance(3);
    let (mut right, mut kinds) = (0, BTreeSet::new());
    for (program, times) in alike().into_iter().map(|it| (it, 60)).chain(apart().into_iter().map(|it| (it, 30))) {
        for time in 0..times {
            let mutant = damaged_reduction(&program, &mut chance);
            let what = format!("{:?} damaged for the {time}th time", program.title);
            let executed = by_execution(&mutant);
            if executed.method != Method::Execution {
                continue;
            }
            assert_eq!(executed, contributors::report(&mutant), "{what}");
            let of = |it: &Violation| format!("{it:?}").split(' ').next().unwrap().to_owned();
            kinds.extend(executed.violations.iter().map(of));
            right += u32::from(executed.passed());
            let looked_up = by_structure(&mutant);
            if looked_up.is_undecided() {
                let is_whole = mutant.classes.len() == 1 && mutant.flits == 1 && mutant.latency == 1;
                assert!(!is_whole, "{what}: {:?}", looked_up.violations);
                continue;
            }
            assert_eq!(executed.passed(), looked_up.passed(), "{what}: {:?}", looked_up.violations);
            let mixes = |it: &Violation| matches!(it, Violation::Mixed { .. } | Violation::Twice { .. });
            if executed.passed() {
                assert_eq!(looked_up, CheckReport { method: Method::Structure, ..executed }, "{what}");
            } else if !executed.violations.iter().any(mixes) {
                assert_eq!(at_first(&looked_up), at_first(&executed), "{what}");
            }
        }
    }
    let all = ["Entries", "Missing", "Mixed", "NotCombined", "Sent", "Torn", "Twice"];
    assert!(kinds.iter().map(String::as_str).eq(all) && right > 100, "{right} are right, of others {kinds:?}");
}

/// A partial that comes back to where it is for is of no use, even where nobody takes it.
#[test]
fn a_partial_of_a_nodes_own_packet_is_sent_by_neither() {
    let right = reverse::reversed(&round(5, 1), Operation::Max, KeptPartials::One);
    let mut tried = 0;
    for output in 0..right.outputs() {
        for (at, idle) in right.classes[0].outputs[output].runs.iter().enumerate() {
            if idle.source != Source::Idle {
                continue;
            }
            let mut mutant = right.clone();
            let runs = &mut mutant.classes[0].outputs[output].runs;
            let sum = Run { source: Source::Sum { operands: Operands::of([]) }, ticks: 1 };
            let rest = (idle.ticks > 1).then(|| Run { ticks: idle.ticks - 1, ..*idle });
            runs.splice(at..=at, [sum].into_iter().chain(rest));
            let before: u32 = runs[..at].iter().filter(|run| run.source.is_sum()).map(|run| run.ticks).sum();
            let reduction = Arc::make_mut(mutant.reduction.as_mut().unwrap());
            let Entries::Offsets(lists) = &mut reduction.order.entries else { panic!("all are alike") };
            lists[output].insert(before as usize, Some(Away { offset: vec![0], packet: 0 }));
            for report in [by_execution(&mutant), by_structure(&mutant)] {
                assert!(
                    report.violations.iter().any(|it| matches!(it, Violation::Sent { times: 1, .. })),
                    "{report:?}"
                );
            }
            tried += 1;
        }
    }
    assert!(tried > 0);
}

/// Each node has the values of two neighbours to add, and nothing is sent on: what is sent of a partial arrives and is used, and
/// its last flit is not sent.
#[test]
fn a_partial_that_is_not_sent_whole_is_missing() {
    let right = long(&reverse::reversed(&round(3, 1), Operation::Sum, KeptPartials::One), 2, 1);
    assert!(by_execution(&right).passed());
    for output in 0..right.outputs() {
        let mut mutant = right.clone();
        let runs = &mut mutant.classes[0].outputs[output].runs;
        let last = runs.iter().rposition(|run| run.source.is_sum()).unwrap();
        runs[last].ticks -= 1;
        runs.insert(last + 1, Run { source: Source::Idle, ticks: 1 });
        let report = by_execution(&mutant);
        assert!(matches!(report.violations[..], [Violation::NotCombined { .. }, ..]), "{report:?}");
        assert_eq!(report, contributors::report(&mutant));
    }
}

/// More nodes than a word has bits.
#[test]
fn sums_of_many_nodes_are_executed_by_the_definition() {
    let right = reverse::reversed(&round(70, 1), Operation::Sum, KeptPartials::One);
    let mut chance = Chance(9);
    for mutant in [right.clone()].into_iter().chain((0..40).map(|_| damaged_reduction(&right, &mut chance))) {
        assert_eq!(by_execution(&mutant), contributors::report(&mutant));
    }
}
