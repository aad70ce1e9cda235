//! The hamiltonian cycles of a torus of two axes: its rule, and the places in closed form, by the parities of the sides.
//!
//! For m even and n odd, and for n = 3, read the torus the other way round.

use super::linear::{B, H, K, Linear, M, N};
use super::places::{BlockPhase, NodeLine, at, blocks, down, left, once, right, up};

/// A kind of sides, and the places of both cycles there.
#[derive(Clone, Debug)]
pub struct PlaneSides {
    /// For file names: `odd-even`.
    pub name: &'static str,
    /// Description in words.
    pub what: &'static str,
    /// m in terms of k.
    pub rows: Linear,
    /// n in terms of h.
    pub columns: Linear,
    /// Smallest k and h.
    pub sizes: [&'static str; 2],
    /// Rule for the switched squares, in SMT-LIB.
    pub switched: String,
    /// The phases of cycles 0 and 1.
    pub cycles: [Vec<BlockPhase>; 2],
}

/// A chain of squares along the first rows joins all columns, one along the first columns joins all rows.
const SWITCHED_FOR_EVEN_COLUMNS: &str = "(or (and (= i 0) (odd j) (not (= j (- n 1)))) \
     (and (= i 1) (not (odd j)) (not (= j 0))) (and (= j 0) (not (odd i)) (not (= i 0))) \
     (and (= j 1) (odd i) (not (= i 1)) (not (= i (- m 1)))))";
const SWITCHED_FOR_ODD_COLUMNS: &str =
    "(and (not (odd (+ i j))) (not (= i (- m 1))) (not (= j (- n 1))) (or (<= i 1) (<= j 1)))";

/// Every kind of sides.
pub fn all() -> [PlaneSides; 4] {
    [odd_even(), even_even(), odd_odd(), three_odd()]
}

/// Down a column's first rows and back up the one before it.
fn pair_of_columns(column: Linear) -> [NodeLine; 2] {
    [down(column, 0, 2), up(column - 1, 2, 0)]
}

/// From column 0 round a row to the left, and back by the next one.
fn pair_of_rows(row: Linear) -> [NodeLine; 4] {
    [at(row, 0), left(row, N - 1, 2), right(row + 1, 2, N - 1), at(row + 1, 0)]
}

/// Down a column from row 2, over row 0, and up another one.
fn over_the_top(column: Linear, other: Linear) -> [NodeLine; 4] {
    [down(column, 2, M - 1), at(0, column), at(0, other), up(other, M - 1, 2)]
}

fn odd_even() -> PlaneSides {
    PlaneSides {
        name: "odd-even",
        what: "m odd and at least 3, n even and at least 4",
        rows: K * 2 + 1,
        columns: H * 2,
        sizes: ["(>= k 1)", "(>= h 2)"],
        switched: SWITCHED_FOR_EVEN_COLUMNS.into(),
        cycles: [
            vec![
                once([right(0, 0, 2)]),
                blocks(K - 1, [left(M - 1 - B * 2, 2, 0), right(M - 2 - B * 2, 0, 2)]),
                once([at(2, 2)]),
                blocks(H - 2, over_the_top(B * 2 + 3, B * 2 + 4)),
                once([down(N - 1, 2, M - 1), at(0, N - 1), at(1, N - 1)]),
                once([left(1, N - 2, 1)]),
                once([at(2, 1), at(2, 0), at(1, 0)]),
            ],
            vec![
                once([at(0, 0), at(0, N - 1)]),
                blocks(H - 2, pair_of_columns(N - 2 - B * 2)),
                once([down(2, 0, 2)]),
                once([down(1, 2, M - 1), at(0, 1), at(1, 1)]),
                once([at(1, 0), at(1, N - 1), at(2, N - 1), at(2, 0)]),
                blocks(K - 1, pair_of_rows(B * 2 + 3)),
            ],
        ],
    }
}

fn even_even() -> PlaneSides {
    PlaneSides {
        name: "even-even",
        what: "both even and at least 4",
        rows: K * 2,
        columns: H * 2,
        sizes: ["(>= k 2)", "(>= h 2)"],
        switched: SWITCHED_FOR_EVEN_COLUMNS.into(),
        cycles: [
            vec![
                once([down(0, 0, 2), at(2, 1)]),
                once([right(1, 1, N - 1)]),
                once([at(0, N - 1), up(N - 1, M - 1, 2)]),
                blocks(H - 2, over_the_top(N - 2 - B * 2, N - 3 - B * 2)),
                once([at(2, 2)]),
                blocks(K - 2, [left(B * 2 + 3, 2, 0), right(B * 2 + 4, 0, 2)]),
                once([at(M - 1, 2), at(0, 2), at(0, 1), at(M - 1, 1), at(M - 1, 0)]),
            ],
            vec![
                once([at(0, 0), at(0, 1), at(1, 1), at(1, 0), at(1, N - 1), at(2, N - 1), at(2, 0)]),
                blocks(K - 2, pair_of_rows(B * 2 + 3)),
                once([at(M - 1, 0), left(M - 1, N - 1, 1)]),
                once([up(1, M - 2, 2)]),
                blocks(H - 2, [up(B * 2 + 2, 2, 0), down(B * 2 + 3, 0, 2)]),
                once([up(N - 2, 2, 0), at(0, N - 1)]),
            ],
        ],
    }
}

fn odd_odd() -> PlaneSides {
    PlaneSides {
        name: "odd-odd",
        what: "both odd and at least 5",
        rows: K * 2 + 1,
        columns: H * 2 + 1,
        sizes: ["(>= k 2)", "(>= h 2)"],
        switched: SWITCHED_FOR_ODD_COLUMNS.into(),
        cycles: [
            along_the_columns_of_odd_sides(),
            vec![
                once([at(0, 0), at(0, N - 1)]),
                blocks(H - 1, pair_of_columns(N - 2 - B * 2)),
                once([down(1, 0, M - 1)]),
                once([at(M - 1, 0), left(M - 1, N - 1, 2)]),
                blocks(
                    K - 2,
                    [
                        right(M - 2 - B * 2, 2, N - 1),
                        at(M - 2 - B * 2, 0),
                        at(M - 3 - B * 2, 0),
                        left(M - 3 - B * 2, N - 1, 2),
                    ],
                ),
                once([right(3, 2, N - 1), at(3, 0)]),
                once([at(2, 0), at(2, N - 1), at(1, N - 1), at(1, 0)]),
            ],
        ],
    }
}

fn along_the_columns_of_odd_sides() -> Vec<BlockPhase> {
    let (column, other) = (B * 2 + 3, B * 2 + 4);
    vec![
        once([at(0, 0), at(0, 1), at(M - 1, 1), at(M - 1, 2), at(0, 2)]),
        blocks(H - 2, [at(0, column), up(column, M - 1, 2), down(other, 2, M - 1), at(0, other)]),
        once([at(0, N - 2), up(N - 2, M - 1, 2)]),
        once([down(N - 1, 2, M - 1), at(0, N - 1), at(1, N - 1)]),
        once([left(1, N - 2, 0)]),
        blocks(K - 1, [right(B * 2 + 2, 0, 2), left(B * 2 + 3, 2, 0)]),
        once([at(M - 1, 0)]),
    ]
}

fn three_odd() -> PlaneSides {
    PlaneSides {
        name: "three-odd",
        what: "m = 3, n odd and at least 5",
        rows: Linear::from(3),
        columns: H * 2 + 1,
        sizes: ["(= k 1)", "(>= h 2)"],
        switched: SWITCHED_FOR_ODD_COLUMNS.into(),
        cycles: [
            along_the_columns_of_odd_sides(),
            vec![
                once([at(0, 0), at(0, N - 1)]),
                blocks(H - 1, pair_of_columns(N - 2 - B * 2)),
                once([down(1, 0, 2)]),
                once([at(2, 0), at(2, N - 1), at(1, N - 1), at(1, 0)]),
            ],
        ],
    }
}
