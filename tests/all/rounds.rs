//! The algorithms of others, played on a torus word by word: every sum is right, and they take what the formulas say.

use std::collections::{BTreeMap, BTreeSet};

use torusweave::net::{NodeId, Port, ShapeName, Topology};
use torusweave::program::Link;
use torusweave::schemes::hamiltonian::Hamiltonian;
use torusweave::study::rounds::{Algorithm, axes_from, swing, turns};
use torusweave::task::{Choice, Scheme, Task};

use crate::fixtures::command::Place;
use crate::fixtures::designs::design_on;

/// Blocks of a vector by the node that they are for.
type Blocks = BTreeSet<u32>;

/// A message of a round: from whom, to whom, which blocks.
struct Message {
    from: u32,
    to: u32,
    blocks: Blocks,
}

/// One copy of an algorithm: the messages of each round, and along which axis they go and whether that is its mirror image.
struct Copy {
    rounds: Vec<(usize, Vec<Message>)>,
    is_mirrored: bool,
}

fn topology(shape: ShapeName, dims: &[u32]) -> Topology {
    Topology::new(shape, dims).unwrap()
}

/// A node's place along an axis, counted backwards in a mirror image.
fn place(topology: &Topology, node: u32, axis: usize, is_mirrored: bool) -> u32 {
    let (side, at) = (topology.side(axis), topology.coord(NodeId(node), axis));
    if is_mirrored { (side - at) % side } else { at }
}

/// The node that differs from another one in its place along an axis.
fn moved(topology: &Topology, node: u32, axis: usize, is_mirrored: bool, to: u32) -> u32 {
    let side = topology.side(axis);
    let mut coords = topology.coords(NodeId(node));
    coords[axis] = if is_mirrored { (side - to) % side } else { to };
    topology.node(&coords).0
}

/// Everybody has all blocks at first; along each axis all go round once, and each node keeps those for its own place.
fn bucket(topology: &Topology, copy: usize, is_mirrored: bool) -> Copy {
    let mut rounds = Vec::new();
    let mut done: Vec<usize> = Vec::new();
    for axis in axes_from(topology, copy) {
        let side = topology.side(axis);
        let at = |node| place(topology, node, axis, is_mirrored);
        for step in 1..side {
            let messages = (0..topology.nodes()).map(|from| {
                let to = moved(topology, from, axis, is_mirrored, (at(from) + 1) % side);
                let is_sent = |&block: &u32| {
                    let is_mine =
                        |&axis: &usize| topology.coord(NodeId(block), axis) == topology.coord(NodeId(from), axis);
                    at(block) == (at(from) + side - step) % side && done.iter().all(is_mine)
                };
                Message { from, to, blocks: (0..topology.nodes()).filter(is_sent).collect() }
            });
            rounds.push((axis, messages.collect()));
        }
        done.push(axis);
    }
    Copy { rounds, is_mirrored }
}

/// In each round two nodes exchange what the other one, or whom it will meet later, is to have.
fn exchange(topology: &Topology, copy: usize, is_mirrored: bool, partner: fn(u32, u32, u32) -> u32) -> Copy {
    let turns = turns(topology, copy);
    let nodes = topology.nodes();
    let partner = |node: u32, (axis, turn): (usize, u32)| {
        let to = partner(topology.side(axis), place(topology, node, axis, is_mirrored), turn);
        moved(topology, node, axis, is_mirrored, to)
    };
    let mut keeps: Vec<Blocks> = (0..nodes).map(|node| Blocks::from([node])).collect();
    let mut rounds = Vec::new();
    for &turn in turns.iter().rev() {
        let message = |from| {
            let to = partner(from, turn);
            Message { from, to, blocks: keeps[to as usize].clone() }
        };
        let messages: Vec<Message> = (0..nodes).map(message).collect();
        for Message { from, blocks, .. } in &messages {
            keeps[*from as usize].extend(blocks);
        }
        rounds.push((turn.0, messages));
    }
    rounds.reverse();
    Copy { rounds, is_mirrored }
}

fn swung(side: u32, place: u32, turn: u32) -> u32 {
    let far = if place.is_multiple_of(2) { swing(turn) } else { -swing(turn) };
    (i64::from(place) + far).rem_euclid(side.into()) as u32
}

fn copies(algorithm: Algorithm, topology: &Topology) -> Vec<Copy> {
    let of = |copy: usize, is_mirrored: bool| match algorithm {
        Algorithm::Ring => unreachable!("a ring has cycles of its own"),
        Algorithm::Bucket => bucket(topology, copy, is_mirrored),
        Algorithm::Swing => exchange(topology, copy, is_mirrored, swung),
        Algorithm::Doubling => exchange(topology, copy, is_mirrored, |_, place, turn| place ^ (1 << turn)),
    };
    (0..topology.axes()).flat_map(|copy| [of(copy, false), of(copy, true)]).collect()
}

