//! Why a construction does not apply.

use thiserror::Error;

use crate::paths::supply::SupplyError;

/// What a scheme needs and does not find.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("needs {needs}")]
pub struct Unmet {
    /// Its condition, in the papers' letters.
    pub needs: &'static str,
}

/// Why a construction yields no program.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ConstructError {
    /// It does not apply to the network.
    #[error(transparent)]
    Unmet(#[from] Unmet),
    /// It applies, but not with this switching.
    #[error(transparent)]
    Supply(#[from] SupplyError),
}
