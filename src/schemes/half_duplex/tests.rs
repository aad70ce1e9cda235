//! An executor that knows moves only, and the papers' steps.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::{fresh, grid, line, torus, tree};
use crate::net::{NodeId, Port, Shape, Topology, Torus, Way};
use crate::check;
use crate::paths::moves::{self, Move};
use crate::program::{Program, Title};

fn network(shape: Shape, dims: &[u32]) -> Topology {
    Topology::new(shape, dims).unwrap()
}

/// An undirected link, by the end that it leaves upwards. A side of 2 has two parallel links.
fn link(topology: &Topology, from: NodeId, by: Port) -> (NodeId, usize) {
    let there = topology.neighbour(from, by).expect("a link");
    (if by.way() == Way::Plus { from } else { there }, by.axis())
}

/// The tick after which all is known everywhere. Panics where a packet is sent by whom does not have it, arrives again,
/// or shares a link with too many others or with one that comes the other way.
pub(crate) fn execute(topology: &Topology, lanes: usize, moves: &[Move]) -> u32 {
    let mut known: Vec<HashSet<NodeId>> = topology.node_ids().map(|node| HashSet::from([node])).collect();
    let mut rounds: BTreeMap<u32, Vec<Move>> = BTreeMap::new();
    for &one in moves {
        rounds.entry(one.tick).or_default().push(one);
    }
    assert!(rounds.keys().next().is_none_or(|&first| first == 1), "nothing in tick 1");
    for (tick, moves) in &rounds {
        let mut used: HashMap<(NodeId, usize), (NodeId, Port, usize)> = HashMap::new();
        for &Move { from, by, token, .. } in moves {
            assert!(known[from.index()].contains(&token), "{topology} tick {tick}: {from:?} has no {token:?}");
            let use_of = used.entry(link(topology, from, by)).or_insert((from, by, 0));
            assert_eq!((use_of.0, use_of.1), (from, by), "{topology} tick {tick}: both ends send");
            use_of.2 += 1;
            assert!(use_of.2 <= lanes, "{topology} tick {tick}: more than {lanes} packets out of {by} of {from:?}");
        }
        for &Move { from, by, token, .. } in moves {
            let to = topology.neighbour(from, by).unwrap();
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
        let mesh = network(Shape::Mesh, &[m, n]);
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
        let torus = network(Shape::Torus, &[m, n]);
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
        let path = network(Shape::Path, &[n]);
        assert_eq!(execute(&path, 1, &grid::fujita_yamashita_path(&path)), 2 * (n - 1), "{n}");
    }
    for n in 2..=14 {
        let mesh = network(Shape::Mesh, &[n, n]);
        let steps = if n % 2 == 0 { n * n / 2 + 2 * n - 3 } else { (n * n - 1) / 2 + 2 * n - 2 };
        assert_eq!(execute(&mesh, 1, &grid::fujita_yamashita_mesh(&mesh)), steps, "{n}");
    }
}

#[test]
#[ignore]
fn probe_search() {
    let lanes: u32 = std::env::var("L").map_or(1, |l| l.parse().unwrap());
    let lo: u32 = std::env::var("LO").map_or(3, |l| l.parse().unwrap());
    let hi: u32 = std::env::var("HI").map_or(8, |l| l.parse().unwrap());
    let seeds: u64 = std::env::var("S").map_or(15, |l| l.parse().unwrap());
    let mm: u32 = std::env::var("MM").map_or(hi, |l| l.parse().unwrap());
    for m in lo..=mm { for n in m..=hi {
        let mesh = network(Shape::Mesh, &[m, n]);
        let (p, e) = (m * n, mesh.links() as u32 / 2);
        let mut bound = if lanes == 1 { (p * (p - 1)).div_ceil(e).max(p.div_ceil(2)) } else { (p * (p - 1) + e).div_ceil(2 * e) }.max(m + n - 2);
        if lanes == 1 && m == 2 { bound = bound.max(n + n / 2); }
        let begun = std::time::Instant::now();
        'o: for extra in 0..4 { for seed in 0..seeds {
            if let Some(moves) = super::search::moves(&mesh, lanes, bound + extra, seed) {
                let t = execute(&mesh, lanes as usize, &moves);
                println!("{m}x{n} bound {bound} +{extra} seed {seed} steps {t} {:.2?}", begun.elapsed());
                break 'o;
            }
        } println!("   {m}x{n} +{extra} fails {:.2?}", begun.elapsed()); }
    } }
}

/// The copies of a tree rooted at every node.
fn translated(torus: &Torus, arcs: &[tree::Arc]) -> Vec<Move> {
    let add = |a: NodeId, b: NodeId| {
        let sum: Vec<u32> = (0..torus.axes()).map(|axis| torus.coord(a, axis) + torus.coord(b, axis)).collect();
        torus.node(&sum)
    };
    let copies = arcs.iter().flat_map(|arc| torus.node_ids().map(move |token| (*arc, token)));
    let moves = copies.map(|(tree::Arc { time, by, node, .. }, token)| {
        Move { tick: time, from: add(torus.neighbour(node, by.opposite()), token), by, token }
    });
    moves.collect()
}

