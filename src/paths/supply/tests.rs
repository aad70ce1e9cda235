//! Programs with one fault in their supply, every one of which execution must show; covers that cannot be supplied.

use super::search::SupplySearch;
use super::*;
use crate::net::Torus;
use crate::net::splitmix::Splitmix;
use crate::paths::cover::Walk;
use crate::play::steps_to_complete;
use crate::program::{ClassId, Track};
use crate::schemes::{hamiltonian, staircase, zigzag};

/// The output that drives a feed's last link.
fn sender(program: &Program, node: NodeId, feed: Feed) -> (ClassId, Port) {
    (program.class_of[program.topology.step(node, feed.port).unwrap().index()], feed.port.opposite())
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
            // in a zigzag row many packets of one cycle arrive by another too, so a fault need not show
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

/// Returns the node and the cycle that cannot be supplied.
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

/// Some of a torus' Hamiltonian cycles, cut short by chance: where a cycle goes along three sides of a square it may take the
/// fourth, if that is free.
fn cut_short(dims: &[u32], random: &mut Splitmix) -> Cover {
    let mut below = |limit: usize| random.below(limit as u32) as usize;
    let torus = Torus::new(dims).unwrap();
    let whole = hamiltonian::cover(&torus).unwrap();
    let mut walks: Vec<Walk> = (0..whole.cycles())
        .map(|cycle| Walk { start: whole.start(cycle), moves: whole.nodes(cycle).map(|(_, port)| port).collect() })
        .collect();
    for _ in 0..below(walks.len()) {
        walks.remove(below(walks.len()));
    }
    for _ in 0..below(200) {
        let mut shorter = walks.clone();
        let walk = &mut shorter[below(walks.len())];
        let at = below(walk.moves.len() - 2);
        if walk.moves[at + 2] == walk.moves[at].opposite() && walk.moves.len() > 5 {
            walk.moves.remove(at + 2);
            walk.moves.remove(at);
            if Cover::new(&torus, &shorter, |_| false).is_ok() {
                walks = shorter;
            }
        }
    }
    Cover::new(&torus, &walks, |_| false).unwrap()
}

/// Returns the cover with other double nodes.
fn with_doubles(cover: &Cover, double: impl Fn(NodeId) -> bool) -> Cover {
    let walk = |cycle| Walk { start: cover.start(cycle), moves: cover.nodes(cycle).map(|(_, port)| port).collect() };
    Cover::new(cover.topology(), &(0..cover.cycles()).map(walk).collect::<Vec<_>>(), double).unwrap()
}

fn covers() -> impl Iterator<Item = Cover> {
    let tori = [&[3, 4][..], &[4, 4], &[2, 6], &[5, 5], &[3, 3, 3], &[4, 3, 3], &[4, 3, 5], &[3, 3, 3, 3]];
    let mut random = Splitmix(2);
    (0..70).flat_map(move |_| tori).map(move |dims| cut_short(dims, &mut random))
}

type Links = Vec<(u32, Port, Port)>;

/// Cost to minimise, in this order: largest distance, sum of distances, ports of the shortest arcs, ports of the first
/// cycle.
type Cost = (u32, u32, Links, Links);

/// The best supply over two free links of each cycle that a node misses, by trying all.
fn best(cover: &Cover, node: NodeId, missing: &[usize], links: &[(u32, Port, Port)]) -> Option<Cost> {
    let Some((&cycle, others)) = missing.split_first() else {
        let distances = || links.iter().map(|&(distance, ..)| distance);
        let ports = links.iter().map(|&(distance, one, other)| (distance, one.min(other), one.max(other)));
        let mut sorted = links.to_vec();
        sorted.sort_unstable();
        return Some((distances().max().unwrap(), distances().sum(), sorted, ports.collect()));
    };
    let is_taken = |port| links.iter().any(|&(_, one, other)| port == one || port == other);
    let place = |port| cover.standing(cycle, cover.topology().step(node, port)?);
    let free = cover.topology().port_ids().filter(|&port| cover.owner(node, port).is_none() && !is_taken(port));
    let places: Vec<(Port, u32)> = free.filter_map(|port| Some((port, place(port)?))).collect();
    let pairs =
        places.iter().enumerate().flat_map(|(index, one)| places[index + 1..].iter().map(move |two| (one, two)));
    let length = cover.length(cycle);
    let found = pairs.filter_map(|(&(one, from), &(other, to))| {
        let (there, back) = ((to + length - from) % length, (from + length - to) % length);
        let link = if there <= back { (there, one, other) } else { (back, other, one) };
        best(cover, node, others, &[links, &[link]].concat())
    });
    found.min()
}

#[test]
fn no_other_choice_of_links_supplies_a_node_better() {
    let (mut direct, mut twice, mut relayed) = (0, 0, 0);
    let doubled = covers().zip(0..).map(|(cover, seed)| with_doubles(&cover, |node| node.0 % 5 == seed % 15));
    for cover in doubled {
        let topology = cover.topology();
        let missing =
            |node| -> Vec<usize> { (0..cover.cycles()).filter(|&cycle| cover.place(cycle, node).is_none()).collect() };
        let best = |node| best(&cover, node, &missing(node), &[]);
        let supplies = match supplies(&cover) {
            Ok(supplies) => supplies,
            Err(SupplyError::Unsupported { node, cycle }) => {
                assert_eq!((best(node), cycle), (None, missing(node)[0]));
                continue;
            }
            Err(other) => panic!("{other}"),
        };
        for node in topology.node_ids().filter(|&node| !missing(node).is_empty()) {
            let supplies: Vec<&Supply> = supplies.iter().filter(|supply| supply.node == node).collect();
            assert!(supplies.iter().map(|supply| usize::from(supply.cycle)).eq(missing(node)));
            for feed in supplies.iter().flat_map(|supply| [supply.lower, supply.upper]) {
                let next = topology.step(node, feed.port).unwrap();
                let supporter = feed.relay.map_or(next, |port| topology.step(next, port).unwrap());
                assert_eq!(supporter, feed.supporter);
            }
            if let Some(best) = best(node) {
                let ports = supplies.iter().map(|supply| {
                    let (one, other) = (supply.lower.port, supply.upper.port);
                    (supply.distance, one.min(other), one.max(other))
                });
                let mut links: Links =
                    supplies.iter().map(|supply| (supply.distance, supply.lower.port, supply.upper.port)).collect();
                links.sort_unstable();
                assert_eq!((best.2, best.3), (links, ports.collect()), "{topology}, node {node:?}");
                (direct, twice) = (direct + 1, twice + u32::from(supplies.len() > 1));
            } else {
                let [supply] = supplies[..] else { panic!("who relays misses one cycle") };
                let relays = [supply.lower, supply.upper].map(|feed| feed.relay.is_some());
                assert!(relays[0] != relays[1], "one stream comes straight, the other by way of the neighbour");
                relayed += 1;
            }
        }
    }
    println!("{direct} nodes supplied over their own links, {twice} with several cycles, {relayed} by a neighbour");
    assert!(direct > 1000 && twice > 20 && relayed > 30, "{direct}, {twice}, {relayed}");
}

/// Two cycles that are each other's mirror image pass a node on the mirror by: two links do as well for either.
#[test]
fn of_choices_that_are_as_good_the_first_one_stands() {
    let moves = |ports: [usize; 12]| ports.map(Port::from_index).to_vec();
    let one = Walk { start: NodeId(18), moves: moves([5, 0, 4, 3, 3, 0, 4, 2, 5, 0, 3, 3]) };
    let image = Walk { start: NodeId(6), moves: moves([5, 2, 4, 1, 1, 2, 4, 0, 5, 2, 1, 1]) };
    let cover = Cover::new(&Torus::new(&[3, 3, 3]).unwrap(), &[one, image], |_| false).unwrap();
    let mut search = SupplySearch::new(&cover);
    assert!(search.run(NodeId(0)));
    let links = search.best.iter().map(|supply| (supply.distance, supply.lower.port, supply.upper.port));
    let [x1, x2] = [0, 1].map(|axis| (3, Port::minus(axis), Port::plus(axis)));
    assert_eq!(links.collect::<Vec<_>>(), [x1, x2]);
}

/// Asserts that every repeated part starts again before the program ends.
fn assert_rounds_come_round(program: &Program) {
    let mut tracks = program.classes.iter().flat_map(|class| &class.outputs);
    let once = |track: &Track| track.runs.iter().map(|run| run.ticks).sum::<u32>();
    assert!(tracks.all(|track| track.repeat_from.is_none() || once(track) < program.ticks));
}

#[test]
fn programs_along_any_cycles_end_with_the_last_packet() {
    let mut tried = 0;
    for (cover, switching) in covers().flat_map(|cover| Switching::ALL.map(|switching| (cover.clone(), switching))) {
        let Ok(program) = program(&cover, Packets::Shared, switching, Title::new("t", "s")) else { continue };
        assert_eq!(steps_to_complete(&program), Some(program.ticks), "{}, {switching}", cover.topology());
        assert_rounds_come_round(&program);
        tried += usize::from(!cover.passes_every_node());
    }
    println!("{tried} programs");
    assert!(tried > 50, "{tried}");
}

/// Covers with as many packets as cycles: a node off one cycle is double on the other.
#[test]
fn double_nodes_that_turn_alike_send_alike_whichever_way_round() {
    let (mut tried, mut ways) = (0, [0, 0]);
    for cover in covers().filter(|cover| cover.cycles() == 2) {
        let topology = cover.topology();
        let lies_on = |node| (0..2).filter(|&cycle| cover.place(cycle, node).is_some()).count();
        let walks = [0, 1]
            .map(|cycle| Walk { start: cover.start(cycle), moves: cover.nodes(cycle).map(|(_, port)| port).collect() });
        let cover = Cover::new(topology, &walks, |node| lies_on(node) == 1).unwrap();
        for switching in Switching::ALL {
            let Ok(program) = program(&cover, Packets::PerCycle, switching, Title::new("t", "s")) else { continue };
            assert_eq!(steps_to_complete(&program), Some(program.ticks), "{topology}, {switching}");
            assert_rounds_come_round(&program);
            tried += 1;
            for node in topology.node_ids().filter(|&node| cover.is_double(node)) {
                let visit = (0..2).find_map(|cycle| cover.visit(cycle, node)).unwrap();
                ways[usize::from(visit.from < visit.to)] += 1;
                let owns = |port: Port| {
                    let track = &program.class(node).outputs[port.index()];
                    [1, 2].map(|tick| track.source_at(tick))
                };
                let (low, high) = (visit.from.min(visit.to), visit.from.max(visit.to));
                assert_eq!((owns(low), owns(high)), ([0, 1].map(Source::own), [1, 0].map(Source::own)));
            }
        }
    }
    println!("{tried} programs, nodes by way {ways:?}");
    assert!(tried > 20 && ways.iter().all(|&nodes| nodes > 10), "{tried}, {ways:?}");
}

/// Tries every plan: a supporter's track sends its own packets, the later place first, then its stream.
#[test]
fn a_track_is_its_plan_after_the_own_packets() {
    let torus = Torus::new(&[3, 4]).unwrap();
    let (from, to) = (Port::minus(1), Port::plus(1));
    let mut repeat = 0;
    for (length, switching) in (4..=16).flat_map(|length| Switching::ALL.map(|switching| (length, switching))) {
        for (distance, double) in (0..=length / 2).flat_map(|distance| [(distance, false), (distance, true)]) {
            for ticks in 2..=length {
                let plan = plan(distance, length, switching);
                for phases in [plan.lower, plan.upper] {
                    let mut builder =
                        ProgramBuilder::new(&torus, ticks, Packets::PerCycle.demand(&rows([3, 4], &[0, 1])));
                    let pass = CyclePassage { cycle: 0, from, to, double, own: [0, 1] };
                    let track = streams::track(&mut builder, &phases, &pass);
                    builder.set(NodeId(0), to, track);
                    let program = builder.finish(Title::new("t", "s"));
                    assert_rounds_come_round(&program);
                    let track = &program.class(NodeId(0)).outputs[to.index()];
                    repeat += usize::from(track.repeat_from.is_some());
                    let streams =
                        unrolled(&phases, ticks).flat_map(|(taus, stream)| taus.map(move |tau| (tau, stream)));
                    let expected = streams.map(|(tau, stream)| match stream {
                        _ if tau == 0 => Source::own(1),
                        SupplyStream::Forward if double && tau == 1 => Source::own(0),
                        SupplyStream::Forward => Source::input(from, 1 + u32::from(double)),
                        SupplyStream::Backward { late } => Source::input(to, 1 + late),
                    });
                    assert!(track.sources(ticks).eq(expected), "{length} {distance} {switching} {double}: {track:?}");
                }
            }
        }
    }
    assert!(repeat > 100, "{repeat}");
}

#[test]
fn a_cycle_takes_as_long_as_its_slowest_node() {
    let torus = Torus::new(&[5]).unwrap();
    let walk = Walk { start: NodeId(0), moves: vec![Port::plus(0); 5] };
    for double in torus.node_ids() {
        let cover = Cover::new(&torus, std::slice::from_ref(&walk), |node| node == double).unwrap();
        let program = program(&cover, Packets::Shared, Switching::None, Title::new("t", "s")).unwrap();
        assert_eq!((program.ticks, steps_to_complete(&program)), (3, Some(3)), "{double:?} is double");
    }
}
