//! Differences of designs that are known to be alike, and of one thing changed at a time.

use super::*;
use crate::emit::Options;
use crate::net::{NodeId, Torus};
use crate::paths::supply::Switching;
use crate::program::{ClassId, Demand, Run, Source, Title, Track};
use crate::schemes::{optimal, staircase, zigzag};

fn program(dims: &[u32], switching: Switching) -> Program {
    zigzag::program(&Torus::new(dims).unwrap(), switching, Title::new("t", "zigzag")).unwrap()
}

fn subject(program: &Program) -> DiffSubject<'_> {
    let options = Options::plain(8, "tests");
    let choices = Choices { options, settings: Vec::new(), found: None };
    DiffSubject { program, cover: None, bound: 1, choices: Some(choices) }
}

fn compare(from: &Program, to: &Program) -> Difference {
    diff(&subject(from), &subject(to))
}

fn changes(difference: &Difference) -> Vec<String> {
    let classes = difference.classes.iter().flat_map(|class| &class.outputs);
    classes.flat_map(|output| &output.changes).map(ToString::to_string).collect()
}

#[test]
fn a_design_differs_from_itself_in_nothing() {
    for switching in Switching::ALL {
        let program = program(&[8, 6], switching);
        let mut renamed = program.clone();
        renamed.title.name = "another".into();
        let difference = compare(&program, &renamed);
        assert!(difference.is_empty(), "{difference}");
        assert!(difference.rtl.iter().all(|file| file.equal != file.from.as_deref().unwrap().ends_with("t.v")));
    }
}

#[test]
fn letters_do_not_matter() {
    let program =
        staircase::program(&Torus::new(&[6, 7]).unwrap(), Switching::Memory, Title::new("t", "zigzag")).unwrap();
    let mut turned = program.clone();
    turned.classes.rotate_right(1);
    let classes = program.classes.len() as u32;
    turned.class_of = program.class_of.iter().map(|class| ClassId((class.0 + 1) % classes)).collect();
    let difference = compare(&program, &turned);
    assert!(difference.is_empty(), "{difference}");
    assert!(difference.to_string().contains("class a -> b, "), "{difference}");
}

#[test]
fn a_switch_one_tick_later_is_found_and_named() {
    let program = program(&[8, 6], Switching::Memory);
    let mut late = program.clone();
    let runs = &mut late.classes[1].outputs[0].runs;
    runs[1].ticks += 1;
    runs[2].ticks -= 1;
    let difference = compare(&program, &late);
    assert_eq!(changes(&difference), ["switches to R after 8 -> 9 ticks"]);
    assert_eq!(difference.nodes_that_change, Some(32));
    assert!(!difference.is_empty());
}

#[test]
fn another_age_and_another_source_are_found_and_named() {
    let program = program(&[8, 6], Switching::Memory);
    let change = |source: Source| {
        let mut other = program.clone();
        other.classes[1].outputs[0].runs[2].source = source;
        changes(&compare(&program, &other))
    };
    let [left, right] = [2, 3].map(crate::net::Port::from_index);
    assert_eq!(change(Source::input(right, 5)), ["delay of R 7 -> 4"]);
    let expected =
        "own 0, L from tick 2, R 7 ticks late from tick 9 -> own 0, L from tick 2, L 7 ticks late from tick 9";
    assert_eq!(change(Source::input(left, 8)), [expected]);
}

#[test]
fn one_node_in_another_class_breaks_the_rule_of_the_map() {
    let program = program(&[8, 6], Switching::None);
    let mut other = program.clone();
    other.class_of.set(NodeId(0), ClassId(1));
    let difference = compare(&program, &other);
    assert_eq!(difference.nodes_that_change, Some(1));
    assert!(difference.classes.iter().all(|class| class.change == Change::Equal && !class.same_nodes));
    assert!(!difference.is_empty());
}

