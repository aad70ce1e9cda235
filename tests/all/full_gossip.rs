//! The theorems of Meyer and Sibeyn over wide ranges, by execution; all of them with `TORUSWEAVE_FULL` set, else a
//! sample.

use torusweave::net::Torus;
use torusweave::paths::cover::Cover;
use torusweave::paths::supply::{Switching, supplies};
use torusweave::play::steps_to_complete;
use torusweave::program::{Program, Title};
use torusweave::schemes::{staircase, zigzag};

use crate::fixtures::ranges::sampled;

fn pairs(
    first: impl Iterator<Item = u32>,
    second: impl Iterator<Item = u32> + Clone,
) -> impl Iterator<Item = (u32, u32)> {
    first.flat_map(move |one| second.clone().map(move |other| (one, other)))
}

/// The steps of a program by execution, which must be as many as it lasts.
fn executed(program: &Program, what: impl std::fmt::Debug) -> u32 {
    assert_eq!(steps_to_complete(program), Some(program.ticks), "{what:?}");
    program.ticks
}

fn staircase_steps(dims: &[u32], switching: Switching) -> u32 {
    executed(
        &staircase::program(&Torus::new(dims).unwrap(), switching, Title::new("t", "s")).unwrap(),
        (dims, switching),
    )
}

fn zigzag_steps(dims: &[u32], switching: Switching) -> u32 {
    executed(&zigzag::program(&Torus::new(dims).unwrap(), switching, Title::new("t", "s")).unwrap(), (dims, switching))
}

fn zigzag_cover(dims: &[u32]) -> Cover {
    zigzag::cover(&Torus::new(dims).unwrap()).unwrap()
}

#[test]
fn theorem_2_even_sides() {
    for (n1, n2) in sampled(pairs((2..=32).step_by(2), (2..=32).step_by(2)), 13) {
        let claim = staircase::theorem_2_even_sides(n1, n2);
        assert_eq!(Some(u64::from(staircase_steps(&[n1, n2], Switching::None))), claim, "{n1}x{n2}");
    }
}

#[test]
fn theorem_3_one_odd_side() {
    for (n1, n2) in sampled(pairs((4..=24).step_by(2), (3..=21).step_by(2)), 9) {
        for dims in [[n1, n2], [n2, n1]] {
            let claim = staircase::theorem_3_one_odd_side(n1, n2);
            assert_eq!(Some(u64::from(staircase_steps(&dims, Switching::Memory))), claim, "{dims:?}");
            let extra = u32::from(!n1.is_multiple_of(4));
            assert_eq!(staircase_steps(&dims, Switching::Periodic), n1 * n2 / 2 + extra, "{dims:?}");
            assert_eq!(staircase_steps(&dims, Switching::None), (n1 * n2 + 1).div_ceil(2) + n2, "{dims:?}");
        }
    }
}

#[test]
fn theorem_5_one_even_side() {
    for (n1, n2) in sampled(pairs((4..=24).step_by(2), 7..=24), 17) {
        let length = n1 * (n2 + 2) / 2;
        assert_eq!(zigzag_steps(&[n1, n2], Switching::Memory), length.div_ceil(2), "{n1}x{n2}");
        assert_eq!(zigzag_steps(&[n1, n2], Switching::None), (length + n2 + 3).div_ceil(2), "{n1}x{n2}");
        let extra = u32::from(!n1.is_multiple_of(4));
        assert_eq!(zigzag_steps(&[n1, n2], Switching::Periodic), length / 2 + extra, "{n1}x{n2}");
    }
}

#[test]
fn theorem_5_two_odd_sides() {
    for (n1, n2) in sampled(pairs((3..=27).step_by(2), (3..=27).step_by(2)), 13) {
        let longest = (n1 * n2 + 2 * n1 - if n2 % 4 == 3 { 3 } else { 1 }) / 2;
        let memory = zigzag_steps(&[n1, n2], Switching::Memory);
        assert!(memory <= longest / 2 + 1, "{n1}x{n2}: {memory}");
        assert!(u64::from(memory) <= zigzag::theorem_5_plane(n1, n2), "{n1}x{n2}: {memory}");
        zigzag_steps(&[n1, n2], Switching::None);
    }
}

#[test]
fn theorem_6_and_the_wider_condition() {
    let sections = || pairs((3..=18).step_by(3), (3..=18).step_by(3));
    let sizes = (3..=6).flat_map(|n3| sections().map(move |(n1, n2)| [n1, n2, n3]));
    let mut fitting = 0;
    for [n1, n2, n3] in sampled(sizes, 11) {
        if zigzag::sides(&[n1, n2, n3]) != Ok(vec![n1, n2, n3]) {
            continue;
        }
        fitting += 1;
        let dims = [n1, n2, n3];
        let length = n1 * n2 / 3 * (n3 + 3);
        let memory = zigzag_steps(&dims, Switching::Memory);
        // the last place of an odd length may be in a zigzag row, whose packet has come by another cycle
        assert!((length / 2..=length.div_ceil(2)).contains(&memory), "{dims:?}: {memory}");
        if let Some(claim) = zigzag::theorem_6_space(dims) {
            assert!(u64::from(memory) <= claim, "{dims:?}");
        }
        zigzag_steps(&dims, Switching::None);
    }
    assert!(fitting > 5, "{fitting}");
}

#[test]
fn theorem_7_corrected() {
    let sizes: [&[u32]; 8] = [
        &[4, 4, 2, 4],
        &[4, 4, 2, 6],
        &[4, 4, 4, 6],
        &[4, 8, 4, 5],
        &[4, 4, 16, 4],
        &[8, 8, 8, 4],
        &[5, 5, 5, 5, 5],
        &[4, 8, 8, 6],
    ];
    for dims in sampled(sizes, 3) {
        let length = zigzag_cover(dims).length(0);
        let memory = zigzag_steps(dims, Switching::Memory);
        // two parallel links along a side of 2 may cost a step
        assert!(memory == length.div_ceil(2) || dims.contains(&2) && memory == length / 2 + 1, "{dims:?}: {memory}");
        if dims == [5; 5] {
            assert_eq!((memory, zigzag_steps(dims, Switching::None)), (640, 756));
        }
    }
}

/// Every four-axis size for which periods are found closes its cycles and supplies every node.
#[test]
fn periods_found_for_four_axes_do() {
    let sections = (4..=12).step_by(4).flat_map(|n1| pairs(2..=8, 2..=8).map(move |(n2, n3)| [n1, n2, n3]));
    let mut fitting = 0;
    for [n1, n2, n3] in sampled(sections, 13) {
        for n4 in [4, 7] {
            let dims = [n1, n2, n3, n4];
            if zigzag::sides(&dims).is_ok() {
                fitting += 1;
                let cover = zigzag_cover(&dims);
                assert!(supplies(&cover).is_ok(), "{dims:?}");
                assert!((1..4).all(|cycle| cover.length(cycle) == cover.length(0)), "{dims:?}");
            }
        }
    }
    assert!(fitting > 0);
}
