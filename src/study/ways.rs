//! Which way links lead that never turn.

use crate::net::Port;
use crate::program::{Program, Track};

/// How many of an axis's links are used towards larger coordinates, and how many towards smaller ones.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ways {
    /// Towards larger coordinates.
    pub plus: u32,
    /// Towards smaller ones.
    pub minus: u32,
}

/// The ways of every axis's links.
pub fn of(program: &Program) -> Vec<Ways> {
    let lanes = usize::from(program.lanes);
    let topology = &program.topology;
    let mut ways = vec![Ways::default(); topology.axes()];
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
pub fn describe(ways: &[Ways]) -> String {
    let axis = |(axis, ways): (usize, &Ways)| {
        let (plus, minus) = (Port::plus(axis), Port::minus(axis));
        match ways {
            Ways { minus: 0, .. } => format!("all {plus}"),
            Ways { plus: 0, .. } => format!("all {minus}"),
            Ways { plus: up, minus: down } => format!("{up} {plus} and {down} {minus}"),
        }
    };
    ways.iter().enumerate().map(axis).collect::<Vec<_>>().join(", ")
}
