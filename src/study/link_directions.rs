//! Directions of links that never turn.

use crate::net::Port;
use crate::program::{Program, Track};

/// Number of an axis's links in each direction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LinkCounts {
    /// Towards larger coordinates.
    pub plus: u32,
    /// Towards smaller ones.
    pub minus: u32,
}

/// The ways of every axis's links.
pub fn of(program: &Program) -> Vec<LinkCounts> {
    let lanes = usize::from(program.lanes);
    let topology = &program.topology;
    let mut ways = vec![LinkCounts::default(); topology.axes()];
    for node in topology.node_ids() {
        let outputs = &program.class(node).outputs;
        let sends = |port: Port| !outputs[port.index() * lanes..][..lanes].iter().all(Track::is_idle);
        for (axis, ways) in ways.iter_mut().enumerate() {
            ways.plus += u32::from(sends(Port::plus(axis)));
            ways.minus += u32::from(sends(Port::minus(axis)));
        }
    }
    ways
}

/// In words: `all x1+, all x2+`, or `4 x1+ and 8 x1-, all x2+`.
pub fn describe(ways: &[LinkCounts]) -> String {
    let axis = |(axis, ways): (usize, &LinkCounts)| {
        let (plus, minus) = (Port::plus(axis), Port::minus(axis));
        match ways {
            LinkCounts { minus: 0, .. } => format!("all {plus}"),
            LinkCounts { plus: 0, .. } => format!("all {minus}"),
            LinkCounts { plus: up, minus: down } => format!("{up} {plus} and {down} {minus}"),
        }
    };
    ways.iter().enumerate().map(axis).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::net::Torus;
    use crate::program::{Demand, Duplex, ProgramBuilder, Run, Source, Title};

    #[test]
    fn links_are_counted_by_their_way() {
        let torus = Torus::new(&[2, 3]).unwrap();
        let mut builder = ProgramBuilder::on_links(&torus, Duplex::Half, 2, 4, Demand::gossip(&torus, 1));
        let track = builder.track(&[Run { source: Source::own(0), ticks: 1 }], Source::Idle);
        for (index, node) in torus.node_ids().enumerate() {
            builder.set_lane(node, Port::plus(0), 1, track);
            builder.set_lane(node, if index < 2 { Port::plus(1) } else { Port::minus(1) }, 0, track);
        }
        let ways = of(&builder.finish(Title::new("t", "by hand")));
        assert_eq!(ways, [LinkCounts { plus: 6, minus: 0 }, LinkCounts { plus: 2, minus: 4 }]);
        let (down, up) = (Port::plus(0), Port::minus(0));
        let (right, left) = (Port::plus(1), Port::minus(1));
        assert_eq!(describe(&ways), format!("all {down}, 2 {right} and 4 {left}"));
        assert_eq!(describe(&[LinkCounts { plus: 0, minus: 6 }]), format!("all {up}"));
    }
}
