//! Lau and Zhang figure by figure, their lower bounds on small lines by exhaustion, and what half-duplex links refuse.

use std::collections::HashSet;

use torusweave::check;
use torusweave::net::{Channel, NodeId, Port, ShapeName, Topology};
use torusweave::play::Machine;
use torusweave::program::{Duplex, Link, Program, Run, Source};
use torusweave::schemes::half_duplex::{FujitaYamashita, LauZhang};
use torusweave::schemes::hamiltonian::Hamiltonian;
use torusweave::schemes::{SCHEMES, SchemeName};
use torusweave::study::bounds::{self, BoundReason, Goal};
use torusweave::task::{Choice, Task};

fn build(pick: impl Into<SchemeName>, shape: ShapeName, sides: &[u32], lanes: u8) -> Program {
    let topology = Topology::new(shape, sides).unwrap();
    let task = Task { topology: &topology, link: Link::half(lanes), choice: Choice::default() };
    pick.into().build(&task, "t").unwrap().program
}

/// The wires of the figures: a line per round, a column an edge; `>0+1` carries the tokens of 0 and 1 to the right.
fn wires(program: &Program) -> Vec<String> {
    let topology = &program.topology;
    let mut machine = Machine::new(program);
    let mut rounds = Vec::new();
    for _ in 0..program.ticks {
        machine.step();
        let mut edges = Vec::new();
        for node in topology.node_ids() {
            let Some(next) = topology.step(node, Port::plus(0)) else { continue };
            let arrive = |node: NodeId, port: Port| {
                let lanes = (0..program.lanes).filter_map(|lane| machine.arrival(node, Channel { port, lane }));
                let mut tokens: Vec<u32> = lanes.map(|flit| program.demand.origin(flit).node.0).collect();
                tokens.sort_unstable();
                tokens.iter().map(u32::to_string).collect::<Vec<_>>().join("+")
            };
            let (right, left) = (arrive(next, Port::minus(0)), arrive(node, Port::plus(0)));
            assert!(right.is_empty() || left.is_empty(), "both ends send");
            edges.push(match (right.as_str(), left.as_str()) {
                ("", "") => ".".to_owned(),
                (right, "") => format!(">{right}"),
                (_, left) => format!("<{left}"),
            });
        }
        rounds.push(edges.join(" "));
    }
    rounds
}

#[test]
fn figure_2_optimal_gossip_in_paths_of_7_and_6() {
    let seven = [
        ">0 >1 >2 <4 <5 <6",
        "<1 >0 >1 <5 <6 >5",
        ". <2 >0 <6 >4 .",
        "<2 . <3 >3 . >4",
        ". <3 <4 >2 >3 .",
        "<3 <4 <5 >1 >2 >3",
        "<4 <5 <6 >0 >1 >2",
        "<5 <6 . . >0 >1",
        "<6 . . . . >0",
    ];
    assert_eq!(wires(&build(&LauZhang, ShapeName::Path, &[7], 1)), seven);
    // "Token_1, after arriving at v_3 in the second round, has to be delayed until the sixth round"
    assert!(seven[1].split(' ').nth(2) == Some(">1") && seven[5].split(' ').nth(3) == Some(">1"));
    let six = [
        ">0 >1 >2 <4 <5",
        "<1 >0 >1 <5 >4",
        ". <2 >0 >3 .",
        "<2 . <3 >2 >3",
        ". <3 <4 >1 >2",
        "<3 <4 <5 >0 >1",
        "<4 <5 . . >0",
        "<5 . . . .",
    ];
    assert_eq!(wires(&build(&LauZhang, ShapeName::Path, &[6], 1)), six, "and figure 4 (b)");
}

#[test]
fn figure_3_fujita_and_yamashita_on_a_path_of_5() {
    let expected =
        [">0 >1 >2 >3", "<1 >0 >1 >2", ". <2 >0 >1", "<2 . <3 >0", ". <3 . <4", "<3 . <4 .", ". <4 . .", "<4 . . ."];
    assert_eq!(wires(&build(&FujitaYamashita, ShapeName::Path, &[5], 1)), expected);
}

