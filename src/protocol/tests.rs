//! Figures 2, 3 and 4 of Bhatt, Pucci, Ranade and Rosenberg, cell for cell, and the machines beside the formulas.

use super::*;
use crate::net::splitmix::Splitmix;
use crate::net::{NodeId, ShapeName, Topology};
use crate::paths::rooted::Rooted;
use crate::schemes::scatter::closed::{self, Timing};

const FIGURE_2: &str = "\
;(1);;;;
;m1,1;(2);;;
m1,1;m1,2;m2,1;(3);;
m1,2;m2,1;m2,2;;(1);
m2,1;m2,2;m2,3;;m4,1;(2)
m2,2;m2,3;;m4,1;m4,2;m5,1
m2,3;;m4,1;m4,2;m5,1;
;m4,1;m4,2;m5,1;;
m4,1;m4,2;m5,1;;;
m4,2;m5,1;;;;
m5,1;;;;;";

const FIGURE_3: &str = "\
;(1);;;;
;m1,1;(9);;;
m1,1;m1,2;;(7);;
m1,2;m1,3;;;(6);
m1,3;m1,4;;;;(4)
m1,4;m1,5;;;;
m1,5;m1,6;;;;
m1,6;m1,7;;;;m5,1
m1,7;m1,8;;m3,1;m5,1;
m1,8;m1,9;m3,1;m5,1;;
m1,9;m3,1;m5,1;;;
m3,1;m5,1;;;;
m5,1;;;;;";

const FIGURE_4: &str = "\
;[*];;;;
;;[*];;;
;;;[*];;
;;;;[*];
;;;;;[*]
;;;;<1>;
;;;<2>;;
;;<4>;;;
;<3>;;;;
<3>;;;;;
;(3);;;;
;;(3);;;
;m1,1;;(4);;
m1,1;m1,2;m2,1;;(2);
m1,2;m2,1;m2,2;;m4,1;(2)
m2,1;m2,2;m2,3;m4,1;m4,2;m5,1
m2,2;m2,3;m4,1;m4,2;m5,1;
m2,3;m4,1;m4,2;m5,1;;
m4,1;m4,2;m5,1;;;
m4,2;m5,1;;;;
m5,1;;;;;";

fn line(nodes: u32) -> Rooted {
    Rooted::path(&Topology::new(ShapeName::Path, &[nodes]).unwrap(), NodeId(0)).unwrap()
}

fn table(tree: &Rooted, events: &[Event]) -> String {
    rows(tree, events).iter().map(|row| row.join(";")).collect::<Vec<_>>().join("\n")
}

#[test]
fn figures_2_and_3_are_those_of_shoulder_tap() {
    let path = line(6);
    for (lengths, figure) in [([0, 2, 3, 0, 2, 1], FIGURE_2), ([0, 9, 0, 1, 0, 1], FIGURE_3)] {
        assert_eq!(table(&path, &shoulder_tap::play(&path, &lengths).unwrap()), figure);
    }
}

#[test]
fn figure_4_is_that_of_transmission_certification() {
    let path = line(6);
    let events = certification::play(&path, &[0, 2, 3, 0, 2, 1], certification::Children::Single);
    assert_eq!(table(&path, &events), FIGURE_4);
}

/// Lengths as they come: zeros among them, one giant, all zero but one.
fn lengths(random: &mut Splitmix, nodes: u32) -> Vec<u32> {
    let only = random.below(nodes);
    let kind = random.below(4);
    let length = |node: u32, random: &mut Splitmix| match kind {
        0 => [0, 0, 1, 1, 2, 3, 6, 9][random.below(8) as usize],
        1 => 1,
        2 => random.below(3) + if node == only { 60 } else { 0 },
        _ => {
            if node == only {
                4
            } else {
                0
            }
        }
    };
    (0..nodes).map(|node| length(node, random)).collect()
}

/// Asserts that the machines send exactly the flits that the formulas give, on every link.
fn assert_flits(tree: &Rooted, lengths: &[u32], events: &[Event], timing: &Timing) {
    let mut expected = Vec::new();
    for node in tree.topology().node_ids().filter(|&node| node != tree.root()) {
        for flit in 0..lengths[node.index()] {
            let (mut at, mut tick) = (node, timing.first[node.index()] + flit);
            while let Some(to) = tree.parent(at) {
                expected.push(Event { tick, from: at, to, word: RegisterContents::Flit { of: node, flit } });
                (at, tick) = (to, tick + 1);
            }
        }
    }
    expected.sort_unstable();
    let mut sent: Vec<Event> =
        events.iter().copied().filter(|event| matches!(event.word, RegisterContents::Flit { .. })).collect();
    sent.sort_unstable();
    assert_eq!(sent, expected);
    assert_eq!(sent.last().map_or(0, |event| event.tick), timing.ticks);
    assert!(
        expected.windows(2).all(|pair| (pair[0].tick, pair[0].from) != (pair[1].tick, pair[1].from)),
        "two at once"
    );
}

