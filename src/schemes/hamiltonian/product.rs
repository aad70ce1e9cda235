//! Decompositions of products: split the axes in two groups, decompose each, combine cycle by cycle.

use super::labels::{FactorCycle, Labels};
use super::layers;
use super::plane::Plane;
use crate::net::Torus;
use crate::paths::cover::Walk;

/// Decomposes a torus with sides of at least 3 into as many edge-disjoint Hamiltonian cycles as axes: the cycle of
/// every link.
pub fn decompose(torus: &Torus) -> Labels<'_> {
    let axes: Vec<usize> = (0..torus.axes()).collect();
    let mut labels = Labels::new(torus);
    label(&mut labels, torus, &axes);
    labels
}

/// The cycles themselves.
pub fn walks(labels: &Labels) -> Vec<Walk> {
    let axes: Vec<usize> = (0..labels.torus().axes()).collect();
    (0..axes.len()).map(|label| labels.trace(&axes, label as u8)).collect()
}

/// Labels the factor of some of the axes. A single axis is a single cycle.
fn label(labels: &mut Labels, torus: &Torus, axes: &[usize]) {
    if axes.len() < 2 {
        return;
    }
    let (few, many) = split(torus, axes);
    let mut rings = |axes: &[usize]| -> Vec<FactorCycle> {
        label(labels, torus, axes);
        (0..axes.len()).map(|label| FactorCycle::along(torus, &labels.trace(axes, label as u8))).collect()
    };
    let (few, many) = (rings(&few), rings(&many));
    // an odd number of axes leaves one ring of the smaller group and two of the larger
    let pairs = if few.len() == many.len() { few.len() } else { few.len() - 1 };
    for (pair, (a, c)) in few.iter().zip(&many).take(pairs).enumerate() {
        label_pair(labels, a, c, 2 * pair as u8);
    }
    if let ([.., fibre], [.., a, b], true) = (&few[..], &many[..], pairs < few.len()) {
        layers::label_triple(labels, torus, fibre, [a, b], 2 * pairs as u8);
    }
}

/// Two groups of axes, the first of floor(d/2). If it has an even side, so has the second: neither the plane nor the
/// layers take an even length first and an odd one second. The layers want a fibre that is short beside them.
fn split(torus: &Torus, axes: &[usize]) -> (Vec<usize>, Vec<usize>) {
    let is_even = |&axis: &usize| torus.side(axis).is_multiple_of(2);
    let mut few = axes.to_vec();
    if axes.len() % 2 == 1 {
        few.sort_by_key(|&axis| torus.side(axis));
    }
    let mut many = few.split_off(axes.len() / 2);
    if !many.iter().any(is_even)
        && let Some(even) = few.iter_mut().find(|axis| is_even(axis))
    {
        std::mem::swap(even, &mut many[0]);
    }
    (few, many)
}

/// The rule of the plane on two Hamiltonian cycles of two graphs: two Hamiltonian cycles of their product, which get
/// the labels `first` and `first + 1`.
fn label_pair(labels: &mut Labels, a: &FactorCycle, c: &FactorCycle, first: u8) {
    let plane = Plane::new(a.len(), c.len());
    for i in 0..a.len() {
        for j in 0..c.len() {
            labels.set(c.links[j].at(a.nodes[i]), first + plane.along_row(i, j));
            labels.set(a.links[i].at(c.nodes[j]), first + plane.along_column(i, j));
        }
    }
}
