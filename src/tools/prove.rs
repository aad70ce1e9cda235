//! Proofs by solvers: that the cycles are right at every size, and that generated Verilog does what its program says.

pub mod every_size;
mod pool;
mod z3;

pub use z3::Z3;
