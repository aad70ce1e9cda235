//! The models do what the definition says of programs by chance, too: schemes make no use of much that can be written down.

use std::convert::Infallible;

use torusweave::net::{Channel, ShapeName, Topology};
use torusweave::play::{Combiner, Machine, Moments, Payloads};
use torusweave::program::{Demand, Program, ProgramBuilder, Run, Source, Title};

use crate::fixtures::by_chance;
use crate::fixtures::chance::Chance;
use crate::fixtures::combined::{self, integer};
use crate::fixtures::designs::{OWN, late, run};
use crate::fixtures::interpreter;

const WIDTHS: [u32; 8] = [1, 8, 40, 63, 64, 65, 100, 128];

#[test]
fn every_register_of_any_program_holds_what_a_plain_interpreter_says() {
    for seed in 0..400 {
        assert_plays(&by_chance::program(&mut Chance(seed)), &seed.to_string());
    }
}

/// The model skips ahead where all nodes repeat themselves for a few ticks, but not if all of them change.
#[test]
fn changes_at_every_node_in_every_tick_are_played() {
    let torus = Topology::new(ShapeName::Torus, &[4, 4]).unwrap();
    let mut builder = ProgramBuilder::new(&torus, 20, Demand::gossip(&torus, 1));
    for node in torus.node_ids() {
        let by_turns = |tick: u32| run(late(((node.0 + tick) % 4) as usize, 1), 1);
        let runs: Vec<Run> = [run(OWN, 1)].into_iter().chain((2..20).map(by_turns)).collect();
        for port in torus.port_ids() {
            let track = builder.track(&runs, Source::Idle);
            builder.set(node, port, track);
        }
    }
    assert_plays(&builder.finish(Title::new("turns", "by hand")), "by turns");
}

fn assert_plays(program: &Program, what: &str) {
    let mut machine = Machine::new(program);
    let (played, nothing) = (interpreter::play(program, program.ticks), vec![None; program.registers()]);
    for (tick, expected) in (1..).zip(&played) {
        machine.step();
        let registers = (0..program.registers()).map(|register| machine.register(register).map(|flit| flit.0));
        assert!(registers.eq(expected.iter().copied()), "{what}, tick {tick}");
        let delivered = (0..program.registers()).map(|register| machine.delivered(register).map(|flit| flit.0));
        let sent = u32::checked_sub(tick, program.latency).map_or(&nothing, |before| &played[before as usize]);
        assert!(delivered.eq(sent.iter().copied()), "{what}, delivered in tick {tick}");
    }
}

#[test]
fn a_moment_of_any_program_is_what_the_model_comes_to_or_has_to_be_played() {
    let mut found = 0;
    for seed in 0..2000 {
        let program = by_chance::program(&mut Chance(seed));
        let Some(moments) = Moments::of(&program) else { continue };
        found += 1;
        let mut machine = Machine::new(&program);
        while !machine.is_done() {
            machine.step();
            let mut arrived = Vec::new();
            let Ok(()) = moments.arrivals(machine.tick(), |flit| -> Result<(), Infallible> {
                arrived.push(flit);
                Ok(())
            });
            let ports = |node| program.topology.port_ids().map(move |port| (node, port));
            let expected = program.topology.node_ids().flat_map(ports).map(|(node, port)| {
                program.topology.step(node, port).and_then(|_| machine.arrival(node, Channel::first(port)))
            });
            assert!(expected.eq(arrived), "{seed}, tick {}: {program:?}", machine.tick());
        }
    }
    assert!(found > 50, "{found}");
}

#[test]
fn any_reduction_of_words_is_that_of_integers() {
    for seed in 0..400 {
        let program = by_chance::reduction(&mut Chance(seed));
        let payloads = Payloads { width: WIDTHS[seed as usize % WIDTHS.len()], seed: seed.into() };
        assert_combines(&program, payloads, &seed.to_string());
    }
}

#[test]
fn reductions_of_schemes_are_right_at_every_width() {
    for (sides, settings) in [
        (&[4, 6], ["scheme=staircase", "collective=all-reduce", "operation=sum", "link.flits=3"]),
        (&[4, 6], ["scheme=zigzag", "collective=all-reduce", "operation=max", "link.flits=2"]),
        (&[4, 5], ["scheme=optimal", "collective=reduce-scatter", "operation=sum", "link.latency=3"]),
    ] {
        let program = crate::fixtures::designs::design(sides, &settings).program;
        for width in WIDTHS {
            let combined = assert_combines(&program, Payloads { width, seed: 5 }, &format!("{settings:?}, {width}"));
            assert!(combined.is_right, "{settings:?}, {width}");
        }
    }
}

/// The model sends what the integers are, and takes the same of the nodes' own values.
fn assert_combines(program: &Program, payloads: Payloads, what: &str) -> combined::Combined {
    let expected = combined::play(program, payloads);
    let mut combiner = Combiner::new(program, payloads).unwrap();
    for tick in 1..=program.ticks {
        combiner.step();
        assert_eq!(combiner.tick(), tick);
        for register in 0..program.registers() {
            let found = combiner.delivered(register).map(|words| (combiner.flit(register).unwrap().0, integer(words)));
            let then = (tick + 1).checked_sub(program.latency).filter(|&then| then > 0);
            let sent = then.and_then(|then| expected.sent[then as usize - 1][register]);
            assert_eq!(found, sent, "{what}: {:?} in tick {tick}", program.owner(register));
        }
    }
    assert!(combiner.is_done());
    assert_eq!(combiner.is_right(), expected.is_right, "{what}");
    let streams = Combiner::streams(program, payloads).unwrap();
    assert!(streams.values().map(integer).eq(expected.own.iter().flatten().copied()), "{what}: own values");
    expected
}
