//! The model does what the definition says, of every example and of what no scheme makes.

use torusweave::design::Design;
use torusweave::design::config::Config;
use torusweave::net::Channel;
use torusweave::paths::supply::Switching;
use torusweave::play::Machine;
use torusweave::program::Program;
use torusweave::schemes::{optimal::Optimal, staircase::Staircase, zigzag::Zigzag};

use crate::fixtures::command::examples_that_move;
use crate::fixtures::designs::{along_a_path, design, late_sender, meander, repeater, rereader, woven};
use crate::fixtures::{by_hand, interpreter};

/// Half-duplex lanes, windows, joined inputs, several packets and several flits are among them.
fn programs() -> Vec<Program> {
    let examples =
        examples_that_move().into_iter().map(|path| Design::new(Config::read(&path).unwrap()).unwrap().program);
    let hand = [late_sender(), repeater(), meander(), rereader(), along_a_path(9)];
    let wide = [
        woven(&[16, 15], &Zigzag, Switching::Memory),
        woven(&[9, 14], &Zigzag, Switching::Periodic),
        woven(&[17, 18], &Staircase, Switching::Memory),
        woven(&[3, 20], &Optimal, Switching::None),
        woven(&[3, 4, 5], &Optimal, Switching::None),
        woven(&[2, 7], &Optimal, Switching::None),
    ];
    let long = [woven(&[6, 7], &Staircase, Switching::Memory), woven(&[4, 5], &Optimal, Switching::None)];
    let long = long.map(|program| program.stretched(3).unwrap());
    let half = design(&[5, 6], &["link.duplex=half"]).program;
    examples.chain(by_hand::beyond_gossip()).chain(hand).chain(wide).chain(long).chain([half]).collect()
}

#[test]
fn every_register_holds_what_a_plain_interpreter_says_after_every_tick() {
    let programs = programs();
    let has = |what: fn(&Program) -> bool| programs.iter().any(what);
    assert!(has(|program| program.lanes > 1) && has(|program| !program.windows.is_empty()));
    for program in &programs {
        let mut machine = Machine::new(program);
        let name = format!("{} {}", program.title.scheme, program.title.name);
        for (tick, expected) in (1..).zip(interpreter::play(program, program.ticks)) {
            machine.step();
            let registers = (0..program.registers()).map(|register| machine.register(register).map(|flit| flit.0));
            let wrong = registers.zip(&expected).position(|(got, &expected)| got != expected);
            assert_eq!(wrong.map(|register| program.owner(register)), None, "{name}, tick {tick}");
            let sent: Vec<_> = program
                .topology
                .node_ids()
                .flat_map(|node| program.channels().map(move |input| (node, input)))
                .filter_map(|(node, input @ Channel { port, lane })| {
                    let neighbour = program.topology.neighbour(node, port)?;
                    let flit = expected[program.register(neighbour, Channel { port: port.opposite(), lane })]?;
                    Some((node, input, flit))
                })
                .collect();
            assert!(
                machine.arrivals().map(|(node, input, flit)| (node, input, flit.0)).eq(sent),
                "{name}, tick {tick}"
            );
        }
        assert!(machine.is_done());
    }
}
