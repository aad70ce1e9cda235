//! Broadcast: one node's message for everybody.

pub mod family;
pub mod fork;
pub mod polish;
pub mod stages;
pub mod trees;
pub mod worms;
