//! Why a construction does not apply.

use thiserror::Error;

use crate::paths::supply::SupplyError;

/// Requirement of a scheme that is not met.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("needs {needs}")]
pub struct Unmet {
    /// Condition in the papers' letters.
    pub needs: &'static str,
}

/// Why a construction yields no program.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ConstructError {
    /// The scheme does not apply to the network.
    #[error(transparent)]
    Unmet(#[from] Unmet),
    /// The scheme applies, but not with this switching.
    #[error(transparent)]
    Supply(#[from] SupplyError),
}
