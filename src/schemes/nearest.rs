//! The sizes nearest to one that is refused.

use crate::net::Topology;

/// Number of sizes to name.
const WANTED: usize = 3;
/// Search radius as the sum of the changes of all sides.
const FARTHEST: u32 = 12;
/// Number of sizes to try before giving up.
const MOST_TRIES: usize = 100_000;

/// The nearest networks of the same shape that are accepted, as the sum of the changes of all sides goes; larger first.
pub(super) fn sizes(refused: &Topology, accepts: impl Fn(&Topology) -> bool) -> Vec<Topology> {
    let candidates = (1..=FARTHEST).flat_map(|distance| at_distance(refused.dims(), distance)).take(MOST_TRIES);
    let networks = candidates.filter_map(|dims| Topology::new(refused.shape()?, &dims).ok());
    networks.filter(accepts).take(WANTED).collect()
}

/// Every list of sides whose changes add up to `distance`.
fn at_distance(dims: &[u32], distance: u32) -> Vec<Vec<u32>> {
    let Some((&side, rest)) = dims.split_first() else {
        return if distance == 0 { vec![Vec::new()] } else { Vec::new() };
    };
    let mut found = Vec::new();
    for change in 0..=distance {
        let larger = side.checked_add(change);
        let smaller = side.checked_sub(change).filter(|&side| change > 0 && side >= 2);
        for rest in at_distance(rest, distance - change) {
            for side in [larger, smaller].into_iter().flatten() {
                found.push([&[side], rest.as_slice()].concat());
            }
        }
    }
    found.sort_unstable_by_key(|dims| std::cmp::Reverse(dims.iter().map(|&side| u64::from(side)).product::<u64>()));
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::net::ShapeName;
    use crate::program::Link;
    use crate::schemes::{hamiltonian::Hamiltonian, staircase::Staircase, zigzag::Zigzag};
    use crate::task::{Choice, Scheme, Task};

    fn nearest(scheme: &dyn Scheme, shape: ShapeName, dims: &[u32]) -> Vec<String> {
        let fits = |topology: &Topology| {
            scheme.fits(&Task { topology, link: Link::default(), choice: Choice::default() }).is_ok()
        };
        sizes(&Topology::new(shape, dims).unwrap(), fits).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn the_nearest_sizes_are_named_larger_first() {
        assert_eq!(nearest(&Staircase, ShapeName::Torus, &[7, 7]), ["7x8", "8x7", "7x6"]);
        assert_eq!(nearest(&Zigzag, ShapeName::Torus, &[3, 3, 2])[0], "3x3x3");
        assert_eq!(nearest(&Hamiltonian, ShapeName::Mesh, &[5, 5]), ["5x6", "6x5", "5x4"]);
    }

    #[test]
    fn another_shape_is_never_near() {
        assert!(nearest(&Staircase, ShapeName::Mesh, &[7, 7]).is_empty());
    }
}
