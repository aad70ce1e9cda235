//! Meyer and Sibeyn, section 4: cycles that zigzag through the first rows and run straight through the others, so that
//! one packet a node is enough.

mod general;
mod laps;
mod odd_plane;
mod plane;
mod space;

use super::axes::{Axes, orders};
use super::{ConstructError, Unmet};
use crate::net::Torus;
use crate::paths::cover::Cover;
use crate::paths::supply::{self, Switching};
use crate::paths::weave::Packets;
use crate::program::{Program, Title};

/// Which of the constructions, and what it has to know.
enum Shape {
    /// Section 4.1.
    Plane,
    /// Section 4.1 with one special column.
    OddPlane,
    /// Section 4.2: every `period`-th lap moves to the next x1-x3 plane.
    Space { period: u32 },
    /// Section 4.3, corrected, with the periods p1, p2, ...
    General { periods: Vec<u32> },
}

/// Whether a construction exists for these sides, in whatever order of the axes.
pub fn fits(dims: &[u32]) -> Result<(), Unmet> {
    choose(dims).map(|_| ())
}

/// The sides n1, n2, ... in the order in which the construction takes the axes.
pub fn sides(dims: &[u32]) -> Result<Vec<u32>, Unmet> {
    let (order, _) = choose(dims)?;
    Ok(order.into_iter().map(|axis| dims[axis]).collect())
}

/// As many edge-disjoint cycles as axes, each through or next to every node.
pub fn cover(torus: &Torus) -> Result<Cover, Unmet> {
    let (order, shape) = choose(torus.dims())?;
    let axes = Axes::new(torus, order);
    let walks = match shape {
        Shape::Plane => plane::walks(&axes),
        Shape::OddPlane => odd_plane::walks(&axes),
        Shape::Space { period } => space::walks(&axes, period),
        Shape::General { periods } => general::walks(&axes, &periods),
    };
    Ok(Cover::new(torus, &walks, |_| false).expect("under its condition a zigzag construction yields disjoint cycles"))
}

/// Gossip of one packet a node (Theorems 5, 6 and 7).
pub fn program(torus: &Torus, switching: Switching, title: Title) -> Result<Program, ConstructError> {
    woven(torus, switching, title).map(|(_, program)| program)
}

/// The same with the cycles it runs along.
pub fn woven(torus: &Torus, switching: Switching, title: Title) -> Result<(Cover, Program), ConstructError> {
    let cover = cover(torus)?;
    let program = supply::program(&cover, Packets::Shared, switching, title)?;
    Ok((cover, program))
}

/// The construction for these sides and the order in which it takes the axes: as they come if that fits, or else the
/// order with the shortest cycles.
fn choose(dims: &[u32]) -> Result<(Vec<usize>, Shape), Unmet> {
    match *dims {
        [n1, n2] => Ok(match (n1 % 2, n2 % 2) {
            (0, _) => (vec![0, 1], Shape::Plane),
            (_, 0) => (vec![1, 0], Shape::Plane),
            _ => (vec![0, 1], Shape::OddPlane),
        }),
        [_, _, _] => {
            let fitting = first_fitting(dims, orders(3), space::period);
            let (order, period) = fitting.ok_or(space::UNMET)?;
            Ok((order, Shape::Space { period }))
        }
        [_, _, _, _, ..] => {
            let (order, periods) = general::choose(dims)?;
            Ok((order, Shape::General { periods }))
        }
        _ => Err(Unmet { scheme: "zigzag", needs: "two axes or more" }),
    }
}

/// Of some orders of the axes the first under which `condition` holds, with what it yields: the
/// given order if it does, or else one with the longest last axis, which makes the shortest cycles.
fn first_fitting<T>(
    dims: &[u32],
    mut orders: Vec<Vec<usize>>,
    condition: impl Fn(&[u32]) -> Option<T>,
) -> Option<(Vec<usize>, T)> {
    orders.sort_by_key(|order| (!order.is_sorted(), std::cmp::Reverse(dims[order[dims.len() - 1]])));
    orders.into_iter().find_map(|order| {
        let sides: Vec<u32> = order.iter().map(|&axis| dims[axis]).collect();
        condition(&sides).map(|found| (order, found))
    })
}

#[cfg(test)]
mod tests;
