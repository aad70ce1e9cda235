//! Malformed programs are named, and neither executed nor certified.

use std::sync::Arc;

use torusweave::check::{CheckReport, Violation, by_execution, by_structure};
use torusweave::net::{NodeId, Port, ShapeName, Topology};
use torusweave::program::{
    ClassId, Demand, Duplex, Message, Operand, Operands, Program, Run, Sender, Source, Title, To, Track,
};

use crate::fixtures::designs::{design_on, staircase};
use crate::reduce;

/// Violations that both checks find in a damaged 4x4 staircase, which has two classes.
fn violations(spoil: impl Fn(&mut Program)) -> Vec<Violation> {
    let mut program = staircase(4, 4);
    spoil(&mut program);
    let (executed, certified) = (by_execution(&program), by_structure(&program));
    assert_eq!(executed, certified, "neither is begun");
    let CheckReport { complete_at, duplicates, violations, .. } = executed;
    assert_eq!((complete_at, duplicates), (None, None));
    violations
}

#[test]
fn an_input_that_the_torus_does_not_have_is_named() {
    let found = violations(|program| {
        program.classes[0].outputs[1].runs[1].source = Source::input(Port::from_index(4), 3);
    });
    assert_eq!(found, [Violation::Input { class: 0, port: "x1+".into(), age: 3 }]);
    assert_eq!(found[0].to_string(), "class 0, output x1+: no such input, or an age of 3");
}

#[test]
fn an_age_of_0_is_named() {
    let found = violations(|program| {
        program.classes[1].outputs[3].runs[1].source = Source::input(Port::from_index(3), 0);
    });
    assert_eq!(found, [Violation::Input { class: 1, port: "x2+".into(), age: 0 }]);
}

#[test]
fn a_class_with_more_or_fewer_outputs_than_ports_is_named() {
    let fewer = violations(|program| program.classes[1].outputs.truncate(3));
    assert_eq!(fewer, [Violation::Outputs { class: 1, outputs: 3 }]);
    assert_eq!(fewer[0].to_string(), "class 1 has 3 outputs");
    let more = violations(|program| {
        let output = program.classes[0].outputs[0].clone();
        program.classes[0].outputs.push(output);
    });
    assert_eq!(more, [Violation::Outputs { class: 0, outputs: 5 }]);
}

#[test]
fn a_class_map_of_another_length_than_nodes_is_named() {
    let shorter = violations(|program| program.class_of.truncate(13));
    assert_eq!(shorter, [Violation::ClassMap { node: 13 }], "the first node without a class");
    let longer = violations(|program| program.class_of.push(ClassId(0)));
    assert_eq!(longer, [Violation::ClassMap { node: 16 }], "the first class without a node");
    assert_eq!(longer[0].to_string(), "node number 16 has no class");
}

/// A gossip of one class with something wrong on links that lead one way, of two lanes: round a cycle, by lane 1 alone.
fn one_way(spoil: impl Fn(&mut Program)) -> Vec<Violation> {
    let cycle = Topology::new(ShapeName::Cycle, &[4]).unwrap();
    let right = Source::In { port: Port::minus(0), lane: 1, age: 1 };
    let track = |runs: &[(Source, u32)]| {
        let runs = runs.iter().map(|&(source, ticks)| Run { source, ticks }).collect();
        Track { runs, repeat_from: None, inject: None }
    };
    let silent = || track(&[(Source::Idle, 3)]);
    let outputs = vec![silent(), silent(), silent(), track(&[(Source::own(0), 1), (right, 2)])];
    let mut program = Program::uniform(&cycle, 3, Demand::gossip(&cycle, 1), outputs, Title::new("t", "by hand"));
    program.duplex = Duplex::OneWay;
    spoil(&mut program);
    let (executed, certified) = (by_execution(&program), by_structure(&program));
    assert_eq!(executed.passed(), certified.passed());
    executed.violations
}

