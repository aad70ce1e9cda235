//! An executor that knows moves only, and the papers' steps.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::{formula, grid, line, optimal, torus, tree};
use crate::check;
use crate::net::{AxisDirection, NodeId, Port, ShapeName, Topology, Torus};
use crate::paths::moves::{self, PacketMove};
use crate::play::Machine;
use crate::program::{Link, Program, Title};
use crate::study::bounds::{self, Goal};
use crate::study::figures::ClassFigures;

fn network(shape: ShapeName, dims: &[u32]) -> Topology {
    Topology::new(shape, dims).unwrap()
}

/// An undirected link, by the end that it leaves upwards. A side of 2 has two parallel links.
fn link(topology: &Topology, from: NodeId, by: Port) -> (NodeId, usize) {
    let there = topology.step(from, by).expect("a link");
    (if by.way() == AxisDirection::Plus { from } else { there }, by.axis())
}

/// The tick after which all is known everywhere. Panics where a packet is sent by whom does not have it, arrives again,
/// or shares a link with too many others or with one that comes the other way.
pub(crate) fn execute(topology: &Topology, lanes: usize, moves: &[PacketMove]) -> u32 {
    let mut known: Vec<HashSet<NodeId>> = topology.node_ids().map(|node| HashSet::from([node])).collect();
    let mut rounds: BTreeMap<u32, Vec<PacketMove>> = BTreeMap::new();
    for &one in moves {
        rounds.entry(one.tick).or_default().push(one);
    }
    assert!(rounds.keys().next().is_none_or(|&first| first == 1), "nothing in tick 1");
    for (tick, moves) in &rounds {
        let mut used: HashMap<(NodeId, usize), (NodeId, Port, usize)> = HashMap::new();
        for &PacketMove { from, by, token, .. } in moves {
            assert!(known[from.index()].contains(&token), "{topology} tick {tick}: {from:?} has no {token:?}");
            let use_of = used.entry(link(topology, from, by)).or_insert((from, by, 0));
            assert_eq!((use_of.0, use_of.1), (from, by), "{topology} tick {tick}: both ends send");
            use_of.2 += 1;
            assert!(use_of.2 <= lanes, "{topology} tick {tick}: more than {lanes} packets out of {by} of {from:?}");
        }
        for &PacketMove { from, by, token, .. } in moves {
            let to = topology.step(from, by).unwrap();
            assert!(known[to.index()].insert(token), "{topology} tick {tick}: {token:?} again at {to:?}");
        }
    }
    let nodes = topology.nodes() as usize;
    assert!(known.iter().all(|known| known.len() == nodes), "{topology}: not complete");
    rounds.keys().next_back().copied().unwrap_or(0)
}

/// 004, Theorems 4 to 6, corrected.
#[test]
fn lau_zhang_mesh_takes_the_papers_steps() {
    for (m, n) in (2..=14).flat_map(|m| (2..=14).map(move |n| (m, n))) {
        let mesh = network(ShapeName::Mesh, &[m, n]);
        let (low, high) = (m.min(n), m.max(n));
        let steps = match (low == high, m * n % 2) {
            (_, 0) => m * n / 2 + high - 1,
            (true, _) => (n * n - 1) / 2 + n,
            (false, _) => (m * n - 1) / 2 + high - 1,
        };
        assert_eq!(execute(&mesh, 1, &grid::lau_zhang_mesh(&mesh)), steps, "{m}x{n}");
    }
}

#[test]
fn lau_zhang_torus_takes_the_papers_steps() {
    for (m, n) in (2..=14).flat_map(|m| (2..=14).map(move |n| (m, n))) {
        let torus = network(ShapeName::Torus, &[m, n]);
        let (low, high) = (m.min(n), m.max(n));
        let steps = match (low == high, m * n % 2) {
            (_, 0) => (m * n + high - low).div_ceil(2),
            (true, _) => (n * n).div_ceil(2),
            (false, _) => (m * n + high - low - 1) / 2,
        };
        assert_eq!(execute(&torus, 1, &grid::lau_zhang_torus(&torus)), steps, "{m}x{n}");
    }
}

#[test]
fn fujita_yamashita_takes_longer() {
    for n in 2..=40 {
        let path = network(ShapeName::Path, &[n]);
        assert_eq!(execute(&path, 1, &grid::fujita_yamashita_path(&path)), 2 * (n - 1), "{n}");
    }
    for n in 2..=14 {
        let mesh = network(ShapeName::Mesh, &[n, n]);
        let steps = if n % 2 == 0 { n * n / 2 + 2 * n - 3 } else { (n * n - 1) / 2 + 2 * n - 2 };
        assert_eq!(execute(&mesh, 1, &grid::fujita_yamashita_mesh(&mesh)), steps, "{n}");
    }
}

