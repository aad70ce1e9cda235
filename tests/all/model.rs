//! The model does what the definition says, of every example and of what no scheme makes.

use torusweave::design::Design;
use torusweave::design::config::Config;
use torusweave::net::{Channel, ShapeName};
use torusweave::netlist::{Netlist, Rom};
use torusweave::paths::supply::Switching;
use torusweave::play::{Combiner, Machine, Payloads};
use torusweave::program::{ClassId, Program, Source};
use torusweave::schemes::{optimal::Optimal, staircase::Staircase, zigzag::Zigzag};

use crate::fixtures::command::examples_that_move;
use crate::fixtures::designs::{along_a_path, design, design_on, late_sender, meander, repeater, rereader, woven};
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
                    let neighbour = program.topology.step(node, port)?;
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

/// Validity of every register, tick by tick.
fn held(program: &Program) -> Vec<Vec<bool>> {
    let registers = 0..program.registers();
    if let Some(mut combiner) = Combiner::new(program, Payloads { width: 8, seed: 0 }) {
        return (0..program.ticks)
            .map(|_| {
                combiner.step();
                registers.clone().map(|register| combiner.delivered(register).is_some()).collect()
            })
            .collect();
    }
    let mut machine = Machine::new(program);
    (0..program.ticks)
        .map(|_| {
            machine.step();
            registers.clone().map(|register| machine.register(register).is_some()).collect()
        })
        .collect()
}

/// The netlist omits valid bits of outputs that send whenever they are told to; execution must agree. Every output of
/// gossip on full-duplex links is of this kind.
#[test]
fn outputs_without_valid_bits_always_send_in_the_model() {
    let gossip = [
        &["scheme=staircase"][..],
        &["scheme=staircase", "switching=none"],
        &["scheme=staircase", "switching=memory", "link.flits=3"],
        &["scheme=hamiltonian"],
        &["scheme=zigzag", "switching=none"],
        &["scheme=zigzag", "switching=memory"],
        &["scheme=zigzag", "switching=periodic"],
        &["scheme=optimal"],
        &["scheme=optimal", "link.flits=2"],
        &["scheme=optimal", "link.latency=3"],
        &["scheme=staircase", "link.flits=3", "link.latency=2"],
    ];
    let others = [
        &["scheme=optimal", "link.duplex=half"][..],
        &["scheme=hamiltonian", "link.duplex=one-way"],
        &["collective=broadcast", "packets=5"],
        &["collective=scatter"],
        &["collective=gather"],
        &["collective=exchange"],
        &["scheme=optimal", "collective=reduce-scatter", "operation=sum"],
        &["scheme=staircase", "collective=all-reduce", "operation=sum"],
        &["scheme=zigzag", "collective=all-reduce", "operation=max", "link.flits=2"],
    ];
    let mut programs: Vec<(String, Program, bool)> = Vec::new();
    for (settings, is_gossip) in gossip.iter().map(|it| (it, true)).chain(others.iter().map(|it| (it, false))) {
        for sides in [[4, 6], [5, 6], [3, 8]] {
            programs.push((format!("{sides:?} {settings:?}"), design(&sides, settings).program, is_gossip));
        }
    }
    for duplex in ["full", "half"] {
        let mesh = design_on(ShapeName::Mesh, &[4, 5], &["scheme=hamiltonian", &format!("link.duplex={duplex}")]);
        programs.push((format!("mesh, {duplex}"), mesh.program, duplex == "full"));
    }
    let (mut certain, mut in_doubt) = (0, 0);
    for (name, program, is_gossip) in &programs {
        let netlist = Netlist::of(program, Rom::Shared, 8);
        let is_certain = |class: ClassId, channel| {
            netlist.routers[class.index()].output(channel).is_some_and(|output| output.drive.is_certain)
        };
        let tracks = program.classes.iter().flat_map(|class| &class.outputs);
        let sources: Vec<Vec<Source>> = tracks.map(|track| track.sources(program.ticks).collect()).collect();
        for (tick, held) in (1..).zip(held(program)) {
            for (register, is_held) in held.into_iter().enumerate() {
                let (node, channel) = program.owner(register);
                let class = program.class_of[node.index()];
                if is_certain(class, channel) {
                    let source = sources[class.index() * program.outputs() + program.output_index(channel)][tick - 1];
                    // flits from before the first tick do not exist
                    let has_arrived = match source {
                        Source::In { age, .. } => tick as u32 > age + program.latency - 1,
                        source => source != Source::Idle,
                    };
                    assert_eq!(is_held, has_arrived, "{name}: {node:?} {channel}, tick {tick}");
                }
            }
        }
        for (class, router) in netlist.driven() {
            for output in &router.outputs {
                let count = if is_certain(class, output.channel) { &mut certain } else { &mut in_doubt };
                *count += 1;
                assert!(!is_gossip || output.drive.is_certain, "{name}: {} is in doubt", output.channel);
            }
        }
    }
    println!("{certain} outputs are certain, {in_doubt} are not");
    assert!(certain > 100 && in_doubt > 10);
}
