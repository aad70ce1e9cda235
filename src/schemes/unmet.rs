//! Why a construction does not apply.

use thiserror::Error;

use crate::paths::supply::SupplyError;

/// Why a construction does not apply to a torus.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("{scheme} needs {needs}")]
pub struct Unmet {
    /// The scheme.
    pub scheme: &'static str,
    /// Its condition, in the papers' letters.
    pub needs: &'static str,
}

/// Why a construction yields no program.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ConstructError {
    /// It does not apply to the torus.
    #[error(transparent)]
    Unmet(#[from] Unmet),
    /// It applies, but not with this switching.
    #[error(transparent)]
    Supply(#[from] SupplyError),
}
