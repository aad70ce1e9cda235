//! Output of `torusweave diff` for one scheme at two sizes.

use serde_json::json;
use torusweave::explain::diff::{Change, DiffSubject, Difference, diff};
use torusweave::net::ShapeName;
use torusweave::program::{Program, Run, Source, Span, Track, Window};

use crate::figures::programs;
use crate::fixtures::by_hand::{LEFT, both_ways};
use crate::fixtures::chance::Chance;
use crate::fixtures::damage::damaged;
use crate::fixtures::designs::{design, design_on, late, run};
use crate::fixtures::mutants::wrong_operands;
use crate::trees::{wrong_orders, wrong_results};

fn text(from: &[u32], to: &[u32], settings: &[&str]) -> String {
    let (from, to) = (design(from, settings), design(to, settings));
    diff(&DiffSubject::of(&from), &DiffSubject::of(&to)).to_string()
}

#[test]
fn staircase_keeps_its_classes_and_their_map() {
    insta::assert_snapshot!(text(&[6, 8], &[12, 16], &["scheme=staircase"]));
}

#[test]
fn staircase_on_one_odd_side() {
    insta::assert_snapshot!(text(&[6, 7], &[10, 9], &["scheme=staircase", "switching=memory"]));
}

#[test]
fn zigzag_with_memory_changes_the_switch_and_not_the_classes() {
    insta::assert_snapshot!(text(&[8, 6], &[16, 12], &["scheme=zigzag", "switching=memory"]));
}

#[test]
fn zigzag_with_periodic_switching() {
    insta::assert_snapshot!(text(&[16, 12], &[32, 24], &["scheme=zigzag", "switching=periodic"]));
}

#[test]
fn zigzag_in_three_dimensions() {
    insta::assert_snapshot!(text(&[3, 3, 4], &[6, 6, 5], &["scheme=zigzag"]));
}

#[test]
fn hamiltonian_on_two_odd_sides() {
    insta::assert_snapshot!(text(&[7, 7], &[9, 9], &["scheme=hamiltonian"]));
}

#[test]
fn one_torus_with_and_without_memory() {
    let (none, memory) = (design(&[8, 6], &["scheme=zigzag"]), design(&[8, 6], &["scheme=zigzag", "switching=memory"]));
    insta::assert_snapshot!(diff(&DiffSubject::of(&none), &DiffSubject::of(&memory)));
}

/// Lanes are outputs of their own.
#[test]
fn lanes_are_told_apart() {
    let said = text(&[4, 6], &[6, 8], &["scheme=hamiltonian", "link.lanes=2"]);
    assert!(said.contains("T lane 1 <- R lane 1"), "{said}");
    assert!(said.contains("output T x1- lane 1: falls silent after 12 -> 24 ticks"), "{said}");
}

#[test]
fn difference_as_json() {
    let (from, to) = (
        design(&[8, 6], &["scheme=zigzag", "switching=memory"]),
        design(&[16, 12], &["scheme=zigzag", "switching=memory"]),
    );
    insta::assert_snapshot!(
        serde_json::to_string_pretty(&diff(&DiffSubject::of(&from), &DiffSubject::of(&to))).unwrap()
    );
}

#[test]
fn an_all_reduce_keeps_its_classes_and_what_completes_them() {
    let settings = ["scheme=staircase", "collective=all-reduce", "operation=sum"];
    insta::assert_snapshot!(text(&[6, 8], &[12, 16], &settings));
}

#[test]
fn packets_of_an_all_reduce_may_be_longer_and_its_links_too() {
    let short = design(&[4, 6], &["scheme=zigzag", "collective=all-reduce", "operation=sum"]);
    let settings = ["scheme=zigzag", "collective=all-reduce", "operation=sum", "link.flits=3", "link.latency=2"];
    let long = design(&[4, 6], &settings);
    let difference = diff(&DiffSubject::of(&short), &DiffSubject::of(&long));
    assert!(difference.classes.iter().all(|class| class.change == Change::Equal), "{difference}");
    assert!(!difference.is_empty());
}

/// Every fault in a reduction shows as a difference, and nothing else does.
#[test]
fn every_mutant_of_a_reduction_differs_from_it() {
    let right = design(&[4, 5], &["scheme=optimal", "collective=reduce-scatter", "operation=sum"]);
    let subject = DiffSubject::of(&right);
    assert!(diff(&subject, &subject).is_empty());
    let wrong = [wrong_operands, wrong_orders, wrong_results].map(|mutants| mutants(&right.program));
    for (what, program) in wrong.iter().flatten() {
        let difference = diff(&subject, &DiffSubject { program, ..subject.clone() });
        // an entry may be the same as the next but one
        assert_eq!(difference.is_empty(), *program == right.program, "{what}");
    }
    let product = design(&[4, 5], &["scheme=optimal", "collective=reduce-scatter", "operation=max"]);
    let difference = diff(&subject, &DiffSubject::of(&product));
    assert!(!difference.is_empty() && difference.to_string().contains("~ operation sum -> max"), "{difference}");
}

/// The program, and what its class injects at one output.
fn injecting(program: &Program, class: usize, inject: Option<u32>) -> Program {
    let mut other = program.clone();
    other.classes[class].outputs[LEFT.index()].inject = inject;
    other
}

/// The one class that differs, as it is told, head and all.
fn told(from: &Program, to: &Program) -> (Difference, String) {
    let difference = diff(&DiffSubject::of_program(from), &DiffSubject::of_program(to));
    assert!(!difference.is_empty() && difference.nodes_that_change != Some(0), "{difference}");
    let lines = difference.to_string();
    let changed = lines.lines().skip_while(|line| !line.starts_with("classes: ")).take_while(|line| !line.is_empty());
    let changed = changed.filter(|line| line.starts_with('~')).collect::<Vec<_>>().join("\n");
    (difference, changed)
}

