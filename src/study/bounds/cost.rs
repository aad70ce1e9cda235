//! Section 5: what steps cost when a transfer of s' bytes takes s'/s + r, and the paper's Table 2.

/// The numbers for 1/3 and 1/6.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fractions {
    /// Exact fractions, 1/3 and 1/6.
    Exact,
    /// Rounded fractions of the paper's table: .333 and .1666.
    Printed,
}

impl Fractions {
    fn one_over(self, number: u32) -> f64 {
        match (self, number) {
            (Self::Printed, 3) => 0.333,
            (Self::Printed, 6) => 0.1666,
            _ => 1.0 / f64::from(number),
        }
    }
}

/// Steps in which every node sends packets of a `share` s'/s of its data, with start-up time `r`.
pub fn time(steps: f64, share: f64, r: f64) -> f64 {
    steps * (share + r)
}

/// `T_stv`: one packet per node, the optimal algorithm of Šoch and Tvrdík, `n^d / (2d)` steps.
pub fn t_stv(n: u32, d: u32, r: f64, fractions: Fractions) -> f64 {
    time(power(n, d) * fractions.one_over(2 * d), 1.0, r)
}

/// `T_opt`: section 3, d packets per node, `n^d / 2` steps.
pub fn t_opt(n: u32, d: u32, r: f64, fractions: Fractions) -> f64 {
    time(power(n, d) / 2.0, fractions.one_over(d), r)
}

/// `T_one`: section 4, one packet per node, `n^(d-1) / 2 (n/d + 1)` steps.
pub fn t_one(n: u32, d: u32, r: f64, fractions: Fractions) -> f64 {
    time(power(n, d - 1) / 2.0 * (f64::from(n) * fractions.one_over(d) + 1.0), 1.0, r)
}

fn power(n: u32, d: u32) -> f64 {
    f64::from(n).powi(d.cast_signed())
}

/// One cell of Table 2.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CostCell {
    /// Side of the torus.
    pub n: u32,
    /// The number of axes.
    pub d: u32,
    /// The normalized start-up time.
    pub r: f64,
    /// Printed values: the algorithm of \[14\], section 3, section 4.
    pub printed: [u32; 3],
}

impl CostCell {
    /// The three entries recomputed and rounded.
    pub fn computed(&self, fractions: Fractions) -> [u32; 3] {
        #[expect(clippy::cast_sign_loss, reason = "times are positive")]
        [t_stv, t_opt, t_one].map(|time| time(self.n, self.d, self.r, fractions).round() as u32)
    }
}

/// Table 2 as printed, row by row.
pub const TABLE_2: [CostCell; 18] = {
    const fn cell(n: u32, d: u32, r: f64, printed: [u32; 3]) -> CostCell {
        CostCell { n, d, r, printed }
    }
    [
        cell(4, 2, 0.01, [4, 4, 6]),
        cell(4, 3, 0.01, [11, 11, 19]),
        cell(4, 2, 0.1, [4, 5, 7]),
        cell(4, 3, 0.1, [12, 14, 21]),
        cell(4, 2, 1.0, [8, 12, 12]),
        cell(4, 3, 1.0, [21, 43, 37]),
        cell(16, 2, 0.01, [65, 65, 73]),
        cell(16, 3, 0.01, [689, 702, 818]),
        cell(16, 2, 0.1, [70, 77, 79]),
        cell(16, 3, 0.1, [751, 887, 891]),
        cell(16, 2, 1.0, [128, 192, 144]),
        cell(16, 3, 1.0, [1365, 2730, 1620]),
        cell(64, 2, 0.01, [1034, 1044, 1067]),
        cell(64, 3, 0.01, [44_110, 44_958, 46_152]),
        cell(64, 2, 0.1, [1126, 1229, 1162]),
        cell(64, 3, 0.1, [48_041, 56_754, 50_264]),
        cell(64, 2, 1.0, [2048, 3072, 2112]),
        cell(64, 3, 1.0, [87_346, 174_719, 91_390]),
    ]
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn table_2_was_computed_with_rounded_fractions() {
        for cell in TABLE_2 {
            assert_eq!(cell.computed(Fractions::Printed), cell.printed, "{cell:?}");
        }
    }

    #[test]
    fn table_2_is_exact_for_two_axes_and_for_side_4() {
        for cell in TABLE_2.iter().filter(|cell| cell.d == 2 || cell.n == 4) {
            assert_eq!(cell.computed(Fractions::Exact), cell.printed, "{cell:?}");
        }
    }

    #[test]
    fn table_2_recomputed_for_three_axes() {
        let cells = TABLE_2.iter().filter(|cell| cell.d == 3 && cell.n > 4);
        let exact: Vec<_> = cells.map(|cell| cell.computed(Fractions::Exact)).collect();
        assert_eq!(
            exact,
            [
                [689, 703, 819],
                [751, 887, 892],
                [1365, 2731, 1621],
                [44_128, 45_001, 46_196],
                [48_060, 56_798, 50_313],
                [87_381, 174_763, 91_477],
            ]
        );
    }
}