#[test]
fn longer_packets_are_compared_in_steps() {
    let program = program(&[8, 6], Switching::Memory);
    let difference = compare(&program, &program.stretched(3).unwrap());
    assert!(difference.classes.iter().all(|class| class.change == Change::Equal), "{difference}");
    assert!(!difference.is_empty());
}

#[test]
fn another_number_of_axes_has_no_class_in_common() {
    let difference = compare(&program(&[8, 6], Switching::None), &program(&[3, 3, 4], Switching::None));
    let alone = |class: &ClassDifference| class.from.is_none() || class.to.is_none();
    assert!(difference.classes.iter().all(alone), "{difference}");
}

#[test]
fn tables_name_the_first_tick_that_differs() {
    let torus = Torus::new(&[8, 8]).unwrap();
    let program = optimal::program(&torus, optimal::StoreMode::default(), Title::new("t", "zigzag")).unwrap();
    let mut other = program.clone();
    let track = other.classes[0].outputs.iter_mut().max_by_key(|track| track.runs.len()).unwrap();
    let before: u32 = track.runs[..5].iter().map(|run| run.ticks).sum();
    track.runs[5].source = Source::Idle;
    let runs = track.runs.len();
    assert_eq!(
        changes(&compare(&program, &other)),
        [format!("table of {runs} -> {runs} runs, different from tick {} on", before + 1)]
    );
}

/// Nobody walks through billions of ticks, or of short rounds.
#[test]
fn runs_of_billions_of_ticks_are_compared_by_their_ends() {
    let (own, idle) = (Source::own(0), Source::Idle);
    let program = |runs: &[(Source, u32)], repeat_from| {
        let torus = Torus::new(&[3, 3]).unwrap();
        let runs = runs.iter().map(|&(source, ticks)| Run { source, ticks }).collect();
        let outputs = vec![Track { runs, repeat_from, inject: None }; 4];
        Program::uniform(&torus, u32::MAX, Demand::gossip(&torus, 1), outputs, Title::new("t", "by hand"))
    };
    let change = |from: &Program, to: &Program| {
        let difference = diff(&DiffSubject::of_program(from), &DiffSubject::of_program(to));
        let changes = changes(&difference);
        assert!(changes.iter().all(|change| *change == changes[0]), "{difference}");
        changes.into_iter().next()
    };
    let billions = 3_000_000_000;
    let one = program(&[(own, 1), (idle, billions)], Some(0));
    let two = program(&[(own, 1), (idle, billions - 7), (idle, 7)], Some(0));
    let said = "over and over own 0 for 1, idle for 3000000000 -> \
                over and over own 0 for 1, idle for 2999999993, idle for 7";
    assert_eq!(change(&one, &two).as_deref(), Some(said), "in other runs");
    let whole = program(&[(idle, u32::MAX)], None);
    let short = program(&[(idle, 1), (idle, 1)], Some(0));
    assert_eq!(change(&whole, &short).as_deref(), Some("idle -> over and over idle for 1, idle for 1"));
    assert_eq!(change(&whole, &whole), None);
    let table = |sent: Source| {
        let silent =
            [(idle, billions), (sent, 1)].into_iter().chain([own, idle].repeat(3).into_iter().map(|it| (it, 1)));
        program(&silent.collect::<Vec<_>>(), Some(0))
    };
    let said = "table of 8 -> 8 runs, different from tick 3000000001 on";
    assert_eq!(change(&table(own), &table(idle)).as_deref(), Some(said));
    assert_eq!(change(&table(own), &table(own)), None);
    let split = |first: u32| {
        let runs = [(idle, 1), (own, first), (own, 8 - first), (idle, 1), (own, 1), (idle, 1), (own, 1)];
        program(&runs, Some(0))
    };
    let said = "table of 7 -> 7 runs, different from tick 5 on";
    assert_eq!(change(&split(3), &split(4)).as_deref(), Some(said), "a run of its own packets begins with the first");
    assert_eq!(change(&split(4), &split(4)), None);
}
