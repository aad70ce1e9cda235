//! The `torusweave` command.
fn main() {}
