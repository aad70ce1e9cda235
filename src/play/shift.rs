//! Moves of a whole plane of registers at once: one register per node, read at a neighbour of every node.
//!
//! Nodes are numbered row-major, so that a neighbour is the same distance away for all but the nodes at the rim: a plane
//! moves by a copy, and the rim is put right after it. Where nodes differ, what most of them do is copied for all, and each
//! other thing is laid over it, in runs of nodes or under a mask.

use std::ops::Range;

use crate::net::{OUTSIDE, Topology};

/// Register value that means "no flit".
pub(super) const VOID: u32 = u32::MAX;
/// Smallest mean number of nodes per piece at which copying pieces is faster than a mask.
const NODES_A_PIECE: usize = 12;
/// More masks than this are not faster than looking at every node.
const MOST_MASKS: usize = 4;
/// Nodes after which the next layer is laid, while the last one is still near.
const BLOCK: usize = 1 << 12;

/// Some nodes that follow one another, and those they read.
#[derive(Clone, Copy)]
struct NodePiece {
    to: u32,
    from: u32,
    count: u32,
}

/// Every node reads its neighbour at one port.
pub(super) struct Shift {
    nodes: usize,
    /// distance in node numbers to that neighbour, away from the rim
    by: isize,
    /// the nodes at the rim
    rim: Vec<NodePiece>,
    /// nodes whose port looks out of the grid
    outside: Vec<u32>,
}

impl Shift {
    /// One for each port.
    pub(super) fn all(topology: &Topology) -> Vec<Self> {
        let strides = (0..topology.axes()).map(|axis| topology.stride(axis) as isize);
        let mut shifts: Vec<Self> = strides
            .flat_map(|stride| [-stride, stride])
            .map(|by| Self { nodes: topology.nodes() as usize, by, rim: Vec::new(), outside: Vec::new() })
            .collect();
        topology.sweep(0..topology.nodes(), |node, neighbours| {
            for (shift, &neighbour) in shifts.iter_mut().zip(neighbours) {
                if neighbour == OUTSIDE {
                    shift.outside.push(node.0);
                } else if neighbour.0 as isize != node.0 as isize + shift.by {
                    append(&mut shift.rim, node.0, neighbour.0);
                }
            }
        });
        shifts
    }

    /// Moves a plane.
    pub(super) fn apply(&self, from: &[u32], to: &mut [u32]) {
        let inner = self.inner(0..to.len());
        to[inner.clone()].copy_from_slice(self.read(from, &inner));
        copy(&self.rim, from, to);
        for &node in &self.outside {
            to[node as usize] = VOID;
        }
    }

    /// Returns the nodes of a range whose neighbour number `node + by` lies inside the network.
    fn inner(&self, nodes: Range<usize>) -> Range<usize> {
        let (back, on) = ((-self.by).max(0).unsigned_abs(), self.by.max(0).unsigned_abs());
        let (start, end) = (nodes.start.max(back), nodes.end.min(self.nodes - on));
        start.min(end)..end
    }

    /// Returns the registers that the inner nodes read.
    fn read<'f>(&self, from: &'f [u32], inner: &Range<usize>) -> &'f [u32] {
        if inner.is_empty() {
            return &[];
        }
        &from[inner.start.wrapping_add_signed(self.by)..inner.end.wrapping_add_signed(self.by)]
    }
}

/// All bits of a register, or none.
fn wide(mask: u8) -> u32 {
    i32::from(mask.cast_signed()).cast_unsigned()
}

/// The other where the mask has its bits set.
fn chosen(one: u32, other: u32, mask: u8) -> u32 {
    one ^ ((one ^ other) & wide(mask))
}

/// Adds a node to the last of some pieces, or begins another.
fn append(pieces: &mut Vec<NodePiece>, to: u32, from: u32) {
    match pieces.last_mut() {
        Some(last) if last.to + last.count == to && last.from + last.count == from => last.count += 1,
        _ => pieces.push(NodePiece { to, from, count: 1 }),
    }
}

