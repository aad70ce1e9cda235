//! Lattices, cylinders and damaged tori, built from `net` alone: each part of the house does what the definition says, or
//! refuses by name.

use std::collections::BTreeMap;

use torusweave::check;
use torusweave::net::{AxisDirection, Channel, NodeId, Port, ShapeName, Topology};
use torusweave::play::{Machine, Moments};
use torusweave::program::{Class, ClassId, Demand, Duplex, Link, Operation, Program, Run, Source, Title, Track};
use torusweave::schemes::SCHEMES;
use torusweave::schemes::optimal::Optimal;
use torusweave::study::bounds;
use torusweave::task::{Choice, Collective, CollectiveTraffic, Scheme, Task};
use torusweave::transform::reverse;

fn lattice(rows: &[&[i64]]) -> Topology {
    Topology::of_lattice(&rows.iter().map(|row| row.to_vec()).collect::<Vec<_>>()).unwrap()
}

fn torus(sides: &[u32]) -> Topology {
    Topology::new(ShapeName::Torus, sides).unwrap()
}

/// Long and short twists, parallel links, a circulant, an axis of one node, the slice of 4x4x8.
fn lattices() -> Vec<Topology> {
    vec![
        lattice(&[&[4, 2], &[0, 6]]),
        lattice(&[&[2, 1], &[0, 4]]),
        lattice(&[&[1, 5], &[0, 19]]),
        lattice(&[&[1, 0, 3], &[0, 1, 5], &[0, 0, 22]]),
        lattice(&[&[1, 0], &[0, 7]]),
        lattice(&[&[3, 5, -2], &[1, -4, 2], &[0, 2, 6]]),
        lattice(&[&[4, 0, 4], &[0, 4, 4], &[0, 0, 8]]),
    ]
}

/// Networks whose nodes are not all alike.
fn others() -> Vec<Topology> {
    let link = |node, port| (NodeId(node), port);
    vec![
        torus(&[4, 5]).with_open(&[1]).unwrap(),
        torus(&[2, 3, 3]).with_open(&[0, 2]).unwrap(),
        torus(&[4, 4]).without(&[], &[link(5, Port::plus(0)), link(0, Port::minus(1))]).unwrap(),
        lattice(&[&[4, 2], &[0, 6]]).without(&[], &[link(3, Port::plus(1))]).unwrap(),
    ]
}

fn task(topology: &Topology, latency: u32) -> Task<'_> {
    Task { topology, link: Link { latency, ..Link::default() }, choice: Choice::default() }
}

fn gossip(topology: &Topology, latency: u32) -> Program {
    let task = task(topology, latency);
    Optimal.fits(&task).unwrap();
    Optimal.woven(&task, Title::new("any", "optimal")).unwrap().program
}

/// Each link carries what its end lacks, the lowest number first: a gossip on any network, a class per node.
fn greedy(topology: &Topology) -> Program {
    let nodes = topology.nodes() as usize;
    // by node and packet, the tick and the port of the first arrival
    let mut arrived: Vec<BTreeMap<usize, (u32, Port)>> = vec![BTreeMap::new(); nodes];
    let mut sources: Vec<Vec<Vec<Source>>> = vec![vec![Vec::new(); topology.ports()]; nodes];
    let mut ticks = 0;
    while arrived.iter().any(|known| known.len() + 1 < nodes) {
        ticks += 1;
        let before = arrived.clone();
        for (node, port) in topology.node_ids().flat_map(|node| topology.port_ids().map(move |port| (node, port))) {
            let lacked = topology.step(node, port).and_then(|there| {
                let lacks = |packet: &usize| *packet != there.index() && !arrived[there.index()].contains_key(packet);
                let here = &before[node.index()];
                let packet =
                    (0..nodes).filter(lacks).find(|packet| *packet == node.index() || here.contains_key(packet))?;
                arrived[there.index()].insert(packet, (ticks, port.opposite()));
                Some(here.get(&packet).map_or(Source::own(0), |&(tick, port)| Source::input(port, ticks - tick)))
            });
            sources[node.index()][port.index()].push(lacked.unwrap_or(Source::Idle));
        }
    }
    let track = |sources: Vec<Source>| Track {
        runs: sources.into_iter().map(|source| Run { source, ticks: 1 }).collect(),
        repeat_from: None,
        inject: None,
    };
    let classes: Vec<Class> =
        sources.into_iter().map(|outputs| Class { outputs: outputs.into_iter().map(track).collect() }).collect();
    let outputs = classes[0].outputs.clone();
    let program = Program::uniform(topology, ticks, Demand::gossip(topology, 1), outputs, Title::new("any", "greedy"));
    Program { class_of: (0..nodes as u32).map(ClassId).collect(), classes, ..program }
}

