//! The Hamiltonian cycle of a mesh: down an even side tooth by tooth, and back up along the column left free.

use crate::net::{NodeId, Port, Topology};
use crate::paths::cover::Walk;

/// A cycle through all nodes of a mesh of two axes, one side even: the number of teeth.
///
/// With the teeth along x1 the comb is turned by a quarter, not mirrored: so the order of the ports, by which the silent
/// direction of the last step is chosen, falls on it in the same way. Mirrored, 3x4 has 10 classes and not 9.
pub fn walk(mesh: &Topology) -> Walk {
    let (down, out, start) = if mesh.side(0).is_multiple_of(2) {
        (Port::plus(0), Port::plus(1), NodeId(0))
    } else {
        (Port::plus(1), Port::minus(0), mesh.node(&[mesh.side(0) - 1, 0]))
    };
    let (teeth, length) = (mesh.side(down.axis()), mesh.side(out.axis()) as usize);
    let mut moves = Vec::with_capacity(mesh.nodes() as usize);
    for tooth in 0..teeth {
        let along = if tooth % 2 == 0 { out } else { out.opposite() };
        // the first tooth begins on the free column, the last one ends on it
        let is_outer = tooth == 0 || tooth + 1 == teeth;
        moves.extend(std::iter::repeat_n(along, length - if is_outer { 1 } else { 2 }));
        moves.push(if tooth + 1 == teeth { down.opposite() } else { down });
    }
    moves.extend(std::iter::repeat_n(down.opposite(), teeth as usize - 2));
    Walk { start, moves }
}
