//! Regions of maps made by hand, of wild maps, and of the constructions.

use std::collections::BTreeSet;

use super::pattern::coordinates;
use super::words::CoordinateStyle;
use super::*;
use crate::net::Torus;
use crate::paths::supply::Switching;
use crate::program::{Program, Title};
use crate::schemes::{hamiltonian, staircase, zigzag};

mod names;

/// The map in which `class` names each node's class, and its regions, checked against it.
fn regions_of(dims: &[u32], class: impl Fn(&[u32]) -> u32) -> (Torus, ClassMap, Vec<Region>) {
    let topology = Torus::new(dims).unwrap();
    let class_of: ClassMap = topology.node_ids().map(|node| ClassId(class(&topology.coords(node)))).collect();
    let classes = class_of.iter().map(|class| class.index() + 1).max().unwrap();
    let regions = regions(&topology, &class_of, classes);
    check(&topology, &class_of, &regions);
    (topology, class_of, regions)
}

fn check(topology: &Topology, class_of: &ClassMap, regions: &[Region]) {
    for (class, region) in regions.iter().enumerate() {
        let mut size = 0;
        for node in topology.node_ids() {
            let belongs = class_of[node.index()].index() == class;
            assert_eq!(region.contains(&topology.coords(node)), belongs, "{region} at {}", topology.show(node));
            size += u32::from(belongs);
        }
        assert_eq!(region.size(), size, "{region}");
    }
}

fn texts(dims: &[u32], class: impl Fn(&[u32]) -> u32) -> Vec<String> {
    regions_of(dims, class).2.iter().map(Region::to_string).collect()
}

fn patterns(dims: &[u32], class: impl Fn(&[u32]) -> u32) -> Vec<String> {
    regions_of(dims, class).2.iter().map(Region::pattern).collect()
}

#[test]
fn stripes_are_rows_and_columns() {
    assert_eq!(texts(&[6, 8], |x| u32::from(x[0] > 1)), ["rows 0 and 1", "rows 2..5"]);
    assert_eq!(patterns(&[6, 8], |x| u32::from(x[0] > 1)), ["rows 0..1", "rows 2.."]);
    assert_eq!(patterns(&[8, 9], |x| x[1] % 3), [0, 1, 2].map(|r| format!("columns {r} mod 3 of every row")));
    assert_eq!(texts(&[5, 6], |x| u32::from(x[1] == 5)), ["columns 0..4 of every row", "column 5 of every row"]);
    assert_eq!(
        patterns(&[5, 6], |x| u32::from(x[1] == 5)),
        ["columns 0..n2-2 of every row", "the last column of every row"]
    );
}

#[test]
fn checkerboards_are_sums() {
    assert_eq!(texts(&[6, 8], |x| (x[0] + x[1]) % 2), ["x1+x2 even", "x1+x2 odd"]);
    assert_eq!(texts(&[4, 4, 6], |x| (x[0] + x[1] + x[2]) % 2), ["x1+x2+x3 even", "x1+x2+x3 odd"]);
    let zigzags = |x: &[u32]| if x[2] < 3 { 0 } else { 1 + (x[0] + x[1]) % 3 };
    let expected = [
        "x3 in 0..2",
        "(x1+x2) mod 3 = 0 and x3 in 3..",
        "(x1+x2) mod 3 = 1 and x3 in 3..",
        "(x1+x2) mod 3 = 2 and x3 in 3..",
    ];
    for dims in [[6, 6, 6], [3, 6, 9], [6, 3, 5]] {
        assert_eq!(patterns(&dims, zigzags), expected, "{dims:?}");
    }
    assert_eq!(texts(&[6, 6], |x| u32::from((x[0] + 2 * x[1]) % 6 == 4)).len(), 2);
    assert_eq!(texts(&[4, 8], |x| u32::from((x[1] + 4 - x[0]) % 4 == 3))[1], "(x2-x1) mod 4 = 3");
}

#[test]
fn a_checkerboard_that_does_not_close_is_still_a_rule() {
    let (.., regions) = regions_of(&[7, 7], |x| u32::from(x[0] < 6 && x[1] < 6 && (x[0] + x[1]) % 2 == 0));
    assert!(regions.iter().all(Region::is_rule));
    assert_eq!(regions[1].pattern(), "even columns but the last of even rows but the last; odd columns of odd rows");
}

