//! Number of roundings in a sum of floats: the depth of the trees along which partials are added.

use crate::program::{Operands, Program, Source};

/// Contents of a register: the number of roundings of its most rounded value.
type Depth = Option<u32>;

/// The most roundings between a value and the sum that it ends up in; none if nothing is combined.
pub fn depth(program: &Program) -> Option<u32> {
    let part = program.reduce_part()?;
    // flits follow their packets: whole packets are quicker to follow
    let part = part.unstretched().unwrap_or(part);
    let reduction = part.reduction.as_deref()?;
    let (topology, latency) = (&part.topology, part.latency as usize);
    let (ports, registers) = (topology.ports(), topology.registers());
    let tracks = part.classes.iter().flat_map(|class| &class.outputs);
    let sources: Vec<Vec<Source>> = tracks.map(|track| track.sources(reduction.ticks).collect()).collect();
    // arrivals of each tick, from the first on
    let ticks = reduction.ticks as usize;
    let mut arrived: Vec<Vec<Depth>> = vec![vec![None; registers]; ticks + latency];
    let brought = |arrived: &[Vec<Depth>], node: usize, tick: usize, age: u32, port: usize| {
        arrived.get(tick.checked_sub(age as usize)?)?[node * ports + port]
    };
    let own_and = |arrived: &[Vec<Depth>], node: usize, operands: Operands, tick: usize| {
        let others =
            operands.iter().filter_map(|operand| brought(arrived, node, tick, operand.age, operand.port.index()));
        pairwise([0].into_iter().chain(others).collect())
    };
    for tick in 1..=ticks {
        for node in topology.node_ids() {
            let class = part.class_of[node.index()].index();
            for port in topology.port_ids() {
                let depth = match sources[class * ports + port.index()][tick - 1] {
                    Source::Sum { operands } => Some(own_and(&arrived, node.index(), operands, tick)),
                    Source::In { port, age, .. } => brought(&arrived, node.index(), tick, age, port.index()),
                    _ => continue,
                };
                let Some(there) = topology.step(node, port) else { continue };
                arrived[tick + latency - 1][topology.register(there, port.opposite())] = depth;
            }
        }
    }
    let results = topology.node_ids().flat_map(|node| {
        let of_class = &reduction.results[part.class_of[node.index()].index()];
        of_class.iter().map(move |&operands| (node.index(), operands))
    });
    results.map(|(node, operands)| own_and(&arrived, node, operands, ticks + 1)).max()
}

/// Neighbours are added pairwise, until one is left.
fn pairwise(mut depths: Vec<u32>) -> u32 {
    while depths.len() > 1 {
        depths = depths.chunks(2).map(|pair| pair.iter().max().unwrap_or(&0) + u32::from(pair.len() > 1)).collect();
    }
    depths.first().copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_that_is_left_over_is_not_rounded() {
        assert_eq!(pairwise(vec![0]), 0);
        assert_eq!(pairwise(vec![0, 0]), 1);
        assert_eq!(pairwise(vec![0, 0, 0]), 2);
        assert_eq!(pairwise(vec![0, 1, 4]), 5);
        assert_eq!(pairwise(vec![0, 0, 0, 0, 7]), 8);
    }
}
