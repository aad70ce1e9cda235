//! A sublattice of Z^d in Hermite normal form: two points are one node if their difference is in it.

use super::NetworkError;

/// Rows in Hermite normal form: upper triangular, a positive diagonal, entries above a pivot smaller than it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lattice {
    rows: Vec<Vec<u32>>,
    is_diagonal: bool,
}

impl Lattice {
    /// Brings rows to Hermite normal form. Fails unless they are d rows of d integers and independent.
    pub fn new(rows: &[Vec<i64>]) -> Result<Self, NetworkError> {
        let axes = rows.len();
        if axes == 0 || axes > super::MAX_AXES {
            return Err(NetworkError::LatticeAxes { axes });
        }
        if let Some(row) = rows.iter().position(|row| row.len() != axes) {
            return Err(NetworkError::NotSquare { row: row + 1, entries: rows[row].len(), axes });
        }
        let too_large = || NetworkError::LatticeTooLarge { rows: rows.to_vec() };
        if let Some(row) = dependent_row(rows).map_err(|Overflow| too_large())? {
            return Err(NetworkError::Dependent { row: row + 1 });
        }
        let reduced = hermite(rows).ok_or_else(too_large)?;
        let narrow = |&entry: &i128| u32::try_from(entry).ok();
        let rows = reduced.iter().map(|row| row.iter().map(narrow).collect()).collect::<Option<Vec<Vec<u32>>>>();
        Ok(Self::of(rows.ok_or_else(too_large)?))
    }

    /// The lattice of a product of cycles: these sides on the diagonal.
    pub(super) fn diagonal(sides: &[u32]) -> Self {
        let row = |(axis, &side): (usize, &u32)| (0..sides.len()).map(|at| if at == axis { side } else { 0 }).collect();
        Self { rows: sides.iter().enumerate().map(row).collect(), is_diagonal: true }
    }

    fn of(rows: Vec<Vec<u32>>) -> Self {
        let is_zero = |(axis, row): (usize, &Vec<u32>)| row[axis + 1..].iter().all(|&entry| entry == 0);
        let is_diagonal = rows.iter().enumerate().all(is_zero);
        Self { rows, is_diagonal }
    }

    /// The rows in Hermite normal form.
    pub fn rows(&self) -> &[Vec<u32>] {
        &self.rows
    }

    /// Returns true if every axis closes onto itself: the torus of the diagonal's sides.
    pub fn is_diagonal(&self) -> bool {
        self.is_diagonal
    }

    /// The diagonal: sides of the box that holds one point of each node.
    pub(super) fn sides(&self) -> Vec<u32> {
        (0..self.rows.len()).map(|axis| self.rows[axis][axis]).collect()
    }

    /// Moves a point to the node's own in the box 0 <= `v_i` < `H_ii`.
    pub(super) fn reduce(&self, point: &mut [i64]) {
        for (axis, row) in self.rows.iter().enumerate() {
            let times = point[axis].div_euclid(i64::from(row[axis]));
            if times != 0 {
                for (x, &entry) in point[axis..].iter_mut().zip(&row[axis..]) {
                    *x -= times * i64::from(entry);
                }
            }
        }
    }

    /// Moves a point that is a few sides outside the box into it without a division.
    pub(super) fn reduce_near(&self, point: &mut [i64]) {
        for (axis, row) in self.rows.iter().enumerate() {
            let side = i64::from(row[axis]);
            while point[axis] >= side {
                point[axis..].iter_mut().zip(&row[axis..]).for_each(|(x, &entry)| *x -= i64::from(entry));
            }
            while point[axis] < 0 {
                point[axis..].iter_mut().zip(&row[axis..]).for_each(|(x, &entry)| *x += i64::from(entry));
            }
        }
    }
}

/// Position of the first row that depends on those before it, if any. Fails if an entry grows beyond 128 bits.
fn dependent_row(rows: &[Vec<i64>]) -> Result<Option<usize>, Overflow> {
    let mut basis: Vec<(usize, Vec<i128>)> = Vec::new();
    for (index, row) in rows.iter().enumerate() {
        let mut rest: Vec<i128> = row.iter().map(|&entry| i128::from(entry)).collect();
        for (pivot, known) in &basis {
            let (one, other) = (known[*pivot], rest[*pivot]);
            for (x, &entry) in rest.iter_mut().zip(known) {
                let (kept, taken) = (x.checked_mul(one).ok_or(Overflow)?, entry.checked_mul(other).ok_or(Overflow)?);
                *x = kept.checked_sub(taken).ok_or(Overflow)?;
            }
            let common = rest.iter().fold(0, |common, &x| greatest_divisor(common, x)).max(1);
            for x in &mut rest {
                *x /= common;
            }
        }
        let Some(pivot) = rest.iter().position(|&entry| entry != 0) else { return Ok(Some(index)) };
        basis.push((pivot, rest));
    }
    Ok(None)
}

