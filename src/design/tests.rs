//! Limits on reversals, to the link-tick: one more is refused.

use super::*;
use crate::net::{ShapeName, Topology};
use crate::schemes::hamiltonian::Hamiltonian;
use crate::schemes::optimal::Optimal;
use crate::task::Choice;

fn gossip(pick: SchemeName, shape: ShapeName, sides: &[u32]) -> Program {
    let topology = Topology::new(shape, sides).unwrap();
    let task = Task { topology: &topology, link: Link::default(), choice: Choice::default() };
    pick.build(&task, "any").unwrap().program
}

/// Largest number of link-ticks named in a refusal.
fn refused_above(gather: &Program, flits: u32) -> Option<u64> {
    let refusal = refuse_too_large_to_reverse(gather, flits).err()?.to_string();
    let (_, most) = refusal.split_once(" link-ticks are more than the ").unwrap();
    Some(most.strip_suffix(" that can be reversed").unwrap().parse().unwrap())
}

/// 2^28 link-ticks take one to three gigabytes.
#[test]
fn reversal_of_more_than_two_to_the_28_link_ticks_is_refused() {
    let gather = gossip(SchemeName::One(&Hamiltonian), ShapeName::Mesh, &[3, 4]);
    assert!(!reverse::is_alike(&gather));
    let most = u32::try_from((1_u64 << 28) / gather.link_ticks()).unwrap();
    assert_eq!(refused_above(&gather, most), None);
    assert_eq!(refused_above(&gather, most + 1), Some(1 << 28));
}

/// Only the links of one node count where all nodes are alike, and flits do not.
#[test]
fn reversal_of_more_than_two_to_the_22_link_ticks_of_one_node_is_refused() {
    let gather = gossip(SchemeName::One(&Optimal), ShapeName::Torus, &[3, 3]);
    assert!(reverse::is_alike(&gather));
    let lasting = |ticks| Program { ticks, ..gather.clone() };
    assert_eq!(refused_above(&lasting(1 << 20), u32::MAX), None);
    assert_eq!(refused_above(&lasting((1 << 20) + 1), 1), Some(1 << 22));
}
