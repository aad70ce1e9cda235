//! Section 4.2: three axes. The zigzag is (1, 3, 1, 3, 1), or (1, 3, 1, 3, 2) to move to the next x1-x3 plane.

use super::laps;
use crate::net::gcd;
use crate::paths::cover::Walk;
use crate::schemes::axes::Axes;
use crate::task::Unmet;

/// When [`period`] finds none.
pub const UNMET: Unmet = Unmet {
    needs: "on three axes, in some order, n1 and n2 multiples of 3 with gcd(g - 1, n1/g) = 1 for g = gcd(n1, n2), \
            and n3 >= 3",
};

/// After how many laps a cycle changes planes; none if the sides do not allow it.
///
/// The paper asks that n1 divides n2, so that g = n1. It is enough that a cycle meets every plane before it closes.
pub fn period(dims: &[u32]) -> Option<u32> {
    let g = gcd(dims[0], dims[1]);
    (g.is_multiple_of(3) && dims[2] >= 3 && gcd(g - 1, dims[0] / g) == 1).then_some(g / 3)
}

/// Three cycles of (n1 n2 / 3) (n3 + 3) places.
pub fn walks(axes: &Axes, period: u32) -> Vec<Walk> {
    laps::walks(axes, |lap, row, moves| {
        let across = usize::from(row == 2 && lap.is_multiple_of(period));
        moves.push(axes.plus(across));
    })
}
