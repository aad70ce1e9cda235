//! Coordinates a map may be simple in: the axes, or the axes with one replaced by a sum of several.

use std::collections::HashMap;
use std::fmt::Write as _;

use crate::net::Topology;
use crate::net::splitmix::mix;
use crate::program::{ClassId, ClassMap};

/// One coordinate of a frame.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum FrameKey {
    Axis(usize),
    /// The sum of `factors[axis] * x`, taken modulo the side of `axis`, whose own factor is 1.
    Sum {
        axis: usize,
        factors: Vec<i8>,
    },
}

impl FrameKey {
    pub(super) fn axis(&self) -> usize {
        match self {
            Self::Axis(axis) | Self::Sum { axis, .. } => *axis,
        }
    }

    /// The coordinate before it is reduced modulo the side.
    pub(super) fn raw(&self, coords: &[u32]) -> i64 {
        match self {
            Self::Axis(axis) => i64::from(coords[*axis]),
            Self::Sum { factors, .. } => factors.iter().zip(coords).map(|(&f, &x)| i64::from(f) * i64::from(x)).sum(),
        }
    }

    pub(super) fn value(&self, coords: &[u32], dims: &[u32]) -> u32 {
        self.raw(coords).rem_euclid(i64::from(dims[self.axis()])) as u32
    }

    /// `x3`, `x1+x2`, `x2-x1`, `x1+x2+2x3`.
    pub(super) fn name(&self) -> String {
        match self {
            Self::Axis(axis) => format!("x{}", axis + 1),
            Self::Sum { factors, .. } => {
                let mut terms: Vec<(usize, i8)> =
                    factors.iter().copied().enumerate().filter(|&(_, f)| f != 0).collect();
                terms.sort_by_key(|(_, factor)| factor.is_negative());
                let mut text = String::new();
                for (axis, factor) in terms {
                    let sign = if factor.is_negative() {
                        "-"
                    } else if text.is_empty() {
                        ""
                    } else {
                        "+"
                    };
                    let times = if factor.abs() == 1 { String::new() } else { factor.abs().to_string() };
                    let _ = write!(text, "{sign}{times}x{}", axis + 1);
                }
                text
            }
        }
    }
}

/// A coordinate system: one key an axis.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct CoordinateFrame {
    pub(super) keys: Vec<FrameKey>,
}

impl CoordinateFrame {
    pub(super) fn plain(axes: usize) -> Self {
        Self { keys: (0..axes).map(FrameKey::Axis).collect() }
    }

    /// The sums worth trying: pairs with both signs, all subsets, and the paper's label (4) of section 4.3,
    /// each modulo the side of each of its axes that has factor 1.
    pub(super) fn skewed(axes: usize) -> Vec<Self> {
        const MOST_AXES: usize = 5;
        if !(2..=MOST_AXES).contains(&axes) {
            return Vec::new();
        }
        let mut sums: Vec<Vec<i8>> = Vec::new();
        for subset in 1..1_u32 << axes {
            let factors: Vec<i8> = (0..axes).map(|axis| (subset >> axis & 1) as i8).collect();
            match subset.count_ones() {
                1 => {}
                2 => {
                    let mut difference = factors.clone();
                    if let Some(first) = difference.iter_mut().find(|factor| **factor == 1) {
                        *first = -1;
                    }
                    sums.extend([factors, difference]);
                }
                _ => sums.push(factors),
            }
        }
        if axes > 3 {
            sums.push((0..axes).map(|axis| if axis + 1 < axes { axis.max(1) as i8 } else { 0 }).collect());
        }
        let skew = |factors: &Vec<i8>, axis: usize| {
            let mut frame = Self::plain(axes);
            frame.keys[axis] = FrameKey::Sum { axis, factors: factors.clone() };
            frame
        };
        sums.iter()
            .flat_map(|factors| (0..axes).filter(|&axis| factors[axis] == 1).map(move |axis| skew(factors, axis)))
            .collect()
    }

    /// The coordinates of the node with these values.
    fn coords(&self, values: &[u32], dims: &[u32]) -> Vec<u32> {
        let mut coords = values.to_vec();
        for key in &self.keys {
            if let FrameKey::Sum { axis, .. } = key {
                coords[*axis] = 0;
                let others = key.raw(&coords);
                coords[*axis] = (i64::from(values[*axis]) - others).rem_euclid(i64::from(dims[*axis])) as u32;
            }
        }
        coords
    }

    /// Joins values of a key whose slices of the map are equal: the map is then a map of the small grid of groups.
    pub(super) fn group(&self, topology: &Topology, class_of: &ClassMap, most_cells: usize) -> Option<Grid> {
        let dims = topology.dims();
        let groups: Vec<Vec<Vec<u32>>> =
            self.slices(topology, class_of).iter().map(|hashes| equal_values(hashes)).collect();
        let cells = groups
            .iter()
            .try_fold(1, |cells: usize, axis| cells.checked_mul(axis.len()).filter(|&cells| cells <= most_cells))?;
        let classes = (0..cells)
            .map(|cell| {
                let mut rest = cell;
                let mut values = vec![0; dims.len()];
                for (value, groups) in values.iter_mut().zip(&groups).rev() {
                    *value = groups[rest % groups.len()][0];
                    rest /= groups.len();
                }
                class_of[topology.node(&self.coords(&values, dims)).index()]
            })
            .collect();
        Some(Grid { groups, classes })
    }

    /// For each key and value, a hash of the slice of the map where the key has that value.
    /// A collision is caught when the rules are verified.
    fn slices(&self, topology: &Topology, class_of: &ClassMap) -> Vec<Vec<u64>> {
        let dims = topology.dims();
        let mut slices: Vec<Vec<u64>> = dims.iter().map(|&side| vec![0; side as usize]).collect();
        let weights: Vec<u64> = (1..=dims.len() as u64).map(mix).collect();
        let mut coords = vec![0; dims.len()];
        let mut values = vec![0; dims.len()];
        let part = |(&value, &weight): (&u32, &u64)| u64::from(value).wrapping_mul(weight);
        for class in class_of {
            for (value, key) in values.iter_mut().zip(&self.keys) {
                *value = key.value(&coords, dims);
            }
            let place = values.iter().zip(&weights).map(part).fold(mix(u64::from(class.0) << 32), u64::wrapping_add);
            for (slice, valued) in slices.iter_mut().zip(values.iter().zip(&weights)) {
                let sum = &mut slice[*valued.0 as usize];
                *sum = sum.wrapping_add(mix(place.wrapping_sub(part(valued))));
            }
            super::advance(&mut coords, dims);
        }
        slices
    }
}

/// The values of a key joined where their slices are equal, in the order of their first values.
fn equal_values(hashes: &[u64]) -> Vec<Vec<u32>> {
    let mut groups: Vec<Vec<u32>> = Vec::new();
    let mut group_of: HashMap<u64, usize> = HashMap::new();
    for (&hash, value) in hashes.iter().zip(0..) {
        let group = *group_of.entry(hash).or_insert_with(|| {
            groups.push(Vec::new());
            groups.len() - 1
        });
        groups[group].push(value);
    }
    groups
}

/// A map of groups of coordinates, row-major.
pub(super) struct Grid {
    pub(super) groups: Vec<Vec<Vec<u32>>>,
    pub(super) classes: Vec<ClassId>,
}