/// Adds up the values that all nodes have for each other: no value comes twice, and in the end none is missing.
fn assert_sums_are_right(topology: &Topology, copy: &Copy) {
    let nodes = topology.nodes();
    let mut values: Vec<BTreeMap<u32, BTreeSet<u32>>> =
        (0..nodes).map(|node| (0..nodes).map(|block| (block, BTreeSet::from([node]))).collect()).collect();
    for (_, messages) in &copy.rounds {
        let sent: Vec<_> = messages
            .iter()
            .flat_map(|Message { from, to, blocks }| blocks.iter().map(move |&block| (*from, *to, block)))
            .map(|(from, to, block)| (to, block, values[from as usize].remove(&block).expect("it is still there")))
            .collect();
        for (to, block, value) in sent {
            let sum = values[to as usize].get_mut(&block).expect("a block is sent to who has it");
            assert!(sum.is_disjoint(&value), "node {to}, block {block}");
            sum.extend(value);
        }
    }
    for (node, values) in (0..).zip(values) {
        assert_eq!((values.len(), values[&node].len()), (1, nodes as usize), "node {node}");
    }
}

/// The links of a message one after the other; half way round a copy goes one way, its mirror image the other.
fn way(topology: &Topology, axis: usize, is_mirrored: bool, message: &Message) -> Vec<(u32, Port)> {
    let side = topology.side(axis);
    let ahead = (topology.coord(NodeId(message.to), axis) + side - topology.coord(NodeId(message.from), axis)) % side;
    let is_ahead = 2 * ahead < side || 2 * ahead == side && !is_mirrored;
    let (port, hops) = if is_ahead { (Port::plus(axis), ahead) } else { (Port::minus(axis), side - ahead) };
    let mut at = NodeId(message.from);
    let hop = |_| {
        let here = at.0;
        at = topology.step(at, port).unwrap();
        (here, port)
    };
    (0..hops).map(hop).collect()
}

/// A word by its message, the links that it has crossed, and from when on it can cross the next.
type Word = (usize, usize, u64);

/// Plays a round: a word per link and tick, on its next link from `latency` ticks later on, who has the farthest to go first.
fn played(ways: &[(Vec<(u32, Port)>, u64)], latency: u64) -> u64 {
    let mut queues: BTreeMap<(u32, Port), Vec<Word>> = BTreeMap::new();
    let mut words = 0;
    for (message, (way, count)) in ways.iter().enumerate() {
        for _ in 0..*count {
            queues.entry(way[0]).or_default().push((message, 0, 1));
            words += 1;
        }
    }
    let mut tick = 0;
    while words > 0 {
        tick += 1;
        let mut moved = Vec::new();
        for queue in queues.values_mut() {
            let ready = queue.iter().enumerate().filter(|(_, (_, _, from))| *from <= tick);
            let farthest = ready.max_by_key(|(_, (message, hop, _))| ways[*message].0.len() - hop).map(|(at, _)| at);
            moved.extend(farthest.map(|at| queue.remove(at)));
        }
        for (message, hop, _) in moved {
            match ways[message].0.get(hop + 1) {
                Some(&next) => queues.entry(next).or_default().push((message, hop + 1, tick + latency)),
                None => words -= 1,
            }
        }
    }
    tick + latency - 1
}

/// The ticks of all rounds of all copies together, if a block of each has so many words.
fn ticks(topology: &Topology, copies: &[Copy], words: u64, latency: u32) -> u64 {
    let round = |round: usize| {
        let ways = copies.iter().flat_map(|copy| {
            let (axis, messages) = &copy.rounds[round];
            messages
                .iter()
                .map(|message| (way(topology, *axis, copy.is_mirrored, message), words * message.blocks.len() as u64))
        });
        played(&ways.collect::<Vec<_>>(), latency.into())
    };
    (0..copies[0].rounds.len()).map(round).sum()
}