#[test]
fn figure_4_optimal_algorithm_on_a_path_of_5() {
    let expected = [">0 >1 <3 <4", "<1 >0 <4 >3", ". <2 >2 .", "<2 <3 >1 >2", "<3 <4 >0 >1", "<4 . . >0"];
    assert_eq!(wires(&build(&LauZhang, ShapeName::Path, &[5], 1)), expected);
}

#[test]
fn figure_5_two_tokens_a_packet_on_an_odd_path() {
    let expected = [
        ">0 <2 >2 <4 >4 <6 >6 <8",
        "<1+2 >0+1 <3+4 >2+3 <5+6 >4+5 <7+8 >6+7",
        ". <3+4 >0+1 <5+6 >2+3 <7+8 >4+5 .",
        "<3+4 . <5+6 >0+1 <7+8 >2+3 . >4+5",
        ". <5+6 . <7+8 >0+1 . >2+3 .",
        "<5+6 . <7+8 . . >0+1 . >2+3",
        ". <7+8 . . . . >0+1 .",
        "<7+8 . . . . . . >0+1",
    ];
    assert_eq!(wires(&build(&LauZhang, ShapeName::Path, &[9], 2)), expected);
}

#[test]
fn figure_6_two_tokens_a_packet_on_a_path_of_8() {
    let expected = [
        ">0 <2 >2 <4 >4 <6 >6",
        "<1+2 >0+1 <3+4 >2+3 <5+6 >4+5 <7",
        ". <3+4 >0+1 <5+6 >2+3 <7 >4+5",
        "<3+4 . <5+6 >0+1 <7 >2+3 .",
        ". <5+6 . <7 >0+1 . >2+3",
        "<5+6 . <7 . . >0+1 .",
        ". <7 . . . . >0+1",
        "<7 . . . . . .",
    ];
    assert_eq!(wires(&build(&LauZhang, ShapeName::Path, &[8], 2)), expected);
    // "W_l(v_7) contains only one token, Token_7, throughout"
    assert!(expected.iter().flat_map(|round| round.split(' ')).all(|cell| !cell.contains("+7")));
}

#[test]
fn figure_8_optimal_algorithm_on_an_even_cycle() {
    let expected = [">0 <2 >2 <4 >4 <0", "<1+2 >0+1 <3+4 >2+3 <0+5 >4+5", ">5 <3+4 >1 <0+5 >3 <1+2", ". >5 . >1 . >3"];
    assert_eq!(wires(&build(&LauZhang, ShapeName::Cycle, &[6], 2)), expected);
}

#[test]
fn figure_10_optimal_algorithm_on_an_odd_cycle() {
    let expected = [
        ">0 <2 >2 <4 >4 <6 >6",
        "<1+2 >0+1 <3+4 >2+3 <5+6 >4+5 <0",
        ">6 <3+4 >0+1 <5+6 >2+3 <0 >5",
        "<3+4 . <5+6 >1 <0 >3 <1+2",
        ">5 . . . >1 . .",
    ];
    assert_eq!(wires(&build(&LauZhang, ShapeName::Cycle, &[7], 2)), expected);
}

/// Figures 7 and 9, the counts behind Theorems 3.4 and 3.5: with N/2 rounds all cross-points go to one direction; with
/// (N+1)/2 the wires of length (N-1)/2, overlapping in pairs, need more cross-points than there are once N > 3.
#[test]
fn figures_7_and_9_wires_that_do_not_fit() {
    for n in (4..100_u32).step_by(2) {
        let (rounds, one_way) = (n / 2, n * (n / 2));
        assert_eq!(one_way, n * rounds, "nothing is left for the other direction");
    }
    for n in (3..101_u32).step_by(2) {
        let pairs = 2 * ((n - 1) / 2) * ((n - 1) / 2 + 1);
        let needed = pairs + 2 * ((n - 1) / 2);
        assert_eq!(needed, (n * n + 2 * n - 3) / 2);
        assert_eq!(needed > n * n.div_ceil(2), n > 3, "{n}");
    }
}

/// True if gossip on a line can be done in so many rounds with so many tokens per packet: every way is tried.
struct Exhaustion {
    n: usize,
    edges: Vec<(usize, usize)>,
    distance: Vec<Vec<u32>>,
    tokens: u32,
    failed: HashSet<(u64, u32)>,
}

