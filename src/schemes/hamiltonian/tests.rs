//! Tests of the decompositions and their gossip.

use std::collections::BTreeSet;

use super::*;
use crate::check;
use crate::net::ShapeName;
use crate::paths::weave::{self, Packets};
use crate::play::{Knowledge, Machine};
use crate::program::Source;
use crate::schemes::SchemeName;
use crate::study::bounds;
use crate::task::Choice;

fn torus(dims: &[u32]) -> Torus {
    Torus::new(dims).unwrap()
}

fn gossip(dims: &[u32]) -> Program {
    program(&torus(dims), Title::new("t", "hamiltonian")).unwrap()
}

/// All tori of d axes with sides in a range, in every order.
fn tori(d: u32, sides: std::ops::RangeInclusive<u32>) -> impl Iterator<Item = Torus> {
    let choices = sides.end() - sides.start() + 1;
    (0..choices.pow(d)).map(move |code| {
        let dims: Vec<u32> = (0..d).map(|axis| sides.start() + code / choices.pow(axis) % choices).collect();
        torus(&dims)
    })
}

/// [`Cover::new`] has checked that every cycle is closed, visits no node twice and shares no link; here the rest.
fn assert_hamiltonian(torus: &Torus) {
    let cover = cover(torus).unwrap();
    assert_eq!(cover.cycles(), torus.axes(), "{torus}");
    for cycle in 0..cover.cycles() {
        assert_eq!(cover.length(cycle), torus.nodes(), "cycle {cycle} of {torus}");
    }
    let owned = |node| torus.port_ids().all(|port| cover.owner(node, port).is_some());
    assert!(torus.node_ids().all(owned), "{torus} has links on no cycle");
}

/// Ticks until every node knows everything, and how many arrivals were nothing new.
fn play(program: &Program) -> (u32, u64) {
    let mut machine = Machine::new(program);
    let mut knowledge = Knowledge::new(program);
    let (mut complete, mut duplicates) = (None, 0);
    while !machine.is_done() {
        machine.step();
        for (node, _, flit) in machine.arrivals() {
            duplicates += u64::from(!knowledge.learn(node, flit));
        }
        if complete.is_none() && knowledge.incomplete().next().is_none() {
            complete = Some(machine.tick());
        }
    }
    (complete.expect("gossip completes"), duplicates)
}

#[test]
fn two_axes_decompose_into_two_hamiltonian_cycles() {
    tori(2, 3..=30).for_each(|torus| assert_hamiltonian(&torus));
}

#[test]
fn two_axes_with_a_side_of_2_decompose_iff_both_are_even() {
    for n in 2..=30 {
        for dims in [[2, n], [n, 2]] {
            assert_eq!(fits(&torus(&dims)).is_ok(), n % 2 == 0, "{dims:?}");
            if n % 2 == 0 {
                assert_hamiltonian(&torus(&dims));
            }
        }
    }
}

#[test]
fn a_ring_is_its_own_cycle() {
    tori(1, 2..=30).for_each(|torus| assert_hamiltonian(&torus));
}

#[test]
fn three_axes_decompose_into_three_hamiltonian_cycles_in_any_order() {
    tori(3, 3..=8).for_each(|torus| assert_hamiltonian(&torus));
    for long in [31, 40] {
        for dims in [[long, 3, 3], [3, long, 4], [4, 4, long], [5, long, 3]] {
            assert_hamiltonian(&torus(&dims));
        }
    }
}

#[test]
fn four_and_more_axes_decompose_into_as_many_hamiltonian_cycles() {
    tori(4, 3..=5).chain(tori(5, 3..=4)).for_each(|torus| assert_hamiltonian(&torus));
    for d in 6..=9 {
        assert_hamiltonian(&torus(&vec![3; d]));
    }
}

#[test]
fn other_sides_of_2_are_refused() {
    for dims in [&[2, 3][..], &[2, 2, 2], &[2, 2, 3], &[4, 2, 4], &[3, 3, 3, 2]] {
        let unmet = fits(&torus(dims)).unwrap_err();
        assert_eq!(unmet.to_string(), "needs every n_i at least 3, or two axes with n1 and n2 even");
        assert_eq!(program(&torus(dims), Title::new("t", "hamiltonian")).unwrap_err(), unmet);
    }
}

