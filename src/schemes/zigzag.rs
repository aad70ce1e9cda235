//! Meyer and Sibeyn, section 4: cycles that zigzag through the first rows and run straight through the others, so that
//! one packet a node is enough.

mod claims;
mod general;
mod laps;
mod odd_plane;
mod plane;
mod space;

use super::axes::{Axes, orders};
use crate::net::Torus;
use crate::paths::cover::Cover;
use crate::paths::supply::{self, Switching};
use crate::paths::weave::Packets;
use crate::program::{Program, Title};
use crate::task::{About, Claim, Scheme, Woven};
use crate::task::{ConstructError, Unmet};
use crate::task::{Knob, Task};

pub use claims::{
    theorem_5_plane, theorem_5_time_independent_plane, theorem_6_space, theorem_7_general, theorem_7_time_independent,
};

/// Scheme `zigzag` of the list.
pub struct Zigzag;

impl Scheme for Zigzag {
    fn about(&self) -> About {
        About {
            name: "zigzag",
            summary: "One packet per node: cycles that zigzag through a few rows and pass every other node within one link \
                      (section 4)",
            theorem: "Meyer and Sibeyn, section 4, Theorems 5, 6 and 7",
            condition: "two axes; or three axes, two of them multiples of 3; or d >= 4 axes, d | n1 | n2 | ... | n_d-1, nd >= d",
            packets: "1",
            preference: 3,
        }
    }

    fn applies(&self, task: &Task) -> Result<(), Unmet> {
        choose(task.torus_sides()?).map(|_| ())
    }

    fn packets(&self, _: &Task) -> u16 {
        1
    }

    fn weave(&self, task: &Task, title: Title) -> Result<Woven, ConstructError> {
        let cover = cover(&task.torus()?)?;
        let program = supply::program(&cover, Packets::Shared, task.choice.switching, title)?;
        Ok(Woven { program, cover: None })
    }

    fn cover(&self, task: &Task) -> Option<Cover> {
        cover(&task.torus().ok()?).ok()
    }

    fn claim(&self, task: &Task) -> Option<Claim> {
        claims::claim(&sides(task.topology.dims()).ok()?, task.choice.switching)
    }

    fn steps(&self, task: &Task) -> Option<u32> {
        plane::steps(&sides(task.topology.dims()).ok()?, task.choice.switching)
    }

    /// Only on a plane of two rows does every cycle pass every node.
    fn knobs(&self, task: &Task) -> &'static [Knob] {
        if matches!(sides(task.topology.dims()).as_deref(), Ok([_, 2])) { &[] } else { &[Knob::Switching] }
    }

    fn is_time_independent(&self, _: &Task) -> bool {
        true
    }
}

/// Construction to use, with its parameters.
enum ZigzagShape {
    /// Plane, section 4.1.
    Plane,
    /// Section 4.1 with one special column.
    OddPlane,
    /// Section 4.2: every `period`-th lap moves to the next x1-x3 plane.
    Space { period: u32 },
    /// Section 4.3, corrected, with the periods p1, p2, ...
    General { periods: Vec<u32> },
}

/// The sides n1, n2, ... in the order in which the construction takes the axes.
pub fn sides(dims: &[u32]) -> Result<Vec<u32>, Unmet> {
    let (order, _) = choose(dims)?;
    Ok(order.into_iter().map(|axis| dims[axis]).collect())
}

/// Returns as many edge-disjoint cycles as axes, each through or next to every node.
pub fn cover(torus: &Torus) -> Result<Cover, Unmet> {
    let (order, shape) = choose(torus.dims())?;
    let axes = Axes::new(torus, order);
    let walks = match shape {
        ZigzagShape::Plane => plane::walks(&axes),
        ZigzagShape::OddPlane => odd_plane::walks(&axes),
        ZigzagShape::Space { period } => space::walks(&axes, period),
        ZigzagShape::General { periods } => general::walks(&axes, &periods),
    };
    Ok(Cover::new(torus, &walks, |_| false).expect("under its condition a zigzag construction yields disjoint cycles"))
}

/// Gossip of one packet per node (Theorems 5, 6 and 7).
pub fn program(torus: &Torus, switching: Switching, title: Title) -> Result<Program, ConstructError> {
    Ok(supply::program(&cover(torus)?, Packets::Shared, switching, title)?)
}

/// The construction for these sides and the order in which it takes the axes: as they come if that fits, or else the
/// order with the shortest cycles.
fn choose(dims: &[u32]) -> Result<(Vec<usize>, ZigzagShape), Unmet> {
    match *dims {
        [n1, n2] => Ok(match (n1 % 2, n2 % 2) {
            (0, _) => (vec![0, 1], ZigzagShape::Plane),
            (_, 0) => (vec![1, 0], ZigzagShape::Plane),
            _ => (vec![0, 1], ZigzagShape::OddPlane),
        }),
        [_, _, _] => {
            let fitting = first_fitting(dims, orders(3), space::period);
            let (order, period) = fitting.ok_or(space::UNMET)?;
            Ok((order, ZigzagShape::Space { period }))
        }
        [_, _, _, _, ..] => {
            let (order, periods) = general::choose(dims)?;
            Ok((order, ZigzagShape::General { periods }))
        }
        _ => Err(Unmet { needs: "two axes or more" }),
    }
}

/// Returns the first order of the axes under which `condition` holds, with its result: the given order if possible,
/// otherwise one with the longest last axis, which makes the shortest cycles.
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
