//! Every figure of section 4, by execution.

use super::*;
use crate::net::Port;
use crate::paths::supply::supplies;
use crate::play::steps_to_complete;
use crate::program::{Class, Source, Track};

fn build(dims: &[u32], switching: Switching) -> Program {
    let title = Title::new("t", "zigzag");
    program(&Torus::new(dims).unwrap(), switching, title).unwrap()
}

/// Steps by execution; the program must last exactly as long.
fn steps(dims: &[u32], switching: Switching) -> u32 {
    let program = build(dims, switching);
    assert_eq!(steps_to_complete(&program), Some(program.ticks), "{dims:?} {switching}");
    program.ticks
}

fn lengths(dims: &[u32]) -> Vec<u32> {
    let cover = cover(&Torus::new(dims).unwrap()).unwrap();
    (0..cover.cycles()).map(|cycle| cover.length(cycle)).collect()
}

/// Theorem 5 says L/2 + 1 = n1 n2/4 + n1/2 + 1.
#[test]
fn theorem_5_one_packet_in_half_the_length_on_a_plane() {
    for (n1, n2) in (4..=12).step_by(2).flat_map(|n1| (3..=10).map(move |n2| (n1, n2))) {
        let length = n1 * (n2 + 2) / 2;
        assert_eq!(lengths(&[n1, n2]), [length; 2], "{n1}x{n2}");
        let memory = steps(&[n1, n2], Switching::Memory);
        let none = steps(&[n1, n2], Switching::None);
        let apart = (length + n2 + 3).div_ceil(2);
        if n2 >= 7 {
            assert_eq!((none, memory), (apart, length.div_ceil(2)), "{n1}x{n2}");
        } else {
            // the last arrivals of one cycle may be zigzag rows, whose packets came by the other
            assert!(none <= apart && memory <= length.div_ceil(2), "{n1}x{n2}: {none} {memory}");
        }
    }
}

/// D = n2 + 2 and L = D n1/2, so D/h is 1 if 4 divides n1 and 2 otherwise.
#[test]
fn theorem_5_needs_no_delay_line_with_periodic_switching() {
    for (n1, n2) in (4..=12).step_by(2).flat_map(|n1| (3..=10).map(move |n2| (n1, n2))) {
        let length = n1 * (n2 + 2) / 2;
        let steps = steps(&[n1, n2], Switching::Periodic);
        if n1.is_multiple_of(4) {
            assert_eq!(steps, length / 2, "{n1}x{n2}");
        } else {
            assert!(steps == length / 2 + u32::from(n2 >= 7), "{n1}x{n2}: {steps}");
        }
    }
}

#[test]
fn periodic_switching_is_refused_where_it_loses_packets() {
    let torus = Torus::new(&[6, 6, 5]).unwrap();
    let title = Title::new("t", "zigzag");
    assert_eq!(
        program(&torus, Switching::Periodic, title).unwrap_err().to_string(),
        "periodic switching loses packets here: node 0 has supporters D = 23 places apart on a cycle of 96, so h = 1, \
         and D/h must be 1 or 2"
    );
}

/// Two parallel links lead to one supporter, which sends its own packet twice; without rows below the zigzag there is
/// nothing to supply.
#[test]
fn theorem_5_holds_on_the_thinnest_planes() {
    for (n1, n2) in (2..=12).map(|n2| (2, n2)).chain((2..=12).step_by(2).map(|n1| (n1, 2))) {
        for switching in Switching::ALL {
            assert!(steps(&[n1, n2], switching) <= n1 * (n2 + 2) / 4 + 1, "{n1}x{n2} {switching}");
        }
    }
}

#[test]
fn an_odd_side_becomes_x2() {
    assert_eq!(lengths(&[9, 16]), [88, 88]);
    for dims in [[16, 9], [9, 16]] {
        assert_eq!(steps(&dims, Switching::None), 50);
        assert_eq!(steps(&dims, Switching::Memory), 44);
    }
}

/// Theorem 5 for two odd sides, with the special column corrected.
#[test]
fn theorem_5_two_odd_sides_in_half_the_longer_cycle_plus_one() {
    for (n1, n2) in (3..=15).step_by(2).flat_map(|n1| (3..=15).step_by(2).map(move |n2| (n1, n2))) {
        let longest = (n1 * n2 + 2 * n1 - if n2 % 4 == 3 { 3 } else { 1 }) / 2;
        assert_eq!(lengths(&[n1, n2]).into_iter().max(), Some(longest), "{n1}x{n2}");
        assert!(steps(&[n1, n2], Switching::Memory) <= longest / 2 + 1, "{n1}x{n2}");
        steps(&[n1, n2], Switching::None);
    }
    assert!(steps(&[7, 7], Switching::Memory) <= 16);
    assert!(steps(&[9, 9], Switching::Memory) <= 25);
}

/// Theorem 6 says L/2 + 1, for n1 | n2.
#[test]
fn theorem_6_one_packet_in_half_the_length_in_space() {
    for dims in [[3, 3, 3], [3, 3, 4], [3, 3, 5], [3, 6, 4], [3, 9, 5], [6, 6, 5], [6, 12, 4], [9, 9, 6]] {
        let [n1, n2, n3] = dims;
        let length = n1 * n2 / 3 * (n3 + 3);
        assert_eq!(lengths(&dims), [length; 3], "{dims:?}");
        assert_eq!(steps(&dims, Switching::Memory), length.div_ceil(2), "{dims:?}");
    }
}

/// The condition gcd(g - 1, n1/g) = 1 is sufficient.
#[test]
fn theorem_6_holds_under_the_wider_condition() {
    for dims in [[9, 3, 4], [12, 6, 4], [6, 9, 4], [12, 9, 5], [6, 3, 4], [15, 6, 3]] {
        let [n1, n2, n3] = dims;
        assert_eq!(steps(&dims, Switching::Memory), (n1 * n2 / 3 * (n3 + 3)).div_ceil(2), "{dims:?}");
    }
}

