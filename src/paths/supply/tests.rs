//! Programs with one fault in their supply: execution must show every one.

use super::*;
use crate::net::Torus;
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
                if let Source::In { port, age } = track.runs[run].source {
                    for other in program.topology.port_ids().filter(|&other| other != port) {
                        let source = Source::In { port: other, age };
                        let mutant = with_output(program, output, |track| track.runs[run].source = source);
                        check(&mutant, &format!("{source:?} for {port} in run {run} of {output:?}"));
                    }
                    for age in [age - 1, age + 1].into_iter().filter(|&age| age > 0) {
                        let source = Source::In { port, age };
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
    for (dims, switching) in [([6, 7], Switching::Memory), ([8, 5], Switching::Memory), ([5, 8], Switching::Periodic)] {
        let torus = Torus::new(&dims).unwrap();
        let program = staircase::program(&torus, switching, Title::new("t", "s")).unwrap();
        let tried = assert_faults_show(&staircase::cover(&torus).unwrap(), Packets::PerCycle, &program);
        assert!(tried > 20, "{torus}: {tried}");
    }
}

#[test]
fn every_fault_in_the_supply_of_a_zigzag_shows() {
    for (dims, switching) in [
        (&[8, 6][..], Switching::Memory),
        (&[6, 10], Switching::Memory),
        (&[8, 7], Switching::Periodic),
        (&[6, 6, 5], Switching::Memory),
    ] {
        let torus = Torus::new(dims).unwrap();
        let program = zigzag::program(&torus, switching, Title::new("t", "s")).unwrap();
        let tried = assert_faults_show(&zigzag::cover(&torus).unwrap(), Packets::Shared, &program);
        assert!(tried > 10, "{torus}: {tried}");
    }
}
