//! The schemes: which fits which torus, why not, and what it builds.

mod nearest;

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::construct::{Unmet, staircase};
use crate::cover::Cover;
use crate::program::{Program, Title};
use crate::torus::{Sides, Torus};

/// A way to achieve a collective.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, clap::ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub enum Scheme {
    /// The time-independent scheme with the fewest steps a packet.
    #[default]
    Auto,
    /// Turns only: T<->R and B<->L (Meyer and Sibeyn, section 3.1).
    Staircase,
}

/// What a scheme is, in the words of the papers.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct About {
    /// Its name in a config.
    pub name: &'static str,
    /// The paper's section and theorem.
    pub theorem: &'static str,
    /// Which tori it applies to.
    pub condition: &'static str,
    /// How many packets a node contributes.
    pub packets: &'static str,
}

/// A program and, where it runs along cycles, the cycles.
#[derive(Clone, Debug)]
pub struct Woven {
    /// The program, for packets of one flit.
    pub program: Program,
    /// The cycles it runs along.
    pub cover: Option<Cover>,
}

/// Why a scheme cannot serve a torus.
#[derive(Debug, Error)]
pub enum SchemeError {
    /// Its condition is not met.
    #[error("scheme {unmet}; the torus is {}", Sides(dims))]
    Unmet {
        /// The scheme and its condition.
        unmet: Unmet,
        /// The torus.
        dims: Vec<u32>,
    },
    /// No scheme applies.
    #[error("no time-independent scheme applies to a {} torus", Sides(dims))]
    NoScheme {
        /// The torus.
        dims: Vec<u32>,
    },
}

impl SchemeError {
    /// What to do about it.
    pub fn help(&self) -> String {
        match self {
            Self::Unmet { unmet, dims } => {
                let scheme = Scheme::CONCRETE.into_iter().find(|scheme| scheme.about().name == unmet.scheme);
                let sizes = scheme.map(|scheme| nearest::sizes(scheme, dims)).unwrap_or_default();
                let sizes: Vec<String> = sizes.iter().map(|dims| Sides(dims).to_string()).collect();
                let auto = match Scheme::Auto.resolve(dims) {
                    Some(scheme) => format!("`scheme: auto` would take {scheme}"),
                    None => "no other scheme applies either".to_owned(),
                };
                match sizes.as_slice() {
                    [] => auto,
                    sizes => format!("the nearest sizes are {}; {auto}", sizes.join(", ")),
                }
            }
            Self::NoScheme { .. } => "`torusweave schemes` lists every scheme with its condition".into(),
        }
    }
}

impl Scheme {
    /// Every scheme but `auto`, in the order in which `auto` prefers them when they take equally long.
    pub const CONCRETE: [Self; 1] = [Self::Staircase];

    /// What the scheme is.
    pub fn about(self) -> About {
        match self {
            Self::Auto => About { name: "auto", theorem: "", condition: "some scheme applies", packets: "" },
            Self::Staircase => About {
                name: "staircase",
                theorem: "Meyer and Sibeyn, section 3.1, Theorem 2",
                condition: "two axes, n1 and n2 even",
                packets: "2",
            },
        }
    }

    /// Whether the scheme applies to a torus with these sides.
    pub fn fits(self, dims: &[u32]) -> bool {
        self.condition(dims).is_ok()
    }

    fn condition(self, dims: &[u32]) -> Result<(), Unmet> {
        match self {
            Self::Auto => {
                self.resolve(dims).map(|_| ()).ok_or(Unmet { scheme: "auto", needs: "a scheme that applies" })
            }
            Self::Staircase => staircase::fits(dims),
        }
    }

    /// The scheme itself, or the one that `auto` stands for on a torus with these sides.
    pub fn resolve(self, dims: &[u32]) -> Option<Self> {
        match self {
            Self::Auto => Self::CONCRETE.into_iter().find(|scheme| scheme.fits(dims)),
            scheme => Some(scheme),
        }
    }

    /// Builds the program.
    pub fn build(self, torus: &Torus, name: &str) -> Result<Woven, SchemeError> {
        let dims = torus.dims();
        let scheme = self.resolve(dims).ok_or_else(|| SchemeError::NoScheme { dims: dims.to_vec() })?;
        scheme.condition(dims).map_err(|unmet| SchemeError::Unmet { unmet, dims: dims.to_vec() })?;
        let title = Title { name: name.to_owned(), collective: "gossip".to_owned(), scheme: scheme.to_string() };
        let unmet = |unmet| SchemeError::Unmet { unmet, dims: dims.to_vec() };
        match scheme {
            Self::Auto => unreachable!("auto is resolved"),
            Self::Staircase => Ok(Woven {
                program: staircase::program(torus, title).map_err(unmet)?,
                cover: Some(staircase::cover(torus)),
            }),
        }
    }
}

impl fmt::Display for Scheme {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.about().name)
    }
}
