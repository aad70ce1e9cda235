//! Tests of the names of sets of coordinates and classes: they are the expected ones.

use super::*;
use crate::net::splitmix::Splitmix;

/// A change in the choice or wording of rules shows in this list.
#[test]
fn sets_of_coordinates_have_these_names() {
    let shown = |members: &[bool]| members.iter().map(|&member| if member { '#' } else { '.' }).collect::<String>();
    let named = |members: &[bool]| {
        let side = members.len() as u32;
        let (axis, sum) = (Pattern::fit(members, &[2, 3, 4]), Pattern::fit_sum(members, &[2, 3, 4, side]));
        for pattern in [&axis, &sum] {
            assert_eq!(super::members(pattern, side), members, "{pattern:?}");
        }
        let (lines, condition) = (axis.lines("row", "n1"), sum.condition("x1+x2", "n1"));
        format!("{} {lines} | {}; {condition}\n", shown(members), axis.condition("x1", "n1"))
    };
    let mut names = String::new();
    for side in 2..=6 {
        for set in 1..1_u32 << side {
            names += &named(&(0..side).map(|x| set >> x & 1 == 1).collect::<Vec<_>>());
        }
    }
    // every n-th, except for some coordinates and some ends
    let mut random = Splitmix(5);
    for (side, modulus) in [7, 8, 9, 10, 12, 13].into_iter().flat_map(|side| [2, 3, 4].map(|modulus| (side, modulus))) {
        for changed in 0..8 {
            let residue = random.below(modulus);
            let mut members: Vec<bool> = (0..side).map(|x| x % modulus == residue).collect();
            match changed {
                6 => members[..4].fill(false),
                7 => members[side as usize - 3..].fill(false),
                changed => (0..changed).for_each(|_| {
                    let x = random.below(side) as usize;
                    members[x] = !members[x];
                }),
            }
            // a class without nodes has no box
            if members.contains(&true) {
                names += &named(&members);
            }
        }
    }
    insta::assert_snapshot!(names);
}

/// Boxes, sums and single nodes laid over one another: how their classes are named.
#[test]
fn maps_by_chance_have_these_rules() {
    type Layer = Box<dyn Fn(&[u32]) -> bool>;
    let mut random = Splitmix(6);
    let mut rules = String::new();
    for dims in [&[6, 8][..], &[7, 9], &[4, 12], &[3, 4, 5], &[4, 4, 6], &[6, 6, 5], &[3, 3, 3, 4], &[9]] {
        for _ in 0..8 {
            let mut layers: Vec<Layer> = Vec::new();
            for _ in 0..=random.below(3) {
                let axis = random.below(dims.len() as u32) as usize;
                let (first, modulus) = (random.below(dims[axis]), 2 + random.below(3));
                let node: Vec<u32> = dims.iter().map(|&side| random.below(side)).collect();
                layers.push(match random.below(5) {
                    0 => Box::new(move |x| x[axis] >= first),
                    1 => Box::new(move |x| x[axis] % modulus == 1),
                    2 => Box::new(move |x| x.iter().sum::<u32>() % modulus == 1),
                    3 => Box::new(move |x| x == node),
                    _ => Box::new(move |x| x[axis] == first),
                });
            }
            let layer = |x: &[u32]| layers.iter().rposition(|layer| layer(x)).map_or(0, |layer| layer as u32 + 1);
            let topology = Torus::new(dims).unwrap();
            let layers: BTreeSet<u32> = topology.node_ids().map(|node| layer(&topology.coords(node))).collect();
            let (.., regions) =
                regions_of(dims, |x| layers.iter().position(|&known| known == layer(x)).unwrap() as u32);
            rules += &format!("{dims:?}\n");
            rules.extend(regions.iter().map(|region| format!("  {region} | {}\n", region.pattern())));
        }
    }
    insta::assert_snapshot!(rules);
}
