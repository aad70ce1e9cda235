//! Scatter and gather: a message of its own for every node, from one node or to one.

pub mod assign;
pub mod closed;
pub mod dispatch;
pub mod flow;
pub mod port_trees;
