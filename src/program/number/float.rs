//! Floats in software: a sign, an exponent and a fraction; sums are rounded to the nearest, ties to even.

/// A format of floats.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Float {
    /// Bits of the exponent.
    pub exponent: u32,
    /// Bits of the fraction.
    pub fraction: u32,
}

/// Bits below the fraction in which a sum is formed. What is shifted out of them is joined to the lowest one: it is needed to
/// tell less than half from half, and half from more.
const BELOW: u32 = 64;

impl Float {
    const fn sign(self) -> u32 {
        1 << (self.exponent + self.fraction)
    }

    /// Bits of positive infinity.
    pub const fn infinity(self) -> u32 {
        ((1 << self.exponent) - 1) << self.fraction
    }

    /// The one NaN that sums, maxima and minima give: positive and quiet.
    pub const fn nan(self) -> u32 {
        self.infinity() | 1 << (self.fraction - 1)
    }

    /// Returns true if the bits are a NaN.
    pub const fn is_nan(self, bits: u32) -> bool {
        bits & !self.sign() > self.infinity()
    }

    const fn is_infinite(self, bits: u32) -> bool {
        bits & !self.sign() == self.infinity()
    }

    /// The value as a combination gives it: the one NaN for every NaN; a zero of its sign for a subnormal value if they are flushed.
    pub const fn settled(self, bits: u32, flush: bool) -> u32 {
        if self.is_nan(bits) {
            self.nan()
        } else if flush && bits & self.infinity() == 0 {
            bits & self.sign()
        } else {
            bits
        }
    }

    /// The exponent of the lowest bit of a fraction, and the fraction with the bit before its point.
    const fn parts(self, bits: u32) -> (u32, u32) {
        let (exponent, fraction) = ((bits & self.infinity()) >> self.fraction, bits & ((1 << self.fraction) - 1));
        if exponent == 0 { (1, fraction) } else { (exponent, fraction | 1 << self.fraction) }
    }

    /// The sum, rounded to the nearest, ties to even. Of opposite values it is positive zero.
    pub fn sum(self, one: u32, other: u32, flush: bool) -> u32 {
        let (one, other) = (self.settled(one, flush), self.settled(other, flush));
        let are_opposite = (one ^ other) & self.sign() != 0;
        if self.is_nan(one) || self.is_nan(other) {
            return self.nan();
        }
        if self.is_infinite(one) || self.is_infinite(other) {
            let both = self.is_infinite(one) && self.is_infinite(other);
            return match () {
                () if both && are_opposite => self.nan(),
                () if self.is_infinite(one) => one,
                () => other,
            };
        }
        let is_less = one & !self.sign() < other & !self.sign();
        let (larger, lesser) = if is_less { (other, one) } else { (one, other) };
        let ((exponent, large), (below, small)) = (self.parts(larger), self.parts(lesser));
        let large = u128::from(large) << BELOW;
        let small = joined_shift(u128::from(small) << BELOW, exponent - below);
        let sum = if are_opposite { large - small } else { large + small };
        if sum == 0 {
            return one & other & self.sign();
        }
        self.settled(larger & self.sign() | self.rounded(exponent, sum), flush)
    }

    /// The float nearest to a sum whose lowest bit stands [`BELOW`] that of a fraction of this exponent.
    fn rounded(self, exponent: u32, sum: u128) -> u32 {
        let highest = u128::BITS - 1 - sum.leading_zeros();
        // a subnormal value has its lowest bit where the smallest exponent has it
        let dropped = highest.saturating_sub(self.fraction).max((BELOW + 1).saturating_sub(exponent));
        let (kept, rest, half) = (sum >> dropped, sum & ((1 << dropped) - 1), 1 << (dropped - 1));
        let is_up = rest > half || rest == half && kept & 1 == 1;
        let fraction = kept as u32 + u32::from(is_up);
        if fraction < 1 << self.fraction {
            return fraction;
        }
        // one more in the fraction than fits is one more in the exponent
        let bits = ((exponent + dropped - BELOW) << self.fraction) + (fraction - (1 << self.fraction));
        bits.min(self.infinity())
    }

    /// The float nearest to a value, ties to even.
    pub fn nearest(self, value: f64) -> u32 {
        let minus = if value.is_sign_negative() { self.sign() } else { 0 };
        if value.is_nan() {
            return self.nan();
        }
        let bits = value.to_bits();
        let (power, digits) = ((bits >> 52 & 0x7ff) as i32, bits & ((1 << 52) - 1));
        let bias = (1 << (self.exponent - 1)) - 1;
        // subnormal in 64 bits is far below the smallest value of fewer bits
        let exponent = (power - 1023 + bias).max(1);
        if power == 0 || exponent > (1 << self.exponent) - 2 {
            return minus | if power == 0 { 0 } else { self.infinity() };
        }
        let size = u128::from(digits | 1 << 52) << (BELOW + self.fraction - 52);
        let sum = joined_shift(size, (exponent - (power - 1023 + bias)).unsigned_abs());
        minus | self.rounded(exponent.unsigned_abs(), sum)
    }

    /// The value of a float of at most 32 bits.
    pub fn value(self, bits: u32) -> f64 {
        let minus = u64::from(bits & self.sign() != 0) << 63;
        if self.is_nan(bits) || self.is_infinite(bits) {
            return f64::from_bits(minus | if self.is_nan(bits) { 0x7ff8 << 48 } else { 0x7ff0 << 48 });
        }
        let (exponent, digits) = self.parts(bits);
        let bias = (1 << (self.exponent - 1)) - 1;
        let lowest = i64::from(exponent) - bias - i64::from(self.fraction);
        let size = f64::from(digits) * f64::from_bits((lowest + 1023).unsigned_abs() << 52);
        f64::from_bits(minus | size.to_bits())
    }

    /// The larger of two, or the NaN; positive zero is larger than negative zero.
    pub fn larger(self, one: u32, other: u32) -> u32 {
        self.chosen(one, other, self.place(one) < self.place(other))
    }

    /// The smaller of two, or the NaN.
    pub fn smaller(self, one: u32, other: u32) -> u32 {
        self.chosen(one, other, self.place(other) < self.place(one))
    }

    fn chosen(self, one: u32, other: u32, takes_other: bool) -> u32 {
        match () {
            () if self.is_nan(one) || self.is_nan(other) => self.nan(),
            () if takes_other => other,
            () => one,
        }
    }

    /// A number that grows as values do.
    const fn place(self, bits: u32) -> u32 {
        if bits & self.sign() == 0 { bits | self.sign() } else { (self.sign() << 1).wrapping_sub(1) & !bits }
    }
}

/// Shifts right; whether anything but zeros was shifted out is joined to the lowest bit.
fn joined_shift(value: u128, by: u32) -> u128 {
    let shifted = value.checked_shr(by).unwrap_or(0);
    let is_exact = by < u128::BITS && shifted << by == value;
    shifted | u128::from(!is_exact && value != 0)
}
