//! From a few lines of YAML to checked Verilog for static torus routers.

pub mod construct;
pub mod cover;
pub mod draw;
pub mod model;
pub mod payload;
pub mod program;
pub mod region;
pub mod torus;
