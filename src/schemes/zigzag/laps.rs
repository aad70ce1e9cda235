//! Cycles made of laps: a zigzag through rows 0..d, then straight on around the last axis.

use crate::net::Port;
use crate::paths::cover::Walk;
use crate::schemes::axes::Axes;

/// Cycles 0..d, all with the same moves; cycle c starts at (c, 0, ..., 0).
///
/// In row k < d of lap i (counted from 1) `label(i, k, moves)` adds the moves across the rows. One step along the last
/// axis follows each, and the rest of the lap.
pub fn walks(axes: &Axes, mut label: impl FnMut(u32, usize, &mut Vec<Port>)) -> Vec<Walk> {
    let count = axes.count();
    let (rows, down) = (axes.side(count - 1), axes.plus(count - 1));
    let laps = axes.torus().nodes() / rows / count as u32;
    let mut moves = Vec::with_capacity(laps as usize * (rows as usize + count + 1));
    for lap in 1..=laps {
        for row in 0..count {
            label(lap, row, &mut moves);
            moves.push(down);
        }
        moves.extend(std::iter::repeat_n(down, rows as usize - count));
    }
    (0..count as u32).map(|cycle| Walk { start: axes.on_first(cycle), moves: moves.clone() }).collect()
}
