//! Why a scheme cannot serve a torus, and what would.

use thiserror::Error;

use super::{Choice, Scheme, auto, nearest};
use crate::net::{Sides, Torus};
use crate::paths::supply::SupplyError;
use crate::schemes::Unmet;

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
                let auto = Torus::new(dims).ok().and_then(|torus| auto::choose(&torus, Choice::default(), "any").ok());
                let auto = auto.map_or("no time-independent scheme applies here".to_owned(), |(_, reason)| {
                    format!("`scheme: auto` would take {}", reason.scheme)
                });
                match nearest_sizes(*scheme, dims) {
                    Some(sizes) => format!("the nearest sizes are {sizes}; {auto}"),
                    None => auto,
                }
            }
            Self::Supply { .. } => "`switching: memory` and `switching: none` work wherever the scheme applies".into(),
            Self::NoScheme { dims } => {
                let list = "`torusweave schemes` lists every scheme with its condition";
                match nearest_sizes(Scheme::Auto, dims) {
                    Some(sizes) => format!("the nearest sizes are {sizes}; {list}"),
                    None => list.to_owned(),
                }
            }
        }
    }
}

/// The sizes nearest to one that a scheme refuses, in words.
fn nearest_sizes(scheme: Scheme, dims: &[u32]) -> Option<String> {
    let sizes: Vec<String> = nearest::sizes(scheme, dims).iter().map(|dims| Sides(dims).to_string()).collect();
    (!sizes.is_empty()).then(|| sizes.join(", "))
}