/// Section 3.4, and for even P without the duplicates that Theorem 2 allows in the last step.
#[test]
fn section_3_4_gossip_in_half_p_minus_1_steps_without_a_duplicate() {
    for (dims, steps) in [
        (&[7, 9][..], 31),
        (&[5, 5, 5], 62),
        (&[4, 4, 4, 4], 128),
        (&[3, 3, 3, 3, 3], 121),
        (&[3], 1),
        (&[4], 2),
        (&[2, 2], 2),
        (&[2, 6], 6),
        (&[6, 8], 24),
        (&[6, 7], 21),
        (&[7, 6], 21),
        (&[3, 3, 3], 13),
        (&[4, 3, 3], 18),
        (&[5, 4, 6], 60),
        (&[3, 4, 3, 3], 54),
    ] {
        let program = gossip(dims);
        assert_eq!(program.ticks, steps, "{}", program.topology);
        assert_eq!(play(&program), (steps, 0), "{}", program.topology);
    }
}

#[test]
fn gossip_is_exact_on_every_small_torus() {
    for torus in tori(1, 3..=9).chain(tori(2, 3..=8)).chain(tori(3, 3..=4)) {
        let steps = (torus.nodes() - 1).div_ceil(2);
        assert_eq!(play(&gossip(torus.dims())), (steps, 0), "{torus}");
    }
}

/// One packet a node on the two cycles of section 3.1: Theorem 1 asks for ceil(11 P / 40 - 1) steps at least, these
/// cycles take as long as two packets per node do.
#[test]
fn theorem_1_one_packet_on_two_cycles_takes_half_p_steps() {
    for (n1, n2) in [(4, 4), (4, 10), (6, 8), (8, 6), (12, 4), (10, 10), (16, 12), (18, 20), (24, 16), (32, 32)] {
        let torus = torus(&[n1, n2]);
        let p = torus.nodes();
        let program = weave::along_cycles(
            &staircase::cover(&torus).unwrap(),
            Packets::Shared,
            p / 2,
            Title::new("t", "hamiltonian"),
        );
        let (steps, _) = play(&program);
        assert_eq!(steps, p / 2, "{torus}");
        assert!(steps >= (11 * p).div_ceil(40) - 1);
    }
}

/// The different ways in which the cycles divide a node's ports among them.
fn label_classes(dims: &[u32]) -> usize {
    let torus = torus(dims);
    let cover = cover(&torus).unwrap();
    let labels = |node| torus.port_ids().map(|port| cover.owner(node, port)).collect::<Vec<_>>();
    torus.node_ids().map(labels).collect::<BTreeSet<_>>().len()
}

#[test]
fn labels_fall_into_few_classes() {
    for (most, all) in [
        (6, &[&[7, 9][..], &[12, 7], &[6, 8], &[30, 30], &[31, 30], &[31, 31]][..]),
        (49, &[&[5, 5, 5], &[6, 6, 6], &[9, 8, 7], &[14, 15, 16], &[20, 20, 20], &[3, 3, 40]]),
        (160, &[&[4, 4, 4, 4], &[6, 6, 6, 6], &[5, 6, 7, 8], &[9, 9, 9, 9]]),
        (748, &[&[3, 3, 3, 3, 3], &[4, 4, 4, 4, 4], &[5, 5, 5, 5, 5], &[5, 4, 6, 4, 5]]),
    ] {
        for dims in all {
            let classes = label_classes(dims);
            assert!(classes <= most, "{dims:?} has {classes} classes");
        }
    }
}

/// Behaviours of the classes without run lengths, which grow with the torus.
fn behaviours(dims: &[u32]) -> BTreeSet<Vec<Vec<Source>>> {
    let program = gossip(dims);
    let sources = |track: &crate::program::Track| track.runs.iter().map(|run| run.source).collect::<Vec<_>>();
    program.classes.iter().map(|class| class.outputs.iter().map(sources).collect()).collect()
}

/// An even number of nodes splits classes, because every node needs the silent neighbour of the last step.
#[test]
fn two_axes_have_the_same_few_classes_at_every_size_of_a_parity() {
    for (classes, all) in [
        (3, [[7, 7], [7, 9], [9, 7], [15, 31]]),
        (2, [[4, 4], [4, 6], [12, 16], [24, 32]]),
        (12, [[7, 8], [9, 8], [7, 10], [15, 32]]),
        (12, [[8, 7], [8, 9], [10, 7], [32, 15]]),
    ] {
        let first = behaviours(&all[0]);
        assert_eq!(first.len(), classes, "{:?}", all[0]);
        for dims in &all[1..] {
            assert!(behaviours(dims) == first, "{dims:?} differs from {:?}", all[0]);
        }
    }
}

#[test]
fn cycles_and_programs_are_the_same_every_time() {
    for dims in [&[6, 7][..], &[4, 5, 6], &[3, 4, 5, 4, 3]] {
        assert_eq!(gossip(dims), gossip(dims));
    }
}

fn gossip_on(shape: ShapeName, dims: &[u32]) -> Program {
    program(&Topology::new(shape, dims).unwrap(), Title::new("t", "hamiltonian")).unwrap()
}

