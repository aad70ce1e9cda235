//! Largest packet store that a table of times may need.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Limit on the ages in the table, and so on the packet store of the routers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
#[serde(rename_all = "kebab-case")]
#[schemars(rename = "Store")]
pub enum StoreMode {
    /// Age 1 everywhere: what comes in goes on in the next step or never. Searched for patiently (seconds).
    None,
    /// Age 1, except that at most 2^d - 1 entries of the table (3 in two dimensions) read a packet that came in earlier.
    /// Closed form on squares, fewest runs.
    Few,
    /// Any age. The least store that is found quickly is taken: none, then a few re-reads, then any.
    #[default]
    Any,
}

impl fmt::Display for StoreMode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::None => "none",
            Self::Few => "few",
            Self::Any => "any",
        })
    }
}
