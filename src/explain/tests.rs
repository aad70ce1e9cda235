//! Every statement about a node, a port and a tick, against the model.

use super::*;
use crate::design::config::{Config, Setting};
use crate::net::{Channel, ShapeName};
use crate::play::Machine;
use crate::program::{Operand, Partial};

fn design(dims: &[u32], settings: &[&str]) -> Design {
    design_on(ShapeName::Torus, dims, settings)
}

fn design_on(shape: ShapeName, dims: &[u32], settings: &[&str]) -> Design {
    let config = Config::of(shape, dims.to_vec());
    let set = |config: Config, setting: &&str| setting.parse::<Setting>().unwrap().apply(&config).unwrap();
    Design::new(settings.iter().fold(config, set)).unwrap()
}

/// Compares the arithmetic of streams and the tracing of packets with every arrival in the model.
fn agrees_with_the_model(dims: &[u32], settings: &[&str]) {
    let design = design(dims, settings);
    let explainer = Explainer::new(&design);
    let program = &explainer.program;
    let topology = &program.topology;
    let streams: Vec<Vec<SuppliedStream>> = topology
        .node_ids()
        .flat_map(|node| topology.port_ids().map(move |port| (node, port)))
        .map(|(node, port)| explainer.streams(node, port))
        .collect();
    let mut machine = Machine::new(program);
    while !machine.is_done() {
        machine.step();
        let tick = machine.tick();
        for node in topology.node_ids() {
            for port in topology.port_ids() {
                let at = || format!("{topology} {settings:?}: {port} of {}, tick {tick}", topology.show(node));
                let flit = |(node, packet): (NodeId, u32)| program.demand.flit(node, packet, packet, 0).unwrap();
                let arrived = machine.arrival(node, Channel::first(port));
                let traced = trace(program, node, Channel::first(port), tick);
                assert_eq!(traced.map(|trace| flit((trace.origin, trace.packet))), arrived, "traced, {}", at());
                if explainer.cover.is_some() {
                    let streams = &streams[topology.register(node, port)];
                    let mut said = streams.iter().filter_map(|stream| explainer.packet_at(stream, tick));
                    assert_eq!(said.next().map(flit), arrived, "streams, {}", at());
                    assert_eq!(said.next(), None, "two streams at once, {}", at());
                }
            }
        }
    }
}

#[test]
fn explanations_of_the_staircase_match_the_model() {
    for switching in ["switching=none", "switching=memory", "switching=periodic"] {
        for dims in [[6, 7], [7, 6], [6, 8], [4, 3], [2, 3], [10, 5]] {
            agrees_with_the_model(&dims, &["scheme=staircase", switching]);
        }
    }
}

#[test]
fn explanations_of_zigzags_match_the_model() {
    for switching in ["switching=none", "switching=memory"] {
        for dims in [&[8, 6][..], &[5, 7], &[9, 6], &[3, 3, 4], &[6, 6, 5], &[4, 4, 4, 2]] {
            agrees_with_the_model(dims, &["scheme=zigzag", switching]);
        }
    }
    for dims in [[8, 6], [16, 12], [6, 8]] {
        agrees_with_the_model(&dims, &["scheme=zigzag", "switching=periodic"]);
    }
}

#[test]
fn explanations_of_hamiltonian_cycles_match_the_model() {
    for dims in [&[5, 5][..], &[4, 5], &[6, 6], &[3, 3, 3], &[3, 4, 5]] {
        agrees_with_the_model(dims, &["scheme=hamiltonian"]);
    }
    // a packet on each way round each cycle
    for (dims, packets) in [(&[4, 4][..], "packets=4"), (&[4, 5], "packets=4"), (&[3, 4, 3], "packets=6")] {
        agrees_with_the_model(dims, &["scheme=hamiltonian", packets]);
    }
}

#[test]
fn explanations_of_optimal_trees_match_the_model() {
    for dims in [&[4, 4][..], &[5, 5], &[3, 6], &[3, 3, 3]] {
        agrees_with_the_model(dims, &["scheme=optimal"]);
    }
}

#[test]
fn clock_ticks_of_long_packets_name_the_step_and_the_flit() {
    let design = design(&[8, 6], &["scheme=zigzag", "switching=memory", "link.flits=3"]);
    let explainer = Explainer::new(&design);
    let program = &design.program;
    let topology = &program.topology;
    let mut machine = Machine::new(program);
    while !machine.is_done() {
        machine.step();
        for (node, port) in topology.node_ids().flat_map(|node| topology.port_ids().map(move |port| (node, port))) {
            let story = explainer.at(node, Channel::first(port), machine.tick());
            let arrived = machine
                .arrival(node, Channel::first(port))
                .map(|flit| (explainer.coords(NodeId(flit.0 / 3)), flit.0 % 3));
            assert_eq!(story.way.map(|way| (way.origin, story.flit)), arrived);
        }
    }
}

