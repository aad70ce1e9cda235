//! Operations that combine two values.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Operation that combines two values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
#[serde(rename_all = "kebab-case")]
pub enum Operation {
    /// Sum modulo 2^width.
    Sum,
    /// The larger one.
    Max,
    /// The smaller one.
    Min,
    /// Bit by bit, whether they differ.
    Xor,
    /// Bit by bit, whether both are set.
    And,
    /// Bit by bit, whether one is set.
    Or,
    /// Combiner of your own, the module `NAME_combine`; a sum until you write one.
    Custom,
}

impl Operation {
    /// All operations, in the order of the help.
    pub const ALL: [Self; 7] = [Self::Sum, Self::Max, Self::Min, Self::Xor, Self::And, Self::Or, Self::Custom];

    /// Name in a config.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Sum => "sum",
            Self::Max => "max",
            Self::Min => "min",
            Self::Xor => "xor",
            Self::And => "and",
            Self::Or => "or",
            Self::Custom => "custom",
        }
    }

    /// Returns true if a value that is combined twice counts once.
    pub const fn is_idempotent(self) -> bool {
        !matches!(self, Self::Sum | Self::Xor | Self::Custom)
    }
}

impl std::fmt::Display for Operation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(self.name())
    }
}