#[test]
fn single_exceptional_nodes_are_named_and_the_rest_is_the_rest() {
    let lonely = |x: &[u32]| u32::from(x == [3, 7]);
    assert_eq!(texts(&[6, 8], lonely), ["every node but node 3,7", "node 3,7"]);
    assert_eq!(patterns(&[6, 8], lonely), ["every node but node 3,n2-1", "node 3,n2-1"]);
    let two = |x: &[u32]| u32::from(x == [0, 0, 0] || x == [2, 1, 3]);
    assert_eq!(texts(&[3, 3, 4], two), ["every node but nodes 0,0,0 and 2,1,3", "nodes 0,0,0 and 2,1,3"]);
}

#[test]
fn one_class_is_every_node() {
    assert_eq!(texts(&[2, 2], |_| 0), ["every node"]);
    assert_eq!(texts(&[2, 3, 2, 3, 2], |_| 0), ["every node"]);
}

#[test]
fn irregular_maps_are_listed_by_nodes() {
    let wild = |x: &[u32]| (x[0].wrapping_mul(2_654_435_761) ^ x[1].wrapping_mul(40_503) ^ (x[0] * x[1])) / 7 % 3;
    for dims in [[5, 7], [12, 13], [64, 64]] {
        let (.., regions) = regions_of(&dims, wild);
        assert!(regions.iter().all(|region| region.to_string().len() < 400), "{dims:?}");
    }
    let (.., regions) = regions_of(&[64, 64], wild);
    assert!(!regions.iter().any(Region::is_rule));
}

/// A map without rules: more groups of alike coordinates than are looked at.
fn ruleless(x: &[u32]) -> u32 {
    let node = (x[0] * 17 + x[1]) * 18 + x[2];
    match x {
        [2, 3, 4] | [15, 0, 17] => 3,
        [9, 16, 1] => 4,
        _ => (node.wrapping_mul(2_654_435_761) >> 9) % 3,
    }
}

#[test]
fn nodes_without_a_rule_are_listed_by_their_coordinates() {
    let texts = texts(&[16, 17, 18], ruleless);
    assert_eq!(texts[3..], ["nodes 2,3,4 and 15,0,17", "node 9,16,1"]);
    let [head, tail] = texts[0].split(" and ").collect::<Vec<_>>()[..] else { panic!("{}", texts[0]) };
    assert_eq!(head.matches(' ').count(), 6, "six are listed: {head}");
    for node in head.trim_start_matches("nodes ").split(", ") {
        let coords: Vec<u32> = node.split(',').map(|x| x.parse().unwrap()).collect();
        assert_eq!(ruleless(&coords), 0, "{node}");
    }
    assert!(tail.ends_with(" more"), "{tail}");
}

#[test]
fn a_list_of_nodes_describes_no_class_of_any_torus() {
    let (torus, class_of, regions) = regions_of(&[16, 17, 18], ruleless);
    for (class, region) in regions.iter().enumerate() {
        assert!(!region.is_rule());
        assert!(!region.describes(&torus, &class_of, ClassId(class as u32)), "class {class}");
    }
}

#[test]
fn a_class_without_nodes_has_no_node() {
    let topology = Torus::new(&[4, 4]).unwrap();
    let regions = regions(&topology, &ClassMap::uniform(16), 2);
    check(&topology, &ClassMap::uniform(16), &regions);
    assert_eq!(regions[1].to_string(), "no node");
}

fn checked(program: &Program) -> Vec<Region> {
    let regions = regions(&program.topology, &program.class_of, program.classes.len());
    check(&program.topology, &program.class_of, &regions);
    regions
}

fn staircase_on(dims: &[u32]) -> Program {
    staircase::program(&Torus::new(dims).unwrap(), Switching::Memory, Title::new("t", "t")).unwrap()
}

fn patterns_of(program: &Program) -> Vec<String> {
    checked(program).iter().map(Region::pattern).collect()
}

#[test]
fn the_staircase_has_the_same_rules_at_every_size() {
    for (n1, n2) in (2..=20).step_by(2).flat_map(|n1| (2..=20).step_by(2).map(move |n2| (n1, n2))) {
        let patterns = patterns_of(&staircase_on(&[n1, n2]));
        if n1 >= 4 && n2 >= 6 {
            let expected = ["even columns and the last of every row", "odd columns but the last of every row"];
            assert_eq!(patterns, expected, "{n1}x{n2}");
        }
    }
    let text = |dims| checked(&staircase_on(dims))[0].to_string();
    assert_eq!(text(&[6, 8]), "columns 0, 2, 4, 6 and 7 of every row");
    assert_eq!(text(&[4, 64]), "columns 0, 2, 4, ..., 62 and 63 of every row");
}

#[test]
fn staircases_with_one_odd_side_have_a_few_rules() {
    for dims in [[6, 7], [7, 6], [12, 15], [15, 8]] {
        let regions = checked(&staircase_on(&dims));
        assert!(regions.iter().all(Region::is_rule), "{dims:?}");
    }
    let patterns = patterns_of(&staircase_on(&[6, 7]));
    assert!(patterns.contains(&"column n2-2 of every row".to_owned()), "{patterns:?}");
}

