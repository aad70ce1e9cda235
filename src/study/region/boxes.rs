//! Covers the cells of one class in a small grid by few boxes: products of sets of groups.

use super::frame::Grid;
use crate::program::ClassId;

/// For each axis, which groups the box takes.
pub(super) type Boxed = Vec<Vec<bool>>;

/// A box as large as it can be, and what of it is needed beside the boxes before it.
pub(super) struct BoxChoice {
    pub(super) largest: Boxed,
    pub(super) needed: Boxed,
}

/// Boxes that hold the cells of a class and no others; `None` if it takes more than `most`.
pub(super) fn cover(grid: &Grid, class: ClassId, most: usize) -> Option<Vec<BoxChoice>> {
    /// Up to this many cells every one of them is tried as the seed of the next box.
    const SMALL: usize = 256;
    let cells = BoxCells::new(grid, class);
    let mut open: Vec<usize> = (0..grid.classes.len()).filter(|&cell| grid.classes[cell] == class).collect();
    let mut boxes = Vec::new();
    while !open.is_empty() {
        if boxes.len() == most {
            return None;
        }
        let seeds = if grid.classes.len() <= SMALL { open.len() } else { 1 };
        let gain = |boxed: &Boxed| open.iter().filter(|&&cell| cells.inside(boxed, cell)).count();
        let mut best: Option<(usize, Boxed)> = None;
        for &seed in &open[..seeds] {
            for first in 0..grid.groups.len() {
                let boxed = cells.grow(seed, first);
                let gain = gain(&boxed);
                if best.as_ref().is_none_or(|(most, _)| gain > *most) {
                    best = Some((gain, boxed));
                }
            }
        }
        let (_, largest) = best?;
        let mut needed: Boxed = largest.iter().map(|groups| vec![false; groups.len()]).collect();
        open.retain(|&cell| {
            let inside = cells.inside(&largest, cell);
            for (axis, groups) in needed.iter_mut().enumerate().filter(|_| inside) {
                groups[cells.group(cell, axis)] = true;
            }
            !inside
        });
        boxes.push(BoxChoice { largest, needed });
    }
    Some(boxes)
}

struct BoxCells<'a> {
    grid: &'a Grid,
    class: ClassId,
    strides: Vec<usize>,
}

impl<'a> BoxCells<'a> {
    fn new(grid: &'a Grid, class: ClassId) -> Self {
        let mut strides = vec![1; grid.groups.len()];
        for axis in (1..strides.len()).rev() {
            strides[axis - 1] = strides[axis] * grid.groups[axis].len();
        }
        Self { grid, class, strides }
    }

    fn group(&self, cell: usize, axis: usize) -> usize {
        cell / self.strides[axis] % self.grid.groups[axis].len()
    }

    fn inside(&self, boxed: &Boxed, cell: usize) -> bool {
        boxed.iter().enumerate().all(|(axis, groups)| groups[self.group(cell, axis)])
    }

    /// Grows a cell to a box that cannot be larger, first along one axis, then along those after it in turn.
    fn grow(&self, seed: usize, first: usize) -> Boxed {
        let axes = self.strides.len();
        let mut members = vec![seed];
        let mut boxed: Boxed = self.grid.groups.iter().map(|groups| vec![false; groups.len()]).collect();
        for axis in (first..first + axes).map(|axis| axis % axes) {
            let at = self.group(seed, axis);
            let mut grown = Vec::new();
            for (group, taken) in boxed[axis].iter_mut().enumerate() {
                let moved = |&cell: &usize| cell - at * self.strides[axis] + group * self.strides[axis];
                if members.iter().all(|cell| self.grid.classes[moved(cell)] == self.class) {
                    *taken = true;
                    grown.extend(members.iter().map(moved));
                }
            }
            members = grown;
        }
        boxed
    }
}