/// The node across by the definition: the next point, moved by rows until it is in the box. Dead links are looked up.
fn across(topology: &Topology, node: NodeId, port: Port) -> Option<NodeId> {
    let rows = topology.lattice().rows();
    let (mut rest, mut point) = (i64::from(node.0), vec![0; rows.len()]);
    for axis in (0..rows.len()).rev() {
        let side = i64::from(rows[axis][axis]);
        (point[axis], rest) = (rest % side, rest / side);
    }
    let axis = port.axis();
    point[axis] += if port.way() == AxisDirection::Plus { 1 } else { -1 };
    if topology.open().contains(&axis) && !(0..i64::from(rows[axis][axis])).contains(&point[axis]) {
        return None;
    }
    for (axis, row) in rows.iter().enumerate() {
        let sign = if point[axis] < 0 { 1 } else { -1 };
        while !(0..i64::from(row[axis])).contains(&point[axis]) {
            point.iter_mut().zip(row).for_each(|(x, &entry)| *x += sign * i64::from(entry));
        }
    }
    let number = point
        .iter()
        .zip(rows.iter().enumerate())
        .fold(0, |number, (&x, (axis, row))| number * i64::from(row[axis]) + x);
    let there = NodeId(u32::try_from(number).unwrap());
    let is_end = |link: &(NodeId, Port)| *link == (node, port) || *link == (there, port.opposite());
    let is_dead = topology.dead().is_some_and(|dead| dead.named_links().iter().any(is_end));
    (there != node && !is_dead).then_some(there)
}

/// Moves tokens by the definition: what arrives in each tick, by node and port.
fn executed(program: &Program) -> Vec<BTreeMap<(NodeId, Port), u32>> {
    let topology = &program.topology;
    let mut arrived: Vec<BTreeMap<(NodeId, Port), u32>> = vec![BTreeMap::new(); program.ticks as usize + 1];
    let sources: Vec<Vec<Vec<Source>>> = program
        .classes
        .iter()
        .map(|class| class.outputs.iter().map(|track| track.sources(program.ticks).collect()).collect())
        .collect();
    for tick in 1..=program.ticks {
        for (node, port) in topology.node_ids().flat_map(|node| topology.port_ids().map(move |port| (node, port))) {
            let class = program.class_of[node.index()].index();
            let token = match sources[class][port.index()][tick as usize - 1] {
                Source::Idle => None,
                Source::Own { .. } => Some(node.0),
                Source::In { port, age, .. } => arrived[tick.saturating_sub(age) as usize].get(&(node, port)).copied(),
                other => panic!("{other:?}"),
            };
            if let (Some(token), Some(there)) = (token, across(topology, node, port)) {
                let then = (tick + program.latency - 1) as usize;
                assert!(arrived[then].insert((there, port.opposite()), token).is_none());
            }
        }
    }
    arrived
}

/// The tick after which everybody has everything.
fn complete_at(topology: &Topology, arrived: &[BTreeMap<(NodeId, Port), u32>]) -> Option<u32> {
    let nodes = topology.nodes() as usize;
    let mut known = vec![vec![false; nodes]; nodes];
    (0..nodes).for_each(|node| known[node][node] = true);
    arrived
        .iter()
        .position(|tick| {
            for (&(node, _), &token) in tick {
                known[node.index()][token as usize] = true;
            }
            known.iter().flatten().all(|&known| known)
        })
        .map(|tick| tick as u32)
}

fn programs() -> Vec<Program> {
    let mut all: Vec<Program> = lattices().iter().map(|topology| gossip(topology, 1)).collect();
    all.extend(lattices().iter().take(4).map(|topology| gossip(topology, 3)));
    all.extend(lattices().iter().take(6).chain(&others()).map(greedy));
    all
}

#[test]
fn model_and_checks_agree_with_an_executor_of_the_definition() {
    for program in programs() {
        let (topology, what) = (&program.topology, program.topology.describe());
        let expected = executed(&program);
        let complete = complete_at(topology, &expected);
        assert!(complete.is_some(), "{what}");
        for report in [check::by_execution(&program), check::by_streams(&program)] {
            assert!(report.passed(), "{what}: {:?}", report.violations);
            assert_eq!(report.complete_at, complete, "{what}");
        }
        let structure = check::by_structure(&program);
        assert!(structure.passed() || structure.is_undecided(), "{what}: {:?}", structure.violations);
        if program.classes.len() == 1 && program.latency == 1 {
            assert_eq!(structure.complete_at, complete, "{what}");
        }
        let mut machine = Machine::new(&program);
        let moments = Moments::of(&program);
        assert!(moments.is_some() || program.classes.len() > 1 || program.latency > 1, "{what}");
        while !machine.is_done() {
            machine.step();
            let expected = &expected[machine.tick() as usize];
            let played = |node, port| machine.arrival(node, Channel::first(port)).map(|flit| flit.0);
            let ports = || topology.node_ids().flat_map(|node| topology.port_ids().map(move |port| (node, port)));
            assert!(ports().all(|(node, port)| played(node, port) == expected.get(&(node, port)).copied()), "{what}");
            let Some(moments) = &moments else { continue };
            let mut found = Vec::new();
            let Ok(()) = moments.arrivals(machine.tick(), |flit| -> Result<(), std::convert::Infallible> {
                found.push(flit.map(|flit| flit.0));
                Ok(())
            });
            assert!(ports().map(|end| expected.get(&end).copied()).eq(found), "{what}");
        }
        let bound = bounds::of(&program).ticks;
        assert!(bound <= complete.unwrap().into(), "{what}: {bound}");
    }
}

