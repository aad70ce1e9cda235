//! The structural certificate says what execution says of whatever it follows, to the last figure, and follows most of it.

use std::collections::BTreeMap;

use torusweave::check::{CheckReport, Method, Violation, by_execution, by_structure};
use torusweave::net::{ShapeName, Topology};
use torusweave::paths::supply::Switching;
use torusweave::program::{Class, ClassId, Duplex, Link, Program, Run, Source, Track};
use torusweave::schemes::{SCHEMES, SchemeName};
use torusweave::task::{Choice, Task};

use crate::figures::DESIGNS;
use crate::fixtures::chance::Chance;
use crate::fixtures::damage::damaged;
use crate::fixtures::designs::{IDLE, OWN, design_on, late, run};

/// Gossips of every scheme in every way of switching, on tori on which different things happen, and on a mesh; by name.
fn programs() -> Vec<(String, Program)> {
    let tori = [&[4, 4][..], &[4, 6], &[2, 5], &[5, 2], &[3, 2], &[5, 4], &[6, 3], &[3, 5], &[5, 7], &[3, 3, 4], &[6]];
    let tori = tori
        .map(|dims| Topology::new(if dims.len() == 1 { ShapeName::Cycle } else { ShapeName::Torus }, dims).unwrap());
    let mut programs = BTreeMap::new();
    for topology in tori.iter().chain([&Topology::new(ShapeName::Mesh, &[4, 3]).unwrap()]) {
        for (&scheme, switching) in
            SCHEMES.iter().filter(|it| !it.stands_in()).flat_map(|scheme| Switching::ALL.map(|way| (scheme, way)))
        {
            let choice = Choice { switching, ..Choice::default() };
            let task = Task { topology, link: Link::default(), choice };
            if let Ok(built) = SchemeName::from(scheme).build(&task, "any") {
                let program = built.program;
                let key = (
                    topology.to_string(),
                    program.classes.clone(),
                    program.class_of.iter().copied().collect::<Vec<_>>(),
                );
                programs.entry(key).or_insert((format!("{scheme} {topology} {switching}"), program));
            }
        }
    }
    programs.into_values().collect()
}

/// Violations at the links and in the knowledge of the first node, which stands for all where nodes are alike.
fn at_first(violations: &[Violation]) -> Vec<String> {
    let is_first = |it: &&Violation| {
        let node = match it {
            Violation::Missing { node, .. } | Violation::BothWays { node, .. } => node,
            Violation::NoSilence { neighbour, .. } | Violation::Backwards { neighbour, .. } => neighbour,
            _ => panic!("{it:?}"),
        };
        node.iter().all(|&x| x == 0)
    };
    let mut said: Vec<String> = violations.iter().filter(is_first).map(ToString::to_string).collect();
    said.sort();
    said
}

/// Returns true if the certificate follows a program; if so, it agrees with execution.
fn is_followed(what: &str, program: &Program) -> bool {
    let (executed, certified) = (by_execution(program), by_structure(program));
    // malformed programs are not executed
    if certified.is_undecided() || executed.duplicates.is_none() {
        return false;
    }
    let executed = CheckReport { method: Method::Structure, ..executed };
    if program.classes.len() > 1 {
        assert_eq!(certified, CheckReport { duplicates: None, traffic: None, ..executed }, "{what}");
    } else {
        let told = |report: CheckReport| CheckReport { violations: Vec::new(), ..report };
        let (all, said) = (at_first(&executed.violations), at_first(&certified.violations));
        if program.flits == 1 {
            assert_eq!(said, all, "{what}");
        }
        // the first tick of a wrong step is named
        assert!(said.iter().all(|it| all.contains(it)) && said.is_empty() == all.is_empty(), "{what}: {said:?}");
        assert_eq!(certified.violations.len(), said.len(), "{what}");
        assert_eq!(told(certified), told(executed), "{what}");
    }
    true
}

/// The program with every output going on for so many ticks more, or stopping so many earlier.
fn lasting(program: &Program, more: i32) -> Program {
    let mut program = program.clone();
    program.ticks = program.ticks.checked_add_signed(more).unwrap();
    for track in program.classes.iter_mut().flat_map(|class| &mut class.outputs).filter(|it| it.repeat_from.is_none()) {
        if more > 0 {
            track.runs.last_mut().unwrap().ticks += more.unsigned_abs();
        } else {
            let spans = track.spans(program.ticks);
            track.runs = spans.map(|span| Run { source: span.source, ticks: span.last - span.first + 1 }).collect();
        }
    }
    program
}

/// Copies a program with every source changed.
fn with_sources(program: &Program, change: impl Fn(usize, &Run) -> Source) -> Program {
    let mut program = program.clone();
    for track in program.classes.iter_mut().flat_map(|class| &mut class.outputs) {
        for (index, run) in track.runs.iter_mut().enumerate() {
            run.source = change(index, run);
        }
    }
    program
}