impl Exhaustion {
    fn can(shape: ShapeName, n: usize, tokens: u32, rounds: u32) -> bool {
        let is_cycle = shape == ShapeName::Cycle;
        let edges: Vec<(usize, usize)> = (0..n - usize::from(!is_cycle)).map(|i| (i, (i + 1) % n)).collect();
        let apart = |a: usize, b: usize| if is_cycle { a.abs_diff(b).min(n - a.abs_diff(b)) } else { a.abs_diff(b) };
        let distance = (0..n).map(|a| (0..n).map(|b| apart(a, b) as u32).collect()).collect();
        let start = (0..n).map(|i| 1 << (i * n + i)).sum();
        Self { n, edges, distance, tokens, failed: HashSet::new() }.finishes(start, rounds)
    }

    fn known(&self, state: u64, node: usize) -> u64 {
        state >> (node * self.n) & ((1 << self.n) - 1)
    }

    fn finishes(&mut self, state: u64, rounds: u32) -> bool {
        if state.count_ones() as usize == self.n * self.n {
            return true;
        }
        let is_late = |token: usize, node: usize| {
            let holders = (0..self.n).filter(|&holder| self.known(state, holder) >> token & 1 == 1);
            holders.map(|holder| self.distance[holder][node]).min().is_none_or(|least| least > rounds)
        };
        if (0..self.n).any(|token| (0..self.n).any(|node| is_late(token, node)))
            || self.failed.contains(&(state, rounds))
        {
            return false;
        }
        let can = self.sends(state, state, 0, rounds);
        if !can {
            self.failed.insert((state, rounds));
        }
        can
    }

    /// Every choice for the edges from `edge` on; what is sent comes from `before`.
    fn sends(&mut self, before: u64, after: u64, edge: usize, rounds: u32) -> bool {
        let Some(&(a, b)) = self.edges.get(edge) else { return self.finishes(after, rounds - 1) };
        let mut is_idle = true;
        for (from, to) in [(a, b), (b, a)] {
            let news = self.known(before, from) & !self.known(before, to);
            // a packet that is not full could be fuller
            let size = self.tokens.min(news.count_ones());
            for packet in (1..1 << self.n).filter(|packet| packet & !news == 0 && packet.count_ones() == size) {
                is_idle = false;
                if self.sends(before, after | packet << (to * self.n), edge + 1, rounds) {
                    return true;
                }
            }
        }
        is_idle && self.sends(before, after, edge + 1, rounds)
    }
}

#[test]
fn theorem_2_1_holds_by_exhaustion_on_small_cycles() {
    for n in 3..=4 {
        assert!(!Exhaustion::can(ShapeName::Cycle, n, 1, n as u32 - 2), "{n}");
        assert!(Exhaustion::can(ShapeName::Cycle, n, 1, n as u32 - 1), "{n}");
    }
}

#[test]
fn theorem_2_2_holds_by_exhaustion_on_small_paths() {
    for (n, bound) in [(2, 2), (3, 3), (4, 5)] {
        assert!(!Exhaustion::can(ShapeName::Path, n, 1, bound - 1), "{n}");
        assert!(Exhaustion::can(ShapeName::Path, n, 1, bound), "{n}");
    }
}

/// For packets of any size.
#[test]
fn theorems_3_1_and_3_3_hold_by_exhaustion_on_small_paths() {
    for n in 2..=7_usize {
        let bound = n as u32 - n as u32 % 2;
        assert!(!Exhaustion::can(ShapeName::Path, n, n as u32, bound - 1), "{n}");
        assert!(Exhaustion::can(ShapeName::Path, n, n as u32, bound), "{n}");
    }
}

/// For packets of any size; two and three nodes are faster.
#[test]
fn theorems_3_4_and_3_5_hold_by_exhaustion_on_small_cycles() {
    for n in 4..=8_usize {
        let bound = n.div_ceil(2) as u32 + 1;
        assert!(!Exhaustion::can(ShapeName::Cycle, n, n as u32, bound - 1), "{n}");
    }
    assert!(Exhaustion::can(ShapeName::Cycle, 3, 2, 2));
}

