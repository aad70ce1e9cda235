//! Reductions whose nodes are all alike: looking up where each partial goes says what executing them says.

use std::sync::Arc;

use torusweave::check::{self, CheckReport, Method, Violation};
use torusweave::net::{NodeId, Port, ShapeName};
use torusweave::paths::supply::Switching;
use torusweave::program::{ClassId, ClassMap, Entries, Operand, Operands, Operation, Program, Reduction, Source};
use torusweave::schemes::optimal::Optimal;
use torusweave::transform::reverse;

use crate::fixtures::designs::woven;
use crate::fixtures::mutants::wrong_operands;
use crate::reduce::design;

const SIZES: [(ShapeName, &[u32]); 9] = [
    (ShapeName::Torus, &[3, 3]),
    (ShapeName::Torus, &[4, 4]),
    (ShapeName::Torus, &[5, 6]),
    (ShapeName::Torus, &[2, 4]),
    (ShapeName::Torus, &[2, 3, 4]),
    (ShapeName::Torus, &[3, 3, 3]),
    (ShapeName::Torus, &[4, 3, 2, 3]),
    (ShapeName::Cycle, &[7]),
    (ShapeName::Cycle, &[8]),
];

#[test]
fn trees_and_execution_agree_on_reductions_of_one_class() {
    for (shape, sides) in SIZES {
        let short = ["reduce-scatter sum 1", "reduce-scatter max 3", "all-reduce xor 2", "all-reduce min 1"];
        let long = ["reduce-scatter max 1 3", "all-reduce sum 1 8", "all-reduce xor 3 7"];
        // along a cycle what has come in is sent on at once
        let along =
            short.map(|rest| ("hamiltonian", rest)).into_iter().take(if shape == ShapeName::Cycle { 4 } else { 0 });
        for (scheme, rest) in short.into_iter().chain(long).map(|rest| ("optimal", rest)).chain(along) {
            let program = design(shape, sides, &format!("{scheme} none {rest}")).program;
            assert_eq!(program.classes.len(), 1, "{sides:?} {scheme}");
            let (executed, looked_up) = (check::by_execution(&program), check::by_structure(&program));
            assert!(executed.passed(), "{sides:?} {scheme} {rest}: {:?}", executed.violations.first());
            assert_eq!(looked_up, CheckReport { method: Method::Structure, ..executed }, "{sides:?} {scheme} {rest}");
        }
    }
}

/// The node that speaks for all does what all of them do if they are followed one by one.
#[test]
fn one_node_reverses_for_all() {
    for (shape, sides) in SIZES {
        let gather = design(shape, sides, "optimal").program;
        let mut apart = gather.clone();
        apart.classes.push(gather.classes[0].clone());
        apart.class_of = ClassMap::uniform(gather.topology.nodes() as usize);
        apart.class_of.set(NodeId(1), ClassId(1));
        assert!(reverse::is_alike(&gather) && !reverse::is_alike(&apart));
        for operation in [Operation::Sum, Operation::Max] {
            let [one, all] = [&gather, &apart].map(|gather| reverse::reduction(gather, operation));
            assert_eq!(one, all, "{sides:?} {operation}");
        }
    }
}

fn reduction(program: &mut Program) -> &mut Reduction {
    Arc::make_mut(program.reduction.as_mut().unwrap())
}

/// Two entries of an output exchanged, one left out, sent nowhere, or sent twice.
pub fn wrong_orders(program: &Program) -> Vec<(String, Program)> {
    let Entries::Offsets(lists) = &program.reduction.as_ref().unwrap().order.entries else { panic!("all are alike") };
    let mut mutants = Vec::new();
    for (output, at) in lists.iter().enumerate().flat_map(|(output, list)| (0..list.len()).map(move |at| (output, at)))
    {
        for fault in ["exchanged with the next", "left out", "sent nowhere", "that of the next"] {
            let mut mutant = program.clone();
            let Entries::Offsets(lists) = &mut reduction(&mut mutant).order.entries else { unreachable!() };
            let list = &mut lists[output];
            match fault {
                "exchanged with the next" if at + 1 < list.len() => list.swap(at, at + 1),
                "left out" => drop(list.remove(at)),
                "sent nowhere" => list[at] = None,
                "that of the next" if at + 1 < list.len() => {
                    let next = list[at + 1].clone();
                    list[at] = next;
                }
                _ => continue,
            }
            mutants.push((format!("output {output}, entry {at} {fault}"), mutant));
        }
    }
    mutants
}

/// Each operand of a result left out, or read a tick early or late.
pub fn wrong_results(program: &Program) -> Vec<(String, Program)> {
    let result = program.reduction.as_ref().unwrap().results[0][0];
    let mut mutants = Vec::new();
    for operand in result.iter() {
        for age in [None, Some(operand.age - 1), Some(operand.age + 1)] {
            let others = result.iter().filter(|&other| other != operand);
            let aged = age.filter(|&age| age > 0).map(|age| Operand { age, ..operand });
            let mut mutant = program.clone();
            reduction(&mut mutant).results[0][0] = Operands::of(others.chain(aged));
            mutants.push((format!("result {operand:?}: {aged:?}"), mutant));
        }
    }
    mutants
}

