//! Optimal trees over whole ranges of sizes: a sample of each, under `TORUSWEAVE_FULL=1` every size, and of the two ranges
//! that take minutes every size under `TORUSWEAVE_FULL=all`.

use torusweave::net::Torus;
use torusweave::paths::tree::Tree;
use torusweave::schemes::optimal::{StoreMode, bound, fits, tree};

use crate::fixtures::ranges::{ascending, sampled, sparsely_sampled};

/// Building a tree validates it: every node once, labels distinct, parents before children. Translated to every node it
/// is a gossip without duplicates.
fn assert_optimal(dims: &[u32], store: StoreMode) -> Tree {
    let tree = tree(&Torus::new(dims).unwrap(), store).unwrap();
    assert_eq!(tree.steps(), bound(dims), "{dims:?}");
    tree
}

#[test]
fn every_rectangle_with_sides_3_to_30_reaches_the_bound_with_at_most_3_stored_reads() {
    for dims in sampled(ascending(2, 3, 30), 13) {
        for dims in [[dims[0], dims[1]], [dims[1], dims[0]]] {
            assert!(assert_optimal(&dims, StoreMode::Few).stored() <= 3, "{dims:?}");
            assert!(assert_optimal(&dims, StoreMode::Any).stored() <= 3, "{dims:?}");
        }
    }
}

#[test]
fn every_rectangle_with_sides_up_to_64_reaches_the_bound_with_at_most_3_stored_reads() {
    for dims in sparsely_sampled(ascending(2, 31, 64), 97) {
        assert!(assert_optimal(&dims, StoreMode::Few).stored() <= 3, "{dims:?}");
    }
}

#[test]
fn every_rectangle_with_sides_up_to_32_but_2_modulo_4_twice_does_without_a_store() {
    // the larger ones take seconds each
    let (small, large): (Vec<_>, Vec<_>) =
        ascending(2, 3, 32).into_iter().partition(|dims| dims.iter().product::<u32>() <= 120);
    for dims in sampled(small, 5).chain(sparsely_sampled(large, 1000)) {
        if dims.iter().all(|side| side % 4 == 2) {
            assert!(fits(&dims, StoreMode::None).is_err());
        } else {
            assert_eq!(assert_optimal(&dims, StoreMode::None).depth(), 1, "{dims:?}");
        }
    }
}

#[test]
fn every_box_with_sides_3_to_8_reaches_the_bound_with_at_most_7_stored_reads() {
    for dims in sampled(ascending(3, 3, 8), 7) {
        assert!(assert_optimal(&dims, StoreMode::Few).stored() <= 7, "{dims:?}");
    }
}

#[test]
fn every_torus_of_four_axes_with_sides_3_to_5_reaches_the_bound() {
    for dims in sampled(ascending(4, 3, 5), 4) {
        assert_optimal(&dims, StoreMode::Any);
    }
}

#[test]
fn sides_of_2_reach_the_bound() {
    let mut sizes = ascending(2, 2, 20);
    sizes.extend(ascending(3, 2, 6));
    sizes.extend(ascending(4, 2, 3));
    sizes.retain(|dims| dims[0] == 2);
    for dims in sampled(sizes, 3) {
        assert_optimal(&dims, StoreMode::Any);
    }
}

#[test]
fn large_tori_reach_the_bound() {
    for dims in [&[256, 256][..], &[300, 301], &[64, 64, 64], &[16, 16, 16, 16]] {
        assert_optimal(dims, StoreMode::Any);
    }
}
