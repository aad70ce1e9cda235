//! From a few lines of YAML to checked Verilog for static torus routers.
//!
//! ```text
//! config -> scheme -> (paths) -> Program -> play | check | study | netlist -> emit -> tools, people
//! ```
//!
//! The [`program::Program`] is the narrow waist: every scheme ends in one, every consumer starts from one. The modules are
//! floors; a file imports only from floors below its own.

pub mod algorithm;
pub mod check;
#[cfg(feature = "cli")]
pub mod cli;
pub mod compare;
pub mod design;
pub mod draw;
pub mod emit;
pub mod explain;
pub mod export;
pub mod files;
pub mod net;
pub mod netlist;
pub mod paths;
pub mod play;
pub mod program;
pub mod protocol;
pub mod schedule;
pub mod schemes;
pub mod study;
pub mod task;
pub mod threads;
#[cfg(feature = "cli")]
pub mod tools;
pub mod transform;
pub mod whole;