fn sides() -> Vec<Vec<u32>> {
    let planes = (2..=12).flat_map(|m| (m..=12).map(move |n| vec![m, n]));
    let spaces = (2..=5).flat_map(|a| (a..=5).flat_map(move |b| (b..=5).map(move |c| vec![a, b, c])));
    let more = [vec![2, 2, 2, 2], vec![2, 3, 2, 4], vec![3, 3, 3, 3], vec![4, 3, 4, 3], vec![2, 2, 2, 2, 2], vec![11, 13], vec![20, 19]];
    planes.chain(spaces).chain(more).collect()
}

#[test]
fn one_lane_on_a_torus_takes_the_bound_and_no_link_turns() {
    for dims in sides() {
        let torus = Torus::new(&dims).unwrap();
        let arcs = torus::arcs(&torus, 1);
        assert!(arcs.iter().all(|arc| arc.by.way() == Way::Plus));
        assert_eq!(execute(&torus, 1, &translated(&torus, &arcs)), torus::bound(&dims, 1), "{dims:?}");
    }
}

#[test]
fn two_lanes_on_a_torus_take_the_bound_unless_it_is_thin() {
    for dims in sides() {
        let torus = Torus::new(&dims).unwrap();
        let arcs = torus::arcs(&torus, 2);
        let steps = execute(&torus, 2, &translated(&torus, &arcs));
        if steps != torus::known(&dims, 2) { println!("{dims:?} {} {} takes {steps}", torus::bound(&dims, 2), torus::known(&dims, 2)); }
    }
}

#[test]
fn few_stored() {
    for dims in [vec![3,3], vec![4,4],vec![5,5],vec![6,6],vec![7,7],vec![8,8],vec![9,9],vec![5,8],vec![3,4,5],vec![4,4,4],vec![10,10],vec![11,13],vec![12,12],vec![2,9],vec![3,11]] {
        let torus = Torus::new(&dims).unwrap();
        let greedy = tree::stored(&torus, &torus::arcs(&torus, 1));
        let begun = std::time::Instant::now();
        let Some(arcs) = fresh::arcs(&torus) else { println!("{dims:?} none {:?}", begun.elapsed()); continue };
        let time = begun.elapsed();
        assert_eq!(execute(&torus, 1, &translated(&torus, &arcs)), torus::bound(&dims, 1), "{dims:?}");
        println!("{dims:?} greedy {greedy} beam {} {time:?}", tree::stored(&torus, &arcs));
    }
}

fn title() -> Title {
    Title::new("t", "s")
}

/// Legal, complete in the last tick, no packet twice.
fn assert_gossips(program: &Program, steps: u32) {
    let report = check::by_execution(program);
    assert!(report.violations.is_empty(), "{}: {:?}", program.topology, report.violations.first());
    assert_eq!((report.complete_at, program.ticks, report.duplicates), (Some(steps), steps, Some(0)), "{}", program.topology);
}

#[test]
fn lau_zhang_lines() {
    for n in 2..=64 {
        for lanes in [1, 2] {
            for shape in [Shape::Path, Shape::Cycle] {
                let line = network(shape, &[n]);
                let program = line::program(&line, lanes, title());
                let steps = match (shape, lanes, n % 2) {
                    (Shape::Path, 1, 0) => 3 * n / 2 - 1,
                    (Shape::Path, 1, _) => 3 * (n - 1) / 2,
                    (Shape::Path, _, 0) => n,
                    (Shape::Path, _, _) => n - 1,
                    _ if lanes == 1 || n <= 3 => n - 1,
                    (_, _, 0) => n / 2 + 1,
                    _ => n.div_ceil(2) + 1,
                };
                assert_gossips(&program, steps);
                let runs: usize = program.classes.iter().flat_map(|c| &c.outputs).map(|o| o.runs.len()).sum();
                if n > 58 { println!("{shape} {n} lanes {lanes} classes {} runs {runs} turns {:?}", program.classes.len(), check::by_execution(&program).traffic.unwrap().turns); }
            }
        }
    }
}

#[test]
fn grids_as_programs() {
    for (shape, dims) in [(Shape::Mesh, [8, 8]), (Shape::Torus, [8, 8]), (Shape::Torus, [9, 9]), (Shape::Mesh, [16,16])] {
        let t = network(shape, &dims);
        let m = if shape == Shape::Mesh { grid::lau_zhang_mesh(&t) } else { grid::lau_zhang_torus(&t) };
        let steps = m.iter().map(|m| m.tick).max().unwrap();
        let program = moves::program(&t, 1, m, None, title());
        assert_gossips(&program, steps);
        let runs: usize = program.classes.iter().flat_map(|c| &c.outputs).map(|o| o.runs.len()).sum();
        println!("{shape} {dims:?} classes {} runs {runs} depth {} turns {:?}", program.classes.len(), program.depth(), check::by_execution(&program).traffic.unwrap().turns);
    }
}
