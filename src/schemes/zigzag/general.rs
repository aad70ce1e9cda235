//! Section 4.3, corrected: four axes or more.
//!
//! The paper's zigzags revisit nodes in general. Here a lap that enters a new plane along `x_l`, l >= 3, also steps
//! back along `x_(l-1)`, so that label (4) of the paper grows by one with every move.

use super::{first_fitting, laps};
use crate::net::Torus;
use crate::paths::cover::{Cover, Walk};
use crate::paths::supply;
use crate::schemes::axes::{Axes, orders};
use crate::task::Unmet;

/// The largest n1 n2 n3 for which other periods are searched: each try builds and checks a cover.
const SEARCHED_SECTION: u64 = 4096;

const UNMET: Unmet = Unmet {
    needs: "on d >= 4 axes, in some order, d | n1 | n2 | ... | n_(d-1) and n_d >= d (on four axes other n1, n2, n3 with \
            4 | n1 may do too, if their product is at most 4096)",
};

/// The order of the axes and the periods p1, p2, ...: as the axes come, if some periods fit, or else in another order.
pub fn choose(dims: &[u32]) -> Result<(Vec<usize>, Vec<u32>), Unmet> {
    let identity: Vec<usize> = (0..dims.len()).collect();
    if let Some(periods) = default_periods(dims).or_else(|| search_periods(dims)) {
        return Ok((identity, periods));
    }
    let searched = || if dims.len() == 4 { first_fitting(dims, orders(4), search_periods) } else { None };
    first_fitting(dims, ascending_orders(dims), default_periods).or_else(searched).ok_or(UNMET)
}

/// For every choice of the last axis the order in which the others ascend: the only ones in which each can divide the
/// next.
fn ascending_orders(dims: &[u32]) -> Vec<Vec<usize>> {
    let with_last = |last| {
        let mut order: Vec<usize> = (0..dims.len()).filter(|&axis| axis != last).collect();
        order.sort_by_key(|&axis| dims[axis]);
        order.push(last);
        order
    };
    (0..dims.len()).map(with_last).collect()
}

/// Under the regular condition a cycle has filled the space of x1, ..., `x_(l-1)` and `x_d` when it moves along `x_l`.
fn default_periods(dims: &[u32]) -> Option<Vec<u32>> {
    let count = dims.len();
    let across = &dims[..count - 1];
    let divides = across.windows(2).all(|pair| pair[1].is_multiple_of(pair[0]));
    let fits = across[0].is_multiple_of(count as u32) && divides && dims[count - 1] as usize >= count;
    fits.then(|| [&[across[0] / count as u32], &across[1..]].concat())
}

/// Other periods for four axes: the first, in descending order, under which the cycles close and supply every node.
/// Rows below the zigzag are all alike, so one such row (n4 = 5) decides for every n4.
fn search_periods(dims: &[u32]) -> Option<Vec<u32>> {
    let &[n1, n2, n3, n4] = dims else { return None };
    let section = [n1, n2, n3].into_iter().map(u64::from).product::<u64>();
    if !n1.is_multiple_of(4) || n4 < 4 || section > SEARCHED_SECTION {
        return None;
    }
    let torus = Torus::new(&[n1, n2, n3, 5]).ok()?;
    let axes = Axes::new(&torus, (0..4).collect());
    let divisors = |n: u32| (1..=n).rev().filter(move |&k| n.is_multiple_of(k));
    let candidates = divisors(n1 / 4).flat_map(|p1| divisors(n2).map(move |p2| vec![p1, p2, n3]));
    candidates.into_iter().find(|periods| {
        Cover::new(&torus, &walks(&axes, periods), |_| false).is_ok_and(|cover| supply::supplies(&cover).is_ok())
    })
}

/// d cycles of `(1 + d/n_d) P/d` + sum over `l = 3..d-1` of `n_l ... n_(d-1)` places (with the default periods).
pub fn walks(axes: &Axes, periods: &[u32]) -> Vec<Walk> {
    laps::walks(axes, |lap, row, moves| {
        let level = level(periods, lap);
        // rows count from 0, axes from x1: row l = 2 is where x2 = axis 1 may be taken
        match row {
            2 if level >= 2 => moves.push(axes.plus(1)),
            3.. if level >= row => moves.extend([axes.plus(row - 1), axes.minus(row - 2)]),
            _ => moves.push(axes.plus(0)),
        }
    })
}

/// The largest j < d with lap = 0 mod p1 p2 ... p_(j-1).
fn level(periods: &[u32], lap: u32) -> usize {
    let mut product = 1;
    let passed = periods.iter().take_while(|&&period| {
        product *= period;
        lap.is_multiple_of(product)
    });
    (passed.count() + 1).min(periods.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::paths::cover::CoverError;

    /// The paper's zigzag(d, j): one move along x2, ..., xj in rows 2..j, along x1 in the others.
    fn walks_of_the_paper(axes: &Axes) -> Vec<Walk> {
        let across: Vec<u32> = (1..axes.count() - 1).map(|axis| axes.side(axis)).collect();
        let periods = [&[axes.side(0) / axes.count() as u32], across.as_slice()].concat();
        laps::walks(axes, |lap, row, moves| {
            let along = if (2..=level(&periods, lap)).contains(&row) { row - 1 } else { 0 };
            moves.push(axes.plus(along));
        })
    }

    fn cover_of_the_paper(dims: &[u32]) -> Result<Cover, CoverError> {
        let torus = Torus::new(dims).unwrap();
        let axes = Axes::new(&torus, (0..dims.len()).collect());
        Cover::new(&torus, &walks_of_the_paper(&axes), |_| false)
    }

    /// 4x5x2xn4 is the example of section 4.3.1 and figure 8.
    #[test]
    fn theorem_7_fails_for_the_example_of_the_paper() {
        for n4 in 4..=7 {
            let error = cover_of_the_paper(&[4, 5, 2, n4]).unwrap_err();
            assert!(matches!(error, CoverError::Revisit { .. } | CoverError::SharedLink { .. }), "{error}");
        }
    }

    #[test]
    fn theorem_7_is_sound_where_n1_divides_the_sides_across() {
        for dims in [&[4, 4, 4, 4][..], &[4, 8, 4, 5], &[4, 4, 8, 4], &[5, 5, 5, 5, 5]] {
            let cover = cover_of_the_paper(dims).unwrap();
            let (axes, last) = (dims.len() as u32, dims[dims.len() - 1]);
            assert_eq!(cover.length(0), dims.iter().product::<u32>() / last * (last + axes) / axes, "{dims:?}");
        }
    }
}