#[test]
fn another_packet_in_the_window_or_none_is_told() {
    let gather = design_on(ShapeName::Path, &[5], &["collective=gather", "scheme=fdf", "root=0"]).program;
    let silent = injecting(&gather, 1, None);
    let head = "~ class b, 3 nodes: x1- <- x1+\n";
    let (difference, said) = told(&gather, &silent);
    assert_eq!(said, format!("{head}~   output x1-: injects own 0 -> nothing in the node's window"));
    assert_eq!(difference.nodes_that_change, Some(3));
    let changed = serde_json::to_value(&difference.classes[1].outputs[0].changes).unwrap();
    assert_eq!(changed, json!([{ "kind": "inject", "from": 0, "to": null }]));
    let said = told(&silent, &gather).1;
    assert_eq!(said, format!("{head}~   output x1-: injects nothing -> own 0 in the node's window"));

    let both = both_ways();
    let class = both.class_of[1].index();
    let mut other = injecting(&both, class, Some(1));
    other.classes[class].outputs[LEFT.index()].runs = vec![run(late(1, 1), both.ticks)];
    let said = told(&both, &other).1;
    let injected = "~   output x1-: injects own 0 -> own 1 in the node's window, idle -> x1+";
    assert!(said.ends_with(injected), "{said}");
}

/// Parts of an all-reduce have no windows of their own.
#[test]
fn injections_of_an_all_reduce_are_reported_for_the_whole() {
    let reduce = design(&[3, 4], &["collective=all-reduce", "operation=sum"]).program;
    let reduce = Program { windows: vec![Window { first: 1, ticks: 1 }; 12], ..reduce };
    let said = told(&reduce, &injecting(&reduce, 0, Some(0))).1;
    assert!(said.contains(": injects nothing -> own 0 in the node's window"), "{said}");
}

/// Source of an output in each tick, with the offset of own packets; its injected packet and window.
type Sent = (Vec<(Source, Option<u32>)>, Option<u32>, Option<Window>);

/// Any of one input is that input, as it came.
fn plain(source: Source) -> Source {
    match source {
        Source::Any { ports } if ports.iter().count() == 1 => Source::input(ports.iter().next().unwrap(), 1),
        other => other,
    }
}

/// Sources of every output of every node.
fn played(program: &Program) -> Vec<Sent> {
    let mut played = Vec::new();
    for (node, class) in program.class_of.iter().enumerate() {
        for track in &program.classes[class.index()].outputs {
            let in_ticks = |Span { first, last, source }| {
                let source = plain(source);
                (first..=last).map(move |tick| (source, matches!(source, Source::Own { .. }).then_some(tick - first)))
            };
            let window = track.inject.and_then(|_| program.windows.get(node).copied());
            played.push((track.spans(program.ticks).flat_map(in_ticks).collect(), track.inject, window));
        }
    }
    played
}

/// Some output: its class, and which of its outputs.
fn output(program: &Program, chance: &mut Chance) -> (usize, usize) {
    (chance.below(program.classes.len() as u32) as usize, chance.below(program.outputs() as u32) as usize)
}

/// Some run of a track in two: where it sends own packets it begins anew.
fn split(track: &mut Track, chance: &mut Chance) {
    let at = chance.below(track.runs.len() as u32) as usize;
    let Run { source, ticks } = track.runs[at];
    if ticks > 1 {
        let first = 1 + chance.below(ticks - 1);
        track.runs[at].ticks = first;
        track.runs.insert(at + 1, Run { source, ticks: ticks - first });
        track.repeat_from = track.repeat_from.map(|from| from + usize::from(from > at));
    }
}

/// A tick from one run to the one before it, which sends the same: where they are split is all that differs.
fn nudge(track: &mut Track, chance: &mut Chance) {
    let from = track.repeat_from;
    let is_one = |at: &usize| {
        let [run, next] = [track.runs[*at], track.runs[at + 1]];
        run.source == next.source && next.ticks > 1 && from != Some(at + 1)
    };
    let places: Vec<usize> = (0..track.runs.len() - 1).filter(is_one).collect();
    if !places.is_empty() {
        let at = chance.of(&places);
        track.runs[at].ticks += 1;
        track.runs[at + 1].ticks -= 1;
    }
}

/// Programs that behave differently are never reported equal, however their runs are written; equal programs are.
#[test]
fn programs_that_behave_differently_are_never_equal() {
    let mut chance = Chance(7);
    let [mut alike, mut damaged_ones, mut nudged] = [0; 3];
    for program in programs() {
        for _ in 0..100 {
            let mut one = program.clone();
            let (class, output) = output(&one, &mut chance);
            // few runs and tables
            for _ in 0..chance.below(16) {
                split(&mut one.classes[class].outputs[output], &mut chance);
            }
            let mut two = one.clone();
            let is_nudged = chance.once_in(2);
            if is_nudged {
                nudge(&mut two.classes[class].outputs[output], &mut chance);
            } else {
                two = damaged(&two, &mut chance);
            }
            let is_empty = diff(&DiffSubject::of_program(&one), &DiffSubject::of_program(&two)).is_empty();
            let is_alike = played(&one) == played(&two);
            assert!(is_alike || !is_empty, "{}: {:?} and {:?}", program.title.name, one.classes, two.classes);
            *if is_alike {
                &mut alike
            } else if is_nudged {
                &mut nudged
            } else {
                &mut damaged_ones
            } += 1;
            assert!(diff(&DiffSubject::of_program(&one), &DiffSubject::of_program(&one)).is_empty());
        }
    }
    assert!(alike > 500 && damaged_ones > 500 && nudged > 30, "{alike}, {damaged_ones} and {nudged}");
}