/// The copies of a tree rooted at every node.
fn translated(torus: &Torus, arcs: &[tree::TimedArc]) -> Vec<PacketMove> {
    let add = |a: NodeId, b: NodeId| {
        let sum: Vec<u32> = (0..torus.axes()).map(|axis| torus.coord(a, axis) + torus.coord(b, axis)).collect();
        torus.node(&sum)
    };
    let copies = arcs.iter().flat_map(|arc| torus.node_ids().map(move |token| (*arc, token)));
    let moves = copies.map(|(tree::TimedArc { time, by, node, .. }, token)| PacketMove {
        tick: time,
        from: add(torus.neighbour(node, by.opposite()), token),
        by,
        token,
    });
    moves.collect()
}

fn sides() -> Vec<Vec<u32>> {
    let planes = (2..=12).flat_map(|m| (m..=12).map(move |n| vec![m, n]));
    let spaces = (2..=5).flat_map(|a| (a..=5).flat_map(move |b| (b..=5).map(move |c| vec![a, b, c])));
    let more = [
        vec![2, 2, 2, 2],
        vec![2, 3, 2, 4],
        vec![3, 3, 3, 3],
        vec![4, 3, 4, 3],
        vec![2, 2, 2, 2, 2],
        vec![11, 13],
        vec![20, 19],
    ];
    planes.chain(spaces).chain(more).collect()
}

#[test]
fn one_lane_on_a_torus_takes_the_bound_and_no_link_turns() {
    for dims in sides() {
        let torus = Torus::new(&dims).unwrap();
        let arcs = torus::arcs(&torus, 1);
        assert!(arcs.iter().all(|arc| arc.by.way() == AxisDirection::Plus));
        assert_eq!(execute(&torus, 1, &translated(&torus, &arcs)), torus::bound(&dims, 1), "{dims:?}");
    }
}

#[test]
fn two_lanes_on_a_torus_take_the_bound_unless_it_is_thin() {
    for dims in sides() {
        let torus = Torus::new(&dims).unwrap();
        let arcs = torus::arcs(&torus, 2);
        let steps = execute(&torus, 2, &translated(&torus, &arcs));
        // on the thinnest box one step more
        let most = torus::known(&dims, 2) + u32::from(dims == [2, 2, 5]);
        assert_eq!(steps, most, "{dims:?}");
    }
}

#[test]
fn small_tori_seldom_read_the_store() {
    for (dims, most) in [(&[4, 4][..], 0), (&[5, 5], 2), (&[7, 7], 6), (&[8, 8], 7), (&[9, 9], 8), (&[4, 4, 4], 3)] {
        let torus = Torus::new(dims).unwrap();
        let arcs = optimal::arcs(&torus, 1);
        assert_eq!(execute(&torus, 1, &translated(&torus, &arcs)), torus::bound(dims, 1), "{dims:?}");
        let stored = tree::stored(&torus, &arcs);
        assert!(stored <= most, "{dims:?}: {stored}");
        let [figures] = &ClassFigures::of(&tree::program(&torus, 1, &arcs, title()))[..] else { panic!("one class") };
        assert_eq!(figures.stored as usize, stored, "{dims:?}");
    }
}

fn title() -> Title {
    Title::new("t", "s")
}

/// Legal, complete in the last tick, no packet twice.
fn assert_gossips(program: &Program, steps: u32) {
    let report = check::by_execution(program);
    let topology = &program.topology;
    assert!(report.violations.is_empty(), "{topology}: {:?}", report.violations.first());
    assert_eq!((report.complete_at, program.ticks, report.duplicates), (Some(steps), steps, Some(0)), "{topology}");
}

fn turns(program: &Program) -> u32 {
    check::by_execution(program).traffic.unwrap().turns
}

/// 003: one lane and two, on every line of up to 64 nodes; and how many classes that takes.
fn assert_lines(shape: ShapeName, lanes: u8, steps: impl Fn(u32) -> u32, classes: impl Fn(u32) -> u32) {
    for n in 2..=64 {
        let program = line::program(&network(shape, &[n]), lanes, title());
        assert_gossips(&program, steps(n));
        assert!(program.classes.len() as u32 <= classes(n), "{shape} of {n}: {} classes", program.classes.len());
    }
}

#[test]
fn theorem_2_1_is_met_on_every_cycle_and_no_link_turns() {
    assert_lines(ShapeName::Cycle, 1, |n| n - 1, |_| 1);
    assert_eq!(turns(&line::program(&network(ShapeName::Cycle, &[26]), 1, title())), 0);
}