fn copy(pieces: &[NodePiece], from: &[u32], to: &mut [u32]) {
    for &NodePiece { to: begin, from: read, count } in pieces {
        if count == 1 {
            to[begin as usize] = from[read as usize];
        } else {
            to[begin as usize..][..count as usize].copy_from_slice(&from[read as usize..][..count as usize]);
        }
    }
}

/// Input that the nodes of a class read; `None` in a layer means that they send nothing.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct LayerInput {
    /// Index of the port.
    pub port: u8,
    /// The lane by which it arrived.
    pub lane: u8,
    /// Age of the value in ticks.
    pub age: u32,
}

/// Readings of one output at all nodes, layered where classes differ.
pub(super) struct Layers {
    base: Option<LayerInput>,
    /// things that nodes here and there do, with all bits set where one does: a byte per node, for a mask takes the memory's
    /// time as planes do
    masks: Vec<(Option<LayerInput>, Vec<u8>)>,
    /// remaining nodes: runs of consecutive nodes, and those at the rim
    pieces: Vec<(Option<LayerInput>, Vec<NodePiece>)>,
}

impl Layers {
    /// Builds the layers from the reading of each class; `None` if the classes differ in too many ways. `neighbours`
    /// has the neighbour at each port.
    pub(super) fn of(
        readings: &[Option<LayerInput>],
        class_of: &[u32],
        shifts: &[Shift],
        neighbours: &[Vec<u32>],
    ) -> Option<Self> {
        let mut nodes = vec![0usize; readings.len()];
        for &class in class_of {
            nodes[class as usize] += 1;
        }
        let mut kinds: Vec<(Option<LayerInput>, usize)> = Vec::new();
        for (&reading, &nodes) in readings.iter().zip(&nodes) {
            match kinds.iter_mut().find(|(known, _)| *known == reading) {
                Some((_, count)) => *count += nodes,
                None => kinds.push((reading, nodes)),
            }
        }
        kinds.sort_by_key(|&(_, nodes)| std::cmp::Reverse(nodes));
        let base = kinds[0].0;
        let mut layers = Self { base, masks: Vec::new(), pieces: Vec::new() };
        for (reading, _) in kinds {
            let does = |class: u32| readings[class as usize] == reading;
            let mut pieces = Vec::new();
            for (node, _) in (0..).zip(class_of).filter(|&(_, &class)| does(class)) {
                let read = reading.map_or(node, |reading| neighbours[usize::from(reading.port)][node as usize]);
                // legal programs read nothing from outside
                if read == OUTSIDE.0 {
                    return None;
                }
                append(&mut pieces, node, read);
            }
            if reading == base || pieces.len() * NODES_A_PIECE > class_of.len() {
                let by = reading.map_or(0, |reading| shifts[usize::from(reading.port)].by);
                pieces.retain(|piece| piece.from as isize != piece.to as isize + by);
                if reading != base {
                    let mask = class_of.iter().map(|&class| if does(class) { u8::MAX } else { 0 });
                    layers.masks.push((reading, mask.collect()));
                }
            }
            layers.pieces.push((reading, pieces));
        }
        (layers.masks.len() <= MOST_MASKS).then_some(layers)
    }

    /// The nodes in blocks, cut where what is done first, by all or under a mask, is not by the same way for all.
    fn blocks(&self, shifts: &[Shift], nodes: usize) -> impl Iterator<Item = Range<usize>> {
        let first = [Some(self.base), self.masks.first().map(|&(reading, _)| reading)];
        let readings: Vec<LayerInput> = first.into_iter().flatten().flatten().collect();
        (0..nodes).step_by(BLOCK).flat_map(move |begin| {
            let block = begin..nodes.min(begin + BLOCK);
            let inner = readings.iter().map(|reading| shifts[usize::from(reading.port)].inner(block.clone()));
            let Range { start, end } =
                inner.fold(block.clone(), |all, one| all.start.max(one.start)..all.end.min(one.end));
            let end = end.max(start);
            [block.start..start, start..end, end..block.end].into_iter().filter(|part| !part.is_empty())
        })
    }

