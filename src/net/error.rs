//! Reasons why a description is not a network.

use thiserror::Error;

use super::{ShapeName, Sides};

/// Reason why a description is not a network.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum NetworkError {
    /// No axis at all.
    #[error("a {shape} needs at least one axis")]
    NoAxes {
        /// The shape asked for.
        shape: ShapeName,
    },
    /// A path or a cycle of several axes.
    #[error("a {shape} has one axis, not {axes}")]
    Axes {
        /// The shape asked for.
        shape: ShapeName,
        /// The axes given.
        axes: usize,
    },
    /// A side of 0 or 1 has no links of its own.
    #[error("side {side} of axis x{axis} is too small: a side is at least 2")]
    Side {
        /// The axis, counted from 1 as in the papers.
        axis: usize,
        /// The offending side.
        side: u32,
    },
    /// The product of the sides does not fit.
    #[error("{shape} {} has more than 2^32 - 1 nodes", Sides(dims))]
    TooLarge {
        /// The shape asked for.
        shape: ShapeName,
        /// The sides asked for.
        dims: Vec<u32>,
    },
    /// A lattice without rows, or of more axes than a node has ports for.
    #[error("a lattice must have 1 to {} rows (has {axes})", super::MAX_AXES)]
    LatticeAxes {
        /// The rows given.
        axes: usize,
    },
    /// A row with more or fewer entries than the lattice has rows.
    #[error("row {row} of the lattice must have {axes} entries, one per axis (has {entries})")]
    NotSquare {
        /// The row, counted from 1.
        row: usize,
        /// Number of entries in the list.
        entries: usize,
        /// The rows of the lattice.
        axes: usize,
    },
    /// Rows that do not span all axes.
    #[error("row {row} of the lattice depends on the rows before it")]
    Dependent {
        /// The row, counted from 1.
        row: usize,
    },
    /// The product of the diagonal does not fit.
    #[error("the lattice {} has more than 2^32 - 1 nodes", show_rows(rows))]
    LatticeTooLarge {
        /// The rows asked for.
        rows: Vec<Vec<i64>>,
    },
    /// No shape, or several.
    #[error("it must be one of torus, mesh, cycle, path and lattice")]
    NotOneShape,
    /// `wrap` beside something that is no torus, or not one entry per axis.
    #[error("wrap must stand beside a torus and have one entry per axis (has {entries}, axes {axes})")]
    Wrap {
        /// The axes of the network.
        axes: usize,
        /// The entries given.
        entries: usize,
    },
    /// A dead link whose port is no port's name.
    #[error("dead link at node {node}: `{port}` is no port")]
    NoSuchPort {
        /// The number of the node.
        node: u32,
        /// The name given.
        port: String,
    },
    /// An open axis that the network does not have.
    #[error("open axis x{axis} must be x1 to x{axes}")]
    NoSuchAxis {
        /// The axis, counted from 1.
        axis: usize,
        /// The axes of the network.
        axes: usize,
    },
    /// An axis whose end is not joined to its own beginning cannot be cut there.
    #[error("open axis x{axis} requires a diagonal lattice: this one is twisted")]
    OpenTwisted {
        /// The axis, counted from 1.
        axis: usize,
    },
    /// A dead part at a node that the network does not have.
    #[error("dead node {node} must be below {nodes}")]
    NoSuchNode {
        /// The number of the node.
        node: u32,
        /// The number of places.
        nodes: u32,
    },
    /// A dead link at a port that the network does not have, or that leads nowhere.
    #[error("dead link at node {node} port {port}: there is no link")]
    NoSuchLink {
        /// The number of the node.
        node: u32,
        /// Port that has no link.
        port: super::Port,
    },
    /// Nobody to talk to.
    #[error("a network must have at least 2 live nodes (has {live})")]
    TooFewNodes {
        /// The live nodes.
        live: u32,
    },
    /// Nodes that no way of links joins.
    #[error("the network is cut into {} parts: {}", parts.len(), show_parts(parts))]
    Cut {
        /// The first node of each part and the number of its nodes.
        parts: Vec<(u32, u32)>,
    },
}

/// Rows as `--lattice` takes them: `4,0,4/0,4,4/0,0,8`.
fn show_rows(rows: &[Vec<i64>]) -> String {
    let row = |row: &Vec<i64>| row.iter().map(i64::to_string).collect::<Vec<_>>().join(",");
    rows.iter().map(row).collect::<Vec<_>>().join("/")
}

/// Sizes of the largest parts, each with one of its nodes.
fn show_parts(parts: &[(u32, u32)]) -> String {
    const SHOWN: usize = 4;
    let part =
        |&(node, nodes): &(u32, u32)| format!("{nodes} {} with node {node}", if nodes == 1 { "node" } else { "nodes" });
    let mut shown: Vec<String> = parts.iter().take(SHOWN).map(part).collect();
    if parts.len() > SHOWN {
        shown.push("...".to_owned());
    }
    shown.join(", ")
}
