//! The bulk of a half tree in two dimensions: two threads that wind around the shorter axis side by side.

use super::fold::{Fold, Move, SLOTS, Step};
use crate::torus::{NodeId, Port, Torus};
use crate::tree::ORIGIN;

/// Steps of the half tree until `rows` rows before the middle of the longer axis; none if there is no room.
///
/// With E and N towards larger coordinates of the shorter (x) and the longer axis (y), and X, Y the nodes reached last
/// along each: step 1 goes E and N from the origin, every further one E and N from X, or where X is stuck, from Y.
pub fn steps(torus: &Torus, mirror: &Fold, rows: u32) -> Vec<Step> {
    let (wind, climb) = if torus.side(0) <= torus.side(1) { (0, 1) } else { (1, 0) };
    let middle = (torus.side(climb) - 1) / 2;
    let Some(limit) = middle.checked_sub(rows).filter(|&limit| limit > 0) else { return Vec::new() };
    let mut visited = vec![false; torus.nodes() as usize];
    visited[ORIGIN.index()] = true;
    for node in mirror.left_over() {
        visited[node.index()] = true;
    }

    let mut steps = Vec::new();
    let (mut x, mut y) = (ORIGIN, ORIGIN);
    let mut crossed = false;
    loop {
        let height = torus.coord(y, climb);
        if height.min(torus.side(climb) - height) > limit {
            return steps;
        }
        let from = |tip: NodeId| (mirror.neighbour(tip, Port::plus(wind)), mirror.neighbour(tip, Port::plus(climb)));
        let open = |(east, north): (NodeId, NodeId)| {
            let apart = mirror.representative(east) != mirror.representative(north);
            apart && !visited[east.index()] && !visited[north.index()]
        };
        let straight = from(x);
        let (east, north) = if open(straight) {
            crossed = false;
            straight
        } else {
            let across = from(y);
            if crossed || !open(across) {
                return steps;
            }
            crossed = true;
            across
        };
        let mut moves = [None; SLOTS];
        for (axis, node) in [(wind, east), (climb, north)] {
            moves[axis] = Some(Move { node, by: Port::plus(axis) });
            visited[node.index()] = true;
            visited[mirror.twin(node).index()] = true;
        }
        steps.push(Step { moves });
        (x, y) = (east, north);
    }
}
