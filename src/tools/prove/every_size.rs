//! The cycles are right for all sizes: obligations in SMT-LIB, discharged by Z3.
//!
//! A scheme's text stands in `templates/prove/`: what a place is, which node it is at, and a section an obligation.

mod linear;
mod mutants;
mod obligation;
mod places;
mod plane;
mod scheme;
mod solve;

pub use mutants::{Mutant, mutants};
pub use obligation::{Answer, Obligation};
pub use scheme::ProvedScheme;
pub use solve::{Fate, prove, refute};
