//! The obligations for every size speak of our own cycles, and Z3 proves them and refutes their mutants.

use std::collections::BTreeSet;

use torusweave::net::{NodeId, Port, Torus};
use torusweave::paths::cover::Cover;
use torusweave::schemes::{hamiltonian, staircase, zigzag};
use torusweave::tools::prove::every_size::ProvedScheme;

use crate::fixtures::command::Place;
use crate::fixtures::smt::Functions;
use crate::fixtures::tools::has;

/// The functions that an obligation speaks of.
fn functions(scheme: ProvedScheme, name: &str) -> Functions {
    let obligation = scheme.obligations().into_iter().find(|obligation| obligation.name == name).unwrap();
    Functions::of(obligation.text())
}

/// A cycle from its least node on, towards the lesser neighbour of the two: the same for every way to write it.
fn as_a_set(mut nodes: Vec<u32>) -> Vec<u32> {
    let least = (0..nodes.len()).min_by_key(|&at| nodes[at]).unwrap();
    nodes.rotate_left(least);
    if nodes.last() < nodes.get(1) {
        nodes[1..].reverse();
    }
    nodes
}

fn traced(cover: &Cover) -> BTreeSet<Vec<u32>> {
    let cycle = |cycle| cover.nodes(cycle).map(|(node, _)| node.0).collect();
    (0..cover.cycles()).map(|index| as_a_set(cycle(index))).collect()
}

