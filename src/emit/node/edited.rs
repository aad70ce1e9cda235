//! Modules for a user to edit: a processing element, and the top with one at each node. Of one collective or of a list.

use askama::Template;

use crate::emit::node::PortLinks;
use crate::emit::shared::axis::NetworkAxis;
use crate::emit::shared::design::GENERATED_FROM;
use crate::emit::shared::parts::UpCounter;
use crate::emit::shared::words;

/// Processing element, for `templates/node/element.v`.
#[derive(Template)]
#[template(path = "node/element.v", escape = "none")]
pub struct ElementModule {
    pub module: String,
    pub notes: Vec<String>,
    pub width: u32,
    /// words per clock of the stream to it
    pub lanes: u32,
    pub user: UpCounter,
    pub whose: String,
    /// Blocks tell their nodes, and their ends are told.
    pub tells: bool,
    /// bits of the address of the read port, if there is one
    pub address: Option<u32>,
    pub block: Option<UpCounter>,
    pub block_text: &'static str,
    /// Calls of the programs of a list.
    pub calls: Option<ElementCalls>,
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
    pub user: UpCounter,
    pub tells: bool,
    pub address: Option<u32>,
    /// Ports of the nodes at the system.
    pub pins: Vec<SystemPin>,
    /// Calls of the programs of a list.
    pub calls: Option<ElementCalls>,
    /// Board that the nodes are on, if they are on several.
    pub board: Option<BoardElements>,
    /// Elements of one board call all boards.
    pub has_common_calls: bool,
}

/// Board with elements.
pub struct BoardElements {
    /// Coordinates of the board.
    pub axes: Vec<NetworkAxis>,
    pub links: Vec<PortLinks>,
    /// Axes of the network, by which a node's number is found.
    pub steps: Vec<NumberStep>,
    /// Dead nodes, row by row.
    pub dead: Vec<u32>,
}

/// Axis of the network in a node's number.
pub struct NumberStep {
    /// Coordinate of the board, if there are several along the axis.
    pub name: Option<String>,
    /// Nodes of the network and of a block along the axis.
    pub side: u32,
    pub of_block: u32,
    /// Nodes of a block along the axes behind it.
    pub divisor: u32,
}

/// Calls of an element.
pub struct ElementCalls {
    /// Bits of a program's number.
    pub program: u32,
    /// Bits of a root's number.
    pub node: u32,
    /// Bits of a count of words.
    pub total: u32,
    /// Number of the last program.
    pub last_program: usize,
    /// Number of the last node.
    pub last_node: u32,
    /// Programs by number.
    pub programs: Vec<ElementCall>,
    /// Calls come from elements of one board, and each element is told of them.
    pub is_common: bool,
}

impl ElementCalls {
    /// Signal with the number of the program whose words the element sends.
    pub fn number(&self) -> &'static str {
        if self.is_common { "called_program" } else { "program_number" }
    }

    /// Signal with the root of that call.
    pub fn root(&self) -> &'static str {
        if self.is_common { "called_root" } else { "root" }
    }

    /// Signal with a root that no program reads, behind others, where calls come from elements of one board.
    pub fn unused_root(&self) -> &'static str {
        let is_read = self.programs.iter().any(|program| program.is_of_root && program.roots.is_empty());
        if self.is_common && !is_read { ", called_root" } else { "" }
    }
}

/// Program that an element calls.
pub struct ElementCall {
    pub name: String,
    /// Words that a node sends for a call.
    pub words: u32,
    /// Only the root sends words.
    pub is_of_root: bool,
    /// Nodes that send; empty where any root does.
    pub roots: Vec<u32>,
    /// Last place in a block.
    pub last: u32,
}

/// Port of the system, with its part of a vector of all nodes.
pub struct SystemPin {
    pub name: String,
    pub vector: String,
    pub index: u32,
    /// A node has as many of these parts as lanes.
    pub is_by_lane: bool,
    /// Name of the constant with the bits of its part, if it has several.
    pub bits: Option<&'static str>,
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
