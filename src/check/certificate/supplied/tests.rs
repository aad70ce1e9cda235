//! Comparison with the model: nodes have seen what windows say, and those that stand for others have seen as much as they.

use std::collections::{BTreeSet, HashMap};

use super::*;
use crate::net::Torus;
use crate::paths::supply::Switching;
use crate::play::Machine;
use crate::program::Link;
use crate::schemes::{SchemeName, hamiltonian::Hamiltonian, staircase::Staircase, zigzag::Zigzag};
use crate::task::{Choice, Task};

fn woven(sides: &[u32], scheme: impl Into<SchemeName>, switching: Switching) -> Option<Program> {
    let torus = Torus::new(sides).unwrap();
    let task = Task { topology: &torus, link: Link::default(), choice: Choice { switching, ..Choice::default() } };
    scheme.into().build(&task, "any").ok().map(|built| built.program)
}

/// Inputs of [`Supplied`], kept for the tests.
struct Parts {
    spans: OutputSpans,
    slots: Slots,
    places: Places,
}

impl Parts {
    /// Walks the cycles of a program; `None` if they have no slots.
    fn of(program: &Program) -> Option<Self> {
        let spans = OutputSpans::new(program);
        let slots = Slots::of(program, &spans)?;
        let places = Places::walk(program, &slots).unwrap();
        Some(Self { spans, slots, places })
    }

    fn supplied<'a>(&'a self, program: &'a Program) -> Supplied<'a> {
        Supplied { program, spans: &self.spans, slots: &self.slots, places: &self.places }
    }
}

/// Packets that every node knows after some ticks according to the model.
fn known(program: &Program, ticks: u32) -> BTreeSet<(NodeId, u32)> {
    let own = |node| program.demand.flits_of(node).map(move |flit| (node, flit as u32));
    let mut known: BTreeSet<_> = program.topology.node_ids().flat_map(own).collect();
    let mut machine = Machine::new(program);
    for _ in 0..ticks {
        machine.step();
        known.extend(machine.arrivals().map(|(node, _, flit)| (node, flit.0)));
    }
    known
}

/// The packet at a coordinate of a cycle.
fn packet(supplied: &Supplied<'_>, cycle: usize, coordinate: u32) -> u32 {
    let Supplied { program, slots, places, .. } = supplied;
    let (node, slot, place) = places.resident(program, slots, cycle, coordinate).unwrap();
    let PortSlot { age, own, .. } = &slots.of_class(program.class_of[node.index()].index())[slot];
    let length = i64::from(places.lengths[cycle]);
    let at = (i64::from(coordinate) - place.first).rem_euclid(length) as u32;
    program.demand.flits_of(node).start as u32 + own[if place.is_forward { at } else { age - 1 - at } as usize]
}

#[test]
fn unseen_packets_are_missing_in_the_model_unless_another_cycle_brings_them() {
    let (mut lacking, mut elsewhere) = (0, 0);
    let designs = [&[4, 6][..], &[6, 4], &[3, 5], &[7, 7], &[3, 3, 4]].map(|sides| (sides, SchemeName::from(&Zigzag)));
    // with nodes that have two places on one cycle
    for (sides, scheme) in designs.into_iter().chain([(&[4, 5][..], SchemeName::from(&Staircase))]) {
        for program in Switching::ALL.iter().filter_map(|&switching| woven(sides, scheme, switching)) {
            let Some(parts) = Parts::of(&program) else { continue };
            let (supplied, Parts { places, .. }) = (parts.supplied(&program), &parts);
            let packets: Vec<Vec<u32>> = (0..places.lengths.len())
                .map(|cycle| (0..places.lengths[cycle]).map(|at| packet(&supplied, cycle, at)).collect())
                .collect();
            for tick in (1..=program.ticks).rev().step_by(3) {
                let (known, outputs) = (known(&program, tick), supplied.outputs(tick));
                for node in program.topology.node_ids() {
                    let seen = supplied.look(node, tick, &outputs).unwrap();
                    let mut expected = Vec::new();
                    for (cycle, windows) in seen.iter().enumerate() {
                        for_each_gap(windows, places.lengths[cycle], |gap| {
                            expected.push(!known.contains(&(node, packets[cycle][gap as usize])));
                        });
                    }
                    let found: Vec<bool> = supplied.unseen(node, tick, &outputs).collect();
                    assert_eq!(found, expected, "{sides:?}, {node:?} after tick {tick} of {}", program.ticks);
                    lacking += found.iter().filter(|&&is_lacking| is_lacking).count();
                    elsewhere += found.iter().filter(|&&is_lacking| !is_lacking).count();
                }
            }
        }
    }
    assert!(lacking > 1000 && elsewhere > 100, "{lacking} {elsewhere}");
}

/// Here every node lies on every cycle, so that nothing but the count of coordinates tells.
#[test]
fn cycles_through_all_nodes_that_are_cut_short_are_not_certified() {
    let program = woven(&[5, 5], &Hamiltonian, Switching::None).unwrap();
    let is_certified = |program: &Program| certify(program, &OutputSpans::new(program)).is_some();
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
            let Some(parts) = Parts::of(&program) else { continue };
            let (supplied, Parts { slots, places, .. }) = (parts.supplied(&program), &parts);
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
