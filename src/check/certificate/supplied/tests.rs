//! What nodes have seen by windows is what the model says, and of nodes of which only one is looked at all have seen as much.

use std::collections::HashMap;

use super::*;
use crate::net::Torus;
use crate::paths::supply::Switching;
use crate::play::{Knowledge, Machine};
use crate::program::Link;
use crate::schemes::{Choice, Pick, Task, hamiltonian::Hamiltonian, zigzag::Zigzag};

fn woven(sides: &[u32], scheme: impl Into<Pick>, switching: Switching) -> Option<Program> {
    let torus = Torus::new(sides).unwrap();
    let task = Task { topology: &torus, link: Link::default(), choice: Choice { switching, ..Choice::default() } };
    scheme.into().build(&task, "any").ok().map(|built| built.program)
}

/// The nodes that do not know everything after so many ticks, as the model says.
fn incomplete(program: &Program, ticks: u32) -> Vec<NodeId> {
    let (mut machine, mut knowledge) = (Machine::new(program), Knowledge::new(program));
    for _ in 0..ticks {
        machine.step();
        machine.arrivals().for_each(|(node, _, flit)| _ = knowledge.learn(node, flit));
    }
    knowledge.incomplete().collect()
}

#[test]
fn who_lacks_something_after_a_tick_lacks_it_in_the_model() {
    let mut lacking = 0;
    for sides in [&[4, 6][..], &[6, 4], &[3, 5], &[7, 7], &[3, 3, 4], &[4, 4, 6]] {
        for program in Switching::ALL.iter().filter_map(|&switching| woven(sides, &Zigzag, switching)) {
            let spans = Spans::new(&program);
            let Some(slots) = Slots::of(&program, &spans) else { continue };
            let places = Places::walk(&program, &slots).unwrap();
            let supplied = Supplied { program: &program, spans: &spans, slots: &slots, places: &places };
            for tick in program.ticks - 3..=program.ticks {
                let outputs = supplied.outputs(tick);
                let lacks = |&node: &NodeId| supplied.unseen(node, tick, &outputs).any(|is_lacking| is_lacking);
                let found: Vec<NodeId> = program.topology.node_ids().filter(lacks).collect();
                assert_eq!(found, incomplete(&program, tick), "{sides:?}, tick {tick} of {}", program.ticks);
                lacking += found.len();
            }
        }
    }
    assert!(lacking > 100, "{lacking}");
}

/// Here every node lies on every cycle, so that nothing but the count of coordinates tells.
#[test]
fn cycles_through_all_nodes_that_are_cut_short_are_not_certified() {
    let program = woven(&[5, 5], &Hamiltonian, Switching::None).unwrap();
    let is_certified = |program: &Program| certify(program, &Spans::new(program)).is_some();
    assert!(is_certified(&program));
    for ticks in 2..program.ticks {
        assert!(!is_certified(&Program { ticks, ..program.clone() }), "{ticks}");
    }
}

#[test]
fn nodes_that_look_alike_lack_as_much_of_every_cycle() {
    let (mut views, mut compared) = (0, 0);
    for sides in [&[4, 6][..], &[3, 5], &[9, 14], &[9, 9, 8]] {
        for switching in Switching::ALL {
            let Some(program) = woven(sides, &Zigzag, switching) else { continue };
            let spans = Spans::new(&program);
            let Some(slots) = Slots::of(&program, &spans) else { continue };
            let places = Places::walk(&program, &slots).unwrap();
            let supplied = Supplied { program: &program, spans: &spans, slots: &slots, places: &places };
            for last in [program.ticks, program.ticks / 2] {
                let outputs = supplied.outputs(last);
                let mut alike: HashMap<Vec<u64>, Vec<usize>> = HashMap::new();
                let nodes = program.topology.nodes();
                program.topology.sweep(0..nodes, |node, neighbours| {
                    let class = program.class_of[node.index()].index();
                    let cycles = (0..slots.of_class(class).len()).map(|slot| places.at(node, slot).cycle);
                    let passed = cycles.fold(0u128, |passed, cycle| passed | 1 << cycle);
                    let Some(view) = supplied.view(class, passed, neighbours, &outputs) else { return };
                    let mut lacking = vec![0; places.lengths.len()];
                    for (cycle, windows) in supplied.look(node, last, &outputs).unwrap().iter().enumerate() {
                        for_each_gap(windows, places.lengths[cycle], |_| {
                            lacking[cycle] += usize::from(passed >> cycle & 1 == 0);
                        });
                    }
                    let same = alike.entry(view).or_insert_with(|| lacking.clone());
                    assert_eq!(*same, lacking, "{sides:?} {switching}: {node:?} after tick {last}");
                    compared += 1;
                });
                views += alike.len();
            }
        }
    }
    assert!(views > 100 && views * 4 < compared, "{compared} nodes have {views} views");
}
