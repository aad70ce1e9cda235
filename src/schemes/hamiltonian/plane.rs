//! Two edge-disjoint Hamiltonian cycles of `C_m` x `C_n`, m and n at least 3, in closed form.
//!
//! For m even and n odd, read the plane the other way round.
//!
//! Give every column to cycle 0 and every row to cycle 1, then *switch* some squares: the two row links and the two
//! column links of a unit square trade cycles. No two of the squares share a link. Only the first three rows and
//! columns and the wrap row of odd m take part, so that all other nodes are passed straight.

/// `C_m` x `C_n` with rows i < m and columns j < n.
#[derive(Clone, Copy, Debug)]
pub struct Plane {
    rows: usize,
    columns: usize,
}

impl Plane {
    /// A plane of at least 3 rows and 3 columns, the columns even if the rows are.
    pub fn new(rows: usize, columns: usize) -> Self {
        debug_assert!(rows >= 3 && columns >= 3 && (rows % 2 == 1 || columns.is_multiple_of(2)));
        Self { rows, columns }
    }

    /// The cycle, 0 or 1, of the link from (i, j) to (i, j + 1).
    pub fn along_row(self, i: usize, j: usize) -> u8 {
        let above = before(i, self.rows);
        1 - u8::from(self.switched(i, j) || self.switched(above, j))
    }

    /// The cycle, 0 or 1, of the link from (i, j) to (i + 1, j).
    pub fn along_column(self, i: usize, j: usize) -> u8 {
        let left = before(j, self.columns);
        u8::from(self.switched(i, j) || self.switched(i, left))
    }

    /// Returns true if the square whose smallest corner is (i, j) is switched.
    fn switched(self, i: usize, j: usize) -> bool {
        let (m, n) = (self.rows, self.columns);
        if n.is_multiple_of(2) {
            switched_for_even_columns(m, n, i, j)
        } else {
            (i + j).is_multiple_of(2) && i + 1 != m && j + 1 != n && i.min(j) <= 1
        }
    }
}

/// A chain of squares along the first rows joins all columns, one along the first columns joins all rows.
fn switched_for_even_columns(m: usize, n: usize, i: usize, j: usize) -> bool {
    match (i, j) {
        (0, _) if j % 2 == 1 => j + 1 != n,
        (1, _) if j.is_multiple_of(2) => j != 0,
        (_, 0) if i.is_multiple_of(2) => i != 0,
        (_, 1) if i % 2 == 1 => i != 1 && i + 1 != m,
        _ => false,
    }
}

fn before(index: usize, length: usize) -> usize {
    if index == 0 { length - 1 } else { index - 1 }
}
