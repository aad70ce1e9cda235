//! Sums of multiples of a torus's sizes and of a block's number, written in SMT-LIB.

use std::fmt;
use std::ops::{Add, Mul, Sub};

/// Variable that a number can depend on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Symbol {
    /// half the rows, rounded down
    K,
    /// half the columns, rounded down
    H,
    /// number of rows
    M,
    /// number of columns
    N,
    /// index of the block
    B,
    /// the offset in the block
    O,
}

const SYMBOLS: [(Symbol, &str); 6] =
    [(Symbol::K, "k"), (Symbol::H, "h"), (Symbol::M, "m"), (Symbol::N, "n"), (Symbol::B, "b"), (Symbol::O, "o")];

/// A constant and multiples of symbols.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Linear {
    constant: i64,
    /// factors by [`Symbol`]
    factors: [i64; SYMBOLS.len()],
}

const fn symbol(symbol: Symbol) -> Linear {
    let mut factors = [0; SYMBOLS.len()];
    factors[symbol as usize] = 1;
    Linear { constant: 0, factors }
}

/// Half the rows, rounded down.
pub const K: Linear = symbol(Symbol::K);
/// Half the columns, rounded down.
pub const H: Linear = symbol(Symbol::H);
/// Number of rows.
pub const M: Linear = symbol(Symbol::M);
/// Number of columns.
pub const N: Linear = symbol(Symbol::N);
/// Index of the block.
pub const B: Linear = symbol(Symbol::B);
/// The offset in the block.
pub const O: Linear = symbol(Symbol::O);

impl From<i64> for Linear {
    fn from(constant: i64) -> Self {
        Self { constant, ..Self::default() }
    }
}

impl<T: Into<Self>> Add<T> for Linear {
    type Output = Self;

    fn add(self, other: T) -> Self {
        let other = other.into();
        let factors = std::array::from_fn(|symbol| self.factors[symbol] + other.factors[symbol]);
        Self { constant: self.constant + other.constant, factors }
    }
}

impl Mul<i64> for Linear {
    type Output = Self;

    fn mul(self, factor: i64) -> Self {
        Self { constant: self.constant * factor, factors: self.factors.map(|own| own * factor) }
    }
}

impl<T: Into<Self>> Sub<T> for Linear {
    type Output = Self;

    fn sub(self, other: T) -> Self {
        self + other.into() * -1
    }
}

/// A number in SMT-LIB, which has no negative ones.
fn number(value: i64) -> String {
    if value < 0 { format!("(- {})", value.unsigned_abs()) } else { value.to_string() }
}

impl fmt::Display for Linear {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let named = SYMBOLS.iter().map(|&(symbol, name)| (self.factors[symbol as usize], name));
        let mut terms: Vec<String> = named
            .filter(|&(factor, _)| factor != 0)
            .map(|(factor, name)| if factor == 1 { name.to_owned() } else { format!("(* {} {name})", number(factor)) })
            .collect();
        if self.constant != 0 || terms.is_empty() {
            terms.push(number(self.constant));
        }
        match terms.as_slice() {
            [one] => f.write_str(one),
            several => write!(f, "(+ {})", several.join(" ")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_are_written_in_smt_lib() {
        let written = |value: Linear| value.to_string();
        assert_eq!(written(N - 2 - B * 2), "(+ n (* (- 2) b) (- 2))");
        assert_eq!(written(K * 2 + 1 - K * 2), "1");
        assert_eq!(written(M - M), "0");
        assert_eq!(written(O - 3), "(+ o (- 3))");
        assert_eq!(written(H), "h");
    }
}
