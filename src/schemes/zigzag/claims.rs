//! Promises of section 4, one function per theorem. Steps are whole: a fraction is rounded up.
//!
//! A function returns none where the theorem's condition is not met. What is measured may differ: see the tests.

use crate::paths::supply::Switching;
use crate::task::Claim;

/// Claim of the paper for sides in the order in which the construction takes the axes.
pub fn claim(sides: &[u32], switching: Switching) -> Option<Claim> {
    let claim = |theorem| move |steps| Claim { theorem, steps };
    let switched = switching != Switching::None;
    match *sides {
        [n1, n2] if switched => Some(claim("Theorem 5")(theorem_5_plane(n1, n2))),
        [n1, n2] => Some(claim("Theorem 5, time-independent")(theorem_5_time_independent_plane(n1, n2))),
        [n1, n2, n3] => theorem_6_space([n1, n2, n3]).filter(|_| switched).map(claim("Theorem 6")),
        _ if switched => theorem_7_general(sides).map(claim("Theorem 7")),
        _ => theorem_7_time_independent(sides).map(claim("Theorem 7, time-independent")),
    }
}

/// Theorem 5: one packet a node on two axes, with switching: n1 n2 / 4 + n1 / 2 + 1 steps.
pub fn theorem_5_plane(n1: u32, n2: u32) -> u64 {
    (product(&[n1, n2]) + 2 * u64::from(n1)).div_ceil(4) + 1
}

/// Theorem 5's proof: without switching n2 + 1 steps more.
pub fn theorem_5_time_independent_plane(n1: u32, n2: u32) -> u64 {
    (product(&[n1, n2]) + 2 * u64::from(n1)).div_ceil(4) + u64::from(n2) + 2
}

/// Theorem 6: one packet per node, 3 | n1, n1 | n2 and n3 >= 3, with switching: n1 n2 n3 / 6 + n1 n2 / 2 + 1 steps.
/// Without, the paper gives no more than O(n1 n3) extra steps.
pub fn theorem_6_space(dims: [u32; 3]) -> Option<u64> {
    let [n1, n2, n3] = dims;
    let fits = n1.is_multiple_of(3) && n2.is_multiple_of(n1) && n3 >= 3;
    fits.then(|| (product(&dims) + 3 * product(&[n1, n2])).div_ceil(6) + 1)
}

/// Theorem 7: one packet a node on d axes, with switching: (1 + `d/n_d`) P / (2d) + 2 steps.
pub fn theorem_7_general(dims: &[u32]) -> Option<u64> {
    let (axes, last) = (dims.len() as u64, u64::from(*dims.last()?));
    theorem_7_condition(dims).then(|| (product(&dims[..dims.len() - 1]) * (last + axes)).div_ceil(2 * axes) + 2)
}

/// Theorem 7 without switching: (1 + `d/n_d`) (1 + 3d/`n_(d-1)`) P / (2d) steps.
pub fn theorem_7_time_independent(dims: &[u32]) -> Option<u64> {
    let &[ref others @ .., before, last] = dims else { return None };
    let axes = dims.len() as u64;
    let laps = (u64::from(before) + 3 * axes) * (u64::from(last) + axes);
    theorem_7_condition(dims).then(|| (product(others) * laps).div_ceil(2 * axes))
}

/// Conditions (1), (2) and (3) of section 4.3.1, on two axes or more.
fn theorem_7_condition(dims: &[u32]) -> bool {
    let axes = dims.len();
    if axes < 2 {
        return false;
    }
    let moves: u64 = (1..axes - 1).map(|axis| product(&dims[axis..axes - 1])).sum();
    let first = u64::from(dims[0]);
    moves.is_multiple_of(first) && first.is_multiple_of(axes as u64) && dims[axes - 1] as usize >= axes
}

fn product(dims: &[u32]) -> u64 {
    dims.iter().map(|&side| u64::from(side)).product()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::net::Torus;
    use crate::program::{Program, Title};
    use crate::schemes::zigzag;

    fn program(dims: &[u32], switching: Switching) -> Program {
        let title = Title::new("t", "zigzag");
        zigzag::program(&Torus::new(dims).unwrap(), switching, title).unwrap()
    }

    #[test]
    fn theorems_5_and_6_bound_what_is_measured() {
        for dims in [&[6, 8][..], &[8, 7], &[10, 5], &[3, 3, 4], &[6, 6, 5], &[3, 9, 5]] {
            let promised = claim(dims, Switching::Memory).unwrap();
            let ticks = u64::from(program(dims, Switching::Memory).ticks);
            assert!(ticks <= promised.steps && promised.steps <= ticks + 2, "{dims:?}: {ticks} {promised:?}");
        }
    }

    /// The special column for two odd sides is sound only at the price of a longer cycle, yet the claim holds.
    #[test]
    fn theorem_5_holds_for_two_odd_sides() {
        for (n1, n2) in (3..=15).step_by(2).flat_map(|n1| (3..=15).step_by(2).map(move |n2| (n1, n2))) {
            let ticks = u64::from(program(&[n1, n2], Switching::Memory).ticks);
            assert!(ticks <= theorem_5_plane(n1, n2), "{n1}x{n2}: {ticks}");
        }
    }

    /// The corrected cycles are longer than the paper's by the product of the composite moves.
    #[test]
    fn theorem_7_claims_less_than_the_corrected_construction_takes() {
        for (dims, claim, measured) in
            [([4, 4, 4, 4], 66, 66), ([4, 4, 4, 5], 74, 74), ([4, 4, 8, 4], 130, 132), ([4, 4, 16, 4], 258, 264)]
        {
            assert_eq!(theorem_7_general(&dims), Some(claim), "{dims:?}");
            assert_eq!(program(&dims, Switching::Memory).ticks, measured, "{dims:?}");
        }
        // the paper's own example meets its conditions, but its cycles meet themselves
        assert!(theorem_7_general(&[4, 5, 2, 4]).is_some());
    }

    #[test]
    fn the_numbers_of_the_paper() {
        assert_eq!(theorem_5_time_independent_plane(16, 9), 55);
        assert_eq!(theorem_7_time_independent(&[4, 4, 4, 4]), Some(256));
    }
}
