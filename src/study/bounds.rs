//! Lower bounds and the claims of Meyer and Sibeyn, 1998, one function a theorem.
//!
//! Steps are whole: where the paper's formula is not, it is rounded up. A function returns none where the theorem's
//! condition is not met. What is measured may differ; see the tests of the constructions.

pub mod cost;

use serde::Serialize;

use crate::paths::supply::Switching;

/// A number of steps that the paper promises.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Claim {
    /// Where it does so.
    pub theorem: &'static str,
    /// The number.
    pub steps: u64,
}

/// Each node has to receive the k packets of all others over 2d links: ceil(k (P-1) / (2d)) steps.
pub fn lower_bound(nodes: u32, packets: u16, axes: usize) -> u64 {
    (u64::from(packets) * u64::from(nodes - 1)).div_ceil(2 * axes as u64)
}

/// Theorem 1: one packet a node on two edge-disjoint Hamiltonian cycles takes at least ceil(11 P / 40 - 1) steps.
pub fn theorem_1_one_packet_on_two_hamiltonian_cycles(nodes: u32) -> u64 {
    (11 * u64::from(nodes)).saturating_sub(40).div_ceil(40)
}

/// Theorem 2: two packets a node, n1 and n2 even: n1 n2 / 2 steps.
pub fn theorem_2_even_sides(n1: u32, n2: u32) -> Option<u64> {
    (n1.is_multiple_of(2) && n2.is_multiple_of(2)).then(|| product(&[n1, n2]) / 2)
}

/// Theorem 3: two packets a node, one side odd, with switching: n1 n2 / 2 steps.
pub fn theorem_3_one_odd_side(n1: u32, n2: u32) -> Option<u64> {
    (n1 % 2 != n2 % 2).then(|| product(&[n1, n2]) / 2)
}

/// Theorem 4: two packets a node, both sides odd, with switching: ceil(n1 n2 / 2) steps.
pub fn theorem_4_two_odd_sides(n1: u32, n2: u32) -> Option<u64> {
    (n1 % 2 == 1 && n2 % 2 == 1).then(|| product(&[n1, n2]).div_ceil(2))
}

/// Section 3.4: d packets a node on d Hamiltonian cycles: P/2 steps.
pub fn section_3_4_hamiltonian_cycles(nodes: u32) -> u64 {
    u64::from(nodes).div_ceil(2)
}

/// Theorem 5: one packet a node on two axes, with switching: n1 n2 / 4 + n1 / 2 + 1 steps.
pub fn theorem_5_plane(n1: u32, n2: u32) -> u64 {
    (product(&[n1, n2]) + 2 * u64::from(n1)).div_ceil(4) + 1
}

/// Theorem 5's proof: without switching n2 + 1 steps more.
pub fn theorem_5_time_independent_plane(n1: u32, n2: u32) -> u64 {
    (product(&[n1, n2]) + 2 * u64::from(n1)).div_ceil(4) + u64::from(n2) + 2
}

/// Theorem 6: one packet a node, 3 | n1, n1 | n2 and n3 >= 3, with switching: n1 n2 n3 / 6 + n1 n2 / 2 + 1 steps.
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

/// What the paper promises for a scheme; none if it does not treat the case or gives no number.
///
/// `dims` come in the order in which the scheme takes the axes, see [`crate::schemes::zigzag::sides`].
pub fn paper_claim(scheme: &str, dims: &[u32], switching: Switching) -> Option<Claim> {
    let claim = |theorem| move |steps| Claim { theorem, steps };
    let switched = switching != Switching::None;
    match (scheme, dims) {
        ("staircase", &[n1, n2]) => {
            let switched = || theorem_3_one_odd_side(n1, n2).filter(|_| switched).map(claim("Theorem 3"));
            theorem_2_even_sides(n1, n2).map(claim("Theorem 2")).or_else(switched)
        }
        ("hamiltonian", _) => {
            let nodes = u32::try_from(product(dims)).ok()?;
            Some(claim("section 3.4")(section_3_4_hamiltonian_cycles(nodes)))
        }
        ("zigzag", &[n1, n2]) if switched => Some(claim("Theorem 5")(theorem_5_plane(n1, n2))),
        ("zigzag", &[n1, n2]) => Some(claim("Theorem 5, time-independent")(theorem_5_time_independent_plane(n1, n2))),
        ("zigzag", &[n1, n2, n3]) if switched => theorem_6_space([n1, n2, n3]).map(claim("Theorem 6")),
        ("zigzag", [_, _, _, _, ..]) if switched => theorem_7_general(dims).map(claim("Theorem 7")),
        ("zigzag", [_, _, _, _, ..]) => theorem_7_time_independent(dims).map(claim("Theorem 7, time-independent")),
        _ => None,
    }
}

