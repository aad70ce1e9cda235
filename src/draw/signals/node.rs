//! One call at the ports of a node that plays several programs: its links, and the ticks that it plays.

use super::{CalledProgram, SignalValue, Wave, Waves};
use crate::emit::names;
use crate::net::{Channel, NodeId};
use crate::play::Machine;

/// Clocks before `begins`.
const BEFORE: usize = 2;
/// Clocks after the last tick.
const AFTER: usize = 3;

/// The ticks of a call. On boards these are the clocks in which the node's clock enable is high.
pub fn node(called: &CalledProgram, node: NodeId) -> Waves {
    let program = called.program;
    let topology = &program.topology;
    let played = BEFORE + 1..BEFORE + 1 + called.placed().ticks as usize;
    let clocks = played.end + AFTER;
    // first clock in which a tick's arrivals can be read
    let after = |tick: u32| played.start + tick as usize;
    let wave = |channel: Channel, way: &str| {
        let name = format!("{}_{way}", names::channel(topology.axes(), channel));
        (channel, Wave::of(name, clocks, SignalValue::Anything))
    };
    let mut arrivals: Vec<(Channel, Wave)> = program.inputs(node).map(|input| wave(input, "in")).collect();
    let outputs = program.class(node).outputs.iter().zip(program.channels());
    let sending = outputs.filter(|(track, _)| !track.is_idle());
    let mut sent: Vec<(Channel, Wave)> = sending.map(|(_, output)| wave(output, "out")).collect();
    let mut ticks = vec![None; clocks];
    let mut machine = Machine::new(program);
    while !machine.is_done() {
        machine.step();
        let clock = after(machine.tick());
        ticks[clock] = Some(machine.tick());
        for (input, wave) in &mut arrivals {
            wave.values[clock] = machine.arrival(node, *input).map_or(SignalValue::Anything, SignalValue::Flit);
        }
        for (output, wave) in &mut sent {
            let held = machine.register(program.register(node, *output));
            wave.values[clock] = held.map_or(SignalValue::Anything, SignalValue::Flit);
        }
    }
    let tick = |clock: usize| {
        let is_played = played.contains(&clock);
        if is_played { SignalValue::Number((clock + 1 - played.start) as u32) } else { SignalValue::Anything }
    };
    let mut ports = vec![
        Wave::bits("begins", clocks, |clock| clock == BEFORE),
        Wave::bits("plays", clocks, |clock| played.contains(&clock)),
        Wave { name: "tick".into(), values: (0..clocks).map(tick).collect() },
    ];
    ports.extend(arrivals.into_iter().chain(sent).map(|(_, wave)| wave));
    let landmarks = vec![BEFORE, after(1), after(program.ticks), played.end];
    let enabled = if called.is_on_boards { ", without clocks in which `ce` is low" } else { "" };
    let about = format!("node {} at the ports of {}_node.v{enabled}", topology.show(node), called.name);
    Waves { about, zero: BEFORE, ports, ticks, landmarks }
}