/// The nodes of a torus in the order in which a file's places come, by its own rule for the next one.
fn places(
    file: &Functions,
    fixed: &[(&'static str, i64)],
    place: &[&'static str],
    next: &[&str],
    node: impl Fn(&[(&str, i64)]) -> u32,
) -> Vec<u32> {
    let mut at = vec![0; place.len()];
    let mut nodes = Vec::new();
    loop {
        let values: Vec<(&str, i64)> = place.iter().copied().zip(at).chain(fixed.iter().copied()).collect();
        nodes.push(node(&values));
        assert!(nodes.len() < 10_000, "it never comes back");
        at = next.iter().map(|name| file.value(name, &values)).collect();
        if at.iter().all(|&index| index == 0) {
            return nodes;
        }
    }
}

/// The node at row i and column j of a file of m rows; `transposed` if the torus is read the other way round.
fn node(torus: &Torus, i: i64, j: i64, transposed: bool) -> u32 {
    let coordinates = if transposed { [j, i] } else { [i, j] };
    torus.node(&coordinates.map(|coordinate| u32::try_from(coordinate).unwrap())).0
}

/// The two cycles of a hamiltonian file for m rows and n columns, as nodes of an m x n torus or, transposed, of n x m.
fn hamiltonian_places(torus: &Torus, (m, n): (u32, u32), transposed: bool) -> BTreeSet<Vec<u32>> {
    let kind = match (m, m % 2, n % 2) {
        (3, _, 1) => "three-odd",
        (_, 1, 0) => "odd-even",
        (_, 0, 0) => "even-even",
        _ => "odd-odd",
    };
    let fixed = [("k", i64::from(m / 2)), ("h", i64::from(n / 2))];
    let cycle = |cycle| {
        let file = functions(ProvedScheme::Hamiltonian, &format!("hamiltonian-{kind}-{cycle}-step"));
        as_a_set(places(&file, &fixed, &["s", "b", "o"], &["next-s", "next-b", "next-o"], |values| {
            let values = values.to_vec();
            assert_eq!((file.value("m", &values), file.value("n", &values)), (m.into(), n.into()));
            node(torus, file.value("i", &values), file.value("j", &values), transposed)
        }))
    };
    [0, 1].map(cycle).into()
}

#[test]
fn the_places_that_are_proved_are_those_of_our_covers() {
    let mut cases = 0;
    for (n1, n2) in (2..=12).flat_map(|n1| (2..=12).map(move |n2| (n1, n2))) {
        let torus = Torus::new(&[n1, n2]).unwrap();
        let is_even = |side: u32| side.is_multiple_of(2);
        if n1 >= 3 && n2 >= 3 && !(is_even(n1) && is_even(n2)) && (n1, n2) != (3, 3) {
            let transposed = is_even(n1) || (n2 == 3 && !is_even(n1));
            let sides = if transposed { (n2, n1) } else { (n1, n2) };
            let cover = hamiltonian::cover(&torus).unwrap();
            assert_eq!(hamiltonian_places(&torus, sides, transposed), traced(&cover), "hamiltonian {n1}x{n2}");
            cases += 1;
        }
        if n1 >= 4 && n2 >= 4 && is_even(n1) && is_even(n2) {
            let file = functions(ProvedScheme::Staircase, "staircase-step");
            let fixed = [("k", i64::from(n1 / 2)), ("h", i64::from(n2 / 2))];
            let cycle = |q| {
                let fixed = [fixed[0], fixed[1], ("q", q)];
                as_a_set(places(&file, &fixed, &["b", "o"], &["b1", "o1"], |values| {
                    let [q, b, o] =
                        ["q", "b", "o"].map(|name| values.iter().find(|(known, _)| *known == name).unwrap().1);
                    let values = values.to_vec();
                    let (i, j) = (file.call("row-of", &[q, b, o], &values), file.call("column-of", &[b, o], &values));
                    node(&torus, i, j, false)
                }))
            };
            let cover = staircase::cover(&torus).unwrap();
            assert_eq!(BTreeSet::from([0, 1].map(cycle)), traced(&cover), "staircase {n1}x{n2}");
            cases += 1;
        }
        if is_even(n1) {
            let file = functions(ProvedScheme::Zigzag, "zigzag-step");
            let fixed = [("k", i64::from(n1 / 2)), ("n", n2.into())];
            let cycle = |q| {
                let fixed = [fixed[0], fixed[1], ("q", q)];
                as_a_set(places(&file, &fixed, &["b", "o"], &["next-b", "next-o"], |values| {
                    let values = values.to_vec();
                    node(&torus, file.value("x1", &values), file.value("x2", &values), false)
                }))
            };
            let cover = zigzag::cover(&torus).unwrap();
            assert_eq!(BTreeSet::from([0, 1].map(cycle)), traced(&cover), "zigzag {n1}x{n2}");
            cases += 1;
        }
    }
    assert!(cases >= 150, "{cases} cases");
}

/// Two even sides take the staircase; the rule of the plane serves the products of three and more axes there. Its places
/// are the cycles that its own labels make.
#[test]
fn on_two_even_sides_the_places_follow_the_labels_of_the_rule() {
    for (m, n) in [4, 6, 8, 10].into_iter().flat_map(|m| [4, 6, 8, 10].map(|n| (m, n))) {
        let torus = Torus::new(&[m, n]).unwrap();
        let file = functions(ProvedScheme::Hamiltonian, "hamiltonian-even-even-0-step");
        let fixed = vec![("k", i64::from(m / 2)), ("h", i64::from(n / 2))];
        let label = |node: NodeId, axis: usize| {
            let arguments = [0, 1].map(|axis| i64::from(torus.coord(node, axis)));
            file.call(if axis == 0 { "along-column" } else { "along-row" }, &arguments, &fixed)
        };
        let neighbours = |node: NodeId, cycle: i64| {
            let port = |port: Port| {
                let next = torus.neighbour(node, port);
                let low = if port == Port::plus(port.axis()) { node } else { next };
                (label(low, port.axis()) == cycle).then_some(next)
            };
            let found: Vec<NodeId> = torus.port_ids().filter_map(port).collect();
            assert_eq!(found.len(), 2, "node {node:?} of {m}x{n} has two links of cycle {cycle}");
            found
        };
        let cycle = |cycle| {
            let mut nodes = vec![NodeId(0), neighbours(NodeId(0), cycle)[0]];
            while nodes.last() != Some(&NodeId(0)) {
                let [.., before, here] = nodes[..] else { unreachable!() };
                nodes.extend(neighbours(here, cycle).into_iter().find(|&next| next != before));
            }
            nodes.pop();
            as_a_set(nodes.into_iter().map(|node| node.0).collect())
        };
        assert_eq!(hamiltonian_places(&torus, (m, n), false), BTreeSet::from([0, 1].map(cycle)), "{m}x{n}");
    }
}

#[test]
fn every_obligation_is_proved_and_says_what_stays_on_paper() {
    if !has("z3") {
        return;
    }
    let place = Place::new();
    let ended = place.run("prove --every-size all --out files");
    assert_eq!(ended.code, 0, "{}{}", ended.stdout, ended.stderr);
    assert!(ended.stdout.contains("\n49 of 49 obligations proved for all sizes"), "{}", ended.stdout);
    assert!(ended.stdout.contains("\non paper:\n  staircase: "), "{}", ended.stdout);
    let written = place.contents().into_keys().filter(|path| path.starts_with("files/hamiltonian-")).count();
    assert_eq!(written, 32);
}

#[test]
fn every_mutant_is_refuted_or_proved_to_change_nothing() {
    if !has("z3") {
        return;
    }
    let ended = Place::new().run("prove --every-size all --mutants");
    assert_eq!(ended.code, 0, "{}{}", ended.stdout, ended.stderr);
    let verdict = "\n76 of 76 mutants refuted; 4 more proved to change nothing\n";
    assert!(ended.stdout.ends_with(verdict), "{}", ended.stdout);
}

#[test]
fn without_z3_the_files_are_written_and_nothing_is_proved() {
    let place = Place::new();
    let ended = place.command().args(["prove", "--every-size", "switching"]).env("PATH", "").output().unwrap();
    assert_eq!(ended.status.code(), Some(1));
    let said = String::from_utf8(ended.stderr).unwrap();
    assert!(said.starts_with("3 obligations in every-size\nnothing is proved: `z3` is not installed"), "{said}");
    assert!(place.contents().contains_key("every-size/switching-complete.smt2"));
}
