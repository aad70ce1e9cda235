//! What is malformed is named, and neither executed nor certified.

use torusweave::check::{Report, Violation, by_execution, by_structure};
use torusweave::net::Port;
use torusweave::program::{ClassId, Program, Source};

use crate::fixtures::designs::staircase;

/// What both ways of checking say of the 4x4 staircase, two classes of nodes, with something wrong.
fn violations(spoil: impl Fn(&mut Program)) -> Vec<Violation> {
    let mut program = staircase(4, 4);
    spoil(&mut program);
    let (executed, certified) = (by_execution(&program), by_structure(&program));
    assert_eq!(executed, certified, "neither is begun");
    let Report { complete_at, duplicates, violations, .. } = executed;
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