/// Each source of the gather part another input.
pub fn wrong_gathers(program: &Program) -> Vec<(String, Program)> {
    let mut mutants = Vec::new();
    for (output, runs) in program.classes[0].outputs.iter().map(|track| &track.runs).enumerate() {
        for (index, run) in runs.iter().enumerate().filter(|(_, run)| matches!(run.source, Source::In { .. })) {
            for wrong in (0..program.outputs()).map(|port| Source::input(Port::from_index(port), 1)) {
                if wrong != run.source {
                    let mut mutant = program.clone();
                    mutant.classes[0].outputs[output].runs[index].source = wrong;
                    mutants.push((format!("output {output}, run {index}: {wrong:?}"), mutant));
                }
            }
        }
    }
    mutants
}

/// Links a tick shorter or longer than the program thinks.
fn wrong_latencies(program: &Program) -> Vec<(String, Program)> {
    let off = [program.latency - 1, program.latency + 1].into_iter().filter(|&off| off > 0);
    off.map(|off| (format!("latency {off}"), Program { latency: off, ..program.clone() })).collect()
}

#[test]
fn mutants_of_trees_are_caught() {
    let (mut caught, mut harmless) = (0, 0);
    for (sides, operation) in [(&[4, 5][..], "sum"), (&[3, 3, 3], "xor"), (&[2, 5], "max"), (&[4, 4], "sum 1 3")] {
        let right = design(ShapeName::Torus, sides, &format!("optimal none all-reduce {operation}")).program;
        let mutants = [wrong_operands(&right), wrong_orders(&right), wrong_results(&right), wrong_gathers(&right)];
        let mutants = mutants.into_iter().chain([wrong_latencies(&right)]);
        for (what, mutant) in mutants.flatten() {
            let (executed, looked_up) = (check::by_execution(&mutant), check::by_structure(&mutant));
            assert_eq!(
                executed.passed(),
                looked_up.passed(),
                "{sides:?} {operation}, {what}: {:?}",
                executed.violations
            );
            if executed.passed() {
                assert_eq!(looked_up, CheckReport { method: Method::Structure, ..executed }, "{what}");
                harmless += 1;
            } else {
                caught += 1;
            }
        }
    }
    println!("{caught} mutants caught, {harmless} harmless ones passed");
    assert!(caught > 300, "{caught}");
}

/// Both ways name the same faults, where one is put in at a time: the first node's speak for all.
#[test]
fn faults_are_told_by_the_same_words() {
    let right = reverse::reduction(&woven(&[4, 5], &Optimal, Switching::None), Operation::Sum);
    let first = |report: CheckReport| -> Vec<Violation> {
        let is_first = |violation: &Violation| match violation {
            Violation::Entries { node, .. } | Violation::Sent { node, .. } | Violation::NotCombined { node, .. } => {
                node.iter().all(|&x| x == 0)
            }
            _ => false,
        };
        report.violations.into_iter().filter(is_first).collect()
    };
    let mut told = 0;
    for (what, mutant) in wrong_operands(&right).into_iter().chain(wrong_orders(&right)).chain(wrong_results(&right)) {
        let executed = check::by_execution(&mutant).violations;
        let mixes = |violation: &Violation| matches!(violation, Violation::Mixed { .. } | Violation::Twice { .. });
        // a mix of two partials continues as one or the other
        if !executed.iter().any(mixes) {
            let looked_up = check::by_structure(&mutant);
            assert_eq!(first(looked_up), first(check::by_execution(&mutant)), "{what}");
            told += 1;
        }
    }
    assert!(told > 20, "{told}");
}

#[test]
fn of_a_step_that_goes_wrong_the_first_tick_is_named() {
    const FLITS: u32 = 3;
    let right = reverse::reduction(&woven(&[4, 5], &Optimal, Switching::None), Operation::Sum);
    let first = |tick: u32| (tick - 1) * FLITS + 1;
    let mut told = 0;
    for (what, mutant) in wrong_orders(&right).into_iter().chain(wrong_operands(&right)) {
        let expected: Vec<Violation> = check::by_structure(&mutant).violations;
        let expected = expected.into_iter().map(|it| match it {
            Violation::Mixed { node, port, tick } => Violation::Mixed { node, port, tick: first(tick) },
            Violation::Twice { node, port, tick } => Violation::Twice { node, port, tick: first(tick) },
            other => other,
        });
        let expected: Vec<Violation> = expected.collect();
        let Some(long) = mutant.stretched(FLITS) else { continue };
        assert_eq!(check::by_structure(&long).violations, expected, "{what}");
        told += expected.iter().filter(|it| matches!(it, Violation::Mixed { .. })).count();
    }
    assert!(told > 20, "{told}");
}

#[test]
fn large_reductions_are_looked_up() {
    let program = design(ShapeName::Torus, &[300, 300], "optimal none all-reduce sum 2").program;
    assert_eq!(check::method(&program), Method::Structure);
    let report = check::by_either(&program);
    assert!(report.passed(), "{:?}", report.violations.first());
    assert_eq!((report.complete_at, program.ticks), (Some(program.ticks), 2 * 2 * 22_500 + 1));
    let program = design(ShapeName::Torus, &[64, 64], "optimal none all-reduce sum 1 32").program;
    let report = check::by_structure(&program);
    assert!(report.passed(), "{:?}", report.violations.first());
    assert_eq!((report.complete_at, program.ticks), (Some(program.ticks), 2 * 2048 + 1));
}