/// 004, Theorems 1 and 2: as many crossings as links and rounds.
#[test]
fn theorems_1_and_2_count_the_crossings_of_squares() {
    for n in 2..=20_u32 {
        let bound = |shape| {
            let square = Topology::new(shape, &[n, n]).unwrap();
            bounds::lower_bound(&square, Link::half(1), Goal::Gossip { flits: 1 }).ticks
        };
        if n > 2 {
            assert_eq!(bound(ShapeName::Mesh), u64::from(n * (n + 1) / 2), "{n}");
        }
        assert_eq!(bound(ShapeName::Torus), u64::from((n * n).div_ceil(2)) - u64::from(n % 2), "{n}");
    }
    let path = Topology::new(ShapeName::Path, &[9]).unwrap();
    assert!(matches!(
        bounds::lower_bound(&path, Link::half(1), Goal::Gossip { flits: 1 }).due_to,
        BoundReason::Theorem(_)
    ));
}

/// Everything that the list offers on half-duplex links, on small networks of every shape.
#[test]
fn every_scheme_on_half_duplex_links_gossips_in_the_steps_it_says() {
    let planes = |shape| (2..=5).flat_map(move |m| (2..=6).map(move |n| (shape, vec![m, n])));
    let lines =
        [ShapeName::Path, ShapeName::Cycle].into_iter().flat_map(|shape| (2..=9).map(move |n| (shape, vec![n])));
    let spaces = [
        (ShapeName::Torus, vec![3, 2, 4]),
        (ShapeName::Mesh, vec![2, 3, 2]),
        (ShapeName::Torus, vec![7]),
        (ShapeName::Mesh, vec![6]),
    ];
    let mut built = 0;
    for (shape, sides) in planes(ShapeName::Torus).chain(planes(ShapeName::Mesh)).chain(lines).chain(spaces) {
        let topology = Topology::new(shape, &sides).unwrap();
        for lanes in [1, 2] {
            let task = Task { topology: &topology, link: Link::half(lanes), choice: Choice::default() };
            for &scheme in SCHEMES.iter().filter(|scheme| scheme.fits(&task).is_ok()) {
                let what = format!("{scheme} on a {}, {lanes} lanes", topology.describe());
                let program = SchemeName::from(scheme).build(&task, "t").unwrap().program;
                let report = check::by_execution(&program);
                assert_eq!(report.violations, [], "{what}");
                assert_eq!((report.complete_at, report.duplicates), (Some(program.ticks), Some(0)), "{what}");
                assert_eq!((program.duplex, program.lanes), (Duplex::Half, lanes), "{what}");
                assert_eq!(scheme.packets(&task), program.packets(), "{what}");
                assert!(scheme.steps(&task).is_none_or(|steps| steps == program.ticks), "{what}");
                let bound =
                    bounds::lower_bound(&topology, program.link(), Goal::Gossip { flits: program.packets().into() })
                        .ticks;
                assert!(bound <= program.ticks.into(), "{what}: {bound}");
                built += 1;
            }
            assert!(SchemeName::Auto.build(&task, "t").is_ok(), "auto on a {}, {lanes} lanes", topology.describe());
        }
    }
    assert!(built > 200, "{built}");
}

#[test]
fn hamiltonian_cycles_do_what_a_cycle_does() {
    for (shape, sides, lanes, steps, classes) in [
        (ShapeName::Torus, &[5, 8][..], 1, 39, 12),
        (ShapeName::Torus, &[3, 4, 5], 1, 59, 40),
        (ShapeName::Torus, &[5, 7], 2, 19, 64),
        (ShapeName::Mesh, &[8, 9], 1, 71, 9),
        (ShapeName::Mesh, &[8, 9], 2, 37, 12),
        (ShapeName::Mesh, &[2, 2], 2, 3, 12),
    ] {
        let program = build(&Hamiltonian, shape, sides, lanes);
        let report = check::by_execution(&program);
        assert!(report.passed() && report.complete_at == Some(steps), "{sides:?}: {report:?}");
        assert!(lanes > 1 || report.traffic.unwrap().turns == 0, "{sides:?}");
        assert!(program.classes.len() <= classes, "{sides:?}: {} classes", program.classes.len());
    }
}

