//! Fixtures that several tests share: the built command, designs, designs with a fault, and the tools to try them with.

pub mod browser;
pub mod by_chance;
pub mod by_hand;
pub mod called;
pub mod chance;
pub mod combined;
pub mod command;
pub mod contributors;
pub mod damage;
pub mod designs;
pub mod floats;
pub mod interpreter;
pub mod judge;
pub mod ledger;
pub mod lists;
pub mod mutants;
pub mod node_lists;
pub mod optimum;
pub mod pressed;
pub mod ranges;
pub mod recording;
pub mod smt;
pub mod tools;
