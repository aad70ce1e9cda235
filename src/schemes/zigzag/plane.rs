//! Section 4.1: two axes, n1 even. The zigzag is (1, 2, 1).

use super::laps;
use crate::paths::cover::Walk;
use crate::schemes::axes::Axes;

/// Two cycles of n1 (n2 + 2) / 2 places.
pub fn walks(axes: &Axes) -> Vec<Walk> {
    laps::walks(axes, |_, _, moves| moves.push(axes.plus(0)))
}