#[test]
fn nothing_is_read_where_no_wires_lead() {
    assert_eq!(one_way(|_| {}), []);
    let found = one_way(|program| program.classes[0].outputs[2].runs[0].source = Source::input(Port::plus(0), 1));
    let outside = |node| Violation::Outside { node: vec![node], port: "x1+".into() };
    assert_eq!(found, [0, 1, 2, 3].map(outside));
    let full = one_way(|program| {
        program.duplex = Duplex::Full;
        program.classes[0].outputs[2].runs[0].source = Source::input(Port::plus(0), 1);
    });
    assert_eq!(full, [], "on other links it is silence");
}

#[test]
fn malformed_meshes_are_reported_and_nothing_else() {
    let mesh = design_on(ShapeName::Mesh, &[3, 4], &["scheme=hamiltonian"]).program;
    let spoiled = |spoil: &dyn Fn(&mut Program)| {
        let mut program = mesh.clone();
        spoil(&mut program);
        by_execution(&program).violations
    };
    assert_eq!(spoiled(&|program| program.class_of.set(NodeId(5), ClassId(99))), [Violation::ClassMap { node: 5 }]);
    let found = spoiled(&|program| program.classes[1].outputs.truncate(2));
    assert_eq!(found, [Violation::Outputs { class: 1, outputs: 2 }]);
    // node 0 lies in a corner
    let class = mesh.class_of[0].index();
    let found = spoiled(&|program| program.classes[class].outputs[0].runs[0].source = Source::own(0));
    assert!(found.contains(&Violation::Outside { node: vec![0, 0], port: "x1-".into() }), "{found:?}");
    assert!(found.iter().all(|found| matches!(found, Violation::Outside { .. })), "{found:?}");
}

#[test]
fn links_without_lanes_are_named() {
    let found = violations(|program| program.lanes = 0);
    assert_eq!(found, [0, 1].map(|class| Violation::Outputs { class, outputs: 4 }));
}

#[test]
fn repeats_of_nothing_are_named() {
    let empty = [Violation::EmptyRun { class: 0, port: "x1+".into() }];
    for (from, last) in [(2, 7), (3, 7), (1, 0)] {
        for latency in [1, 2] {
            let found = violations(|program| {
                program.latency = latency;
                let track = &mut program.classes[0].outputs[1];
                track.repeat_from = Some(from);
                track.runs[1].ticks = last;
            });
            // other outputs are not made for long links
            let is_late = |it: &Violation| matches!(it, Violation::Late { .. });
            let named: Vec<Violation> = found.into_iter().filter(|it| !is_late(it)).collect();
            assert_eq!(named, empty, "from {from}, {last} ticks, latency {latency}");
        }
    }
}

#[test]
fn sends_too_late_to_arrive_are_reported() {
    let late = |class, port: &str| Violation::Late { class, port: port.into() };
    let mut program = staircase(4, 4).stretched(2).unwrap().on_links_of_latency(2).unwrap();
    assert!(by_execution(&program).passed());
    let runs = &mut program.classes[1].outputs[2].runs;
    let last = runs.len() - 1;
    (runs[last - 1].ticks, runs[last].ticks) = (runs[last - 1].ticks + 1, 0);
    runs.pop();
    assert_eq!(by_execution(&program).violations, [late(1, "x2-")]);
    // a track that repeats its last run up to the end has the same fault
    let track = &mut program.classes[1].outputs[2];
    track.repeat_from = Some(track.runs.len() - 1);
    assert_eq!(by_execution(&program).violations, [late(1, "x2-")]);
    // on short links the last tick is as good as any
    let mut short = staircase(4, 4);
    let track = &mut short.classes[1].outputs[2];
    track.repeat_from = Some(track.runs.len() - 1);
    assert!(by_execution(&short).passed());
}

