//! The programs that other people wrote: finds them, runs them, and says clearly what is missing.

pub mod fpga;
pub mod icarus;
pub mod lockstep;
mod pool;
mod process;
pub mod prove;

pub use process::{ScratchFolder, ToolError, finished, run};
