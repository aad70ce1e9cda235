//! What is asked of a scheme: where, and with which settings.

use super::store::Store;
use super::unmet::Unmet;
use crate::net::{Topology, Torus};
use crate::paths::supply::Switching;
use crate::program::Link;

/// What is asked of a scheme. Whatever else comes to be asked becomes a field here, so that no signature changes: the
/// demand (who wants what), the latency of a link.
#[derive(Clone, Copy, Debug)]
pub struct Task<'a> {
    /// Where.
    pub topology: &'a Topology,
    /// Over which links.
    pub link: Link,
    /// What is chosen within the scheme.
    pub choice: Choice,
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

/// A setting of a config that makes a difference to some schemes and none to others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Knob {
    /// What the supporters of off-cycle nodes do over time.
    Switching,
    /// How much of a packet store the routers may need.
    Store,
    /// Where the routers' tables are.
    Rom,
}

impl<'a> Task<'a> {
    /// The same question about another network.
    #[must_use]
    pub fn on(self, topology: &Topology) -> Task<'_> {
        Task { topology, ..self }
    }

    /// The sides, for a scheme that needs a torus.
    pub fn torus_sides(&self) -> Result<&'a [u32], Unmet> {
        if self.topology.is_torus() { Ok(self.topology.dims()) } else { Err(Unmet { needs: "a torus" }) }
    }

    /// The network, for a scheme that needs a torus.
    pub fn torus(&self) -> Result<Torus, Unmet> {
        Torus::of(self.topology).ok_or(Unmet { needs: "a torus" })
    }
}

impl Knob {
    /// Every knob.
    const ALL: [Self; 3] = [Self::Switching, Self::Store, Self::Rom];

    /// The knob of this name in a config.
    pub fn of(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|knob| knob.name() == name)
    }

    /// Its name in a config.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Switching => "switching",
            Self::Store => "store",
            Self::Rom => "rom",
        }
    }
}
