//! The schemes: which fits which torus, why not, and what it builds.

mod auto;
mod axes;
mod error;
pub mod hamiltonian;
mod nearest;
pub mod optimal;
pub mod staircase;
mod unmet;
pub mod zigzag;

use std::fmt;

use clap::ValueEnum;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::net::{Topology, Torus};
use crate::paths::cover::Cover;
use crate::paths::supply::Switching;
use crate::program::{Program, Title};

pub use auto::Reason;
pub use error::SchemeError;
use optimal::Store;
pub use unmet::{ConstructError, Unmet};

/// A way to achieve a collective.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub enum Scheme {
    /// The time-independent scheme that takes the fewest steps.
    #[default]
    Auto,
    /// Two cycles, a turn at nearly every node: T<->R and B<->L (Meyer and Sibeyn, sections 3.1 and 3.2).
    Staircase,
    /// As many edge-disjoint Hamiltonian cycles as there are axes, and no packet twice anywhere (section 3.4).
    Hamiltonian,
    /// One packet a node: cycles that zigzag through a few rows and pass every other node within one link (section 4).
    Zigzag,
    /// One packet a node in ceil((P-1)/2d) steps, the fewest there are, by one table of times for all nodes.
    Optimal,
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

/// What there is to choose within a scheme.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Choice {
    /// What the supporters of off-cycle nodes do over time.
    pub switching: Switching,
    /// How much of a packet store the optimal scheme may need.
    pub store: Store,
    /// How many packets a node has to contribute, for `auto`.
    pub packets: Option<u16>,
}

/// What a construction yields.
#[derive(Clone, Debug)]
pub struct Woven {
    /// The program, for packets of one flit.
    pub program: Program,
    /// The cycles it runs along, if it does.
    pub cover: Option<Cover>,
    /// Why `auto` took this scheme, if it did.
    pub reason: Option<Reason>,
}

impl Scheme {
    /// Every scheme but `auto`.
    pub const CONCRETE: [Self; 4] = [Self::Staircase, Self::Hamiltonian, Self::Zigzag, Self::Optimal];

    /// What the scheme is.
    pub fn about(self) -> About {
        match self {
            Self::Auto => About {
                name: "auto",
                theorem: "the time-independent scheme that takes the fewest steps",
                condition: "a torus on which some time-independent scheme applies",
                packets: "as many as that scheme has",
            },
            Self::Staircase => About {
                name: "staircase",
                theorem: "Meyer and Sibeyn, sections 3.1 and 3.2, Theorems 2 and 3",
                condition: "two axes, n1 or n2 even",
                packets: "2",
            },
            Self::Hamiltonian => About {
                name: "hamiltonian",
                theorem: "Meyer and Sibeyn, section 3.4; Kotzig; Foregger; Aubert and Schneider",
                condition: "every n_i at least 3, or two axes with n1 and n2 even",
                packets: "d",
            },
            Self::Zigzag => About {
                name: "zigzag",
                theorem: "Meyer and Sibeyn, section 4, Theorems 5, 6 and 7",
                condition: "two axes; or three axes, two of them multiples of 3; or d >= 4 axes, d | n1 | n2 | ... | n_d-1, nd >= d",
                packets: "1",
            },
            Self::Optimal => About {
                name: "optimal",
                theorem: "time-arc-disjoint broadcast trees (Soch and Tvrdik in two dimensions), translated to every node",
                condition: "nothing",
                packets: "1",
            },
        }
    }

    /// Whether every node does the same in every tick after its own packet: no table of times.
    pub fn is_time_independent(self) -> bool {
        matches!(self, Self::Staircase | Self::Hamiltonian | Self::Zigzag)
    }

    /// Whether the scheme applies to a torus with these sides.
    pub fn fits(self, dims: &[u32]) -> Result<(), Unmet> {
        match self {
            Self::Auto if Self::CONCRETE.iter().any(|it| it.is_time_independent() && it.fits(dims).is_ok()) => Ok(()),
            Self::Auto => Err(Unmet { scheme: "auto", needs: "a torus on which some time-independent scheme applies" }),
            Self::Staircase => staircase::fits(dims),
            Self::Hamiltonian => hamiltonian::fits(dims),
            Self::Zigzag => zigzag::fits(dims),
            Self::Optimal => optimal::fits(dims, Store::Any),
        }
    }

    /// Builds the program of a scheme other than `auto`.
    fn weave(self, torus: &Torus, choice: Choice, title: Title) -> Result<Woven, ConstructError> {
        let Choice { switching, store, .. } = choice;
        let along = |(cover, program)| Woven { program, cover: Some(cover), reason: None };
        Ok(match self {
            Self::Auto => unreachable!("auto is resolved to a scheme first"),
            Self::Staircase => along(staircase::woven(torus, switching, title)?),
            Self::Hamiltonian => along(hamiltonian::woven(torus, title)?),
            Self::Zigzag => along(zigzag::woven(torus, switching, title)?),
            Self::Optimal => Woven { program: optimal::program(torus, store, title)?, cover: None, reason: None },
        })
    }

    /// Builds the program of this scheme, or of the one that `auto` takes.
    pub fn build(self, topology: &Topology, choice: Choice, name: &str) -> Result<Woven, SchemeError> {
        let Some(torus) = &Torus::of(topology) else {
            let unmet = Unmet { scheme: self.about().name, needs: "a torus" };
            return Err(SchemeError::Unmet { scheme: self, unmet, dims: topology.dims().to_vec() });
        };
        if self == Self::Auto {
            let (woven, reason) = auto::choose(torus, choice, name)?;
            return Ok(Woven { reason: Some(reason), ..woven });
        }
        let title = Title::new(name, &self.to_string());
        self.weave(torus, choice, title).map_err(|error| match error {
            ConstructError::Unmet(unmet) => SchemeError::Unmet { scheme: self, unmet, dims: torus.dims().to_vec() },
            ConstructError::Supply(error) => SchemeError::Supply { scheme: self, torus: torus.clone(), error },
        })
    }
}

impl fmt::Display for Scheme {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.about().name)
    }
}
