//! The check of a unit that adds floats in every bench of one: sizes for `templates/tb/sums.v`.

use crate::netlist::FloatUnit;

/// Kinds of pairs that are added.
const KINDS: u32 = 8;
/// Pairs of each kind and gap.
const EACH: u32 = 4;
/// Gaps between two exponents, beside the bits of a fraction: beyond them one number is lost in the other.
const BEYOND: u32 = 5;

/// Unit that a bench tries alone, with sums that round, cancel and are subnormal.
pub struct Sums {
    /// Module of the unit.
    pub module: String,
    /// Bits of the exponent.
    pub exponent: u32,
    /// Bits of the fraction.
    pub fraction: u32,
    /// True if subnormal numbers count as zeros.
    pub flush: bool,
    /// Clocks from a pair to its sum.
    pub ticks: u32,
}

impl Sums {
    /// Check of a unit; none if it does not add floats.
    pub fn of(unit: Option<FloatUnit>, module: String) -> Option<Self> {
        let unit = unit.filter(FloatUnit::adds)?;
        let float = unit.number.float()?;
        let (exponent, fraction) = (float.exponent, float.fraction);
        Some(Self { module, exponent, fraction, flush: unit.flush, ticks: unit.ticks })
    }

    /// Bits of a float.
    pub fn width(&self) -> u32 {
        1 + self.exponent + self.fraction
    }

    /// Bit of the sign, as a number.
    pub fn sign(&self) -> u32 {
        1 << (self.width() - 1)
    }

    /// Bits of the fraction, set.
    pub fn mask(&self) -> u32 {
        (1 << self.fraction) - 1
    }

    /// Exponent of infinity.
    pub fn top(&self) -> u32 {
        (1 << self.exponent) - 1
    }

    /// Bits of positive infinity.
    pub fn infinity(&self) -> u32 {
        self.top() << self.fraction
    }

    /// Bits of a sum of two sizes, counted in the smallest subnormal number.
    pub fn exact(&self) -> u32 {
        (1 << self.exponent) + self.fraction
    }

    /// Number of pairs.
    pub fn count(&self) -> u32 {
        KINDS * EACH * (self.fraction + BEYOND)
    }
}