#[test]
fn one_table_for_all_nodes_of_a_lattice_meets_the_bound() {
    let steps = |rows: &[&[i64]]| gossip(&lattice(rows), 1).ticks;
    assert_eq!(steps(&[&[4, 2], &[0, 6]]), 6);
    assert_eq!(steps(&[&[4, 0, 4], &[0, 4, 4], &[0, 0, 8]]), 22, "the slice of 4x4x8");
    assert_eq!(steps(&[&[8, 8], &[0, 16]]), 32);
}

#[test]
fn faults_on_lattices_are_caught_by_every_check() {
    let mut caught = 0;
    for topology in lattices().iter().take(3) {
        let right = gossip(topology, 1);
        for output in 0..topology.ports() {
            for run in 0..right.classes[0].outputs[output].runs.len() {
                let mut wrong = right.clone();
                let source = &mut wrong.classes[0].outputs[output].runs[run].source;
                *source = match *source {
                    Source::In { port, lane, age } => Source::In { port: port.opposite(), lane, age },
                    Source::Own { .. } => Source::Idle,
                    _ => continue,
                };
                let expected = complete_at(topology, &executed(&wrong)).is_some();
                for report in [check::by_execution(&wrong), check::by_streams(&wrong), check::by_structure(&wrong)] {
                    assert_eq!(report.passed(), expected, "{}, output {output}, run {run}", topology.describe());
                }
                caught += u32::from(!expected);
            }
        }
    }
    assert!(caught > 10, "{caught}");
}

#[test]
fn programs_on_every_network_read_back_what_they_write() {
    for program in programs() {
        let json = program.json();
        let read = Program::from_json(&json).unwrap();
        assert_eq!((&read.topology, read.json() == json), (&program.topology, true), "{}", program.topology.describe());
        let version = if program.topology.shape().is_some() { 2 } else { 3 };
        assert!(json.contains(&format!("torusweave-program/{version}")), "{}", program.topology.describe());
    }
    let dead =
        gossip(&lattices()[0], 1).json().replacen("[0, 6]]", "[0, 6]], \"dead\": {\"nodes\": [3], \"links\": []}", 1);
    let error = Program::from_json(&dead).unwrap_err().to_string();
    assert_eq!(error, "class_of: it is null for dead nodes, and for no others");
}

#[test]
fn reversals_on_lattices_combine_every_value_once() {
    for topology in lattices() {
        let reduce = reverse::reduction(&gossip(&topology, 1), Operation::Sum);
        for report in [check::by_execution(&reduce), check::by_structure(&reduce)] {
            assert!(report.passed(), "{}: {:?}", topology.describe(), report.violations);
        }
        let mut wrong = reduce.clone();
        let outputs = &mut wrong.classes[0].outputs;
        let busy = outputs.iter().position(|track| track.runs.len() > 1).unwrap();
        outputs[busy].runs.iter_mut().for_each(|run| run.source = Source::Idle);
        assert!(!check::by_execution(&wrong).passed() && !check::by_structure(&wrong).passed());
    }
}

#[test]
fn schemes_are_right_on_other_networks_or_refuse_them_by_name() {
    let mut woven = 0;
    for topology in lattices().iter().take(6).chain(&others()) {
        for scheme in SCHEMES {
            for link in [Link::default(), Link::half(1)] {
                let task = Task { link, ..task(topology, 1) };
                let collective = scheme.collectives()[0];
                let traffic = match collective {
                    Collective::AllReduce => CollectiveTraffic::everywhere(1),
                    _ => CollectiveTraffic { collective, ..Default::default() },
                };
                let task = Task { choice: Choice { traffic: traffic.into(), ..Choice::default() }, ..task };
                if let Err(unmet) = scheme.fits(&task) {
                    let named = ["a torus, mesh, cycle or path", "full-duplex links"];
                    let is_named = named.iter().any(|needs| unmet.to_string().contains(needs));
                    assert!(is_named, "{scheme} on a {}: {unmet}", topology.describe());
                    continue;
                }
                let program = scheme.woven(&task, Title::new("any", "any")).unwrap().program;
                assert_eq!(program.duplex, Duplex::Full);
                if program.demand.is_gossip() {
                    assert!(complete_at(topology, &executed(&program)).is_some(), "{scheme}");
                }
                let report = check::by_execution(&program);
                assert!(report.passed(), "{scheme} on a {}: {:?}", topology.describe(), report.violations);
                woven += 1;
            }
        }
    }
    assert_eq!(woven, 6 * 2 + 10 * 4 + 2, "two schemes on every lattice, four everywhere, and one more on cylinders");
}