#[test]
fn algorithms_played_word_by_word_take_what_their_formulas_say() {
    let torus = |dims: &[u32]| topology(ShapeName::Torus, dims);
    let networks = [
        topology(ShapeName::Cycle, &[8]),
        topology(ShapeName::Cycle, &[16]),
        torus(&[4, 4]),
        torus(&[2, 4]),
        torus(&[8, 8]),
        torus(&[4, 8]),
        torus(&[4, 4, 4]),
        torus(&[3, 5]),
        torus(&[6, 6]),
    ];
    let mut compared = 0;
    for topology in &networks {
        for algorithm in [Algorithm::Bucket, Algorithm::Swing, Algorithm::Doubling] {
            if algorithm.fits(topology).is_err() {
                continue;
            }
            let copies = copies(algorithm, topology);
            for copy in &copies {
                assert_sums_are_right(topology, copy);
            }
            assert_eq!(copies[0].rounds.len() as u64, algorithm.messages(topology));
            for (words, latency) in [(1, 1), (1, 3), (3, 1), (3, 2)] {
                let all = 2 * topology.axes() as u64 * u64::from(topology.nodes()) * words;
                let formula = algorithm.ticks(topology, all, latency);
                let found = ticks(topology, &copies, words, latency);
                let what = format!("{algorithm} on {topology}, blocks of {words}, latency {latency}");
                // on long links messages that meet can lose a tick, which the formula leaves out
                let lost = if latency == 1 { 0 } else { algorithm.messages(topology) / 2 };
                assert!((formula..=formula + lost).contains(&found), "{what}: {found}, not {formula}");
                compared += 1;
            }
        }
    }
    assert!(compared > 80, "{compared}");
}

/// On each of the cycles of a cover, both ways round, everybody sends to the next node, and no link is used twice.
#[test]
fn rings_take_what_their_formula_says() {
    for dims in [&[4, 4][..], &[5, 3], &[4, 6], &[3, 3, 4]] {
        let torus = topology(ShapeName::Torus, dims);
        let task = Task { topology: &torus, link: Link::default(), choice: Choice::default() };
        let cover = Hamiltonian.cover(&task).expect("it runs along cycles");
        let ring = topology(ShapeName::Cycle, &[torus.nodes()]);
        let mut links = BTreeSet::new();
        let mut copies = 0;
        for cycle in 0..cover.cycles() {
            assert_eq!(cover.length(cycle), torus.nodes());
            for is_mirrored in [false, true] {
                assert_sums_are_right(&ring, &bucket(&ring, 0, is_mirrored));
                for (node, port) in cover.nodes(cycle) {
                    let link =
                        if is_mirrored { (torus.step(node, port).unwrap(), port.opposite()) } else { (node, port) };
                    assert!(links.insert(link), "{dims:?}: one copy per link");
                }
                copies += 1;
            }
        }
        assert_eq!(copies, 2 * dims.len());
        for (words, latency) in [(1, 1), (2, 3)] {
            let one = ticks(&ring, &[bucket(&ring, 0, false), bucket(&ring, 0, true)], words, latency);
            let all = copies as u64 * u64::from(torus.nodes()) * words;
            assert_eq!(one, Algorithm::Ring.ticks(&torus, all, latency), "{dims:?}");
        }
    }
}

/// A row `4x6 torus,all-reduce,staircase,6,...` is the program for packets of as many flits as the six split into.
#[test]
fn our_own_ticks_are_those_of_the_programs() {
    let place = Place::new();
    let mut compared = 0;
    for collective in ["all-reduce", "reduce-scatter"] {
        let ended = place.run(&format!("compare --torus 4x6 --collective {collective} --flits 1,2,6 --format csv"));
        for row in ended.stdout.lines().skip(1) {
            let [_, _, scheme, flits, ticks, bound] = row.split(',').collect::<Vec<_>>()[..] else { panic!("{row}") };
            let (ticks, bound): (u64, u64) = (ticks.parse().unwrap(), bound.parse().unwrap());
            assert!(ticks >= bound, "{row}");
            if Algorithm::ALL.iter().any(|algorithm| algorithm.name() == scheme) {
                continue;
            }
            let of = |flits: u32| {
                let settings = [scheme, collective, "sum", &flits.to_string()];
                let fields = ["scheme", "collective", "operation", "link.flits"];
                let settings: Vec<String> =
                    fields.iter().zip(settings).map(|(field, it)| format!("{field}={it}")).collect();
                design_on(ShapeName::Torus, &[4, 6], &settings.iter().map(String::as_str).collect::<Vec<_>>()).program
            };
            let packets = u32::from(of(1).packets());
            let program = of(flits.parse::<u32>().unwrap().div_ceil(packets));
            assert_eq!(ticks, u64::from(program.ticks), "{row}");
            compared += 1;
        }
    }
    // four schemes each, and `general` where the bound of an all-reduce is not met
    assert_eq!(compared, 2 * 3 * 4 + 3);
}
