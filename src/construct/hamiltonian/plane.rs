//! Two edge-disjoint Hamiltonian cycles of `C_m` x `C_n`, m and n at least 3, in closed form.
//!
//! Give every row to cycle 0 and every column to cycle 1, then *switch* some squares: the two row links and the two
//! column links of a unit square trade cycles. No two of the squares share a link. Only the first three rows and
//! columns and the wrap row of odd m take part, so that all other nodes are passed straight.

/// `C_m` x `C_n` with rows i < m and columns j < n.
#[derive(Clone, Copy, Debug)]
pub struct Plane {
    rows: usize,
    columns: usize,
}

impl Plane {
    /// A plane of at least 3 rows and 3 columns.
    pub fn new(rows: usize, columns: usize) -> Self {
        debug_assert!(rows >= 3 && columns >= 3);
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

    /// Whether the square whose smallest corner is (i, j) is switched.
    fn switched(self, i: usize, j: usize) -> bool {
        match (self.rows % 2, self.columns % 2) {
            (_, 0) => switched_for_even_columns(self.rows, self.columns, i, j),
            (0, _) => switched_for_even_columns(self.columns, self.rows, j, i),
            _ => (i + j).is_multiple_of(2) && i + 1 != self.rows && j + 1 != self.columns && i.min(j) <= 1,
        }
    }
}

/// A chain of squares along the first rows joins all columns, one along the first columns joins all rows.
fn switched_for_even_columns(m: usize, n: usize, i: usize, j: usize) -> bool {
    match (i, j) {
        (0, _) if j % 2 == 1 => j + 1 != n,
        (1, _) if j % 2 == 0 => j != 0,
        (_, 0) if i % 2 == 0 => i != 0,
        (_, 1) if i % 2 == 1 => i != 1 && i + 1 != m,
        _ => false,
    }
}

fn before(index: usize, length: usize) -> usize {
    if index == 0 { length - 1 } else { index - 1 }
}
