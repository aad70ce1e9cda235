//! The sizes nearest to one that a scheme refuses.

use super::Scheme;

/// How many sizes to name.
const WANTED: usize = 3;
/// How far to look, as the sum of the changes of all sides.
const FARTHEST: u32 = 12;
/// How many sizes to try before giving up.
const MOST_TRIES: usize = 100_000;

/// The nearest sizes the scheme accepts, as the sum of the changes of all sides goes; larger ones first.
pub(super) fn sizes(scheme: Scheme, dims: &[u32]) -> Vec<Vec<u32>> {
    let candidates = (1..=FARTHEST).flat_map(|distance| at_distance(dims, distance));
    candidates.take(MOST_TRIES).filter(|dims| scheme.fits(dims).is_ok()).take(WANTED).collect()
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

    #[test]
    fn the_nearest_sizes_are_named_larger_first() {
        assert_eq!(sizes(Scheme::Staircase, &[7, 7]), [[7, 8], [8, 7], [7, 6]]);
        assert_eq!(sizes(Scheme::Zigzag, &[3, 3, 2])[0], [3, 3, 3]);
    }
}
