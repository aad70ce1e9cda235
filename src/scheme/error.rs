//! Why a scheme cannot serve a torus, and what would.

use thiserror::Error;

use super::{Choice, Scheme, auto, nearest};
use crate::construct::Unmet;
use crate::supply::SupplyError;
use crate::torus::{Sides, Torus};

/// Why a scheme cannot serve a torus.
#[derive(Debug, Error)]
pub enum SchemeError {
    /// Its condition is not met.
    #[error("scheme {unmet}; the torus is {}", Sides(dims))]
    Unmet {
        /// The scheme.
        scheme: Scheme,
        /// Its condition.
        unmet: Unmet,
        /// The sides of the torus.
        dims: Vec<u32>,
    },
    /// It does not go together with the switching asked for.
    #[error("scheme {scheme} on a {torus} torus: {error}")]
    Supply {
        /// The scheme.
        scheme: Scheme,
        /// The torus.
        torus: Torus,
        /// The reason.
        error: SupplyError,
    },
    /// No scheme applies.
    #[error("no time-independent scheme applies to a {} torus", Sides(dims))]
    NoScheme {
        /// The sides of the torus.
        dims: Vec<u32>,
    },
}

impl SchemeError {
    /// What to do about it.
    pub fn help(&self) -> String {
        match self {
            Self::Unmet { scheme, dims, .. } => {
                let sizes: Vec<String> =
                    nearest::sizes(*scheme, dims).iter().map(|dims| Sides(dims).to_string()).collect();
                let auto = Torus::new(dims).ok().and_then(|torus| auto::choose(&torus, Choice::default(), "any").ok());
                let auto = auto.map_or("no time-independent scheme applies here".to_owned(), |chosen| {
                    format!("`scheme: auto` would take {}", chosen.scheme)
                });
                match sizes.as_slice() {
                    [] => auto,
                    sizes => format!("the nearest sizes are {}; {auto}", sizes.join(", ")),
                }
            }
            Self::Supply { .. } => "`switching: memory` and `switching: none` work wherever the scheme applies".into(),
            Self::NoScheme { .. } => "`torusweave schemes` lists every scheme with its condition".into(),
        }
    }
}
