//! From a few lines of YAML to checked Verilog for static torus routers.

pub mod bounds;
pub mod construct;
pub mod cover;
pub mod model;
pub mod payload;
pub mod program;
pub mod supply;
pub mod torus;