#[test]
fn theorem_2_2_is_met_on_every_path() {
    assert_lines(ShapeName::Path, 1, |n| if n % 2 == 0 { 3 * n / 2 - 1 } else { 3 * (n - 1) / 2 }, |n| n);
}

#[test]
fn every_link_of_a_path_turns_at_most_once_with_one_lane() {
    for n in 2..=32 {
        let program = line::program(&network(ShapeName::Path, &[n]), 1, title());
        assert_eq!(turns(&program), 1, "{n}");
        let is_short = program.classes.iter().all(|class| class.outputs.iter().all(|track| track.runs.len() <= 3));
        assert!(is_short, "{n}");
    }
}

#[test]
fn theorems_3_2_and_3_3_are_met_on_every_path() {
    assert_lines(ShapeName::Path, 2, |n| n - n % 2, |_| 4);
}

#[test]
fn theorems_3_4_and_3_5_are_met_on_every_cycle_of_more_than_3() {
    let steps = |n: u32| if n <= 3 { n - 1 } else { n.div_ceil(2) + 1 };
    assert_lines(ShapeName::Cycle, 2, steps, |n| if n % 2 == 0 { 2 } else { 7 });
}

/// Without the rule for idle ticks there would be a class a node.
#[test]
fn moves_of_a_path_make_few_classes() {
    let path = network(ShapeName::Path, &[33]);
    let closed = line::program(&path, 2, title());
    let moves = moves_of(&closed);
    assert_eq!(execute(&path, 2, &moves), 32);
    let woven = moves::program(&path, 2, moves, Some(|node| (node.0 % 2) as u8), title());
    assert_gossips(&woven, 32);
    // 4, and two that have nothing to forward where the others have
    assert_eq!((closed.classes.len(), woven.classes.len()), (4, 6));
}

/// The moves that a program makes, by the model.
fn moves_of(program: &Program) -> Vec<PacketMove> {
    let mut machine = Machine::new(program);
    let mut moves = Vec::new();
    for tick in 1..=program.ticks {
        machine.step();
        for (node, input, flit) in machine.arrivals() {
            let from = program.topology.step(node, input.port).unwrap();
            moves.push(PacketMove { tick, from, by: input.port.opposite(), token: program.demand.origin(flit).node });
        }
    }
    moves
}

#[test]
fn tables_of_the_papers_planes() {
    for (shape, dims, classes, runs, depth) in [
        (ShapeName::Torus, [8, 8], 2, 34, 5),
        (ShapeName::Torus, [9, 9], 42, 876, 9),
        (ShapeName::Mesh, [8, 8], 64, 1902, 35),
    ] {
        let plane = network(shape, &dims);
        let moves =
            if plane.is_product_of_cycles() { grid::lau_zhang_torus(&plane) } else { grid::lau_zhang_mesh(&plane) };
        let program = moves::program(&plane, 1, moves, None, title());
        let outputs = program.classes.iter().flat_map(|class| &class.outputs).filter(|track| !track.is_idle());
        let counted: usize = outputs.map(|track| track.runs.len()).sum();
        assert_eq!((program.classes.len(), counted, program.depth()), (classes, runs, depth), "{shape} {dims:?}");
    }
}

/// The bound, or with a second lane a step or two more.
#[test]
fn small_meshes_take_the_bound() {
    for (dims, lanes, steps) in [
        (&[5, 5][..], 1, 15),
        (&[2, 8], 1, 12),
        (&[2, 11], 1, 16),
        (&[14, 2], 1, 21),
        (&[2, 16], 1, 24),
        (&[7, 4], 1, 17),
        (&[8, 8], 1, 36),
        (&[3, 3, 3], 1, 13),
        (&[5, 5], 2, 9),
        (&[4, 7], 2, 10),
    ] {
        assert_gossips(&optimal::program(&network(ShapeName::Mesh, dims), Link::half(lanes), title()).unwrap(), steps);
    }
}

#[test]
fn on_two_rows_the_formula_is_true_from_the_bound_on() {
    for side in [3, 4, 5, 8] {
        let mesh = network(ShapeName::Mesh, &[2, side]);
        let bound = bounds::lower_bound(&mesh, Link::half(1), Goal::Gossip { flits: 1 }).ticks as u32;
        assert!(formula::moves(&mesh, Link::half(1), bound - 1).is_none(), "{side}");
        let moves = formula::moves(&mesh, Link::half(1), bound).unwrap();
        assert_eq!(execute(&mesh, 1, &moves), bound, "{side}");
    }
}