#[test]
fn longer_programs_complete_at_the_same_tick_and_shorter_ones_lack_the_same_packets() {
    for (name, program) in programs() {
        assert!(is_followed(&name, &program), "{name}");
        let complete_at = by_structure(&program).complete_at;
        for more in [1, 2, 5, -1, -2, -3, -(program.ticks as i32 / 2)] {
            if program.ticks.checked_add_signed(more).is_none_or(|ticks| ticks == 0) {
                continue;
            }
            let mutant = lasting(&program, more);
            let followed = is_followed(&format!("{name} {more:+} ticks"), &mutant);
            assert!(more <= 0 || !followed || by_structure(&mutant).complete_at == complete_at, "{name} {more:+}");
        }
    }
}

/// One thread looks at 256 nodes before it takes the next.
#[test]
fn more_nodes_than_a_thread_looks_at_are_executed_alike() {
    let program = design_on(ShapeName::Torus, &[17, 18], &["scheme=zigzag", "switching=memory"]).program;
    assert!(is_followed("17x18", &program));
}

#[test]
fn links_that_turn_and_packets_of_several_flits_are_followed_where_all_nodes_are_alike() {
    let mut followed = 0;
    for (shape, sides, settings) in DESIGNS {
        let program = design_on(shape, sides, settings).program;
        followed += u32::from(is_followed(&format!("{sides:?} {settings:?}"), &program));
        for duplex in [Duplex::Half, Duplex::Pads, Duplex::OneWay] {
            let other = Program { duplex, ..program.clone() };
            followed += u32::from(is_followed(&format!("{sides:?} {settings:?} {duplex}"), &other));
        }
    }
    assert!(followed > 20, "{followed}");
}

/// A duplicate packet counts once per flit.
#[test]
fn duplicates_of_packets_are_counted_in_flits() {
    for (shape, sides) in [(ShapeName::Cycle, &[5][..]), (ShapeName::Cycle, &[6]), (ShapeName::Torus, &[3, 3])] {
        let settings = if shape == ShapeName::Cycle { "scheme=hamiltonian" } else { "scheme=optimal" };
        let packets = lasting(&design_on(shape, sides, &[settings]).program, 1);
        let of_packets = by_structure(&packets).duplicates.unwrap();
        assert!(of_packets > 0, "{sides:?}");
        for flits in [2, 3, 7] {
            let stretched = packets.stretched(flits).unwrap();
            let what = format!("{sides:?}, {flits} flits");
            assert!(is_followed(&what, &stretched), "{what}");
            assert_eq!(by_structure(&stretched).duplicates, Some(of_packets * u64::from(flits)), "{what}");
        }
    }
}

/// The program with the last ticks of some outputs silent, which are named by class and output.
fn silent_at_last(program: &Program, ticks: u32, is_meant: impl Fn(usize, usize) -> bool) -> Program {
    let mut mutant = program.clone();
    for (class, of_class) in mutant.classes.iter_mut().enumerate() {
        for (_, track) in of_class.outputs.iter_mut().enumerate().filter(|&(output, _)| is_meant(class, output)) {
            let spans = track.spans(program.ticks - ticks);
            let kept = spans.map(|span| run(span.source, span.last - span.first + 1));
            *track = Track { runs: kept.chain([run(IDLE, ticks)]).collect(), ..Track::default() };
        }
    }
    mutant
}

/// The outputs of a program, by class; of very many some.
fn outputs(program: &Program) -> impl Iterator<Item = (usize, usize)> + use<> {
    let outputs = program.outputs();
    let all = program.classes.len() * outputs;
    (0..all).step_by(all.div_ceil(40)).map(move |at| (at / outputs, at % outputs))
}

/// Outputs fall silent in the last ticks: packets may be missing, and no flit is counted.
#[test]
fn outputs_that_fall_silent_at_last_are_followed() {
    for (name, program) in programs().into_iter().filter(|(_, program)| program.ticks > 3) {
        for (more, ticks) in [(0, 1), (0, 2), (1, 1), (1, 2)] {
            let program = lasting(&program, more);
            let what = format!("{name}, {more} ticks more, {ticks} silent");
            is_followed(&what, &silent_at_last(&program, ticks, |_, _| true));
            for class in 0..program.classes.len().min(6) {
                is_followed(&format!("{what} in class {class}"), &silent_at_last(&program, ticks, |at, _| at == class));
            }
            for (class, output) in outputs(&program).filter(|_| ticks == 1) {
                let mutant = silent_at_last(&program, ticks, |at, of| (at, of) == (class, output));
                is_followed(&format!("{what} at {output} of class {class}"), &mutant);
            }
        }
    }
}

