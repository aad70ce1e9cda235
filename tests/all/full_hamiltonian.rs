//! Hamiltonian decompositions and their gossip over the ranges of the papers' claims: all of them when
//! `TORUSWEAVE_FULL` is set, every so manieth otherwise.

use torusweave::net::Torus;
use torusweave::play::{Knowledge, Machine};
use torusweave::program::Title;
use torusweave::schemes::hamiltonian;

use crate::fixtures::ranges::{self, ascending, every_order};

fn sampled(sizes: Vec<Vec<u32>>, stride: usize) -> impl Iterator<Item = Torus> {
    ranges::sampled(sizes, stride).map(|dims| Torus::new(&dims).unwrap())
}

/// The cover checks that cycles are closed and share neither nodes nor links; so d cycles of length P use all links.
fn assert_hamiltonian(torus: &Torus) {
    let cover = hamiltonian::cover(torus).unwrap();
    assert_eq!(cover.cycles(), torus.axes(), "{torus}");
    assert!((0..cover.cycles()).all(|cycle| cover.length(cycle) == torus.nodes()), "{torus}");
}

#[test]
fn two_axes() {
    sampled(every_order(2, 3, 80), 31).for_each(|torus| assert_hamiltonian(&torus));
}

#[test]
fn three_axes() {
    sampled(every_order(3, 3, 9), 11).for_each(|torus| assert_hamiltonian(&torus));
    sampled(ascending(3, 3, 24), 53).for_each(|torus| assert_hamiltonian(&torus));
    let long = (3..=6).flat_map(|a| (a..=6).flat_map(move |b| (25..=90).map(move |c| vec![c, a, b]))).collect();
    sampled(long, 23).for_each(|torus| assert_hamiltonian(&torus));
}

#[test]
fn four_axes() {
    sampled(every_order(4, 3, 9), 101).for_each(|torus| assert_hamiltonian(&torus));
}

#[test]
fn five_axes() {
    sampled(every_order(5, 3, 5), 17).for_each(|torus| assert_hamiltonian(&torus));
    sampled(ascending(5, 3, 7), 41).for_each(|torus| assert_hamiltonian(&torus));
}

#[test]
fn six_and_more_axes() {
    sampled(every_order(6, 3, 4), 13).for_each(|torus| assert_hamiltonian(&torus));
    sampled(ascending(7, 3, 4), 3).for_each(|torus| assert_hamiltonian(&torus));
    sampled(ascending(9, 3, 4), 4).for_each(|torus| assert_hamiltonian(&torus));
}

#[test]
fn gossip_takes_half_p_minus_1_steps_without_a_duplicate() {
    let small = [every_order(2, 3, 16), every_order(3, 3, 7), every_order(4, 3, 4)].concat();
    for torus in sampled(small, 37) {
        let title = Title::new("t", "hamiltonian");
        let program = hamiltonian::program(&torus, title).unwrap();
        assert_eq!(program.ticks, (torus.nodes() - 1).div_ceil(2), "{torus}");
        let mut machine = Machine::new(&program);
        let mut knowledge = Knowledge::new(&program);
        while !machine.is_done() {
            assert!(knowledge.incomplete().next().is_some(), "{torus} is complete before tick {}", program.ticks);
            machine.step();
            for (node, port, flit) in machine.arrivals() {
                assert!(knowledge.learn(node, flit), "{torus}: {flit:?} again at {} {port}", torus.show(node));
            }
        }
        assert!(knowledge.incomplete().next().is_none(), "{torus}");
    }
}
