//! The bulk of a half tree in two dimensions: two threads that wind around one axis side by side.

use super::fold::{SLOTS, SearchLayout, StepArcs, TreeMove};
use crate::net::{NodeId, Port, Torus};
use crate::paths::tree::ORIGIN;

/// Steps of the half tree that wind around axis `wind`, until `rows` rows before the middle of the other axis; none if
/// there is no room. `through` lets the threads take the nodes with v = -v that they meet, else they avoid them.
///
/// With E and N towards larger coordinates of `wind` (x) and of the other axis (y), and X, Y the nodes reached last
/// along each: step 1 goes E and N from the origin, every further one E and N from X, or where X is stuck, from Y.
pub fn steps(torus: &Torus, mirror: &SearchLayout, wind: usize, rows: u32, through: bool) -> Vec<StepArcs> {
    let climb = 1 - wind;
    let middle = (torus.side(climb) - 1) / 2;
    let Some(limit) = middle.checked_sub(rows).filter(|&limit| limit > 0) else { return Vec::new() };
    let mut visited = vec![false; torus.nodes() as usize];
    visited[ORIGIN.index()] = true;
    if !through {
        for node in mirror.left_over() {
            visited[node.index()] = true;
        }
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
            moves[axis] = Some(TreeMove { node, by: Port::plus(axis) });
            visited[node.index()] = true;
            visited[mirror.twin(node).index()] = true;
        }
        steps.push(StepArcs { moves });
        (x, y) = (east, north);
    }
}