fn product(dims: &[u32]) -> u64 {
    dims.iter().map(|&side| u64::from(side)).product()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::net::Torus;
    use crate::program::{Program, Title};
    use crate::schemes::{staircase, zigzag};

    fn zigzag_program(dims: &[u32], switching: Switching) -> Program {
        zigzag::program(&Torus::new(dims).unwrap(), switching, Title::new("t", "s")).unwrap()
    }

    /// One packet on the two cycles of section 3.1 takes exactly P/2 steps, well above the theorem's bound.
    #[test]
    fn theorem_1_is_a_bound_for_one_packet_on_the_staircase_cycles() {
        use crate::paths::weave::{self, Packets};
        use crate::play::steps_to_complete;
        for (n1, n2) in (4..=10).step_by(2).flat_map(|n1| (4..=10).step_by(2).map(move |n2| (n1, n2))) {
            let cover = staircase::cover(&Torus::new(&[n1, n2]).unwrap()).unwrap();
            let program = weave::along_cycles(&cover, Packets::Shared, n1 * n2 / 2, Title::new("t", "s"));
            let steps = steps_to_complete(&program).unwrap();
            assert_eq!(steps, n1 * n2 / 2);
            assert!(u64::from(steps) >= theorem_1_one_packet_on_two_hamiltonian_cycles(n1 * n2));
        }
    }

    #[test]
    fn theorems_5_and_6_bound_what_is_measured() {
        for dims in [&[6, 8][..], &[8, 7], &[10, 5], &[3, 3, 4], &[6, 6, 5], &[3, 9, 5]] {
            let claim = paper_claim("zigzag", dims, Switching::Memory).unwrap();
            let ticks = u64::from(zigzag_program(dims, Switching::Memory).ticks);
            assert!(ticks <= claim.steps && claim.steps <= ticks + 2, "{dims:?}: {ticks} {claim:?}");
        }
    }

    /// The special column for two odd sides is sound only at the price of a longer cycle, yet the claim holds.
    #[test]
    fn theorem_5_holds_for_two_odd_sides() {
        for (n1, n2) in (3..=15).step_by(2).flat_map(|n1| (3..=15).step_by(2).map(move |n2| (n1, n2))) {
            let ticks = u64::from(zigzag_program(&[n1, n2], Switching::Memory).ticks);
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
            assert_eq!(zigzag_program(&dims, Switching::Memory).ticks, measured, "{dims:?}");
        }
        // the paper's own example meets its conditions, but its cycles meet themselves
        assert!(theorem_7_general(&[4, 5, 2, 4]).is_some());
    }

    #[test]
    fn the_bounds_of_the_readme() {
        assert_eq!(lower_bound(24 * 16, 2, 2), 192);
        assert_eq!(lower_bound(6 * 8, 1, 2), 12);
        assert_eq!(paper_claim("staircase", &[6, 7], Switching::None), None);
        assert_eq!(
            paper_claim("staircase", &[6, 7], Switching::Memory),
            Some(Claim { theorem: "Theorem 3", steps: 21 })
        );
        assert_eq!(paper_claim("hamiltonian", &[7, 9], Switching::None).unwrap().steps, 32);
        assert_eq!(theorem_4_two_odd_sides(7, 7), Some(25));
        assert_eq!(theorem_5_time_independent_plane(16, 9), 55);
        assert_eq!(theorem_7_time_independent(&[4, 4, 4, 4]), Some(256));
    }
}
