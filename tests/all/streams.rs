//! Packets in a row, inputs that are joined, and nodes that send in windows of their own: scatter and gather by hand.

use torusweave::check::{Violation, by_execution};
use torusweave::net::{NodeId, Port, Ports, Shape, Topology};
use torusweave::play::steps_to_complete;
use torusweave::program::{Builder, Demand, From, Message, Program, Run, Source, Title, To, Window};

const LEFT: Port = Port::minus(0);
const RIGHT: Port = Port::plus(0);
const LENGTHS: [u32; 4] = [0, 2, 1, 3];

fn title() -> Title {
    Title::new("t", "by hand")
}

/// Path of four, root 0: its messages one after the other, the farthest first.
fn scatter() -> Program {
    let path = Topology::new(Shape::Path, &[4]).unwrap();
    let message =
        |node: u32| Message { from: From::Node(NodeId(0)), to: To::Node(NodeId(node)), flits: LENGTHS[node as usize] };
    let mut builder = Builder::new(&path, 6, Demand::new(&path, [3, 2, 1].map(message).to_vec()));
    let all = builder.track(&[], Source::Own { packet: 0, through: 2 });
    let on = builder.track(&[], Source::input(LEFT, 1));
    builder.set(NodeId(0), RIGHT, all);
    builder.set(NodeId(1), RIGHT, on);
    builder.set(NodeId(2), RIGHT, on);
    builder.finish(title())
}

/// Path of four, root 0: what comes in goes on, but in a node's window its own message goes out.
fn gather() -> Program {
    let path = Topology::new(Shape::Path, &[4]).unwrap();
    let message =
        |node: u32| Message { from: From::Node(NodeId(node)), to: To::Node(NodeId(0)), flits: LENGTHS[node as usize] };
    let mut builder = Builder::new(&path, 6, Demand::new(&path, [1, 2, 3].map(message).to_vec()));
    let on = builder.injecting_track(0, &[], Source::Any { ports: Ports::of([RIGHT]) });
    let last = builder.injecting_track(0, &[], Source::Idle);
    builder.set(NodeId(1), LEFT, on);
    builder.set(NodeId(2), LEFT, on);
    builder.set(NodeId(3), LEFT, last);
    let window = |first, node: usize| Window { first, ticks: LENGTHS[node] };
    builder.set_windows(vec![Window::default(), window(1, 1), window(2, 2), window(2, 3)]);
    builder.finish(title())
}

/// Mesh of 2x3, root 0: nodes 2 and 4 send to it through node 1, which joins what they send.
fn joined(second: u32) -> Program {
    let mesh = Topology::new(Shape::Mesh, &[2, 3]).unwrap();
    let message = |node| Message { from: From::Node(NodeId(node)), to: To::Node(NodeId(0)), flits: 2 };
    let mut builder = Builder::new(&mesh, 5, Demand::new(&mesh, [2, 4].map(message).to_vec()));
    let (left, right, up, down) = (Port::minus(1), Port::plus(1), Port::minus(0), Port::plus(0));
    let join = builder.track(&[], Source::Any { ports: Ports::of([right, down]) });
    let own = builder.injecting_track(0, &[], Source::Idle);
    builder.set(NodeId(1), left, join);
    builder.set(NodeId(2), left, own);
    builder.set(NodeId(4), up, own);
    let mut windows = vec![Window::default(); 6];
    windows[2] = Window { first: 1, ticks: 2 };
    windows[4] = Window { first: second, ticks: 2 };
    builder.set_windows(windows);
    builder.finish(title())
}

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
fn what_passes_by_is_overheard_by_those_who_do_not_want_it() {
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
fn what_arrives_in_a_nodes_own_window_is_run_over() {
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
