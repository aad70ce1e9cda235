//! Modules for a user to edit: a processing element, and the top with one at each node. Of one collective or of a list.

use askama::Template;

use super::node::Pins;
use super::rtl::Count;
use super::words;
use super::{GENERATED_FROM, listed};

/// Processing element, for `templates/node/element.v`.
#[derive(Template)]
#[template(path = "node/element.v", escape = "none")]
pub struct ElementModule {
    pub module: String,
    pub notes: Vec<String>,
    pub width: u32,
    /// words per clock of the stream to it
    pub lanes: u32,
    pub user: Count,
    pub whose: String,
    /// Blocks tell their nodes, and their ends are told.
    pub tells: bool,
    /// bits of the address of the read port, if there is one
    pub address: Option<u32>,
    pub block: Option<Count>,
    pub block_text: &'static str,
    /// Calls of the programs of a list.
    pub calls: Option<listed::ElementCalls>,
}

/// Top with an element at each node, for `templates/node/top.v`.
#[derive(Template)]
#[template(path = "node/top.v", escape = "none")]
pub struct TopModule {
    pub module: String,
    pub element: String,
    pub system: String,
    pub headline: String,
    pub notes: Vec<String>,
    pub width: u32,
    pub lanes: u32,
    pub by_lane: &'static str,
    pub nodes: u32,
    /// bits that say whose a word is
    pub user: Count,
    pub tells: bool,
    pub address: Option<u32>,
    /// Ports of the system of one collective.
    pub pins: Vec<Pins>,
    /// Calls of the programs of a list.
    pub calls: Option<listed::ElementCalls>,
}

impl TopModule {
    fn pins(&self) -> impl Iterator<Item = &Pins> {
        self.pins.iter()
    }
}

/// Prefix of words of several lanes in the top.
pub fn by_lane(lanes: u32) -> &'static str {
    if lanes > 1 { "LANES*" } else { "" }
}

/// Notes on a file for the user to edit; `origin` is what it comes from.
pub fn notes(origin: &str) -> Vec<String> {
    words::wrap_all(&[
        "Yours to edit: from then on `torusweave generate` leaves it as it is, and `--force` overwrites it.".to_owned(),
        format!("{GENERATED_FROM}{origin}."),
    ])
}