#[test]
fn axes_are_taken_in_an_order_that_fits() {
    // 4 is no multiple of 3, so it becomes n3
    assert_eq!(lengths(&[4, 3, 3]), lengths(&[3, 3, 4]));
    assert_eq!(lengths(&[4, 6, 4, 4]), lengths(&[4, 4, 4, 6]));
}

/// Theorem 7 does not hold as stated; these are the figures of the corrected construction.
#[test]
fn theorem_7_corrected_reaches_half_the_length_on_four_axes() {
    for (dims, none, memory) in [
        ([4, 4, 2, 4], 42, 34),
        ([4, 4, 4, 4], 78, 66),
        ([4, 4, 4, 5], 103, 74),
        ([8, 4, 4, 5], 214, 148),
        ([4, 4, 8, 4], 144, 132),
    ] {
        assert_eq!(lengths(&dims), [2 * memory; 4], "{dims:?}");
        assert_eq!(steps(&dims, Switching::None), none, "{dims:?}");
        assert_eq!(steps(&dims, Switching::Memory), memory, "{dims:?}");
    }
}

#[test]
fn periods_found_with_one_row_below_the_zigzag_do_for_any_number() {
    for n4 in [4, 6, 7] {
        for section in [[4, 4, 2], [8, 4, 4], [4, 8, 2]] {
            let dims = [section.as_slice(), &[n4]].concat();
            let length = lengths(&dims)[0];
            // an axis of side 2 may make one node both supporters, which costs a step
            let extra = u32::from(section.contains(&2));
            assert!(steps(&dims, Switching::Memory) <= length.div_ceil(2) + extra, "{dims:?}");
        }
    }
}

#[test]
fn sides_that_do_not_fit_are_refused_with_the_condition() {
    for dims in [&[7][..], &[4, 4, 4], &[3, 3, 2], &[5, 6, 7, 8], &[2; 20]] {
        assert!(sides(dims).is_err(), "{dims:?}");
    }
    assert_eq!(
        sides(&[4, 4, 4]).unwrap_err().to_string(),
        "needs on three axes, in some order, n1 and n2 multiples of 3 with gcd(g - 1, n1/g) = 1 for \
         g = gcd(n1, n2), and n3 >= 3"
    );
}

/// Two classes at every size: the zigzag rows and the rows below.
#[test]
fn a_plane_has_two_classes_at_every_size() {
    for switching in [Switching::None, Switching::Memory] {
        for (n1, n2) in (4..=12).step_by(2).flat_map(|n1| (3..=9).map(move |n2| (n1, n2))) {
            assert_eq!(build(&[n1, n2], switching).classes.len(), 2, "{n1}x{n2} {switching}");
        }
    }
}

/// A class with its run lengths left out, and its delay lines' depths.
fn shapes(program: &Program) -> Vec<Vec<Vec<Source>>> {
    let shape = |source| match source {
        Source::In { port, age, .. } if age > 2 => Source::input(port, 3),
        other => other,
    };
    let class = |class: &Class| {
        let runs = |track: &Track| track.runs.iter().map(|run| shape(run.source)).collect();
        class.outputs.iter().map(runs).collect()
    };
    let mut shapes: Vec<_> = program.classes.iter().map(class).collect();
    shapes.sort();
    shapes
}

#[test]
fn sizes_of_one_parity_have_the_same_classes_up_to_tick_numbers() {
    for switching in [Switching::None, Switching::Memory] {
        for sizes in [
            [&[6, 8][..], &[12, 16], &[24, 32]],
            [&[8, 6], &[16, 12], &[32, 24]],
            [&[6, 7], &[12, 9], &[10, 17]],
            [&[6, 6, 5], &[9, 9, 6], &[12, 12, 7]],
        ] {
            let [one, two, three] = sizes.map(|dims| shapes(&build(dims, switching)));
            assert_eq!(one, two, "{sizes:?} {switching}");
            assert_eq!(two, three, "{sizes:?} {switching}");
        }
    }
}

/// D depends on how many detours lie below a node, so only without delay lines are there a fixed number of classes.
#[test]
fn an_odd_plane_has_at_most_15_classes_without_switching() {
    for (n1, n2) in (7..=17).step_by(2).flat_map(|n1| (7..=21).step_by(2).map(move |n2| (n1, n2))) {
        let classes = build(&[n1, n2], Switching::None).classes.len();
        assert!((14..=15).contains(&classes), "{n1}x{n2}: {classes}");
    }
}

/// Below the zigzag, a node with x1 + x2 = j mod 3 is on cycle j. The paper names the opposite neighbours.
#[test]
fn supporters_in_space_stand_where_the_labels_say() {
    let [n1, n2, n3] = [6, 12, 5];
    let torus = Torus::new(&[n1, n2, n3]).unwrap();
    let cover = cover(&torus).unwrap();
    let [left, right] = [Port::minus(0), Port::plus(0)];
    let [back, front] = [Port::minus(1), Port::plus(1)];
    for supply in supplies(&cover).unwrap() {
        if torus.coord(supply.node, 2) >= 3 {
            let own = (torus.coord(supply.node, 0) + torus.coord(supply.node, 1)) % 3;
            assert!(cover.place(own as usize, supply.node).is_some());
            let next = u32::from(supply.cycle) == (own + 1) % 3;
            let expected = if next { (right, front) } else { (back, left) };
            assert_eq!((supply.lower.port, supply.upper.port), expected, "{supply:?}");
            assert_eq!(supply.distance, n1 / 3 * (n3 + 3));
        }
    }
}
