//! Numbers that a reduction combines: words without a sign, integers and floats.

mod arithmetic;
mod float;
mod text;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Operation;

pub use arithmetic::Arithmetic;
pub use float::Float;

/// Type of the values of a reduction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
#[serde(rename_all = "kebab-case")]
pub enum Number {
    /// Words without a sign, of any width.
    #[default]
    Word,
    /// Integers without a sign, of 32 bits.
    U32,
    /// Integers with a sign, of 32 bits, in two's complement.
    I32,
    /// Floats of IEEE 754 of 32 bits.
    F32,
    /// The upper half of such a float: 8 bits of exponent, 7 of fraction.
    Bf16,
    /// Floats of IEEE 754 of 16 bits: 5 bits of exponent, 10 of fraction.
    F16,
}

impl Number {
    /// Every kind of number.
    pub const ALL: [Self; 6] = [Self::Word, Self::U32, Self::I32, Self::F32, Self::Bf16, Self::F16];

    /// Name in a config.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Word => "word",
            Self::U32 => "u32",
            Self::I32 => "i32",
            Self::F32 => "f32",
            Self::Bf16 => "bf16",
            Self::F16 => "f16",
        }
    }

    /// Bits of a value; none if any number will do.
    pub const fn width(self) -> Option<u32> {
        match self {
            Self::Word => None,
            Self::U32 | Self::I32 | Self::F32 => Some(32),
            Self::Bf16 | Self::F16 => Some(16),
        }
    }

    /// Exponent and fraction, if it is a float.
    pub const fn float(self) -> Option<Float> {
        match self {
            Self::F32 => Some(Float { exponent: 8, fraction: 23 }),
            Self::Bf16 => Some(Float { exponent: 8, fraction: 7 }),
            Self::F16 => Some(Float { exponent: 5, fraction: 10 }),
            Self::Word | Self::U32 | Self::I32 => None,
        }
    }

    /// Returns true if it is compared with its sign.
    pub const fn is_signed(self) -> bool {
        !matches!(self, Self::Word | Self::U32)
    }

    /// Returns true if the operation applies: bit by bit only where bits have no other meaning.
    pub const fn allows(self, operation: Operation) -> bool {
        !self.is_signed() || matches!(operation, Operation::Sum | Operation::Max | Operation::Min)
    }
}

impl std::fmt::Display for Number {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(self.name())
    }
}
