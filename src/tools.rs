//! The programs that other people wrote: finds them, runs them, and says clearly what is missing.

pub mod fpga;
pub mod icarus;
pub mod lockstep;
mod pool;
mod process;
pub mod prove;
mod scratch;
pub mod verilog;

pub use process::{
    LONGEST_TIME_LIMIT, Running, ToolError, attached, ended, finished, piped, run, run_into, set_time_limit, tool_in,
};
pub use scratch::{FreshFolder, ScratchFolder};