#[test]
fn theorem_2_shoulder_tap_is_its_formula() {
    let mut random = Splitmix(11);
    for _ in 0..1500 {
        let nodes = 2 + random.below(14);
        let path = line(nodes);
        let lengths = lengths(&mut random, nodes);
        let timing = closed::shoulder_tap(&path, &lengths);
        assert_flits(&path, &lengths, &shoulder_tap::play(&path, &lengths).unwrap(), &timing);
        assert_eq!(timing.ticks, equation_7(&lengths), "{lengths:?}");
    }
}

/// Equation (7), taken as an equality: each message as soon as the tap can be there and the ones before it are through.
fn equation_7(lengths: &[u32]) -> u32 {
    let n = lengths.len() - 1;
    let (mut before, mut last): (Option<(u32, usize)>, u32) = (None, 0);
    for place in (1..=n).filter(|&place| lengths[place] > 0) {
        let tapped = place as u32 + if place < n { 2 } else { 1 };
        let free = before.map_or(0, |(first, of)| (first + lengths[of] + of as u32).saturating_sub(place as u32));
        let first = tapped.max(free);
        before = Some((first, place));
        last = last.max(first + lengths[place] + place as u32 - 2);
    }
    last
}

/// The text lets the last node wait for a tap that it does not pass on.
#[test]
fn phase_2_as_printed_misses_equation_7() {
    let mut random = Splitmix(13);
    let mut missed = 0;
    for _ in 0..300 {
        let nodes = 2 + random.below(12);
        let path = line(nodes);
        let lengths = lengths(&mut random, nodes);
        let last = nodes as usize - 1;
        let tap = closed::taps(&path, &lengths)[last];
        let as_printed = last as u32 + tap.max(2);
        let timing = closed::shoulder_tap(&path, &lengths);
        assert!(timing.first[last] <= as_printed);
        let ends = as_printed + lengths[last] + last as u32 - 2;
        missed += u32::from(lengths[last] > 0 && ends > equation_7(&lengths));
    }
    assert!(missed > 20, "missed {missed} times");
}

/// A message of one flit a node of the 16x16 torus: a broadcast in its breadth-first tree takes some 30 rows.
#[test]
fn theorem_3_does_not_hold_for_the_walk_that_it_describes() {
    let torus = Topology::new(ShapeName::Torus, &[16, 16]).unwrap();
    let tree = Rooted::breadth_first(&torus, NodeId(0));
    let timing = closed::certification(&tree, &vec![1; 256], closed::PortChoice::Single);
    let broadcast = rows_of_a_broadcast(&tree, NodeId(0));
    assert!(broadcast < 40);
    assert!(timing.ticks > 3 * broadcast + 255, "{} rows", timing.ticks);
    assert!(timing.ticks >= 2 * 255 + 255);
}

/// A node tells one child a row, first those that take longest.
fn rows_of_a_broadcast(tree: &Rooted, node: NodeId) -> u32 {
    let mut below: Vec<u32> = tree.children(node).into_iter().map(|child| rows_of_a_broadcast(tree, child)).collect();
    below.sort_unstable_by(|a, b| b.cmp(a));
    (1..).zip(below).map(|(turn, rows)| turn + rows).max().unwrap_or(0)
}

/// A random spanning tree of a mesh or torus.
fn tree(random: &mut Splitmix) -> Rooted {
    let shapes = [
        (ShapeName::Mesh, vec![3, 4]),
        (ShapeName::Torus, vec![4, 5]),
        (ShapeName::Torus, vec![2, 3, 2]),
        (ShapeName::Path, vec![7]),
    ];
    let (shape, dims) = &shapes[random.below(4) as usize];
    let topology = Topology::new(*shape, dims).unwrap();
    let root = NodeId(random.below(topology.nodes()));
    let mut parents = vec![None; topology.nodes() as usize];
    let mut inside = vec![root];
    while inside.len() < parents.len() {
        let node = inside[random.below(inside.len() as u32) as usize];
        let ports: Vec<_> = topology.linked_ports(node).collect();
        let there = topology.step(node, ports[random.below(ports.len() as u32) as usize]).unwrap();
        if !inside.contains(&there) {
            parents[there.index()] = Some(node.0);
            inside.push(there);
        }
    }
    Rooted::of_parents(&topology, root, &parents).unwrap()
}

#[test]
fn theorem_3_transmission_certification_is_its_formula() {
    use certification::Children;
    let mut random = Splitmix(12);
    for _ in 0..600 {
        let tree = tree(&mut random);
        let nodes = tree.topology().nodes();
        let lengths = lengths(&mut random, nodes);
        for (ports, closed_ports) in
            [(Children::Single, closed::PortChoice::Single), (Children::All, closed::PortChoice::All)]
        {
            let events = certification::play(&tree, &lengths, ports);
            assert_flits(&tree, &lengths, &events, &closed::certification(&tree, &lengths, closed_ports));
            if ports == Children::Single {
                assert_single_port(&events);
            }
        }
    }
}

/// No node sends two words in a tick or receives two.
fn assert_single_port(events: &[Event]) {
    let ends: [fn(&Event) -> NodeId; 2] = [|event| event.from, |event| event.to];
    for end in ends {
        let mut seen: Vec<_> = events.iter().map(|event| (event.tick, end(event))).collect();
        seen.sort_unstable();
        assert!(seen.windows(2).all(|pair| pair[0] != pair[1]), "two words at one node in one tick");
    }
}