/// A reduction with something wrong.
fn of_reduction(config: &str, spoil: impl Fn(&mut Program)) -> Vec<Violation> {
    let mut program = reduce::design(ShapeName::Torus, &[4, 4], config).program;
    assert!(by_execution(&program).passed());
    spoil(&mut program);
    by_execution(&program).violations
}

fn results(program: &mut Program) -> &mut Vec<Vec<Operands>> {
    &mut Arc::make_mut(program.reduction.as_mut().unwrap()).results
}

#[test]
fn results_are_of_inputs_that_exist_for_every_class_and_packet() {
    let of = |operand| vec![Operands::of([operand]); 2];
    let operand = |port, age| Operand { port: Port::from_index(port), age };
    let config = "staircase none reduce-scatter sum";
    for (port, age) in [(0, 0), (4, 1), (5, 1), (4, 0)] {
        let found = of_reduction(config, |program| results(program)[1] = of(operand(port, age)));
        assert_eq!(found, [Violation::Results { class: 1 }], "port {port}, {age} ticks ago");
    }
    let found = of_reduction(config, |program| results(program)[0] = of(operand(3, 1)));
    assert!(!found.is_empty() && !found.contains(&Violation::Results { class: 0 }), "it exists: {found:?}");
    let surplus = of_reduction(config, |program| {
        let of_class = results(program)[1].clone();
        results(program).push(of_class);
    });
    assert_eq!(surplus, [Violation::Results { class: 2 }]);
    let fewer = of_reduction(config, |program| drop(results(program).pop()));
    assert_eq!(fewer, [Violation::Results { class: 1 }]);
    let broadcast = of_reduction("optimal none reduce-scatter sum", |program| {
        let message = Message { from: Sender::Every, to: To::Node(NodeId(3)), flits: 1 };
        program.demand = Demand::new(&program.topology, vec![message]);
    });
    assert_eq!(broadcast, [Violation::Results { class: 0 }], "all nodes want all results");
    let lanes = of_reduction("optimal none reduce-scatter sum", |program| {
        program.lanes = 2;
        let outputs = &program.classes[0].outputs;
        program.classes[0].outputs = outputs.iter().flat_map(|track| [track.clone(), track.clone()]).collect();
    });
    assert_eq!(lanes, [Violation::Results { class: 0 }], "what is combined goes by one lane");
}

#[test]
fn parts_of_a_reduction_keep_their_ticks() {
    let part = |tick| Violation::Part { class: 0, port: "x1-".into(), tick };
    // the tick of silence belongs to neither
    let early = of_reduction("optimal none all-reduce sum", |program| {
        let runs = &mut program.classes[0].outputs[0].runs;
        let own = runs.iter().position(|run| matches!(run.source, Source::Own { .. })).unwrap();
        runs[own - 1].ticks -= 1;
        runs[own].ticks += 1;
        if runs[own - 1].ticks == 0 {
            runs.remove(own - 1);
        }
    });
    let silent = reduce::design(ShapeName::Torus, &[4, 4], "optimal none reduce-scatter sum").program.ticks + 1;
    assert_eq!(early, [part(silent)]);
    let repeated = violations(|program| {
        let track = &mut program.classes[0].outputs[0];
        track.repeat_from = Some(1);
        track.runs[1].source = Source::Sum { operands: Operands::of([]) };
    });
    assert_eq!(repeated, [part(2)], "what combines nothing has no sums");
}

/// Partials that leave when the results are read already, or that arrive then.
#[test]
fn partials_that_arrive_too_late_are_named_once() {
    for collective in ["reduce-scatter", "all-reduce"] {
        let found = of_reduction(&format!("staircase none {collective} sum 3 3"), |program| {
            let runs = &mut program.classes[0].outputs[0].runs;
            let sum = runs.iter().rposition(|run| run.source.is_sum()).unwrap();
            runs[sum].ticks += 1;
            runs[sum + 1].ticks -= 1;
        });
        assert_eq!(found, [Violation::Late { class: 0, port: "x1-".into() }], "{collective}");
    }
}
