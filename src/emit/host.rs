//! Host of a design: the ring, registers and buses before it, and the files that describe it to software.

pub(in crate::emit) mod describe;
pub(in crate::emit) mod modules;

pub use describe::{HostRegister, REGISTERS, meaning};