/// A supplied node and its supplier must name each other.
#[test]
fn suppliers_and_supplied_agree() {
    let design = design(&[6, 6, 5], &["scheme=zigzag"]);
    let explainer = Explainer::new(&design);
    let topology = &design.program.topology;
    let mut supplied = 0;
    for node in topology.node_ids() {
        let story = explainer.node(node, None);
        for supply in story.cycles.iter().filter_map(|cycle| cycle.supply.as_ref()) {
            for (role, feed) in [("A", &supply.a), ("B", &supply.b)] {
                let supporter = topology.node_ids().find(|&other| explainer.coords(other) == feed.supporter).unwrap();
                let outputs = explainer.node(supporter, None).outputs;
                let purpose = format!("supplies {} with cycle", story.node);
                assert!(
                    outputs.iter().any(|output| output.purpose.starts_with(&purpose) && output.purpose.ends_with(role))
                );
                supplied += 1;
            }
        }
        assert!(story.outputs.iter().all(|output| (output.purpose == "not used") == (output.rule == "idle")));
    }
    assert!(supplied > 0);
}

/// The ticks until a supplied node has seen every place, and whether a place came twice before the last of these ticks.
fn supplied(explainer: &Explainer, supply: &Supply) -> (Option<u32>, bool) {
    let length = explainer.cover.unwrap().length(usize::from(supply.cycle));
    let ports = [supply.lower.port, supply.upper.port];
    let streams: Vec<SuppliedStream> =
        ports.into_iter().flat_map(|port| explainer.streams(supply.node, port)).collect();
    let mut seen = vec![false; length as usize];
    let mut twice = false;
    for tick in 1..=explainer.program.ticks {
        let twice_before = twice;
        for place in streams.iter().filter_map(|stream| stream.place_at(tick, length)) {
            twice |= std::mem::replace(&mut seen[place as usize], true);
        }
        if seen.iter().all(|&seen| seen) {
            return (Some(tick), twice_before);
        }
    }
    (None, twice)
}

#[test]
fn the_reasons_given_are_true() {
    let cases: [(&[u32], &str); 5] = [
        (&[6, 7], "staircase"),
        (&[4, 9], "staircase"),
        (&[8, 6], "zigzag"),
        (&[5, 7], "zigzag"),
        (&[6, 6, 5], "zigzag"),
    ];
    let mut told = [0; 2];
    for (dims, scheme) in cases {
        for (index, switching) in ["switching=none", "switching=memory"].into_iter().enumerate() {
            let design = design(dims, &[&format!("scheme={scheme}"), switching]);
            let explainer = Explainer::new(&design);
            let direct = |supply: &&Supply| supply.lower.relay.is_none() && supply.upper.relay.is_none();
            for supply in explainer.supplies.iter().filter(|supply| supply.distance > 1).filter(direct) {
                let length = explainer.cover.unwrap().length(usize::from(supply.cycle));
                let ticks = [(length + supply.distance + 1).div_ceil(2), length.div_ceil(2)][index];
                let expected = (ticks <= explainer.program.ticks).then_some(ticks);
                assert_eq!(supplied(&explainer, supply), (expected, index == 0), "{dims:?} {scheme} {switching}");
                assert!(explainer.reason(supply).contains(&format!(" = {ticks} ticks")));
                told[index] += 1;
            }
        }
    }
    assert!(told.iter().all(|&told| told > 0));
}