fn greatest_divisor(a: i128, b: i128) -> i128 {
    if b == 0 { a.abs() } else { greatest_divisor(b, a % b) }
}

/// A number beyond 128 bits.
struct Overflow;

/// Hermite normal form of independent rows; none if an entry grows beyond 128 bits.
fn hermite(rows: &[Vec<i64>]) -> Option<Vec<Vec<i128>>> {
    let axes = rows.len();
    let mut rows: Vec<Vec<i128>> = rows.iter().map(|row| row.iter().map(|&x| i128::from(x)).collect()).collect();
    for axis in 0..axes {
        // Euclid's algorithm down the column
        loop {
            let least =
                (axis..axes).filter(|&row| rows[row][axis] != 0).min_by_key(|&row| rows[row][axis].unsigned_abs())?;
            rows.swap(axis, least);
            let (pivot, below) = rows[axis..].split_first_mut()?;
            for row in below.iter_mut() {
                let times = row[axis] / pivot[axis];
                subtract(row, times, pivot)?;
            }
            if below.iter().all(|row| row[axis] == 0) {
                break;
            }
        }
        if rows[axis][axis] < 0 {
            rows[axis].iter_mut().for_each(|x| *x = -*x);
        }
        let (above, from) = rows.split_at_mut(axis);
        for row in above {
            let times = row[axis].div_euclid(from[0][axis]);
            subtract(row, times, &from[0])?;
        }
    }
    Some(rows)
}

fn subtract(row: &mut [i128], times: i128, other: &[i128]) -> Option<()> {
    for (x, &y) in row.iter_mut().zip(other) {
        *x = x.checked_sub(times.checked_mul(y)?)?;
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(entries: &[&[i64]]) -> Vec<Vec<i64>> {
        entries.iter().map(|row| row.to_vec()).collect()
    }

    #[test]
    fn rows_come_to_hermite_normal_form() {
        let cases = [
            (rows(&[&[4, 0, 4], &[0, 4, 4], &[0, 0, 8]]), rows(&[&[4, 0, 4], &[0, 4, 4], &[0, 0, 8]])),
            (rows(&[&[0, 6], &[8, 0]]), rows(&[&[8, 0], &[0, 6]])),
            (rows(&[&[2, 3], &[4, -1]]), rows(&[&[2, 3], &[0, 7]])),
            (rows(&[&[-3, 1], &[1, 2]]), rows(&[&[1, 2], &[0, 7]])),
            (rows(&[&[1, 12], &[0, 5]]), rows(&[&[1, 2], &[0, 5]])),
            (rows(&[&[-9]]), rows(&[&[9]])),
        ];
        let widened = |lattice: &Lattice| -> Vec<Vec<i64>> {
            lattice.rows().iter().map(|row| row.iter().map(|&x| x.into()).collect()).collect()
        };
        for (given, expected) in cases {
            let lattice = Lattice::new(&given).unwrap();
            assert_eq!(widened(&lattice), expected, "{given:?}");
            assert_eq!(Lattice::new(&widened(&lattice)).unwrap(), lattice, "normal forms stay");
        }
    }

    #[test]
    fn a_point_and_its_sum_with_a_row_reduce_to_one_node() {
        let given = rows(&[&[3, 5, -2], &[1, -4, 2], &[0, 2, 6]]);
        let lattice = Lattice::new(&given).unwrap();
        for point in [[0, 0, 0], [1, 2, 3], [-7, 40, 11], [100, -100, 5]] {
            let mut node = point.to_vec();
            lattice.reduce(&mut node);
            assert!(node.iter().zip(lattice.sides()).all(|(&x, side)| (0..i64::from(side)).contains(&x)));
            for row in &given {
                let mut moved: Vec<i64> = point.iter().zip(row).map(|(x, y)| x + 3 * y).collect();
                let mut near = moved.clone();
                lattice.reduce(&mut moved);
                lattice.reduce_near(&mut near);
                assert_eq!((&moved, &near), (&node, &node), "{point:?} {row:?}");
            }
        }
    }

    #[test]
    fn rows_that_make_no_lattice_are_refused_by_name() {
        let new = |entries: &[&[i64]]| Lattice::new(&rows(entries)).unwrap_err();
        assert_eq!(new(&[]), NetworkError::LatticeAxes { axes: 0 });
        assert_eq!(new(&[&[4, 0], &[4]]), NetworkError::NotSquare { row: 2, entries: 1, axes: 2 });
        assert_eq!(new(&[&[4, 2], &[6, 3]]), NetworkError::Dependent { row: 2 });
        assert_eq!(new(&[&[1, 0, 0], &[0, 0, 0], &[0, 0, 1]]), NetworkError::Dependent { row: 2 });
        assert_eq!(new(&[&[1, 1, 0], &[0, 1, 1], &[1, 2, 1]]), NetworkError::Dependent { row: 3 });
        assert!(matches!(new(&[&[1 << 40]]), NetworkError::LatticeTooLarge { .. }));
    }
}