/// Corollary 3.6: two lanes are enough.
#[test]
fn links_that_a_scheme_cannot_use_are_refused_in_one_place() {
    let refusal = |pick: &'static str, shape, sides: &[u32], link: Link| {
        let topology = Topology::new(shape, sides).unwrap();
        let scheme = SCHEMES.iter().find(|scheme| scheme.about().name == pick).unwrap();
        let task = Task { topology: &topology, link, choice: Choice::default() };
        let error = SchemeName::One(*scheme).build(&task, "t").unwrap_err();
        format!("{error}\n{}", error.help())
    };
    assert_eq!(
        refusal("staircase", ShapeName::Torus, &[6, 8], Link::half(1)),
        "scheme staircase needs full-duplex links; the torus is 6x8\n\
         with `link.duplex: full` it applies; `scheme: auto` would take hamiltonian"
    );
    assert_eq!(
        refusal("lau-zhang", ShapeName::Mesh, &[4, 5], Link::half(2)),
        "scheme lau-zhang needs one lane on two axes; the mesh is 4x5\n\
         with `link.lanes: 1` it applies; `scheme: auto` finds one that applies"
    );
    let full = Link { lanes: 2, ..Link::default() };
    assert!(refusal("hamiltonian", ShapeName::Mesh, &[4, 5], full).contains("with `link.lanes: 1` it applies"));
    assert!(
        refusal("lau-zhang", ShapeName::Mesh, &[4, 5], Link::default()).contains("with `link.duplex: half` it applies")
    );
    assert!(refusal("optimal", ShapeName::Mesh, &[21, 20], Link::half(1)).contains("the nearest sizes are 20x20"));
}

/// Both ends driven, a link turned one tick early, lanes swapped, and a full-duplex program declared half-duplex.
#[test]
fn mutants_on_half_duplex_links_are_caught() {
    let is_caught = |program: &Program| {
        let report = check::by_execution(program);
        !report.passed() || report.duplicates != Some(0)
    };
    let caught = |program: &Program, what: &str| {
        assert!(is_caught(program), "{what} on a {}", program.topology.describe());
    };
    for (shape, sides, lanes) in [
        (ShapeName::Path, &[8][..], 2),
        (ShapeName::Path, &[7], 1),
        (ShapeName::Cycle, &[6], 2),
        (ShapeName::Mesh, &[4, 4], 1),
    ] {
        let program = build(&LauZhang, shape, sides, lanes);
        let (mut tried, mut swaps) = (0, 0);
        for class in 0..program.classes.len() {
            for output in 0..program.outputs() {
                let track = &program.classes[class].outputs[output];
                if track.is_idle() {
                    continue;
                }
                let mut early = program.clone();
                let runs = &mut early.classes[class].outputs[output].runs;
                // each first send is moved one tick too early
                if let Some(turn) = runs.iter().position(|run| run.source != Source::Idle).filter(|&first| first > 0) {
                    runs[turn - 1].ticks -= 1;
                    runs[turn].ticks += 1;
                    runs.retain(|run| run.ticks > 0);
                    caught(&early, "a link turned early");
                    tried += 1;
                }
                let mut both = program.clone();
                let ticks = program.ticks;
                both.classes[class].outputs[output].runs = vec![Run { source: Source::own(0), ticks }];
                caught(&both, "both ends driven");
                if output % 2 == 0 && lanes == 2 {
                    let mut swapped = program.clone();
                    swapped.classes[class].outputs.swap(output, output + 1);
                    // next to the end of a path nobody sends on what comes by the wrong lane
                    swaps += u32::from(is_caught(&swapped));
                }
            }
        }
        assert!(tried > 0 && (lanes == 1 || swaps >= 2), "{sides:?}: {swaps} swaps of lanes caught");
    }
    let topology = Topology::new(ShapeName::Mesh, &[4, 4]).unwrap();
    let task = Task { topology: &topology, link: Link::default(), choice: Choice::default() };
    let mut declared = SchemeName::from(&Hamiltonian).build(&task, "t").unwrap().program;
    declared.duplex = Duplex::Half;
    let violations = check::by_execution(&declared).violations;
    let first = violations.first().expect("both ends send").to_string();
    assert!(first.contains("both ends of the half-duplex link at") && first.contains("tick 1"), "{first}");
}