/// Every result must have each contributor once, and each partial must be for the node that is named.
#[test]
fn explained_partials_complete_the_results() {
    let cases: [(&[u32], &str, &str); 6] = [
        (&[6, 7], "staircase", "memory"),
        (&[4, 6], "zigzag", "none"),
        (&[4, 6], "zigzag", "memory"),
        (&[3, 3, 3], "hamiltonian", "none"),
        (&[4, 5], "optimal", "none"),
        (&[2, 3, 3], "optimal", "none"),
    ];
    for (dims, scheme, switching) in cases {
        let [scheme_of, switching_of] = [format!("scheme={scheme}"), format!("switching={switching}")];
        let design = design(dims, &[&scheme_of, &switching_of, "collective=all-reduce", "operation=sum"]);
        let program = design.program.reduce_part().unwrap();
        let (partials, reduction) = (ReducePart::of(&program).unwrap(), program.reduction.as_deref().unwrap());
        let topology = &program.topology;
        for node in topology.node_ids() {
            for (packet, result) in (0..).zip(&reduction.results[program.class_of[node.index()].index()]) {
                let mut nodes = vec![node];
                for Operand { port, age } in result.iter() {
                    let arrived = partials.arriving(node, port, reduction.ticks + 1 - age).unwrap();
                    assert_eq!(arrived.partial, Partial { node, packet }, "{dims:?} {scheme}");
                    nodes.extend(arrived.sends.iter().map(|send| send.node));
                }
                nodes.sort_unstable();
                assert!(nodes.into_iter().eq(topology.node_ids()), "{dims:?} {scheme}: everybody, once");
            }
            for port in topology.port_ids() {
                for (tick, partial) in partials.listed(node, port) {
                    assert_eq!(partials.arriving(node, port, tick).unwrap().partial, partial);
                }
            }
        }
    }
}

/// Reductions whose partials arrive later than they are sent: over long links, and by adders.
fn late_reductions() -> [Design; 4] {
    let words = ["scheme=staircase", "collective=all-reduce", "operation=xor", "link.flits=3", "link.latency=2"];
    let floats = ["collective=all-reduce", "operation=sum", "number=f32", "link.width=32"];
    let long = ["collective=reduce-scatter", "operation=sum", "number=bf16", "link.width=16", "link.flits=3"];
    let long = [&long[..], &["link.latency=2", "scheme=optimal"]].concat();
    let custom = ["collective=all-reduce", "operation=custom", "link.flits=2", "adder=2"];
    [
        design(&[4, 4], &words),
        design(&[3, 4], &floats),
        design(&[4, 4], &long),
        design_on(ShapeName::Path, &[5], &custom),
    ]
}

/// A clock tick names the flit that arrives in it, whichever the part and however late it comes.
#[test]
fn clock_ticks_of_an_all_reduce_are_those_of_the_model() {
    use crate::play::{Combiner, Payloads};
    for design in late_reductions() {
        let (explainer, program) = (Explainer::new(&design), &design.program);
        let topology = &program.topology;
        let mut combiner = Combiner::new(program, Payloads { width: design.config.width(), seed: 0 }).unwrap();
        let mut told = 0;
        while !combiner.is_done() {
            combiner.step();
            for (node, port) in topology.node_ids().flat_map(|node| topology.port_ids().map(move |port| (node, port))) {
                let Some(register) = program.arriving(node, Channel::first(port)) else { continue };
                let story = explainer.at(node, Channel::first(port), combiner.tick());
                let is_sum = story.sum.is_some();
                let said =
                    story.sum.map(|sum| (sum.node, sum.packet)).or(story.way.map(|way| (way.origin, way.packet)));
                let arrived = combiner.flit(register).map(|flit| program.demand.origin(flit));
                let named = arrived.map(|origin| (explainer.coords(origin.node), origin.packet));
                assert_eq!(said, named, "tick {}", combiner.tick());
                assert!(arrived.is_none_or(|origin| origin.flit == story.flit), "tick {}", combiner.tick());
                assert_eq!(is_sum, said.is_some() && combiner.tick() <= program.reduction.as_ref().unwrap().ticks);
                told += u32::from(is_sum);
            }
        }
        assert!(told > 0);
    }
}

/// Arrivals of a program: tick, node in the written numbering, input, and flit.
fn arrivals(program: &Program) -> Vec<(u32, NodeId, Channel, crate::program::FlitId)> {
    let mut machine = Machine::new(program);
    let mut all = Vec::new();
    while !machine.is_done() {
        machine.step();
        all.extend(machine.arrivals().map(|(node, input, flit)| (machine.tick(), node, input, flit)));
    }
    all
}

