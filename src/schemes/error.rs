//! Why there is no program, and what would do. Help asks conditions and formulas only, so that it is as cheap as the
//! refusal.

use thiserror::Error;

use super::scheme_setting::SchemeName;
use super::{Choosing, SCHEMES, nearest};
use crate::net::Topology;
use crate::paths::supply::SupplyError;
use crate::program::{Duplex, Link};
use crate::task::Scheme;
use crate::task::Unmet;
use crate::task::{Choice, Task};
use crate::task::{Collective, CollectiveTraffic, MOST_FLITS};

/// Why a scheme cannot serve a network.
#[derive(Debug, Error)]
pub enum SchemeError {
    /// The scheme's condition is not met.
    #[error("scheme {pick} {unmet}; the {} is {topology}", topology.kind())]
    Unmet {
        /// Scheme that was asked for.
        pick: SchemeName,
        /// Condition that is not met.
        unmet: Unmet,
        /// Network that was asked for.
        topology: Box<Topology>,
        /// Links that were asked for.
        link: Link,
        /// The settings it was asked for with.
        choice: Choice,
    },
    /// The scheme does not support the switching that was asked for.
    #[error("scheme {pick} on a {}: {error}", topology.describe())]
    Supply {
        /// Scheme that was asked for.
        pick: SchemeName,
        /// Network that was asked for.
        topology: Box<Topology>,
        /// Reason of the refusal.
        error: SupplyError,
    },
}

impl SchemeError {
    /// Returns the cure that is shown after `help:`.
    pub fn help(&self) -> String {
        match self {
            Self::Unmet { pick, topology, link, choice, .. } => {
                let task = Task { topology, link: *link, choice: choice.clone() };
                let instead = instead(*pick, &task);
                let other = || shorter(*pick, &task).or_else(|| other_link(*pick, &task));
                let other = || other().or_else(|| other_sizes(*pick, &task));
                // with `auto`, another scheme is better than another network
                let is_open = *pick == SchemeName::Auto && instead.is_some();
                let advice = [if is_open { None } else { other() }, instead];
                let advice: Vec<String> = advice.into_iter().flatten().collect();
                if advice.is_empty() { LISTED.into() } else { advice.join("; ") }
            }
            Self::Supply { .. } => "`switching: memory` and `switching: none` work wherever the scheme applies".into(),
        }
    }
}

const LISTED: &str = "`torusweave schemes` lists every scheme with its condition";

/// Longest messages for which the scheme applies, if these are too long.
fn shorter(pick: SchemeName, task: &Task) -> Option<String> {
    let Choice { traffic, .. } = &task.choice;
    if let Some(pairs) = &traffic.pairs {
        let fits = |&divisor: &u32| {
            let traffic =
                CollectiveTraffic { pairs: Some(pairs.divided(divisor).into()), ..CollectiveTraffic::clone(traffic) };
            let choice = Choice { traffic: traffic.into(), ..task.choice.clone() };
            pick.fits(&Task { choice, ..task.clone() }).is_ok()
        };
        let divisor = (1..u32::BITS).map(|bits| 1 << bits).find(fits)?;
        return Some(format!("with messages of 1/{divisor} of these lengths it applies"));
    }
    let flits = (MOST_FLITS / u64::from(task.topology.nodes() - 1)) as u32;
    if flits >= traffic.flits || !traffic.lengths.is_empty() {
        return None;
    }
    let traffic = CollectiveTraffic { flits, ..CollectiveTraffic::clone(traffic) }.into();
    let task = Task { choice: Choice { traffic, ..task.choice.clone() }, ..task.clone() };
    pick.fits(&task).ok().map(|()| format!("with `link.flits: {flits}` it applies"))
}

/// Other links that the scheme can use here.
fn other_link(pick: SchemeName, task: &Task) -> Option<String> {
    let links = [
        (Link { lanes: 1, ..task.link }, "with `link.lanes: 1` it applies"),
        (Link { duplex: Duplex::Half, ..task.link }, "with `link.duplex: half` it applies"),
        (Link { duplex: Duplex::Full, ..task.link }, "with `link.duplex: full` it applies"),
        (Link::default(), "with `link: { duplex: full, lanes: 1 }` it applies"),
    ];
    let fits = |link| pick.fits(&Task { link, ..task.clone() }).is_ok();
    links.into_iter().find(|&(link, _)| fits(link)).map(|(_, help)| help.into())
}

/// On which sizes nearby it applies; none if each pair of these nodes has a length of its own.
fn other_sizes(pick: SchemeName, task: &Task) -> Option<String> {
    if task.choice.traffic.pairs.is_some() {
        return None;
    }
    let sizes = nearest::sizes(task.topology, |near| pick.fits(&task.on(near)).is_ok());
    let sizes: Vec<String> = sizes.iter().map(ToString::to_string).collect();
    (!sizes.is_empty()).then(|| format!("the nearest sizes are {}", sizes.join(", ")))
}

/// Scheme to take instead: the choice of `auto`, or another one that `auto` ignores because it needs a table of times.
fn instead(refused: SchemeName, task: &Task) -> Option<String> {
    let names = |schemes: Vec<&dyn Scheme>| schemes.iter().map(ToString::to_string).collect::<Vec<_>>();
    let auto = Choosing::plain(false);
    match auto.foreseen(task) {
        _ if auto.fits(task).is_err() => {
            let others = names(SCHEMES.iter().copied().filter(|scheme| scheme.fits(task).is_ok()).collect());
            (!others.is_empty()).then(|| format!("`scheme: {}` applies", others.join("` or `")))
        }
        _ if refused == SchemeName::Auto => None,
        Some(scheme) => Some(format!("`scheme: auto` would take {scheme}")),
        None if task.collective() != Collective::Gossip => {
            let fitting = names(auto.fitting(task));
            Some(format!("`scheme: auto` takes the fastest of {}", fitting.join(" and ")))
        }
        None => Some("`scheme: auto` finds one that applies".into()),
    }
}
