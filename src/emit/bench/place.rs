//! Place of an arrival in the words of the testbenches: the node's coordinates and the port's name.

use crate::program::Program;

/// Computation of the coordinates of the node that a link leads to.
pub struct NeighbourPlace {
    pub axes: Vec<AxisPlace>,
    pub ports: usize,
}

pub struct AxisPlace {
    pub step: u64,
    pub side: u32,
    pub comma: &'static str,
}

pub struct BenchPort {
    pub index: usize,
    pub label: String,
}

impl BenchPort {
    pub fn all(program: &Program) -> Vec<Self> {
        let axes = program.topology.axes();
        let channels = program.channels().enumerate();
        channels.map(|(index, channel)| Self { index, label: channel.label(axes) }).collect()
    }
}

impl NeighbourPlace {
    pub fn new(dims: &[u32], ports: usize) -> Self {
        let mut axes = Vec::with_capacity(dims.len());
        let mut step = ports as u64;
        for &side in dims.iter().rev() {
            axes.push(AxisPlace { step, side, comma: if axes.is_empty() { "" } else { "," } });
            step *= u64::from(side);
        }
        axes.reverse();
        Self { axes, ports }
    }
}
