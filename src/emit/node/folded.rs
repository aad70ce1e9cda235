//! Results of a node that form at once, for `templates/node/fold.v`.

use std::collections::BTreeSet;

use crate::netlist::{FoldWindow, NodeKind};

/// A result that is handed to the router.
pub struct Handed {
    pub total: String,
    pub partial: String,
    pub arrivals: usize,
    pub last_window: usize,
}

/// Steps in which something is combined.
pub struct CombineSteps {
    pub first: u32,
    pub last: u32,
    pub has_end: bool,
}

/// A value of the node's own that is combined with arrivals.
pub struct Folded {
    pub packet: u32,
    pub name: String,
    pub value: String,
    pub partial: String,
    pub total: String,
    pub has_partial: bool,
    pub windows: Vec<usize>,
    pub last_window: usize,
    pub arrivals: Vec<FoldedArrival>,
    pub last: u64,
    pub port: u32,
}

/// Arrival that is combined, and the windows in which it is.
pub struct FoldedArrival {
    pub name: String,
    pub windows: Vec<usize>,
    pub is_always: bool,
}

/// Total of a packet, as a router takes it.
pub fn handed(kind: &NodeKind, packet: u32) -> Handed {
    let fold = kind.fold.as_ref().expect("a result is handed on where results form");
    let arrivals = fold.windows_of(packet).flat_map(|window| &window.inputs[packet as usize]).collect::<BTreeSet<_>>();
    let is_of = |window: &FoldWindow| !window.inputs[packet as usize].is_empty();
    Handed {
        total: format!("total_{packet}"),
        partial: format!("partial_{packet}"),
        arrivals: arrivals.len(),
        last_window: fold.windows.iter().rposition(is_of).unwrap_or(0),
    }
}
