//! Programs with one fault in their supply, every one of which execution must show; covers that cannot be supplied.

use super::*;
use crate::net::Torus;
use crate::paths::cover::Walk;
use crate::play::steps_to_complete;
use crate::program::{ClassId, Track};
use crate::schemes::{staircase, zigzag};

/// The output that drives a feed's last link.
fn sender(program: &Program, node: NodeId, feed: Feed) -> (ClassId, Port) {
    (program.class_of[program.topology.neighbour(node, feed.port).unwrap().index()], feed.port.opposite())
}

/// The program with one output of one class changed.
fn with_output(program: &Program, (class, port): (ClassId, Port), change: impl Fn(&mut Track)) -> Program {
    let mut mutant = program.clone();
    change(&mut mutant.classes[class.index()].outputs[port.index()]);
    mutant
}

/// Moves the border between two runs.
fn shift_border(track: &mut Track, run: usize, earlier: bool) {
    let (grows, shrinks) = if earlier { (run + 1, run) } else { (run, run + 1) };
    track.runs[grows].ticks += 1;
    track.runs[shrinks].ticks -= 1;
    track.runs.retain(|run| run.ticks > 0);
}

/// Checks every fault in an output by which a class supplies others; returns how many were tried.
fn assert_faults_show(cover: &Cover, packets: Packets, program: &Program) -> usize {
    let mut tried = 0;
    let mut check = |mutant: &Program, fault: &str| {
        tried += 1;
        assert_ne!(steps_to_complete(mutant), Some(program.ticks), "{}: {fault} survives", program.topology);
    };
    assert_eq!(steps_to_complete(program), Some(program.ticks));
    let mut seen = Vec::new();
    for supply in supplies(cover).unwrap() {
        for feed in [supply.lower, supply.upper] {
            let output = sender(program, supply.node, feed);
            // in a zigzag row much of what one cycle brings rides another too, so a fault need not show
            let supporter_cycles =
                (0..cover.cycles()).filter(|&cycle| cover.place(cycle, feed.supporter).is_some()).count();
            let zigzag_row = packets == Packets::Shared && supporter_cycles > 1;
            if seen.contains(&output) || zigzag_row {
                continue;
            }
            seen.push(output);
            let track = &program.classes[output.0.index()].outputs[output.1.index()];
            for run in 0..track.runs.len() {
                if let Source::In { port, age, .. } = track.runs[run].source {
                    for other in program.topology.port_ids().filter(|&other| other != port) {
                        let source = Source::input(other, age);
                        let mutant = with_output(program, output, |track| track.runs[run].source = source);
                        check(&mutant, &format!("{source:?} for {port} in run {run} of {output:?}"));
                    }
                    for age in [age - 1, age + 1].into_iter().filter(|&age| age > 0) {
                        let source = Source::input(port, age);
                        let mutant = with_output(program, output, |track| track.runs[run].source = source);
                        check(&mutant, &format!("{source:?} in run {run} of {output:?}"));
                    }
                }
                if run + 1 < track.runs.len() {
                    for earlier in [true, false] {
                        let mutant = with_output(program, output, |track| shift_border(track, run, earlier));
                        check(&mutant, &format!("run {run} of {output:?} switching early: {earlier}"));
                    }
                }
            }
        }
    }
    tried
}

#[test]
fn every_fault_in_the_supply_of_a_staircase_shows() {
    for (dims, switching, faults) in
        [([6, 7], Switching::Memory, 25), ([8, 5], Switching::Memory, 25), ([5, 8], Switching::Periodic, 30)]
    {
        let torus = Torus::new(&dims).unwrap();
        let program = staircase::program(&torus, switching, Title::new("t", "s")).unwrap();
        let tried = assert_faults_show(&staircase::cover(&torus).unwrap(), Packets::PerCycle, &program);
        assert_eq!(tried, faults, "{torus}");
    }
}

#[test]
fn every_fault_in_the_supply_of_a_zigzag_shows() {
    for (dims, switching, faults) in [
        (&[8, 6][..], Switching::Memory, 19),
        (&[6, 10], Switching::Memory, 19),
        (&[8, 7], Switching::Periodic, 24),
        (&[6, 6, 5], Switching::Memory, 50),
    ] {
        let torus = Torus::new(dims).unwrap();
        let program = zigzag::program(&torus, switching, Title::new("t", "s")).unwrap();
        let tried = assert_faults_show(&zigzag::cover(&torus).unwrap(), Packets::Shared, &program);
        assert_eq!(tried, faults, "{torus}");
    }
}

/// Cycles along some rows of a plane; 0 is the first.
fn rows(dims: [u32; 2], cycles: &[u32]) -> Cover {
    let torus = Torus::new(&dims).unwrap();
    let moves = vec![Port::plus(1); dims[1] as usize];
    let walk = |&row| Walk { start: torus.node(&[row, 0]), moves: moves.clone() };
    Cover::new(&torus, &cycles.iter().map(walk).collect::<Vec<_>>(), |_| false).unwrap()
}

/// Which node of a cover cannot receive which cycle.
fn unsupported(cover: &Cover) -> (Vec<u32>, usize) {
    let Err(SupplyError::Unsupported { node, cycle }) = supplies(cover) else { panic!("every node is supplied") };
    (cover.topology().coords(node), cycle)
}

#[test]
fn two_neighbours_with_one_link_each_to_the_cycle_relay_to_each_other() {
    let cover = rows([3, 4], &[0]);
    let supplies = supplies(&cover).unwrap();
    assert_eq!(supplies.len(), 2 * 4);
    for supply in supplies {
        let relays = [supply.lower, supply.upper].map(|feed| feed.relay.is_some());
        assert!(relays[0] != relays[1], "one stream comes straight, the other by way of the neighbour: {supply:?}");
    }
}

#[test]
fn a_node_two_links_from_the_cycle_is_unsupported() {
    assert_eq!(unsupported(&rows([4, 4], &[0])), (vec![2, 0], 0));
}

#[test]
fn a_neighbour_that_relays_already_relays_for_nobody_else() {
    assert_eq!(unsupported(&rows([4, 3], &[0])), (vec![1, 1], 0), "the first and the last of its row are a pair");
}

#[test]
fn nothing_is_relayed_over_a_link_that_a_cycle_uses() {
    assert_eq!(unsupported(&rows([4, 4], &[1, 0])), (vec![0, 0], 0));
}

#[test]
fn a_node_that_misses_two_cycles_has_no_relay() {
    assert_eq!(unsupported(&rows([3, 4], &[1, 2])), (vec![0, 0], 0));
}

#[test]
fn a_node_that_misses_two_cycles_is_no_relay() {
    assert_eq!(unsupported(&rows([3, 4], &[1, 0])), (vec![0, 0], 0));
}

#[test]
fn a_node_on_too_few_cycles_to_send_its_packets_is_homeless() {
    let refused = program(&rows([3, 4], &[0]), Packets::Shared, Switching::None, Title::new("t", "s"));
    assert_eq!(refused, Err(SupplyError::Homeless { node: NodeId(4), packets: 1, places: 0 }));
}