/// Classes are names: one that no node has changes nothing, whatever it does, nor do two for nodes that are alike.
#[test]
fn classes_that_are_not_needed_change_nothing() {
    for (name, program) in programs().into_iter().filter(|(_, program)| program.ticks > 1) {
        let with = |class: Class| {
            let mut unused = program.clone();
            unused.classes.push(class);
            unused
        };
        let silent = silent_at_last(&program, 1, |_, _| true);
        for (index, class) in silent.classes.iter().enumerate().take(6) {
            is_followed(&format!("{name}, and class {index} with a silent tick"), &with(class.clone()));
        }
        for (class, output) in outputs(&program) {
            let mut of_class = program.classes[class].clone();
            of_class.outputs[output] = Track { runs: vec![run(IDLE, program.ticks)], ..Track::default() };
            is_followed(&format!("{name}, and class {class} without output {output}"), &with(of_class));
        }
        let mut split = program.clone();
        let more = program.classes.len() as u32;
        split.classes.extend(program.classes.clone());
        for node in program.topology.node_ids().filter(|node| node.0 % 3 == 1) {
            split.class_of.set(node, ClassId(program.class_of[node.index()].0 + more));
        }
        is_followed(&format!("{name}, with two classes for one"), &split);
    }
}

/// A read from before the first tick returns nothing.
#[test]
fn reads_from_before_the_first_tick_return_nothing() {
    for (name, program) in programs() {
        let right = by_structure(&program);
        for (port, more) in [(0, 0), (1, 0), (program.topology.ports() - 1, 3)] {
            let read = |index, run: &Run| match run.source {
                Source::Idle if index == 0 => late(port, run.ticks + more),
                source => source,
            };
            let mutant = with_sources(&program, read);
            let what = format!("{name}: port {port}, {more} ticks more");
            if mutant != program && is_followed(&what, &mutant) {
                assert_eq!(by_structure(&mutant), right, "{what}");
            }
        }
    }
}

/// Longer delays everywhere: a stream must not arrive after a later one.
#[test]
fn streams_that_wait_longer_than_own_packets_last_are_not_passed() {
    for (name, program) in programs() {
        let later = with_sources(&program, |_, run| match run.source {
            Source::In { port, lane, age } => Source::In { port, lane, age: age + 1 },
            source => source,
        });
        for more in [0, 1, 8] {
            is_followed(&format!("{name} waiting, {more} ticks more"), &lasting(&later, more));
        }
    }
}

#[test]
fn damaged_programs_get_the_same_report_or_none() {
    let mut chance = Chance(5);
    let (mut tried, mut followed) = (0, 0);
    for (name, program) in programs() {
        for (more, program) in [0, 1].map(|more| (more, lasting(&program, more))) {
            for time in 0..20 {
                let mutant = damaged(&program, &mut chance);
                followed += u32::from(is_followed(&format!("{name}, {more} ticks more, damage {time}"), &mutant));
                tried += 1;
            }
        }
    }
    assert!(followed * 3 > tried, "{followed} of {tried}");
}

/// The two cycles of a plane made one that passes every node twice, at one node of which the ways are crossed.
#[test]
fn two_cycles_joined_into_one_are_not_taken_for_two() {
    let mut tried = 0;
    let larger = [[6, 4], [6, 6], [8, 4], [4, 8]].map(|sides| {
        let program = design_on(ShapeName::Torus, &sides, &["scheme=staircase"]).program;
        (format!("staircase {sides:?}"), program)
    });
    for (name, program) in programs().into_iter().chain(larger) {
        let Some(pairs) = pairs(&program) else { continue };
        for node in program.topology.node_ids() {
            let [[a, b], [c, d]] = pairs[program.class_of[node.index()].index()];
            for joined in [[[a, c], [b, d]], [[a, d], [b, c]]] {
                let mut outputs = vec![Track::default(); 4];
                for (packet, [one, other]) in (0..).zip(joined) {
                    for (to, from) in [(one, other), (other, one)] {
                        let runs = vec![run(Source::own(packet), 1), run(late(from, 1), program.ticks - 1)];
                        outputs[to] = Track { runs, ..Track::default() };
                    }
                }
                let mut mutant = program.clone();
                mutant.class_of.set(node, ClassId(program.classes.len() as u32));
                mutant.classes.push(Class { outputs });
                is_followed(&format!("{name} joined at {node:?}"), &mutant);
                tried += 1;
            }
        }
    }
    assert!(tried > 50, "{tried}");
}

/// Pairs of ports that cycles join, by class; `None` if a class has anything else.
fn pairs(program: &Program) -> Option<Vec<[[usize; 2]; 2]>> {
    let of_class = |class: &Class| {
        let from = |track: &Track| match track.runs[..] {
            [
                Run { source: OWN | Source::Own { packet: 1, .. }, ticks: 1 },
                Run { source: Source::In { port, age: 1, .. }, .. },
            ] => Some(port.index()),
            _ => None,
        };
        let from: Vec<usize> = class.outputs.iter().map(from).collect::<Option<_>>()?;
        let others: Vec<usize> = (1..4).filter(|&port| port != from[0]).collect();
        (from.len() == 4).then(|| [[0, from[0]], [others[0], others[1]]])
    };
    program.classes.iter().map(of_class).collect()
}