#[test]
fn the_zigzag_has_its_rows_and_the_others() {
    let patterns = |dims: &[u32]| {
        patterns_of(&zigzag::program(&Torus::new(dims).unwrap(), Switching::Memory, Title::new("t", "t")).unwrap())
    };
    for dims in [[8, 6], [16, 12], [4, 9]] {
        assert_eq!(patterns(&dims), ["columns 0..1 of every row", "columns 2.. of every row"], "{dims:?}");
    }
    assert_eq!(patterns(&[3, 3, 4]), ["x3 in 0..1", "x3 = 2", "x3 = n3-1"]);
    for dims in [&[6, 6, 5][..], &[6, 3, 5], &[7, 7], &[9, 9], &[4, 4, 4, 4]] {
        assert!(patterns(dims).iter().all(|rule| rule.len() < 300), "{dims:?}");
    }
}

#[test]
fn the_zigzag_in_three_axes_has_the_same_rules_at_every_size() {
    let patterns = |dims: &[u32]| {
        patterns_of(&zigzag::program(&Torus::new(dims).unwrap(), Switching::None, Title::new("t", "t")).unwrap())
    };
    assert_eq!(patterns(&[6, 6, 5]), patterns(&[9, 9, 7]));
    assert!(patterns(&[6, 6, 5]).contains(&"(x1+x2) mod n1 = n1-1 and x3 = 2".to_owned()));
}

#[test]
fn the_hamiltonian_plane_has_few_rules() {
    let patterns =
        |dims: &[u32]| patterns_of(&hamiltonian::program(&Torus::new(dims).unwrap(), Title::new("t", "t")).unwrap());
    assert_eq!(patterns(&[9, 9]), patterns(&[11, 11]));
    assert_eq!(patterns(&[7, 7]).len(), 3);
    for dims in [[5, 8], [8, 5], [7, 12], [3, 3]] {
        assert!(patterns(&dims).iter().all(|rule| rule.len() < 120), "{dims:?}");
    }
}

#[test]
fn a_rule_describes_the_same_class_of_another_size() {
    let (small, large) = (staircase_on(&[6, 8]), staircase_on(&[12, 16]));
    let rules = checked(&small);
    for class in [ClassId(0), ClassId(1)] {
        let (other, rule) = (ClassId(1 - class.0), &rules[class.index()]);
        assert!(rule.describes(&large.topology, &large.class_of, class));
        assert!(rule.describes(&small.topology, &small.class_of, class));
        assert!(!rule.describes(&large.topology, &large.class_of, other));
    }
}

#[test]
fn a_million_nodes_are_described() {
    let topology = Torus::new(&[100, 100, 100]).unwrap();
    let class =
        |node| u32::from(topology.coord(node, 2) > 2) * (1 + (topology.coord(node, 0) + topology.coord(node, 1)) % 2);
    let class_of: ClassMap = topology.node_ids().map(|node| ClassId(class(node))).collect();
    let regions = regions(&topology, &class_of, 3);
    assert_eq!(regions[2].pattern(), "x1+x2 odd and x3 in 3..");
}

#[test]
fn residues_of_a_third_axis_are_conditions() {
    assert_eq!(patterns(&[3, 4, 6], |x| x[2] % 2), ["x3 even", "x3 odd"]);
    assert_eq!(patterns(&[3, 4, 9], |x| x[2] % 3), ["x3 mod 3 = 0", "x3 mod 3 = 1", "x3 mod 3 = 2"]);
}

#[test]
fn up_to_eight_runs_of_coordinates_are_listed() {
    let listed = |runs: u32| {
        let members: Vec<bool> = (0..3 * runs).map(|x| x % 3 == 0).collect();
        coordinates(&members, "and")
    };
    assert_eq!(listed(8), "0, 3, 6, 9, 12, 15, 18 and 21");
    assert_eq!(listed(9), "0, 3, 6, ..., 21 and 24");
}

#[test]
fn no_nodes_and_all_but_two_have_words_of_their_own() {
    let words = |rule: RegionRule| rule.describe(&[4, 4], CoordinateStyle::ThisSize);
    let node = |x1: u32, x2: u32| {
        let key = |axis, x: u32| {
            let members: Vec<bool> = (0..4).map(|here| here == x).collect();
            (FrameKey::Axis(axis), Pattern::fit(&members, &[]))
        };
        BoxTerm { keys: vec![key(0, x1), key(1, x2)] }
    };
    assert_eq!(words(RegionRule::Nodes(Vec::new())), "no node");
    let all_but = |nodes: &[(u32, u32)]| {
        let terms = nodes.iter().map(|&(x1, x2)| node(x1, x2)).collect();
        words(RegionRule::Rest(vec![RegionRule::Boxes(terms)]))
    };
    assert_eq!(all_but(&[(0, 1), (2, 3)]), "every node but nodes 0,1 and 2,3");
    assert_eq!(all_but(&[(0, 1), (2, 3), (3, 3)]), "the rest");
}

