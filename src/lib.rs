//! From a few lines of YAML to checked Verilog for static torus routers.
//!
//! ```text
//! config -> scheme -> construct -> Program -> model | check | verilog | text | draw | report
//! ```
//!
//! The [`program::Program`] is the narrow waist: every scheme ends in one, every consumer starts from one. The modules are
//! floors; a file imports only from floors below its own.

pub mod bounds;
pub mod check;
pub mod cli;
pub mod compare;
pub mod config;
pub mod construct;
pub mod cover;
pub mod design;
pub mod diff;
pub mod draw;
pub mod explain;
pub mod files;
pub mod icarus;
pub mod lockstep;
pub mod model;
pub mod payload;
pub mod program;
pub mod region;
pub mod report;
pub mod scheme;
pub mod supply;
pub mod table;
pub mod text;
pub mod tools;
pub mod torus;
pub mod tree;
pub mod vcd;
pub mod verilog;