    /// Lays all layers over each other. `then` gives the plane that a reading reads.
    pub(super) fn apply<'a>(&self, shifts: &[Shift], then: impl Fn(LayerInput) -> &'a [u32], to: &mut [u32]) {
        for block in self.blocks(shifts, to.len()) {
            let read = |reading: LayerInput, inner: &Range<usize>| {
                shifts[usize::from(reading.port)].read(then(reading), inner)
            };
            let inner = |reading: LayerInput| shifts[usize::from(reading.port)].inner(block.clone());
            let mut masks = self.masks.as_slice();
            match (self.base, masks) {
                // both at once: what is written is not read again
                (Some(base), [(Some(other), mask), rest @ ..]) if inner(base) == block && inner(*other) == block => {
                    let all = read(base, &block).iter().zip(read(*other, &block)).zip(&mask[block.clone()]);
                    to[block.clone()].iter_mut().zip(all).for_each(|(to, ((&base, &other), &mask))| {
                        *to = chosen(base, other, mask);
                    });
                    masks = rest;
                }
                (None, _) => to[block.clone()].fill(VOID),
                (Some(base), _) => to[inner(base)].copy_from_slice(read(base, &inner(base))),
            }
            for (reading, mask) in masks {
                let Some(reading) = *reading else {
                    let mask = mask[block.clone()].iter().map(|&mask| wide(mask));
                    to[block.clone()].iter_mut().zip(mask).for_each(|(to, mask)| *to |= mask);
                    continue;
                };
                let inner = inner(reading);
                let from = read(reading, &inner);
                for ((to, &from), &mask) in to[inner.clone()].iter_mut().zip(from).zip(&mask[inner]) {
                    *to = chosen(*to, from, mask);
                }
            }
        }
        for (reading, pieces) in &self.pieces {
            match *reading {
                Some(reading) => copy(pieces, then(reading), to),
                None => {
                    for piece in pieces {
                        to[piece.to as usize..][..piece.count as usize].fill(VOID);
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::net::{Port, ShapeName};

    fn torus() -> Topology {
        Topology::new(ShapeName::Torus, &[9, 16]).unwrap()
    }

    #[test]
    fn all_but_the_rim_is_moved_in_one_copy_and_the_rim_in_few() {
        let (pieces, nodes): (Vec<usize>, Vec<u32>) = Shift::all(&torus())
            .iter()
            .map(|shift| (shift.rim.len(), shift.rim.iter().map(|piece| piece.count).sum::<u32>()))
            .unzip();
        assert_eq!((pieces, nodes), (vec![1, 1, 9, 9], vec![16, 16, 9, 9]));
    }

    /// Builds layers in which `others` of 144 nodes read another port, no two of them adjacent, in two classes; one
    /// class is unused.
    fn layers(others: u32) -> Option<Layers> {
        let topology = torus();
        let mut neighbours = vec![Vec::new(); topology.ports()];
        topology.sweep(0..topology.nodes(), |_, there| {
            neighbours.iter_mut().zip(there).for_each(|(neighbours, there)| neighbours.push(there.0));
        });
        let reading = |port: Port, age| Some(LayerInput { port: port.index() as u8, lane: 0, age });
        let (base, other) = (reading(Port::plus(0), 1), reading(Port::minus(1), 2));
        let class = |node: u32| match node.checked_sub(17).filter(|it| it % 2 == 0 && it / 2 < others) {
            Some(it) => 1 + it / 2 % 2,
            None => 0,
        };
        let class_of: Vec<u32> = (0..topology.nodes()).map(class).collect();
        Layers::of(&[base, other, other, base], &class_of, &Shift::all(&topology), &neighbours)
    }

    #[test]
    fn common_readings_are_copied_frequent_ones_masked_and_rare_ones_pieces() {
        let nodes = |pieces: &[NodePiece]| pieces.iter().map(|piece| piece.count).sum::<u32>();
        for (others, masks, pieces) in [(3, 0, 3), (12, 0, 12), (13, 1, 0), (50, 1, 0)] {
            let layers = layers(others).unwrap();
            assert_eq!(layers.base.map(|base| base.age), Some(1));
            assert_eq!(layers.masks.len(), masks, "{others}");
            // the last row reads the first
            let left: Vec<u32> = layers.pieces.iter().map(|(_, pieces)| nodes(pieces)).collect();
            assert_eq!(left, [16, pieces], "{others}");
        }
    }
}
