//! Proofs by solvers: that the cycles are right at every size, and that generated Verilog does what its program says.

pub mod design;
mod device;
mod elaborated;
mod error;
pub mod every_size;
mod fault;
pub mod listed;
pub mod wires;
pub mod wiring;
mod yosys;
mod z3;

pub use error::ProveError;
pub use yosys::{Prover, SolverVerdict, YosysFiles};
pub use z3::Z3;