/// All that is said about a node: its outputs, what arrives, and how it came there.
fn speaks_in_ticks_of_the_program(design: &Design) {
    let (explainer, program) = (Explainer::new(design), &design.program);
    let (topology, later) = (&program.topology, program.latency - 1);
    let arrivals = arrivals(program);
    for node in topology.node_ids() {
        let told = explainer.node(node, None);
        assert_eq!(told.ticks, program.ticks);
        for (output, track) in told.outputs.iter().zip(&program.class(node).outputs) {
            assert_eq!(output.rule, track.describe_changes(topology.axes()));
        }
        for port in &told.ports {
            let packets = port.arrivals.iter().chain(port.streams.iter().flat_map(|stream| &stream.packets));
            for PacketName { tick, lane, node: from, packet } in packets {
                let lane = lane.unwrap_or(0);
                let has_come = arrivals.iter().any(|&(when, at, input, flit)| {
                    let origin = program.demand.origin(flit);
                    let is_named =
                        (explainer.coords(origin.node), origin.packet, origin.flit) == (from.clone(), *packet, 0);
                    let here = explainer.name(input.port) == port.port && input.lane == lane;
                    (when, at) == (*tick, node) && here && is_named
                });
                assert!(has_come, "{from} in tick {tick} at {} of {}", port.port, told.node);
            }
            let last = port.streams.last().map(|stream| stream.ticks[1]);
            let of_port =
                arrivals.iter().filter(|arrival| arrival.1 == node && explainer.name(arrival.2.port) == port.port);
            assert!(last.is_none() || last == of_port.map(|arrival| arrival.0).max());
        }
    }
    for (tick, node, input, flit) in arrivals {
        let story = explainer.at(node, input, tick);
        let origin = program.demand.origin(flit);
        let way = story.way.unwrap();
        assert_eq!((story.tick, story.flit), (tick, origin.flit));
        assert_eq!((way.origin, way.packet), (explainer.coords(origin.node), origin.packet));
        assert_eq!(way.hops.last().unwrap().tick + later, tick);
        for pair in way.hops.windows(2) {
            assert_eq!(pair[0].tick + later + pair[1].age.unwrap(), pair[1].tick, "it arrives, waits, and is sent");
        }
    }
}

#[test]
fn long_links_are_told_in_ticks_of_the_program() {
    speaks_in_ticks_of_the_program(&design(&[4, 4], &["scheme=optimal", "link.latency=5"]));
    let settings = ["scheme=zigzag", "switching=memory", "link.flits=4", "link.latency=3"];
    speaks_in_ticks_of_the_program(&design(&[6, 6], &settings));
    speaks_in_ticks_of_the_program(&design(&[5, 5], &["scheme=hamiltonian", "link.flits=2", "link.latency=2"]));
}

#[test]
fn arrivals_on_lanes_are_explained_with_their_lane() {
    let settings = ["link.lanes=2", "link.duplex=half"];
    for design in [design_on(ShapeName::Path, &[5], &settings), design_on(ShapeName::Cycle, &[6], &settings)] {
        speaks_in_ticks_of_the_program(&design);
        let text = Explainer::new(&design).node(NodeId(1), None).to_string();
        assert!(text.contains(" on lane 1") && text.contains("x1- lane 0  "), "{text}");
    }
}

/// Partials that are late are told in the ticks in which they are read.
#[test]
fn late_partials_are_told_in_ticks_of_the_program() {
    use crate::play::{Combiner, Payloads};
    for design in late_reductions() {
        let (explainer, program) = (Explainer::new(&design), &design.program);
        let (topology, reduced) = (&program.topology, program.reduction.as_ref().unwrap().ticks);
        let mut combiner = Combiner::new(program, Payloads { width: design.config.width(), seed: 0 }).unwrap();
        let mut first_flits = 0;
        while !combiner.is_done() {
            combiner.step();
            first_flits += topology
                .node_ids()
                .flat_map(|node| program.channels().map(move |input| (node, input)))
                .filter_map(|(node, input)| combiner.flit(program.arriving(node, input)?))
                .filter(|&flit| combiner.tick() <= reduced && program.demand.origin(flit).flit == 0)
                .count();
            let tick = combiner.tick();
            for node in topology.node_ids() {
                let reduction = explainer.reduction(node, None).unwrap();
                assert_eq!(reduction.ticks, reduced);
                let inputs = program.channels().filter(|input| topology.step(node, input.port).is_some());
                for (input, port) in inputs.zip(&reduction.ports) {
                    for partial in port.partials.iter().filter(|partial| partial.tick == tick) {
                        let flit = combiner.flit(program.arriving(node, input).unwrap()).unwrap();
                        let origin = program.demand.origin(flit);
                        let said = (explainer.coords(origin.node), origin.packet, origin.flit);
                        assert_eq!(said, (partial.node.clone(), partial.packet, 0));
                        first_flits -= 1;
                    }
                }
            }
        }
        assert_eq!(first_flits, 0, "every partial is named");
        assert_eq!(explainer.node(NodeId(0), None).ticks, program.ticks);
    }
}
