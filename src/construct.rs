//! The constructions, one file each: from a torus to a cover by cycles, or straight to a program.

pub mod optimal;
pub mod staircase;
pub mod weave;

use thiserror::Error;

/// Why a construction does not apply to a torus.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("{scheme} needs {needs}")]
pub struct Unmet {
    /// The scheme.
    pub scheme: &'static str,
    /// Its condition, in the papers' letters.
    pub needs: &'static str,
}
