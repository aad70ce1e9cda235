//! Section 4.1 for two odd sides: the plane of n1 - 1 columns, and a special column between its last and its first.
//!
//! The paper just inserts the column, but then its nodes below the zigzag lie on no cycle and their packets are lost.
//! Here both cycles cross it in the first rows, and the two columns beside it take detours through it in turn.

use crate::net::Port;
use crate::paths::cover::Walk;
use crate::schemes::axes::Axes;

/// Cycle 0 of even columns and cycle 1 of odd ones.
pub fn walks(axes: &Axes) -> Vec<Walk> {
    (0..2).map(|cycle| Walk { start: axes.on_first(cycle), moves: moves(axes, cycle) }).collect()
}

fn moves(axes: &Axes, cycle: u32) -> Vec<Port> {
    let (right, left, down) = (axes.plus(0), axes.minus(0), axes.plus(1));
    let (special, rows) = (axes.side(0) - 1, axes.side(1));
    let mut moves = Vec::new();
    let mut column = cycle;
    for _ in 0..special / 2 {
        // the zigzag, which crosses the special column when it comes to it: cycle 1 in row 0, cycle 0 in rows 1 and 2
        let mut row = 1;
        if column == special - 1 {
            moves.extend([right, right, down, right]);
            column = 1;
        } else if column == special - 2 {
            moves.extend([right, down, right, down, right]);
            (column, row) = (0, 2);
        } else {
            moves.extend([right, down, right]);
            column += 2;
        }
        // rows (3, 4), (5, 6), ... of the special column go to the column on its left, on its right, and so on
        let detour = |row: u32| {
            let pair = row.checked_sub(3).filter(|above| above.is_multiple_of(2))? / 2;
            match (cycle, pair % 2) {
                (1, 0) if column == special - 1 => Some([right, down, left]),
                (0, 1) if column == 0 => Some([left, down, right]),
                _ => None,
            }
        };
        while row < rows {
            if let Some(detour) = detour(row) {
                moves.extend(detour);
            } else {
                moves.push(down);
            }
            row += 1;
        }
    }
    moves
}
