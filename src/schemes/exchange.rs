//! Total exchange: every node has a message for every other.

pub mod shop;
