//! Why there is no program, and what would do. Help asks conditions and formulas only, so that it is as cheap as the
//! refusal.

use thiserror::Error;

use super::pick::Pick;
use super::task::{Choice, Task};
use super::traffic::Collective;
use super::unmet::Unmet;
use super::{auto, nearest};
use crate::net::Topology;
use crate::paths::supply::SupplyError;
use crate::program::{Duplex, Link};

/// Why a scheme cannot serve a network.
#[derive(Debug, Error)]
pub enum SchemeError {
    /// Its condition is not met.
    #[error("scheme {pick} {unmet}; the {} is {topology}", topology.shape())]
    Unmet {
        /// The scheme.
        pick: Pick,
        /// Its condition.
        unmet: Unmet,
        /// The network.
        topology: Topology,
        /// Its links.
        link: Link,
        /// The settings it was asked for with.
        choice: Choice,
    },
    /// It does not go together with the switching asked for.
    #[error("scheme {pick} on a {}: {error}", topology.describe())]
    Supply {
        /// The scheme.
        pick: Pick,
        /// The network.
        topology: Topology,
        /// The reason.
        error: SupplyError,
    },
}

impl SchemeError {
    /// What to do about it.
    pub fn help(&self) -> String {
        match self {
            Self::Unmet { pick, topology, link, choice, .. } => {
                let task = Task { topology, link: *link, choice: choice.clone() };
                if let Some(link) = other_link(*pick, &task) {
                    return format!("{link}; {}", instead(*pick, &task));
                }
                let sizes = nearest::sizes(topology, |near| pick.fits(&task.on(near)).is_ok());
                let sizes: Vec<String> = sizes.iter().map(ToString::to_string).collect();
                let instead = instead(*pick, &task);
                if sizes.is_empty() {
                    instead
                } else {
                    format!("the nearest sizes are {}; {instead}", sizes.join(", "))
                }
            }
            Self::Supply { .. } => "`switching: memory` and `switching: none` work wherever the scheme applies".into(),
        }
    }
}

/// Which other links the scheme can use here.
fn other_link(pick: Pick, task: &Task) -> Option<&'static str> {
    let links = [
        (Link { lanes: 1, ..task.link }, "with `link.lanes: 1` it applies"),
        (Link { duplex: Duplex::Half, ..task.link }, "with `link.duplex: half` it applies"),
        (Link { duplex: Duplex::Full, ..task.link }, "with `link.duplex: full` it applies"),
        (Link::default(), "with `link: { duplex: full, lanes: 1 }` it applies"),
    ];
    links.into_iter().find(|(link, _)| pick.fits(&Task { link: *link, ..task.clone() }).is_ok()).map(|(_, help)| help)
}

/// Which other scheme to take.
fn instead(refused: Pick, task: &Task) -> String {
    match auto::foreseen(task) {
        _ if refused == Pick::Auto => "`torusweave schemes` lists every scheme with its condition".into(),
        Some(scheme) => format!("`scheme: auto` would take {scheme}"),
        None if task.collective() != Collective::Gossip && auto::fits(task).is_ok() => {
            let fitting: Vec<String> = auto::fitting(task).map(ToString::to_string).collect();
            format!("`scheme: auto` takes the fastest of {}", fitting.join(" and "))
        }
        None if auto::fits(task).is_ok() => "`scheme: auto` finds one that applies".into(),
        None => "no time-independent scheme applies here".into(),
    }
}
