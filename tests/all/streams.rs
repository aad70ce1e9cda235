//! Packets in a row, inputs that are joined, and nodes that send in windows of their own: scatter and gather by hand.

use torusweave::check::{Method, Violation, by_execution, by_streams, method};
use torusweave::net::ShapeName;
use torusweave::play::steps_to_complete;
use torusweave::program::{Run, Source};

use crate::fixtures::by_hand::{gather, joined, scatter};
use crate::fixtures::designs::design_on;

#[test]
fn scatter_and_gather_are_executed_by_check_and_model_alike() {
    for (program, sends) in [(scatter(), 1), (gather(), 1), (joined(3), 1)] {
        let report = by_execution(&program);
        assert!(report.passed(), "{report:?}");
        let traffic = report.traffic.unwrap();
        assert_eq!((traffic.held, traffic.sends), (0, sends));
        assert_eq!(steps_to_complete(&program), report.complete_at);
    }
    // the root's last flit of six arrives next door in tick 6; farther nodes were served before
    assert_eq!(by_execution(&scatter()).complete_at, Some(6));
    assert_eq!(by_execution(&gather()).complete_at, Some(6));
    assert_eq!(by_execution(&joined(3)).complete_at, Some(5));
}

#[test]
fn passing_packets_are_overheard_by_other_nodes() {
    // node 1 hears what passes to nodes 3 and 2; nobody stops what is sent on: node 2 hears node 1's first flit too,
    // and node 3 that of node 2
    let traffic = by_execution(&scatter()).traffic.unwrap();
    assert_eq!((traffic.overheard, traffic.receives), ((3 + 1) + (3 + 1) + 1, 1));
}

#[test]
fn two_flits_at_once_for_one_output_are_a_clash() {
    let clash = |tick| Violation::Clash { node: vec![0, 1], port: "x2-".into(), tick };
    assert_eq!(by_execution(&joined(1)).violations[..2], [clash(2), clash(3)]);
    assert_eq!(by_execution(&joined(2)).violations[0], clash(3));
}

#[test]
fn arrivals_in_a_nodes_own_window_are_run_over() {
    let mut program = gather();
    program.windows[3].first -= 1;
    let over = Violation::RunOver { node: vec![2], port: "x1-".into(), tick: 2 };
    assert_eq!(by_execution(&program).violations[0], over);
}

#[test]
fn a_late_window_leaves_flits_missing_and_a_short_one_tears() {
    let mut late = gather();
    late.windows[3].first += 1;
    assert!(matches!(by_execution(&late).violations[..], [Violation::Missing { .. }]));
    let mut short = gather();
    short.windows[3].ticks -= 1;
    let torn = |violation: &Violation| matches!(violation, Violation::Torn { .. });
    assert!(by_execution(&short).violations.iter().any(torn));
}

#[test]
fn there_is_one_window_a_node_and_every_packet_exists() {
    let mut program = gather();
    program.windows.pop();
    assert_eq!(by_execution(&program).violations, [Violation::Windows { windows: 3 }]);
    let mut program = gather();
    let class = program.class_of[1].0;
    program.classes[class as usize].outputs[0].inject = Some(1);
    assert_eq!(by_execution(&program).violations, [Violation::Packet { class, port: "x1-".into(), packet: 1 }]);
    let mut program = scatter();
    let class = program.class_of[0].0;
    program.classes[class as usize].outputs[1].runs =
        vec![Run { source: Source::Own { packet: 1, through: 3 }, ticks: 6 }];
    assert_eq!(by_execution(&program).violations, [Violation::Packet { class, port: "x1+".into(), packet: 3 }]);
}

#[test]
fn rows_joins_and_windows_stand_in_the_second_format() {
    assert!(scatter().json().contains("{\"own\": 0, \"through\": 2, \"ticks\": 6}"));
    let json = gather().json();
    assert!(json.contains("\"inject\": 0, \"runs\": [{\"any\": [\"x1+\"], \"age\": 1, \"ticks\": 6}]"), "{json}");
    assert!(json.ends_with("  \"windows\": [\n    [0, 0], [1, 2], [2, 1], [2, 3]\n  ]\n}\n"), "{json}");
}

/// Checks that would exhaust memory are refused: arrivals of a node are kept tick by tick, and flits are numbered in 32
/// bits.
#[test]
fn checks_that_need_too_much_memory_are_refused() {
    let along = |nodes: u32| design_on(ShapeName::Path, &[nodes], &["collective=scatter", "link.flits=65536"]).program;
    let why = |program: &torusweave::program::Program| {
        let report = by_streams(program);
        assert!(report.is_undecided() && report.method == Method::Streams, "{report:?}");
        assert_eq!(report.link_use, None, "nothing was counted");
        report.violations[0].to_string()
    };
    let too_long = along(1026);
    assert!(why(&too_long).contains("too much memory"));
    assert_ne!(method(&too_long), Method::Streams);
    let exchange = design_on(ShapeName::Torus, &[17, 17], &["collective=exchange", "link.flits=65536"]).program;
    assert!(why(&exchange).contains("so many flits are not numbered"));
    assert_eq!(method(&exchange), Method::Structure, "nor are they executed");
}

/// A packet that ends in silence is torn, also where nothing comes to a node any more.
#[test]
fn packets_cut_off_by_silence_are_found_by_both_checks() {
    let mut torn = 0;
    for scheme in ["scheme=fdf", "scheme=ports"] {
        let program = design_on(ShapeName::Torus, &[3, 4], &["collective=scatter", scheme, "link.flits=3"]).program;
        let tracks = (0..program.classes.len()).flat_map(|class| (0..program.outputs()).map(move |it| (class, it)));
        for (class, output) in tracks {
            let mut mutant = program.clone();
            let runs = &mut mutant.classes[class].outputs[output].runs;
            let Some(last) = runs.iter().rposition(|run| run.source != Source::Idle && run.ticks > 1) else { continue };
            runs[last].ticks -= 1;
            runs.insert(last + 1, Run { source: Source::Idle, ticks: 1 });
            let (executed, followed) = (by_execution(&mutant), by_streams(&mutant));
            assert_eq!(followed.violations, executed.violations, "{scheme}, class {class}, output {output}");
            torn += executed.violations.iter().filter(|it| matches!(it, Violation::Torn { .. })).count();
        }
    }
    assert!(torn > 20, "{torn} packets are torn");
}
