//! The pinwheel on n x n: one snaking path, turned by quarter turns into four arms that use the four ports at every step.

use crate::net::{Port, Torus};
use crate::paths::tree::{ORIGIN, TreeArc};

/// The arcs of the tree. The torus is n x n with n at least 3.
///
/// With a = ceil(n/2) - 1 and b = floor(n/2) the path goes through columns x = 1..a of b + 1 nodes each, up the odd ones
/// and down the even ones; its four turns by (x, y) -> (-y, x) share no node. For even n the three nodes with both
/// coordinates in {0, n/2} remain, which quarter turns map to each other or to themselves: they take one more step.
pub fn arcs(torus: &Torus) -> Vec<TreeArc> {
    let n = torus.side(0);
    let mut arcs = arms(torus);
    if n.is_multiple_of(2) {
        let (time, half) = (arcs.last().map_or(1, |arc| arc.time + 1), n / 2);
        let last = [(Port::plus(0), [half, 0]), (Port::plus(1), [0, half]), (Port::minus(0), [half, half])];
        arcs.extend(last.map(|(by, at)| TreeArc { time, by, node: torus.node(&at) }));
    }
    arcs
}

/// The four arms alone.
pub fn arms(torus: &Torus) -> Vec<TreeArc> {
    let mut arcs = Vec::with_capacity(torus.nodes() as usize);
    let mut tips = [ORIGIN; 4];
    for (mut by, time) in arm(torus.side(0)).zip(1..) {
        for tip in &mut tips {
            *tip = torus.neighbour(*tip, by);
            arcs.push(TreeArc { time, by, node: *tip });
            by = quarter_turn(by);
        }
    }
    arcs
}

/// The moves of the first arm.
fn arm(n: u32) -> impl Iterator<Item = Port> {
    let (columns, climb) = (n.div_ceil(2) - 1, n / 2);
    (1..=columns).flat_map(move |x| {
        let along = if x % 2 == 1 { Port::plus(1) } else { Port::minus(1) };
        std::iter::once(Port::plus(0)).chain(std::iter::repeat_n(along, climb as usize))
    })
}

/// (x, y) -> (-y, x) on directions: +x, +y, -x, -y and round again.
fn quarter_turn(port: Port) -> Port {
    match port.axis() {
        0 => Port::new(1, port.way()),
        _ => Port::new(0, port.opposite().way()),
    }
}