/// Executes the program and returns its steps: as many as the lower bound, and no packet comes twice.
fn assert_meets_the_bound(program: &Program) -> u32 {
    let report = check::by_execution(program);
    let what = program.topology.describe();
    assert!(report.passed(), "{what}: {:?}", report.violations);
    let bound = bounds::of_gossip(&program.topology, program.packets().into());
    assert_eq!(report.steps.map(u64::from), Some(bound), "{what}");
    assert_eq!((report.steps, report.duplicates), (Some(program.ticks), Some(0)), "{what}");
    program.ticks
}

#[test]
fn meshes_with_an_even_side_gossip_in_the_corners_bound_with_at_most_9_classes() {
    for (m, n) in (2..=10).flat_map(|m| (2..=10).map(move |n| (m, n))).filter(|(m, n)| m * n % 2 == 0) {
        let program = gossip_on(ShapeName::Mesh, &[m, n]);
        assert_eq!(assert_meets_the_bound(&program), (m * n - 1).div_ceil(2));
        assert!(program.classes.len() <= 9, "{m}x{n}: {} classes", program.classes.len());
    }
}

#[test]
fn cycles_gossip_in_half_p_minus_1_steps() {
    for nodes in 2..=40 {
        assert_eq!(assert_meets_the_bound(&gossip_on(ShapeName::Cycle, &[nodes])), (nodes - 1).div_ceil(2));
    }
}

#[test]
fn paths_gossip_in_p_minus_1_steps_with_3_classes() {
    for nodes in 2..=40 {
        let program = gossip_on(ShapeName::Path, &[nodes]);
        assert_eq!(assert_meets_the_bound(&program), nodes - 1);
        assert_eq!(program.classes.len() as u32, nodes.min(3), "{nodes}");
    }
}

#[test]
fn meshes_without_a_hamiltonian_cycle_are_refused_naming_the_nearest_sizes() {
    let refusal = |dims: &[u32]| {
        let mesh = Topology::new(ShapeName::Mesh, dims).unwrap();
        let task = Task { topology: &mesh, link: Link::default(), choice: Choice::default() };
        let error = SchemeName::from(&Hamiltonian).build(&task, "t").unwrap_err();
        format!("{error}\n{}", error.help())
    };
    assert_eq!(
        refusal(&[65, 65]),
        "scheme hamiltonian needs n1 or n2 even, or at most 4096 nodes; the mesh is 65x65\n\
         the nearest sizes are 65x66, 66x65, 65x64"
    );
    assert!(refusal(&[4, 4, 4]).starts_with(
        "scheme hamiltonian needs a torus, a mesh of two axes, or a mesh of odd sides; the mesh is 4x4x4"
    ));
}

/// The program for so many packets of a node.
fn asked(topology: &Topology, packets: u16) -> Program {
    let choice = Choice { packets: Some(packets), ..Choice::default() };
    let task = Task { topology, link: Link::default(), choice };
    let program = Hamiltonian.woven(&task, Title::new("t", "hamiltonian")).unwrap().program;
    assert_eq!((Hamiltonian.packets(&task), Hamiltonian.steps(&task)), (program.packets(), Some(program.ticks)));
    program
}

#[test]
fn twice_as_many_packets_go_round_in_p_minus_1_steps_where_p_is_even() {
    use ShapeName::{Cycle, Mesh, Torus};
    for (shape, dims) in
        [(Torus, &[4, 4][..]), (Torus, &[8, 6]), (Torus, &[3, 4]), (Torus, &[4, 3, 3]), (Cycle, &[6]), (Mesh, &[3, 4])]
    {
        let topology = Topology::new(shape, dims).unwrap();
        let once = gossip_on(shape, dims);
        let round = asked(&topology, 2 * once.packets());
        assert_eq!((round.packets(), round.ticks), (2 * once.packets(), topology.nodes() - 1), "{dims:?}");
        assert!(round.ticks < 2 * once.ticks, "{dims:?}");
        assert_meets_the_bound(&round);
        assert!(round.classes.iter().all(|class| class.is_time_independent(round.ticks, 1)), "{dims:?}");
    }
}

#[test]
fn packets_go_round_only_where_that_saves_steps() {
    let packets = |dims: &[u32], wanted| asked(&Torus::new(dims).unwrap(), wanted).packets();
    // three of four in 63 steps, or 2 and 1 in 64; five in 96 or 126
    assert_eq!([1, 2, 3, 4, 5, 7, 8].map(|wanted| packets(&[8, 8], wanted)), [2, 2, 4, 4, 2, 4, 4]);
    // an odd number of nodes has nothing to save
    assert_eq!([2, 4].map(|wanted| packets(&[3, 5], wanted)), [2, 2]);
}
