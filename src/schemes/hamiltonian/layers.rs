//! The product of Aubert and Schneider: two Hamiltonian cycles A and B of a graph G and a ring Z, the *fibre*, give
//! three Hamiltonian cycles of G x Z.
//!
//! G x Z is n copies of G, the *layers*, one a node of Z; *gap* g lies between layers g and g + 1 and is crossed by one
//! fibre link over every node of G. Label all copies of A, all copies of B and all fibres, then *switch* squares: the
//! two copies of a link of A or B on both sides of a gap trade labels with the two fibre links over its ends. The
//! [`SwitchPlan`] says where, so that each label becomes one cycle.

use super::frozen;
use super::labels::{FactorCycle, Labels};
use super::plan::{CycleReading, Switch, SwitchPlan};
use crate::net::Torus;

/// Labels the product of the fibre with the graph of the two base cycles: `first` and the two labels after it.
pub fn label_triple(labels: &mut Labels, torus: &Torus, fibre: &FactorCycle, base: [&FactorCycle; 2], first: u8) {
    let [a, b] = base;
    let ranks = ranks(torus, a, b);
    let frozen = frozen::plan(fibre.len(), ranks.len()).map(|plan| (CycleReading::default(), plan));
    let found = frozen.or_else(|| SwitchPlan::find(fibre.len(), &ranks));
    let (reading, plan) = found.expect("every graph that the construction meets has a plan");
    let a = a.read_from(reading.start, reading.backwards);
    carry_out(&plan, labels, fibre, [&a, b], first);
}

/// Labels the product as it stands, then switches the squares of a plan.
fn carry_out(plan: &SwitchPlan, labels: &mut Labels, fibre: &FactorCycle, base: [&FactorCycle; 2], first: u8) {
    let [a, b] = base;
    for &layer in &fibre.nodes {
        a.links.iter().for_each(|link| labels.set(link.at(layer), first));
        b.links.iter().for_each(|link| labels.set(link.at(layer), first + 1));
    }
    for &node in &a.nodes {
        fibre.links.iter().for_each(|link| labels.set(link.at(node), first + 2));
    }
    for &spot in &plan.on_a {
        switch(labels, fibre, a, spot);
    }
    for &spot in &plan.on_b {
        switch(labels, fibre, b, spot);
    }
}

/// The rank on A of every node of B, in B's order.
fn ranks(torus: &Torus, a: &FactorCycle, b: &FactorCycle) -> Vec<usize> {
    let mut rank = vec![0; torus.nodes() as usize];
    for (index, node) in a.nodes.iter().enumerate() {
        rank[node.index()] = index as u32;
    }
    b.nodes.iter().map(|node| rank[node.index()] as usize).collect()
}

/// Swaps the labels of the two copies of a link on both sides of a gap with those of the two fibre links over its ends.
fn switch(labels: &mut Labels, fibre: &FactorCycle, ring: &FactorCycle, Switch { link, gap }: Switch) {
    let (layer, next_layer) = fibre.ends(gap);
    let (u, w) = ring.ends(link);
    let copies = [layer, next_layer].map(|layer| ring.links[link].at(layer));
    let fibres = [u, w].map(|node| fibre.links[gap].at(node));
    let [copy, same] = copies.map(|link| labels.get(link));
    let [rung, alike] = fibres.map(|link| labels.get(link));
    debug_assert!(copy == same && rung == alike && copy != rung, "opposite links of a switched square share a label");
    for (links, label) in [(copies, rung), (fibres, copy)] {
        for link in links {
            labels.set(link, label);
        }
    }
}