/// Pairs with both signs, all subsets, and label (4) of section 4.3, each once.
#[test]
fn the_sums_that_are_tried_are_those_of_the_paper() {
    let tried = |axes: usize| {
        let frames = CoordinateFrame::skewed(axes);
        let names = frames.iter().map(|frame| {
            let sum = frame.keys.iter().find(|key| matches!(key, FrameKey::Sum { .. })).unwrap();
            format!("{} for x{}", sum.name(), sum.axis() + 1)
        });
        names.collect::<Vec<_>>()
    };
    assert_eq!(tried(2), ["x1+x2 for x1", "x1+x2 for x2", "x2-x1 for x2"]);
    for (axes, label) in [(4, "x1+x2+2x3"), (5, "x1+x2+2x3+3x4")] {
        let sums = tried(axes);
        let of_label = sums.iter().filter(|sum| sum.starts_with(&format!("{label} for")));
        assert_eq!(of_label.count(), 2, "{sums:?}");
    }
    for axes in 2..=5 {
        let sums = tried(axes);
        assert_eq!(sums.iter().collect::<BTreeSet<_>>().len(), sums.len(), "{sums:?}");
    }
}

/// A rule names the sum itself; its parity stays the same on tori of other sides.
#[test]
fn a_sum_of_coordinates_describes_tori_of_other_sides() {
    let checkers = |dims: &[u32]| regions_of(dims, |x| (x[0] + x[1]) % 2);
    let (.., rules) = checkers(&[6, 8]);
    let (odd, class_of, _) = checkers(&[5, 7]);
    assert!(rules[0].describes(&odd, &class_of, ClassId(0)) && !rules[0].describes(&odd, &class_of, ClassId(1)));
}

#[test]
fn a_rule_that_does_not_hold_is_dropped() {
    let map = |stripes: u32| {
        let topology = Torus::new(&[6, 8]).unwrap();
        let class = |node| ClassId(topology.coord(node, 1) / stripes % 2);
        let class_of: ClassMap = topology.node_ids().map(class).collect();
        (topology, class_of)
    };
    let (topology, one) = map(1);
    let mut attempt = FrameAttempt::new(&topology, &one, 2, &CoordinateFrame::plain(2));
    attempt.verify(&topology, &one);
    assert!(attempt.rules.iter().all(Option::is_some));
    attempt.verify(&topology, &map(2).1);
    assert!(attempt.rules.iter().all(Option::is_none));
}

/// Sums would be cheaper here, but they are tried only where rules by coordinates are expensive.
#[test]
fn sums_are_not_tried_where_coordinates_are_cheap() {
    let cost_as = |dims: &[u32], class: fn(&[u32]) -> u32, expected: [usize; 2]| {
        let (topology, class_of, regions) = regions_of(dims, class);
        let cost = |frame: &CoordinateFrame| FrameAttempt::new(&topology, &class_of, 3, frame).cost;
        let by_sums = CoordinateFrame::skewed(2).iter().map(cost).min().unwrap();
        assert_eq!([cost(&CoordinateFrame::plain(2)), by_sums], expected, "{dims:?}");
        assert!(regions.iter().all(|region| !region.pattern().contains('+')), "{regions:?}");
    };
    cost_as(&[2, 4], |x| if x[1] >= 2 && x[0] % 2 == x[1] % 2 { 2 } else { u32::from(x[1] % 3 == 1) }, [11, 8]);
    cost_as(&[6, 6], |x| if x[1] == 2 { 2 } else { u32::from(x[1] > 2 && x[0] % 2 == x[1] % 2) }, [DEAR * 3, 8]);
}

#[test]
fn sum_costs_as_much_as_two_more_words() {
    let cost =
        |key: FrameKey, members: &[bool]| BoxTerm { keys: vec![(key, Pattern::fit(members, &[2, 3, 4]))] }.cost();
    for set in 1..63 {
        let members: Vec<bool> = (0..6).map(|x| set >> x & 1 == 1).collect();
        let sum = FrameKey::Sum { axis: 0, factors: vec![1, 1] };
        assert_eq!(cost(sum, &members), cost(FrameKey::Axis(0), &members) + 2, "{members:?}");
    }
}
