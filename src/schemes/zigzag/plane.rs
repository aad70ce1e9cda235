//! Section 4.1: two axes, n1 even. The zigzag is (1, 2, 1).

use super::laps;
use crate::paths::cover::Walk;
use crate::paths::supply::Switching;
use crate::schemes::axes::Axes;

/// Two cycles of n1 (n2 + 2) / 2 places.
pub fn walks(axes: &Axes) -> Vec<Walk> {
    laps::walks(axes, |_, _, moves| moves.push(axes.plus(0)))
}

/// Measured, half the length L: without switching the supporters' distance of n2 + 2 places comes on top, and periodic
/// switching costs a step where D/h = 2. None on thin planes, where what comes last by one cycle may have come by the other.
pub fn steps(sides: &[u32], switching: Switching) -> Option<u32> {
    let &[n1, n2] = sides else { return None };
    if n1 < 4 || !n1.is_multiple_of(2) || n2 < 7 {
        return None;
    }
    let (n1, n2) = (u64::from(n1), u64::from(n2));
    let length = n1 * (n2 + 2) / 2;
    let steps = match switching {
        Switching::None => (length + n2 + 3).div_ceil(2),
        Switching::Memory => length.div_ceil(2),
        Switching::Periodic => length / 2 + u64::from(!n1.is_multiple_of(4)),
    };
    Some(steps as u32)
}
